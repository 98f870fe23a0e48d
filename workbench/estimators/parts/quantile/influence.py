"""How much one row may count: a bounded, concave function ψ of its squared length.

    ψ(q) = e q/q₁ (q ≤ q₁),   e (1 + ln(q/q₁)) (q₁ ≤ q ≤ 1),   1 (q ≥ 1),    e = 1/(1 + ln(1/q₁))

with one knee q₁ in (0, 1]; q₁ = 1 is min(q, 1). ψ is concave and increases from 0 to 1, ω(q) = ψ(q)/q does
not increase, and ψ' is taken from the right: one selection that does not increase, ψ'(1) = 0, q ψ'(q) ≤ e.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.special import gammaln
from workbench.types import Array

NODES = 4000


@dataclass(frozen=True)
class Influence:
    """ψ with the knee q₁."""

    knee: float

    def __post_init__(self) -> None:
        if not 0 < self.knee <= 1:
            raise ArgumentError("knee", self.knee, "in (0, 1]")

    @property
    def most(self) -> float:
        """Return e, the most that q ψ'(q) can be."""
        return 1 / (1 - log(self.knee))

    @property
    def steepest(self) -> float:
        """Return ω(0) = ψ'(0) = e/q₁."""
        return self.most / self.knee

    def value(self, q: Array) -> Array:
        """Return ψ."""
        return np.asarray(q * self.weight(q))

    def weight(self, q: Array) -> Array:
        """Return ω."""
        base = np.maximum(q, self.knee)
        if self.knee == 1.0:
            return np.asarray(1.0 / base)
        top = np.log(np.minimum(base, 1.0) * (1 / self.knee))
        return np.asarray((self.most + self.most * top) / base)

    def slope(self, q: Array) -> Array:
        """Return ψ' from the right: as computed, too, it never increases with q."""
        return np.asarray(np.where(q < 1.0, self.most / np.maximum(q, self.knee), 0.0))


@lru_cache(maxsize=4096)
def normal_level(influence: Influence, d: int, scale: float) -> float:
    """Return E ψ(χ²_d/scale)/d: at this share of the rows, normal rows have the quantile `scale` times Σ."""
    high = (sqrt(d) + 9.0) ** 2
    root = (np.arange(NODES) + 0.5) * (sqrt(high) / NODES)  # χ² = root², smooth at 0
    density = np.exp((d - 1) * np.log(root) - root**2 / 2 - (d / 2 - 1) * log(2) - gammaln(d / 2))
    mean = (influence.value(np.asarray(root**2 / scale)) * density).sum() / density.sum()
    return float(mean) / d
