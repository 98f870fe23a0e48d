"""The way in for estimators to which a missing entry is no number at all, rather than a 0."""

from typing import TypeVar

import numpy as np

from workbench.estimators import base
from workbench.estimators.base import LARGEST, Estimator, Release, Rows, Trace, released
from workbench.privacy import Budget

T = TypeVar("T")


def run_present(
    self: Estimator[T], x: object, *, budget: Budget, rng: object, trace: Trace | None = None
) -> Release[T]:
    """Return the release on one column `x`, in which an unusable entry is NaN: read, plan, draw."""
    rows, entries = base.univariate(x), base.read(x)[0].ravel()
    marked = np.where(np.abs(entries) <= LARGEST, rows.values, np.nan)
    return released(self, Rows(marked, rows.labels), 1, budget, rng, trace)
