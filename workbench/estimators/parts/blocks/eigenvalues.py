"""Eigenvalues of a covariance, whatever their size: what most blocks of rows say of them.

For blocks j = 1 .. t with spectra λ_1^j ≥ … ≥ λ_d^j, and for every i:

    tight    the window median of y_j = ln λ_i^j on [-700, 475], windows of 1.5 on both sides    ρ/d
             (y = -600 where λ = 0 or the block cannot be decomposed; below -500 the answer is 0)
    paper    the fullest bin [2^(e-1), 2^e) of a stability-based histogram, √2 2^(e-1)     ρ/d, δ/d
             (0 has a bin of its own, and so have blocks that cannot be decomposed; no bin: no answer)

One replaced row changes one block, hence one of the t numbers in each of d lists. The answers are
sorted, the largest first. Tight needs no δ and gives the median of the block eigenvalues to a few per cent;
the m rows of a block bias it, by a factor between (1 - √(d/m))² and (1 + √(d/m))². Proof:
`proofs/aggregation.md`, section 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log, sqrt

import numpy as np

from workbench.estimators.parts.locate.window_median import WindowMedian, selection_epsilon
from workbench.privacy import ZCDP, Charge, NoiseSource
from workbench.privacy.histograms import stability_charge, stability_threshold, stable_mode
from workbench.types import Array, Calibration

LOCATOR = WindowMedian(left=1.5, right=1.5, low=-700.0, high=475.0)
NOTHING, NEXT_TO_NOTHING = -600.0, -500.0  # stand for ln 0
ZERO, BAD = -5000.0, -6000.0  # keys below every exponent of a float
BETA = 1e-3  # the chance that an answer is a random point of the range, at the fewest blocks


@dataclass(frozen=True)
class BlockEigenvalues:
    """The recipe for d eigenvalues."""

    d: int
    calibration: Calibration = "tight"

    def charges(self, step: str, cost: ZCDP) -> tuple[Charge, ...]:
        """Return one charge for each eigenvalue."""
        each = cost.split(*(1.0,) * self.d)
        if self.calibration == "tight":
            return tuple(LOCATOR.charge(f"{step} {i}", part) for i, part in enumerate(each, start=1))
        return tuple(stability_charge(f"{step} {i}", part) for i, part in enumerate(each, start=1))

    def enough_blocks(self, cost: ZCDP) -> int:
        """Return a number of blocks that suffices for the answers to be among the block eigenvalues.

        Tight: the exponential mechanism on a range of length 1175, with probability 1 - BETA. Paper: 4T, so
        that the fuller of two bins that share the blocks holds twice the threshold T.
        """
        return _enough_blocks(self.d, self.calibration, cost)

    def draw(self, spectra: Array, charges: Sequence[Charge], noise: NoiseSource) -> Array | None:
        """Return private eigenvalues, descending, from spectra of shape (t, d); None for no answer."""
        answer = self._median if self.calibration == "tight" else self._mode
        found = [answer(values, charge, noise) for values, charge in zip(spectra.T, charges, strict=True)]
        if any(value is None for value in found):
            return None
        return np.sort(np.array(found, np.float64))[::-1]

    def _median(self, values: Array, charge: Charge, noise: NoiseSource) -> float | None:
        place = LOCATOR.draw(logarithms(values), charge, noise)
        return None if place is None else float(np.exp(place)) if place > NEXT_TO_NOTHING else 0.0

    def _mode(self, values: Array, charge: Charge, noise: NoiseSource) -> float | None:
        key = stable_mode(exponents(values), charge, noise)
        if not isinstance(key, float) or key == BAD:
            return None
        return 0.0 if key == ZERO else float(np.ldexp(sqrt(0.5), int(key)))


def logarithms(values: Array) -> Array:
    """Return ln λ within the range, -600 for what is 0 or no number."""
    logs = np.log(np.where(values > 0, values, 1.0))
    return np.where((values > 0) & (logs > NEXT_TO_NOTHING), logs, NOTHING)


def exponents(values: Array) -> Array:
    """Return e with 2^(e-1) ≤ λ < 2^e, from the float itself; a key apart for 0 and for no number."""
    known = np.where(np.isfinite(values), values, 0.0)
    keys = np.where(known > 0, np.frexp(known)[1], ZERO)
    return np.where(np.isfinite(values), keys, BAD)


@lru_cache(maxsize=1024)
def _enough_blocks(d: int, calibration: str, cost: ZCDP) -> int:
    if calibration == "paper":
        return ceil(4 * stability_threshold(ZCDP(cost.rho / d, cost.delta / d)))
    epsilon = selection_epsilon(ZCDP(cost.rho / d))
    return ceil(2 / epsilon * (LOCATOR.log_measure(cost) + log(2 * d / BETA) + 1.5) * 1.04) + 4
