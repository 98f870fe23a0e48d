"""A proved bound on how far a window-median position is from the population's median.

By Dvoretzky-Kiefer-Wolfowitz-Massart the sample's distribution function is within D of F everywhere, so
the score divided by n is within 2D of the population's. On that event

    P(|t - median| > h) ≤ (length · e^(-εn(g(h) - 2D)/2) + M e^(-εn/2)) / max_r (r e^(-εn(g(r) + 2D)/2)),

with g the population's score, `length` that of the range, or of all non-empty windows together, and M the
weight of the bottom (0 with a range). A bottom counts as an infinite error.
"""

from collections.abc import Callable
from math import inf, log, sqrt

import numpy as np

from workbench.estimators.parts.locate.law import population_score
from workbench.estimators.parts.locate.window_median import ROUNDING, WindowMedian, selection_epsilon
from workbench.privacy import Budget
from workbench.types import Array

_RADII = np.geomspace(1e-6, 60.0, 3000)


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
    log_inside = float((np.log(_RADII) - half * (furthest + 2 * deviation)).max())
    if locator.low is not None and locator.high is not None:
        log_outside = log(locator.high - locator.low) - half * (nearest - 2 * deviation)
    else:
        log_length = log(n * (locator.left + locator.right + ROUNDING))
        log_windows = log_length - half * (nearest - 2 * deviation)
        log_outside = np.logaddexp(log_windows, locator.log_bottom(cost) - half)
    enough = log_outside - log_inside <= log(beta)
    return float(_RADII[np.argmax(enough)]) if enough.any() else inf
