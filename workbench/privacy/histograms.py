"""Private histograms: over a finite partition, over a countable one, and the mode alone.

Counts are integers and so is their noise (discrete Laplace) wherever the currency allows. A released key is
a value of the array's type, which is public, in one form (0.0 for -0.0, one NaN): it carries nothing of the
rows but that enough of them have it. Proofs: `proofs/univariate.md`, sections 2 to 4.
"""

from math import ceil, exp, log, log1p, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError
from workbench.privacy.budgets import ZCDP, ApproxDP, Budget, PureDP
from workbench.privacy.grid import Integers, OnGrid, Reaching, passed_no_more
from workbench.privacy.mechanisms import additive, approximate_cost, exceeds_bound, truncated_laplace_bound
from workbench.privacy.noise import NoiseSource
from workbench.privacy.plan import Charge
from workbench.special import ndtri
from workbench.types import Array, Counts

COUNTS_L1 = 2.0  # replacing one row takes 1 from one count and adds 1 to another
COUNTS_L2 = sqrt(2.0)
FINE = 24  # bits of a grid between whole numbers, for counts with normal noise that a lone row must not pass
_KEYS = "iufbUS"  # the kinds of types whose values have one form, or are brought to one
_PADDED = np.longdouble  # is stored with bytes of no meaning: a released one would carry what was in memory

Keys = NDArray[Any]


def histogram_charge(step: str, cost: Budget) -> Charge:
    """Return the charge of a full histogram over a finite partition (L17 Theorem 1.1; zCDP: Gaussian)."""
    if isinstance(cost, PureDP):
        return Charge(step, "discrete_laplace", COUNTS_L1, cost)
    return Charge(step, "gaussian", COUNTS_L2, cost)


def finite_histogram(bins: Counts, size: int, charge: Charge, noise: NoiseSource) -> Array:
    """Return noisy counts of `bins` = 0 .. size-1, empty ones included; others count at the ends."""
    _require_array("bins", bins, "iu", "whole numbers")
    return additive(np.bincount(np.clip(bins, 0, size - 1), minlength=size), charge, noise)


def stability_charge(step: str, cost: Budget) -> Charge:
    """Return the charge of a stability-based histogram: (ε, δ), or zCDP with its own δ."""
    match cost:
        case ApproxDP(_, delta) if 0 < delta < 0.5:
            return Charge(step, "stability_histogram", COUNTS_L1, cost)
        case ZCDP(_, delta) if 0 < delta < 0.5:
            return Charge(step, "stability_histogram", COUNTS_L2, cost)
    raise ArgumentError("budget", cost, "ApproxDP or ZCDP with 0 < delta < 1/2")


def stability_threshold(cost: Budget) -> float:
    """Return the least noisy count that is released: a lone point passes with probability at most δ.

    Discrete Laplace: 1 + ⌈(2/ε) ln(1/(δ(1 + e^(-ε/2))))⌉. Gaussian: 1 + σ Φ⁻¹(1 - δ), σ² = 1/ρ. Both with
    what exact noise needs (`passed_no_more`).
    """
    match cost:
        case ApproxDP(epsilon, delta):
            margin = 2 / epsilon * -(log(delta) + log1p(exp(-epsilon / 2)))
            return 1 + max(ceil(passed_no_more(margin, 0.0)), 0)
        case ZCDP(rho, delta):
            return 1 + passed_no_more(-float(ndtri(delta)) / sqrt(rho), 2.0**-FINE)
    raise ArgumentError("cost", cost, "ApproxDP or ZCDP")


def stability_threshold_stated(cost: ApproxDP) -> float:
    """Return 1 + (2/ε) ln(2/δ), the looser threshold of Vadhan 2017 and Karwa & Vadhan 2018."""
    return 1 + 2 / cost.epsilon * log(2 / cost.delta)


def largest_noise(bins: int, cost: Budget, beta: float) -> float:
    """Return an upper beta-quantile of the largest noise on the counts of this many bins."""
    match cost:
        case ApproxDP(epsilon, _) | PureDP(epsilon):
            return 1 + 2 / epsilon * log(2 * bins / beta)
        case ZCDP(rho, _):
            return sqrt(2 * log(2 * bins / beta) / rho)
    raise ArgumentError("budget", cost, "PureDP, ApproxDP or ZCDP")


