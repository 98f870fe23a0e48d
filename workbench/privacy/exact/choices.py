"""An index of probability ∝ weight · e^(rate · score + log base), exactly: for the exponential mechanism.

The distribution function is inverted at a uniform variable known by its first bits. Floats bound every
partial sum from both sides and answer where one index is left; else balls do, on 128 bits more each time.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from math import log
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import ArgumentError, finite
from workbench.privacy.exact import balls
from workbench.privacy.exact.integers import Read, system
from workbench.privacy.grid import Band, Later, OnGrid
from workbench.types import Array

if TYPE_CHECKING:
    from flint import arb

BITS, MORE = 64, 128  # of a uniform variable at first, and at each extension
EXPONENT = 2.0**-48  # bound on the error of an exponent, relative to what it is the sum of
MARGIN, EACH = 2.0**-39, 2.0**-52  # relative distance from a boundary at which floats decide, and per index

Integers = Sequence[int] | NDArray[Any]


@dataclass(frozen=True, eq=False)
class Pieces:
    """Indices that may be chosen: how far below the best each scores, its weight, the log of its base.

    Weights may be floats near whole numbers times one factor; then `whole` returns these for all indices.
    """

    numbers: NDArray[np.intp]
    rate: float
    gaps: NDArray[Any]
    weights: NDArray[Any] | None
    log_base: Array | None
    whole: Callable[[], NDArray[Any]] | None = None

    @property
    def exact(self) -> NDArray[Any] | None:
        """Weights as whole numbers."""
        return self.weights if self.whole is None else self.whole()[self.numbers]


def choose(
    scores: Integers, rate: float, weights: Integers | OnGrid | None = None, log_base: ArrayLike | None = None
) -> int:
    """Return an index drawn with probability ∝ weight · e^(rate · score + log base), exactly.

    `scores` are integers, `weights` integers of any size from 0 on (all 1 if there are none), also as a
    statistic on a grid, `rate` is that float, `log_base` are those floats (0 if there are none); -inf
    forbids, as does weight 0.
    """
    return chosen(pieces(scores, rate, weights, log_base), system)


def pieces(
    scores: Integers, rate: float, weights: Integers | OnGrid | None = None, log_base: ArrayLike | None = None
) -> Pieces:
    """Return the indices of a weight above 0, with scores relative to the largest of them.

    Raises
    ------
    ArgumentError
        If a number is not what it has to be, lengths differ, or nothing can be chosen.
    """
    finite(rate=rate)
    heights = integers(scores=scores)
    allowed, widths, whole, base = np.ones(len(heights), bool), None, None, None
    if weights is not None:
        known, whole = _known(weights)
        widths = _as_long(known, heights, "weights")
        if widths.size and widths.min() < 0:
            raise ArgumentError("weights", weights, "integers, at least 0")
        allowed &= np.asarray(widths > 0, bool)
    if log_base is not None:
        base = _as_long(np.asarray(log_base, np.float64), heights, "log_base")
        if not (base < np.inf).all():
            raise ArgumentError("log_base", log_base, "numbers or -inf")
        allowed &= base > -np.inf
    (numbers,) = np.nonzero(allowed)
    if not len(numbers):
        raise ArgumentError("weights", weights, "something to choose")
    widths, base = (None if one is None else one[numbers] for one in (widths, base))
    return Pieces(numbers, float(rate), _below_best(heights[numbers]), widths, base, whole)


def _known(weights: Integers | OnGrid) -> tuple[NDArray[Any], Callable[[], NDArray[Any]] | None]:
    """Return weights: floats where these are near, and what returns the whole numbers; else whole numbers."""
    if not isinstance(weights, OnGrid):
        return integers(weights=weights), None
    with suppress(OverflowError):  # beyond all floats
        if weights.near:
            return np.asarray(weights, np.float64), lambda: weights.counts
    return integers(weights=weights.counts), None


def integers(**argument: Iterable[Any]) -> NDArray[Any]:
    """Return int64 where all fit, else Python integers."""
    ((name, values),) = argument.items()
    if isinstance(values, np.ndarray) and values.dtype.kind == "i":
        return values.astype(np.int64)
    try:
        whole = [index(value) for value in values]
    except TypeError:
        raise ArgumentError(name, values, "integers") from None
    small = all(-(2**62) <= value <= 2**62 for value in whole)
    return np.array(whole, np.int64 if small else object)


def _as_long(values: NDArray[Any], heights: NDArray[Any], name: str) -> NDArray[Any]:
    if values.shape != heights.shape:
        raise ArgumentError(name, values, f"shape {heights.shape}, as the scores have")
    return values


def _below_best(heights: NDArray[Any]) -> NDArray[Any]:
    top = int(heights.max())
    fits = top - int(heights.min()) < 2**62
    gaps = heights.astype(object) - top if heights.dtype == object or not fits else heights - top
    return np.asarray(gaps.astype(np.int64) if fits else gaps)


def choose_near(scores: Later, rate: float, weights: Later, read: Read = system) -> int:
    """Return what `choose` returns of all scores: from the band where floats prove it."""
    balls.flint()  # missing, it is missed before anything is drawn
    top, band = int.from_bytes(read(BITS // 8), "little"), scores.band
    assert band is not None
    these = pieces(band.counts, rate, band.weights)
    place = near(these, top, band) if these.whole else None  # lengths beyond all floats have another unit
    if place is not None:
        return int(band.places[these.numbers[place]])
    return chosen(pieces(scores.counts, rate, weights.whole), read, top)


def chosen(these: Pieces, read: Read, top: int | None = None) -> int:
    """Return the index at which the distribution function passes a uniform variable with first bits `top`."""
    balls.flint()  # missing, it is missed before anything is drawn
    top, bits = int.from_bytes(read(BITS // 8), "little") if top is None else top, BITS
    found = filtered(these, top)
    while found is None:
        found = certified(these, top, bits)
        if found is None:
            top, bits = top << MORE | int.from_bytes(read(MORE // 8), "little"), bits + MORE
    return int(these.numbers[found])


def filtered(these: Pieces, top: int) -> int | None:
    """Return the place that floats prove for every U with these first 64 bits, if there is one."""
    low, high = _partial_sums(these)
    slack = MARGIN + EACH * len(low)
    with np.errstate(all="ignore"):
        least = top * 2.0**-BITS * (1 - slack) * low[-1]
        most = (top + 1) * 2.0**-BITS * (1 + slack) * high[-1]
        place = int(np.searchsorted(low * (1 - slack), most, side="right"))
        sure = place < len(low) and (place == 0 or high[place - 1] * (1 + slack) < least)
    return place if sure else None


def near(these: Pieces, top: int, band: Band) -> int | None:
    """Return the place in a band that floats prove for every U with these first 64 bits, if there is one."""
    (low, high), largest = _bounds(these)
    best = int(band.counts[these.numbers].max())
    with np.errstate(all="ignore"):
        before, after = (
            float(np.exp(these.rate * (score - best) + np.log(length) - largest)) * (1 + MARGIN)
            for score, length in zip(band.most, band.lengths, strict=True)
        )
        others = np.full(len(low), before)
        others[these.numbers >= band.together] += after
        slack, low, high = MARGIN + EACH * len(low), np.cumsum(low), np.cumsum(high)
        least = top * 2.0**-BITS * (1 - slack) * low[-1]
        most = (top + 1) * 2.0**-BITS * (1 + slack) * (high[-1] + before + after)
        place = int(np.searchsorted(low * (1 - slack), most, side="right"))
        if place == len(low):
            return None
        left = others[place] + (high[place - 1] if place else 0.0)
    return place if left * (1 + slack) < least else None


def _partial_sums(these: Pieces) -> tuple[Array, Array]:
    """Return the partial sums of the probabilities times one constant, too small and too large."""
    (low, high), _ = _bounds(these)
    return np.cumsum(low), np.cumsum(high)


def _bounds(these: Pieces) -> tuple[tuple[Array, Array], float]:
    """Return probabilities over that of the largest, too small and too large, and the log of that."""
    terms = [these.rate * _floats(these.gaps)]
    if these.weights is not None:
        terms.append(_logs(these.weights))
    if these.log_base is not None:
        terms.append(these.log_base)
    with np.errstate(all="ignore"):
        exponents, sizes = sum(terms), 1 + sum(map(np.abs, terms))
        largest = np.max(exponents)
        errors = EXPONENT * (sizes + abs(largest))
        return (np.exp(exponents - largest - errors), np.exp(exponents - largest + errors)), float(largest)


def _floats(values: NDArray[Any]) -> Array:
    """Return the floats next to integers of at most 0; one that passes all floats is -inf."""
    if values.dtype == object:
        return np.array([float(value) if value > -(2**1023) else -np.inf for value in values])
    return values.astype(np.float64)


def _logs(values: NDArray[Any]) -> Array:
    try:
        return np.asarray(np.log(values.astype(np.float64)))
    except OverflowError:  # beyond all floats
        return np.array([log(value) for value in values])


def certified(these: Pieces, top: int, bits: int) -> int | None:
    """Return the place that balls prove for every U with these first bits, if there is one."""
    with balls.precise(bits):
        sums = list(accumulate(_masses(these)))
        point = balls.uniform(top, bits) * sums[-1]
        place = next((i for i, total in enumerate(sums) if not total < point), None)
        return place if place is not None and point < sums[place] else None


def _masses(these: Pieces) -> "Iterable[arb]":
    rate, scale = balls.exactly(these.rate), these.exact
    best = 0.0 if these.log_base is None else float(these.log_base.max())
    for i, gap in enumerate(these.gaps):
        exponent = rate * balls.exactly(int(gap))
        if these.log_base is not None:
            exponent += balls.exactly(float(these.log_base[i])) - balls.exactly(best)
        yield exponent.exp() if scale is None else exponent.exp() * balls.exactly(int(scale[i]))
