"""The assumption that heavy-tailed entries share."""

from math import inf
from typing import Any

import numpy as np

from workbench.catalog.entry import Assumption
from workbench.distributions import Gaussian
from workbench.populations import MultivariateStudent


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
