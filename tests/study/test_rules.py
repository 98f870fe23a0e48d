"""Rules that decide claims, the intervals behind them, and worlds that a function has not seen."""

import itertools
import json
from dataclasses import fields, replace
from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
from scipy.stats import binom, t

from workbench.errors import ArgumentError
from workbench.study.hidden import WORLDS, Judged, hidden_worlds
from workbench.study.intervals import (
    bootstrap_interval,
    bracket_of,
    clopper_pearson,
    crossing,
    local_slope,
    median_ratio_interval,
)
from workbench.study.measures import Measure, near, slope_inside
from workbench.study.profiles import CONTRACT_LEVEL, claim_level
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


def generator(seed=11):
    return np.random.default_rng(seed)


# --- Clopper-Pearson -------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.05, claim_level()])
@pytest.mark.parametrize("n", [1, 20, 300])
def test_clopper_pearson_inverts_the_exact_tails(n, level):
    for k in range(n + 1):
        low, high = clopper_pearson(k, n, level)
        assert low == 0 if k == 0 else binom.sf(k - 1, n, low) == pytest.approx(level / 2, rel=1e-6)
        assert high == 1 if k == n else binom.cdf(k, n, high) == pytest.approx(level / 2, rel=1e-6)


# --- bootstrap -------------------------------------------------------------------------------------


@pytest.mark.turns(4)
@pytest.mark.parametrize("level", [0.1, 1e-3, claim_level()])
@pytest.mark.parametrize("n", [8, 40, 400])
def test_bootstrap_of_a_mean_against_student(n, level):
    x = generator().normal(3, 2, size=n)
    half = t.isf(level / 2, n - 1) * x.std(ddof=1) / sqrt(n)
    low, high = bootstrap_interval(np.mean, x, level, generator(), 4000)
    assert (low, high) == pytest.approx((x.mean() - half, x.mean() + half), abs=0.1 * half)


def test_a_few_infinite_errors_are_survived_by_a_median_and_not_hidden_from_a_mean():
    x = np.r_[generator().exponential(size=97), [inf] * 3]
    assert np.isfinite(bootstrap_interval(np.median, x, 1e-3, generator())).all()
    assert all(map(isnan, bootstrap_interval(np.mean, x, 1e-3, generator())))


def test_undefined_resamples_count_against_both_ends():
    x = np.arange(20.0)
    interval = bootstrap_interval(lambda v: v.mean() if 0 in v else np.nan, x, 0.05, generator())
    assert interval == (-inf, inf)  # a third of the resamples lack the 0


# --- ratios and slopes -----------------------------------------------------------------------------


def test_a_ratio_of_paired_medians_uses_the_pairing():
    rng = generator()
    b = rng.exponential(size=300)
    a = 1.25 * b * rng.uniform(0.98, 1.02, size=300)
    low, high = median_ratio_interval(a, b, 1e-3, generator())
    assert 1.2 < low < 1.25 < high < 1.3
    unpaired = median_ratio_interval(rng.permutation(a), b, 1e-3, generator())
    assert unpaired[1] / unpaired[0] > 1.2


# --- crossing --------------------------------------------------------------------------------------

NS = (100, 200, 400, 800)


@pytest.mark.parametrize(
    ("successes", "bracket"),
    [([0, 0, 0, 2], (800, inf)), ([99, 100, 100, 100], (0, 100)), ([50, 50, 50, 50], (0, inf))],
)
def test_a_grid_that_does_not_bracket_gives_a_one_sided_bound(successes, bracket):
    found = crossing(NS, successes, 100, 0.75 if successes[0] != 50 else 0.5, level=1e-3, rng=generator())
    assert isnan(found.estimate)
    assert found.interval == found.bracket == bracket


def success(n):
    """Return a success probability that is linear in log n between the grid's points; .6 at 283."""
    return np.interp(np.log(n), np.log(NS), [0.2, 0.4, 0.8, 0.95])


@pytest.mark.turns(6)
@pytest.mark.parametrize("trials", [60, 400])
def test_the_interval_of_a_crossing_covers_against_theory(trials):
    rng, runs, level = generator(), 200, 0.05
    misses = wide = 0
    for _ in range(runs):
        hits = rng.binomial(trials, success(NS))
        low, high = crossing(NS, hits, trials, 0.6, level=level, rng=rng, resamples=200).interval
        misses += not low <= 200 * sqrt(2) <= high
        wide += high / low > 4
    assert binom.sf(misses - 1, runs, 1.5 * level) > CONTRACT_LEVEL
    assert wide < runs / 10


SHARES = [(0.1, 0.5, 0.9), (0.49, 0.499, 0.501), (0.5, 0.5, 0.5), (0.0, 0.2, 1.0), (0.1, 0.3, 0.499)]


@pytest.mark.parametrize("shares", SHARES)
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


@pytest.mark.parametrize(
    ("drawn", "function", "within", "share"),
    [
        (world, lambda x, trials, rng: x.mean(), 0.3, 1.0),
        (world, lambda x, trials, rng: x.mean() + 0.3, 0.3, 0.5),
        (world, lambda x, trials, rng: np.nan, 1e9, 0.0),
        (plane, lambda x, trials, rng: x.mean(axis=0)[None, :], 0.25, 0.956),  # 1 - exp(-.25² 100 / 2)
    ],
)
def test_a_function_is_judged_by_its_euclidean_distance(drawn, function, within, share):
    found = hidden_worlds(function, drawn, within=within)
    assert found.good / WORLDS == pytest.approx(share, abs=0.1 if share == 0.5 else 0.05)
    assert bool(found) == (share > 0.9)


def test_one_seed_one_judgement_and_another_seed_other_worlds():
    seen = []
    keep = lambda x, trials, rng: seen.append(x[0]) or x.mean()  # noqa: E731
    first, again = (hidden_worlds(keep, world, within=0.1, seed=3) for _ in range(2))
    assert first == again
    assert seen[:200] == seen[200:]
    hidden_worlds(keep, world, within=0.1, seed=4)
    assert not set(seen[:200]) & set(seen[400:])


@pytest.mark.parametrize(("good", "passed"), [(180, True), (163, True), (162, False), (100, False)])
def test_as_many_failures_as_chance_explains_are_forgiven(good, passed):
    assert bool(Judged(0.1, good)) == passed
    assert ("PASSED" in str(Judged(0.1, good))) == passed
