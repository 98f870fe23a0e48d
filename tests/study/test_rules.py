"""Rules that decide claims, the intervals behind them, and worlds that a function has not seen."""

import itertools
import json
from dataclasses import fields, replace
from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
from scipy.stats import binom, binomtest, sem, t

from workbench.errors import ArgumentError
from workbench.study.comparing import WORLDS, Judged, hidden_worlds
from workbench.study.measures import (
    Measure,
    bracket_of,
    crossing,
    local_slope,
    near,
    paired_ratio,
    resampled,
    slope_inside,
)
from workbench.study.profiles import CONTRACT_LEVEL
from workbench.study.rules import (
    POWER,
    Status,
    Verdict,
    alike,
    at_most,
    claim_level,
    clopper_pearson,
    combine,
    enough,
    in_proportion,
)

HOLDS, REFUTED, UNDECIDED = Status.HOLDS, Status.REFUTED, Status.UNDECIDED
BOUND = at_most(np.int64(3), 200, 0.1, 1e-4).about("l17-x", "the failure probability is ≤ 0.1", n=2000)


@pytest.mark.parametrize("level", [1e-2, claim_level()])
@pytest.mark.parametrize(("trials", "factor"), [(600, 2.0), (300, 3.0), (40, 2.0), (2, 2.0)])
def test_at_most_errs_at_its_levels_by_enumeration(trials, factor, level):
    """And holds where there are enough trials for either."""
    beta, counts = 0.1, range(trials + 1)
    found = np.array([at_most(k, trials, beta, level, factor=factor).status for k in counts])
    chances = lambda p, status: binom.pmf(np.flatnonzero(found == status), trials, p).sum()  # noqa: E731
    assert all(chances(true, REFUTED) <= level * (1 + 1e-9) for true in (beta, beta / 4))
    assert all(chances(wrong * beta, HOLDS) <= 1 - POWER for wrong in (factor, 2 * factor))
    assert (HOLDS in found) == (trials > 40)
    for k in range(0, trials + 1, 7):
        exact = binomtest(k, trials).proportion_ci(1 - level, "exact")
        assert clopper_pearson(k, trials, level) == pytest.approx(tuple(exact), rel=1e-6)


@pytest.mark.parametrize(
    ("far", "trials", "status"), [(1.0, 100, HOLDS), (3.0, 100, REFUTED), (1.0, 10, UNDECIDED)]
)
def test_alike_holds_refutes_or_asks_for_more_trials(far, trials, status):
    groups = np.random.default_rng(3).lognormal(0.0, 0.5, (6, trials))  # with a long tail
    groups[2] *= far
    found = alike(groups, claim_level(), factor=3.0)
    assert found.status is status
    assert status is REFUTED or (found.detail["power"] < POWER) == (status is UNDECIDED)


XS = np.array([1000, 2000, 4000, 8000])


def errors(shared=False, trials=400):
    """Return errors with two terms, of slope -1 and -2: the local slope is no round number."""
    noise = np.random.default_rng(3).standard_exponential((trials, 1 if shared else len(XS)))
    return 1000 / XS * (1 + 100 / XS) * noise


def slope_of(samples, factor=1.0):
    predicted = factor * local_slope(XS, XS**-1.0 * (1 + 100 / XS))
    return slope_inside(XS, samples, predicted, 0.25, level=claim_level(), rng=generator())


@pytest.mark.parametrize("shared", [False, True])
def test_a_slope_is_compared_with_the_local_one_and_an_estimate_with_a_band(shared):
    verdict = slope_of(errors(shared))
    assert (verdict.status, verdict.trials) == (HOLDS, 400)
    assert verdict.bound < -1.01  # the leading exponent is not the local slope
    assert {slope_of(errors(shared), factor).status for factor in (2, 1 / 2)} == {REFUTED}
    assert slope_of(errors(trials=8)).status is UNDECIDED
    assert slope_of(np.full((40, 4), inf)).status is UNDECIDED
    ends = (0.9, 1.1), (1.11, 1.2), (0.1, 0.89), (0.5, 2.0), (nan, nan)  # of a band
    measures = [Measure(10.0, (10 * low, 10 * high), 5) for low, high in ends]
    found = [near("", one, 10.0, level=0.01, band=0.1).status for one in measures]
    assert found == [HOLDS, REFUTED, REFUTED, UNDECIDED, UNDECIDED]


