"""A private confidence interval for the mean, nothing known.  Karwa & Vadhan 2018, Theorem 5.1.

Rows x of shape (n,), normal. Neighbours: replace one row. Coverage is at least 1 - level for every mean,
sigma and n. No answer from a step gives the whole line.

"tight", ours, with shares of the budget chosen by a public width formula:

    (1) s = `univariate/scale`, tight, with a share of ε and half of δ
    (2) est = s · tight mean of x/s (`parts.locate.window_mean`), with the rest
    (3) est ± q s, q a critical value of the pivot (est - mean)/s, whose law depends on public numbers only

"paper", a = level, shares .2, .15, .3, .35 of ε, half of δ for each histogram (`parts.scale.kv_interval`).
"""

from dataclasses import dataclass
from math import inf

from workbench.distributions import Interval as ConfidenceInterval
from workbench.errors import checked, integer_at_least, probability
from workbench.estimators.base import Abstention, Trace, require_rows, run_univariate
from workbench.estimators.parts.scale.kv_interval import KVInterval
from workbench.estimators.parts.scale.pivots import critical_value
from workbench.estimators.parts.scale.studentised import SCALE, Studentised
from workbench.estimators.univariate.interval import WHOLE_LINE
from workbench.estimators.univariate.scale import LEAST_ROWS
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration

RECIPE = Studentised()


@dataclass(frozen=True, kw_only=True)
class IntervalUnknownVariance:
    """Private confidence interval for the mean of one column, nothing known (KV18 Theorem 5.1).

    Covers the mean of normal rows with probability 1 - `level`, whatever mean, sigma and n are; where there
    is no answer it is the whole line.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 counts as the row 0. It
    pulls the interval towards 0 and widens it; it then may miss the mean of the others.

    Parameters
    ----------
    level : float, default 0.05
        Chance, at most, of missing the mean.
    pivots : int, default 20000
        Simulated draws behind the critical value of "tight".
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> estimator, rng = IntervalUnknownVariance(pivots=500), np.random.default_rng(2)
    >>> release = estimator(x, budget=ApproxDP(1.0, 1e-6), rng=rng)
    >>> release.value.contains(3.0)
    True
    """

    level: float = 0.05
    pivots: int = 20_000
    calibration: Calibration = "tight"

    def __post_init__(self) -> None:
        checked(self)
        probability(level=self.level)
        integer_at_least(100, pivots=self.pivots)

    __call__ = run_univariate

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of scale, location and mean."""
        require_rows(n, d, LEAST_ROWS)
        if self.calibration == "paper":
            return KVInterval(self.level).plan(n, budget)
        return RECIPE.plan(n, budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> ConfidenceInterval:
        """Return the interval of sanitised rows."""
        if self.calibration == "paper":
            interval = KVInterval(self.level).estimate(x, budget, noise)
            return WHOLE_LINE if isinstance(interval, Abstention) else interval
        found = RECIPE.estimate(x, budget, noise, trace)  # (1), (2)
        critical = self.critical_value(len(x), budget)
        if isinstance(found, Abstention) or critical == inf:
            return WHOLE_LINE
        estimate, scale = found
        reach = scale * critical  # (3)
        return ConfidenceInterval(estimate - reach, estimate + reach)

    def critical_value(self, n: int, budget: Budget) -> float:
        """Return q of step (3)."""

        def pivot(z: Array, noise: NoiseSource) -> float | None:
            found = RECIPE.estimate(z, budget, noise)
            return None if isinstance(found, Abstention) else abs(found[0]) / found[1]

        return critical_value(f"interval-unknown-variance {budget!r}", n, pivot, self.level, self.pivots)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on half-width/sigma for normal rows: q times the bound on s/sigma."""
        probability(beta=beta)
        require_rows(n, d, LEAST_ROWS)
        if self.calibration == "paper":
            return KVInterval(self.level).half_width_bound(n, budget, beta)
        budget_of_scale, _ = RECIPE.budgets(n, budget)
        scale = SCALE.error_bound(n, budget_of_scale, beta)
        return inf if scale == inf else self.critical_value(n, budget) * (1 + scale)
