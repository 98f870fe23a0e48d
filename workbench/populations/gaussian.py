"""Gaussian data, on the line and in d dimensions; and its second moment in law, at a cost free of n.

The second moment of n rows is drawn as follows (Bartlett 1933).
    (1) A lower triangular, A Aᵀ ~ Wishart_p(I, n)         `privacy.noise.bartlett`; n at least p
    (2) (1/n) R A Aᵀ Rᵀ, R Rᵀ = Σ, has the law of (1/n) Σ x_i x_iᵀ of n rows of N(0, Σ)

For an estimator that clips its rows this is the statistic conditional on no row being clipped, and no
substitute for rows otherwise: scale Σ by `sparse.unit_ball_scale`, which makes clipping improbable.
"""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from workbench.errors import ArgumentError, integer_at_least
from workbench.linalg import symmetrised
from workbench.populations.base import Multivariate, Univariate, checked_size
from workbench.privacy.noise import bartlett
from workbench.special import ndtr, ndtri
from workbench.types import Array


@dataclass(frozen=True)
class UnivariateGaussian(Univariate):
    """N(mean, sigma^2)."""

    def sample(self, n: int, *, rng: np.random.Generator) -> Array:
        return self.scaled(rng.standard_normal(checked_size(n)))

    def quantiles(self, levels: ArrayLike) -> Array:
        """Return the quantiles at these levels."""
        return self.scaled(np.asarray(ndtri(levels), np.float64))

    def shares(self, edges: ArrayLike) -> Array:
        """Return the probabilities of the bins between these edges, and of those outside."""
        below = ndtr((np.asarray(edges, np.float64) - self.mean) / self.sigma)
        return np.diff(below, prepend=0.0, append=1.0)


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
        return self.scaled(rng.standard_normal((checked_size(n), self.d)))


def wishart_factor(p: int, n: int, *, rng: np.random.Generator) -> Array:
    """Return step (1): A with A Aᵀ distributed as the sum of n outer products of N(0, I), shape (p, p).

    Fewer rows than columns are drawn as they are: shape (p, n).
    """
    integer_at_least(1, p=p, n=n)
    if n < p:
        return rng.standard_normal((p, n))
    return bartlett(p, n, rng)


def second_moment(law: MultivariateGaussian, n: int, *, rng: np.random.Generator) -> Array:
    """Return step (2), the second moment of n rows of a law of mean 0, shape (p, p).

    >>> from workbench.distributions import Gaussian
    >>> law = MultivariateGaussian(Gaussian([0, 0], np.diag([4.0, 1.0])))
    >>> second_moment(law, 10**8, rng=np.random.default_rng(1)).round(2).tolist()
    [[4.0, 0.0], [0.0, 1.0]]
    """
    if np.any(law.mean):
        raise ArgumentError("law", law, "a law of mean 0")
    half = law.root @ wishart_factor(law.d, n, rng=rng)
    return symmetrised(half @ half.T) / n
