"""A threshold for the scores of a filter, read from a noisy histogram.  LKKO21 Algorithm 11, Lemma E.1.

Scores τ in [0, L] of the rows of a tail T, and Ψ = (1/n) Σ (τ_i - 1) over all rows that are left, or
without the 1 where the covariance is only bounded:

    (1) h_j = how many τ_i of T lie in [2^{j-3}, 2^{j-2}), j = 1 .. 2 + ⌈log₂ L⌉, smaller and larger ones at
        the ends; one row of T gives way to another: l2-sensitivity √2
    (2) ρ = 2^{l-3} for the largest l with Σ_{j ≥ l} (2^{j-3} - 2^{l-3}) h̃_j/n ≥ .31 Ψ̃; 1/4 if there is none

A threshold that large takes the rows that make the score large and spares those that do not: the bad ones
lose more than the good ones. The constants are recalled. Proof: `proofs/prime.md`, section 3.
"""

from math import ceil, log2, sqrt

import numpy as np

from workbench.estimators.parts.filters.contraction import Mask
from workbench.types import Array

SENSITIVITY = sqrt(2)
SHARE = 0.31
LOWEST = 0.25


def edges(largest: float) -> Array:
    """Return the lower edges of the bins, 1/4, 1/2, 1, .. for scores up to `largest`."""
    return np.asarray(LOWEST * 2.0 ** np.arange(max(1, 2 + ceil(log2(largest)))))


def score_counts(tau: Array, members: Mask, largest: float) -> Array:
    """Return the counts of step (1)."""
    lower = edges(largest)
    bins = np.searchsorted(lower, tau[members], side="right") - 1
    return np.bincount(np.maximum(bins, 0), minlength=len(lower)).astype(np.float64)


def threshold(counts: Array, n: int, psi: float) -> float:
    """Return ρ of step (2), from noisy counts and a noisy Ψ."""
    lower = LOWEST * 2.0 ** np.arange(len(counts))
    mass, moment = np.cumsum(counts[::-1])[::-1], np.cumsum((counts * lower)[::-1])[::-1]
    enough = np.flatnonzero((moment - lower * mass) / n >= SHARE * psi)
    return float(lower[enough[-1]]) if len(enough) else LOWEST
