"""What a population is, and the moments that location-scale populations share."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from workbench.distributions import Gaussian
from workbench.errors import finite, integer_at_least, positive
from workbench.types import Array


@runtime_checkable
class Population(Protocol):
    """A law with a known mean; `d` is None on the line, where a sample has shape (n,) instead of (n, d)."""

    @property
    def d(self) -> int | None:
        """Dimension, None for numbers instead of rows."""

    @property
    def mean(self) -> Any:
        """The mean to be estimated: a number, or an array of shape (d,)."""

    def sample(self, n: int, *, rng: np.random.Generator) -> Array:
        """Draw n independent values."""


@dataclass(frozen=True)
class Univariate:
    """Mean and standard deviation of a law on the line."""

    mean: float = 0.0
    sigma: float = 1.0

    def __post_init__(self) -> None:
        finite(mean=self.mean)
        positive(sigma=self.sigma)

    @property
    def d(self) -> None:
        """None: values are numbers."""

    def scaled(self, standard: Array) -> Array:
        """Give values of mean 0 and variance 1 this mean and `sigma`, in place."""
        standard *= self.sigma
        standard += self.mean
        return standard


@dataclass(frozen=True)
class Multivariate:
    """Mean and covariance of a law in d dimensions, held by the Gaussian that has the same ones."""

    moments: Gaussian

    @property
    def d(self) -> int:
        """Dimension."""
        return self.moments.d

    @property
    def mean(self) -> Array:
        """Mean of shape (d,)."""
        return self.moments.mean

    @property
    def covariance(self) -> Array:
        """Covariance of shape (d, d)."""
        return self.moments.covariance

    @cached_property
    def root(self) -> Array:
        """The symmetric root of the covariance."""
        values, basis = np.linalg.eigh(self.covariance)
        return np.asarray((basis * np.sqrt(np.maximum(values, 0.0))) @ basis.T, dtype=np.float64)

    def scaled(self, standard: Array) -> Array:
        """Give rows of mean 0 and covariance I this mean and covariance (its symmetric root is used)."""
        rows = standard @ self.root
        rows += self.mean
        return rows


def checked_size(n: int) -> int:
    """Return n after checking that it is an integer, 0 or more."""
    integer_at_least(0, n=n)
    return int(n)
