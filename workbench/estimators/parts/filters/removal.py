"""What a pass of a filter removes, given the scores of all rows: a threshold, and the rows above it.  LKKO21.

A score is a function of one row and of former outputs. With rows y of shape (n, d), a set S of them that is
left, a score τ in [0, L] of every row, a number k, and Ψ = (1/n) Σ (τ_i - 1) over all rows that are left, or
without the 1 where the covariance is only bounded:

    (1) T = the k rows of S of largest τ; ties: larger first coordinate, then larger second, ..., then number
    (2) h_j = how many τ_i of T lie in [2^{j-3}, 2^{j-2}), j = 1 .. 2 + ⌈log₂ L⌉, smaller and larger ones at
        the ends; one row of T gives way to another: l2-sensitivity √2
    (3) ρ = 2^{l-3} for the largest l with Σ_{j ≥ l} (2^{j-3} - 2^{l-3}) h̃_j/n ≥ .31 Ψ̃; 1/4 if there is none
    (4) S = S without {i in T : τ_i ≥ ρ}

If S and S̃, of neighbouring data sets, differ in at most one row on either side, so do the sets that are left
(LKKO21 Lemmas 2.2 and F.1). That needs one total order and one threshold for all rows: "τ at least the k-th
largest" takes more than k rows where scores are tied, and a threshold of its own for every row lets
neighbours drift apart. A threshold as large as (3) (Algorithm 11, Lemma E.1) takes the rows that make the
score large and spares those that do not: the bad ones lose more than the good ones. Its constants are
recalled. Proof: `proofs/prime.md`, sections 2 and 3.
"""

from dataclasses import dataclass
from math import ceil, log2, sqrt

import numpy as np
from numpy.typing import NDArray

from workbench.estimators.parts.rows import blocks
from workbench.types import Array

Mask = NDArray[np.bool_]
SENSITIVITY = sqrt(2)
SHARE, LOWEST = 0.31, 0.25


@dataclass(frozen=True)
class Score:
    """τ_i = |Bᵀ(g y_i - m)|² for a centre m of shape (d,) and a root B of shape (d, q) of U = B Bᵀ.

    The rows y are of whole numbers, in steps of g.
    """

    centre: Array
    root: Array
    step: float = 1.0

    def of(self, y: Array) -> Array:
        """Return τ of every row, whether it is left or not: no row's bits depend on which others are."""
        tau, shift, root = np.empty(len(y)), self.centre @ self.root, self.step * self.root
        for block in blocks(*y.shape):
            along = y[block] @ root
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
    """Return S after step (4)."""
    return kept & ~(tail & (tau >= threshold))


def edges(largest: float) -> Array:
    """Return the lower edges of the bins, 1/4, 1/2, 1, .. for scores up to `largest`."""
    return np.asarray(LOWEST * 2.0 ** np.arange(max(1, 2 + ceil(log2(largest)))))


def score_counts(tau: Array, members: Mask, largest: float) -> NDArray[np.intp]:
    """Return the counts of step (2)."""
    lower = edges(largest)
    bins = np.searchsorted(lower, tau[members], side="right") - 1
    return np.bincount(np.maximum(bins, 0), minlength=len(lower))


def threshold(counts: Array, n: int, psi: float) -> float:
    """Return ρ of step (3), from noisy counts and a noisy Ψ."""
    lower = LOWEST * 2.0 ** np.arange(len(counts))
    mass, moment = np.cumsum(counts[::-1])[::-1], np.cumsum((counts * lower)[::-1])[::-1]
    enough = np.flatnonzero((moment - lower * mass) / n >= SHARE * psi)
    return float(lower[enough[-1]]) if len(enough) else LOWEST
