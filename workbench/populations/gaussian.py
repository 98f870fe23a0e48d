"""Gaussian data, on the line and in d dimensions."""

from dataclasses import dataclass
from math import prod

import numpy as np

from workbench.errors import integer_at_least
from workbench.populations.base import Multivariate, Univariate, checked_size
from workbench.types import Array


@dataclass(frozen=True)
class UnivariateGaussian(Univariate):
    """N(mean, sigma^2)."""

    def sample(self, n: int, *, rng: np.random.Generator) -> Array:
        """Draw n independent numbers, shape (n,)."""
        return self.scaled(rng.standard_normal(checked_size(n)))


@dataclass(frozen=True)
class MultivariateGaussian(Multivariate):
    """N(mean, covariance) of `moments`; a singular covariance gives data in its range.

    >>> from workbench.distributions import Gaussian
    >>> law = MultivariateGaussian(Gaussian([1, 2], np.eye(2)))
    >>> law.sample(4, rng=np.random.default_rng(1)).shape
    (4, 2)
    """

    def hypercontractivity(self, moments: int) -> float:
        """Return C = (2k - 1)!! with E<v, X - mean>^{2k} = C (v' Sigma v)^k for every v, k = `moments`."""
        integer_at_least(1, moments=moments)
        return float(prod(range(1, 2 * moments, 2)))

    def sample(self, n: int, *, rng: np.random.Generator) -> Array:
        """Draw n independent rows, shape (n, d)."""
        return self.scaled(rng.standard_normal((checked_size(n), self.d)))