@pytest.mark.parametrize(
    ("statuses", "place"), [([HOLDS], 0), ([HOLDS, UNDECIDED], 1), ([UNDECIDED, REFUTED, HOLDS], 1)]
)
def test_several_checks_are_what_the_worst_of_them_is(statuses, place):
    checks = [
        replace(BOUND, status=status, n=n, estimate=n / 9, interval=(n, n), bound=n)
        for n, status in enumerate(statuses)
    ]
    verdict, shown = vars(combine(checks)), vars(checks[place])
    assert (verdict["level"], verdict["trials"]) == (
        pytest.approx(BOUND.level * len(checks)), BOUND.trials * len(checks),
    )  # fmt: skip
    assert all(verdict[name] == shown[name] for name in ("status", "n", "estimate", "interval", "bound"))
    assert [check["status"] for check in verdict["detail"]["checks"]] == statuses
    assert combine(checks, trials=60).trials == 60
    with pytest.raises(ArgumentError):
        combine([])


NESTED = {"b": [-inf, {"z": nan, "a": np.arange(2)}], "a": None, "flag": True, "word": "x"}


def test_a_record_comes_back_from_json_and_says_how_many_rows_were_enough():
    record = replace(BOUND, detail=NESTED, estimate=np.float64(inf)).record()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert list(record) == [field.name for field in fields(Verdict)]
    for value in ("inf", {1, 2}):
        with pytest.raises(ArgumentError, match="detail"):
            replace(BOUND, detail={"a": [value]}).record()
    for status, interval in ((HOLDS, (0, 2000)), (REFUTED, (2000, inf)), (UNDECIDED, (0, inf))):
        one = enough(enough(replace(BOUND, status=status), "X/1", "planned"), "X/1", "shape", 200, 50.0)
        first, second = one.detail["sizes"]
        assert (first["predicted"], first["estimate"], first["interval"]) == (2000, 2000, interval)
        assert (second["predicted"], second["estimate"], second["kind"]) == (50, 200, "tried")
    check = replace(BOUND, n=1000, bound=0.1, estimate=0.2, interval=(0.15, 0.25))  # twice the error
    (size,) = in_proportion(check, "X/1", "f").detail["sizes"]
    assert [size["predicted"], size["estimate"], *size["interval"]] == pytest.approx([1000, 2000, 1500, 2500])


def generator(seed=11):
    return np.random.default_rng(seed)


@pytest.mark.turns(4)
@pytest.mark.parametrize(("n", "level"), [(8, 0.1), (40, claim_level()), (400, 1e-3)])
def test_bootstrap_of_a_mean_against_student(n, level):
    x = generator().normal(3, 2, size=n)
    expected = t.interval(1 - level, n - 1, x.mean(), sem(x))
    found = resampled(np.mean, x, level, generator(), 4000).interval
    assert found == pytest.approx(expected, abs=0.05 * np.ptp(expected))
    x = np.r_[generator().exponential(size=97), [inf] * 3]  # infinite errors are not hidden
    assert np.isfinite(resampled(np.median, x, 1e-3, generator()).interval).all()
    assert all(map(isnan, resampled(np.mean, x, 1e-3, generator()).interval))
    some = resampled(lambda v: v.mean() if 0 in v else nan, np.arange(20.0), 0.05, generator()).interval
    assert some == (-inf, inf)  # a third of the resamples lack the 0
    b = generator().exponential(size=300)
    a = 1.25 * b * generator(12).uniform(0.98, 1.02, size=300)
    low, high = paired_ratio(np.median, a, b, 1e-3, generator()).interval
    assert 1.2 < low < 1.25 < high < 1.3  # the pairing is used
    unpaired = paired_ratio(np.median, generator().permutation(a), b, 1e-3, generator()).interval
    assert unpaired[1] / unpaired[0] > 1.2


