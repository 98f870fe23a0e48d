"""Distributions that rows are drawn from, on the line and in d dimensions, each with its true parameters.

Student's t in d dimensions is X = mean + Sigma^{1/2} g sqrt((nu - 2) / c), with one c ~ chi^2_nu per row, so
that every projection of a row follows the distribution of d = 1 and has the same hypercontractivity
constants.
"""

from dataclasses import dataclass
from functools import cached_property
from math import inf, pi, prod, sqrt
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from workbench.distributions import Gaussian
from workbench.errors import (
    ArgumentError,
    checked,
    finite,
    in_range,
    integer_at_least,
    of_plain_numbers,
    positive,
    probability,
    real,
)
from workbench.linalg import symmetrised
from workbench.privacy.noise import bartlett
from workbench.special import ndtr, ndtri
from workbench.types import Array, frozen, public, reals


@runtime_checkable
class Population(Protocol):
    """A distribution with a known mean; `d` is None on the line, with samples of shape (n,), not (n, d)."""

    @property
    def d(self) -> int | None:
        """Dimension, None for numbers instead of rows."""

    @property
    def mean(self) -> Any:
        """The mean to be estimated: a number, or an array of shape (d,)."""

    def sample(self, n: int, *, rng: Generator) -> Array:
        """Draw n independent values."""


def checked_size(n: int) -> int:
    integer_at_least(0, n=n)
    return int(n)


@frozen
class UnivariateGaussian:
    """N(mean, sigma²), on the line."""

    mean: float = 0.0
    sigma: float = 1.0
    d = None  # values are numbers

    def __post_init__(self) -> None:
        checked(self)
        finite(mean=self.mean)

    def sample(self, n: int, *, rng: Generator) -> Array:
        return self.scaled(rng.standard_normal(checked_size(n)))

    def scaled(self, standard: Array) -> Array:
        """Give values of mean 0 and variance 1 this mean and `sigma`, in place."""
        standard *= self.sigma
        standard += self.mean
        return standard

    def quantiles(self, levels: ArrayLike) -> Array:
        return self.scaled(ndtri(levels))

    def shares(self, edges: ArrayLike) -> Array:
        """Return the probabilities of the bins between these edges, and of those outside."""
        below = ndtr((reals(edges) - self.mean) / self.sigma)
        return np.diff(below, prepend=0.0, append=1.0)


def standard_rows(n: int, d: int, degrees: float, rng: Generator) -> Array:
    """Draw rows of mean 0 and covariance I: normal ones, or Student's where the degrees are finite."""
    rows = rng.standard_normal((checked_size(n), d))
    if degrees < inf:
        rows *= np.sqrt((degrees - 2) / rng.chisquare(degrees, n))[:, None]
    return rows


@frozen
class MultivariateGaussian:
    """N(mean, covariance) of `moments`; a singular covariance gives data in its range.

    >>> law = MultivariateGaussian(Gaussian([1, 2], np.eye(2)))
    >>> law.sample(4, rng=np.random.default_rng(1)).shape
    (4, 2)
    """

    moments: Gaussian
    degrees = inf

    @property
    def d(self) -> int:
        return self.moments.d

    @property
    def mean(self) -> Array:
        return self.moments.mean

    @property
    def covariance(self) -> Array:
        return self.moments.covariance

    @cached_property
    def root(self) -> Array:
        values, basis = np.linalg.eigh(self.covariance)
        return (basis * np.sqrt(np.maximum(values, 0.0))) @ basis.T

    def sample(self, n: int, *, rng: Generator) -> Array:
        rows = standard_rows(n, self.d, self.degrees, rng) @ self.root
        rows += self.mean
        return rows


def second_moment(law: MultivariateGaussian, n: int, *, rng: Generator) -> Array:
    """Return a draw of the second moment of n rows of mean 0, at a cost free of n (Bartlett 1933).

    (1) A lower triangular, A Aᵀ ~ Wishart_p(I, n)          `privacy.noise.bartlett`; rows themselves if n < p
    (2) (1/n) R A Aᵀ Rᵀ, R Rᵀ = Σ, has the distribution of (1/n) Σ x_i x_iᵀ of n rows of N(0, Σ); shape (p, p)

    For an estimator that clips its rows this is the statistic conditional on no row being clipped, and no
    substitute for rows otherwise: scale Σ by `sparse.unit_ball_scale`, which makes clipping improbable.

    >>> law = MultivariateGaussian(Gaussian([0, 0], np.diag([4.0, 1.0])))
    >>> second_moment(law, 10**8, rng=np.random.default_rng(1)).round(2).tolist()
    [[4.0, 0.0], [0.0, 1.0]]
    """
    if np.any(law.mean):
        raise ArgumentError("law", law, "a distribution of mean 0")
    integer_at_least(1, n=n)
    factor = rng.standard_normal((law.d, n)) if n < law.d else bartlett(law.d, n, rng)
    half = law.root @ factor
    return symmetrised(half @ half.T) / n


