"""The covariance of any Gaussian of full rank, in a frame found by a vote of groups.  AL22 Theorem 5.6.

Rows x of shape (n, d) of a normal law with any mean and any positive definite covariance. Neighbours: replace
one row. The mean is 0 if `centred`.

    (1) a preconditioner, of condition at most 4 for normal rows                    AL22 Algorithm 3
    (2) location and covariance of the other rows in its frame                      `parts.gaussians.finish`

Each stage has the whole budget and rows of its own (`parts.gaussians.populous_learner`). No answer where
groups do not agree, as for rows in a subspace.

"paper" has (1) with the source's thresholds and constants, and takes billions of rows. Departure, in both:
(2) is the finish that `covariance/unbounded` has, in the place of a clipped covariance without constants.
Proof: `proofs/populous.md`.
"""

from dataclasses import dataclass

from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix
from workbench.estimators.parts.budgets import require_events
from workbench.estimators.parts.gaussians.populous_learner import PopulousLearner
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration


@dataclass(frozen=True, kw_only=True)
class PopulousCovariance(Estimator[Array]):
    """Private covariance without any bound on it, in a frame found by a vote of groups (AL22 Theorem 5.6).

    Accurate for normal rows of any mean and any positive definite covariance; where groups do not agree the
    release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    group says what its other rows say, and moments are those of the rows that are there, whose share the
    release tells. One row in ten that is absent means no answer.

    Parameters
    ----------
    centred : bool, default False
        Whether the mean is known to be 0; otherwise rows are paired to find the frame.
    beta : float, default 0.1
        Chance, at most, that the answer is off by more than the design allows, or that there is none.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source and takes billions of rows; "tight" ours.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).standard_normal((10_000, 2)) * [1e-3, 1e3]
    >>> budget = ApproxDP(4.0, 1e-6)
    >>> release = PopulousCovariance()(x, budget=budget, rng=np.random.default_rng(2))
    >>> bool((abs(np.diag(release.value) / [1e-6, 1e6] - 1) < 0.2).all())
    True
    """

    centred: bool = False
    beta: float = 0.1
    calibration: Calibration = "tight"

    def recipe(self, n: int, d: int, budget: Budget) -> PopulousLearner:
        """Return the recipe for n rows; public."""
        require_matrix(n, d)
        return PopulousLearner(
            n, d, require_events(budget), self.centred, beta=self.beta, calibration=self.calibration
        )

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the stages in parallel; raise where n rows are too few, with the number."""
        return self.recipe(n, d, budget).plan()

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median Frobenius error of the covariance to expect of normal rows, in its own norm."""
        return self.recipe(n, d, budget).squared_error.covariance_median

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private covariance of sanitised rows."""
        found = self.recipe(len(x), x.shape[1], budget).estimate(x, noise)  # (1) (2)
        return found if isinstance(found, Abstention) else found.covariance
