"""A filter that looks at one row at a time, and what is summed over the rows that it keeps.

A filter is a centre c, orthonormal columns V (d, q) and a cut ρ, all of them functions of former releases. A
row x in units of sigma becomes

    y = x - c shrunk to the ball of radius r, in whole numbers of a step;  τ = |Vᵀy|²;  w = 1 if τ ≤ ρ, else 0

An absent row does not pass, and its score is not counted. No row's weight depends on another row, and nothing
is remembered but (c, V, ρ): a filter may be centred anew, tightened or undone. Proof that this is all privacy
needs: `proofs/robust_mean.md`, section 1.
"""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from workbench.estimators.parts.integers import added, in_ball, total
from workbench.estimators.parts.rows import present
from workbench.estimators.shared.weighted_moments import WholeSums, grid, read_sums, sums_of
from workbench.privacy.grid import OnGrid
from workbench.types import Array


@dataclass(frozen=True)
class Rows:
    """The rows x in a frame: (x - origin)/unit is what filters see."""

    x: Array
    origin: float | Array
    unit: float

    @property
    def shape(self) -> tuple[int, int]:
        """N and d."""
        return self.x.shape[0], self.x.shape[1]

    def whole(self, block: slice, centre: Array, radius: float) -> Array:
        """Return rows round a centre, shrunk to a ball: whole numbers, in steps of `grid`."""
        apart = self.x[block] - (self.origin + self.unit * centre)
        if self.unit != 1:
            apart /= self.unit
        return in_ball(apart, radius, grid(radius))

    def total(self, centre: Array, radius: float) -> OnGrid:
        """Return the sum of the rows round a centre, shrunk to a ball."""
        found = total(*self.shape, lambda block: added(self.whole(block, centre, radius)))
        return OnGrid(found, grid(radius))


@dataclass(frozen=True)
class RowFilter:
    """A centre, a basis and a cut; every row is kept where the basis has no columns."""

    centre: Array
    basis: Array
    cut: float = inf

    @property
    def rank(self) -> int:
        """q, the number of directions that are looked at."""
        return int(self.basis.shape[1])

    def scores(self, whole: Array, radius: float) -> Array:
        """Return τ of rows of the ball, in whole numbers."""
        seen = whole @ (grid(radius) * self.basis)
        return np.asarray(np.einsum("ij,ij->i", seen, seen))

    def sums(self, rows: Rows, radius: float, square: bool) -> WholeSums:
        """Return count, sum and, if wanted, second moment of the rows that pass."""

        def part(block: slice) -> Array:
            whole = rows.whole(block, self.centre, radius)
            passes = self.passes(whole, radius) & present(rows.x[block])
            whole[~passes] = 0.0  # a row that does not count is a zero row, and keeps its place in the sum
            return sums_of(whole, int(passes.sum()), square)

        return read_sums(total(*rows.shape, part), grid(radius))

    def passes(self, whole: Array, radius: float) -> NDArray[np.bool_]:
        """Return which rows of the ball pass."""
        if not self.rank:
            return np.ones(len(whole), bool)
        return np.asarray(self.scores(whole, radius) <= self.cut)

    def histogram(self, rows: Rows, radius: float, edges: Array) -> NDArray[np.int64]:
        """Return how many scores lie in [e_l, e_{l+1}), the last one open; those below e_0 in none."""

        def part(block: slice) -> NDArray[np.intp]:
            scores = self.scores(rows.whole(block, self.centre, radius), radius)
            scores = scores[present(rows.x[block])]
            places = np.searchsorted(edges, scores, side="right")
            return np.bincount(places, minlength=len(edges) + 1)

        return np.asarray(total(*rows.shape, part)[1:])
