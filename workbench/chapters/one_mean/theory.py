"""What Lecture 17's locations and means typically do: the predictions that measurements are compared with.

Predictions are no guarantees. Counts are taken to be normal and independent, and bins whose centres are
further than 2.5 from the mean to be empty; the mean is uniform on the range. A wrong location is, too.
"""

from collections.abc import Callable
from math import inf, pi, sqrt
from typing import Any

import numpy as np
from scipy.optimize import brentq

from workbench.bounds.search import smallest
from workbench.estimators.clipped import ClippedMean
from workbench.estimators.histograms import REACH, UnitHistogram
from workbench.estimators.shared import noisy_means
from workbench.estimators.shared.budgets import divided, mean_charge
from workbench.estimators.shared.noisy_means import half_width
from workbench.estimators.shared.window_median import WindowMedian, location_law
from workbench.estimators.two_step import SHARE, HistogramMean, WindowMean, sensitivity
from workbench.privacy import Budget, PureDP
from workbench.privacy.mechanisms import laplace_scale
from workbench.special import log_ndtr, ndtr
from workbench.types import Array

OFFSETS = (np.arange(16) + 0.5) / 16  # of the mean in its bin
NEAR = np.arange(-2, 3)  # the bins whose centres are within 2.5 of a mean in bin 0
QUANTILES = (np.arange(200) + 0.5) / 200


def sum_below(t: Array, sd: Array, scale: Array | float) -> Array:
    """Return P(N(0, sd²) + Lap(scale) ≤ t)."""
    ratio = sd / scale
    left = np.exp(ratio**2 / 2 - t / scale + log_ndtr(t / sd - ratio))
    right = np.exp(ratio**2 / 2 + t / scale + log_ndtr(-t / sd - ratio))
    return np.asarray(ndtr(t / sd) - (left - right) / 2)


def near_counts_below(levels: Array, n: int, scale: float, below: int = 3) -> Array:
    """Return, for every level, the chance that no noisy count near the mean exceeds it.

    `below` bins of the range lie below the mean's own; the lowest takes all rows further down. Three or more
    are like infinitely many.
    """
    bins = NEAR[-below <= NEAR]
    lower, upper = bins[:, None] - OFFSETS, bins[:, None] + 1 - OFFSETS
    if below < 3:
        lower[0] = -np.inf
    mass = (ndtr(upper) - ndtr(lower))[..., None]
    chance = sum_below(levels - n * mass, np.sqrt(n * mass * (1 - mass)), scale)
    return np.asarray(chance.prod(axis=0).mean(axis=0))


def range_failure(n: int, radius: float, epsilon: float) -> float:
    """Return the chance that the histogram on [-R, R] with Laplace noise misses by over 2.5."""
    scale, bins = 2 / epsilon, UnitHistogram(radius).bins
    # the chance that one empty bin exceeds a quantile of the largest of all empty ones
    above = -np.expm1(np.log(QUANTILES) / max(bins - len(NEAR), 1))
    upper, lower = np.minimum(2 * above, 1.0), np.maximum(2 * (1 - above), 1e-300)
    highest = np.where(above < 0.5, -scale * np.log(upper), scale * np.log(lower))
    failures = [float(near_counts_below(highest, n, scale, below).mean()) for below in range(4)]
    ends = np.clip(bins - 2 * np.arange(3), 0, 2) / bins  # 0, 1, 2 bins between the mean's own and the end
    return float(np.dot(np.append(ends, 1 - ends.sum()), failures))


def line_failure(n: int, threshold: float, epsilon: float) -> float:
    """Return the chance that no bin near the mean reaches the threshold: discrete noise, whole counts."""
    return float(near_counts_below(np.array([np.ceil(threshold) - 0.5]), n, 2 / epsilon)[0])


def window_failure(n: int, locator: WindowMedian, budget: Budget) -> float:
    """Return the chance that the window median misses by over 2.5, or abstains."""
    return location_law(locator, n, budget, ndtr, REACH)[2]


def rows_needed(failure: Callable[[int], float], beta: float) -> int:
    """Return the smallest n whose predicted chance of failure is at most beta; it falls with n."""
    return smallest(lambda n: failure(n) <= beta, start=2)


def clipped_error(n: int, radius: float, epsilon: float, calibration: Any) -> float:
    """Return the median absolute error of the clipped mean: a normal plus a Laplace variable."""
    estimator = ClippedMean(radius=radius, calibration=calibration, sigma=1.0)
    return half_width(0.5, 1 / sqrt(n), estimator.plan(n, 1, PureDP(epsilon))["mean"])


def two_step_error(n: int, radius: float, epsilon: float, calibration: str) -> float:
    """Return the median absolute error of the two-step mean, wrong locations included.

    The distance of two uniform points of [-R, R] exceeds t with probability (1 - t/(2R))².
    """
    quantile, failure = two_step_quantile(n, radius, PureDP(epsilon), calibration)
    if failure < 0.499:
        return quantile((0.5 - failure) / (1 - failure))
    return max(quantile(0.002), 2 * radius * (1 - sqrt(min(1.0, 0.5 / failure))))


def two_step_quantile(
    n: int, radius: float | None, budget: Budget, calibration: str
) -> tuple[Callable[[float], float], float]:
    """Return the error exceeded with a probability if the location is right, and the chance that it is not.

    Without a range only the tight mean is foreseen.
    """
    if calibration == "paper" and radius is not None and isinstance(budget, PureDP):
        charge = HistogramMean(radius, 0.05).plan(n, budget)["mean"]
        failure = range_failure(n, radius, SHARE * budget.epsilon)
        return (lambda share: half_width(share, 1 / sqrt(n), charge)), failure
    tail, failure = window_mean_tail(n, radius, budget)
    return (lambda share: float(brentq(lambda t: tail(t) - share, 0.0, 100.0, xtol=1e-6))), failure


def accuracy(n: int, radius: float | None, budget: Budget, calibration: str, beta: float) -> float:
    """Return the error exceeded with probability beta, wrong locations included; infinite where more are."""
    quantile, failure = two_step_quantile(n, radius, budget, calibration)
    return quantile((beta - failure) / (1 - failure)) if failure < 0.99 * beta else inf


def window_mean_tail(n: int, radius: float | None, budget: Budget) -> tuple[Callable[[float], float], float]:
    """Return P(|error| > t) of the tight two-step mean if the location is right, and how often it is not.

    A mixture over the location's offset of a normal and a Laplace variable, both stretched by the slope that
    the last step divides by; the location alone errs by its offset and that of the sample's median.
    """
    recipe = WindowMean(radius)
    design, median_sd = recipe.design(n, budget), sqrt(pi / (2 * n))
    locate, mean = divided(budget, design.share) if design.clip else (budget, budget)
    offsets, weights, failure = location_law(recipe.locator, n, locate, ndtr, noisy_means.FAR)
    if not design.clip:
        return lambda t: float(weights @ (ndtr((offsets - t) / median_sd) * 2)), failure
    apart = np.hypot(offsets, median_sd)
    slope = noisy_means.clipped_slope(apart, design.clip)
    sd = np.sqrt(noisy_means.clipped_variance(apart, design.clip) / n) / slope
    scale = laplace_scale(mean_charge("mean", sensitivity(n, design.clip), mean)) / slope
    return lambda t: float(weights @ (2 * sum_below(np.full_like(sd, -t), sd, scale))), failure
