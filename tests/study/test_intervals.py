import itertools
from math import inf, isnan, log, sqrt

import numpy as np
import pytest
from scipy.stats import binom, t

from workbench.errors import ArgumentError
from workbench.study.intervals import (
    bootstrap_interval,
    bracket_of,
    clopper_pearson,
    crossing,
    local_slope,
    median_ratio_interval,
)
from workbench.study.profiles import CONTRACT_LEVEL, claim_level


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


@pytest.mark.parametrize("p", [0.01, 0.1, 0.37, 0.5, 0.99])
def test_clopper_pearson_misses_at_most_at_its_level_by_enumeration(p):
    n, level = 60, 0.02
    intervals = [clopper_pearson(k, n, level) for k in range(n + 1)]
    missed = [k for k, (low, high) in enumerate(intervals) if not low <= p <= high]
    assert binom.pmf(missed, n, p).sum() <= level


@pytest.mark.parametrize(
    "arguments", [(-1, 5, 0.1), (6, 5, 0.1), (0, 0, 0.1), (1, 5, 0), (1, 5, 1), (0.5, 5, 0.1)]
)
def test_clopper_pearson_refuses_what_is_no_count(arguments):
    with pytest.raises(ArgumentError):
        clopper_pearson(*arguments)


# --- bootstrap -------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.1, 1e-3, claim_level()])
@pytest.mark.parametrize("n", [8, 40, 400])
def test_bootstrap_of_a_mean_against_student(n, level):
    x = generator().normal(3, 2, size=n)
    half = t.isf(level / 2, n - 1) * x.std(ddof=1) / sqrt(n)
    low, high = bootstrap_interval(np.mean, x, level, generator(), 4000)
    assert (low, high) == pytest.approx((x.mean() - half, x.mean() + half), abs=0.1 * half)


@pytest.mark.daily
def test_bootstrap_of_a_median_covers_against_theory():
    rng, runs, level = generator(), 300, 0.05
    intervals = [
        bootstrap_interval(np.median, rng.exponential(size=60), level, rng, 200) for _ in range(runs)
    ]
    misses = sum(not low <= log(2) <= high for low, high in intervals)
    assert binom.sf(misses - 1, runs, 1.5 * level) > CONTRACT_LEVEL  # a bootstrap: about, not at most
    assert binom.cdf(misses, runs, level / 5) > CONTRACT_LEVEL


def test_bootstrap_resamples_clusters_whole():
    shared = np.repeat(generator().normal(size=30), 20)  # 30 independent numbers, each seen 20 times
    labels = np.repeat(np.arange(30), 20)
    low, high = bootstrap_interval(np.mean, shared, 0.05, generator(), clusters=labels)
    alone = bootstrap_interval(np.mean, shared[::20], 0.05, generator())
    assert (low, high) == pytest.approx(alone)
    naive = bootstrap_interval(np.mean, shared, 0.05, generator())
    assert high - low > 3 * (naive[1] - naive[0])


def test_bootstrap_is_reproducible_and_leaves_the_data_alone():
    x = generator().normal(size=50)
    before = x.copy()
    first = bootstrap_interval(np.mean, x, 0.05, generator())
    assert first == bootstrap_interval(np.mean, x, 0.05, generator())
    assert (x == before).all()


def test_bootstrap_knows_nothing_from_one_cluster():
    assert bootstrap_interval(np.mean, [1.0, 2.0], 0.05, generator(), clusters=[0, 0]) == (-inf, inf)


def test_a_few_infinite_errors_are_survived_by_a_median_and_not_hidden_from_a_mean():
    x = np.r_[generator().exponential(size=97), [inf] * 3]
    assert np.isfinite(bootstrap_interval(np.median, x, 1e-3, generator())).all()
    assert all(map(isnan, bootstrap_interval(np.mean, x, 1e-3, generator())))


def test_undefined_resamples_count_against_both_ends():
    x = np.arange(20.0)
    interval = bootstrap_interval(lambda v: v.mean() if 0 in v else np.nan, x, 0.05, generator())
    assert interval == (-inf, inf)  # a third of the resamples lack the 0


def test_bootstrap_refuses_wrong_shapes_and_too_few_resamples():
    with pytest.raises(ArgumentError, match="one label for each"):
        bootstrap_interval(np.mean, [1, 2, 3], 0.05, generator(), clusters=[0, 1])
    with pytest.raises(ArgumentError, match="resamples"):
        bootstrap_interval(np.mean, [1, 2, 3], 0.05, generator(), 10)


