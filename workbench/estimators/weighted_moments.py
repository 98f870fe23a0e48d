"""Count, sum and second moment of the rows that count, released at once by one Gaussian mechanism.

Rows y of whole numbers of a step g, in the ball of radius r round 0, of which some count, such that
neighbours differ in one row and in whether it counts: which rows do is a function of one row and of former
outputs, or tells the members of a set that a filter left (`estimators.prime`). For costs a, b, c:

    (1) N = the number of rows that count,  s = Σ y,  A = Σ y yᵀ over them: whole numbers of 1, g and g²
    (2) v = (a N,  b s/(2r),  c A/(√2 r²)), A as its diagonal and √2 times the entries above it
    (3) out = v + Gaussian noise; N, s and A read off it, with noise of sd 1/(aμ), 2r/(bμ), √2 r²/(cμ)

The l2-sensitivity of v is 1 for the costs of `costs`, which are chosen by what b² and c² are to each other:

    c + b²/(4c) = 1 if b ≤ 2c, b = 1 otherwise;    a² = 1 - b²/4 - c²/2

so that the count is free of charge: it moves only where a row counts no more, and there s and A move less. A
second moment alone would cost c², one with a sum of cost b² at most b² + c²; the most that one row moves both
at once is less. Proof: `proofs/prime.md`, section 1.
"""

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np

from workbench.estimators.shared.rows import SQUARED_BITS, total
from workbench.privacy import Budget, Charge, NoiseSource
from workbench.privacy.grid import Integers, OnGrid, joined, step_of
from workbench.privacy.mechanisms import gaussian, gaussian_mu
from workbench.types import Array, Mask, frozen

_ROUNDING = 1 + 1e-12  # a unit that is a product of floats may be too large by less


@frozen
class Costs:
    """Whitened costs of count, sum and second moment, a, b and c above; the three at once cost 1."""

    count: float
    total: float
    square: float


@frozen
class WholeSums:
    """N, s of shape (d,) and A of shape (d, d) as whole numbers; without A where nobody asks for it."""

    count: int
    total: OnGrid
    square: OnGrid | None = None

    @property
    def alone(self) -> "WholeSums":
        return WholeSums(self.count, self.total)


@frozen
class Sums:
    """Noisy N, s of shape (d,) and A of shape (d, d); without A where it was not priced."""

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
    return Charge(step, "gaussian", 1.0, cost)


def length(d: int, square: bool = True) -> int:
    return 1 + d + (d * (d + 1) // 2 if square else 0)


def grid(radius: float) -> float:
    return step_of(radius, SQUARED_BITS)


def summed(
    n: int, d: int, members: Callable[[slice], tuple[Array, int]], step: float, square: bool = True
) -> WholeSums:
    """Return N, s and A, if wanted; of a block, rows of whole numbers, or zero, and how many count."""

    def part(block: slice) -> Array:
        rows, count = members(block)
        found = np.zeros((2 + d * square, d))
        found[0, 0], found[1] = count, np.ones(len(rows)) @ rows
        if square:
            found[2:] = rows.T @ rows
        return found

    found = total(n, d, part)
    moment = OnGrid(found[2:], step * step) if square else None
    return WholeSums(int(found[0, 0]), OnGrid(found[1], step), moment)  # (1)


def counted_sums(y: Array, counts: Mask, step: float) -> WholeSums:

    def members(block: slice) -> tuple[Array, int]:
        kept = counts[block]
        return (y[block] if kept.all() else y[block] * kept[:, None]), int(kept.sum())

    n, d = y.shape
    return summed(n, d, members, step)


def whitened(sums: WholeSums, radius: float, prices: Costs) -> OnGrid:
    """Return v of step (2), without the part of A where there is no A."""
    r = radius * _ROUNDING
    count = OnGrid(np.array([sums.count]), prices.count / _ROUNDING)
    parts = [count, sums.total * (prices.total / (2 * r))]
    if sums.square is not None:
        square = sums.square * (prices.square / (sqrt(2) * r**2))
        rows, columns = np.triu_indices(len(square))
        parts.append(OnGrid(square.counts[rows, columns], square.unit * _in_norm(rows, columns)))
    return joined(*parts)  # (2)


def read(v: Array, d: int, radius: float, prices: Costs) -> Sums:
    """Return the sums that v stands for; A only if it was priced."""
    r = radius * _ROUNDING
    square = None
    if prices.square > 0:
        square, (rows, columns) = np.empty((d, d)), np.triu_indices(d)
        square[rows, columns] = square[columns, rows] = v[1 + d : length(d)] / _in_norm(rows, columns)
        square *= sqrt(2) * r**2 / prices.square
    return Sums(float(v[0] / prices.count * _ROUNDING), v[1 : 1 + d] * (2 * r / prices.total), square)


def _in_norm(rows: Integers, columns: Integers) -> Array:
    # what makes the l2 norm of the entries from the diagonal on the Frobenius norm of a symmetric matrix
    return np.where(rows == columns, 1.0, sqrt(2))


def release(
    sums: WholeSums, radius: float, prices: Costs, charge: Charge, noise: NoiseSource, size: int = 0
) -> Sums:
    """Return noisy sums: steps (2) and (3).

    A charge that was planned for something else, which nobody wants any more, buys N and s alone with MEAN;
    `size` is how many numbers were planned then, so that the draws stay public.
    """
    noisy = released(whitened(sums, radius, prices), charge, noise, size)
    return read(noisy, len(sums.total), radius, prices)  # (3)


def released(v: OnGrid, charge: Charge, noise: NoiseSource, size: int = 0) -> Array:
    """Return v plus noise, where `size` numbers or more are drawn."""
    padding = OnGrid(np.zeros(max(0, size - len(v)), np.int64), 1.0)
    return gaussian(joined(v, padding), charge, noise)[: len(v)]


def merged(releases: Sequence[tuple[Sums, Costs, Budget]]) -> Sums:
    """Return N and s of several releases of the same rows, averaged by their precisions.

    Releases of costs μ_i and one kind are worth one of cost √(Σ μ_i²): what is left of a budget is not lost.
    """
    sizes = np.array([gaussian_mu(cost) ** 2 for *_, cost in releases])
    count = sizes * [prices.count**2 for _, prices, _ in releases]
    total = sizes * [prices.total**2 for _, prices, _ in releases]
    return Sums(
        float(count @ [sums.count for sums, *_ in releases] / count.sum()),
        total @ [sums.total for sums, *_ in releases] / total.sum(),
    )
