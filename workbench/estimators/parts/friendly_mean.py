"""The friendly mean: a private mean of points most of which lie close together, wherever that is.

Points y_1 .. y_t with entries in [-1, 1], as those of projections, each from a block of rows of its own, and
a distance τ that is public or released:

    (1) N_j = #{l : |y_l - y_j| ≤ τ}, the friends of y_j, itself among them
    (2) w_j = clip((2 N_j - t - 1)/(t - 1), 0, 1), Q = Σ w_j                          |Q - Q'| ≤ 3
    (3) L = Q + N(0, s²) - s Φ⁻¹(1 - δ): a lower bound on Q; no vote if L < 12
    (4) out = Σ w_j y_j/Q + symmetric noise, calibrated to 2T τ/L

Two points of positive weight, of one data set or of two neighbours, share a friend, so that they are within
2τ of each other; a replaced point moves a share of at most T/max(Q, Q') of all weight, hence the mean by at
most 2Tτ/max(Q, Q'). T falls from 3 to 2 as L rises to t: with q = (L - 4)/(t - 1),

    T = 3/2 + (q + 1/q)/4 + 2/(L - 3) for q ≥ 1/3,    3 - 2q + 2/(L - 3) below,    never above 3

Proof: `proofs/aggregation.md`, section 2. The noise of (4) is drawn for the mean in units of 2Tτ/L, in which
its sensitivity is 1; where L < 12 it is drawn all the same, for a mean of 0.

`calibration="paper"` is the first version of this proof, in the place of the source's GoodCenter:
w_j = clip((N_j - t/2 - 1)/(t/4), 0, 1), |Q - Q'| ≤ 5, 12 τ/max(Q, Q'), no vote if L < t/4, t ≥ 21.
"""

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Literal

import numpy as np
from scipy.special import ndtri

from workbench.errors import ArgumentError
from workbench.estimators.base import Array
from workbench.privacy import ZCDP, Charge, NoiseSource
from workbench.privacy.mechanisms import lower_bound, symmetric_gaussian

ROUNDING = 0.02  # what floats may add to the displacement, in units of τ/Q
CLOSEST = 1e-10  # distances below it are rounding
AT_ONCE = 2**21  # entries of differences that are held at a time


@dataclass(frozen=True)
class Rule:
    """The constants of one version of the proof."""

    gap: float  # the most that Q moves
    move: float  # the most that the mean moves, in units of τ/max(Q, Q'), whatever Q is
    share: float  # of the cost that the count takes
    fewest: int  # points


RULES = {"tight": Rule(3.0, 6.0, 0.5, 13), "paper": Rule(5.0, 12.0, 0.3, 21)}


@dataclass(frozen=True)
class FriendlyMean:
    """The recipe for t points at a cost of δ-approximate ρ-zCDP."""

    points: int
    calibration: Literal["paper", "tight"] = "tight"

    def __post_init__(self) -> None:
        if self.points < self.rule.fewest:
            raise ArgumentError("points", self.points, f"at least {self.rule.fewest}")

    @property
    def rule(self) -> Rule:
        """The constants."""
        return RULES[self.calibration]

    @property
    def least(self) -> float:
        """The lower bound on Q below which there is no vote; above `rule.gap`."""
        return 12.0 if self.calibration == "tight" else self.points / 4

    def charges(self, step: str, cost: ZCDP) -> tuple[Charge, Charge]:
        """Return the charges of (3), which holds all of δ, and of (4)."""
        count, mean = ZCDP(cost.rho).split(self.rule.share, 1 - self.rule.share)
        return (
            Charge(f"{step}, count", "lower_bound", self.rule.gap, ZCDP(count.rho, cost.delta)),
            Charge(f"{step}, mean", "symmetric_gaussian", 1.0, mean),
        )

    def weights(self, y: Array, tau: float) -> Array:
        """Return w of (2)."""
        friends, t = friends_of(y, tau), self.points
        if self.calibration == "paper":
            return np.clip((friends - t / 2 - 1) / (t / 4), 0.0, 1.0)
        return np.clip((2 * friends - t - 1) / (t - 1), 0.0, 1.0)

    def move(self, bound: float) -> float:
        """Return the most that the mean moves, in units of τ/max(Q, Q'), for L = `bound` ≤ max(Q, Q')."""
        if self.calibration == "paper":
            return self.rule.move
        q, rest = min((bound - 4) / (self.points - 1), 1.0), 2 / (bound - 3)
        share = 1.5 + (q + 1 / q) / 4 if q >= 1 / 3 else 3 - 2 * q
        return min(2 * (share + rest), self.rule.move)

    def closest(self, tau: float) -> float:
        """Return τ, raised to what floats can tell apart."""
        return max(tau, CLOSEST, 2e-13 * self.points)

    def draw(self, y: Array, tau: float, charges: tuple[Charge, Charge], noise: NoiseSource) -> Array | None:
        """Return the private mean of symmetric matrices y of shape (t, d, d), or None for no vote.

        Entries beyond 1 are clipped: rounding must stay below a share of τ.
        """
        tau, y = self.closest(tau), np.clip(y, -1.0, 1.0)
        weights = self.weights(y, tau)  # (1) (2)
        bound = min(float(lower_bound(weights.sum(), charges[0], noise)), float(self.points))  # (3)
        unit = tau * (self.move(bound) + ROUNDING) / bound if bound >= self.least else np.inf
        mean = symmetric_gaussian(weighted_mean(y, weights) / unit, charges[1], noise)  # (4)
        return None if np.isinf(unit) else mean * unit


def friends_of(y: Array, tau: float) -> Array:
    """Return N of (1), from the differences themselves: every pair is judged once, alike for both."""
    points = y.reshape(len(y), -1)
    step = max(1, AT_ONCE // points.size)
    return np.concatenate(
        [
            (((points[start : start + step, None] - points) ** 2).sum(axis=2) <= tau**2).sum(axis=1)
            for start in range(0, len(points), step)
        ]
    ).astype(np.float64)


def weighted_mean(y: Array, weights: Array) -> Array:
    """Return Σ w y/Σ w, 0 where all weights are 0."""
    total = weights.sum()
    shares = weights / total if total > 0 else weights
    return np.asarray((y * shares.reshape(-1, *(1,) * (y.ndim - 1))).sum(axis=0))


def enough_points(cost: ZCDP, calibration: Literal["paper", "tight"]) -> int:
    """Return a number of points with which a vote of friends passes in all but 1 of 100 runs.

    Tight: nearly all of 93 % of the points count, 12 is exceeded by 2.3 sd of the noise beside the margin of
    δ. Paper: all count, and the bound exceeds t/2.
    """
    rule = RULES[calibration]
    sd, margin = rule.gap / sqrt(2 * rule.share * cost.rho), -float(ndtri(cost.delta))
    if calibration == "paper":
        return max(rule.fewest, ceil(4 * sd * margin) + 16)
    return max(rule.fewest, ceil((12 + sd * (margin + 2.3)) / 0.93))
