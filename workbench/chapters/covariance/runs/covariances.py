"""What the claims on covariances share: spectra, errors in units of the truth, and intervals."""

from collections.abc import Callable
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from workbench.estimators.base import Abstention
from workbench.linalg import second_moment
from workbench.populations import Rotated
from workbench.study.intervals import bootstrap_interval
from workbench.study.measures import Measure
from workbench.study.profiles import claim_level
from workbench.study.sweeps.streams import Role, stream
from workbench.types import Array

RESAMPLES = 1000


def error_of(law: Rotated, estimate: object) -> float:
    """Return |S - Σ|_Σ, infinite for no answer."""
    return inf if isinstance(estimate, Abstention) else law.error(np.asarray(estimate))


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
