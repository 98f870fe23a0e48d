"""What the claims on covariances share: a covariance in a random frame, and distances in its norm.

The norm of Σ is |M|_Σ = |Σ^{-1/2} M Σ^{-1/2}|_F. A covariance is held by its axes, so that rows and norms are
right at condition numbers where Σ itself no longer shows its short axes in floats.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from workbench.distributions import Gaussian
from workbench.estimators.base import Abstention
from workbench.estimators.covariance.empirical import EmpiricalCovariance
from workbench.linalg import second_moment, symmetrised
from workbench.populations import MultivariateGaussian, MultivariateStudent
from workbench.study.claims.l17_location_measures import Measure
from workbench.study.intervals import bootstrap_interval
from workbench.study.profiles import claim_level
from workbench.study.streams import Role, stream

Array = NDArray[np.float64]
RESAMPLES = 1000


@dataclass(frozen=True)
class Rotated:
    """Σ = B diag(values) Bᵀ with orthonormal columns B."""

    basis: Array
    values: Array

    @property
    def covariance(self) -> Array:
        """Σ."""
        return symmetrised((self.basis * self.values) @ self.basis.T)

    def sample(self, n: int, rng: Generator, degrees: float = inf) -> Array:
        """Draw rows of mean 0: normal, or Student's t with these degrees of freedom, shape (n, d)."""
        d = len(self.values)
        round_law = Gaussian(np.zeros(d), np.eye(d))
        law = MultivariateStudent(round_law, degrees) if degrees < inf else MultivariateGaussian(round_law)
        return np.asarray((law.sample(n, rng=rng) * np.sqrt(self.values)) @ self.basis.T)

    def size(self, matrix: ArrayLike) -> float:
        """Return |M|_Σ, infinite where M is not finite."""
        whitening = self.basis / np.sqrt(self.values)
        found = float(np.linalg.norm(whitening.T @ np.asarray(matrix, np.float64) @ whitening))
        return found if np.isfinite(found) else inf

    def error(self, estimate: object) -> float:
        """Return |S - Σ|_Σ, infinite for no answer."""
        if isinstance(estimate, Abstention):
            return inf
        whitening = self.basis / np.sqrt(self.values)
        white = whitening.T @ np.asarray(estimate, np.float64) @ whitening
        found = float(np.linalg.norm(white - np.eye(len(white))))
        return found if np.isfinite(found) else inf

    def sample_error(self, rows: Array) -> float:
        """Return the error of the sample covariance of rows, about their mean.

        It is affine equivariant, and so that of the rows in units of Σ, where rounding is not magnified.
        """
        white = (rows @ self.basis) / np.sqrt(self.values)
        return float(
            np.linalg.norm(np.asarray(EmpiricalCovariance()(white).value) - np.eye(len(self.values)))
        )

    def seen_by(self, matrix: Array) -> Array:
        """Return the eigenvalues of A Σ Aᵀ, ascending, by singular values of A Σ^{1/2}."""
        return np.asarray(
            np.linalg.svd(matrix @ (self.basis * np.sqrt(self.values)), compute_uv=False)[::-1] ** 2
        )


def rotated(values: ArrayLike, rng: Generator) -> Rotated:
    """Return a covariance with this spectrum in a uniformly random frame."""
    spectrum = np.asarray(values, np.float64)
    q, r = np.linalg.qr(rng.standard_normal((len(spectrum), len(spectrum))))
    return Rotated(q * np.sign(np.diag(r)), spectrum)


def geometric(d: int, condition: float) -> Array:
    """Return d eigenvalues from 1 to the condition number, equal ratios apart."""
    return np.geomspace(1.0, condition, d)


def without_privacy(rows: Array) -> Array:
    """Return the sample covariance of rows whose mean is known to be 0."""
    return second_moment(rows)


def summary(
    statistic: Callable[[Array], float], values: ArrayLike, seed: int, name: str, level: float | None = None
) -> Measure:
    """Return a statistic of trials, one in each row, and its interval by resampling them."""
    rows = np.asarray(values, np.float64)
    rng = stream(seed, Role.BOOTSTRAP, name, 0, 0)
    interval = bootstrap_interval(statistic, rows, level or claim_level(), rng, RESAMPLES)
    return Measure(float(statistic(rows)), interval, len(rows))
