"""The private populous mean of points: a vote on whether they agree, and a masked average.  AL22 Algorithm 1.

Rows are shuffled by the run's own randomness and cut into k groups of s, and an oracle makes a point of each
(`reduced`). Point i has N_i friends, itself among them; all thresholds are whole numbers of friends.

    (1) M = Σ N_i; go on iff M - Q₀k² + Z > A, Z truncated Laplace on [-A, A]           (ε_t, δ_t)
        one replaced point moves M, a whole number, by at most S = 2(k - 1)
    (2) w_i = clip((N_i - a)/(b - a), 0, 1)
    (3) Y = Σ w_i Y_i/Σ w_i
    (4) out = Y under a mask (`privacy.masks`)                                         (ε_m, δ_m)

Or (1) and (4) are one mechanism that has all of (ε, δ), by the count h = ⌈(M - Q₀k²)/S⌉ from 0 to T, which
moves by at most 1 (`parts.votes.design`).

Points: `parts.votes.covariances` (triangular factors), `parts.votes.means` and `l1_points` (vectors). A
replaced row changes one of them, in any way; an unusable one is its own friend only. A run that ends at (1)
draws the mask too, of a fixed value, so that what is drawn is public.

If two neighbouring data sets both have M ≥ Q₀k², their averages differ in total variation of the weights by
τ ≤ C/k, and with friends at L = 1 + dist the averages of covariances satisfy 1 + dist(Y, Y') ≤ 1 + CE/k, in a
norm with friends at distance ρ, |Y - Y'| ≤ 2ρ C/k:

    C = max((f₁/(b - a) + 1)/(1 - f₁), f₂/(b - a) + 1),   f₁ = (1 - Q₀)/(1 - a),  f₂ = (1 - Q₀)/(1 - b - 1/k)
    E = min(L² - 1, L/ω) where ω = 1 - (1 - a + 1/k)(1 - a)/(Q₀ - 2/k - a) lies in (0, 1], else L² - 1

(a, b as shares of k). If only one of them has M ≥ Q₀k², it goes on with probability at most δ_t. Proof:
`proofs/populous.md`, sections 2 to 4.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Protocol

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.budgets import vote_and_mask
from workbench.estimators.parts.rows import of_groups, shuffled
from workbench.privacy import ApproxDP, Charge, NoiseSource, Plan, PureDP, Sequential
from workbench.privacy.conversions import gdp_within_approx
from workbench.privacy.grid import OnGrid, step_of
from workbench.privacy.masks import masked
from workbench.privacy.mechanisms import additive, exceeds_bound, gaussian_scale
from workbench.types import Array

VOTE, MASK = "vote", "mask"
AT_ONCE = 2**20  # pairs that are looked at together

FINE = 40  # bits of the distance of friends, on the grid of an average


@dataclass(frozen=True)
class Vote:
    """The thresholds of a vote of k points: `nobody` = ak, `everybody` = bk, `quorum` = ⌈Q₀k²⌉."""

    k: int
    nobody: int
    everybody: int
    quorum: int

    def __post_init__(self) -> None:
        k, a, b, quorum = self.k, self.nobody, self.everybody, self.quorum
        if not (k >= 8 and 2 * a >= k + 1 and a < b and (b + 1) * k <= quorum < k * k):
            raise ArgumentError("vote", (k, a, b, quorum), "k/2 < a < b < quorum/k < k")

    @classmethod
    def of(cls, k: int, a: float, b: float, quorum: float) -> "Vote":
        """Return the vote with these shares, rounded to whole numbers."""
        return cls(k, ceil(a * k), ceil(b * k), ceil(quorum * k * k))

    def charge(self, step: str, cost: ApproxDP) -> Charge:
        """Return the charge of (1)."""
        return voting(self.k, step, cost)

    def passes(self, friends: np.ndarray, charge: Charge, noise: NoiseSource) -> bool:
        """Return the outcome of (1)."""
        return exceeds_bound(friends.sum() - self.quorum, charge, noise)

    def weights(self, friends: np.ndarray) -> Array:
        """Return w of (2)."""
        slope = self.everybody - self.nobody
        return np.clip((friends - self.nobody) / slope, 0.0, 1.0)

    def count(self, friends: np.ndarray, most: int) -> int:
        """Return h, at most T."""
        return min(most, max(0, -((self.quorum - int(friends.sum())) // self.moved)))

    @property
    def moved(self) -> int:
        """S, the most that one point moves M."""
        return 2 * (self.k - 1)

    @property
    def least_weight(self) -> float:
        """The least mean of the weights, (Q₀ - a)/(1 - a), where the vote may pass."""
        share = self.nobody / self.k
        return (self.quorum / self.k**2 - share) / (1 - share)

    @property
    def change(self) -> float:
        """C: k times the most that the shares of the weights change, in total variation."""
        k = self.k
        return float(change(k, np.array(self.nobody / k), np.array(self.everybody / k), self.quorum / k**2))

    def spread(self, limit: float) -> float:
        """E for covariances whose friends are at L = `limit`."""
        return float(spread(self.k, np.array(self.nobody / self.k), self.quorum / self.k**2, limit))


@dataclass(frozen=True)
class Design:
    """The public numbers of a vote and its mask.

    Parameters
    ----------
    size : int
        s, the rows of a group.
    limit : float
        L, the distance of friends.
    vote : Vote
        Its thresholds.
    distance : float
        Δ, the sensitivity of the masked average.
    kind : str
        The mechanism of the mask.
    budget : ApproxDP
        What both cost together.
    share : float
        ε_t/ε; 1 where vote and mask are one mechanism.
    stage : str
        What the names of its steps begin with.
    """

    size: int
    limit: float
    vote: Vote
    distance: float
    kind: str
    budget: ApproxDP
    share: float
    stage: str = ""

    @property
    def rows(self) -> int:
        """The rows that vote, k groups of them; whatever is left over is unused."""
        return self.vote.k * self.size

    @property
    def charges(self) -> tuple[Charge, ...]:
        """The charges of the vote and of the mask."""
        vote, mask = vote_and_mask(self.budget, self.share, self.kind)
        first, second = self.stage + VOTE, self.stage + MASK
        return self.vote.charge(first, vote), Charge(second, self.kind, self.distance, mask)

    @property
    def plan(self) -> Plan:
        """The plan."""
        return Sequential("basic", self.charges)

    @property
    def narrowness(self) -> float:
        """The inverse width of the mask, which the best design has largest."""
        cost = vote_and_mask(self.budget, self.share, self.kind)[1]
        return (cost.epsilon if isinstance(cost, PureDP) else gdp_within_approx(cost).mu) / self.distance

    @property
    def noise_sd(self) -> float:
        """The sd of a normal mask."""
        return gaussian_scale(self.charges[1])

    def released(self, points: "Points", noise: NoiseSource) -> Array | None:
        """Return the masked average, or None for no answer."""
        voting, masking = self.charges
        friends = points.friends(self.limit)  # N
        agreed = self.vote.passes(friends, voting, noise)  # (1)
        average = points.average(self.vote.weights(friends)) if agreed else points.nothing  # (2) (3)
        if masking.mechanism in ("gaussian", "laplace"):  # (4)
            released = additive(self.whole(average), masking, noise)
        else:
            released = masked(average, masking, noise)
        return released if agreed else None

    def whole(self, average: Array) -> OnGrid:
        """Return an average, rounded: a step is far below the thousandth that is added to Δ."""
        step = step_of(self.limit, FINE)
        return OnGrid(np.array([int(entry) for entry in np.rint(average / step)], object), step)


class Points(Protocol):
    """The points of a vote; a covariance is averaged and masked as a root of it."""

    @property
    def nothing(self) -> Array:
        """The value that is masked where there is no answer."""

    def friends(self, limit: float) -> np.ndarray:
        """Return for each point how many are within `limit`, itself among them."""

    def average(self, weights: Array) -> Array:
        """Return the weighted average; weights are 0 where a point is not usable."""


def voting(k: int, step: str, cost: ApproxDP) -> Charge:
    """Return the charge of the vote of k points."""
    return Charge(step, "truncated_laplace", 2.0 * (k - 1), cost)


def reduced(
    rows: Array,
    oracle: Callable[[Array], Array],
    points: Callable[[Array], Points],
    design: Design,
    noise: NoiseSource,
) -> Array | None:
    """Return the masked average of what an oracle says of groups, (m, s, d) at a time, or None."""
    chosen = shuffled(rows, noise)[: design.rows]
    return design.released(points(of_groups(chosen, design.size, oracle)), noise)


def change(k: int, a: Array, b: Array, quorum: float | Array) -> Array:
    """Return C for shares a, b and Q₀."""
    first = (1 - quorum) / (1 - a)
    second = np.minimum(1.0, (1 - quorum) / np.maximum(1 - b - 1 / k, 1e-300))
    return np.asarray(np.maximum((first / (b - a) + 1) / (1 - first), second / (b - a) + 1))


def spread(k: int, a: Array, quorum: float | Array, limit: float) -> Array:
    """Return E for shares a and Q₀."""
    free = quorum - 2 / k - a
    mass = np.where(free > 0, 1 - (1 - a + 1 / k) * (1 - a) / np.where(free > 0, free, 1.0), 0.0)
    known = (mass > 0) & (mass <= 1)
    return np.where(known, np.minimum(limit**2 - 1, limit / np.where(known, mass, 1.0)), limit**2 - 1)


def counted(count: int, close: Callable[[slice], np.ndarray]) -> np.ndarray:
    """Return the counts; `close(rows)` tells which of all from rows.start on each of `rows` is close to.

    Verdicts are taken from one triangle and hold for both.
    """
    counts = np.ones(count, np.int64)
    step = max(1, AT_ONCE // count)
    for start in range(0, count, step):
        found = np.triu(close(slice(start, min(start + step, count))), 1)
        counts[start : start + step] += found.sum(axis=1)
        counts[start:] += found.sum(axis=0)
    return counts
