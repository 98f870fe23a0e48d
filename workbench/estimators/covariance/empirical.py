"""The sample covariance, without privacy: the reference of every private one.  M21, "sample covariance".

Rows x of shape (n, d):    out = (1/n) Σ (x_i - m)(x_i - m)ᵀ,  m their mean, or 0 if `centred`
"""

from dataclasses import dataclass

import numpy as np

from workbench.estimators.base import Reference, Trace, require_matrix
from workbench.estimators.parts.rows import mean_of, moment_of, only_present
from workbench.privacy import Budget, Charge, NoiseSource, NonPrivate, Plan
from workbench.privacy.budget import require
from workbench.types import Array


@dataclass(frozen=True, kw_only=True)
class EmpiricalCovariance(Reference[Array]):
    """Sample covariance, without privacy: the reference of every private one (M21).

    Assumes nothing.
    Guarantee: none; `budget` is left out, and `rng` with it.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    covariance is that of the others.

    Parameters
    ----------
    centred : bool, default False
        Whether the mean is known to be 0; otherwise that of the rows is subtracted.

    Examples
    --------
    >>> EmpiricalCovariance()([[1.0, 0.0], [-1.0, 0.0]]).value.tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """

    centred: bool = False

    def plan(self, n: int, d: int, budget: Budget = NonPrivate()) -> Plan:  # noqa: B008 (a constant)
        """Return the plan of one step that is not private."""
        require_matrix(n, d, least=1)
        require(budget, NonPrivate)
        return Charge("covariance", "none", 0.0, NonPrivate())

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the covariance of sanitised rows."""
        rows = only_present(x)
        if not len(rows):
            return np.zeros((x.shape[1], x.shape[1]))
        centre = 0.0 if self.centred else mean_of(rows, lambda rows: rows)
        return np.asarray(moment_of(rows, lambda part: part - centre))
