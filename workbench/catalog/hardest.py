"""The rows at which an estimator is asked what n it needs: of its own model, the hardest that it allows.

The hardest within the public bounds: the mean at the edge of its range, or in the middle between candidates;
every axis of a covariance the least that matters, or the largest for a mean whose covariance has a bound. An
entry whose model is another says so (`Entry.hardest`). The rows are normal where tails may be heavy: that is
what is predicted; what heavy tails cost is in the proved bounds.
"""

from dataclasses import replace
from math import ceil, exp, sqrt
from typing import Any

import numpy as np

from workbench.catalog.entry import Entry
from workbench.distributions import Gaussian
from workbench.populations import MultivariateGaussian, Population, UnivariateGaussian
from workbench.populations.laws import Sphere
from workbench.types import Array

OFF_LATTICE = 0.7  # of a standard deviation: no bin of a histogram is round the mean
ANYWHERE = 7.0  # a mean whose range has no bound


def hardest(entry: Entry, estimator: Any, d: int) -> Entry:
    """Return the entry with the hardest population in d columns for an estimator of it."""
    normal = on_a_line if entry.population.d is None else in_space
    return replace(entry, population=(entry.hardest or normal)(estimator, d))


def on_a_line(estimator: Any, d: int) -> Population:
    """Return numbers with the standard deviation that is known, or 1, their mean inside the range."""
    sigma = getattr(estimator, "sigma", 1.0)
    return UnivariateGaussian(getattr(estimator, "centre", 0.0) + OFF_LATTICE * sigma, sigma)


def at_an_end(estimator: Any, d: int) -> Population:
    """Return numbers whose mean is an end of the range, where most are cut."""
    return UnivariateGaussian(estimator.centre + estimator.radius, estimator.sigma)


def in_space(estimator: Any, d: int) -> Population:
    """Return white rows, their mean at the edge of the ball of the range."""
    radius = getattr(estimator, "radius", None)
    return _white(estimator, d, 0.0 if radius is None else np.asarray(radius) / sqrt(d))


def in_a_box(estimator: Any, d: int) -> Population:
    """Return white rows, their mean near a corner of the box and between two bins."""
    return _white(estimator, d, np.floor(estimator.radius or ANYWHERE))


def between_candidates(estimator: Any, d: int) -> Population:
    """Return white rows, their mean in the middle between the candidates of a net."""
    reach = getattr(estimator, "reach", estimator.radius)
    return _white(estimator, d, reach / (2 * ceil(reach / estimator.step)))


def off_net(estimator: Any, d: int) -> Population:
    """Return round rows whose covariance lies between two candidates of a net."""
    size = exp(float(np.ptp(estimator.net(d).logs[-2:])) / 2)
    return MultivariateGaussian(Gaussian(np.zeros(d), size * np.eye(d)))


def on_a_circle(estimator: Any, d: int) -> Population:
    """Return rows of the radius whose second moment is hardest to sample."""
    return Sphere(d, estimator.radius or 1.0)


def at_corners(estimator: Any, d: int) -> Population:
    """Return rows of the radius with uncorrelated columns."""
    return Sphere(d, estimator.radius or 1.0, corners=True)


def along_a_subspace(estimator: Any, d: int) -> Population:
    """Return rows near a subspace of k dimensions, tilted, with the gap that is asked for."""
    k, gap = min(getattr(estimator, "k", 1), d), getattr(estimator, "gap", 0.0)
    axis = np.arange(1.0, d + 1)
    mirror = np.eye(d) - 2 * np.outer(axis, axis) / (axis @ axis)
    values = np.array([1.0] * k + [gap**2] * (d - k))
    return MultivariateGaussian(Gaussian(np.arange(d), 25.0 * (mirror * values) @ mirror.T))


def _white(estimator: Any, d: int, away: Any) -> Population:
    mean: Array = np.broadcast_to(away, (d,)) + getattr(estimator, "centre", 0.0)
    return MultivariateGaussian(Gaussian(mean, _variance(estimator) * np.eye(d)))


def _variance(estimator: Any) -> Any:
    """Return the variance of every axis: what is known, the least that matters, or the largest."""
    if hasattr(estimator, "sigma"):
        return np.square(estimator.sigma)
    if hasattr(estimator, "lower"):
        return float(estimator.lower or 1.0)
    return float(getattr(estimator, "upper", 1.0))
