"""Counts, histograms and means within bounds: how often their intervals miss, and how wide they are."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from workbench import ZCDP, ApproxDP, BoundedMean, Count, GaussianDP, Histogram, PureDP
from workbench.distributions import Counts
from workbench.estimators import bounded

BUDGETS = [PureDP(1.0), ApproxDP(1.0, 1e-6), ApproxDP(0.5, 0.2), ZCDP(0.5), GaussianDP(1.0)]
UNIT = BoundedMean(low=0.0, high=1.0)


def missed(n: int, share: float, budget, level: float = 0.05) -> float:
    """The exact chance that the interval of a count misses, but for rounded Gaussian noise by its own law."""
    charge = Count().plan(n, 1, budget)
    released = np.arange(n + 1.0)
    near = 0.5 if charge.mechanism == "gaussian" else 0.0
    at_least = [
        binom.pmf(np.arange(n + 1), n, share) @ bounded.survival(c - near - released, charge)
        for c in released
    ]
    chances = -np.diff([1.0, *at_least[1:], 0.0])
    inside = [
        Count().interval(Counts(np.array([c]), n), n, budget, level).contains(n * share) for c in released
    ]
    return float(chances @ ~np.array(inside))


@pytest.mark.turns(6)
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5])
def test_the_interval_of_a_count_misses_with_the_level_at_most_and_not_much_less(budget, share):
    """By enumeration of what is released: ends that are drawn in by a row and a half miss too often."""
    chance = missed(40, share, budget)
    assert chance <= 0.05 + 1e-12
    assert share != 0.5 or chance > 0.02


def test_without_noise_the_interval_of_a_count_is_that_of_clopper_and_pearson():
    found = Count().interval(Counts(np.array([7.0]), 30), 30, PureDP(60.0), 0.05)
    assert found.low / 30 == pytest.approx(beta.ppf(0.025, 7, 24), rel=1e-6)
    assert found.high / 30 == pytest.approx(beta.ppf(0.975, 8, 23), rel=1e-6)


def covering_means(share, budget):
    """The least and the largest released mean of 60 rows whose interval holds a share, to 2^-12."""

    def covered(mean):
        return UNIT.interval(mean, 60, budget, 0.05).contains(share)

    def end(outer, inner):
        for _ in range(0 if covered(outer) else 12):
            middle = (outer + inner) / 2
            outer, inner = (outer, middle) if covered(middle) else (middle, inner)
        return outer if covered(outer) else inner

    return end(0.0, share), end(1.0, share)


@pytest.mark.turns(6)
@pytest.mark.parametrize(
    "budget", [BUDGETS[0], *(pytest.param(one, marks=pytest.mark.daily) for one in BUDGETS[1:])]
)
@pytest.mark.parametrize("values", [[0.0, 1.0, 1.0], [0.0], [0.0, 0.0, 0.0, 0.1, 1.0], [0.5]])
def test_the_interval_of_a_mean_covers_whatever_the_distribution(budget, values):
    """Of 300 runs more than 31 miss with probability below 1e-4 if each does with .05 at most."""
    rng, values = np.random.default_rng(5), np.array(values)
    low, high = covering_means(values.mean(), budget)
    found = np.array([float(UNIT(rng.choice(values, 60), budget=budget, rng=rng)) for _ in range(300)])
    assert ((found < low) | (found > high)).sum() <= 31


@pytest.mark.parametrize("budget", BUDGETS)
def test_intervals_contain_what_is_released_at_the_ends_too(budget):
    for value in (0.0, 1e-9, 0.3, 1.0):
        assert UNIT.interval(value, 5, budget, 0.05).contains(value)
        count = Counts(np.array([round(value * 5.0)]), 5)
        assert Count().interval(count, 5, budget, 0.05).contains(float(count))


@pytest.mark.turns(6)
def test_all_intervals_of_a_histogram_cover_at_once():
    rng, histogram, shares = np.random.default_rng(3), Histogram(edges=(0.2, 0.3)), np.array([0.2, 0.1, 0.7])
    every = [Counts(first + np.arange(3.0), 52) for first in range(0, 51, 3)]
    spans = [one for counts in every for one in histogram.interval(counts, 50, PureDP(1.0), 0.05)]
    holds = np.array([[one.contains(50 * p) for p in shares] for one in spans])
    runs = [histogram(rng.random(50), budget=PureDP(1.0), rng=rng).value.counts for _ in range(200)]
    missing = sum(not holds[counts.astype(int), range(3)].all() for counts in runs)
    assert missing <= 24  # 25 or more of 200 have probability below 1e-4 at .05 each


def test_what_counts_where():
    rows, exact = [-1.0, 0.49, 0.5, 2.0, np.nan, np.inf], GaussianDP(1e6)
    rng = np.random.default_rng(0)
    assert float(Count()(rows, budget=exact, rng=rng)) == 2
    assert Count()(np.array([True, False, True]), budget=exact, rng=rng).value.shares.tolist() == [2 / 3]
    bins = Histogram(edges=(-1.0, 0.5))(rows, budget=exact, rng=rng)
    assert np.asarray(bins).tolist() == [0, 2, 2]
    mean = BoundedMean(low=0.0, high=2.0)(rows, budget=exact, rng=rng)
    assert float(mean) == pytest.approx((0 + 0.49 + 0.5 + 2 + 1 + 1) / 6, abs=1e-5)
