"""Symmetric matrices, the explicit tail bounds of Gaussian vectors and matrices, and rows of truths.

Functions of matrices act on eigenvalues; every result that stands for a symmetric matrix is exactly
symmetric in floats. Nothing here is private or random.
"""

from collections.abc import Callable
from functools import reduce
from math import log, pi, sqrt

import numpy as np

from workbench.errors import ArgumentError, integer_at_least, probability
from workbench.types import Array, Mask

SHORT = 16  # entries of a row
MANY = 10**12  # that a search looks at: a small ε hides more, however many


def symmetrised(matrix: Array) -> Array:
    return np.asarray((matrix + matrix.T) / 2)


def second_moment(rows: Array) -> Array:
    """Return (1/n) Σ x xᵀ of rows of shape (n, d)."""
    return symmetrised(rows.T @ rows) / len(rows)


def spectral_map(matrix: Array, function: Callable[[Array], Array]) -> Array:
    """Return V diag(f(λ)) Vᵀ for the symmetric matrix V diag(λ) Vᵀ."""
    values, basis = np.linalg.eigh(symmetrised(matrix))
    return symmetrised((basis * function(values)) @ basis.T)


def mapped_back(matrix: Array, a: Array) -> Array:
    """Return A⁻¹ M A⁻ᵀ, symmetric."""
    half = np.linalg.solve(a, matrix)
    return symmetrised(np.linalg.solve(a, half.T))


def thompson_of_roots(first: Array, second: Array) -> float:
    """Return max |ln λ| over the eigenvalues of A⁻¹B, from roots of A and B: neither is formed.

    >>> round(thompson_of_roots(np.eye(2), np.diag([1e-9, 1.0])), 3)
    41.447
    """
    values = np.linalg.svd(np.linalg.solve(first, second), compute_uv=False)
    return float(2 * np.abs(np.log(values)).max())


def half_sphere(count: int) -> Array:
    """Return `count` Fibonacci points of the upper half of the unit sphere, shape (count, 3)."""
    height = (np.arange(count) + 0.5) / count
    turn = pi * (3 - sqrt(5)) * np.arange(count)
    width = np.sqrt(1 - height**2)
    return np.stack([width * np.cos(turn), width * np.sin(turn), height], axis=1)


def psd_part(matrix: Array) -> Array:
    """Return the nearest positive semidefinite matrix in Frobenius norm: negative eigenvalues become 0.

    >>> psd_part(np.diag([1.0, -2.0])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    return spectral_map(matrix, lambda values: np.maximum(values, 0.0))


def norms(rows: Array) -> Array:
    """Return the Euclidean norm of every row of shape (n, d); entries may be as large as 1e150."""
    return np.sqrt(squares(rows))


def squares(rows: Array) -> Array:
    return np.einsum("ij,ij->i", rows, rows)


def tail(d: int, beta: float) -> float:
    """Return an upper β-quantile of the norm of N(0, I_d), or more (Laurent & Massart 2000).

    √(d + 2√(d ln 1/β) + 2 ln 1/β).

    >>> round(tail(10, 0.05), 2)
    5.19
    """
    integer_at_least(1, d=d)
    probability(beta=beta)
    level = log(1 / beta)
    return sqrt(d + 2 * sqrt(d * level) + 2 * level)


def symmetric_noise_norm(d: int, beta: float) -> float:
    """Return an upper β-quantile of the spectral norm of unit symmetric noise, or more.

    Unit noise has sd 1 on the diagonal and 1/√2 off it. Its largest eigenvalue has mean at most √(2d) and
    is 1-Lipschitz in independent standard normals: √2 (√d + √ln(2/β)), both signs.
    """
    integer_at_least(1, d=d)
    probability(beta=beta)
    return sqrt(2) * (sqrt(d) + sqrt(log(2 / beta)))


def symmetric_noise_frobenius(d: int, beta: float) -> float:
    """Return an upper β-quantile of the Frobenius norm of unit symmetric noise, or more."""
    return tail(d * (d + 1) // 2, beta)


def sample_covariance_excess(n: int, d: int, beta: float) -> float:
    """Return η with |S - I| ≤ η in spectral norm, with probability 1 - β, S the second moment of n N(0, I_d).

    η = 2x + x², x = √(d/n) + √(2 ln(2/β)/n) (Davidson & Szarek 2001).
    """
    integer_at_least(1, n=n, d=d)
    probability(beta=beta)
    deviation = sqrt(d / n) + sqrt(2 * log(2 / beta) / n)
    return 2 * deviation + deviation**2


def throughout(rows: Mask) -> Mask:
    """Return which rows are true in every column; short rows by columns, in a tenth of the time.

    Rows without columns, of coordinates in a subspace of rank 0, are.
    """
    if rows.shape[1] > SHORT:
        return np.asarray(rows.all(axis=1))
    return reduce(np.logical_and, rows.T, np.ones(len(rows), np.bool_))


def fewest(design: Callable[[int], object], start: int, within: float = 1.0) -> int:
    """Return the fewest rows that `design` does not refuse, to a factor `within`, or more than 10¹².

    A design that is None or an `ArgumentError` is a refusal. Rows below half of `start` are not looked at.
    """

    def found(n: int) -> bool:
        try:
            return design(n) is not None
        except ArgumentError:
            return False

    low, high = start // 2, start
    while high <= MANY and not found(high):
        low, high = high, 2 * high
    while MANY >= high > within * low + 1:
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high
