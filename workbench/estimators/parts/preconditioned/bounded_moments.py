"""What bounded moments say of a law: its pairs, its fourth moment, and the price of cutting its rows.

A law X with mean 0 and covariance Σ is (C, 2k)-hypercontractive if E⟨v, X⟩^{2k} ≤ C (vᵀΣv)^k for every v
(M21/HT Definition 2.1); k = `moments`, C = `hypercontractivity`. Rows are cut at a ball of radius γ round 0,
either clipped to it or, as in M21/HT Algorithm 1, zeroed beyond it. Proofs: `proofs/heavy_tails.md`,
sections 1 to 3.
"""

from dataclasses import dataclass
from math import comb, sqrt

import numpy as np

from workbench.errors import ArgumentError, few, integer_at_least, real
from workbench.linalg import norms
from workbench.types import Array


@dataclass(frozen=True)
class Moments:
    """The constants (C, 2k): `order` = k at least 1, `constant` = C at least 1."""

    order: int
    constant: float

    def __post_init__(self) -> None:
        few(100, moments=self.order)
        if not (real(self.constant) and self.constant >= 1):
            raise ArgumentError("hypercontractivity", self.constant, "a finite number, at least 1")

    def paired(self) -> "Moments":
        """Return the constants of (X - X')/√2 for independent X, X'; never above (2^k C, 2k).

        C' = 2^{-k} (2C + C^{(k-2)/(k-1)} Σ_j comb(2k, j)), j from 2 to 2k - 2 without k if k is odd. At k = 2
        it is (C + 3)/2, at k = 3 (2C + 30√C)/8. Odd products other than j = k may have either sign.

        >>> Moments(2, 3.0).paired().constant, Moments(3, 16.0).paired().constant
        (3.0, 19.0)
        """
        k, c = self.order, self.constant
        if k == 1:
            return self
        middle = sum(comb(2 * k, j) for j in range(2, 2 * k - 1) if not (j == k and k % 2))
        exact = (2 * c + c ** ((k - 2) / (k - 1)) * middle) / 2**k
        return Moments(k, max(min(exact, 2**k * c), 1.0))

    @property
    def fourth(self) -> float:
        """Return C^{1/(k-1)}, a bound on E⟨v, X⟩⁴/(vᵀΣv)²: E|X|⁴ ≤ this tr(Σ)²; needs k at least 2."""
        return float(self.constant ** (1 / (self.order - 1)))

    def bias(self, d: int, radius: Array | float, zeroed: bool = False) -> Array:
        """Return c with (1 - c) Σ ≤ E[w wᵀ] ≤ Σ for rows w cut at `radius`, if Σ ≤ I.

        c = κ C (d/γ²)^{k-1}; κ = 1 for rows zeroed, (k-1)^{k-1}/k^k for rows clipped.
        """
        return np.asarray(self._cut(zeroed) * (d / np.asarray(radius) ** 2) ** (self.order - 1))

    def radius(self, d: int, bias: float, zeroed: bool = False) -> float:
        """Return the radius at which `bias` has the given value."""
        return sqrt(d) * float((self._cut(zeroed) / bias) ** (1 / (2 * (self.order - 1))))

    def _cut(self, zeroed: bool) -> float:
        k = self.order
        return self.constant * (1.0 if zeroed else (k - 1) ** (k - 1) / k**k)

    def excess(self, d: int) -> float:
        """Return K with E(|X| - g)₊ ≤ K/g^{2k-1} for every g > 0, if Σ ≤ I.

        K = (2k-1)^{2k-1}/(2k)^{2k} C d^k, by (z - g)₊ ≤ (2k-1)^{2k-1}/(2k)^{2k} z^{2k}/g^{2k-1}.
        """
        p = 2 * self.order
        return float((p - 1) ** (p - 1) / p**p * self.constant * d**self.order)

    def squared_excess(self, d: int) -> float:
        """Return K₂ with E(|X| - g)₊² ≤ K₂/g^{2k-2} for every g > 0, if Σ ≤ I; at k = 1, d itself."""
        p = 2 * self.order
        weight = 4 * (p - 2) ** (p - 2) / p**p if p > 2 else 1.0
        return float(weight * self.constant * d**self.order)

    def outer_radius(self, d: int, share: float) -> float:
        """Return an upper `share`-quantile of |X|, if Σ ≤ I: √d (C/share)^{1/2k}."""
        return sqrt(d) * float((self.constant / share) ** (1 / (2 * self.order)))


def require_fourth(moments: Moments) -> None:
    """Raise unless k is at least 2: a covariance needs fourth moments."""
    integer_at_least(2, moments=moments.order)


def zeroed_beyond(x: Array, radius: float) -> Array:
    """Return rows with those beyond the ball of `radius` round 0 set to 0 (M21/HT Algorithm 1)."""
    return np.where((norms(x) <= radius)[:, None], x, 0.0)
