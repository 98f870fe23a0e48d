import json
from dataclasses import fields, replace
from math import inf, nan

import numpy as np
import pytest
from scipy.stats import binom

from workbench.errors import ArgumentError
from workbench.study.intervals import clopper_pearson, local_slope
from workbench.study.measures import Measure, near, slope_inside
from workbench.study.profiles import claim_level
from workbench.study.rules import (
    POWER,
    Status,
    Verdict,
    alike,
    at_most,
    combine,
    compare,
    enough,
    in_proportion,
)

HOLDS, REFUTED, UNDECIDED = Status.HOLDS, Status.REFUTED, Status.UNDECIDED
WRONG = (2.0, 4.0)


def chances(verdicts, trials, p):
    """Return the exact probability of every status when the failure probability is p."""
    weights = binom.pmf(np.arange(trials + 1), trials, p)
    return {
        status: sum(w for w, v in zip(weights, verdicts, strict=True) if v.status is status)
        for status in Status
    }


def all_outcomes(trials, beta, level, **options):
    return [at_most(k, trials, beta, level, **options) for k in range(trials + 1)]


@pytest.mark.parametrize("level", [1e-2, claim_level()])
@pytest.mark.parametrize(("trials", "beta"), [(600, 0.1), (300, 0.2), (40, 0.1)])
def test_at_most_errs_at_its_levels_by_enumeration(trials, beta, level):
    verdicts = all_outcomes(trials, beta, level)
    for true in (beta, beta / 2, beta / 4):
        assert chances(verdicts, trials, true)[REFUTED] <= level * (1 + 1e-9)
    for wrong in WRONG:
        assert chances(verdicts, trials, wrong * beta)[HOLDS] <= 1 - POWER


def test_at_most_without_power_never_holds():
    verdicts = all_outcomes(200, 0.1, 1e-3 / 10)
    assert {verdict.status for verdict in verdicts} == {REFUTED, UNDECIDED}
    assert verdicts[0].detail["power"] == pytest.approx(0.67, abs=0.01)  # 200 trials see .3 surely, .2 barely
    assert {v.status for v in all_outcomes(200, 0.1, 1e-3 / 10, factor=3)} == {REFUTED, HOLDS}
    assert {v.status for v in all_outcomes(2, 0.5, 1e-6)} == {UNDECIDED}  # no count can refute


def test_alike_notices_what_it_says_it_detects():
    """By simulation of the factor that it has just the power for."""
    rng, runs, level, factor = np.random.default_rng(2), 1000, claim_level(), 1.9
    seen, powers = 0, []
    for _ in range(runs):
        groups = [1 + 0.5 * rng.standard_normal(120) for _ in range(5)]
        powers.append(alike(groups, level, factor=factor).detail["power"])
        groups[2] = factor * groups[2]
        seen += alike(groups, level, factor=factor).status is REFUTED
    assert 0.9 < np.median(powers) < 1
    assert clopper_pearson(seen, runs, 1e-6)[1] >= np.median(powers)


@pytest.mark.parametrize(
    ("factors", "trials", "status"),
    [([1.0] * 6, 100, HOLDS), ([1.0, 1.0, 3.0], 100, REFUTED), ([1.0] * 6, 10, UNDECIDED)],
)
def test_alike_holds_refutes_or_asks_for_more_trials(factors, trials, status):
    rng = np.random.default_rng(3)  # errors of one law with a long tail, some larger by a factor
    groups = [factor * rng.lognormal(0.0, 0.5, trials) for factor in factors]
    found = alike(groups, claim_level(), factor=3.0)
    assert found.status is status
    assert status is REFUTED or (found.detail["power"] < POWER) == (status is UNDECIDED)


@pytest.mark.parametrize(
    ("interval", "status"),
    [
        ((0.9, 1.1), HOLDS),
        ((1.11, 1.2), REFUTED),
        ((0.1, 0.89), REFUTED),
        ((1.2, inf), REFUTED),
        ((0.5, 2.0), UNDECIDED),
        ((nan, nan), UNDECIDED),
        ((-inf, inf), UNDECIDED),
    ],
)
def test_three_outcomes_of_a_band(interval, status):
    assert compare(interval, 0.9, 1.1) is status
    scaled = (10 * interval[0], 10 * interval[1])
    assert near("", Measure(10.0, scaled, 5), 10.0, level=0.01, band=0.1).status is status


XS = np.array([1000, 2000, 4000, 8000])


