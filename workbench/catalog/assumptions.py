"""The assumptions that several families of entries share."""

from math import inf
from typing import Any

import numpy as np

from workbench.catalog.entry import Assumption
from workbench.distributions import Gaussian
from workbench.populations import MultivariateGaussian, MultivariateStudent, Population


def has_moments(population: Any, estimator: Any) -> bool:
    """Return whether the 2k-th moments of a population are within the estimator's constant."""
    k = estimator.moments
    finite = 2 * k < getattr(population, "degrees", inf)
    return bool(finite and population.hypercontractivity(k) <= estimator.hypercontractivity)


MOMENTS = Assumption(
    "moments of order 2k are bounded by the constant C",
    has_moments,
    MultivariateStudent(Gaussian(np.zeros(3), np.eye(3)), 2.1),
)


def normal(broken_by: Population) -> Assumption:
    """Return the assumption of normal rows, with a population that breaks it."""
    return Assumption(
        "the rows are normal", lambda population, _: isinstance(population, MultivariateGaussian), broken_by
    )


def below_upper(broken_by: Population) -> Assumption:
    """Return the assumption of a public bound on the covariance, with a population that breaks it."""
    return Assumption(
        "the covariance is at most upper times the identity",
        lambda population, estimator: np.linalg.eigvalsh(population.covariance)[-1] <= estimator.upper,
        broken_by,
    )


def within_box(broken_by: Population) -> Assumption:
    """Return the assumption of a public box round the mean, with a population that breaks it."""
    return Assumption(
        "every coordinate of the mean lies within radius of centre",
        lambda population, estimator: bool(
            (np.abs(population.mean - estimator.centre) <= estimator.radius).all()
        ),
        broken_by,
    )
