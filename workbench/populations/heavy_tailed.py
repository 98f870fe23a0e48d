"""Student's t and Pareto, scaled to a stated covariance: polynomial tails.

In d dimensions X = mean + Sigma^{1/2} g sqrt((nu - 2) / c), with one c ~ chi^2_nu per row, so that every
projection of a row follows the law of d = 1 and has the same hypercontractivity constants. Pareto's law has
one tail: its rows are skewed.
"""

from dataclasses import dataclass
from math import prod, sqrt

import numpy as np

from workbench.errors import ArgumentError, integer_at_least, real
from workbench.populations.base import Multivariate, Univariate, checked_size
from workbench.types import Array


def student_hypercontractivity(degrees: float, moments: int) -> float:
    """Return C with E<v, X - mean>^{2k} = C (v' Sigma v)^k for every v, k = `moments` < degrees / 2.

    C = (2k - 1)!! (nu - 2)^{k-1} / ((nu - 4) ... (nu - 2k)): the normal moment times that of the factor
    ((nu - 2) / c)^k. At k = 2 it is 3 (nu - 2) / (nu - 4), at k = 3 15 (nu - 2)^2 / ((nu - 4)(nu - 6)).

    >>> student_hypercontractivity(8.0, 2), student_hypercontractivity(8.0, 3)
    (4.5, 67.5)
    """
    _require_variance("degrees", degrees)
    integer_at_least(1, moments=moments)
    if 2 * moments >= degrees:
        raise ArgumentError("moments", moments, f"less than degrees / 2 = {degrees / 2}")
    factors = ((2 * i - 1) * (degrees - 2) / (degrees - 2 * i) for i in range(1, moments + 1))
    return float(prod(factors))


def _require_variance(name: str, index: float) -> None:
    if not (real(index) and index > 2):
        raise ArgumentError(name, index, "a finite number above 2 (the variance exists)")


def _radial(n: int, degrees: float, rng: np.random.Generator) -> Array:
    return np.asarray(np.sqrt((degrees - 2) / rng.chisquare(degrees, n)), dtype=np.float64)


@dataclass(frozen=True)
class UnivariateStudent(Univariate):
    """Student's t with nu = `degrees`, shifted and scaled to mean and standard deviation sigma."""

    degrees: float = 5.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_variance("degrees", self.degrees)

    def hypercontractivity(self, moments: int) -> float:
        """Return the constant C at k = `moments`."""
        return student_hypercontractivity(self.degrees, moments)

    def sample(self, n: int, *, rng: np.random.Generator) -> Array:
        standard = rng.standard_normal(checked_size(n))
        standard *= _radial(n, self.degrees, rng)
        return self.scaled(standard)


@dataclass(frozen=True)
class MultivariateStudent(Multivariate):
    """The elliptical t with nu = `degrees` and the mean and covariance of `moments`."""

    degrees: float = 5.0

    def __post_init__(self) -> None:
        _require_variance("degrees", self.degrees)

    def hypercontractivity(self, moments: int) -> float:
        """Return the constant C at k = `moments`, the same in every direction."""
        return student_hypercontractivity(self.degrees, moments)

    def sample(self, n: int, *, rng: np.random.Generator) -> Array:
        standard = rng.standard_normal((checked_size(n), self.d))
        standard *= _radial(n, self.degrees, rng)[:, None]
        return self.scaled(standard)


@dataclass(frozen=True)
class MultivariatePareto(Multivariate):
    """Independent Pareto coordinates of tail index `index`, moved and scaled to the moments of `moments`.

    P(U > u) = u^-index for u at least 1; X = mean + Sigma^{1/2} (U - E U) / sd(U), skewed to the right.

    >>> from workbench.distributions import Gaussian
    >>> law = MultivariatePareto(Gaussian(np.zeros(2), np.eye(2)), index=2.5)
    >>> law.sample(4, rng=np.random.default_rng(1)).shape
    (4, 2)
    """

    index: float = 2.5

    def __post_init__(self) -> None:
        _require_variance("index", self.index)

    def sample(self, n: int, *, rng: np.random.Generator) -> Array:
        mean = self.index / (self.index - 1)
        sd = sqrt(self.index / (self.index - 2)) / (self.index - 1)
        standard = rng.pareto(self.index, (checked_size(n), self.d))
        standard -= mean - 1
        standard /= sd
        return self.scaled(standard)
