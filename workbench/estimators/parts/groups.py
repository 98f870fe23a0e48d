"""Groups of rows as points of AL22's covariance semimetric: which two of them are close.  AL22 Sections 3, 5.

Group i holds s rows X_i of its own; its point is A_i = X_iᵀX_i/s, kept as a triangular factor of the rows
themselves, A_i = R_iᵀR_i: singular values of R_i are known to 1e-16, eigenvalues of a product only to their
squares. Groups i and j are friends if

    every eigenvalue of A_i⁻¹A_j lies in [1/L, L],          that is 1 + dist(A_i, A_j) ≤ L

A group whose factor is not usable (an entry that is no number or out of range, scaled condition above 1e5,
1e10 for A_i) is nobody's friend but its own. Whether two groups are friends depends on these two alone, so
that one replaced row changes the verdicts about one group only (`proofs/populous.md`, sections 1 and 6).

Most pairs are settled without their eigenvalues, by a bound that two matrix products give: for L^d ≥ det M,
λ_max(M) ≤ L whenever tr M ≤ L + (d - 1)(det M/L)^(1/(d - 1)). Margins are wide enough that no such
verdict differs from that of the eigenvalues.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.estimators.base import Array

SMALLEST, LARGEST, CONDITION = 1e-75, 1e75, 1e5  # of a usable factor
MARGIN = 1e-3  # of verdicts without eigenvalues
PRUNED = 1e6  # the largest condition in the frame of the reference at which they are given
AT_ONCE = 2**20  # entries that are worked on at a time


@dataclass(frozen=True)
class Groups:
    """The factors of k groups, shape (k, d, d), and which are usable; unusable ones are the identity."""

    factors: Array
    usable: np.ndarray

    @classmethod
    def of(cls, factors: Array) -> "Groups":
        """Return the groups with these factors, of which some may not be usable."""
        usable = _usable(factors)
        return cls(np.where(usable[:, None, None], factors, np.eye(factors.shape[1])), usable)

    @property
    def count(self) -> int:
        """K."""
        return len(self.factors)

    @cached_property
    def inverses(self) -> Array:
        """R_i⁻¹."""
        return np.asarray(np.linalg.inv(self.factors))

    def friends(self, limit: float) -> np.ndarray:
        """Return for each group how many are its friends at L = `limit`, itself among them."""
        return np.where(self.usable, self._close(limit), 1)

    def root(self, weights: Array) -> Array:
        """Return a root, shape (d, d), of Σ w A/Σ w; weights are 0 where a group is not usable."""
        shares = np.sqrt(weights / weights.sum())
        stacked = (shares[:, None, None] * self.factors)[weights > 0]
        return np.asarray(np.linalg.qr(stacked.reshape(-1, self.factors.shape[2]), mode="r")).T

    def _close(self, limit: float) -> np.ndarray:
        counts = np.zeros(self.count, np.int64)
        members = np.flatnonzero(self.usable)
        if not len(members):
            return counts
        bounds = _Bounds.of(self, members, limit)
        step = max(1, AT_ONCE // len(members))
        for start in range(0, len(members), step):
            rows = slice(start, start + step)
            above = np.arange(len(members)) > np.arange(len(members))[rows, None]  # one triangle
            sure = bounds.sure(rows) & above
            first, second = np.nonzero(above & ~sure)
            close = self._pairs(members[first + start], members[second], limit)
            sure[first[close], second[close]] = True
            counts[members[rows]] += sure.sum(axis=1)
            counts[members] += sure.sum(axis=0)
        counts[members] += 1
        return counts

    def _pairs(self, first: np.ndarray, second: np.ndarray, limit: float) -> np.ndarray:
        """Return which pairs are friends, from the eigenvalues."""
        d = self.factors.shape[1]
        found = np.zeros(len(first), bool)
        step = max(1, AT_ONCE // (d * d))
        for start in range(0, len(first), step):
            part = slice(start, start + step)
            product = self.factors[second[part]] @ self.inverses[first[part]]
            values = np.linalg.eigvalsh(product @ np.swapaxes(product, 1, 2))
            found[part] = (values[:, -1] <= limit) & (values[:, 0] * limit >= 1)
        return found


@dataclass(frozen=True)
class _Bounds:
    """Traces and determinants of all pairs in the frame of one of the groups."""

    moments: Array  # (m, d²)
    precisions: Array  # (m, d²)
    powers: Array  # det^(1/(d - 1)), (m,)
    safe: np.ndarray  # (m,)
    d: int
    limit: float

    @classmethod
    def of(cls, groups: Groups, members: np.ndarray, limit: float) -> "_Bounds":
        factors = groups.factors[members]
        d = factors.shape[1]
        sizes = np.log(np.abs(np.diagonal(factors, axis1=1, axis2=2))).sum(axis=1)
        reference = groups.inverses[members[np.argsort(sizes, kind="stable")[len(sizes) // 2]]]
        framed = factors @ reference
        moments = np.swapaxes(framed, 1, 2) @ framed
        values = np.linalg.eigvalsh(moments)
        safe = values[:, 0] * PRUNED >= values[:, -1]
        precisions = np.linalg.inv(np.where(safe[:, None, None], moments, np.eye(d)))
        powers = np.exp(2 * (sizes - np.median(sizes)) / max(d - 1, 1))
        flat = moments.reshape(-1, d * d)
        return cls(flat, precisions.reshape(-1, d * d), powers, safe, d, limit)

    def sure(self, rows: slice) -> np.ndarray:
        """Return which pairs (row, member) are friends for sure."""
        d, limit = self.d, self.limit
        ratio = self.powers / self.powers[rows, None]  # det(A_i⁻¹A_j)^(1/(d - 1))
        forth = self.precisions[rows] @ self.moments.T
        back = self.moments[rows] @ self.precisions.T
        share = (d - 1) * limit ** (-1 / max(d - 1, 1))
        close = (forth <= (1 - MARGIN) * (limit + share * ratio)) & (
            back <= (1 - MARGIN) * (limit + share / ratio)
        )
        largest = ((1 - MARGIN) * limit) ** (d / max(d - 1, 1))
        inside = (ratio <= largest) & (ratio * largest >= 1)
        return np.asarray(close & inside & self.safe[rows, None] & self.safe)


def grouped(rows: Array, size: int) -> Groups:
    """Return the groups of `size` consecutive rows each; what is left over is unused."""
    n, d = rows.shape
    blocks = rows[: n // size * size].reshape(-1, size, d)
    factors = np.empty((len(blocks), d, d))
    step = max(1, AT_ONCE // (size * d))
    for start in range(0, len(blocks), step):
        factors[start : start + step] = np.linalg.qr(blocks[start : start + step], mode="r")
    factors /= np.sqrt(size)
    return Groups.of(factors)


def _usable(factors: Array) -> np.ndarray:
    lengths = np.sqrt((factors**2).sum(axis=1))  # of columns: roots of the diagonal of A
    known = ((lengths >= SMALLEST) & (lengths <= LARGEST)).all(axis=1)
    scaled = np.where(known[:, None, None], factors, np.eye(factors.shape[1]))
    scaled = scaled / np.where(known[:, None], lengths, 1.0)[:, None, :]
    values = np.linalg.svd(scaled, compute_uv=False)
    return np.asarray(known & (values[:, -1] * CONDITION >= values[:, 0]))
