"""The friendly mean: a private mean of points most of which lie close together, wherever that is.

Points y_1 .. y_t, matrices with entries in [-1, 1] as those of projections, each from a block of rows of its
own, and a distance τ that is public or released:

    (1) N_j = #{l : |y_l - y_j| ≤ τ}, the friends of y_j, itself among them
    (2) w_j = clip((2 N_j - t - 1)/(t - 1), 0, 1), Q = Σ w_j                          |Q - Q'| ≤ 3
    (3) L = Q + N(0, s²) - s Φ⁻¹(1 - δ): a lower bound on Q; no vote if L < 12
    (4) out = Σ w_j y_j/Q + symmetric noise                     moves by at most 6τ/max(Q, Q')

Two points of positive weight, of one data set or of two neighbours, share a friend, so that they are within
2τ of each other; a replaced point moves a share of at most 3/max(Q, Q') of all weight. The noise of (4) is
drawn for the mean in units of 6.1 τ/L, in which its sensitivity is 1, rounding included; where L < 12 it is
drawn all the same, for a mean of 0. Weights are integers over t - 1, and (3) is drawn for their integer sum.
Proof: `proofs/aggregation.md`, section 2.

`calibration="paper"` is the first version of this proof, in the place of the source's GoodCenter:
w_j = clip((N_j - t/2 - 1)/(t/4), 0, 1), |Q - Q'| ≤ 5, 12 τ/max(Q, Q'), no vote if L < t/4, t ≥ 21.
"""

from dataclasses import dataclass
from math import ceil, fsum, sqrt

import numpy as np
from scipy.special import ndtri

from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, Charge, NoiseSource
from workbench.privacy.mechanisms import lower_bound, symmetric_gaussian
from workbench.types import Array, Calibration

ROUNDING = 0.1  # what floats may add to the displacement, in units of τ/Q
CLOSEST, RESOLVED = 1e-10, 1e-14  # τ is at least the one, and the other times the number of points and d
AT_ONCE = 2**18  # distances that are held at a time


@dataclass(frozen=True)
class Rule:
    """The constants of one version of the proof."""

    gap: float  # the most that Q moves
    move: float  # the most that the mean moves, in units of τ/max(Q, Q')
    share: float  # of the cost that the count takes
    fewest: int  # points


RULES = {"tight": Rule(3.0, 6.0, 0.5, 13), "paper": Rule(5.0, 12.0, 0.3, 21)}


@dataclass(frozen=True)
class FriendlyMean:
    """The recipe for t points at a cost of δ-approximate ρ-zCDP."""

    points: int
    calibration: Calibration = "tight"

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

    @property
    def whole(self) -> int:
        """The score of a point of weight 1."""
        return self.points - 1 if self.calibration == "tight" else self.points

    def charges(self, step: str, cost: ZCDP) -> tuple[Charge, Charge]:
        """Return the charges of (3), which holds all of δ, and of (4)."""
        count, mean = ZCDP(cost.rho).split(self.rule.share, 1 - self.rule.share)
        gap = self.rule.gap * self.whole
        return (
            Charge(f"{step}, count", "lower_bound", gap, ZCDP(count.rho, cost.delta)),
            Charge(f"{step}, mean", "symmetric_gaussian", 1.0, mean),
        )

    def scores(self, y: Array, tau: float) -> Array:
        """Return the weights of (2) times `whole`, integers."""
        friends, t = friends_of(y, tau), self.points
        ahead = 2 * friends - t - 1 if self.calibration == "tight" else 4 * friends - 2 * t - 4
        return np.clip(ahead, 0.0, self.whole)

    def closest(self, tau: float, d: int) -> float:
        """Return τ, raised to what floats can tell apart in matrices of shape (d, d)."""
        return max(tau, CLOSEST, RESOLVED * self.points * d)

    def draw(self, y: Array, tau: float, charges: tuple[Charge, Charge], noise: NoiseSource) -> Array | None:
        """Return the private mean of symmetric matrices y of shape (t, d, d), or None for no vote.

        Entries beyond 1 are clipped: rounding must stay below a share of τ.
        """
        tau, y = self.closest(tau, y.shape[-1]), np.clip(y, -1.0, 1.0)
        scores = self.scores(y, tau)  # (1) (2)
        bound = float(lower_bound(scores.sum(), charges[0], noise)) / self.whole  # (3)
        unit = tau * (self.rule.move + ROUNDING) / bound if bound >= self.least else np.inf
        mean = symmetric_gaussian(weighted_mean(y, scores) / unit, charges[1], noise)  # (4)
        return None if np.isinf(unit) else mean * unit


def friends_of(y: Array, tau: float) -> Array:
    """Return N of (1), from the differences themselves: every pair is judged once, alike for both."""
    from scipy.spatial.distance import cdist  # slow to load

    points = y.reshape(len(y), -1)
    step = max(1, AT_ONCE // len(points))
    return np.concatenate(
        [
            (cdist(points[start : start + step], points, "sqeuclidean") <= tau**2).sum(axis=1)
            for start in range(0, len(points), step)
        ]
    ).astype(np.float64)


def weighted_mean(y: Array, weights: Array) -> Array:
    """Return Σ w y/Σ w, 0 where all weights are 0; correctly rounded sums, so that t does not add up."""
    total = weights.sum()
    shares = weights / total if total > 0 else weights
    terms = y.reshape(len(y), -1) * shares[:, None]
    return np.array([fsum(entry) for entry in terms.T.tolist()]).reshape(y.shape[1:])


def enough_points(cost: ZCDP, calibration: Calibration) -> int:
    """Return a number of points with which a vote of friends passes in all but 1 of 100 runs.

    Tight: nearly all of 93 % of the points count, 12 is exceeded by 2.3 sd of the noise beside the margin of
    δ. Paper: all count, and the bound exceeds t/2.
    """
    rule = RULES[calibration]
    sd, margin = rule.gap / sqrt(2 * rule.share * cost.rho), -float(ndtri(cost.delta))
    if calibration == "paper":
        return max(rule.fewest, ceil(4 * sd * margin) + 16)
    return max(rule.fewest, ceil((12 + sd * (margin + 2.3)) / 0.93))
