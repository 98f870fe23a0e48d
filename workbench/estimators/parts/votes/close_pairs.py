"""Which of many positive definite matrices are close in Thompson's metric, and to how many others each is.

A_i = R_iᵀR_i is given by a usable triangular factor R_i (`parts.votes.covariances`); i and j are
friends if every eigenvalue of A_i⁻¹A_j lies in [1/L, L]. Whether they are depends on the two alone.

    d = 1    by sorting
    d = 2    from trace t and determinant D of A_i⁻¹A_j:  L² - tL + D ≥ 0, 1 - tL + DL² ≥ 0, 2/L ≤ t ≤ 2L
    d > 2    by the eigenvalues of R_jR_i⁻¹(R_jR_i⁻¹)ᵀ, for few pairs

For d > 2 most pairs are settled without eigenvalues, in the frame of one of the groups:

    (1) for L^d ≥ det M, λ_max(M) ≤ L whenever tr M ≤ L + (d - 1)(det M/L)^(1/(d - 1)): two matrix products
        for all pairs at once
    (2) λ_max(A_i⁻¹A_j) ≤ L iff LA_i - A_j is positive semidefinite: pivots of many such matrices at once

Both leave a margin that is wide enough that no verdict differs from that of the eigenvalues
(`proofs/populous.md`, section 6).
"""

from dataclasses import dataclass

import numpy as np

from workbench.estimators.parts.votes.vote import AT_ONCE, counted
from workbench.types import Array

MARGIN = 1e-3  # of verdicts without eigenvalues
PRUNED = 1e6  # the largest condition in the frame of the reference at which they are given
IN_CACHE = 2**19  # entries of matrices that are decomposed together


def friend_counts(factors: Array, limit: float) -> np.ndarray:
    """Return for every factor of shape (d, d) how many are its friends at L = `limit`, itself among them."""
    count, d = factors.shape[:2]
    if not count:
        return np.zeros(0, np.int64)
    if d == 1:
        return _on_a_line(np.abs(factors[:, 0, 0]), limit)
    if d == 2:
        return counted(count, _Planar.of(factors, limit).close)
    return counted(count, _Framed.of(factors, limit).close)


def _on_a_line(lengths: Array, limit: float) -> np.ndarray:
    ordered, reach = np.sort(lengths), np.sqrt(limit)
    below = np.searchsorted(ordered, lengths / reach, side="left")
    return np.asarray(np.searchsorted(ordered, lengths * reach, side="right") - below)


@dataclass(frozen=True)
class _Planar:
    """Factors of shape (2, 2), one entry each."""

    corner: Array
    side: Array
    end: Array
    limit: float

    @classmethod
    def of(cls, factors: Array, limit: float) -> "_Planar":
        return cls(factors[:, 0, 0], factors[:, 0, 1], factors[:, 1, 1], limit)

    def close(self, rows: slice) -> np.ndarray:
        later, limit = slice(rows.start, None), self.limit
        corner = self.corner[later] / self.corner[rows, None]
        end = self.end[later] / self.end[rows, None]
        side = (self.side[later] - corner * self.side[rows, None]) / self.end[rows, None]
        trace, determinant = corner**2 + side**2 + end**2, (corner * end) ** 2
        within = (trace <= 2 * limit) & (trace * limit >= 2)
        largest = limit * (limit - trace) + determinant >= 0
        smallest = 1 - trace * limit + determinant * limit**2 >= 0
        return np.asarray(within & largest & smallest)


