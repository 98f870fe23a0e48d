"""Filters that keep neighbours neighbours: what is removed, given a score and a threshold.  LKKO21 App. C, F.

A score is a function of one row and of former outputs. With rows y of shape (n, d), a set S of them that is
left, a score τ of every row, a number k and a threshold ρ that one draw sets for all rows:

    (1) T = the k rows of S of largest τ; ties: larger first coordinate, then larger second, ..., then number
    (2) S = S without {i in T : τ_i ≥ ρ}

If S and S̃, of neighbouring data sets, differ in at most one row on either side, so do the sets that are left
(LKKO21 Lemmas 2.2 and F.1). That needs one total order and one threshold for all rows: "τ at least the k-th
largest" takes more than k rows where scores are tied, and a threshold of its own for every row lets
neighbours drift apart. Proof: `proofs/prime.md`, section 2.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.estimators.parts.rows import blocks
from workbench.types import Array

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Score:
    """τ_i = |Bᵀ(y_i - m)|² for a centre m of shape (d,) and a root B of shape (d, q) of U = B Bᵀ."""

    centre: Array
    root: Array

    def of(self, y: Array) -> Array:
        """Return τ of every row, whether it is left or not: no row's bits depend on which others are."""
        tau, shift = np.empty(len(y)), self.centre @ self.root
        for block in blocks(*y.shape):
            along = y[block] @ self.root
            along -= shift
            tau[block] = np.einsum("ij,ij->i", along, along)
        return tau


def tail_set(tau: Array, kept: Mask, k: int | None, y: Array) -> Mask:
    """Return which rows are in T of step (1); all that are left for k = None or where no more than k are."""
    left = np.flatnonzero(kept)
    if k is None or len(left) <= k:
        return kept.copy()
    tail = np.zeros(len(tau), bool)
    if k == 0:
        return tail
    scores = tau[left]
    level = np.partition(scores, len(scores) - k)[len(scores) - k]
    above, tied = left[scores > level], left[scores == level]
    tail[above] = tail[_ordered(tied, y)[: k - len(above)]] = True
    return tail


def _ordered(rows: NDArray[np.intp], y: Array) -> NDArray[np.intp]:
    """Return the numbers of rows in the order that settles ties."""
    return rows if len(rows) < 2 else rows[np.lexsort(-y[rows].T[::-1])]


def left_after(tau: Array, kept: Mask, tail: Mask, threshold: float) -> Mask:
    """Return S after step (2)."""
    return kept & ~(tail & (tau >= threshold))
