"""The law of a quadratic form gᵀUg of a standard normal vector g, from the eigenvalues λ of U.

gᵀUg = Σ λ g_k². Two numbers of it are needed quickly and for any signs of λ:

    upper_tail    P(Σ λ g_k² ≥ x) at thresholds a fifth of the tail apart: the saddle point formula
                  (Lugannani & Rice 1980); relative error a few per cent, a seventh for λ of both signs
                  and for the left tail of a single square
    above_mean    P(Σ λ g_k² ≥ Σ λ), where that formula is singular: inversion (Imhof 1961), error below .003

Rows y enter by their products z(y), d(d + 1)/2 numbers of mean 0 and covariance I for normal rows: a unit
vector u stands for a symmetric U of Frobenius norm 1, and yᵀUy = √2 u·z + tr U.
"""

from functools import lru_cache

import numpy as np

from workbench.special import ndtr
from workbench.types import Array

POINTS = 40  # saddle points of a tail
FRACTIONS = 1 - 2.0 ** (-np.arange(1, POINTS + 1) / 4)  # of the way to the pole
DEFINITE = 1e-3  # a largest eigenvalue below this share of the spectrum is none
LEFT = np.geomspace(0.05, 300, POINTS)  # saddle points where there is no pole on the right
STEP = 0.1
NODES = STEP * (np.arange(600) + 0.5)


def upper_tail(spectrum: Array) -> tuple[Array, Array]:
    """Return thresholds x, increasing, and P(Σ λ g_k² ≥ x) at them, all at most 1/2.

    With K(s) = -½ Σ ln(1 - 2sλ): x = K'(s), and P = 1 - Φ(r) + φ(r)(1/v - 1/r), r² = 2(sx - K), v² = s² K''.
    """
    largest, size = float(spectrum.max()), float(np.abs(spectrum).max())
    s = FRACTIONS / (2 * largest) if largest > DEFINITE * size else LEFT / size
    room = 1 - 2 * np.multiply.outer(s, spectrum)
    x = (spectrum / room).sum(axis=1)
    r = np.sqrt(np.maximum(2 * s * x + np.log(room).sum(axis=1), 1e-12))
    v = s * np.sqrt(2 * ((spectrum / room) ** 2).sum(axis=1))
    tail = ndtr(-r) + np.exp(-r * r / 2) / np.sqrt(2 * np.pi) * (1 / v - 1 / r)
    return x, np.minimum.accumulate(np.clip(tail, 0.0, 0.5))


def above_mean(spectrum: Array) -> float:
    """Return P(Σ λ g_k² ≥ Σ λ) = ½ + (1/π) ∫₀^∞ sin θ(t)/(t ρ(t)) dt.

    θ(t) = ½ Σ (arctan λt - λt) and ρ(t) = Π (1 + λ²t²)^¼; midpoint rule, within
    1e-3: for one λ the integrand falls slowly.

    >>> round(above_mean(np.array([1.0, 1.0])), 3)  # 1/e
    0.368
    """
    angles = np.multiply.outer(NODES, spectrum)
    turn = 0.5 * (np.arctan(angles) - angles).sum(axis=1)
    damping = NODES * np.exp(0.25 * np.log1p(angles * angles).sum(axis=1))
    return float(0.5 + STEP / np.pi * (np.sin(turn) / damping).sum())


@lru_cache(maxsize=64)
def _places(d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows and columns of a triangle, and where it is the diagonal."""
    first, second = np.triu_indices(d)
    return first, second, first == second


def products(rows: Array) -> Array:
    """Return z of every row: (y_i² - 1)/√2 and y_i y_j, i < j."""
    first, second, diagonal = _places(rows.shape[1])
    z = rows[:, first] * rows[:, second]
    z[:, diagonal] = (z[:, diagonal] - 1) / np.sqrt(2)
    return z


def matrix_of(u: Array, d: int) -> Array:
    """Return the symmetric U that a vector of products stands for."""
    first, second, diagonal = _places(d)
    matrix = np.zeros((d, d))
    matrix[first, second] = matrix[second, first] = u * np.where(diagonal, 1.0, np.sqrt(0.5))
    return matrix


def vector_of(matrix: Array) -> Array:
    """Return the vector that stands for a symmetric U: same norm."""
    first, second, diagonal = _places(len(matrix))
    return np.asarray(matrix[first, second] * np.where(diagonal, 1.0, np.sqrt(2)))
