"""Groups of rows as points of AL22's covariance semimetric.  AL22 Sections 3 and 5.

Group i holds s rows X_i of its own; its point is A_i = X_iᵀX_i/s, kept as a triangular factor of the rows
themselves, A_i = R_iᵀR_i: singular values of R_i are known to 1e-16, eigenvalues of a product only to their
squares. Groups i and j are friends if

    every eigenvalue of A_i⁻¹A_j lies in [1/L, L],          that is 1 + dist(A_i, A_j) ≤ L

A group whose factor is not usable (an entry that is no number or out of range, scaled condition above 1e5,
1e10 for A_i) is nobody's friend but its own. Whether two groups are friends depends on these two alone, so
that one replaced row changes the verdicts about one group only (`proofs/populous.md`, sections 1 and 6;
`parts.votes.close_pairs`).
"""

from dataclasses import dataclass

import numpy as np

from workbench.estimators.parts.votes.close_pairs import friend_counts
from workbench.types import Array

SMALLEST, LARGEST, CONDITION = 1e-70, 1e70, 1e5  # of a usable factor
AT_ONCE = 2**20  # entries that are decomposed at a time


@dataclass(frozen=True)
class Groups:
    """The factors of k groups, shape (k, d, d), and which are usable; unusable ones are the identity."""

    factors: Array
    usable: np.ndarray

    @classmethod
    def of(cls, factors: Array) -> "Groups":
        """Return the groups of these triangular factors, whatever estimates they are of."""
        usable = _usable(factors)
        return cls(np.where(usable[:, None, None], factors, np.eye(factors.shape[1])), usable)

    @property
    def count(self) -> int:
        """K."""
        return len(self.factors)

    @property
    def nothing(self) -> Array:
        """The identity."""
        return np.eye(self.factors.shape[1])

    def friends(self, limit: float) -> np.ndarray:
        """Return for each group how many are its friends at L = `limit`, itself among them."""
        counts = np.ones(self.count, np.int64)
        counts[self.usable] = friend_counts(self.factors[self.usable], limit)
        return counts

    def average(self, weights: Array) -> Array:
        """Return a root, shape (d, d), of Σ w A/Σ w; weights are 0 where a group is not usable."""
        shares = np.sqrt(weights / weights.sum())
        stacked = (shares[:, None, None] * self.factors)[weights > 0]
        return np.asarray(np.linalg.qr(stacked.reshape(-1, self.factors.shape[2]), mode="r")).T


def grouped(rows: Array, size: int) -> Groups:
    """Return the groups of `size` consecutive rows each; what is left over is unused."""
    n, d = rows.shape
    blocks = rows[: n // size * size].reshape(-1, size, d)
    factors = np.empty((len(blocks), d, d))
    step = max(1, AT_ONCE // (size * d))
    for start in range(0, len(blocks), step):
        factors[start : start + step] = np.linalg.qr(blocks[start : start + step], mode="r")
    return Groups.of(factors / np.sqrt(size))


def _usable(factors: Array) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt((factors**2).sum(axis=1))  # of columns: roots of the diagonal of A
        known = ((lengths >= SMALLEST) & (lengths <= LARGEST)).all(axis=1)
    scaled = np.where(known[:, None, None], factors, np.eye(factors.shape[1]))
    scaled = scaled / np.where(known[:, None], lengths, 1.0)[:, None, :]
    values = np.linalg.svd(scaled, compute_uv=False)
    return np.asarray(known & (values[:, -1] * CONDITION >= values[:, 0]))
