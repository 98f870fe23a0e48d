"""A private confidence interval for the mean, sigma known, nothing else.  Karwa & Vadhan 2018, Theorem 3.1.

Rows x of shape (n,), normal with standard deviation sigma. Neighbours: replace one row. Coverage is at least
1 - level for every mean and every n (for |mean| up to 1e12 sigma, where floats resolve it). No answer from
the location gives the whole line.

"tight", ours: est ± q sigma, where est is `univariate/unbounded-mean` and q a critical value of its pivot
(est - mean)/sigma, whose law depends on public numbers only (`parts.scale.critical`).

"paper", z = x/sigma, a = level:

    (1) c = stability-based histogram location of z with .2 ε and all of δ
    (2) est = c + mean(clip(z - c, ±w)) + Lap(b),  w = 2.5 + √(2 ln(4n/(.1a))),  b = 2w/(.8 ε n)
    (3) est ± the (1 - .9a) quantile of |N(0, 1/n) + Lap(b)|, times sigma

Union: .9a for (3), .05a for clipping, .05a for a wrong place; where n is too small to show the last, the
whole line. Constants are ours, the source's are not explicit.
"""

from dataclasses import dataclass
from math import inf, log, sqrt
from typing import ClassVar

from workbench.distributions import Interval as ConfidenceInterval
from workbench.errors import probability
from workbench.estimators.base import Abstention, Trace, Univariate, require_rows, standardised
from workbench.estimators.histograms import REACH, UnitHistogram
from workbench.estimators.parts.locate.laplace_normal import half_width
from workbench.estimators.parts.scale.critical import MEAN, pivotal_width
from workbench.estimators.shared.budgets import divided, mean_charge, rule
from workbench.estimators.shared.rescaled import SURE
from workbench.estimators.two_step import clipped_mean, record_clipping, sensitivity
from workbench.privacy import Budget, NoiseSource, Plan, Sequential
from workbench.privacy.mechanisms import additive
from workbench.types import Array, Calibration

WHOLE_LINE = ConfidenceInterval(-inf, inf)
SHARE = 0.2


@dataclass(frozen=True, kw_only=True)
class Interval(Univariate[ConfidenceInterval]):
    """Private confidence interval for the mean of one column, sigma known (KV18 Theorem 3.1).

    Covers the mean of normal rows of standard deviation `sigma` with probability 1 - `level`, wherever the
    mean is and whatever n is; where there is no answer it is the whole line.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0,
    below 1/2 for "paper".
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    share of the others is drawn with the mean at no cost: where more are absent than its noise hides, the
    interval is wide enough, if they are absent at random. "paper" is as wide as for n rows: where a share s
    is absent, too narrow by √(1 - s) and drawn to a private place near the mean.

    Parameters
    ----------
    sigma : float
        Standard deviation of the rows, known.
    level : float, default 0.05
        Chance, at most, of missing the mean.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = Interval(sigma=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> release.value.contains(3.0)
    True
    """

    laws: ClassVar[str] = "normal rows whose standard deviation is sigma"

    sigma: float
    level: float = 0.05
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        probability(level=self.level)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of the location and of the mean."""
        require_rows(n, d)
        if self.calibration == "tight":
            return MEAN.plan(n, budget)
        locate, mean = divided(budget, SHARE)
        step = mean_charge("mean", sensitivity(n, self.window(n)), mean)
        return Sequential(rule(budget), (_HISTOGRAM.charge("locate", locate), step))

    def window(self, n: int) -> float:
        """Return w of step (2) of the paper's recipe."""
        return REACH + sqrt(2 * log(4 * n / (0.1 * self.level)))

    def half_width(self, n: int, budget: Budget) -> float:
        """Return the public half-width, in the unit of the data, where no row is absent."""
        if self.calibration == "tight":
            return self.sigma * pivotal_width(n, budget, self.level)
        plan = self.plan(n, 1, budget)
        if _HISTOGRAM.error_bound(n, plan["locate"].cost, 0.05 * self.level) == inf:
            return inf
        return self.sigma * half_width(0.9 * self.level, 1 / sqrt(n), plan["mean"])

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> ConfidenceInterval:
        """Return the interval of sanitised rows."""
        z = standardised(x, 0.0, self.sigma)
        if self.calibration == "tight":
            estimate, there = MEAN.with_share(z, budget, noise, trace)
            reach = self.sigma * pivotal_width(len(x), budget, self.level, there)
        else:
            estimate = self._paper_estimate(z, budget, noise, trace)
            reach = self.half_width(len(x), budget)  # (3)
        if isinstance(estimate, Abstention) or reach == inf:
            return WHOLE_LINE
        return ConfidenceInterval(self.sigma * estimate - reach, self.sigma * estimate + reach)

    def _paper_estimate(
        self, z: Array, budget: Budget, noise: NoiseSource, trace: Trace | None
    ) -> float | Abstention:
        plan = self.plan(len(z), 1, budget)
        centre = _HISTOGRAM.draw(z, plan["locate"], noise)  # (1)
        if isinstance(centre, Abstention):
            return centre
        record_clipping(trace, z, centre, self.window(len(z)))
        mean = additive(clipped_mean(z, centre, self.window(len(z))), plan["mean"], noise)  # (2)
        return centre + float(mean)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return the half-width, a public number (infinite with the chance of no answer).

        All rows are taken to be there. Infinite for a beta at which noise may make some of them seem absent.
        """
        probability(beta=beta)
        require_rows(n, d)
        return self.half_width(n, budget) if beta >= SURE / 2 else inf


_HISTOGRAM = UnitHistogram(None, "tight")
