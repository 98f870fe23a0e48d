"""A rough centre of rows in d dimensions: a stability-based histogram in every coordinate.  LKKO21 Alg 5.

Rows z of shape (n, d) in standard units, bins [wj, w(j + 1)) of a public width w. For every coordinate:

    (1) noisy counts of the populated bins; those below the threshold of a lone row are dropped
    (2) the centre of the largest one that is left; none left: no answer
    (3) with `parts` > 1: (1) and (2) on every part of the rows, and the median of the answers

A part is the rows p, p + parts, p + 2 parts ...: fixed by their numbers. A replaced row lies in one part, so
that a coordinate costs what one part costs. The budget is divided over the coordinates:

    ZCDP       ρ/d and δ/d each
    ApproxDP   "tight": (ε/d, δ/d) each, or the zCDP that (ε, δ/2 more) allows, whichever drops less;
               "paper": ε₀ = min(ε, .9)/√(8d ln(2/δ)), δ₀ = δ/(2d) each (LKKO21 Lemma G.13)

Proof: `proofs/heavy_tails.md`, section 7; `proofs/univariate.md`, section 2.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, log, sqrt

import numpy as np

from workbench.errors import ArgumentError, few
from workbench.estimators.base import MOST_CHARGED, Abstention, require_matrix
from workbench.estimators.parts.budgets import concentrated
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    Budget,
    Charge,
    Converted,
    NoiseSource,
    Parallel,
    Plan,
    Sequential,
)
from workbench.privacy.histograms import largest_noise, stability_charge, stability_threshold, stable_mode
from workbench.privacy.plan import Rule
from workbench.types import Array, Calibration

BALL_WIDTH, BOX_WIDTH = 4.0, 2.0  # of a bin, for rows of bounded covariance and for sub-Gaussian ones: ours


@dataclass(frozen=True)
class StableCentres:
    """The recipe: the width of a bin and the number of parts."""

    width: float
    calibration: Calibration = "tight"
    parts: int = 1

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for each coordinate and part."""
        require_matrix(n, d, least=max(2, self.parts))
        rule, cost = self.coordinate_cost(d, budget)
        total = Sequential(rule, tuple(self._coordinate(j, cost) for j in range(1, d + 1)))
        return Converted(total, budget) if isinstance(budget, ApproxDP) and rule == "zcdp" else total

    def _coordinate(self, j: int, cost: Budget) -> Plan:
        if self.parts == 1:
            return stability_charge(f"coordinate {j}", cost)
        names = (f"coordinate {j}, part {p}" for p in range(1, self.parts + 1))
        return Parallel(tuple(stability_charge(name, cost) for name in names))

    def coordinate_cost(self, d: int, budget: Budget) -> tuple[Rule, ApproxDP | ZCDP]:
        """Return the rule of composition and the cost of one coordinate."""
        few(MOST_CHARGED, d=d)
        match budget:
            case ZCDP(rho, delta) if 0 < delta < 0.5:
                return "zcdp", ZCDP(rho / d, delta / d)
            case ApproxDP(epsilon, delta) if 0 < delta < 0.5:
                if self.calibration == "paper":
                    return "zcdp", ApproxDP(min(epsilon, 0.9) / sqrt(8 * d * log(2 / delta)), delta / (2 * d))
                basic = ApproxDP(epsilon / d, delta / d)
                joint = ZCDP(concentrated(budget).rho / d, delta / (2 * d))
                if stability_threshold(basic) <= stability_threshold(joint):
                    return "basic", basic
                return "zcdp", joint
        raise ArgumentError("budget", budget, "ApproxDP or ZCDP with 0 < delta < 1/2")

    def draw(self, z: Array, plan: Plan, noise: NoiseSource) -> Array | Abstention:
        """Return the centre of standardised rows."""
        charges = iter(plan.charges())
        centres = [self._centre(keys, charges, noise) for keys in self.keys(z).T]
        lost = next((j for j, centre in enumerate(centres, start=1) if centre is None), None)
        return np.array(centres, np.float64) if lost is None else Abstention(f"coordinate {lost}")

    def keys(self, z: Array) -> Array:
        """Return the bin of every row in every coordinate, as whole floats of shape (n, d)."""
        return np.floor(z / self.width)

    def _centre(self, keys: Array, charges: Iterator[Charge], noise: NoiseSource) -> float | None:
        modes = [stable_mode(keys[p :: self.parts], next(charges), noise) for p in range(self.parts)]  # (1)
        found = [self.width * (mode + 0.5) for mode in modes if isinstance(mode, float)]  # (2)
        return float(np.median(found)) if found else None  # (3)

    def found(self, n: int, d: int, budget: Budget, beta: float, best: float, far: float) -> bool:
        """Return whether n rows suffice, with probability 1 - beta, to choose no far bin in any coordinate.

        In every coordinate some bin has mass at least `best`, all far ones together at most `far`. Hoeffding
        for both takes beta/2, the noise the rest. For one part only.
        """
        _, cost = self.coordinate_cost(d, budget)
        deviation = sqrt(n * log(4 * d / beta) / 2)
        error = largest_noise(n, cost, beta / (2 * d))
        ahead = (best - far) * n - 2 * deviation > 2 * error
        return ahead and best * n - deviation - error >= stability_threshold(cost)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float, best: float, far: float) -> float:
        """Return 1.5 bins in every coordinate, in l2, if n suffices; else infinity."""
        enough = self.parts == 1 and self.found(n, d, budget, beta, best, far)
        return 1.5 * self.width * sqrt(d) if enough else inf


def box_reach(n: int, d: int, beta: float) -> float:
    """Return the half-width of LKKO21 Algorithm 5's box round a centre of bins of width 2, in units."""
    return 4 * sqrt(log(d * n / beta))


def ball_reach(d: int, inner: float) -> float:
    """Return the radius round a centre of bins of width 4 that holds the ball `inner` round the mean."""
    return 1.5 * BALL_WIDTH * sqrt(d) + inner
