"""A robust mean without privacy, the reference of robust private ones.  AL22 Theorem 7.3, LKKO21 Alg 4.

Rows x of shape (n, d), normal of covariance `sigma`² I, of which a share ξ = `corruption` may be anything.

    tight    tails are shaved to the normal law                               `parts.oracles.mean_filter`
    paper    rows are dropped while some direction varies too much            `parts.oracles.variance_filter`

With n ≥ d/ξ² the error in Euclidean norm is of the order σ ξ √(ln 1/ξ): LKKO21 Proposition 2.1 for the
paper's, with constants that are not explicit; measured for both. No estimator beats σ Φ⁻¹(½ + ξ)
(`bounds.corruption.mean_limit`).
"""

from dataclasses import dataclass

import numpy as np

from workbench.estimators.base import Reference, Trace, require_matrix, sanitised
from workbench.estimators.parts.oracles.mean_filter import filtered_mean
from workbench.estimators.parts.oracles.variance_filter import simple_mean
from workbench.estimators.parts.rows import only_present, require_corruption
from workbench.privacy import Budget, Charge, NoiseSource, NonPrivate, Plan
from workbench.privacy.budget import require
from workbench.types import Array, Calibration


@dataclass(frozen=True, kw_only=True)
class FilterNonprivateMean(Reference[Array]):
    """Robust mean of partly corrupted rows, without privacy (AL22 Theorem 7.3).

    Accurate for normal rows of covariance sigma² I, a share `corruption` of them anything.
    Guarantee: none; `budget` is left out, and `rng` with it.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    mean is that of the others.

    Parameters
    ----------
    corruption : float
        Share of the rows that may be anything. At most 0.1.
    sigma : float
        Standard deviation of the rows in every direction, known.
    calibration : {"paper", "tight"}, default "tight"
        "tight" shaves tails to the normal law; "paper" drops rows while some direction varies too much.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).standard_normal((2000, 1))
    >>> x[:100] = 1e3
    >>> bool(abs(FilterNonprivateMean(corruption=0.05, sigma=1.0)(x).value[0]) < 0.2)
    True
    """

    corruption: float
    sigma: float
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        require_corruption(self.corruption)

    def plan(self, n: int, d: int, budget: Budget = NonPrivate()) -> Plan:  # noqa: B008 (a constant)
        """Return the plan of one step that is not private."""
        require_matrix(n, d, least=1)
        require(budget, NonPrivate)
        return Charge("mean", "none", 0.0, NonPrivate())

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the robust mean of sanitised rows."""
        oracle = filtered_mean if self.calibration == "tight" else simple_mean
        rows = only_present(sanitised(x / self.sigma))
        rows = rows if len(rows) else np.zeros((1, x.shape[1]))
        return np.asarray(oracle(rows, self.corruption) * self.sigma)