def stability_histogram(
    keys: Keys, charge: Charge, noise: NoiseSource, threshold: float | None = None
) -> dict[object, float]:
    """Return noisy counts of the populated bins that reach the threshold (L17 Theorem 1.2).

    `keys` names the bin of every row, shape (n,), an array of whole numbers, floats of at most 64
    bits, truth values or text: the type of a list would be a fact about its rows. NaN is no bin: such a row
    counts nowhere. One draw per row whatever the data, and sorted keys, so that neither the stream nor the
    order tells how many bins are populated; a source without a stream begins one draw per row and ends those
    that may reach the threshold. A `threshold` above the default costs nothing; one below it is refused.
    """
    least = stability_threshold(charge.cost)
    if threshold is not None and threshold < least:
        raise ArgumentError("threshold", threshold, f"at least {least:g}")
    shown = least if threshold is None else threshold
    unique, counts = _counted(keys)
    padded = np.zeros(len(keys), np.int64)
    padded[: len(counts)] = counts
    noisy = _noisy(padded, charge, noise, shown)[: len(counts)]
    kept = noisy >= shown
    return dict(zip(unique[kept].tolist(), noisy[kept].tolist(), strict=True))


def _counted(keys: Keys) -> tuple[Keys, Counts]:
    _require_array("keys", keys, _KEYS, "whole numbers, floats of at most 64 bits, or text")
    if keys.dtype.kind == "f":  # equal zeros may differ in sign
        with np.errstate(all="ignore"):
            keys = keys[~np.isnan(keys)] + keys.dtype.type(0)
    return np.unique(keys, return_counts=True)


def _require_array(name: str, keys: Keys, kinds: str, allowed: str) -> None:
    if not isinstance(keys, np.ndarray) or isinstance(keys, np.ma.MaskedArray):
        raise ArgumentError(name, type(keys).__name__, "a numpy array: its type must not depend on the rows")
    if keys.dtype.kind not in kinds or keys.dtype.type is _PADDED:
        raise ArgumentError(name, f"array of type {keys.dtype}", allowed)
    if keys.ndim != 1:
        raise ArgumentError(name, f"array of shape {keys.shape}", "one key per row: shape (n,)")


def _noisy(counts: Integers, charge: Charge, noise: NoiseSource, least: float) -> Array:
    if isinstance(charge.cost, ZCDP):
        fine = Reaching(counts << FINE, 2.0**-FINE, least * 2.0**FINE)
        return noise.gaussian(fine, charge.sensitivity, charge.sensitivity / sqrt(2 * charge.cost.rho))
    scale = charge.sensitivity / approximate_cost(charge).epsilon
    return noise.discrete_laplace(Reaching(counts, 1.0, least), charge.sensitivity, scale)


def stable_mode(
    keys: Keys, charge: Charge, noise: NoiseSource, threshold: float | None = None
) -> object | None:
    """Return the released bin with the largest noisy count, or None: post-processing."""
    released = stability_histogram(keys, charge, noise, threshold)
    return max(released, key=released.__getitem__, default=None)


def mode_charge(step: str, cost: ApproxDP) -> Charge:
    """Return the charge of `release_mode`."""
    charge = Charge(step, "truncated_laplace", 1.0, cost)
    truncated_laplace_bound(charge)
    return charge


def keys_for_mode(charge: Charge, spare: float, beta: float) -> int:
    """Return how many keys have a mode that is released but for β where all but a share `spare` are it."""
    ahead = truncated_laplace_bound(charge) + log(1 / (2 * beta)) / approximate_cost(charge).epsilon
    return ceil(2 * max(ahead, 0.5) / (1 - 2 * spare))


def release_mode(keys: Keys, charge: Charge, noise: NoiseSource) -> object | None:
    """Return the most frequent key, or None: (ε, δ)-DP, cheaper than a histogram where only it is wanted.

    `keys` as for `stability_histogram`.

    (1) h = (n₁ - n₂)/2 for the two largest counts; one replaced row moves n₁ - n₂ by at most 2, h by 1.
    (2) Release iff h + Z > A, Z truncated Laplace on [-A, A]: at h = 0 never, at h = 1 with probability δ.

    Proof: `proofs/univariate.md`, section 3.
    """
    unique, counts = _counted(keys)
    second, first = np.sort(np.append(counts, [0, 0]))[-2:]
    stability = OnGrid(first - second, 0.5)  # (1)
    released = exceeds_bound(stability, charge, noise)  # (2)
    return unique[int(np.argmax(counts))].item() if released else None
