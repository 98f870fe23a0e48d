"""Any Gaussian: subspace, preconditioner, covariance and mean.  AL22 Section 5.1, Theorem 5.7.

Rows x of shape (n, d) of a normal law with any mean and any covariance, singular ones included. Neighbours:
replace one row. The mean is 0 if `centred`, and not estimated then.

    (1) the subspace that the rows vary in                                          AL22 Algorithm 2
    (2) a preconditioner in that subspace, of condition at most 4 for normal rows   AL22 Algorithm 3
        or, `covariance="matrix-quantile"`, of far fewer rows   `covariance/matrix-quantile`
    (3) location, mean and covariance of the rows in its frame                      `parts.gaussians.finish`

Each stage has the whole budget and rows of its own (`parts.gaussians.populous_learner`). No answer of a stage
is none of the whole.

"paper" has (1) and (2) with the source's constants, and takes billions of rows. Departures, in both: (3) is
the finish that `gaussian/unbounded` has, in the place of Karwa and Vadhan's mean in every coordinate and of a
clipped covariance with constants of its own. A subspace is found up to a grid of 1e-5.
Proof: `proofs/populous.md`, `proofs/matrix_quantile.md`.
"""

from dataclasses import dataclass

import numpy as np

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError, one_of
from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix
from workbench.estimators.parts.budgets import require_events
from workbench.estimators.parts.gaussians.populous_learner import Covariance, PopulousLearner
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration


@dataclass(frozen=True, kw_only=True)
class PopulousGaussian(Estimator[Gaussian]):
    """Private mean and covariance of any Gaussian, in a frame found by a vote of groups (AL22 Theorem 5.7).

    Accurate for normal rows of any mean and any covariance; where a stage has no answer the release is "no
    answer". For laws with a density `LiftedGaussian` takes far fewer rows, up to some millions.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    group says what its other rows say, and moments are those of the rows that are there, whose share the
    release tells.

    Parameters
    ----------
    centred : bool, default False
        Whether the mean is known to be 0; it is not estimated then.
    degenerate : bool, default True
        Whether the subspace that the rows vary in is found first; False for laws with a density.
    beta : float, default 0.1
        Chance, at most, that the answer is off by more than the design allows, or that there is none.
    covariance : {"populous", "matrix-quantile"}, default "populous"
        How the frame is found: "populous" by a vote of groups, "matrix-quantile" from far fewer rows.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source and takes billions of rows; "tight" ours.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e4 + np.random.default_rng(1).standard_normal((40_000, 1)) * 1e-3
    >>> law = PopulousGaussian()(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)).value
    >>> bool(abs(law.mean[0] - 1e4) < 1e-4)
    True
    """

    centred: bool = False
    degenerate: bool = True
    beta: float = 0.1
    covariance: Covariance = "populous"
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        one_of(("populous", "matrix-quantile"), covariance=self.covariance)
        if self.calibration == "paper" and self.covariance != "populous":
            raise ArgumentError("covariance", self.covariance, "populous with the source's constants")

    def recipe(self, n: int, d: int, budget: Budget) -> PopulousLearner:
        """Return the recipe for n rows; public."""
        require_matrix(n, d)
        shape = n, d, require_events(budget), self.centred, self.degenerate
        return PopulousLearner(*shape, self.beta, self.calibration, self.covariance)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the stages in parallel; raise where n rows are too few, with the number."""
        return self.recipe(n, d, budget).plan()

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error to expect of normal rows, of mean and covariance in their own norm."""
        return self.recipe(n, d, budget).squared_error.gaussian_median

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Gaussian | Abstention:
        """Return the private law of sanitised rows."""
        n, d = x.shape
        found = self.recipe(n, d, budget).estimate(x, noise)  # (1) to (3)
        if isinstance(found, Abstention):
            return found
        return Gaussian(np.zeros(d) if found.mean is None else found.mean, found.covariance)
