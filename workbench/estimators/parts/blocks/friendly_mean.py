"""The friendly mean: a private mean of points most of which lie close together, wherever that is.

Points y_1 .. y_t, matrices with entries in [-1, 1] as those of projections, in whole numbers of 2^-48, each
from a block of rows of its own, and a distance τ that is public or released:

    (1) N_j = #{l : |y_l - y_j| ≤ τ}, the friends of y_j, itself among them
    (2) w_j = clip((2 N_j - t - 1)/(t - 1), 0, 1), Q = Σ w_j                          |Q - Q'| ≤ 3
    (3) L = Q + N(0, s²) - s Φ⁻¹(1 - δ): a lower bound on Q; no vote if L < 12
    (4) out = Σ w_j y_j/Q, rounded once, + symmetric noise     moves by at most c(L) τ/L and rounding

Two points of positive weight, of one data set or of two neighbours, share a friend, so that they are within
2τ of each other. A replaced point moves the mean by at most 5τ/max(Q, Q'), which almost happens where few
points have weight; where most have, c is smaller (`FriendlyMean.move`): of 200, 3.9 for half, 2.4 for nine
in ten. The noise of (4) is drawn for the mean in units of (c + .1) τ/L, in which its sensitivity is 1,
rounding included; where L < 12 it is drawn all the same, for a mean of 0. Weights are integers over t - 1,
(3) is drawn for their integer sum, and Σ w_j y_j/Q is a quotient of integers, rounded to a public grid in
that unit. Proof: `proofs/aggregation.md`, section 2.

`calibration="paper"` is the first version of this proof, in the place of the source's GoodCenter:
w_j = clip((N_j - t/2 - 1)/(t/4), 0, 1), |Q - Q'| ≤ 5, 12 τ/max(Q, Q'), no vote if L < t/4, t ≥ 21.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log2, sqrt

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, Charge, NoiseSource
from workbench.privacy.grid import Integers, OnGrid, rounded
from workbench.privacy.mechanisms import lower_bound, symmetric_gaussian
from workbench.special import ndtri
from workbench.types import Array, Calibration

ROUNDING = 0.1  # what rounding the mean may add to the displacement, in units of τ/Q
CLOSEST = 1e-10  # τ is at least that: floats tell projections apart to 1e-14 or so
BITS, LIMB = 48, 24  # of an entry, and of the half of it that is added up at a time
FINE = 20  # bits of the mean, in the unit of its noise
AT_ONCE = 2**18  # distances that are held at a time


@dataclass(frozen=True)
class Rule:
    """The constants of one version of the proof."""

    gap: float  # the most that Q moves
    move: float  # the most that the mean moves, in units of τ/max(Q, Q'), whatever Q is
    share: float  # of the cost that the count takes
    fewest: int  # points


RULES = {"tight": Rule(3.0, 5.0, 0.5, 13), "paper": Rule(5.0, 12.0, 0.3, 21)}


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

    def move(self, bound: float) -> float:
        """Return c, the most that the mean moves in units of τ/L, for L of at least 12; it falls with L.

        κ is a share of the other points that surely counts, whichever of the two neighbours the data are.
        """
        if self.calibration == "paper":
            return self.rule.move
        share = min((bound - self.rule.gap - 1) / (self.points - 1), 1.0)
        among_friends, replaced = 1 + 5 / (4 * share), 2 - share + 9 / (8 * share)
        return min(self.rule.move, max(among_friends, replaced) + 2 / (bound - self.rule.gap))

    def charges(self, step: str, cost: ZCDP) -> tuple[Charge, Charge]:
        """Return the charges of (3), which holds all of δ, and of (4)."""
        count, mean = ZCDP(cost.rho).split(self.rule.share, 1 - self.rule.share)
        gap = self.rule.gap * self.whole
        return (
            Charge(f"{step}, count", "lower_bound", gap, ZCDP(count.rho, cost.delta)),
            Charge(f"{step}, mean", "symmetric_gaussian", 1.0, mean),
        )

    def scores(self, y: Array, tau: float) -> NDArray[np.int64]:
        """Return the weights of (2) times `whole`, integers, of points in whole numbers."""
        friends, t = friends_of(y, tau), self.points
        ahead = 2 * friends - t - 1 if self.calibration == "tight" else 4 * friends - 2 * t - 4
        return np.clip(ahead, 0, self.whole)

    def draw(self, y: Array, tau: float, charges: tuple[Charge, Charge], noise: NoiseSource) -> Array | None:
        """Return the private mean of symmetric matrices y of shape (t, d, d), or None for no vote."""
        tau, whole = max(tau, CLOSEST), whole_points(y)
        scores = self.scores(whole, tau)  # (1) (2)
        bound = float(lower_bound(scores.sum(), charges[0], noise)) / self.whole  # (3)
        vote = bound >= self.least
        unit = tau * (self.move(bound) + ROUNDING) / bound if vote else 1.0
        mean = weighted_mean(whole, scores if vote else 0 * scores, unit)
        noisy = symmetric_gaussian(mean, charges[1], noise)  # (4)
        return noisy * unit if vote else None


def whole_points(y: Array) -> Array:
    """Return matrices in whole numbers of 2^-48, as floats; entries beyond 1 are clipped, NaN is 0."""
    return np.rint(np.clip(np.nan_to_num(y), -1.0, 1.0) * 2.0**BITS)


def friends_of(whole: Array, tau: float) -> NDArray[np.int64]:
    """Return N of (1), from the differences themselves; friends are within τ, whatever floats round.

    A pair has one verdict, for both of its points.
    """
    from scipy.spatial.distance import cdist  # slow to load

    points = whole.reshape(len(whole), -1)
    least = (tau * 2.0**BITS) ** 2 * (1 - (points.shape[1] + 4) * 2.0**-52)
    step = max(1, AT_ONCE // len(points))
    friends = np.zeros(len(points), dtype=np.int64)
    for start in range(0, len(points), step):
        near = cdist(points[start : start + step], points[start:], "sqeuclidean") <= least
        stop = start + len(near)
        near[:, : len(near)] &= near[:, : len(near)].T
        friends[start:stop] += near.sum(axis=1)
        friends[stop:] += near[:, len(near) :].sum(axis=0)
    return friends


def weighted_mean(whole: Array, weights: NDArray[np.int64], unit: float) -> OnGrid:
    """Return Σ w y/Σ w in a unit, 0 where all weights are 0, rounded once to at most 2^-20/d of it."""
    bits = FINE + ceil(log2(whole.shape[-1]))
    share = Fraction(2**bits, max(int(weights.sum()), 1)) / (2**BITS * Fraction(unit))
    return OnGrid(rounded(weighted_sum(whole, weights), share), 2.0**-bits)


def weighted_sum(whole: Array, weights: NDArray[np.int64]) -> Integers:
    """Return Σ w y, Python's integers: halves of the entries are added up apart, so that none overflows."""
    entries = whole.reshape(len(whole), -1).astype(np.int64)
    high, scores = entries >> LIMB, weights.astype(np.int64 if len(weights) < 2**18 else object)
    low = entries - (high << LIMB)
    found = ((scores @ high).astype(object) << LIMB) + (scores @ low).astype(object)
    return np.asarray(found.reshape(whole.shape[1:]))


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