NS = (100, 200, 400, 800)


@pytest.mark.turns(6)
@pytest.mark.parametrize("trials", [60, 400])
def test_the_interval_of_a_crossing_covers_against_theory(trials):
    """Of success that is linear in log n between the grid's points; 0.6 at 283."""
    rng, runs, level = generator(), 200, 0.05
    hits = rng.binomial(trials, [0.2, 0.4, 0.8, 0.95], (runs, 4))
    found = [crossing(NS, one, trials, 0.6, level=level, rng=rng, resamples=200).interval for one in hits]
    misses = sum(not low <= 200 * sqrt(2) <= high for low, high in found)
    assert binom.sf(misses - 1, runs, 1.5 * level) > CONTRACT_LEVEL
    assert sum(high / low > 4 for low, high in found) < runs / 10
    for successes, share, bracket in (  # a grid that does not bracket gives a one-sided bound
        ([0, 0, 0, 2], 0.75, (800, inf)), ([99, 100, 100, 100], 0.75, (0, 100)), ([50] * 4, 0.5, (0, inf)),
    ):  # fmt: skip
        found = crossing(NS, successes, 100, share, level=1e-3, rng=generator())
        assert isnan(found.estimate)
        assert found.interval == bracket


@pytest.mark.parametrize(
    "shares", [(0.1, 0.5, 0.9), (0.49, 0.499, 0.501), (0.5, 0.5, 0.5), (0.0, 0.2, 1.0), (0.1, 0.3, 0.499)]
)
def test_the_bracket_misses_at_most_at_its_level_by_enumeration(shares):
    ns, m, target, level = np.array([10.0, 20, 40]), 12, 0.5, 0.15
    at = [n for n, share in zip(ns, shares, strict=True) if share >= target]
    first, last_below = min([inf, *at]), max([0.0, *(n for n in ns if n not in at)])
    missed = 0.0
    for hits in itertools.product(range(m + 1), repeat=3):
        low, high = bracket_of(ns, np.array(hits), np.full(3, m), target, level)
        if not (low <= last_below and first <= high):
            missed += binom.pmf(hits, m, shares).prod()
    assert missed <= level


# A function is judged by worlds it has not seen, and by chance hardly ever wrongly.


def world(rng):
    mean = rng.uniform(-10, 10)
    return rng.normal(mean, 1.0, size=100), mean


def plane(rng):
    mean = rng.standard_normal(2)
    return mean + rng.standard_normal((100, 2)), mean


def test_a_function_is_judged_by_its_distance_in_worlds_of_one_seed_and_chance_is_forgiven():
    for drawn, function, within, share, margin in (
        (world, lambda x, trials, rng: x.mean() + 0.3, 0.3, 0.5, 0.1),
        (world, lambda x, trials, rng: nan, 1e9, 0.0, 0.05),
        (plane, lambda x, trials, rng: x.mean(axis=0)[None, :], 0.25, 0.956, 0.05),  # 1 - exp(-.25² 100 / 2)
    ):
        found = hidden_worlds(function, drawn, within=np.float64(within))
        assert found.good / WORLDS == pytest.approx(share, abs=margin)
        assert bool(found) == (share > 0.9)
    seen = []
    keep = lambda x, trials, rng: seen.append(x[0]) or x.mean()  # noqa: E731
    first, again, _ = (hidden_worlds(keep, world, within=0.1, seed=seed) for seed in (3, 3, 4))
    assert first == again
    assert seen[:200] == seen[200:400]
    assert not {*seen[:200]} & {*seen[400:]}
    for good in (162, 163):
        assert bool(Judged(0.1, good)) == ("PASSED" in str(Judged(0.1, good))) == (good == 163)
