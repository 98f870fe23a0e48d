"""What `mean/robust-heavy` makes of its releases: rows of covariance at most I, of any shape.

    offset      u = m̄ = s/N: nothing is corrected
    suspect     eigenvectors of A/N - m̄ m̄ᵀ with a value above C + e, C = 1.1, e the noise of A/n
    edges       0, 1, 1.25, 1.25², .. up to r², of scores over q: their mean is the variance per direction
    cut         the largest edge below which the mean score is at most C q, raised until at most 2 α n rows
                go; none if that is the last one

Everything here is post-processing.
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf, log

import numpy as np

from workbench.estimators.parts.filters.weighted_moments import Sums
from workbench.estimators.parts.rowwise.design import RobustDesign
from workbench.estimators.parts.rowwise.row_filter import RowFilter
from workbench.types import Array

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
