from math import inf, nan

import numpy as np
import pytest
from scipy.stats import binom

from workbench.errors import ArgumentError
from workbench.study.intervals import clopper_pearson, local_slope
from workbench.study.profiles import claim_level
from workbench.study.rules import (
    POWER,
    Status,
    alike,
    at_most,
    combine,
    compare,
    inside_band,
    refuted_from,
    slope_inside,
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


# --- at_most ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [1e-2, claim_level(20), claim_level()])
@pytest.mark.parametrize(("trials", "beta"), [(10, 0.1), (200, 0.1), (300, 0.3), (600, 0.1), (50, 0.02)])
def test_refuted_from_is_the_smallest_count_at_the_level_by_enumeration(trials, beta, level):
    k = refuted_from(trials, beta, level)
    weights = binom.pmf(np.arange(trials + 1), trials, beta)
    assert weights[k:].sum() <= level * (1 + 1e-9)
    assert weights[k - 1 :].sum() > level


@pytest.mark.parametrize("level", [1e-2, claim_level()])
@pytest.mark.parametrize(("trials", "beta"), [(600, 0.1), (300, 0.2), (40, 0.1)])
def test_at_most_errs_at_its_levels_by_enumeration(trials, beta, level):
    verdicts = all_outcomes(trials, beta, level)
    for true in (beta, beta / 2, beta / 4):
        assert chances(verdicts, trials, true)[REFUTED] <= level * (1 + 1e-9)
    for wrong in WRONG:
        assert chances(verdicts, trials, wrong * beta)[HOLDS] <= 1 - POWER


@pytest.mark.parametrize("factor", WRONG)
def test_at_most_decides_both_worlds_when_it_has_the_power(factor):
    trials, beta = 600, 0.1
    verdicts = all_outcomes(trials, beta, claim_level())
    assert chances(verdicts, trials, factor * beta)[REFUTED] >= POWER
    assert chances(verdicts, trials, beta / factor)[HOLDS] >= 1 - claim_level()


def test_at_most_without_power_never_holds():
    verdicts = all_outcomes(200, 0.1, 1e-3 / 10)
    assert {verdict.status for verdict in verdicts} == {REFUTED, UNDECIDED}
    assert verdicts[0].detail["power"] == pytest.approx(0.67, abs=0.01)  # 200 trials see .3 surely, .2 barely
    assert {v.status for v in all_outcomes(200, 0.1, 1e-3 / 10, factor=3)} == {REFUTED, HOLDS}
    assert {v.status for v in all_outcomes(2, 0.5, 1e-6)} == {UNDECIDED}  # no count can refute


def test_at_most_says_what_it_detects():
    verdict = at_most(3, 600, 0.1, claim_level(), factor=2.5)
    assert verdict.detail["detects"] == pytest.approx(0.25)
    assert at_most(3, 600, 0.6, claim_level()).detail["detects"] == 1.0


@pytest.mark.parametrize(("trials", "beta", "level"), [(200, 0.1, 1e-4), (60, 0.3, 1e-2), (600, 0.05, 5e-6)])
def test_at_most_refutes_iff_its_interval_excludes_the_bound(trials, beta, level):
    for verdict in all_outcomes(trials, beta, level):
        assert (verdict.status is REFUTED) == (verdict.interval[0] >= beta)


@pytest.mark.parametrize(
    "change",
    [
        {"failures": -1},
        {"failures": 11},
        {"trials": 0},
        {"beta": 0},
        {"beta": 1},
        {"level": 0},
        {"factor": 1},
    ],
)
def test_at_most_refuses_what_is_no_test(change):
    with pytest.raises(ArgumentError):
        at_most(**{"failures": 1, "trials": 10, "beta": 0.1, "level": 0.01} | change)


# --- alike -----------------------------------------------------------------------------------------


def sizes(rng, *factors, trials=100, spread=0.5):
    """Errors of one law with a long tail, some of them larger by a factor."""
    return [factor * rng.lognormal(0.0, spread, trials) for factor in factors]


@pytest.mark.parametrize("level", [0.2, 0.05])
def test_alike_refutes_samples_of_one_law_no_more_often_than_its_level(level):
    rng, runs = np.random.default_rng(1), 2000
    refuted = sum(alike(sizes(rng, *[1.0] * 6), level, factor=2.0).status is REFUTED for _ in range(runs))
    assert clopper_pearson(refuted, runs, 1e-6)[0] <= level
    assert refuted > 0


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


def test_alike_holds_refutes_or_asks_for_more_trials():
    rng = np.random.default_rng(3)
    assert alike(sizes(rng, *[1.0] * 6), claim_level(), factor=3.0).status is HOLDS
    assert alike(sizes(rng, 1.0, 1.0, 3.0), claim_level(), factor=3.0).status is REFUTED
    few = alike(sizes(rng, *[1.0] * 6, trials=10), claim_level(), factor=3.0)
    assert few.status is UNDECIDED
    assert few.detail["power"] < POWER


def test_alike_shows_the_difference_in_standard_errors():
    low, high = np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])
    verdict = alike([low, high], 0.05, factor=2.0)
    assert verdict.estimate == pytest.approx(2 / np.sqrt(1 / 3 + 4 / 3))
    assert verdict.bound == pytest.approx(4.3027, abs=1e-4)  # Student's t with two degrees of freedom
    assert verdict.detail["means"] == [2.0, 4.0]


