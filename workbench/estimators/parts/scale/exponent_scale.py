"""The scale of rows up to a factor, by a histogram of binary exponents (Karwa & Vadhan 2018).

    (1) D_i = |x_{2i} - x_{2i-1}|/√2, i ≤ m = ⌊n/2⌋; key_i = e with 2^(e-1) ≤ D_i < 2^e, or "zero" for D_i = 0
    (2) ê = the largest bin of a private histogram of the keys
    (3) out = 2^(ê+1)        σ ≤ out ≤ 8σ, or, twice as large, σ ≤ out ≤ 16σ

Exponents are those of the float itself (frexp), no logarithm is rounded. Without a range of scales the
histogram is stability-based; with one it is finite and pure.
"""

from dataclasses import dataclass
from math import frexp, log, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention
from workbench.estimators.shared.rows import only_present, present
from workbench.privacy import ZCDP, Budget, Charge, NoiseSource, PureDP
from workbench.privacy.histograms import (
    finite_histogram,
    histogram_charge,
    largest_noise,
    stability_charge,
    stability_threshold,
    stable_mode,
)
from workbench.types import Array

ZERO = -5000  # the key of D = 0, below every exponent of a float
BEST = 0.2895  # least mass of the best bin, over all positions of the grid
FAR_BELOW = {8: 0.1974126514, 16: 0.0994764497}  # P(|Z| < 2/factor): all bins that would make out < σ


def pair_differences(x: Array) -> Array:
    """Return |x_{2i} - x_{2i-1}|/√2: one row touches one of ⌊n/2⌋ differences; an odd last row is unused."""
    even = len(x) - len(x) % 2
    return np.asarray(np.abs(x[1:even:2] - x[:even:2]) / np.sqrt(2.0))


def exponents(differences: Array) -> Array:
    """Return the binary exponent of every difference, ZERO for 0, NaN for an absent one."""
    keys = np.where(differences > 0, np.frexp(differences)[1], ZERO).astype(np.float64)
    return np.where(present(differences), keys, np.nan)


@dataclass(frozen=True)
class ExponentScale:
    """The recipe; `lower` ≤ σ ≤ `upper`, both or none."""

    lower: float | None
    upper: float | None

    @property
    def ends(self) -> tuple[int, int] | None:
        """The least and the largest exponent that the range needs."""
        if self.lower is None or self.upper is None:
            return None
        return frexp(self.lower)[1] - 3, frexp(self.upper)[1] + 3

    def charge(self, step: str, cost: Budget) -> Charge:
        """Return the charge of the histogram."""
        if self.ends is None:
            return stability_charge(step, cost)
        if not isinstance(cost, PureDP) and not (isinstance(cost, ZCDP) and not cost.delta):
            raise ArgumentError("budget", cost, "PureDP or ZCDP with delta = 0")
        return histogram_charge(step, cost)

    def draw(self, x: Array, charge: Charge, noise: NoiseSource) -> int | Abstention:
        """Return the private exponent ê (ZERO: the differences are 0)."""
        keys = exponents(pair_differences(x))  # (1)
        if self.ends is None:  # (2)
            mode = stable_mode(keys, charge, noise)
            return int(mode) if isinstance(mode, float) else Abstention(charge.step)
        low, high = self.ends
        bins = np.clip(only_present(keys) - low, 0, high - low).astype(np.int64)
        return low + int(np.argmax(finite_histogram(bins, high - low + 1, charge, noise)))

    def found(self, n: int, cost: Budget, beta: float, factor: int = 8) -> bool:
        """Return whether σ ≤ 2^(ê+1) factor/8 ≤ factor·σ has probability at least 1 - beta on n normal rows.

        Hoeffding for four sets takes beta/2: the best bin; the largest bin that gives out < σ, all below
        it, and all that give out > factor·σ, each of mass at most P(|Z| < 2/factor). The noise takes beta/2.
        """
        m = n // 2
        deviation = sqrt(m * log(8 / beta) / 2)
        noise = self._count_error(m, cost, beta / 2)
        found = (BEST - FAR_BELOW[factor]) * m > 2 * deviation + 2 * noise
        return found and (self.ends is not None or BEST * m - deviation - noise >= stability_threshold(cost))

    def _count_error(self, m: int, cost: Budget, beta: float) -> float:
        bins = m if self.ends is None else self.ends[1] - self.ends[0] + 1
        return largest_noise(bins, cost, beta)


def scale_of(exponent: int) -> float:
    """Return 2^(e+1), or 0 for the key of zero differences."""
    return 0.0 if exponent == ZERO else 2.0 ** min(exponent + 1, 1000)  # (3)