@dataclass(frozen=True)
class _Framed:
    """Matrices in the frame of one of them, and which are safe to be looked at there."""

    factors: Array
    columns: Array  # the matrices, shape (d, d, m)
    forth: tuple[Array, Array]  # whose inner product is tr M - (1 - margin)(d - 1)(det M/L)^(1/(d - 1)),
    back: tuple[Array, Array]  # for M = A_i⁻¹A_j and for its inverse; NaN where unsafe
    powers: Array  # det^(1/(d - 1)), (m,)
    safe: np.ndarray  # (m,)
    limit: float

    @classmethod
    def of(cls, factors: Array, limit: float) -> "_Framed":
        d = factors.shape[1]
        sizes = np.log(np.abs(np.diagonal(factors, axis1=1, axis2=2))).sum(axis=1)
        reference = np.linalg.inv(factors[np.argsort(sizes, kind="stable")[len(sizes) // 2]])
        framed = factors @ reference
        moments = np.swapaxes(framed, 1, 2) @ framed
        values = np.linalg.eigvalsh(moments)
        safe = values[:, 0] * PRUNED >= values[:, -1]
        precisions = np.linalg.inv(np.where(safe[:, None, None], moments, np.eye(d)))
        powers = np.exp(2 * (sizes - np.median(sizes)) / (d - 1))
        share = (1 - MARGIN) * (d - 1) * limit ** (-1 / (d - 1))
        scale = np.where(safe, 1.0, np.nan)[:, None]
        first, second = _packed(precisions) * scale, _packed(moments) * scale
        forth = np.c_[first, -share / powers], np.c_[second, powers]
        back = np.c_[second, -share * powers], np.c_[first, 1 / powers]
        columns = np.ascontiguousarray(np.moveaxis(moments, 0, 2))
        return cls(factors, columns, forth, back, powers, safe, limit)

    def close(self, rows: slice) -> np.ndarray:
        ahead, behind = self._by_traces(rows)
        sure = ahead & behind
        first, second = np.nonzero(np.triu(~sure, 1))
        settled = ahead[first, second], behind[first, second]
        sure[first, second] = self._decided(first + rows.start, second + rows.start, *settled)
        return np.asarray(sure)

    def _by_traces(self, rows: slice) -> tuple[np.ndarray, np.ndarray]:
        """Return which M and which of their inverses have no eigenvalue above L for sure, by (1)."""
        later, d = slice(rows.start, None), len(self.columns)
        most, largest = (1 - MARGIN) * self.limit, ((1 - MARGIN) * self.limit) ** (d / (d - 1))
        ahead = self.forth[0][rows] @ self.forth[1][later].T <= most
        behind = self.back[0][rows] @ self.back[1][later].T <= most
        if self.powers.max() > largest * self.powers.min():
            ratio = self.powers[later] / self.powers[rows, None]
            ahead &= ratio <= largest
            behind &= ratio * largest >= 1
        return ahead, behind

    def _decided(
        self, first: np.ndarray, second: np.ndarray, ahead: np.ndarray, behind: np.ndarray
    ) -> np.ndarray:
        """Return which pairs are friends, by (2) or, near the limit, by the eigenvalues."""
        safe, below, above = self.safe[first] & self.safe[second], (1 - MARGIN), (1 + MARGIN)
        ahead = self._within(first, second, ahead, safe, below * self.limit)
        behind = self._within(second, first, behind, safe, below * self.limit)
        close = ahead & behind
        doubtful = self._within(first, second, ahead, safe & ~close, above * self.limit)
        doubtful &= self._within(second, first, behind, safe & ~close, above * self.limit)
        pairs = np.flatnonzero(~close & (doubtful | ~safe))
        close[pairs] = self._by_eigenvalues(first[pairs], second[pairs])
        return np.asarray(close)

    def _within(
        self, first: np.ndarray, second: np.ndarray, known: np.ndarray, asked: np.ndarray, limit: float
    ) -> np.ndarray:
        """Return which pairs are known, or asked for and have a positive definite LA_i - A_j."""
        found, pairs = known.copy(), np.flatnonzero(asked & ~known)
        step = max(1, IN_CACHE // self.columns[:, :, 0].size)
        for start in range(0, len(pairs), step):
            part = pairs[start : start + step]
            matrices = limit * np.take(self.columns, first[part], axis=2)
            matrices -= np.take(self.columns, second[part], axis=2)
            found[part] = _definite(matrices)
        return found

    def _by_eigenvalues(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        found = np.zeros(len(first), bool)
        step = max(1, AT_ONCE // self.columns[:, :, 0].size)
        for start in range(0, len(first), step):
            part = slice(start, start + step)
            product = self.factors[second[part]] @ np.linalg.inv(self.factors[first[part]])
            values = np.linalg.eigvalsh(product @ np.swapaxes(product, 1, 2))
            found[part] = (values[:, -1] <= self.limit) & (values[:, 0] * self.limit >= 1)
        return found


def _packed(matrices: Array) -> Array:
    """Return upper triangles with √2 off the diagonal, shape (m, d(d + 1)/2)."""
    rows, columns = np.triu_indices(matrices.shape[1])
    return np.ascontiguousarray(matrices[:, rows, columns] * np.where(rows == columns, 1.0, np.sqrt(2)))


def _definite(matrices: Array) -> np.ndarray:
    """Return which symmetric matrices, shape (d, d, m), overwritten, have positive pivots."""
    positive = np.ones(matrices.shape[2], bool)
    for j in range(len(matrices)):
        sound = matrices[j, j] > 0
        positive &= sound
        scale = 1 / np.where(sound, matrices[j, j], np.inf)
        for i in range(j + 1, len(matrices)):  # the lower triangle
            matrices[i, j + 1 : i + 1] -= (matrices[i, j] * scale) * matrices[j + 1 : i + 1, j]
    return positive
