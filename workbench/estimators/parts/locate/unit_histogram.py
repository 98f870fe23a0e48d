"""Locate the mean of unit-variance rows by a histogram with bins of width 1 (L17 Cor. 2.4 and Thm 1.2).

With a radius: bins of [-R, R], the end ones open; the centre of the bin with the largest noisy count.
Without: bins [j, j + 1) of the whole line through the stability-based histogram; no bin: no answer.

`calibration="paper"` releases all noisy counts (Laplace) and cuts at Vadhan's threshold; "tight" asks for the
largest bin only (exponential noise on the counts, the law of permute-and-flip) and cuts at the exact
threshold of discrete Laplace noise.
"""

from dataclasses import dataclass
from math import ceil, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention
from workbench.estimators.parts.rows import only_present, row_blocks
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, NoiseSource, PureDP
from workbench.privacy.concentrated import bounded_range_epsilon
from workbench.privacy.histograms import (
    COUNTS_L1,
    COUNTS_L2,
    largest_noise,
    stability_charge,
    stability_threshold,
    stability_threshold_stated,
    stable_mode,
)
from workbench.privacy.mechanisms import additive, exponential, noisy_max
from workbench.types import Array, Calibration

MOST_BINS = 5_000_000
REACH = 2.5  # the centre found is within this of the mean
BEST, FAR = 0.3413447460685429, 0.0455002638963584  # Φ(1) - Φ(0) and P(|Z| > 2)


@dataclass(frozen=True)
class UnitHistogram:
    """The recipe for rows of standard deviation 1 and mean within ±`radius` (None: anywhere)."""

    radius: float | None
    calibration: Calibration = "tight"

    @property
    def bins(self) -> int:
        """The number of bins of a finite range: ⌈2R⌉."""
        assert self.radius is not None
        return ceil(2 * self.radius)

    def charge(self, step: str, cost: Budget) -> Charge:
        """Return the charge of the histogram, or of the choice of its largest bin."""
        if self.radius is None:
            return stability_charge(step, cost)
        if self.bins > MOST_BINS:
            raise ArgumentError("radius", self.radius, f"at most {MOST_BINS // 2} standard deviations")
        match cost, self.calibration:
            case PureDP(), "paper":
                return Charge(step, "laplace", COUNTS_L1, cost)
            case PureDP(), _:
                return Charge(step, "noisy_max", 1.0, cost)
            case ZCDP(_, 0.0), "paper":
                return Charge(step, "gaussian", COUNTS_L2, cost)
            case ZCDP(_, 0.0), _:
                return Charge(step, "exponential", 1.0, cost)
        raise ArgumentError("budget", cost, "PureDP or ZCDP with delta = 0")

    def keys(self, x: Array) -> Array:
        """Return the bin of every row as a whole float, NaN for an absent one: no bin."""
        if self.radius is None:
            return np.floor(x)
        return np.clip(np.floor(x + self.radius), 0, self.bins - 1)

    def draw(self, x: Array, charge: Charge, noise: NoiseSource) -> float | Abstention:
        """Return the centre of the chosen bin."""
        if self.radius is None:
            mode = stable_mode(self.keys(x), charge, noise, self.threshold(charge.cost))
            return float(mode) + 0.5 if isinstance(mode, float) else Abstention(charge.step)
        return self._largest(self.counts(x), charge, noise) + 0.5 - self.radius

    def counts(self, x: Array) -> NDArray[np.int64]:
        """Return how many rows each bin has."""
        bins = (only_present(self.keys(rows)).astype(np.int64) for rows in row_blocks(x))
        return np.asarray(sum(np.bincount(one, minlength=self.bins) for one in bins))

    def _largest(self, counts: NDArray[np.int64], charge: Charge, noise: NoiseSource) -> int:
        match charge.mechanism:
            case "noisy_max":
                return noisy_max(counts, charge, noise)
            case "exponential":
                return exponential(counts, charge, noise)
        return int(np.argmax(additive(counts, charge, noise)))

    def threshold(self, cost: Budget) -> float:
        """Return the least noisy count that is released."""
        if self.calibration == "paper" and isinstance(cost, ApproxDP):
            return max(stability_threshold_stated(cost), stability_threshold(cost))
        return stability_threshold(cost)

    def error_bound(self, n: int, cost: Budget, beta: float) -> float:
        """Return 2.5 if n suffices for normal rows with probability 1 - beta, else infinity.

        Hoeffding for the bin of mass at least Φ(1) - Φ(0) and for all bins beyond 2 (mass at most .0455)
        takes beta/2, the noise the rest.
        """
        deviation = sqrt(n * log(4 / beta) / 2)
        found = (BEST - FAR) * n - 2 * deviation > self._noise_gap(n, cost, beta / 2)
        if self.radius is None:
            kept = BEST * n - deviation - self.count_error(n, cost, beta / 2)
            found = found and kept >= self.threshold(cost)
        return REACH if found else inf

    def _noise_gap(self, n: int, cost: Budget, beta: float) -> float:
        """Return how far a smaller count may be ahead, with probability beta."""
        if self.calibration == "tight" and self.radius is not None:
            return self.count_error(n, cost, beta)  # one-sided noise, or the exponential mechanism's utility
        return 2 * self.count_error(n, cost, beta)

    def count_error(self, n: int, cost: Budget, beta: float) -> float:
        """Return a bound on the noise of all counts at once."""
        bins = n if self.radius is None else self.bins
        match cost:
            case PureDP(epsilon):
                return 2 / epsilon * log(bins / beta)
            case ZCDP(rho, delta) if self.calibration == "tight" and not delta:
                return 2 / bounded_range_epsilon(rho) * log(bins / beta)
        return largest_noise(bins, cost, beta)
