"""What the source's queries ask of the rows that are left, in whole numbers: moment, spread, scores.

M = (1/n) Σ (x - x̄)(x - x̄)ᵀ over N rows is (N A - s sᵀ)/(nN) with whole N, s, A. In units of h/n, h a
public power of two of which D² is 2^29 to 2^30, every entry is rounded once, exactly:

    K = round((n/h) M),    |K - base (n/h) I|,    ⟨K - base (n/h) I, U⟩ with U rounded to 2^-30

What one row moves grows by at most d units for the rounding, where the charges have room for 2^26 and more.
Proof: `proofs/prime.md`, section 6.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from workbench.estimators.parts.filters.weighted_moments import WholeSums
from workbench.privacy.grid import OnGrid, rounded, step_of
from workbench.types import Array

BITS = 30  # of D², of a score, and of an entry of U


@dataclass(frozen=True)
class Whole:
    """A symmetric matrix of whole numbers, Python's, and its unit."""

    matrix: OnGrid

    @classmethod
    def of(cls, sums: WholeSums, n: int, diameter: float) -> "Whole":
        """Return M of n rows in a set of this diameter."""
        assert sums.square is not None
        unit, total = step_of(diameter**2, BITS), sums.total.counts.astype(object)
        apart = max(sums.count, 1) * sums.square.counts.astype(object) - np.multiply.outer(total, total)
        share = Fraction(float(sums.square.unit)) / Fraction(unit) / max(sums.count, 1)
        return cls(OnGrid(rounded(apart, share), unit / n))

    def above(self, base: float) -> "Whole":
        """Return the matrix less `base` I, rounded to the unit."""
        matrix, unit = self.matrix, float(self.matrix.unit)
        return Whole(OnGrid(matrix.counts - round(base / unit) * np.eye(len(matrix), dtype=object), unit))

    def norm(self) -> OnGrid:
        """Return the largest size of an eigenvalue."""
        values = np.linalg.eigvalsh(self.matrix.counts.astype(np.float64))
        return OnGrid(np.asarray(round(float(np.abs(values).max())), object), self.matrix.unit)

    def along(self, u: Array) -> OnGrid:
        """Return the inner product with a released matrix U of trace 1."""
        weights = np.rint(u * 2.0**BITS).astype(np.int64).astype(object)
        return OnGrid(np.asarray((self.matrix.counts * weights).sum(), object), self.matrix.unit * 2.0**-BITS)


def whole_scores(tau: Array, kept: np.ndarray, base: float, largest: float) -> OnGrid:
    """Return the sum of τ - base over the rows that are left, each τ rounded to a public unit."""
    unit = step_of(largest, BITS)
    scores = np.rint(tau[kept] / unit).astype(np.int64) - round(base / unit)
    return OnGrid(np.asarray(scores.sum()), unit)
