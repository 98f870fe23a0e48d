"""Confidence intervals, means within bounds, and private scales: misses, widths, absent rows."""

from bisect import bisect_left, bisect_right
from functools import partial
from math import inf
from unittest.mock import Mock

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, stdtr

from tests.estimators.streams import holes, rng
from workbench import (
    ZCDP,
    ApproxDP,
    ArgumentError,
    BoundedMean,
    ClippedMean,
    Count,
    GaussianDP,
    Histogram,
    Interval,
    IntervalMean,
    IntervalUnknownVariance,
    PureDP,
    Scale,
    TwoStepMean,
    UnboundedMean,
)
from workbench.contracts.lone_row import exact, noise_of
from workbench.distributions import Counts
from workbench.estimators import bounded, intervals
from workbench.estimators.scale import Winsor, exponents, pair_differences
from workbench.estimators.shared.noisy_means import SURE
from workbench.estimators.shared.rows import present

APPROX, FAR = ApproxDP(1.0, 1e-6), 50.0


@pytest.mark.daily
@pytest.mark.parametrize(
    ("estimator", "n", "budget", "absent"),
    [
        (Interval(sigma=1.0), 1500, APPROX, 0.0),
        (Interval(sigma=1.0), 4000, ApproxDP(0.3, 1e-6), 0.0),
        (Interval(sigma=1.0, level=0.01), 400, ZCDP(0.5, 1e-6), 0.2),
        (IntervalUnknownVariance(), 1500, APPROX, 0.0),
        (IntervalUnknownVariance(level=0.2), 400, ApproxDP(2.0, 1e-6), 0.0),
        (IntervalUnknownVariance(level=0.2), 400, ZCDP(1.0, 1e-3), 0.3),
        (UnboundedMean(sigma=1.0), 400, ApproxDP(1.0, 1e-3), 0.0),
        (ClippedMean(sigma=1.0, radius=5.0, centre=1.0), 400, PureDP(1.0), 0.0),
        (TwoStepMean(sigma=1.0, radius=5.0, calibration="paper"), 400, PureDP(4.0), 0.0),
    ],
)
def test_the_chance_of_a_miss_given_the_noise_is_at_most_the_level(estimator, n, budget, absent):
    """On 300 fresh runs: a chance that is the level is found too large once in 10^6."""
    rng, unknown = np.random.default_rng(11), isinstance(estimator, IntervalUnknownVariance)
    level, there = getattr(estimator, "level", 0.05), n - round(absent * n)
    z, missed = rng.standard_normal((300, n)), []
    z[:, there:] = np.nan
    for x in z:
        release = estimator(x, budget=budget, rng=rng)
        value = release.interval(1 - level) if hasattr(estimator, "interval_reach") else release.value
        if value.high < inf:
            spread = np.nanstd(x, ddof=1) if unknown else 1.0
            apart = np.sqrt(there) * (np.array([value.low, value.high]) - np.nanmean(x)) / spread
            low, high = stdtr(there - 1, apart) if unknown else ndtr(apart)
            missed.append(1 + low - high)
    assert len(missed) > 270
    assert np.mean(missed) <= level + 4.75 * np.std(missed) / np.sqrt(len(missed))


INTERVALS = [Interval(level=0.2, sigma=1.0), IntervalUnknownVariance(level=0.2)]


@pytest.mark.parametrize("estimator", INTERVALS, ids=repr)
def test_a_bound_on_a_width_is_that_of_all_rows_if_noise_may_pass_for_absent_ones(estimator, monkeypatch):
    monkeypatch.setattr(Scale, "error_bound", lambda *_: 0.0)
    monkeypatch.setattr(intervals, "critical_value", lambda *_: 1.0)
    ask = 600, 1, ZCDP(1.0, 1e-3)
    assert estimator.error_bound(*ask, SURE / 4) == inf
    assert estimator.error_bound(*ask, 0.1) < inf


