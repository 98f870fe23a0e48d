"""The covariance of roughly white rows: winsorise at a chi-square quantile, release, invert the bias.

Rows w of shape (n, d), mean 0, covariance near I. Neighbours: replace one row.

    (1) Z = (1/n) Σ v vᵀ + symmetric noise, v = w shrunk to the ball of radius R        sensitivity √2 R²/n
    (2) negative eigenvalues of Z are set to 0
    (3) l such that E[l_i z_i² min(1, R²/Σ_j l_j z_j²)] is the i-th eigenvalue of (2), z standard normal;
        out = the matrix of (2) with these eigenvalues

R² is the chi-square quantile of least predicted error for white normal rows, a function of n, d and cost
alone. A smaller ball costs some efficiency and saves noise in proportion to R². Step (3) makes the result
consistent for normal rows of any covariance, white or not; for others it is the covariance that a normal law
with the same winsorised second moment has. Proof: `proofs/winsorised_covariance.md`.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np

from workbench.estimators.parts.normal_ball import kept_share
from workbench.estimators.parts.rows import second_moment_sensitivity
from workbench.linalg import spectral_map
from workbench.privacy import Budget, Charge, NoiseSource
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import gaussian_mu, symmetric_gaussian
from workbench.special import chdtri, gammainc, gammaincc
from workbench.types import Array

BEYOND = np.concatenate([np.geomspace(1e-9, 0.3, 40), np.linspace(0.32, 0.96, 33)])  # shares of white rows
DIRECTIONS, SEED = 4096, 20  # fixed and public, for step (3)
NODES, STEEP = 48, 16.0  # of an interpolation, and how many square roots of d it may cross
APART = 1e-9  # of what rounding may leave of equal numbers
ROUNDS, CLOSE, FARTHEST = 100, 1e-9, 32.0
_INSIDE = 1e9  # a ball this much larger than the rows takes nothing from them
_TINY = 1e-290  # moments below it are taken as 0: their ratios would leave the floats


@dataclass(frozen=True)
class WinsorisedCovariance:
    """The recipe for n rows of dimension d at a cost that a Gaussian mechanism takes.

    A caller charges `charge(step)`, forms the second moment of rows within `radius`
    (`parts.integers.second_moment_within`) in whatever frame it has, and passes it to `release`.
    """

    n: int
    d: int
    cost: Budget

    @property
    def radius(self) -> float:
        """R of step (1)."""
        return _best_radius(self.n, self.d, gaussian_mu(self.cost))

    @property
    def predicted_error(self) -> float:
        """The rms Frobenius error for white normal rows, to first order."""
        return sqrt(
            float(squared_errors(np.array([self.radius**2]), self.n, self.d, gaussian_mu(self.cost))[0])
        )

    def charge(self, step: str) -> Charge:
        """Return the charge of step (1)."""
        return Charge(step, "symmetric_gaussian", second_moment_sensitivity(self.n, self.radius), self.cost)

    def release(self, moment: OnGrid | Array, charge: Charge, noise: NoiseSource) -> Array:
        """Return the covariance from the second moment of rows within `radius`: steps (1) to (3)."""
        return unwinsorised(symmetric_gaussian(moment, charge, noise), self.radius)


def unwinsorised(moment: Array, radius: float) -> Array:
    """Return steps (2) and (3) of a symmetric matrix."""
    return spectral_map(moment, lambda values: uncensored_spectrum(np.maximum(values, 0.0), radius))


def uncensored_spectrum(values: Array, radius: float) -> Array:
    """Return the variances whose normal rows, winsorised at `radius`, have these second moments.

    The fixed point of l ← l v/h(l), h the second moments at variances l. Moments that no variances have
    (their sum is not below R²) end at most 32 times where they began.
    """
    found = np.where(values > _TINY, values, 0.0)
    for _ in range(ROUNDS):
        step = np.divide(values, censored_spectrum(found, radius), out=np.ones_like(values), where=found > 0)
        found = np.minimum(found * step, FARTHEST * values)
        if np.abs(step - 1).max() < CLOSE:
            break
    return found


def censored_spectrum(variances: Array, radius: float) -> Array:
    """Return h_i = E[l_i z_i² min(1, R²/Σ_j l_j z_j²)], exact where all l are equal.

    z is a direction u times an independent length √χ²_d. Expectations over the length are exact; directions
    are averaged over fixed public ones.
    """
    d, squares = len(variances), _directions(len(variances))
    spread = np.maximum(squares @ variances, radius**2 / _INSIDE)
    return np.asarray(variances * (_kept_shares(radius**2 / spread, d) @ squares) * (d / len(squares)))


def _kept_shares(squared: Array, d: int) -> Array:
    """Return `kept_share` of many numbers; of those near each other by interpolation, to 1e-13 or so."""
    low, high = float(squared.min()), float(squared.max())
    if len(squared) < 8 * NODES or not low * (1 + APART) < high <= min(4 * low, low + STEEP * sqrt(d)):
        return kept_share(squared, d)
    middle, half = (high + low) / 2, (high - low) / 2
    nodes = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    at = kept_share(middle + half * nodes, d)
    orders = np.arange(NODES)
    series = 2 / NODES * (at @ np.cos(np.outer(np.arccos(nodes), orders)))
    series[0] /= 2
    return np.asarray(np.polynomial.chebyshev.chebval((squared - middle) / half, series))


@lru_cache(maxsize=16)
def _directions(d: int) -> Array:
    """Return the squares of fixed unit vectors, shape (about 4096, d), closed under cyclic shifts."""
    count = DIRECTIONS // d + 1 if d > 1 else 1
    rows = np.random.default_rng(SEED).standard_normal((count, d)) ** 2
    rows /= rows.sum(axis=1, keepdims=True)
    squares = np.concatenate([np.roll(rows, shift, axis=1) for shift in range(d)])
    squares.flags.writeable = False
    return squares


def squared_errors(squared: Array, n: int, d: int, mu: float | Array) -> Array:
    """Return the expected squared Frobenius error of white normal rows for squared radii, to first order.

    The matrix has one direction of size (the trace) and d(d+1)/2 - 1 of shape. Winsorising multiplies a
    change of size by P(χ²_{d+2} ≤ R²) and one of shape by that plus R² P(χ²_d > R²)/(d+2); sampling errors
    and noise of the winsorised moment are divided by these slopes.
    """
    return _errors(_winsorised(squared, d), n, d, mu)


def _winsorised(squared: Array, d: int) -> tuple[Array, ...]:
    """Return squared radii, the slopes of size and shape there, and second and fourth moments of rows."""
    beyond, size_slope = gammaincc(d / 2, squared / 2), gammainc(d / 2 + 1, squared / 2)
    shape_slope = size_slope + squared * beyond / (d + 2)
    second = d * size_slope + squared * beyond
    fourth = d * (d + 2) * gammainc(d / 2 + 2, squared / 2) + squared**2 * beyond
    return squared, size_slope, shape_slope, second, fourth


def _errors(winsorised: tuple[Array, ...], n: int, d: int, mu: float | Array) -> Array:
    squared, size_slope, shape_slope, second, fourth = winsorised
    noise = 2 * (squared / (n * mu)) ** 2
    size = ((fourth - second**2) / (d * n) + noise) / size_slope**2
    shape = (fourth * (1 - 1 / d) / n + (d * (d + 1) // 2 - 1) * noise) / shape_slope**2
    return np.asarray(size + shape)


@lru_cache(maxsize=64)
def _quantiles(d: int) -> tuple[Array, ...]:
    return _winsorised(chdtri(d, BEYOND), d)


@lru_cache(maxsize=4096)
def _best_radius(n: int, d: int, mu: float) -> float:
    return sqrt(float(_quantiles(d)[0][np.argmin(_errors(_quantiles(d), n, d, mu))]))
