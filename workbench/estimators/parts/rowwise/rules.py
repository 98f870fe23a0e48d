"""What `mean/robust` and `mean/robust-heavy` make of their releases; everything here is post-processing.

`NormalRule`: rows are compared with N(c, I).

With κ = the moment of rows kept within the cut (1 if nothing is cut), k the clipped moment of the whole ball,
m̄ = s/N:

    offset      u = m̄ + V Vᵀ m̄ (1/κ - 1)                       one Newton step: the cut shrinks an offset by κ
    suspect     eigenvectors of A/N - m̄ m̄ᵀ - k (I - (1 - κ) V Vᵀ) with a value above th(N) + (1 - κ)/4
    edges       quantiles of chi² with q degrees of freedom
    cut         with E_l = (rows at or above edge l, less the n t_l that are clean)/(1 - t_l), the estimated
                bad rows there: the largest edge with E_l at least min(best E - 2 sd, α n), where the search
                from outside ends once E reaches α n, or falls to less than half of a clear maximum

α n is the most that may be explained as bad: without this cap a law with lighter tails than the normal one is
cut too deep.

`BoundedRule`: rows of covariance at most I, of any shape:

    offset      u = m̄ = s/N: nothing is corrected
    suspect     eigenvectors of A/N - m̄ m̄ᵀ with a value above C + e, C = 1.1, e the noise of A/n
    edges       0, 1, 1.25, 1.25², .. up to r², of scores over q: their mean is the variance per direction
    cut         the largest edge below which the mean score is at most C q, raised until at most 2 α n rows
                go; none if that is the last one
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf, log

import numpy as np

from workbench.estimators.parts.normal_ball import clipped_moment, kept_moment
from workbench.estimators.parts.rowwise.design import RobustDesign, threshold
from workbench.estimators.parts.rowwise.row_filter import RowFilter
from workbench.estimators.shared.weighted_moments import Sums
from workbench.special import chdtri
from workbench.types import Array

TAILS = (0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01,
         5e-3, 2e-3, 1e-3, 1e-4, 1e-5, 1e-7)  # fmt: skip
SLACK = 0.25  # of the threshold where a cut is in force: rows that are not normal are cut otherwise
CLEAR = 3.0  # sd above 0 that a maximum needs to end the search


@dataclass(frozen=True)
class NormalRule:
    """The rule of a design."""

    design: RobustDesign

    @property
    def bins(self) -> int:
        """How many scores are counted."""
        return len(TAILS)

    def offset(self, row_filter: RowFilter, mean: Array) -> Array:
        """Return u."""
        basis, kappa = row_filter.basis, kept_moment(row_filter.rank, row_filter.cut)
        return np.asarray(mean + basis @ (basis.T @ mean) * (1 / kappa - 1))

    def suspects(self, row_filter: RowFilter, sums: Sums) -> Array:
        """Return the suspect directions as columns."""
        assert sums.square is not None
        basis, kappa, d = row_filter.basis, kept_moment(row_filter.rank, row_filter.cut), self.design.d
        mean, clean = sums.total / sums.count, clipped_moment(d, self.design.radius)
        expected = clean * (np.eye(d) - (1 - kappa) * basis @ basis.T)
        values, vectors = np.linalg.eigh(sums.square / sums.count - np.outer(mean, mean) - expected)
        return np.asarray(vectors[:, values > threshold(self.design, sums.count) + SLACK * (1 - kappa)])

    def edges(self, rank: int) -> Array:
        """Return the edges of the scores, rising."""
        return np.asarray(chdtri(rank, np.array(TAILS)))

    def cut(self, rank: int, counts: Array) -> float:
        """Return the cut for noisy counts of the scores between the edges."""
        n, tails = self.design.n, np.array(TAILS)
        above = counts[::-1].cumsum()[::-1]
        excess = (above - n * tails) / (1 - tails)
        sd = self.design.count_noise * np.sqrt(np.arange(len(tails), 0, -1)) / (1 - tails)
        best = _outermost_peak(excess, sd, self.design.corruption * n)
        least = min(excess[best] - 2 * sd[best], self.design.corruption * n)
        return float(self.edges(rank)[np.flatnonzero(excess >= least)[-1]])


def _outermost_peak(excess: Array, sd: Array, most: float) -> int:
    """Return the place of the maximum that a search from the last place backwards ends with."""
    best = len(excess) - 1
    for place in reversed(range(len(excess))):
        if excess[place] > excess[best]:
            best = place
        clear = excess[best] > CLEAR * sd[best]
        if excess[best] >= most or (clear and excess[place] < excess[best] / 2 - 2 * sd[place]):
            break
    return best


BOUND, RATIO = 1.1, 1.25
LEAST = 0.3  # of n: the least divisor of a mean score


@dataclass(frozen=True)
class BoundedRule:
    """The rule of a design; `allowance` is e."""

    design: RobustDesign
    allowance: float

    @cached_property
    def grid(self) -> Array:
        """The edges for q = 1."""
        powers = ceil(log(self.design.radius**2) / log(RATIO)) if self.design.radius > 1 else 0
        return np.array([0.0, *(RATIO**power for power in range(powers + 1))])

    @property
    def bins(self) -> int:
        """How many scores are counted."""
        return len(self.grid)

    def offset(self, row_filter: RowFilter, mean: Array) -> Array:
        """Return u."""
        return mean

    def suspects(self, row_filter: RowFilter, sums: Sums) -> Array:
        """Return the suspect directions as columns."""
        assert sums.square is not None
        mean = sums.total / sums.count
        values, vectors = np.linalg.eigh(sums.square / sums.count - np.outer(mean, mean))
        return np.asarray(vectors[:, values > BOUND + self.allowance])

    def edges(self, rank: int) -> Array:
        """Return the edges of the scores, rising."""
        return rank * self.grid

    def cut(self, rank: int, counts: Array) -> float:
        """Return the cut for noisy counts of the scores between the edges."""
        n, grid = self.design.n, self.grid
        middles = (grid + np.append(grid[1:], RATIO * grid[-1])) / 2
        below, above = counts.cumsum(), counts.sum() - counts.cumsum()
        bounded = (counts * middles).cumsum() <= BOUND * np.maximum(below, LEAST * n)
        allowed = above <= 2 * self.design.corruption * n
        last = max(np.flatnonzero(bounded)[-1:].sum(), np.flatnonzero(allowed)[0])
        return rank * float(grid[last + 1]) if last + 1 < len(grid) else inf
