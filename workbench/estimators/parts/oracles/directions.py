"""The quadratic directions in which a filter looks at whitened rows y, and rows that are far at a glance.

A direction is a symmetric U of Frobenius norm 1, by its vector (`parts.oracles.quadratic_form`):

    (1) I/√d: all rows too long or too short
    (2) the top three and the lowest eigenvectors of M = mean z zᵀ, and the top one's rank-one part: products
        that vary more, or less, than those of normal rows
    (3) H = mean y yᵀ/|y|² - I/d, its normalised self and the rank-one matrices of its extreme eigenvectors:
        outliers whose fourth moments are those of normal rows leave a mark on what rows point at

On the line only (1) is left. Far rows are found by peeling: what is kept decides what is far, a dozen times;
the peel itself is forgotten, because a trimmed scatter is too small and would call clean tails outliers.
"""

import numpy as np

from workbench.estimators.parts.oracles.quadratic_form import matrix_of, products, vector_of
from workbench.special import chdtri
from workbench.types import Array

TOP = 3
PEELS, DEVIATIONS = 12, 10.0
FARTHER = 5.0  # times the length² of a normal row at 999/1000
BEYOND = 1e5  # times a coordinate's median: far in any frame


def whitened(rows: Array, moment: Array) -> Array:
    """Return L⁻¹x of every row, LLᵀ = `moment`; raise LinAlgError if that is not positive definite."""
    return np.asarray(np.linalg.solve(np.linalg.cholesky(moment), rows.T).T)


def weighted_moment(rows: Array, weights: Array) -> Array:
    """Return Σ w x xᵀ/Σ w."""
    return np.asarray((rows * weights[:, None]).T @ rows / weights.sum())


def directions(y: Array, z: Array, weights: Array) -> list[Array]:
    """Return the vectors of (1) to (3) for whitened rows and their products."""
    d = y.shape[1]
    found = [vector_of(np.eye(d)) / np.sqrt(d)]
    if d == 1:
        return found
    axes = np.linalg.eigh((z * weights[:, None]).T @ z)[1]
    found += [_rank_one(axes[:, -1], d), *axes[:, : -TOP - 1 : -1].T, axes[:, 0]]
    return found + _pointing(y, weights)


def _rank_one(u: Array, d: int) -> Array:
    values, basis = np.linalg.eigh(matrix_of(u, d))
    axis = basis[:, np.argmax(np.abs(values))]
    return vector_of(np.outer(axis, axis))


def _pointing(y: Array, weights: Array) -> list[Array]:
    """Return the vectors of (3)."""
    squares = (y * y).sum(axis=1)
    shares = np.where(squares > 0, weights, 0.0) / np.where(squares > 0, squares, 1.0)
    h = ((y * shares[:, None]).T @ y - np.eye(y.shape[1]) * weights[squares > 0].sum() / y.shape[1]) / (
        weights.sum()
    )
    basis, size = np.linalg.eigh(h)[1], float(np.linalg.norm(h))
    extremes = [vector_of(np.outer(axis, axis)) for axis in basis[:, [0, -1]].T]
    return [vector_of(h / size), *extremes] if size > 0 else extremes


def beyond_any_frame(rows: Array) -> np.ndarray:
    """Return the rows with a coordinate that no frame explains: 10⁵ times its median and more."""
    sizes = np.abs(rows)
    return np.asarray((sizes > BEYOND * np.maximum(np.median(sizes, axis=0), 1e-300)).any(axis=1))


def far_rows(rows: Array, corruption: float) -> np.ndarray:
    """Return which rows are far from a scatter that peeling finds."""
    n, d = rows.shape
    keep = np.ones(n, bool)
    for _ in range(PEELS):
        moment = weighted_moment(rows[keep], np.ones(int(keep.sum())))
        off = _outlying(products(whitened(rows[keep], moment)), d)
        if not off.any() or n - keep.sum() + off.sum() > 3 * corruption * n + 3:
            break
        keep[np.flatnonzero(keep)[off]] = False
    squares = (whitened(rows, moment) ** 2).sum(axis=1)
    return np.asarray(squares > FARTHER * np.median(squares) * chdtri(d, 1e-3) / chdtri(d, 0.5))


def _outlying(z: Array, d: int) -> np.ndarray:
    """Return the rows that are 10 median deviations off in the widest direction, or in length."""
    widest = np.linalg.eigh(z.T @ z)[1][:, -1]
    off = np.zeros(len(z), bool)
    for u in (vector_of(np.eye(d)) / np.sqrt(d), _rank_one(widest, d), widest):
        values = z @ u
        deviations = np.abs(values - np.median(values))
        off |= deviations > DEVIATIONS * np.median(deviations)
    return off
