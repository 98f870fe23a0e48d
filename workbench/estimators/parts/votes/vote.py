"""The private populous mean: a vote on whether points agree, and weights for their mean.  AL22 Algorithm 1.

Of k points, point i has N_i friends, itself among them; all thresholds are whole numbers of friends.

    (1) M = Σ N_i; go on iff M/k² + Z ≥ Q₀ + A, Z truncated Laplace on [-A, A]          (ε_t, δ_t)
        one replaced point moves M by at most 2(k - 1)
    (2) w_i = clip((N_i - a)/(b - a), 0, 1)
    (3) Y = Σ w_i Y_i/Σ w_i, to be masked                                              (ε_m, δ_m)

If two neighbouring data sets both have M ≥ Q₀k², their averages differ in total variation of the weights by
τ ≤ C/k, and with friends at L = 1 + dist the averages of covariances satisfy 1 + dist(Y, Y') ≤ 1 + CE/k, in a
norm with friends at distance ρ, |Y - Y'| ≤ 2ρ C/k:

    C = max((f₁/(b - a) + 1)/(1 - f₁), f₂/(b - a) + 1),   f₁ = (1 - Q₀)/(1 - a),  f₂ = (1 - Q₀)/(1 - b - 1/k)
    E = min(L² - 1, L/ω) where ω = 1 - (1 - a + 1/k)(1 - a)/(Q₀ - 2/k - a) lies in (0, 1], else L² - 1

(a, b as shares of k). If only one of them has M ≥ Q₀k², it goes on with probability at most δ_t. Proof:
`proofs/populous.md`, sections 2 to 4.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np

from workbench.errors import ArgumentError
from workbench.privacy import ApproxDP, Charge, NoiseSource
from workbench.privacy.mechanisms import truncated_laplace, truncated_laplace_bound
from workbench.types import Array

ROUNDING, NORM_ROUNDING = 1 + 1e-6, 1 + 1e-3


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
        return Charge(step, "truncated_laplace", 2 * (self.k - 1) / self.k**2, cost)

    def passes(self, friends: np.ndarray, charge: Charge, noise: NoiseSource) -> bool:
        """Return the outcome of (1)."""
        share = float(friends.sum()) / self.k**2
        noisy = float(truncated_laplace(share, charge, noise))
        agreed = noisy >= self.quorum / self.k**2 + truncated_laplace_bound(charge)
        return bool(agreed and friends.sum() >= self.quorum)

    def weights(self, friends: np.ndarray) -> Array:
        """Return w of (2)."""
        slope = self.everybody - self.nobody
        return np.clip((friends - self.nobody) / slope, 0.0, 1.0)

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


def covariance_moves(k: int, a: Array, b: Array, quorum: float, limit: float) -> Array:
    """Return the Thompson distance of the averages of covariances, for friends at L = `limit`.

    E is taken at L (1 + 1e-6), for rounding (`proofs/populous.md`, section 6).
    """
    return np.asarray(np.log1p(change(k, a, b, quorum) * spread(k, a, quorum, limit * ROUNDING) / k))


def norm_moves(k: int, a: Array, b: Array, quorum: float, limit: float) -> Array:
    """Return the distance of the averages in a norm, for friends at distance `limit`.

    A thousandth more than it is: points may be 1e8 `limit` away from the origin, where sums are rounded.
    """
    return np.asarray(change(k, a, b, quorum) * 2 * limit / k * NORM_ROUNDING)


def change(k: int, a: Array, b: Array, quorum: float) -> Array:
    """Return C for shares a, b and Q₀."""
    first = (1 - quorum) / (1 - a)
    second = np.minimum(1.0, (1 - quorum) / np.maximum(1 - b - 1 / k, 1e-300))
    return np.asarray(np.maximum((first / (b - a) + 1) / (1 - first), second / (b - a) + 1))


def spread(k: int, a: Array, quorum: float, limit: float) -> Array:
    """Return E for shares a and Q₀."""
    free = quorum - 2 / k - a
    mass = np.where(free > 0, 1 - (1 - a + 1 / k) * (1 - a) / np.where(free > 0, free, 1.0), 0.0)
    known = (mass > 0) & (mass <= 1)
    return np.where(known, np.minimum(limit**2 - 1, limit / np.where(known, mass, 1.0)), limit**2 - 1)