@pytest.mark.parametrize("budget", [PureDP(1.0), ZCDP(0.1), ApproxDP(1.0, 1e-6)], ids=str)
@pytest.mark.parametrize("n", [1, 500])
def test_within_bounds_an_interval_is_that_of_the_bounded_mean_where_the_other_cannot_be(budget, n):
    x, bounds = rng(5).uniform(-1, 3, size=n), {"low": -1.0, "high": 3.0}
    found = IntervalMean(level=0.1, **bounds)(x, budget=budget, rng=rng(6))
    mean = BoundedMean(**bounds)(x, budget=budget, rng=rng(6))
    assert (found.value, found.plan, found.other_rows) == (mean.interval(0.9), mean.plan, "")
    assert IntervalMean(**bounds).plan(2000, 1, APPROX) == IntervalMean().plan(2000, 1, APPROX)
    for wrong in ({"low": 1.0}, {"low": 1.0, "high": 0.0}):
        with pytest.raises(ArgumentError, match=r"^high = "):
            IntervalMean(**wrong)


@pytest.mark.parametrize("n", [8, 12, 20])
def test_an_interval_that_is_not_the_whole_line_has_a_width(n):
    # where most runs give no answer a critical value of all of them is 0: a point, which covers never
    assert Interval(level=0.1, sigma=1.0).half_width(n, ApproxDP(1.0, 1e-3)) > 0


# Private scales: what they make of absent rows.


def test_a_scale_among_all_floats_is_no_answer_where_most_pairs_are_equal():
    x = np.where(np.arange(400) % 10 < 8, FAR, rng().standard_normal(400))
    assert all(Scale()(x, budget=PureDP(1.0), rng=rng(seed)).abstained for seed in range(20))


def test_exponents_are_those_of_the_other_pairs():
    x, _ = holes(400)
    differences = pair_differences(x)
    keys, others = map(exponents, (differences, differences[present(differences)]))
    assert sorted(keys[present(keys)].tolist()) == sorted(others.tolist())
    recipe, draw = Scale(lower=1e-3, upper=1e3, calibration="paper"), Mock(side_effect=exact)
    recipe.exponent(x, recipe.plan(400, 1, PureDP(1.0))["exponent"], noise_of(discrete_laplace=draw))
    assert draw.call_args.args[0].sum() == len(others)


def test_variances_within_groups_are_those_of_the_other_rows():
    x = rng().normal(FAR, 2.0, 30)
    x[[3, 11, 12, 13, 14, 15, 16, 17, 18, 19]] = np.nan
    winsor = Winsor(10, 0.3, 2.5)
    found = winsor.ratios(x, 0.0)
    assert found[[0, 2]] == pytest.approx([np.var(np.delete(x[:10], 3), ddof=1), np.var(x[20:], ddof=1)])
    assert np.isnan(found[1])
    rest = np.clip(found[[0, 2]] / 4, 0.3, 2.5).sum() + float(winsor.mean(np.float64(1.0)))
    assert float(winsor.statistic(x, np.log(2.0))) + winsor.middle == pytest.approx(rest / 3, abs=1e-6)


# Counts, histograms and means within bounds: how often their intervals miss, and how wide they are.

BUDGETS = [PureDP(1.0), ApproxDP(1.0, 1e-6), ApproxDP(0.5, 0.2), ZCDP(0.5), GaussianDP(1.0)]
UNIT = BoundedMean(low=0.0, high=1.0)


@pytest.mark.turns(6)
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5])
def test_the_interval_of_a_count_misses_with_the_level_at_most_and_not_much_less(budget, share):
    """By enumeration of what is released: ends that are drawn in by a row and a half miss too often.

    Rounded Gaussian noise has its own law.
    """
    charge, released = Count().plan(40, 1, budget), np.arange(41.0)
    near, law = 0.5 if charge.mechanism == "gaussian" else 0.0, stats.binom.pmf(released, 40, share)
    at_least = [law @ bounded.survival(c - near - released, charge) for c in released]
    found = [Count().interval(Counts(np.array([c]), 40), 40, budget, 0.05) for c in released]
    outside = [not one.contains(40 * share) for one in found]
    chance = -np.diff([1.0, *at_least[1:], 0.0]) @ outside
    assert chance <= 0.05 + 1e-12
    assert share != 0.5 or chance > 0.02


