"""The scale of rows by a window-median location of log differences, then winsorised group variances.

    (1) D_i = |x_{2i} - x_{2i-1}|/√2, y_i = ln(D_i/.67449), so that median y = ln σ for normal rows
    (2) ln s = window-median position of y, window [-4.2, 1.9], with a share a of the budget
    (3) V_j = (variance within group j of g rows)/s²;  y = mean(clip(V, lo, hi)) + noise, by whole numbers
        q = ⌊n/g⌋ groups, sensitivity (hi - lo)/q given s
    (4) out = s √(h⁻¹(y)), h(v) the mean of clipped v χ²_{g-1}/(g-1)

a, g, lo and hi minimise a predicted error, a function of n, budget and range alone; where the optimum is
a = 1, s is the output. Ours: no source states it. Proof: `proofs/univariate.md`.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import expm1, inf, log, sinh, sqrt

import numpy as np

from workbench.estimators.base import Abstention, Trace
from workbench.estimators.parts.locate.laplace_normal import noise_quantile, noise_sd
from workbench.estimators.parts.locate.law import located_within, location_law, uniform_deviation
from workbench.estimators.parts.locate.window_median import WindowMedian
from workbench.estimators.parts.scale.exponent_scale import pair_differences
from workbench.estimators.parts.scale.winsor import LARGEST_RATIO, Winsor
from workbench.estimators.shared.budgets import divided, mean_charge, rule
from workbench.estimators.shared.predictions import median_norm_found
from workbench.privacy import Budget, Charge, NoiseSource, Plan, Sequential
from workbench.privacy.mechanisms import additive
from workbench.special import chdtri, ndtr
from workbench.types import Array

LEFT, RIGHT = 4.2, 1.9
HALF_NORMAL_MEDIAN = 0.6744897501960817
MEDIAN_DENSITY = 0.42872  # of y at its median
GROUPS = (2, 3, 4, 6, 9, 14, 22, 35)
TAILS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
SHARES = (0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True)
class Design:
    """Public choices of a run, the predicted sd of ln(out/σ), and the chance of no or a wrong location."""

    share: float
    winsor: Winsor | None
    rms: float
    failure: float


def log_difference_cdf(u: Array) -> Array:
    """Return the distribution function of y - ln σ for normal rows."""
    return np.asarray(2 * ndtr(HALF_NORMAL_MEDIAN * np.exp(np.minimum(u, 50.0))) - 1)


@dataclass(frozen=True)
class WinsorisedScale:
    """The recipe; `lower` ≤ σ ≤ `upper`, both or none."""

    lower: float | None
    upper: float | None

    @property
    def locator(self) -> WindowMedian:
        """The mechanism of step (2)."""
        if self.lower is None or self.upper is None:
            return WindowMedian(left=LEFT, right=RIGHT)
        return WindowMedian(left=LEFT, right=RIGHT, low=log(self.lower), high=log(self.upper))

    def design(self, n: int, budget: Budget) -> Design:
        """Return the public share, group size and clip of least predicted error."""
        return _design(self, n, budget)

    def predicted_error(self, n: int, budget: Budget) -> float:
        """Return the median of |out/σ - 1| for normal rows; infinite where σ is sooner missed than found."""
        design = self.design(n, budget)
        apart = design.rms * median_norm_found(1, design.failure)
        return sinh(apart) if apart < log(LARGEST_RATIO) else inf

    def plan(self, n: int, budget: Budget) -> Plan:
        """Return the charges of steps (2) and (3)."""
        self.locator.charge("log-scale", budget)
        design = self.design(n, budget)
        if design.winsor is None:
            return self.locator.charge("log-scale", budget)
        locate, mean = divided(budget, design.share)
        return Sequential(
            rule(budget),
            (
                self.locator.charge("log-scale", locate),
                _mean_charge(n, design.winsor.group, design.winsor.width, mean),
            ),
        )

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> float | Abstention:
        """Return the private scale of the rows."""
        return self.drawn(x, self.plan(len(x), budget), self.design(len(x), budget).winsor, noise, trace)

    def drawn(
        self, x: Array, plan: Plan, winsor: Winsor | None, noise: NoiseSource, trace: Trace | None = None
    ) -> float | Abstention:
        """Return the same, by charges and a clip that were chosen for as many rows."""
        log_s = self.locator.draw(log_differences(x), plan["log-scale"], noise)  # (1), (2)
        if log_s is None:
            return Abstention("log-scale")
        if winsor is None:
            return _exp(log_s)
        if trace is not None:
            trace.add(winsorised_share=winsor.clipped_share(x, log_s))
        noisy = float(additive(winsor.statistic(x, log_s), plan["variance"], noise))  # (3)
        return _exp(log_s + log(winsor.inverse(winsor.middle + noisy)) / 2)  # (4)

    def error_bound(self, n: int, budget: Budget, beta: float) -> float:
        """Return a proved bound on |out/σ - 1| for normal rows.

        DKW for the differences and for the group variances, location and noise take beta/4 each.
        """
        plan, winsor = self.plan(n, budget), self.design(n, budget).winsor
        deviation = uniform_deviation(n // 2, beta / 4)
        apart = located_within(
            self.locator, n // 2, plan["log-scale"].cost, beta / 4, log_difference_cdf, deviation
        )
        if winsor is None or apart > log(LARGEST_RATIO) / 4:
            return expm1(apart) if winsor is None and apart < 700 else inf
        spread = winsor.width * uniform_deviation(n // winsor.group, beta / 4)
        return _worst_ratio(winsor, apart, spread + noise_quantile(plan["variance"], beta / 4))


def _worst_ratio(winsor: Winsor, apart: float, deviation: float) -> float:
    """Return the largest |out/σ - 1| over |ln s - ln σ| ≤ apart (a grid of 101) and deviations of h."""
    worst = 0.0
    for u in np.linspace(-apart, apart, 101):
        for shift in (-deviation, deviation):
            reached = winsor.inverse(float(winsor.mean(np.exp(-2 * u))) + shift)
            if not 1 / LARGEST_RATIO < reached < LARGEST_RATIO:
                return inf
            worst = max(worst, abs(sqrt(reached) * float(np.exp(u)) - 1))
    return worst


def log_differences(x: Array) -> Array:
    """Return y_i = ln(D_i/.67449), -inf where D_i = 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(pair_differences(x)) - log(HALF_NORMAL_MEDIAN))