@of_plain_numbers
def student_hypercontractivity(degrees: float, moments: int) -> float:
    """Return C with E<v, X - mean>^{2k} = C (v' Sigma v)^k for every v, k = `moments` < degrees / 2.

    C = (2k - 1)!! (nu - 2)^{k-1} / ((nu - 4) ... (nu - 2k)): the normal moment times that of the factor
    ((nu - 2) / c)^k. At k = 2 it is 3 (nu - 2) / (nu - 4), at k = 3 15 (nu - 2)^2 / ((nu - 4)(nu - 6)).

    >>> student_hypercontractivity(8.0, 2), student_hypercontractivity(8.0, 3)
    (4.5, 67.5)
    """
    if not (real(degrees) and degrees > 2):
        raise ArgumentError("degrees", degrees, "a finite number above 2 (the variance exists)")
    integer_at_least(1, moments=moments)
    if 2 * moments >= degrees:
        raise ArgumentError("moments", moments, f"less than degrees / 2 = {degrees / 2}")
    factors = ((2 * i - 1) * (degrees - 2) / (degrees - 2 * i) for i in range(1, moments + 1))
    return float(prod(factors))


@frozen
class MultivariateStudent(MultivariateGaussian):
    """The elliptical t with nu = `degrees` and the mean and covariance of `moments`."""

    degrees: float = 5.0

    def __post_init__(self) -> None:
        checked(self)
        student_hypercontractivity(self.degrees, 1)  # refuses degrees without a variance


@frozen
class Sphere:
    """Rows of length `radius`: on the circle in the first two axes, or at the corners of a cube.

    Parameters
    ----------
    d : int
        Columns, at least 1.
    radius : float
        The length of every row.
    corners : bool
        Whether the rows are the corners ±radius/√d of a cube, whose columns are uncorrelated. Otherwise they
        lie on a circle, whose second moment is the hardest to sample; for d = 1 there is none.
    """

    d: int
    radius: float = 1.0
    corners: bool = False

    def __post_init__(self) -> None:
        integer_at_least(1, d=self.d)
        positive(radius=self.radius)

    @property
    def mean(self) -> Array:
        return np.zeros(self.d)

    @property
    def covariance(self) -> Array:
        axes = self.d if self.corners else min(self.d, 2)
        return np.diag([self.radius**2 / axes] * axes + [0.0] * (self.d - axes))

    def sample(self, n: int, *, rng: Generator) -> Array:
        size = checked_size(n)
        if self.corners or self.d == 1:
            return rng.choice([-1.0, 1.0], (size, self.d)) * (self.radius / sqrt(self.d))
        turns, rows = rng.uniform(0, 2 * pi, size), np.zeros((size, self.d))
        rows[:, 0], rows[:, 1] = self.radius * np.cos(turns), self.radius * np.sin(turns)
        return rows


@frozen
class Coin:
    """Zeros and ones, the latter with probability `share`: the widest rows between two bounds."""

    share: float = 0.5
    d = None  # values are numbers

    def __post_init__(self) -> None:
        checked(self)
        probability(share=self.share)

    @property
    def mean(self) -> float:
        return self.share

    @property
    def sigma(self) -> float:
        return sqrt(self.share * (1 - self.share))

    def sample(self, n: int, *, rng: Generator) -> Array:
        return (rng.random(checked_size(n)) < self.share).astype(np.float64)


@dataclass(frozen=True, init=False)
class PointMass:
    """All mass at one point, a number or an array of shape (d,)."""

    point: tuple[float, ...]
    d: int | None

    def __init__(self, point: ArrayLike) -> None:
        array = np.array(point, np.float64)
        if array.ndim > 1 or array.size == 0 or not np.isfinite(array).all():
            raise ArgumentError("point", point, "a finite number, or d of them")
        object.__setattr__(self, "point", tuple(array.ravel().tolist()))
        object.__setattr__(self, "d", array.size if array.ndim else None)

    @property
    def mean(self) -> Any:
        return self.point[0] if self.d is None else np.array(self.point)

    def sample(self, n: int, *, rng: Generator) -> Array:
        """Repeat the point n times; no randomness is drawn."""
        rows = np.tile(np.array(self.point), (checked_size(n), 1))
        return rows[:, 0] if self.d is None else rows


@public
class Contaminated:
    """The mixture (1 - fraction) clean + fraction outliers, whose estimand is the clean mean.

    >>> huber = Contaminated(clean=UnivariateGaussian(), outliers=PointMass(1e6), fraction=0.1)
    >>> huber.mean
    0.0
    """

    clean: Population
    outliers: Population
    fraction: float

    def __post_init__(self) -> None:
        in_range(0, 0.5, "[)", fraction=self.fraction)
        if self.outliers.d != self.clean.d:
            raise ArgumentError("outliers", self.outliers, f"the dimension of clean, {self.clean.d}")

    @property
    def d(self) -> int | None:
        return self.clean.d

    @property
    def mean(self) -> Any:
        return self.clean.mean

    def sample(self, n: int, *, rng: Generator) -> Array:
        """Draw n independent values; which of them are outliers is not told."""
        values = self.clean.sample(n, rng=rng)
        replaced = rng.random(n) < self.fraction
        values[replaced] = self.outliers.sample(int(replaced.sum()), rng=rng)
        return values
