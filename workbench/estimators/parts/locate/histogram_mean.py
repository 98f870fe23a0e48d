"""Locate by a histogram, then a clipped mean: the recipe of L17 Theorems 2.5 and 2.8.

(1) c = histogram location of x with half of ε (and all of δ)
(2) out = c + mean(clip(x - c, ±w)) + noise,   w = 2.5 + √(2 ln(4n/β))      sensitivity 2w/n given c
"""

from dataclasses import dataclass
from math import inf, log, sqrt

from workbench.estimators.base import Abstention, Trace
from workbench.estimators.histograms import REACH, UnitHistogram
from workbench.estimators.parts.budgets import divided, mean_charge, rule
from workbench.estimators.parts.locate.clipping import (
    clipped_mean,
    clipped_off,
    record_clipping,
    sensitivity,
)
from workbench.estimators.parts.locate.laplace_normal import median_of_sum, noise_quantile
from workbench.estimators.parts.rescaled import counted_error, rescaled_mean
from workbench.privacy import Budget, NoiseSource, Plan, Sequential
from workbench.special import ndtri
from workbench.types import Array

SHARE = 0.5  # stated in L17: both steps with ε/2


@dataclass(frozen=True)
class HistogramMean:
    """The recipe for rows of standard deviation 1 and mean within ±`radius` (None: anywhere)."""

    radius: float | None
    beta: float

    @property
    def locator(self) -> UnitHistogram:
        """The histogram of step (1)."""
        return UnitHistogram(self.radius, "paper")

    def window(self, n: int) -> float:
        """Return w: with probability 1 - beta/4 no row is clipped around a centre within 2.5."""
        return REACH + sqrt(2 * log(4 * n / self.beta))

    def bias(self, n: int, budget: Budget) -> float:
        """Return how far (2) may be from the mean of other rows of sd at most 1, if c is within 2.5."""
        return clipped_off(self.window(n) - REACH)

    def plan(self, n: int, budget: Budget) -> Plan:
        """Return the charges of steps (1) and (2)."""
        locate, mean = divided(budget, SHARE)
        step = mean_charge("mean", sensitivity(n, self.window(n)), mean)
        return Sequential(rule(budget), (self.locator.charge("locate", locate), step))

    def located(self, x: Array, budget: Budget, noise: NoiseSource) -> float | Abstention:
        """Return the centre of step (1) for standardised rows."""
        return self.locator.draw(x, self.plan(len(x), budget)["locate"], noise)

    def averaged(
        self, x: Array, centre: float, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> float:
        """Return the mean of step (2) round a centre."""
        record_clipping(trace, x, centre, self.window(len(x)))
        statistic = clipped_mean(x, centre, self.window(len(x)), counted=True)
        return centre + float(rescaled_mean(statistic, len(x), self.plan(len(x), budget)["mean"], noise)[0])

    def predicted_error(self, n: int, budget: Budget) -> float:
        """Return the median error for normal rows; infinite unless half of the locations hold by proof."""
        plan = self.plan(n, budget)
        if self.locator.error_bound(n, plan["locate"].cost, 0.5) == inf:
            return inf
        return median_of_sum(1 / sqrt(n), plan["mean"])

    def error_bound(self, n: int, budget: Budget, beta: float) -> float:
        """Return the bound of Theorems 2.5 and 2.8 with explicit constants.

        Location, clipping, sampling and noise take beta/4 each; finite only for beta ≥ the `beta` that
        chose the window.
        """
        plan = self.plan(n, budget)
        if self.locator.error_bound(n, plan["locate"].cost, beta / 4) == inf or beta < self.beta:
            return inf
        exact, charge = float(-ndtri(beta / 8)) / sqrt(n), plan["mean"]

        def error(part: float) -> float:
            return exact + noise_quantile(charge, part)

        return counted_error(error, REACH, charge, n, beta / 4)
