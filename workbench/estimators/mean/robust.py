"""A private mean of normal rows, a fraction of them corrupted, by a filter that looks at one row at a time.

Rows x of shape (n, d), standard deviation `sigma` in every direction, every coordinate of the mean within
`radius` of `centre`; an adversary replaces up to `corruption` n rows as it likes. Neighbours: replace one
row. In units of sigma:

    (1) c = the centres of the fullest bins, then a noisy mean round it
    (2) count, sum and second moment of the rows that pass, in a ball round c; the directions in which they
        vary more than clean rows would, given the noise
    (3) counts of the squared lengths of all rows in these directions: the cut is where the bad ones begin
    (4) c = the mean of the rows that pass, corrected for the cut; (2) and (3) once or twice again
    (5) out = the corrected mean of the rows that pass

`parts.rowwise.loop` has the steps, `parts.rowwise.rules` what releases are compared with,
`parts.rowwise.design` the shares, all public. LKKO21's filter (`mean/prime`) remembers which rows it removed
and needs a lemma to bound what that does to neighbours; here weights are a function of one row and of former
releases. Where the filter is not worth its price (few rows, no corruption) the whole budget goes to the plain
mean: `filters` tells. Ours, beyond LKKO21; no theorem on its error is claimed. What keeps the covariance at
sigma² I cannot be seen by it. Proof: `proofs/robust_mean.md`.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from workbench.errors import ArgumentError, real, require_columns
from workbench.estimators.base import Estimator, Trace, in_columns, require_matrix, standard_radius
from workbench.estimators.parts.budgets import gaussian_total, step_budgets, steps_plan
from workbench.estimators.parts.foreseen import better_than
from workbench.estimators.parts.rowwise.design import RobustDesign, robust_design
from workbench.estimators.parts.rowwise.loop import RobustLoop
from workbench.estimators.parts.rowwise.row_filter import Rows
from workbench.estimators.parts.rowwise.rules import NormalRule
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, PerColumn

MOST = 0.2  # beyond it the fullest bin may be the adversary's


@dataclass(frozen=True, kw_only=True)
class RobustMean(Estimator[Array]):
    """Private mean of partly corrupted normal rows, by a filter of single rows (ours, beyond LKKO21).

    Accurate for normal rows of standard deviation `sigma` in every direction with every coordinate of the
    mean within `radius` of `centre`, a share `corruption` of them anything.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, GaussianDP,
    ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    passes no filter; where no filter is needed, the mean shrinks by the share that is absent towards a
    private place near it.

    Parameters
    ----------
    radius : float
        Every coordinate of the mean lies within it of `centre`; in the unit of the data.
    corruption : float, default 0.05
        Share of the rows that may be anything. At most 0.2.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.
    sigma : float, default 1.0
        Standard deviation of the rows in every direction, known.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(5000, 4))
    >>> x[:250] += 3.0
    >>> release = RobustMean(radius=10.0)(x, budget=ApproxDP(2.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(np.linalg.norm(release.value - 3.0) < 0.1 < np.linalg.norm(x.mean(axis=0) - 3.0))
    True
    """

    radius: float
    corruption: float = 0.05
    centre: PerColumn = 0.0
    sigma: float = 1.0

    def _validate(self) -> None:
        standard_radius(self.radius, self.sigma)
        if not (real(self.corruption) and 0 <= self.corruption <= MOST):
            raise ArgumentError("corruption", self.corruption, f"a number from 0 to {MOST}")

    def design(self, n: int, d: int, budget: Budget) -> RobustDesign:
        """Return radii, thresholds and shares, in units of sigma; public."""
        require_matrix(n, d)
        return robust_design(n, d, self.corruption, self.radius / self.sigma, gaussian_total(budget))

    def filters(self, n: int, d: int, budget: Budget) -> bool:
        """Return whether the filter is in use, or its price too high; public."""
        return self.design(n, d, budget).shares.passes > 0

    def loop(self, n: int, d: int, budget: Budget) -> RobustLoop:
        """Return the steps with their rule."""
        return RobustLoop(NormalRule(self.design(n, d, budget)))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for each step; those of the loop are whitened."""
        require_columns(d, centre=self.centre)
        loop = self.loop(n, d, budget)
        weights = tuple(loop.design.shares.weights.values())
        return steps_plan(budget, loop.charges(step_budgets(budget, weights)))

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the private mean of sanitised rows."""
        n, d = x.shape
        middle = in_columns(self.centre, d)
        rows = Rows(x, middle, self.sigma)
        found = self.loop(n, d, budget).estimate(rows, self.plan(n, d, budget), noise, trace)  # (1) to (5)
        return np.asarray(middle + self.sigma * found)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for clean normal rows; infinite from √d radius/sigma on.

        Corrupted rows come on top.
        """
        expected = self.loop(n, d, budget).clean_run(self.plan(n, d, budget)).median_error()
        return better_than(sqrt(d) * self.radius / self.sigma, expected)