def errors(slope, shared=False, trials=400, seed=3):
    """Return errors with two terms, one of the given slope: the local slope is no round number."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_exponential((trials, 1 if shared else len(XS)))
    return (XS / 1000.0) ** slope * (1 + 100 / XS) * noise


def slope_of(samples, factor=1.0, **options):
    predicted = local_slope(XS, XS**-1.0 * (1 + 100 / XS))
    options = {"level": claim_level(), "rng": np.random.default_rng(4)} | options
    return slope_inside(XS, samples, factor * predicted, 0.25, **options)


@pytest.mark.parametrize("shared", [False, True])
def test_a_slope_is_compared_with_the_local_one(shared):
    verdict = slope_of(errors(-1.0, shared))
    assert verdict.status is HOLDS
    assert verdict.bound < -1.01  # the leading exponent is not the local slope
    assert verdict.trials == 400


@pytest.mark.turns(6)
@pytest.mark.parametrize("factor", [*WRONG, *(1 / k for k in WRONG)])
@pytest.mark.parametrize("shared", [False, True])
def test_a_wrong_slope_is_refuted(shared, factor):
    assert slope_of(errors(-1.0, shared), factor).status is REFUTED


def test_a_slope_from_few_trials_or_infinite_errors_is_undecided():
    assert slope_of(errors(-1.0, trials=8)).status is UNDECIDED
    assert slope_of(np.full((40, 4), inf)).status is UNDECIDED


@pytest.mark.parametrize(
    ("statuses", "combined"),
    [
        ([HOLDS], HOLDS),
        ([HOLDS, UNDECIDED], UNDECIDED),
        ([UNDECIDED, REFUTED, HOLDS], REFUTED),
    ],
)
def test_several_checks_are_what_the_worst_of_them_is(statuses, combined):
    numbers = {HOLDS: 1.0, REFUTED: 2.0, UNDECIDED: 1.1}
    checks = [
        near("", Measure(x, (x - 0.01, x + 0.01), 50), 1.0, level=1e-4, band=0.1, n=place)
        for place, x in enumerate(map(numbers.get, statuses))
    ]
    verdict, place = combine(checks), statuses.index(combined)
    assert (verdict.status, verdict.trials, verdict.n) == (combined, 50 * len(checks), place)
    assert verdict.level == pytest.approx(1e-4 * len(checks))
    shown = checks[place]
    assert (verdict.estimate, verdict.interval, verdict.bound) == (shown.estimate, shown.interval, 1.0)
    assert [check["status"] for check in verdict.detail["checks"]] == statuses
    assert combine([shown] * 2, trials=60).trials == 60
    with pytest.raises(ArgumentError):
        combine([])


# What a verdict records


BOUND = at_most(np.int64(3), 200, 0.1, 1e-4).about("l17-x", "at n the failure probability is ≤ 0.1", n=2000)
RATIO = near("", Measure(np.float64(inf), (nan, inf), 50), 1.0, level=1e-4, band=0.1)
NESTED = replace(
    BOUND, detail={"b": [-inf, {"z": nan, "a": np.arange(2)}], "a": None, "flag": True, "word": "x"}
)


@pytest.mark.parametrize("verdict", [BOUND, RATIO, NESTED, combine([BOUND, RATIO])])
def test_a_record_comes_back_from_json(verdict):
    record = verdict.record()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert list(record) == [field.name for field in fields(Verdict)]


@pytest.mark.parametrize("value", ["inf", {1, 2}])
def test_a_detail_that_would_not_come_back_is_refused(value):
    with pytest.raises(ArgumentError, match="detail"):
        replace(BOUND, detail={"a": [value]}).record()


@pytest.mark.parametrize(
    ("status", "interval"), [(HOLDS, (0, 2000)), (REFUTED, (2000, inf)), (UNDECIDED, (0, inf))]
)
def test_a_check_at_one_n_says_enough_or_not_or_nothing(status, interval):
    check = enough(enough(replace(BOUND, status=status), "X/1", "planned"), "X/1", "shape", 200, 50.0)
    first, second = combine([check]).detail["checks"][0]["detail"]["sizes"]
    assert (first["predicted"], first["estimate"], first["interval"]) == (2000, 2000, interval)
    assert (second["predicted"], second["estimate"], second["kind"]) == (50, 200, "tried")


def test_an_error_twice_the_predicted_one_needs_twice_the_rows():
    check = near("c", Measure(0.2, (0.15, 0.25), 10), 0.1, "s", level=1e-3, band=0.1, n=1000)
    (size,) = in_proportion(check, "X/1", "f").detail["sizes"]
    assert (size["predicted"], size["estimate"]) == (1000.0, pytest.approx(2000.0))
    assert size["interval"] == (pytest.approx(1500.0), pytest.approx(2500.0))
