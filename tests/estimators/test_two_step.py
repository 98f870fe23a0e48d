"""Means of a column, clipped or in two steps: equal rows are found, others move them as far as they say."""

import re
from math import hypot

import numpy as np
import pytest
from scipy.optimize import linprog

from tests.estimators.streams import rng
from workbench import ApproxDP, ClippedMean, CoordinatewiseMean, Median, PureDP, TwoStepMean, UnboundedMean
from workbench.estimators import two_step

PURE, APPROX = PureDP(1.0), ApproxDP(1.0, 1e-6)


@pytest.mark.parametrize(
    ("estimator", "budget", "d"),
    [
        (TwoStepMean(radius=200.0, sigma=2.0), PURE, 1),
        (TwoStepMean(radius=200.0, sigma=2.0), PureDP(0.1), 1),
        (UnboundedMean(sigma=2.0), APPROX, 1),
        (CoordinatewiseMean(radius=(200.0, 2000.0), sigma=(2.0, 20.0)), PURE, 2),
    ],
    ids=lambda value: type(value).__name__,
)
def test_equal_rows_are_found(estimator, budget, d):
    """A run errs by more than .05 sigma with probability .02; without a stretch nine of ten do."""
    missed, place = 0, np.array([7.7, -77.0])[:d]
    for seed in range(40):
        value = estimator(np.full((1000, d), place), budget=budget, rng=rng(seed)).value
        missed += bool((np.abs(value - place) > 0.05 * np.array([2.0, 20.0])[:d]).any())
    assert missed <= 8


@pytest.mark.daily
@pytest.mark.parametrize("clip", [0.4, 1.1, 1.9, 3.0])
def test_the_bias_of_a_huber_step_is_that_of_the_worst_distribution(clip):
    """Over distributions on a grid, of mean 0 and variance 1 at most, and centres from quantile .4 to .6."""
    grid, most = np.concatenate([np.arange(-40, -5), np.arange(-5, 5, 0.05), np.arange(5, 41)]), 0.0
    for centre in np.arange(-1.3, 1.31, 0.1):
        x = np.append(grid, [centre - clip, centre + clip, centre, centre - 0.0201, centre + 0.0201])
        outside = [x**2, x < centre - two_step.STRETCH, x > centre + two_step.STRETCH]
        gain, limits = np.clip(x - centre, -clip, clip), [1.0, 0.6, 0.6]
        found = linprog(-gain, np.array(outside, float), limits, np.array([np.ones_like(x), x]), [1.0, 0.0])
        if found.success:
            most = max(most, centre + two_step.uncentred(-found.fun, clip))
    table = dict(zip(two_step.CLIPS, two_step.BIASES, strict=True))
    assert table[clip] - 0.03 <= most <= table[clip]


def test_a_median_says_how_far_from_equal_rows_it_may_be():
    """No stretch finds them: it is anywhere within its window, and half of it is that far."""
    median = Median(radius=200.0, sigma=2.0)
    (far,) = re.findall(r"up to (\S+) from it", median.other_rows(1000, 1, PURE))
    rows = np.full(1000, 7.7)
    apart = [abs(float(median(rows, budget=PURE, rng=rng(seed))) - 7.7) for seed in range(40)]
    assert float(far) / 2 < max(apart) <= float(far)


def test_a_bound_of_a_location_is_no_shorter_than_its_range_allows():
    """With hardly any budget the median is anywhere in its range."""
    assert Median(radius=0.01, sigma=1.0).error_bound(100, 1, PureDP(0.01), 0.05) >= 0.009


def said(estimator, n, d, budget):
    return float(re.search(r"up to (\S+) more", estimator.other_rows(n, d, budget)).group(1))


def two_valued(share, n=1000):
    """A column of mean 0 and standard deviation 1, of which this share is large."""
    large = np.arange(n) < int(share * n)
    return (large - large.mean()) / large.std()


END = 10.0  # of the range, where the mean lies
TIGHT = ClippedMean(radius=END, sigma=1.0)
PAPER = ClippedMean(radius=END, sigma=1.0, calibration="paper")
BEYOND, FURTHER = (one.bound(1000, PURE) - END for one in (TIGHT, PAPER))
CLIPPED = (1 - BEYOND / hypot(1, BEYOND)) / 2  # the share of Scarf's worst
TWO, RARE = TwoStepMean(radius=100.0, sigma=1.0), two_valued(0.043, 10_000)
SOURCE = TwoStepMean(radius=100.0, sigma=1.0, calibration="paper")


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("estimator", "budget", "x", "least"),
    [  # the worst that the proof knows, or that a search found; `least` of what is said is reached
        (TIGHT, PURE, END + two_valued(CLIPPED), 0.9),
        (PAPER, PURE, END + two_valued(1 / (1 + FURTHER**2)), 0.9),
        (TWO, PURE, two_valued(0.078), 0.6),
        (TWO, PURE, two_valued(0.5), 0.0),
        (TWO, PureDP(0.1), two_valued(0.434), 0.5),
        (SOURCE, PureDP(4.0), two_valued(6e-4, 10_000), 0.2),
        (UnboundedMean(sigma=1.0), APPROX, RARE, 0.7),
        (CoordinatewiseMean(sigma=1.0), APPROX, np.outer(RARE, [1, -1]), 0.5),
    ],
)
def test_a_column_moves_a_mean_as_far_as_it_says_and_no_further(estimator, budget, x, least):
    n, d = x.shape if x.ndim == 2 else (len(x), 1)
    runs = [estimator(x, budget=budget, rng=rng(seed)).value for seed in range(41)]
    error = np.median(np.linalg.norm(np.reshape(runs, (41, d)) - x.reshape(n, d).mean(axis=0), axis=1))
    limit = said(estimator, n, d, budget)
    assert least * limit <= error <= limit + estimator.predicted_error(n, d, budget)
