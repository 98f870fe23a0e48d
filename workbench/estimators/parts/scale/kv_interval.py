"""The confidence interval of Karwa & Vadhan 2018 for unknown mean and variance, with our constants.

For level a, m = ⌊n/2⌋, differences D_i of pairs, shares .2, .15, .3, .35 of ε and δ/2 for each histogram:

    (1) ê = exponent histogram of D (.2 ε, δ/2); s = 2^(ê+2), so that σ ≤ s ≤ 16 σ
    (2) c = stability-based histogram of x/s with bins of width 1 (.15 ε, δ/2)        within 1.5 s of the mean
    (3) V = B/2 + mean(clip(D² - B/2, ±B/2)) + Lap(B/(.3 ε m)),  B = 2 s² ln(2m/(.05a))
    (4) σ_hi² = (V + B ln(1/(.1a))/(.3 ε m)) m/χ²_m(.1a), at most s²                  lower quantile of χ²_m
    (5) est = c + mean(clip(x - c, ±w)) + Lap(2w/(.35 ε n)),  w = 1.5 s + σ_hi √(2 ln(4n/(.1a)))
    (6) est ± the (1 - .7a) quantile of |N(0, σ_hi²/n) + Lap(2w/(.35 ε n))|

Union: .05a for clipping D², .05a for the noise of V, .1a for χ², .05a for clipping x, .7a for (6), .05a for
(1) and (2) together. Where n is too small to show the last, for a constant column (ê of zero differences)
and for no answer from a histogram the interval is the whole line. The mean of x is independent of all D_i,
which (6) uses; every other step is covered by the union.
"""

from dataclasses import dataclass
from math import inf, log, sqrt

from workbench.distributions import Interval as ConfidenceInterval
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention, standardised
from workbench.estimators.histograms import BEST, UnitHistogram
from workbench.estimators.parts.locate.laplace_normal import half_width, noise_quantile
from workbench.estimators.parts.scale.exponent_scale import ZERO, ExponentScale, pair_differences
from workbench.estimators.shared.budgets import mean_charge, rule
from workbench.estimators.shared.rows import mean_in_box
from workbench.estimators.two_step import clipped_mean, sensitivity
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, NoiseSource, PureDP, Sequential
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import additive
from workbench.special import chdtri
from workbench.types import Array

EXPONENT, LOCATION = ExponentScale(None, None), UnitHistogram(None, "tight")
SHARES = (0.2, 0.15, 0.3, 0.35)
ONE_SIDE = 0.15865525393145707  # P(Z > 1): the most mass of a bin whose centre is more than 1.5 s away


@dataclass(frozen=True)
class KVInterval:
    """The recipe for one level."""

    level: float

    def plan(self, n: int, budget: Budget) -> Sequential:
        """Return the charges of steps (1), (2), (3) and (5), the last two per unit of s and of w."""
        exponent, locate, variance, mean = _parts(budget)
        return Sequential(
            rule(budget),
            (
                EXPONENT.charge("exponent", exponent),
                LOCATION.charge("locate", locate),
                mean_charge("variance", self.variance_cap(n) / (n // 2), variance),
                mean_charge("mean", sensitivity(n, 1.0), mean),
            ),
        )

    def variance_cap(self, n: int) -> float:
        """Return B/s² of step (3)."""
        return 2 * log(2 * (n // 2) / (0.05 * self.level))

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> ConfidenceInterval | Abstention:
        """Return the interval of sanitised rows."""
        n, plan = len(x), self.plan(len(x), budget)
        exponent = EXPONENT.draw(x, plan["exponent"], noise)  # (1)
        if isinstance(exponent, Abstention) or exponent == ZERO:
            return Abstention("exponent")
        s = 2.0 ** (exponent + 2)
        z = standardised(x, 0.0, s)
        centre = LOCATION.draw(z, plan["locate"], noise)  # (2)
        spread = self._spread(x, s, plan["variance"], noise)  # (3), (4)
        if isinstance(centre, Abstention) or not self.located(n, budget):
            return Abstention("locate")
        window = 1.5 + spread * sqrt(2 * log(4 * n / (0.1 * self.level)))
        unit = additive(clipped_mean(z, centre, window) / window, plan["mean"], noise)  # (5)
        reach = half_width_of_unit(0.7 * self.level, spread / sqrt(n), window, plan["mean"])
        estimate = centre + window * float(unit)
        return ConfidenceInterval(s * (estimate - reach), s * (estimate + reach))  # (6)

    def _spread(self, x: Array, s: float, charge: Charge, noise: NoiseSource) -> float:
        """Return σ_hi/s."""
        m, middle = len(x) // 2, self.variance_cap(len(x)) / 2
        noisy = middle + float(additive(self.mean_square(x, s), charge, noise))
        upper = (noisy + noise_quantile(charge, 0.1 * self.level)) * m / chdtri(m, 1 - 0.1 * self.level)
        return sqrt(upper) if 0 < upper < 1 else 1.0

    def mean_square(self, x: Array, s: float) -> OnGrid:
        """Return (V - B/2)/s² of step (3) before noise; one row touches one difference."""
        middle = self.variance_cap(len(x)) / 2
        ratios = standardised(pair_differences(x), 0.0, s)
        return mean_in_box(ratios, lambda part: part * part - middle, middle)

    def located(self, n: int, budget: Budget) -> bool:
        """Return whether n shows that (1) and (2) fail with probability at most .05a on normal rows."""
        exponent, locate, _, _ = _parts(budget)
        beta = 0.05 * self.level / 2
        deviation = sqrt(n * log(6 / beta) / 2)
        noise = LOCATION.count_error(n, locate, beta / 2)
        apart = (BEST - ONE_SIDE) * n > 2 * deviation + 2 * noise
        kept = BEST * n - deviation - noise >= LOCATION.threshold(locate)
        return apart and kept and EXPONENT.found(n, exponent, beta, factor=16)

    def half_width_bound(self, n: int, budget: Budget, beta: float) -> float:
        """Return 16 times the half-width at σ_hi = s = 1, in units of σ: what a found scale allows."""
        plan = self.plan(n, budget)
        if not self.located(n, budget) or beta < 0.05 * self.level:
            return inf
        window = 1.5 + sqrt(2 * log(4 * n / (0.1 * self.level)))
        return 16 * half_width_of_unit(0.7 * self.level, 1 / sqrt(n), window, plan["mean"])


def half_width_of_unit(beta: float, sd: float, window: float, charge: Charge) -> float:
    """Return the half-width for noise that `charge` adds per unit of the window."""
    return window * half_width(beta, sd / window, charge)


def _parts(budget: Budget) -> tuple[Budget, Budget, Budget, Budget]:
    a, b, c, _ = SHARES
    match budget:
        case ApproxDP(epsilon, delta):
            last = epsilon - a * epsilon - b * epsilon - c * epsilon
            half = delta / 2
            return ApproxDP(a * epsilon, half), ApproxDP(b * epsilon, half), PureDP(c * epsilon), PureDP(last)
        case ZCDP(rho, delta):
            last = rho - a * rho - b * rho - c * rho
            return ZCDP(a * rho, delta / 2), ZCDP(b * rho, delta / 2), ZCDP(c * rho), ZCDP(last)
    raise ArgumentError("budget", budget, "ApproxDP or ZCDP with delta > 0")
