"""Where a window-median position is: its law on a large sample, for designs, and a bound that is proved.

By Dvoretzky-Kiefer-Wolfowitz-Massart the sample's distribution function is within D ≥ 1/(4n) of F everywhere,
so the score divided by n is within 2D of the population's. On that event

    P(|t - median| > h) ≤ (length · e^(-εn(g(h) - 2D)/2) + M e^(-εn/2)) / max_r (r e^(-εn(g(r) + 2D)/2)),

with g the population's score, `length` that of the range, which r is at most, or of all non-empty windows
together, and M the weight of the bottom (0 with a range). A bottom counts as an infinite error.
"""

from collections.abc import Callable
from functools import lru_cache
from math import exp, inf, log, sqrt

import numpy as np

from workbench.estimators.parts.locate.window_median import WindowMedian, selection_epsilon
from workbench.privacy import Budget
from workbench.types import Array

_SIZES = np.geomspace(1e-9, 60.0, 1200)
_OFFSETS = np.concatenate([-_SIZES[::-1], _SIZES])
_LOG_STEP = np.log(np.abs(_OFFSETS)) + log(log(_SIZES[1] / _SIZES[0]))  # du = |u| d ln|u|

_RADII = np.geomspace(1e-6, 60.0, 3000)


@lru_cache(maxsize=1024)
def location_law(
    locator: WindowMedian, n: int, cost: Budget, cdf: Callable[[Array], Array], far: float
) -> tuple[Array, Array, float]:
    """Return offsets from the median, their probabilities given |offset| ≤ far, and the chance of the rest.

    `cdf` is that of the points, with median 0; the population's score stands in for the sample's. The rest
    is the mass beyond `far` and, without a range, the bottom.
    """
    epsilon, u = selection_epsilon(cost), _OFFSETS
    log_weight = _LOG_STEP - epsilon * n / 2 * _scores(locator, cdf)
    log_rest = locator.log_measure(cost)
    if locator.low is not None and locator.high is not None:
        width = locator.high - locator.low
        log_weight[np.abs(u) > max(width / 2, _SIZES[0])] = -inf
        log_rest = log(width - 2 * _SIZES[-1]) if width > 2 * _SIZES[-1] else -inf
    log_rest -= epsilon * n / 2 * (1.0 if locator.low is None else _far_score(locator, cdf))
    peak = max(float(log_weight.max()), log_rest)
    weight, near = np.exp(log_weight - peak), np.abs(u) <= far
    found, missed = float(weight[near].sum()), float(weight[~near].sum()) + exp(log_rest - peak)
    return u[near], weight[near] / found if found else weight[near], missed / (found + missed)


@lru_cache(maxsize=64)
def _scores(locator: WindowMedian, cdf: Callable[[Array], Array]) -> Array:
    return population_score(locator, _OFFSETS, cdf)


def population_score(locator: WindowMedian, u: Array, cdf: Callable[[Array], Array]) -> Array:
    """Return lim m(u)/n: the largest of 1/2 - F(u + τ), F(u - τ) - 1/2 and the mass outside u's window."""
    outside = 1 - (cdf(u + locator.right) - cdf(u - locator.left))
    depth = np.maximum(0.5 - cdf(u + locator.stretch), cdf(u - locator.stretch) - 0.5)
    return np.asarray(np.maximum(depth, outside))


def _far_score(locator: WindowMedian, cdf: Callable[[Array], Array]) -> float:
    """Return the score far from the points: 1, or 1/2 where the window holds everything."""
    return float(population_score(locator, _SIZES[-1:], cdf)[0])


def uniform_deviation(n: int, beta: float) -> float:
    """Return D = √(ln(2/β)/(2n)): sup |F_n - F| exceeds it with probability at most beta (Massart 1990)."""
    return sqrt(log(2 / beta) / (2 * n))


def located_within(
    locator: WindowMedian, n: int, cost: Budget, beta: float, cdf: Callable[[Array], Array], deviation: float
) -> float:
    """Return an h that |position - median| exceeds with probability at most beta, given the deviation D."""
    half = selection_epsilon(cost) * n / 2
    right, left = population_score(locator, _RADII, cdf), population_score(locator, -_RADII, cdf)
    nearest = np.minimum.accumulate(np.minimum(right, left)[::-1])[::-1]
    furthest = np.maximum.accumulate(np.maximum(right, left))
    inside = _RADII
    if locator.low is not None and locator.high is not None:
        inside = np.minimum(_RADII, locator.high - locator.low)
        log_outside = log(locator.high - locator.low) - half * (nearest - 2 * deviation)
    else:
        log_length = log(n * locator.window)
        log_windows = log_length - half * (nearest - 2 * deviation)
        log_outside = np.logaddexp(log_windows, locator.log_bottom(cost) - half)
    log_inside = float((np.log(inside) - half * (furthest + 2 * deviation)).max())
    enough = log_outside - log_inside <= log(beta)
    return float(_RADII[np.argmax(enough)]) if enough.any() else inf
