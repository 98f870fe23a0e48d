"""The fullest bin of every coordinate on a finite grid, by one Gaussian mechanism on all counts.

Bins of width w divide [-K w/2, K w/2) in each of d coordinates; the end ones are open. One replaced row
leaves one bin and enters another in every coordinate: l2-sensitivity √(2d) of all counts together.
"""

from dataclasses import dataclass
from math import ceil, log, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.rows import blocks, only_present
from workbench.privacy import ZCDP, Charge, GaussianDP, NoiseSource
from workbench.privacy.grid import Integers
from workbench.privacy.mechanisms import gaussian
from workbench.types import Array

MOST_BINS = 5_000_000


@dataclass(frozen=True)
class CoordinateModes:
    """The recipe for rows whose mean lies within ±`reach` in each of d coordinates."""

    reach: float
    width: float
    d: int

    @property
    def bins(self) -> int:
        """K, for each coordinate."""
        return ceil(2 * self.reach / self.width)

    def charge(self, step: str, cost: ZCDP | GaussianDP) -> Charge:
        """Return the charge of all counts."""
        if self.bins * self.d > MOST_BINS:
            raise ArgumentError("radius", self.reach, f"at most {MOST_BINS} bins in all coordinates")
        return Charge(step, "gaussian", sqrt(2 * self.d), cost)

    def cost(self, n: int, lead: float) -> float:
        """Return the μ at which the largest noise of a difference of two counts stays below lead · n.

        But for a probability of 1e-3 or less: √2 σ (√(2 ln Kd) + 3), σ the noise of one count.
        """
        largest = sqrt(2 * log(self.bins * self.d)) + 3
        return largest * sqrt(2) * sqrt(2 * self.d) / (lead * n)

    def counts(self, x: Array, centre: float | Array, unit: float) -> Integers:
        """Return the counts of (x - centre)/unit, shape (d, K)."""
        low, step = centre - unit * self.width * self.bins / 2, unit * self.width
        found = np.zeros(self.d * self.bins, np.intp)
        first = self.bins * np.arange(self.d)
        for block in blocks(*x.shape):
            place = (only_present(x[block]) - low) / step
            np.clip(place, 0, self.bins - 1, out=place)
            keys = place.astype(np.intp)
            keys += first
            found += np.bincount(keys.ravel(), minlength=len(found))
        return found.reshape(self.d, self.bins)

    def draw(self, counts: Integers, charge: Charge, noise: NoiseSource) -> Array:
        """Return the centre of the fullest bin of every coordinate, in units."""
        best = gaussian(counts, charge, noise).argmax(axis=1)
        return np.asarray(self.width * (best + 0.5 - self.bins / 2))
