"""Rows along rotated axes, with errors that are exact in units of their own covariance.

A covariance is held by its axes and eigenvalues, because Σ itself no longer shows its short axes in floats
when it is long. Norms are those of Σ: |M|_Σ = |Σ^{-1/2} M Σ^{-1/2}|_F.
"""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError, finite
from workbench.linalg import symmetrised
from workbench.populations.gaussian import MultivariateGaussian
from workbench.populations.heavy_tailed import MultivariateStudent
from workbench.privacy.noise import uniform_basis
from workbench.types import Array


@dataclass(frozen=True, eq=False)
class Rotated:
    """The normal law of covariance B diag(values) Bᵀ, or Student's t of the same moments.

    Parameters
    ----------
    basis : array of shape (d, d)
        B, with orthonormal columns.
    values : array of shape (d,)
        The eigenvalues, all positive.
    centre : array of shape (d,), optional
        The mean; None for 0.
    degrees : float, default inf
        Degrees of freedom of Student's t, more than 2; inf for the normal law.

    Examples
    --------
    >>> law = Rotated(np.eye(2), np.array([1.0, 1e12]))
    >>> law.error(np.diag([2.0, 1e12]))
    1.0
    """

    basis: Array
    values: Array
    centre: Array | None = None
    degrees: float = inf

    @property
    def d(self) -> int:
        return len(self.values)

    @property
    def mean(self) -> Array:
        return np.zeros(self.d) if self.centre is None else self.centre

    @property
    def covariance(self) -> Array:
        return symmetrised((self.basis * self.values) @ self.basis.T)

    @property
    def whitening(self) -> Array:
        """W with Wᵀ Σ W = I."""
        return np.asarray(self.basis / np.sqrt(self.values))

    def sample(self, n: int, *, rng: np.random.Generator) -> Array:
        round_law = Gaussian(np.zeros(self.d), np.eye(self.d))
        normal = self.degrees == inf
        law = MultivariateGaussian(round_law) if normal else MultivariateStudent(round_law, self.degrees)
        rows = np.asarray((law.sample(n, rng=rng) * np.sqrt(self.values)) @ self.basis.T)
        return rows if self.centre is None else rows + self.centre

    def in_units(self, matrix: ArrayLike) -> Array:
        """Return Wᵀ M W: I for the covariance itself."""
        return np.asarray(self.whitening.T @ np.asarray(matrix, np.float64) @ self.whitening)

    def size(self, matrix: ArrayLike) -> float:
        """Return |M|_Σ, infinite where M is not finite."""
        return _norm(self.in_units(matrix))

    def error(self, covariance: ArrayLike) -> float:
        """Return |S - Σ|_Σ, infinite where S is not finite."""
        return _norm(self.in_units(covariance) - np.eye(self.d))

    def mean_error(self, mean: ArrayLike) -> float:
        """Return |Σ^{-1/2} (m - mean)|, infinite where m is not finite."""
        return _norm(self.whitening.T @ (np.asarray(mean, np.float64) - self.mean))

    def sample_error(self, rows: Array) -> float:
        """Return the error of the sample covariance of rows, about their mean.

        It is affine equivariant, and so that of the rows in units of Σ, where rounding is not magnified.
        """
        white = (rows @ self.basis) / np.sqrt(self.values)
        white = white - white.mean(axis=0)
        return _norm(symmetrised(white.T @ white) / len(white) - np.eye(self.d))

    def seen_by(self, matrix: Array) -> Array:
        """Return the eigenvalues of A Σ Aᵀ, ascending, by singular values of A Σ^{1/2}."""
        values = np.linalg.svd(matrix @ (self.basis * np.sqrt(self.values)), compute_uv=False)
        return np.asarray(values[::-1] ** 2)


def _norm(array: Array) -> float:
    found = float(np.linalg.norm(array))
    return found if np.isfinite(found) else inf


def rotated(values: ArrayLike, rng: np.random.Generator, far: float = 0.0, degrees: float = inf) -> Rotated:
    """Return a law with these eigenvalues along random axes, its mean `far` standard deviations away.

    Axes are uniformly random, and so is the direction of the mean in units of Σ.

    >>> law = rotated([1.0, 1e8], np.random.default_rng(1), far=1000.0)
    >>> round(law.mean_error(np.zeros(2)))
    1000
    """
    finite(far=far)
    spectrum = np.asarray(values, np.float64)
    if spectrum.ndim != 1 or not (np.isfinite(spectrum) & (spectrum > 0)).all():
        raise ArgumentError("values", values, "d finite numbers above 0")
    basis = uniform_basis(len(spectrum), rng)
    if not far:
        return Rotated(basis, spectrum, degrees=degrees)
    direction = rng.standard_normal(len(spectrum))
    centre = basis @ (np.sqrt(spectrum) * direction * far / np.linalg.norm(direction))
    return Rotated(basis, spectrum, np.asarray(centre), degrees)
