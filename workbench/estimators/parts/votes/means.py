"""Means of groups as points that vote: which two are close in Euclidean distance, and the designs of votes.

AL22 Proposition 7.1. Point i is the mean of a group of rows. Points i and j are friends if |Y_i - Y_j| ≤ ρ,
from their difference. A point longer than 1e8 ρ is nobody's friend but its own: an average of such points is
not known to a small share of ρ. Most pairs in more than one dimension are settled by inner products in the
frame of a reference point, which differ from the exact squares by less than the margin left.

Designs, for rows of unit scale:

    (1) for groups of s rows of N(m, I), |Y_i - Y_j| = √(2/s) χ_d: its quantiles are exact
    (2) of all designs the one with the narrowest mask, priced with its vote              `parts.votes.design`

"paper": the source's thresholds and constants (`parts.votes.paper`).
"""

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.votes.design import FAR, Designer, fewest, norm_moves
from workbench.estimators.parts.votes.paper import mean_design
from workbench.estimators.parts.votes.vote import Design, counted
from workbench.linalg import norms
from workbench.privacy import ApproxDP
from workbench.special import chdtri
from workbench.types import Array

FARTHEST = 1e8  # the largest length of a usable point, in units of ρ
NEAR, MARGIN, COLUMNS = 1e3, 1e-6, 1000  # where inner products are trusted, in units of ρ, and how far
AT_ONCE = 2**18  # differences that are formed at a time


@dataclass(frozen=True)
class Points:
    """The points, shape (k, d), of which `limit` says how large they may be."""

    values: Array
    limit: float

    @property
    def lengths(self) -> Array:
        """How long each point is."""
        return norms(self.values)

    @property
    def usable(self) -> np.ndarray:
        """Which points are in range."""
        return np.asarray(self.lengths <= FARTHEST * self.limit)

    @property
    def nothing(self) -> Array:
        """The origin."""
        return np.zeros(self.values.shape[1])

    def friends(self, limit: float) -> np.ndarray:
        """Return for each point how many are its friends at ρ = `limit`, itself among them."""
        usable = self.usable
        counts = np.ones(len(self.values), np.int64)
        counts[usable] = self.within(self.values[usable], limit)
        return counts

    @staticmethod
    def within(values: Array, limit: float) -> np.ndarray:
        """Return how many of these points are within ρ of each."""
        if not len(values):
            return np.zeros(0, np.int64)
        return on_a_line(values[:, 0], limit) if values.shape[1] == 1 else _in_space(values, limit)

    def average(self, weights: Array) -> Array:
        """Return Σ w Y/Σ w, shape (d,); weights are 0 where a point is not usable."""
        taken = weights > 0
        values = self.values[taken]
        return np.asarray(values[0] + weights[taken] @ (values - values[0]) / weights.sum())


def _in_space(values: Array, limit: float) -> np.ndarray:
    around = values - np.median(values, axis=0)
    squares = np.vecdot(around, around)
    near, left = squares <= (NEAR * limit) ** 2, margin(values.shape[1])
    one = np.ones(len(values))
    first, second = np.c_[-2 * around, squares, one], np.c_[around, one, squares]

    def close(rows: slice) -> np.ndarray:
        later = slice(rows.start, None)
        found = first[rows] @ second[later].T
        known = near[rows, None] & near[later]
        sure = known & (found <= (1 - left) * limit**2)
        open_ = ~sure & ~(known & (found > (1 + left) * limit**2))
        i, j = np.nonzero(np.triu(open_, 1))
        sure[i, j] = _differ_by(values, i + rows.start, j + rows.start, limit)
        return np.asarray(sure)

    return counted(len(values), close)


def margin(d: int) -> float:
    """Return how far from ρ², relative to it, inner products of d entries may be off and more."""
    return MARGIN * max(1.0, d / COLUMNS)


def on_a_line(values: Array, limit: float) -> np.ndarray:
    """Return how many numbers are within ρ of each."""
    ordered = np.sort(values)
    below = np.searchsorted(ordered, values - limit, side="left")
    return np.asarray(np.searchsorted(ordered, values + limit, side="right") - below)


def _differ_by(values: Array, first: np.ndarray, second: np.ndarray, limit: float) -> np.ndarray:
    found = np.zeros(len(first), bool)
    step = max(1, AT_ONCE // values.shape[1])
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        gaps = values[first[part]] - values[second[part]]
        found[part] = np.vecdot(gaps, gaps) <= limit**2
    return found


SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)  # rows of a group


@lru_cache(maxsize=4096)
def design(n: int, d: int, budget: ApproxDP, beta: float) -> Design:
    """Return the best design for n rows of unit scale; raise where they are too few for any."""
    best = _designer(d).best(n, budget, beta)
    if best is None:
        raise ArgumentError("n", n, f"at least {fewest_rows(d, budget, beta)} for d = {d} at {budget}")
    return best


@lru_cache(maxsize=256)
def fewest_rows(d: int, budget: ApproxDP, beta: float) -> int:
    """Return the fewest rows that have a design."""
    return fewest(lambda n: _designer(d).enough(n, budget, beta), 32)


def _designer(d: int) -> Designer:
    return Designer("gaussian", norm_moves, lambda s: limits(d, s), SIZES, joint=True)


def limits(d: int, size: int) -> tuple[float, ...]:
    """Return ρ of step (1) for each p."""
    return tuple(sqrt(2 / size * float(chdtri(d, far))) for far in FAR)


def design_of(n: int, d: int, budget: ApproxDP, beta: float, alpha: float, calibration: str) -> Design:
    """Return the design of a calibration; `alpha`, in units of the scale, is what the source's aims at."""
    if calibration == "paper":
        return mean_design(n, d, budget, beta, alpha)
    return design(n, d, budget, beta)
