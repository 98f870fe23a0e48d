"""Clipped variances of groups of normal rows: their mean as a function of the true one, and its inverse.

In groups of g rows that follow each other, (variance within)/s² is v χ²_ν/ν, ν = g - 1, v = σ²/s² for a scale
s. It is clipped to [low, high]. For `parts.scale.winsorised_scale`.
"""

from dataclasses import dataclass
from math import log

import numpy as np

from workbench.estimators.shared.rows import mean_in_box, present
from workbench.privacy.grid import OnGrid
from workbench.privacy.roots import brentq
from workbench.special import chdtr
from workbench.types import Array

LARGEST_RATIO = 64.0  # σ²/s² is taken to lie within [1/64, 64]


@dataclass(frozen=True)
class Winsor:
    """Group size and clip of step (3); the mean of clipped variances as a function of v = σ²/s²."""

    group: int
    low: float
    high: float

    @property
    def width(self) -> float:
        """The largest change of the sum of clipped variances by one group."""
        return self.high - self.low

    def mean(self, v: Array) -> Array:
        """Return h(v) = E clip(v χ²_ν/ν, low, high), ν = group - 1."""
        nu = self.group - 1
        below, above = nu * self.low / v, nu * self.high / v
        tails = self.low * chdtr(nu, below) + self.high * (1 - chdtr(nu, above))
        return np.asarray(tails + v * self.slope(v))

    def slope(self, v: Array) -> Array:
        """Return h'(v) = P(low < v χ²_{ν+2}/ν < high)."""
        nu = self.group - 1
        return np.asarray(chdtr(nu + 2, nu * self.high / v) - chdtr(nu + 2, nu * self.low / v))

    def variance(self, v: Array) -> Array:
        """Return Var clip(v χ²_ν/ν, low, high)."""
        nu = self.group - 1
        below, above = nu * self.low / v, nu * self.high / v
        middle = v * v * (nu + 2) / nu * (chdtr(nu + 4, above) - chdtr(nu + 4, below))
        second = self.low**2 * chdtr(nu, below) + self.high**2 * (1 - chdtr(nu, above)) + middle
        return np.asarray(np.maximum(second - self.mean(v) ** 2, 0.0))

    def inverse(self, y: float) -> float:
        """Return the v in [1/64, 64] with h(v) = y, after clipping y to the values taken there."""

        def excess(log_v: float) -> float:
            return float(self.mean(np.exp(log_v))) - y

        far = log(LARGEST_RATIO)
        if excess(-far) >= 0:
            return 1 / LARGEST_RATIO
        return LARGEST_RATIO if excess(far) <= 0 else float(np.exp(brentq(excess, -far, far, xtol=1e-12)))

    def ratios(self, x: Array, log_s: float) -> Array:
        """Return the variances within ⌊n/g⌋ groups of rows in their order, over s²; NaN where unknown."""
        q = len(x) // self.group
        spread = _spread(x[: q * self.group].reshape(q, self.group))
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(np.exp(2 * (np.log(spread) - log_s)))

    @property
    def middle(self) -> float:
        """(low + high)/2."""
        return self.low + self.width / 2

    def statistic(self, x: Array, log_s: float) -> OnGrid:
        """Return the mean of the clipped ratios, less the middle; one row touches one group.

        A group without two rows has the ratio that is expected if s is σ.
        """
        ratios = self.ratios(x, log_s)
        if not present(ratios).all():
            ratios = np.where(present(ratios), ratios, self.mean(np.float64(1.0)))  # type: ignore[arg-type]
        return mean_in_box(ratios, lambda ratios: ratios - self.middle, self.width / 2)

    def clipped_share(self, x: Array, log_s: float) -> float:
        """Return the share of groups that the clip changes; for a trace."""
        ratios = self.ratios(x, log_s)
        return float(((ratios < self.low) | (ratios > self.high)).mean())


def _spread(groups: Array) -> Array:
    """Return the sd of the numbers that are there of every group, NaN where they are fewer than two."""
    there = present(groups[..., None])
    if there.all():
        return np.asarray(groups.std(axis=1, ddof=1))
    left = there.sum(axis=1)
    values = np.where(there, groups, 0.0)
    away = np.where(there, groups - (values.sum(axis=1) / np.maximum(left, 1))[:, None], 0.0)
    squares = (away * away).sum(axis=1) / np.maximum(left - 1, 1)
    return np.where(left > 1, np.sqrt(squares), np.nan)