# --- ratios and slopes -----------------------------------------------------------------------------


def test_a_ratio_of_paired_medians_uses_the_pairing():
    rng = generator()
    b = rng.exponential(size=300)
    a = 1.25 * b * rng.uniform(0.98, 1.02, size=300)
    low, high = median_ratio_interval(a, b, 1e-3, generator())
    assert 1.2 < low < 1.25 < high < 1.3
    unpaired = median_ratio_interval(rng.permutation(a), b, 1e-3, generator())
    assert unpaired[1] / unpaired[0] > 1.2


def test_exchanging_the_pair_inverts_the_ratio():
    a, b = generator().exponential(size=(2, 100))
    low, high = median_ratio_interval(a, b, 0.01, generator())
    assert median_ratio_interval(b, a, 0.01, generator()) == pytest.approx((1 / high, 1 / low))


def test_a_ratio_of_infinite_or_zero_medians_is_undefined_and_silent():
    for value in (inf, 0.0):
        a = np.full(10, value)
        assert all(map(isnan, median_ratio_interval(a, a, 0.01, generator())))
    with pytest.raises(ArgumentError):
        median_ratio_interval([1, 2], [1, 2, 3], 0.01, generator())


def test_the_local_slope_of_two_points_is_the_secant():
    assert local_slope([100, 400], [7.0, 7.0 / 8]) == pytest.approx(-1.5)
    assert isnan(local_slope([1, 2, 3], [1.0, inf, inf])) or not np.isfinite(local_slope([1, 2], [0.0, 1.0]))


# --- crossing --------------------------------------------------------------------------------------

NS = (100, 200, 400, 800)


def test_crossing_interpolates_in_log_n():
    found = crossing(NS, [0, 50, 100, 100], 100, 0.75, level=0.05, rng=generator())
    assert found.estimate == pytest.approx(200 * sqrt(2))


def test_crossing_pools_what_is_not_monotone():
    pooled = crossing(NS, [0, 60, 40, 100], 100, 0.75, level=0.05, rng=generator())
    assert pooled == crossing(NS, [0, 50, 50, 100], 100, 0.75, level=0.05, rng=generator())[:1] + pooled[1:]


@pytest.mark.parametrize(
    ("successes", "bracket"),
    [([0, 0, 0, 2], (800, inf)), ([99, 100, 100, 100], (0, 100)), ([50, 50, 50, 50], (0, inf))],
)
def test_a_grid_that_does_not_bracket_gives_a_one_sided_bound(successes, bracket):
    found = crossing(NS, successes, 100, 0.75 if successes[0] != 50 else 0.5, level=1e-3, rng=generator())
    assert isnan(found.estimate)
    assert found.interval == found.bracket == bracket


def test_a_crossing_near_the_edge_has_an_open_interval():
    found = crossing(NS, [0, 5, 40, 77], 100, 0.75, level=1e-3, rng=generator())
    assert 400 < found.estimate < 800
    assert found.interval[1] == inf


def success(n):
    """Return a success probability that is linear in log n between the grid's points; .6 at 283."""
    return np.interp(np.log(n), np.log(NS), [0.2, 0.4, 0.8, 0.95])


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


@pytest.mark.parametrize("factor", [1 / 2, 2])
def test_the_interval_of_a_crossing_rejects_a_wrong_n(factor):
    rng = generator()
    for _ in range(20):
        hits = rng.binomial(400, success(NS))
        low, high = crossing(NS, hits, 400, 0.6, level=1e-3, rng=rng, resamples=200).interval
        assert not low <= factor * 200 * sqrt(2) <= high


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


def test_a_jump_from_never_to_always_still_varies():
    found = crossing(NS, [0, 0, 20, 20], 20, 0.5, level=0.05, rng=generator())
    assert found.interval[0] < 0.99 * found.estimate < 1.01 * found.estimate < found.interval[1]
    assert found.bracket == (200, 400)


@pytest.mark.parametrize(
    "change",
    [{"ns": (100,)}, {"ns": (2, 1)}, {"ns": (0, 1)}, {"successes": (0, 11)}, {"target": 1.0}, {"level": 0.0}],
)
def test_crossing_refuses_what_is_no_grid(change):
    arguments = {"ns": (1, 2), "successes": (0, 10), "trials": 10, "target": 0.5, "level": 0.05} | change
    with pytest.raises((ArgumentError, ValueError)):
        crossing(**arguments, rng=generator())