# --- bands -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("interval", "status"),
    [
        ((0.9, 1.1), HOLDS),
        ((0.95, 1.0), HOLDS),
        ((1.11, 1.2), REFUTED),
        ((0.1, 0.89), REFUTED),
        ((1.2, inf), REFUTED),
        ((0.85, 0.95), UNDECIDED),
        ((1.05, inf), UNDECIDED),
        ((0.5, 2.0), UNDECIDED),
        ((nan, nan), UNDECIDED),
        ((-inf, inf), UNDECIDED),
    ],
)
def test_three_outcomes_of_a_band(interval, status):
    assert compare(interval, 0.9, 1.1) is status
    scaled = (10 * interval[0], 10 * interval[1])
    assert inside_band(10.0, scaled, 10.0, 0.1, level=0.01, trials=5).status is status


def test_an_interval_upside_down_is_refused():
    with pytest.raises(ArgumentError, match="a lower and an upper end"):
        compare((1.0, 0.5), 0, 1)


def band_outcomes(trials, predicted, band, level):
    intervals = [clopper_pearson(k, trials, level) for k in range(trials + 1)]
    return [
        inside_band(k / trials, interval, predicted, band, level=level, trials=trials)
        for k, interval in enumerate(intervals)
    ]


def test_inside_band_errs_at_its_level_by_enumeration():
    trials, predicted, band, level = 2000, 0.2, 0.15, 1e-3
    verdicts = band_outcomes(trials, predicted, band, level)
    for true in (1 - band, 1.0, 1 + band):
        assert chances(verdicts, trials, predicted * true)[REFUTED] <= level
    for wrong in (1 - band - 1e-9, 1 + band + 1e-9, *WRONG, *(1 / k for k in WRONG)):
        assert chances(verdicts, trials, predicted * wrong)[HOLDS] <= level


def test_inside_band_decides_the_worlds_it_should():
    trials, predicted = 4000, 0.2
    verdicts = band_outcomes(trials, predicted, 0.25, 1e-3)
    assert chances(verdicts, trials, predicted)[HOLDS] >= 0.99
    for wrong in (*WRONG, *(1 / k for k in WRONG)):
        assert chances(verdicts, trials, predicted * wrong)[REFUTED] >= 0.99


def test_inside_band_needs_a_positive_prediction_and_a_band():
    for predicted, band in ((0.0, 0.1), (-1.0, 0.1), (inf, 0.1), (1.0, 0.0), (1.0, 1.0)):
        with pytest.raises(ArgumentError):
            inside_band(1.0, (0.9, 1.1), predicted, band, level=0.01, trials=5)


# --- slopes ----------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("factor", [*WRONG, *(1 / k for k in WRONG)])
@pytest.mark.parametrize("shared", [False, True])
def test_a_wrong_slope_is_refuted(shared, factor):
    assert slope_of(errors(-1.0, shared), factor).status is REFUTED


def test_points_that_share_their_data_have_a_sharper_slope():
    apart, shared = (slope_of(errors(-1.0, shared)).interval for shared in (False, True))
    assert shared[1] - shared[0] < 0.01 * (apart[1] - apart[0])


def test_a_slope_from_few_trials_or_infinite_errors_is_undecided():
    assert slope_of(errors(-1.0, trials=8)).status is UNDECIDED
    assert slope_of(errors(-1.0), clusters=np.zeros(400)).status is UNDECIDED
    assert slope_of(np.full((40, 4), inf)).status is UNDECIDED


def test_an_upper_bound_allows_a_steeper_slope():
    steeper = errors(-2.0)
    assert slope_of(steeper).status is REFUTED
    assert slope_of(steeper, upper_bound=True).status is HOLDS
    assert slope_of(errors(-0.5), upper_bound=True).status is REFUTED


def test_a_slope_of_another_statistic():
    verdict = slope_of(errors(-1.0), statistic=lambda v, axis: np.sqrt(np.mean(np.square(v), axis=axis)))
    assert verdict.status is HOLDS


# --- combinations ----------------------------------------------------------------------------------


def verdict_of(status, n=None):
    estimate = {HOLDS: 1.0, REFUTED: 2.0, UNDECIDED: 1.1}[status]
    interval = (estimate - 0.01, estimate + 0.01)
    return inside_band(estimate, interval, 1.0, 0.1, level=1e-4, trials=50).about("", "", n=n)


@pytest.mark.parametrize(
    ("statuses", "combined"),
    [
        ([HOLDS], HOLDS),
        ([HOLDS, HOLDS], HOLDS),
        ([HOLDS, UNDECIDED], UNDECIDED),
        ([UNDECIDED, REFUTED, HOLDS], REFUTED),
    ],
)
def test_combine(statuses, combined):
    verdict = combine([verdict_of(status) for status in statuses])
    assert verdict.status is combined
    assert verdict.level == pytest.approx(1e-4 * len(statuses))
    assert verdict.trials == 50 * len(statuses)
    shown = verdict.detail["checks"][statuses.index(combined)]
    assert (verdict.estimate, verdict.interval, verdict.bound) == tuple(
        shown[name] for name in ("estimate", "interval", "bound")
    )
    assert [check["status"] for check in verdict.detail["checks"]] == statuses


def test_combine_keeps_a_common_n_and_needs_a_check():
    assert combine([verdict_of(HOLDS, 7), verdict_of(HOLDS, 7)]).n == 7
    assert combine([verdict_of(HOLDS, 7), verdict_of(UNDECIDED, 8)]).n == 8  # that of the check shown
    assert combine([verdict_of(HOLDS), verdict_of(HOLDS)], trials=60).trials == 60
    with pytest.raises(ArgumentError):
        combine([])
