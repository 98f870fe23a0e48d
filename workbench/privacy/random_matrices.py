"""Random positive definite matrices round the identity, whose laws do not change under rotations."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.types import Array


def wishart(d: int, rows: float, rng: np.random.Generator) -> Array:
    """Return W/ν for W ~ Wishart_d(I, ν), ν > d - 1 a real number,."""
    lower = bartlett(d, rows, rng)
    return np.asarray(lower @ lower.T / rows)


def bartlett(
    d: int, rows: float, rng: np.random.Generator, count: tuple[int, ...] = (), *, upper: bool = False
) -> Array:
    """Return triangular factors A, shape (*count, d, d), with A Aᵀ (AᵀA for `upper`) ~ Wishart_d(I, ν).

    A_jj² ~ χ² with ν - j + 1 degrees of freedom, N(0, 1) beside the diagonal (Bartlett 1933).
    """
    beside, axes = _below(d).T if upper else _below(d), np.arange(d)
    factors = np.where(beside, rng.standard_normal((*count, d, d)), 0.0)
    factors[..., axes, axes] = np.sqrt(rng.chisquare(rows - axes, (*count, d)))
    return np.asarray(factors)


def square(d: int, eta: float, rng: np.random.Generator) -> Array:
    """Return (I + ηG)(I + ηG)ᵀ for G of independent N(0, 1)."""
    root = np.eye(d) + eta * rng.standard_normal((d, d))
    return np.asarray(root @ root.T)


def thompson_laplace(d: int, rate: float, rng: np.random.Generator) -> Array:
    """Return U diag(e^λ) Uᵀ, U uniform, λ of density ∝ Π sinh(|λ_i - λ_j|/2) e^(-θ max|λ|).

    Exact, by rejection. With c = ⌊d²/4⌋, D = d(d+1)/2: z of density ∝ Π |z_i - z_j| on [-1, 1]^d, the
    eigenvalues of a matrix beta variable; λ = z times a Gamma(D + 1) variable of rate θ - c, which makes the
    density ∝ Π |λ_i - λ_j| e^(-(θ - c) max|λ|); kept with probability Π sinhc((λ_i - λ_j)/2) e^(-c max|λ|).
    """
    values, basis = _exponents(d, rate, rng), uniform_basis(d, rng)
    return np.asarray((basis * np.exp(values)) @ basis.T)


def uniform_basis(d: int, rng: np.random.Generator) -> Array:
    """Return a uniformly random orthogonal matrix."""
    basis, r = np.linalg.qr(rng.standard_normal((d, d)))
    return np.asarray(basis * np.sign(np.diag(r)))


def _exponents(d: int, rate: float, rng: np.random.Generator) -> Array:
    floor = d * d // 4
    above = _below(d).T
    while True:
        values = rng.gamma(d * (d + 1) / 2 + 1, 1 / (rate - floor)) * _repelled(d, rng)
        halves = np.abs(values[:, None] - values)[above] / 2
        kept = np.log(_sinhc(halves)).sum() - floor * np.abs(values).max()
        if np.log(rng.random()) <= kept:
            return values


def _repelled(d: int, rng: np.random.Generator) -> Array:
    """Return z of density ∝ Π |z_i - z_j| on [-1, 1]^d."""
    first, second = wishart(d, d + 1, rng), wishart(d, d + 1, rng)
    lower = np.linalg.inv(np.linalg.cholesky(first + second))
    return np.asarray(2 * np.linalg.eigvalsh(lower @ first @ lower.T) - 1)


@lru_cache(maxsize=64)
def _below(d: int) -> NDArray[np.bool_]:
    """Return where a matrix is below its diagonal."""
    mask = np.tri(d, k=-1, dtype=bool)
    mask.flags.writeable = False
    return mask


def _sinhc(x: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return np.where(x < 1e-4, 1 + x * x / 6, np.sinh(x) / x)
