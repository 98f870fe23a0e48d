"""Count, sum and second moment of weighted rows, released at once: one Gaussian mechanism for all three.

Rows y in the ball of radius r round 0, each with a weight w from 0 to 1, such that neighbours differ in one
pair (w, y): weights are functions of one row and of former outputs, or tell the members of a set that a
filter left (`parts.filters.removal`). For costs a, b, c:

    (1) N = Σ w,  s = Σ w y,  A = Σ w y yᵀ
    (2) v = (a N,  b s/(2r),  c A/(√2 r²)), A as its diagonal and √2 times the entries above it
    (3) out = v + Gaussian noise; N, s and A read off it, with noise of sd 1/(aμ), 2r/(bμ), √2 r²/(cμ)

The l2-sensitivity of v is 1 for the costs of `costs`, which are chosen by what b² and c² are to each other:

    c + b²/(4c) = 1 if b ≤ 2c, b = 1 otherwise;    a² = 1 - b²/4 - c²/2

so that the count is free of charge: it moves only where a weight does, and there s and A move less. A second
moment alone would cost c², one with a sum of cost b² at most b² + c²; the most that one row moves both at
once is less. Proof: `proofs/prime.md`, section 1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from workbench.estimators.parts.rows import blocks
from workbench.linalg import symmetrised
from workbench.privacy import Budget, Charge, NoiseSource
from workbench.privacy.mechanisms import gaussian, gaussian_mu
from workbench.types import Array

SENSITIVITY = 1.0
_ROUNDING = 1 + 1e-12  # a row that was clipped may be longer than the radius by that much


@dataclass(frozen=True)
class Costs:
    """Whitened costs of count, sum and second moment, a, b and c above; the three at once cost 1."""

    count: float
    total: float
    square: float


@dataclass(frozen=True)
class Sums:
    """N, s of shape (d,) and A of shape (d, d), exact or noisy; without A where nobody asks for it."""

    count: float
    total: Array
    square: Array | None = None


def costs(total: float, square: float) -> Costs:
    """Return the costs of which b² : c² = `total` : `square`; either may be 0.

    >>> costs(1.0, 0.0)
    Costs(count=0.8660254037844386, total=1.0, square=0.0)
    """
    if total <= 4 * square:
        c = 1 / (1 + total / (4 * square))
        b = c * sqrt(total / square)
    else:
        b, c = 1.0, sqrt(square / total)
    return Costs(sqrt(1 - b**2 / 4 - c**2 / 2), b, c)


MEAN = costs(1.0, 0.0)


def moments_charge(step: str, cost: Budget) -> Charge:
    """Return the charge of one release."""
    return Charge(step, "gaussian", SENSITIVITY, cost)


def length(d: int, square: bool = True) -> int:
    """Return how many numbers v has."""
    return 1 + d + (d * (d + 1) // 2 if square else 0)


def weighted_sums(y: Array, weights: Array, square: bool = True) -> Sums:
    """Return the exact sums of rows y of shape (n, d) with weights of shape (n,)."""
    return (
        added((y[block], weights[block]) for block in blocks(*y.shape))
        if square
        else Sums(float(weights.sum()), weights @ y)
    )


def added(parts: Iterable[tuple[Array, Array]]) -> Sums:
    """Return the exact sums of blocks (rows, weights); which row is in which block is fixed by its number."""
    each = [(w.sum(), w @ y, _outer(y, w)) for y, w in parts]
    count, total, square = (sum(terms) for terms in zip(*each, strict=True))
    return Sums(float(count), np.asarray(total), symmetrised(np.asarray(square)))


def _outer(y: Array, weights: Array) -> Array:
    rows = y if weights.min() == 1 else y * np.sqrt(weights)[:, None]  # the same bits, one pass less
    return np.asarray(rows.T @ rows)


def whitened(sums: Sums, radius: float, prices: Costs) -> Array:
    """Return v of step (2), without the part of A where there is no A."""
    r = radius * _ROUNDING
    parts = [np.array([prices.count * sums.count]), prices.total / (2 * r) * sums.total]
    if sums.square is not None:
        parts.append(prices.square / (sqrt(2) * r**2) * _flat(sums.square))
    return np.concatenate(parts)


def read(v: Array, d: int, radius: float, prices: Costs) -> Sums:
    """Return the sums that v stands for; A only if it was priced."""
    r = radius * _ROUNDING
    square = None
    if prices.square > 0:
        square = _matrix(v[1 + d : length(d)], d) * (sqrt(2) * r**2 / prices.square)
    return Sums(float(v[0] / prices.count), v[1 : 1 + d] * (2 * r / prices.total), square)


def release(
    sums: Sums, radius: float, prices: Costs, charge: Charge, noise: NoiseSource, size: int = 0
) -> Sums:
    """Return noisy sums: steps (2) and (3).

    A charge that was planned for something else, which nobody wants any more, buys N and s alone with MEAN;
    `size` is how many numbers were planned then, so that the draws stay public.
    """
    noisy = released(whitened(sums, radius, prices), charge, noise, size)
    return read(noisy, len(sums.total), radius, prices)


def released(v: Array, charge: Charge, noise: NoiseSource, size: int = 0) -> Array:
    """Return v plus noise, where `size` numbers or more are drawn."""
    return gaussian(np.pad(v, (0, max(0, size - len(v)))), charge, noise)[: len(v)]


def merged(releases: Sequence[tuple[Sums, Costs, Budget]]) -> Sums:
    """Return N and s of several releases of the same rows and weights, averaged by their precisions.

    Releases of costs μ_i and one kind are worth one of cost √(Σ μ_i²): what is left of a budget is not lost.
    """
    sizes = np.array([gaussian_mu(cost) ** 2 for *_, cost in releases])
    count = sizes * [prices.count**2 for _, prices, _ in releases]
    total = sizes * [prices.total**2 for _, prices, _ in releases]
    return Sums(
        float(count @ [sums.count for sums, *_ in releases] / count.sum()),
        np.asarray(total @ [sums.total for sums, *_ in releases] / total.sum()),
    )


def _flat(square: Array) -> Array:
    """Return a symmetric matrix as a vector whose l2 norm is its Frobenius norm."""
    upper = np.triu_indices(len(square))
    return np.asarray(square[upper] * np.where(upper[0] == upper[1], 1.0, sqrt(2)))


def _matrix(flat: Array, d: int) -> Array:
    """Return the symmetric matrix that `_flat` came from."""
    matrix, (rows, columns) = np.empty((d, d)), np.triu_indices(d)
    matrix[rows, columns] = matrix[columns, rows] = flat / np.where(rows == columns, 1.0, sqrt(2))
    return matrix
