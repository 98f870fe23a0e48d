"""What the claims on covariances share: spectra, errors in units of the truth, and intervals."""

from math import inf

import numpy as np

from workbench.estimators.base import Abstention
from workbench.linalg import second_moment
from workbench.populations import Rotated
from workbench.types import Array


def error_of(law: Rotated, estimate: object) -> float:
    """Return |S - Σ|_Σ, infinite for no answer."""
    return inf if isinstance(estimate, Abstention) else law.error(np.asarray(estimate))


def geometric(d: int, condition: float) -> Array:
    """Return d eigenvalues from 1 to the condition number, equal ratios apart."""
    return np.geomspace(1.0, condition, d)


def without_privacy(rows: Array) -> Array:
    """Return the sample covariance of rows whose mean is known to be 0."""
    return second_moment(rows)
