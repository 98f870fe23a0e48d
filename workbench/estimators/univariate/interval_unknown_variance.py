"""A private confidence interval for the mean, nothing known.  Karwa & Vadhan 2018, Theorem 5.1.

Rows x of shape (n,), normal. Neighbours: replace one row. Coverage is at least 1 - level for every mean,
sigma and n. No answer from a step gives the whole line.

"tight", ours, with shares of the budget chosen by a public width formula:

    (1) s = `univariate/scale`, tight, with a share of ε and half of δ
    (2) est = s · the tight `univariate/unbounded-mean` of x/s, with the rest
    (3) est ± q s, q a critical value of the pivot (est - mean)/s, whose law depends on public numbers only

"paper", a = level, shares .2, .15, .3, .35 of ε, half of δ for each histogram (`parts.scale.kv_interval`).
"""

from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import ClassVar

from workbench.distributions import Interval as ConfidenceInterval
from workbench.errors import ArgumentError, probability
from workbench.estimators.base import Abstention, Trace, Univariate, require_rows, standardised
from workbench.estimators.parts.scale.critical import MEAN, SCALE, pivotal_width
from workbench.estimators.parts.scale.kv_interval import KVInterval
from workbench.estimators.shared.budgets import rule
from workbench.estimators.shared.rescaled import SURE
from workbench.estimators.univariate.interval import WHOLE_LINE
from workbench.estimators.univariate.scale import LEAST_ROWS
from workbench.privacy import ZCDP, ApproxDP, Budget, NoiseSource, Plan, Sequential
from workbench.types import Array, Calibration

SHARES = (0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6)
T_EXPANSION = 2.42  # t-quantile over z-quantile at the 95 % level: 1 + 2.42 r², r the sd of ln s


@dataclass(frozen=True, kw_only=True)
class IntervalUnknownVariance(Univariate[ConfidenceInterval]):
    """Private confidence interval for the mean of one column, nothing known (KV18 Theorem 5.1).

    Covers the mean of normal rows with probability 1 - `level`, whatever mean, sigma and n are; where there
    is no answer it is the whole line.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    share of the others is drawn with the mean at no cost: where more are absent than its noise hides, the
    interval is wide enough, if they are absent at random; where few pairs are left it is the whole line.
    "paper" is as wide as for n rows: where a share s is absent, too narrow by √(1 - s) and drawn to a private
    place near the mean.

    Parameters
    ----------
    level : float, default 0.05
        Chance, at most, of missing the mean.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> rng = np.random.default_rng(2)
    >>> release = IntervalUnknownVariance()(x, budget=ApproxDP(1.0, 1e-6), rng=rng)
    >>> release.value.contains(3.0)
    True
    """

    laws: ClassVar[str] = "normal rows"

    level: float = 0.05
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        probability(level=self.level)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of scale, location and mean."""
        require_rows(n, d, LEAST_ROWS)
        if self.calibration == "paper":
            return KVInterval(self.level).plan(n, budget)
        return steps_of(n, budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> ConfidenceInterval:
        """Return the interval of sanitised rows."""
        if self.calibration == "paper":
            interval = KVInterval(self.level).estimate(x, budget, noise)
            return WHOLE_LINE if isinstance(interval, Abstention) else interval
        found, there = studentised(x, budget, noise, trace)
        critical = self.critical_value(len(x), budget, there)
        if isinstance(found, Abstention) or critical == inf:
            return WHOLE_LINE
        estimate, scale = found
        reach = scale * critical  # (3)
        return ConfidenceInterval(estimate - reach, estimate + reach)

    def critical_value(self, n: int, budget: Budget, there: float = 1.0) -> float:
        """Return q of step (3), for a noisy share of rows that are there."""
        scale, mean = scale_and_mean(n, budget)
        return pivotal_width(n, mean, self.level, there, scale)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on half-width/sigma for normal rows: q times the bound on s/sigma.

        All rows are taken to be there; of beta, `SURE`/2 is for noise that makes some seem absent.
        """
        probability(beta=beta)
        require_rows(n, d, LEAST_ROWS)
        if self.calibration == "paper":
            return KVInterval(self.level).half_width_bound(n, budget, beta)
        if beta <= SURE / 2:
            return inf
        scale = SCALE.error_bound(n, scale_and_mean(n, budget)[0], beta - SURE / 2)
        return inf if scale == inf else self.critical_value(n, budget) * (1 + scale)


def studentised(
    x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
) -> tuple[tuple[float, float] | Abstention, float]:
    """Return (est, s) for sanitised rows, and the noisy share of those that are there."""
    scale, mean = scale_and_mean(len(x), budget)
    s = SCALE.estimate(x, scale, noise, trace)  # (1)
    if isinstance(s, Abstention):
        return s, 1.0
    value, there = MEAN.with_share(standardised(x, 0.0, s), mean, noise, trace)  # (2)
    return value if isinstance(value, Abstention) else (s * value, s), there


def steps_of(n: int, budget: Budget) -> Plan:
    """Return the plan of (1) and (2)."""
    scale, mean = scale_and_mean(n, budget)
    return Sequential(rule(budget), (SCALE.plan(n, scale), MEAN.plan(n, mean)))


@lru_cache(maxsize=4096)
def scale_and_mean(n: int, budget: Budget) -> tuple[Budget, Budget]:
    """Return the parts of `budget` for scale and mean that make a predicted width least."""

    def width(share: float) -> float:
        scale, mean = _split(budget, share)
        scales, means = SCALE.design(n, scale), MEAN.design(n, mean)
        return means.rms * (1 + T_EXPANSION * scales.rms**2) + scales.failure + means.failure

    SCALE.locator.charge("log-scale", budget)
    return _split(budget, min(SHARES, key=width))


def _split(budget: Budget, share: float) -> tuple[Budget, Budget]:
    match budget:
        case ApproxDP(epsilon, delta):
            return ApproxDP(share * epsilon, delta / 2), ApproxDP(
                epsilon - share * epsilon, delta - delta / 2
            )
        case ZCDP(rho, delta):
            return ZCDP(share * rho, delta / 2), ZCDP(rho - share * rho, delta - delta / 2)
    raise ArgumentError("budget", budget, "ApproxDP or ZCDP with delta > 0")
