"""The sample mean, without privacy: the reference of every private mean.  M21, preliminaries.

Rows x of shape (n, d):    out = (1/n) Σ x_i
"""

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from workbench.errors import probability
from workbench.estimators.base import Reference, Trace, require_matrix
from workbench.estimators.parts.rows import only_present
from workbench.linalg import tail
from workbench.privacy import Budget, Charge, NoiseSource, NonPrivate, Plan
from workbench.privacy.budget import require
from workbench.types import Array


@dataclass(frozen=True, kw_only=True)
class EmpiricalMean(Reference[Array]):
    """Sample mean, without privacy: the reference of every private mean (M21, preliminaries).

    Assumes nothing; the error bound is for normal rows.
    Guarantee: none; `budget` is left out, and `rng` with it.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    mean is that of the others.

    Parameters
    ----------
    sigma : float or None, default None
        Standard deviation in any direction at most, for the error bound alone, which is infinite without it.

    Examples
    --------
    >>> EmpiricalMean()([[1.0, 2.0], [3.0, 4.0]]).value.tolist()
    [2.0, 3.0]
    """

    sigma: float | None = None

    def plan(self, n: int, d: int, budget: Budget = NonPrivate()) -> Plan:  # noqa: B008 (a constant)
        """Return the plan of one step that is not private."""
        require_matrix(n, d, least=1)
        require(budget, NonPrivate)
        return Charge("mean", "none", 0.0, NonPrivate())

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the mean of sanitised rows."""
        rows = only_present(x)
        return np.asarray(rows.mean(axis=0) if len(rows) else np.zeros(x.shape[1]))

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on |out - mean|, true with probability 1 - beta, for normal rows."""
        probability(beta=beta)
        return inf if self.sigma is None else self.sigma * tail(d, beta) / sqrt(n)
