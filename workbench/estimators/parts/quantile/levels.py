"""Levels of a matrix quantile, from above, with a certificate.

Rows x of shape (n, d), mean 0, and an influence ψ. With ω(q) = ψ(q)/q,

    F_v(P) = (1/v) Σ ω(xᵀP⁻¹x) x xᵀ,    P_v = the largest P > 0 with P ≤ F_v(P), 0 if there is none.

In one dimension P_v solves Σ ψ(x²/p) = v. A `Level` holds a factor T of a matrix Q = (TᵀT)⁻¹ ≥ P_v:

    (1) columns are brought to scale by powers of two, at the level of the start: `Scaled`
    (2) Q ← F_v(Q), enlarged by what rounding may have lost                                `inflation`
    (3) until |TF_v(Q)Tᵀ - I| ≤ `slack`: then P_v ≤ Q ≤ P_{v(1 - ξ)}, ξ = slack + inflation
    (4) no answer if tr Q⁻¹ exceeds `widest` in these units, or after `steps` steps

Rows are mapped by T anew in every step, so that what rounding loses grows with the root of a condition
number. Every constant is public. Proof: `proofs/matrix_quantile.md`, sections 1 and 4.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtrs

from workbench.estimators.parts.quantile.influence import Influence
from workbench.types import Array

UNIT = 2.0**-53
WIDEST = 2.0**33  # of the trace of Q⁻¹, columns in units of (1): rotated rows of condition about 1e9
TINY, LARGE = -400, 200  # exponents: smaller entries count as 0; scaled rows beyond it are shortened
FLOOR = -2 * 410  # exponents of squares start here


def inflation(n: int, d: int, widest: float = WIDEST) -> float:
    """Return η: what one step may lose at most, in the order of matrices and in units of Q."""
    return 1.25 * UNIT * (d * d * (4 * sqrt(d) + 2) * sqrt(widest) + 4 * (n + d) * d)


@dataclass(frozen=True)
class Scaled:
    """Rows in units of their columns, one column of `rows` for each row, and the exponents of the units."""

    rows: Array
    exponents: Array

    @classmethod
    def of(cls, x: Array, influence: Influence, level: float) -> "Scaled":
        """Return rows in units 2^k with Σ min(1, ω(0) x²/4^k) < level: 4^k ≥ the diagonal of P_level."""
        powers = exponents(x.T)
        units = np.array([unit(column, influence.steepest, level) for column in powers])[:, None]
        return cls(in_units(x.T, units), units.ravel())

    def start(self) -> Array:
        """Return the factor T = I/√d of Q = d diag(units²), which is above P_v for every v ≥ the level."""
        d = len(self.rows)
        return np.eye(d) / sqrt(d)

    def lengths(self, factor: Array) -> tuple[Array, Array]:
        """Return the rows mapped by T, and xᵀQ⁻¹x."""
        mapped = factor @ self.rows
        return mapped, np.einsum("ij,ij->j", mapped, mapped)

    def root(self, factor: Array) -> Array:
        """Return T⁻¹ in the units of the data: a root of Q."""
        return np.asarray(np.ldexp(np.linalg.inv(factor), self.exponents[:, None]))


def exponents(columns: Array) -> NDArray[np.int32]:
    """Return e with |x| < 2^e of every entry; the lowest for one that counts as 0."""
    return np.where(np.abs(columns) < 2.0**TINY, FLOOR, np.frexp(columns)[1])


def in_units(columns: Array, units: NDArray[np.int32]) -> Array:
    """Return columns, one for each row, in units 2^k; a row far beyond them counts by its direction alone."""
    powers = exponents(columns)
    far = np.maximum((powers - units).max(axis=0) - LARGE, 0)
    return np.ascontiguousarray(np.where(powers == FLOOR, 0.0, np.ldexp(columns, -units - far)))


def unit(powers: NDArray[np.int32], steepest: float, level: float) -> int:
    """Return the least k with Σ min(1, ω(0) 4^(e - k)) < level, e the exponents of the entries."""
    counts = np.bincount(powers - FLOOR)
    counts[0] = 0
    used = np.flatnonzero(counts)
    if not len(used):
        return FLOOR
    low, high = -1, int(used[-1]) + 1 + ceil(log(steepest * max(counts.sum() / level, 1.0), 4))
    while high > low + 1:
        middle = (low + high) // 2
        total = (counts[used] * np.minimum(1.0, steepest * 4.0 ** np.minimum(used - middle, 0))).sum()
        low, high = (low, middle) if total < level else (middle, high)
    return high + FLOOR


@dataclass(frozen=True)
class Solver:
    """The public numbers of (2) to (4)."""

    influence: Influence
    inflation: float
    slack: float
    steps: int
    widest: float = WIDEST

    def descend(self, scaled: Scaled, factor: Array, level: float) -> Array | None:
        """Return the factor of a certified Q for `level`, from a factor of one above P_level, or None."""
        for _ in range(self.steps):
            moment = self.moment(scaled, factor, level)
            away = distance(moment)
            if away <= self.slack:
                return factor  # (3)
            try:
                factor = self.step(moment, away, factor)  # (2)
            except np.linalg.LinAlgError:
                return None
            if not self.allowed(scaled, factor):
                return None  # (4)
        return None

    def allowed(self, scaled: Scaled, factor: Array) -> bool:
        """Tell whether floats resolve Q: its inverse is not too large in the units of the rows."""
        return bool((factor * factor).sum() <= self.widest)

    def step(self, moment: Array, away: float, factor: Array) -> Array:
        """Return the factor of F_v(Q), enlarged, from T F_v(Q) Tᵀ and its distance to I."""
        lost = self.inflation * (1 + away) ** 1.5
        lower = np.linalg.cholesky(moment + lost * _identity(len(factor)))
        solved, singular = dtrtrs(lower, factor, lower=1)  # scipy's solve_triangular takes ten times as long
        if singular:
            raise np.linalg.LinAlgError("a step is singular")
        return np.asarray(solved)

    def moment(self, scaled: Scaled, factor: Array, level: float) -> Array:
        """Return T F_v(Q) Tᵀ."""
        mapped, q = scaled.lengths(factor)
        mapped *= np.sqrt(self.influence.weight(q) / level)
        return np.asarray(mapped @ mapped.T)


def distance(moment: Array) -> float:
    """Return |S - I| in Frobenius norm."""
    return float(np.linalg.norm(moment - _identity(len(moment))))


@lru_cache(maxsize=64)
def _identity(d: int) -> Array:
    found = np.eye(d)
    found.flags.writeable = False
    return found
