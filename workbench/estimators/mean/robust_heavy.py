"""A private mean of heavy-tailed rows, a fraction of them corrupted, by a filter that looks at single rows.

Rows x of shape (n, d), covariance at most `upper` times the identity and nothing else, every coordinate of
the mean within `radius` of `centre`; an adversary replaces up to `corruption` n rows as it likes. Neighbours:
replace one row. In units of √upper:

    (1) c = the centres of the fullest bins, then a noisy mean round it
    (2) count, sum and second moment of the rows that pass, in a ball round c; the directions in which they
        vary more than C = 1.1, given the noise
    (3) counts of the squared lengths of all rows in these directions: the largest cut that leaves C
    (4) c = the mean of the rows that pass; (2) and (3) once or twice again
    (5) out = the mean of the rows that pass

The steps are those of `mean/robust` (`parts.rowwise.loop`), with `parts.rowwise.rules` for what
releases are compared with and `parts.rowwise.design` for the shares. Ours, beyond LKKO21's PRIME-ht
(`mean/prime-heavy`); no theorem on its error is claimed. Proof: `proofs/robust_mean.md`.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from workbench.errors import ArgumentError, real, require_columns
from workbench.estimators.base import Estimator, Trace, in_columns, require_matrix, standard_radius
from workbench.estimators.parts.budgets import gaussian_total, step_budgets, steps_plan
from workbench.estimators.parts.foreseen import better_than
from workbench.estimators.parts.rowwise.design import RobustDesign, allowance, robust_heavy_design
from workbench.estimators.parts.rowwise.loop import RobustLoop
from workbench.estimators.parts.rowwise.row_filter import Rows
from workbench.estimators.parts.rowwise.rules import BoundedRule
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, PerColumn

MOST = 0.125  # beyond it the fullest bin may be the adversary's


@dataclass(frozen=True, kw_only=True)
class RobustHeavyMean(Estimator[Array]):
    """Private mean of partly corrupted heavy-tailed rows, by a filter of single rows (ours, beyond LKKO21).

    Accurate for rows of covariance at most `upper` times the identity with every coordinate of the mean
    within `radius` of `centre`, a share `corruption` of them anything.
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
        Share of the rows that may be anything. At most 0.125.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.
    upper : float, default 1.0
        The covariance is at most this times the identity, in the square of the data's unit.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = 3.0 + np.random.default_rng(1).standard_t(5.0, size=(5000, 4)) * 0.6**0.5
    >>> x[:250] += 10.0
    >>> release = RobustHeavyMean(radius=10.0)(x, budget=ApproxDP(4.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(np.linalg.norm(release.value - 3.0) < 0.2 < np.linalg.norm(x.mean(axis=0) - 3.0))
    True
    """

    radius: float
    corruption: float = 0.05
    centre: PerColumn = 0.0
    upper: float = 1.0

    def _validate(self) -> None:
        standard_radius(self.radius, sqrt(self.upper))
        if not (real(self.corruption) and 0 <= self.corruption <= MOST):
            raise ArgumentError("corruption", self.corruption, f"a number from 0 to {MOST}")

    def design(self, n: int, d: int, budget: Budget) -> RobustDesign:
        """Return radii and shares, in units of √upper; public."""
        require_matrix(n, d)
        reach = self.radius / sqrt(self.upper)
        return robust_heavy_design(n, d, self.corruption, reach, gaussian_total(budget))

    def filters(self, n: int, d: int, budget: Budget) -> bool:
        """Return whether the filter is in use, or would see nothing; public."""
        return self.design(n, d, budget).shares.passes > 0

    def loop(self, n: int, d: int, budget: Budget) -> RobustLoop:
        """Return the steps with their rule."""
        design = self.design(n, d, budget)
        return RobustLoop(BoundedRule(design, allowance(design) if design.shares.passes else 0.0))

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
        rows = Rows(x, middle, sqrt(self.upper))
        found = self.loop(n, d, budget).estimate(rows, self.plan(n, d, budget), noise, trace)  # (1) to (5)
        return np.asarray(middle + sqrt(self.upper) * found)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/√upper for clean normal rows; infinite from √d radius/√upper on.

        Corrupted rows come on top.
        """
        expected = self.loop(n, d, budget).clean_run(self.plan(n, d, budget)).median_error()
        return better_than(sqrt(d) * self.radius / sqrt(self.upper), expected)
