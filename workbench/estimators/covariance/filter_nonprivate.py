"""A robust covariance without privacy: the reference of every robust private one.  AL22 Theorem 6.1.

Rows x of shape (n, d), normal, of which a share ξ = `corruption` may be anything. Their mean is 0 if
`centred`; otherwise ⌊n/2⌋ pairs (x_1 - x_2)/√2 take their place, of which 2ξ may be anything.

    tight    tails of quadratic forms are shaved to their exact law           `parts.oracles.tail_filter`
    paper    rows are dropped while some product varies too much              `parts.oracles.variance_filter`

With n ≥ d²/ξ² the error |Σ^-½ out Σ^-½ - I| in Frobenius norm is of the order ξ ln 1/ξ for the attacks of
`populations.corruption`: measured, not proved. No estimator beats (s² - 1)/(s² + 1), where
N(0, 1) and N(0, s²) are 2ξ apart in total variation (`bounds.corruption.scale_limit`).

Departure: the source cites a filter with a proof and constants that are not explicit.
"""

from dataclasses import dataclass

import numpy as np

from workbench.estimators.base import Reference, Trace, require_matrix
from workbench.estimators.parts.oracles.tail_filter import filtered_moment
from workbench.estimators.parts.oracles.variance_filter import simple_moment
from workbench.estimators.parts.rows import centred_rows, only_present, require_corruption
from workbench.privacy import Budget, Charge, NoiseSource, NonPrivate, Plan
from workbench.privacy.budget import require
from workbench.types import Array, Calibration


@dataclass(frozen=True, kw_only=True)
class FilterNonprivateCovariance(Reference[Array]):
    """Robust covariance of partly corrupted rows, without privacy (AL22 Theorem 6.1).

    Accurate for normal rows, a share `corruption` of them anything.
    Guarantee: none; `budget` is left out, and `rng` with it.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    covariance is that of the others.

    Parameters
    ----------
    corruption : float
        Share of the rows that may be anything. At most 0.1.
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise pairs (x_1 - x_2)/√2 take the place of the rows.
    calibration : {"paper", "tight"}, default "tight"
        "tight" shaves tails of quadratic forms to their law; "paper" drops rows while some product varies too
        much.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).standard_normal((2000, 1))
    >>> x[:100] = 1e3
    >>> release = FilterNonprivateCovariance(corruption=0.05, centred=True)(x)
    >>> bool(abs(release.value[0, 0] - 1) < 0.3)
    True
    """

    corruption: float
    centred: bool = False
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        require_corruption(self.corruption)

    def plan(self, n: int, d: int, budget: Budget = NonPrivate()) -> Plan:  # noqa: B008 (a constant)
        """Return the plan of one step that is not private."""
        require_matrix(n, d)
        require(budget, NonPrivate)
        return Charge("covariance", "none", 0.0, NonPrivate())

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the robust covariance of sanitised rows."""
        oracle = filtered_moment if self.calibration == "tight" else simple_moment
        rows = only_present(centred_rows(x, self.centred))
        rows = rows if len(rows) else np.zeros((1, x.shape[1]))
        return oracle(rows, self.corruption * (1 if self.centred else 2))
