"""Fixed maps of rows in d dimensions: pairing, clipping to a ball, and what one row moves.

Every map here sends a row, or a pair of rows, to a row by a public rule, so that neighbours stay neighbours.
"""

from collections.abc import Callable
from math import sqrt

import numpy as np

from workbench.estimators.base import Array, sanitised
from workbench.linalg import norms, symmetrised

BLOCK = 4096  # rows that are mapped at a time: they stay in the cache, and memory does not grow with n


def paired(x: Array) -> Array:
    """Return the ⌊n/2⌋ rows (x_{2i-1} - x_{2i})/√2: mean 0, the same covariance; one row touches one pair."""
    pairs = len(x) // 2
    return sanitised((x[0 : 2 * pairs : 2] - x[1 : 2 * pairs : 2]) / sqrt(2))


def centred_rows(x: Array, centred: bool) -> Array:
    """Return the rows themselves if their mean is known to be 0, their pairs otherwise."""
    return x if centred else paired(x)


def within_ball(x: Array, radius: float) -> Array:
    """Return rows clipped to the ball of `radius` round 0: rows inside keep their bits, the others shrink."""
    sizes = norms(x)
    outside = np.flatnonzero(sizes > radius)
    clipped = x.copy()
    clipped[outside] *= (radius / sizes[outside])[:, None]
    assert (norms(clipped[outside]) <= radius * (1 + 1e-12)).all()
    return clipped


def mean_sensitivity(n: int, radius: float) -> float:
    """Return 2r/n: the most that one replaced row moves the mean of rows within a ball, in l2."""
    return 2 * radius / n


def second_moment_within(x: Array, radius: float) -> Array:
    """Return (1/n) Σ w wᵀ of the rows w clipped to the ball of `radius`, a block of rows at a time."""
    return moment_of(x, lambda rows: within_ball(rows, radius))


def moment_of(x: Array, change: Callable[[Array], Array]) -> Array:
    """Return (1/n) Σ w wᵀ of the rows that a map of each row makes, without a second copy of all of them."""
    total = np.zeros((x.shape[1], x.shape[1]))
    for start in range(0, len(x), BLOCK):
        rows = change(x[start : start + BLOCK])
        total += rows.T @ rows
    return symmetrised(total) / len(x)


def mean_of(x: Array, change: Callable[[Array], Array]) -> Array:
    """Return the mean of the rows that a map of each row makes, a block of rows at a time."""
    total = np.zeros(x.shape[1])
    for start in range(0, len(x), BLOCK):
        total += change(x[start : start + BLOCK]).sum(axis=0)
    return total / len(x)


def second_moment_sensitivity(n: int, radius: float) -> float:
    """Return √2 r²/n: the most that one replaced row moves `second_moment_within`, in Frobenius norm.

    |wwᵀ - w'w'ᵀ|² = |w|⁴ + |w'|⁴ - 2⟨w, w'⟩² ≤ 2r⁴, attained by orthogonal rows on the sphere.
    """
    return sqrt(2) * radius**2 / n
