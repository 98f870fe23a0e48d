"""The error of a candidate that the exponential mechanism chooses from a grid, from public numbers.

Scores are those of the population round a place that sampling moves; the mean lies in the middle between
candidates, where a grid errs most.
"""

from collections.abc import Callable

import numpy as np

from workbench.estimators.parts.foreseen import chosen, weighted_median
from workbench.estimators.parts.nets.direction_net import grid
from workbench.types import Array

SHIFTS, SEED = 32, 14  # fixed and public


def median_on_grid(
    d: int, reach: float, step: float, spread: float, weigh: Callable[[Array], Array]
) -> float:
    """Return the median distance of the chosen point from the mean, all in one unit.

    `spread` is the sd of a coordinate of the place where scores are highest, `weigh` the log of the weight of
    points at given distances from it.
    """
    points = grid(d, reach, step)
    spacing = 2 * reach / (round(len(points) ** (1 / d)) - 1)
    places = points - spacing / 2
    shifts = np.random.default_rng(SEED).standard_normal((SHIFTS, d)) * spread
    chances = [chosen(weigh(np.linalg.norm(places - shift, axis=1))) for shift in shifts]
    return weighted_median(np.linalg.norm(places, axis=1), np.mean(chances, axis=0))
