import itertools
from math import inf, isnan, sqrt

import numpy as np
import pytest
from scipy.stats import binom, t

from workbench.study.intervals import (
    bootstrap_interval,
    bracket_of,
    clopper_pearson,
    crossing,
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
