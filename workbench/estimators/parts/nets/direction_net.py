"""Public nets for one to three dimensions: directions to look along, and candidates to choose from.

Both are fixed before any row is seen, so that the privacy of what uses them does not depend on how fine they
are; a coarse net costs accuracy only. Directions are 1 on the line, 64 equal angles of the half-circle, and
150 Fibonacci points of the half-sphere. Candidates are the points of a grid on a box round 0. The error of
one that the exponential mechanism chooses is foreseen from public numbers: scores are those of the population
round a place that sampling moves, and the mean lies in the middle between candidates, where a grid errs most.
"""

from collections.abc import Callable
from functools import lru_cache
from math import ceil, pi, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import require_matrix
from workbench.estimators.parts.foreseen import chosen, weighted_median
from workbench.types import Array

MOST = 30_000  # candidates
ANGLES, POINTS = 64, 150
SHIFTS, SEED = 32, 14  # of places that sampling moves: fixed and public


def half_sphere(count: int) -> Array:
    """Return `count` Fibonacci points of the upper half of the unit sphere, shape (count, 3)."""
    height = (np.arange(count) + 0.5) / count
    turn = pi * (3 - sqrt(5)) * np.arange(count)
    width = np.sqrt(1 - height**2)
    return np.stack([width * np.cos(turn), width * np.sin(turn), height], axis=1)


@lru_cache(maxsize=4)
def directions(d: int) -> Array:
    """Return unit vectors of which v stands for -v too, shape (count, d)."""
    if d == 1:
        return np.ones((1, 1))
    if d == 3:
        return half_sphere(POINTS)
    angles = pi * np.arange(ANGLES) / ANGLES
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def projected(x: Array, direction: Array) -> Array:
    """Return ⟨x_i, v⟩ for every row: a function of the row alone, to the last bit."""
    total = x[:, 0] * direction[0]
    for column, weight in zip(x.T[1:], direction[1:], strict=True):
        total += column * weight
    return np.asarray(total)


def grid_size(d: int, reach: float, step: float) -> int:
    """Return the number of candidates, or raise if there are too many."""
    side = 2 * ceil(min(reach / step, MOST)) + 1
    if (size := int(side**d)) <= MOST:
        return size
    raise ArgumentError("step", step, f"larger: the grid would have more than {MOST} candidates")


@lru_cache(maxsize=8)
def grid(d: int, reach: float, step: float) -> Array:
    """Return the points of a grid on [-reach, reach]^d at most `step` apart, 0 among them; (count, d)."""
    grid_size(d, reach, step)
    line = np.linspace(-reach, reach, 2 * ceil(reach / step) + 1)
    return np.stack(np.meshgrid(*[line] * d, indexing="ij"), axis=-1).reshape(-1, d)


def boxed(x: Array, centre: Array, reach: float) -> Array:
    """Return the rows minus `centre`, every entry cut to ±reach: a fixed map of every row."""
    return np.asarray(np.clip(x - centre, -reach, reach))


def require_few_columns(n: int, d: int) -> None:
    """Raise unless there are rows of one to three columns."""
    require_matrix(n, d)
    if d > 3:
        raise ArgumentError("d", d, "1, 2 or 3: the net has a number of candidates that is exponential in d")


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