def _exp(log_s: float) -> float:
    return float(np.exp(np.clip(log_s, -700.0, 700.0)))


def _mean_charge(n: int, group: int, width: float, cost: Budget) -> Charge:
    return mean_charge("variance", width / (n // group), cost)


@lru_cache(maxsize=4096)
def _design(recipe: WinsorisedScale, n: int, budget: Budget) -> Design:
    best = _alone(recipe, n, budget)
    for share in SHARES:
        locate, mean = divided(budget, share)
        sd, failure = _location(recipe, n, locate)
        for group in GROUPS:
            if 2 * group > n:
                continue
            together, clips = _clips(group)
            rms = _rms(together, n, noise_sd(_mean_charge(n, group, 1.0, mean)), sd)
            least = int(np.argmin(rms))
            if rms[least] + failure < best.rms + best.failure:
                best = Design(share, clips[least], float(rms[least]), failure)
    return best if best.failure <= 0.5 else _alone(recipe, n, budget)


def _alone(recipe: WinsorisedScale, n: int, budget: Budget) -> Design:
    sd, failure = _location(recipe, n, budget)
    return Design(1.0, None, sd, failure)


def _location(recipe: WinsorisedScale, n: int, cost: Budget) -> tuple[float, float]:
    """Return the sd of ln s - ln σ, sampling included, and the chance of a miss."""
    u, weights, failure = location_law(recipe.locator, n // 2, cost, log_difference_cdf, 2.0)
    mechanism = float(weights @ u**2) if failure < 1 else 1.0
    return sqrt(mechanism + 1 / (4 * MEDIAN_DENSITY**2 * (n // 2))), failure


@lru_cache(maxsize=len(GROUPS))
def _clips(group: int) -> tuple[Winsor, tuple[Winsor, ...]]:
    """Return all clips of the grid of tails: together, their ends as columns, and one by one."""
    nu = group - 1
    ends = [(chdtri(nu, 1 - low) / nu, chdtri(nu, high) / nu) for low in TAILS for high in TAILS]
    low, high = np.array(ends).T[:, :, None]
    return Winsor(group, low, high), tuple(Winsor(group, float(one), float(two)) for one, two in ends)


def _rms(winsor: Winsor, n: int, unit: float, sd: float) -> Array:
    """Return the sd of ln(out/σ) by the three-point rule over ln s ~ N(ln σ, sd²), for noise unit·width."""
    v = np.exp(-2 * sqrt(3) * sd * np.array([-1.0, 0.0, 1.0]))
    slope, noise = v * winsor.slope(v), unit * winsor.width
    variance = (winsor.variance(v) / (n // winsor.group) + noise**2) / np.maximum(2 * slope, 1e-12) ** 2
    return np.asarray(np.sqrt(variance @ np.array([1 / 6, 2 / 3, 1 / 6])))
