"""The private mean of a column of unknown mean and scale, and the private scale it was found with.

    (1) s = winsorised scale of x, with a share of ε or ρ and half of δ
    (2) est = s · window mean of x/s, with the rest

The share minimises a predicted width, a function of n and budget alone.
"""

from dataclasses import dataclass
from functools import lru_cache

from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention, Trace, standardised
from workbench.estimators.parts.budgets import rule
from workbench.estimators.parts.locate.window_mean import WindowMean
from workbench.estimators.parts.scale.winsorised_scale import WinsorisedScale
from workbench.privacy import ZCDP, ApproxDP, Budget, NoiseSource, Sequential
from workbench.types import Array

SHARES = (0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6)
T_EXPANSION = 2.42  # t-quantile over z-quantile at the 95 % level: 1 + 2.42 r², r the sd of ln s

SCALE, MEAN = WinsorisedScale(None, None), WindowMean(None)


@dataclass(frozen=True)
class Studentised:
    """The recipe; it has no parameters."""

    def budgets(self, n: int, budget: Budget) -> tuple[Budget, Budget]:
        """Return the parts of `budget` for scale and mean."""
        return _best_split(n, budget)

    def plan(self, n: int, budget: Budget) -> Sequential:
        """Return the plans of steps (1) and (2)."""
        scale, mean = self.budgets(n, budget)
        return Sequential(rule(budget), (SCALE.plan(n, scale), MEAN.plan(n, mean)))

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> tuple[float, float] | Abstention:
        """Return (est, s) for sanitised rows."""
        scale, mean = self.budgets(len(x), budget)
        s = SCALE.estimate(x, scale, noise, trace)  # (1)
        if isinstance(s, Abstention):
            return s
        value = MEAN.estimate(standardised(x, 0.0, s), mean, noise, trace)  # (2)
        return value if isinstance(value, Abstention) else (s * value, s)


def _split(budget: Budget, share: float) -> tuple[Budget, Budget]:
    match budget:
        case ApproxDP(epsilon, delta):
            return ApproxDP(share * epsilon, delta / 2), ApproxDP(
                epsilon - share * epsilon, delta - delta / 2
            )
        case ZCDP(rho, delta):
            return ZCDP(share * rho, delta / 2), ZCDP(rho - share * rho, delta - delta / 2)
    raise ArgumentError("budget", budget, "ApproxDP or ZCDP with delta > 0")


@lru_cache(maxsize=4096)
def _best_split(n: int, budget: Budget) -> tuple[Budget, Budget]:
    def width(share: float) -> float:
        scale, mean = _split(budget, share)
        scales, means = SCALE.design(n, scale), MEAN.predict(n, mean)
        return means.rms * (1 + T_EXPANSION * scales.rms**2) + scales.failure + means.failure

    SCALE.locator.charge("log-scale", budget)
    return _split(budget, min(SHARES, key=width))
