"""A filter that looks at one row at a time, and what is summed over the rows that it keeps.

A filter is a centre c, orthonormal columns V (d, q) and a cut ρ, all of them functions of former releases. A
row x in units of sigma becomes

    y = x - c shrunk to the ball of radius r,    score τ = |Vᵀy|²,    weight w = 1 if τ ≤ ρ, else 0

No row's weight depends on another row, and nothing is remembered but (c, V, ρ): a filter may be centred
anew, tightened or undone. Proof that this is all privacy needs: `proofs/robust_mean.md`, section 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np

from workbench.estimators.parts.filters.weighted_moments import Sums
from workbench.estimators.parts.rows import blocks, within_ball
from workbench.linalg import norms, symmetrised
from workbench.types import Array


@dataclass(frozen=True)
class Rows:
    """The rows x in a frame: (x - origin)/unit is what filters see."""

    x: Array
    origin: float
    unit: float

    @property
    def shape(self) -> tuple[int, int]:
        """N and d."""
        return self.x.shape[0], self.x.shape[1]

    def round(self, centre: Array, radius: float) -> Iterator[Array]:
        """Yield the rows round a centre, shrunk to a ball, a block at a time."""
        place = self.origin + self.unit * centre
        for block in blocks(*self.shape):
            apart = self.x[block] - place
            if self.unit != 1:
                apart /= self.unit
            yield shrunk(apart, radius)


def shrunk(rows: Array, radius: float) -> Array:
    """Return rows within a ball, as `within_ball`, in place where no row lies outside it."""
    return rows if float(norms(rows).max(initial=0.0)) <= radius else within_ball(rows, radius)


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

    def scores(self, rows: Array) -> Array:
        """Return τ of rows of the ball."""
        seen = rows @ self.basis
        return np.asarray(np.einsum("ij,ij->i", seen, seen))

    def sums(self, rows: Rows, radius: float, square: bool) -> Sums:
        """Return count, sum and, if wanted, second moment of the rows that pass."""
        n, d = rows.shape
        count, total, outer = float(n), np.zeros(d), np.zeros((d, d))
        for block in rows.round(self.centre, radius):
            if self.rank:  # a row that does not count is a zero row, and keeps its place in the sum
                out = self.scores(block) > self.cut
                block[out] = 0.0
                count -= int(out.sum())
            total += block.sum(axis=0)
            if square:
                outer += block.T @ block
        return Sums(count, total, symmetrised(outer) if square else None)

    def histogram(self, rows: Rows, radius: float, edges: Array) -> Array:
        """Return how many scores lie in [e_l, e_{l+1}), the last one open; those below e_0 in none."""
        found = np.zeros(len(edges) + 1, np.intp)
        for block in rows.round(self.centre, radius):
            places = np.searchsorted(edges, self.scores(block), side="right")
            found += np.bincount(places, minlength=len(found))
        return found[1:].astype(np.float64)
