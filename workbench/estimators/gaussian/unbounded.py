"""A Gaussian without any bound on its parameters: covariance and mean.  M21/UG; Kamath et al. (2022).

Rows x of shape (n, d) of a normal law with any mean and any covariance. Neighbours: replace one row. The
mean is 0 if `centred`, and not estimated then.

    (1) a frame in which the rows are round, by the loop of `covariance/unbounded`
    (2) a centre: in every coordinate of the frame one univariate location            M21/UG, known covariance
    (3) out = N(centre + the noisy mean of the clipped rows round it, the covariance)

"tight", ours: the location is the window-median mechanism, and the centre comes before the covariance, so
that both are measured on all rows (`parts.gaussians.finish`). "paper": the covariance comes first, from
pairs, then a stability-based histogram in every whitened coordinate, then one clipped mean
(`parts.gaussians.paper_finish`).

If all rows are equal the scale is undefined, and the release abstains. Proof: `proofs/aggregation.md`.
"""

from dataclasses import dataclass

import numpy as np

from workbench.distributions import Gaussian
from workbench.estimators.base import Abstention, Estimator, Trace
from workbench.estimators.covariance.unbounded import Recipe, moments, recipe_for
from workbench.estimators.parts.budgets import delivered
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration


@dataclass(frozen=True, kw_only=True)
class UnboundedGaussian(Estimator[Gaussian]):
    """Private mean and covariance of a Gaussian without any bound on either (M21/UG Theorem 5.1).

    Accurate for normal rows of any mean and any covariance; where blocks do not agree, or rows are all alike,
    the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    block says what its other rows say, and moments are those of the rows that are there, whose share the
    release tells: a share of absent rows that its noise hides shrinks them.

    Parameters
    ----------
    centred : bool, default False
        Whether the mean is known to be 0; it is not estimated then.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e9 + np.random.default_rng(1).standard_normal((5000, 2)) * [1e-3, 1e3]
    >>> budget = ApproxDP(1.0, 1e-6)
    >>> law = UnboundedGaussian()(x, budget=budget, rng=np.random.default_rng(2)).value
    >>> bool((abs(law.mean - 1e9) < [2e-4, 2e2]).all())
    True
    """

    centred: bool = False
    calibration: Calibration = "tight"

    def recipe(self, n: int, d: int, budget: Budget) -> Recipe:
        """Return the recipe for n rows; public."""
        return recipe_for(n, d, budget, self.calibration, self.centred, with_mean=True)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for each draw; raise where n rows are too few, with the number."""
        return delivered(self.recipe(n, d, budget).charges(), budget)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error to expect of normal rows, of mean and covariance in their own norm."""
        return self.recipe(n, d, budget).squared_error.gaussian_median

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Gaussian | Abstention:
        """Return the private law of sanitised rows."""
        found = moments(self.recipe(len(x), x.shape[1], budget), x, noise, trace)  # (1) (2)
        if isinstance(found, Abstention):
            return found
        mean = np.zeros(x.shape[1]) if self.centred else found.mean
        return Abstention("location 1") if mean is None else Gaussian(mean, found.covariance)  # (3)
