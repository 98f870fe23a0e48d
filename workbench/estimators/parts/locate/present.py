"""The way in for estimators to which a missing entry is no number at all, rather than a 0."""

from typing import TypeVar

import numpy as np

from workbench.estimators.base import LARGEST, Estimator, Release, Rows, Trace, released, univariate
from workbench.estimators.reading import read
from workbench.privacy import Budget
from workbench.types import Array

T = TypeVar("T")


def run_present(
    self: Estimator[T], x: object, *, budget: Budget, rng: object, trace: Trace | None = None
) -> Release[T]:
    """Return the release on one column `x`, in which an unusable entry is NaN: read, plan, draw."""
    values, labels = read(x)
    univariate(values)
    return released(self, Rows(marked(np.ravel(values)), labels), 1, budget, rng, trace)


def marked(values: Array) -> Array:
    """Return a copy in which every entry that is not finite, or above 1e100 in size, is NaN."""
    return np.where(np.abs(values) <= LARGEST, values, np.nan)