@pytest.mark.turns(6)
@pytest.mark.parametrize(
    "budget", [BUDGETS[0], *(pytest.param(one, marks=pytest.mark.daily) for one in BUDGETS[1:])]
)
@pytest.mark.parametrize("values", [[0.0, 1.0, 1.0], [0.0], [0.0, 0.0, 0.0, 0.1, 1.0], [0.5]])
def test_the_interval_of_a_mean_covers_whatever_the_distribution(budget, values):
    """Of 300 runs more than 31 miss with probability below 1e-4 if each does with .05 at most."""
    rng, share = np.random.default_rng(5), np.mean(values)
    found = sorted(float(UNIT(rng.choice(values, 60), budget=budget, rng=rng)) for _ in range(300))
    first, last = (
        end(found, share, key=lambda mean, name=name: getattr(UNIT.interval(mean, 60, budget, 0.05), name))
        for end, name in ((bisect_left, "high"), (bisect_right, "low"))
    )
    assert 300 - (last - first) <= 31


def test_intervals_of_a_histogram_are_those_of_its_counts_at_a_part_of_the_level_each():
    """A row moves two counts: ε = 2 for both is ε = 1 for one."""
    counts = np.array([9.0, 0.0, 42.0])
    found = Histogram(edges=(0.2, 0.3)).interval(Counts(counts, 50), 50, PureDP(2.0), 0.15)
    assert found == tuple(
        Count().interval(Counts(counts[[i]], 50), 50, PureDP(1.0), 0.15 / 3) for i in range(3)
    )


# How often `IntervalMean` covers at worst: of what a search over piles, lattices, tails and far values found.


def lognormal(rng, size, sd=1.0, step=0.0):
    x = rng.lognormal(sigma=sd, size=size) / stats.lognorm(sd).std()
    return step * np.rint(x / step) if step else x


def few_far(rng, size):
    return np.where(rng.random(size) < 24 / 1200, 8.0, rng.standard_normal(size))


STEPS, SKEWED = "or skewed tail is rounded", "is as heavy as lognormal, or skewed; within"
WORST = [  # what is covered, at least and below
    (ApproxDP(8.0, 1e-6), 150, lognormal, SKEWED, 0.88, 0.94),
    (ZCDP(2.0, 1e-6), 270, lognormal, SKEWED, 0.88, 0.94),
    (APPROX, 1200, few_far, "fewer than 96 rows are far", 0.5, 0.7),
    (APPROX, 1200, partial(lognormal, step=2.0), STEPS, 0.65, 0.85),
    (APPROX, 1200, partial(lognormal, sd=1.5), "is heavier than lognormal", 0.87, 0.94),
]


@pytest.mark.turns(3)
@pytest.mark.parametrize(("budget", "n", "draw", "words", "least", "below"), WORST)
def test_what_is_covered_less_often_is_said_by_the_release(budget, n, draw, words, least, below):
    """Of 400 intervals; fewer than a share that is stated cover with a chance of 1e-4."""
    release = IntervalMean()(np.arange(float(n)), budget=budget, rng=rng(0))
    assert words in str(release)
    mean, covered = draw(rng(0), 100 * n).mean(), 0
    for sample in range(400):
        source = rng((5, sample, n))
        covered += IntervalMean()(draw(source, n), budget=budget, rng=source).value.contains(mean)
    assert stats.binom.isf(1e-4, 400, 1 - least) >= 400 - covered > 400 * (1 - below)
