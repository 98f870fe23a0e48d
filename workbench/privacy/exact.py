"""Noise of exact distributions, from the randomness of the operating system: it may be released.

    normal, laplace, truncated_laplace, exponential    ⌊X + ½⌋, X the ideal real variable
    discrete_laplace                                   P(z) ∝ e^(-|z|/scale)
    reaching                                           the noise of counts that it lifts to a height
    choose, choose_near                                an index, P(i) ∝ weight · e^(rate · score)
    below                                              uniform integers

For an integer q, ⌊q + X + ½⌋ = q + ⌊X + ½⌋: noise is drawn round zero, in units of the caller's grid, and
added to integers; rounding is post-processing of the ideal mechanism. A float is a guess, accepted where a
bound on its error decides it; else balls decide, on as many random bits as that takes. Masks and cuts:
`privacy.secure`. Proof: `proofs/exact.md`. How long a draw takes depends on what is drawn: nothing here
is hardened against timing.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from math import log, prod
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError, finite, integer_at_least, positive
from workbench.privacy.grid import Band, Later, OnGrid
from workbench.special import erfc, ndtri
from workbench.types import Array, Mask, frozen

if TYPE_CHECKING:
    from flint import arb as arb

Read: TypeAlias = Callable[[int], bytes]
"""A source of bytes: how many are wanted goes in."""
Whole = NDArray[Any]  # int64, or Python integers

BITS, MORE = 63, 128  # of a uniform variable at first, and at each extension
FIRST = 15  # bits of it before it is asked whether more matter
CHOICE = 64  # bits of that of a choice
SPARE = 64  # bits of precision beyond those of the uniform variable
MARGIN = 2.0**-39  # relative distance from a boundary at which floats decide
EACH = 2.0**-52  # the same, for every index of a sum
EXPONENT = 2.0**-48  # bound on the error of an exponent, relative to what it is the sum of
FAR = 2.0**-20  # tails below are left to balls
LARGEST = 2.0**51  # integers above are left to balls: k ± ½ is then no float
INT64 = 2**62  # integers from here on are Python's
REACH = 4096  # scales beyond which no variable has more than e^-4096


# Uniform integers: by rejection, without a float.


def system(count: int) -> bytes:
    return os.urandom(count)


def below(m: int, read: Read = system) -> int:
    """Return a uniform integer of 0, .., m - 1: as many random bits as m - 1 has, until they are below m."""
    integer_at_least(1, m=m)
    bits = (int(m) - 1).bit_length()
    size = -(-bits // 8)
    while True:
        drawn = int.from_bytes(read(size), "little") >> (8 * size - bits)
        if drawn < m:
            return drawn


# Balls of python-flint: intervals that are proved to hold a number. The precision is a state of the library;
# another thread that lowers it makes balls wider, never wrong.


def flint() -> Any:
    """Return the module, or raise if it is not installed: before anything is drawn."""
    try:
        import flint
    except ModuleNotFoundError:
        needed = 'the extra `secure`: pip install "dp-workbench[secure]"'
        raise ArgumentError("module", "flint", needed) from None
    return flint


def precise(bits: int) -> Any:
    """Return a context in which balls resolve more than a uniform variable of so many bits."""
    return flint().ctx.workprec(bits + SPARE)


def exactly(value: float) -> "arb":
    ball: arb = flint().arb(value)
    return ball


def uniform_ball(top: int, bits: int) -> "arb":
    """Return a ball round the uniform variables that begin with `top`, of so many bits."""
    middle, radius = (2 * top + 1, -bits - 1), (1, -bits - 1)
    ball: arb = flint().arb(middle, radius)
    return ball


# Distributions: a decreasing tail Q with Q(X) uniform on (0, 1), X the variable or, of two signs, its size.


@frozen
class Law:
    """What the sampler asks of a distribution of known scale, an integer or a float, exactly.

    One of two signs is that of a size ≥ 0 with a fair sign.
    """

    scale: float
    signed = True

    def __post_init__(self) -> None:
        positive(**vars(self))

    @property
    def reach(self) -> float:
        """What |X| does not exceed but for probability e^-4096."""
        return REACH * self.scale

    def tail(self, x: Array) -> Array:
        """Return Q(x) in floats, x + ½ an integer; relative errors are assumed in `proofs/exact.md`."""
        raise NotImplementedError

    def guess(self, tail: Array) -> Array:
        """Return about the x of a tail: nothing is assumed of it."""
        raise NotImplementedError

    def point(self, tail: "arb") -> "arb":
        """Return a ball that holds the x of every tail of a ball."""
        raise NotImplementedError


@frozen
class Normal(Law):
    """The size of a normal variable of standard deviation `scale`: Q(x) = erfc(x/(√2 scale))."""

    def tail(self, x: Array) -> Array:
        return erfc(x / (float(self.scale) * 2**0.5))

    def guess(self, tail: Array) -> Array:
        return -float(self.scale) * ndtri(tail / 2)

    def point(self, tail: "arb") -> "arb":
        return exactly(self.scale) * exactly(2).sqrt() * tail.erfcinv()


@frozen
class Exponential(Law):
    """An exponential variable of mean `scale`: Q(x) = e^(-x/scale)."""

    signed = False

    def tail(self, x: Array) -> Array:
        return np.exp(-x / self.scale)

    def guess(self, tail: Array) -> Array:
        return -self.scale * np.log(tail)

    def point(self, tail: "arb") -> "arb":
        return -exactly(self.scale) * tail.log()


@frozen
class Laplace(Exponential):
    """The size of a variable of density e^(-|x|/scale)/(2 scale)."""

    signed = True


@frozen
class TruncatedLaplace(Law):
    """The size of a Laplace variable given that it is at most `bound`.

    Q(x) = (e^(-x/scale) - e^(-bound/scale))/(1 - e^(-bound/scale)), 0 beyond the bound.
    """

    bound: float

    @property
    def reach(self) -> float:
        return self.bound

    def tail(self, x: Array) -> Array:  # e^(-x/scale) times a quotient that hides no difference
        rest = np.maximum(self.bound - x, 0.0)
        return np.exp(-x / self.scale) * np.expm1(-rest / self.scale) / self._lost()

    def guess(self, tail: Array) -> Array:
        return -self.scale * np.log1p((1 - tail) * self._lost())

    def point(self, tail: "arb") -> "arb":
        beyond = (-exactly(self.bound) / exactly(self.scale)).exp()
        return -exactly(self.scale) * (beyond + tail * (1 - beyond)).log()

    def _lost(self) -> float:
        return float(np.expm1(-np.float64(self.bound) / self.scale))


@frozen
class DiscreteLaplace(Law):
    """A size x with ⌊x + ½⌋ = |z| for P(z) ∝ e^(-|z|/scale): Q(x) = 2 e^(-(x + ½)/scale)/(1 + e^(-1/scale)).

    At x = k + ½ that is P(|z| > k) = 2 e^(-(k + 1)/scale)/(1 + e^(-1/scale)), and x > -½.
    """

    def tail(self, x: Array) -> Array:
        return 2 * np.exp(-(x + 0.5) / self.scale) / (1 + np.exp(-1 / np.float64(self.scale)))

    def guess(self, tail: Array) -> Array:
        none = (1 + np.exp(-1 / np.float64(self.scale))) / 2
        return -self.scale * np.log(tail * none) - 0.5

    def point(self, tail: "arb") -> "arb":
        scale = exactly(self.scale)
        none = (1 + (-1 / scale).exp()) / 2
        return -scale * (tail * none).log() - 0.5


# Noise: an integer k (with a fair sign, of two signs) such that Q(k + ½) < U < Q(k - ½), U uniform on (0, 1)
# and known by its first bits. 63 bits and the sign make one word; the floats of all draws accept a k that
# holds for every U with these bits, whatever their error up to a stated bound. The rest is decided in balls,
# and where the bits of U leave two integers, 128 more are drawn.


def draw(law: Law, shape: tuple[int, ...], read: Read = system) -> Whole:
    """Return independent integers of a distribution: int64, or Python integers where they may pass 2^62."""
    flint()  # missing, it is missed before anything is drawn
    words = np.frombuffer(read(8 * prod(shape)), "<u8")
    return decided(law, words >> np.uint64(1), (words & np.uint64(1)).astype(bool), read).reshape(shape)


def decided(law: Law, tops: NDArray[np.uint64], minus: Mask, read: Read) -> Whole:
    """Return the integers of U of which the first 63 bits are known, and of signs where there are two."""
    sizes, sure = by_floats(law, tops)
    rest = np.flatnonzero(~sure)
    others = [by_balls(law, int(tops[i]), read) for i in rest]
    wide = law.reach >= INT64 or any(abs(z) >= INT64 for z in others)
    drawn = sizes.astype(np.int64).astype(object) if wide else sizes.astype(np.int64)
    drawn[rest] = others
    return np.where(minus, -drawn, drawn) if law.signed else drawn


def by_floats(law: Law, tops: NDArray[np.uint64]) -> tuple[Array, Mask]:
    """Return a k for the first 63 bits of every U, 0 where floats do not decide, and where they do."""
    with np.errstate(all="ignore"):
        u = tops.astype(np.float64) * 2.0**-BITS
        k = np.floor(law.guess(u) + 0.5)
        inside = (law.tail(k + 0.5) * (1 + MARGIN) < u) & (u < law.tail(k - 0.5) * (1 - MARGIN))
        sure = inside & (u >= FAR) & (np.abs(k) < LARGEST)
    return np.where(sure, k, 0.0), sure


def by_balls(law: Law, top: int, read: Read) -> int:
    """Return the k of a U of which the first 63 bits are known, the others are drawn as far as needed."""
    bits = BITS
    while True:
        with precise(bits):
            k = (law.point(uniform_ball(top, bits)) + 0.5).floor().unique_fmpz()
        if k is not None:
            return int(k)
        top, bits = top << MORE | int.from_bytes(read(MORE // 8), "little"), bits + MORE


# Noise of which only what lifts a count to a public height is wanted: its sign and the first 15 bits of U.
# Where no continuation of these reaches what is needed, that is all of it; else 48 bits more make the word
# of 63, and the draw is the one that it would have been: what reaches its need is distributed as full draws.


def reaching(law: Law, counts: Whole, least: float, read: Read = system) -> tuple[Whole, Whole]:
    """Return places, among them all at which count plus noise is at least `least`, and the noise there.

    `law` has two signs. The noise is what `draw` returns on the same bits.
    """
    flint()  # missing, it is missed before anything is drawn
    words = np.frombuffer(read(2 * len(counts)), "<u2")
    tops, minus = words >> np.uint16(1), (words & np.uint16(1)).astype(bool)
    heights = counts.astype(np.float64)
    with np.errstate(invalid="ignore"):
        needed = np.floor(least - heights) - 0.5  # k - ½ for the least noise k that is needed, or less
        fine = (np.abs(heights) < LARGEST) & (np.abs(needed) < LARGEST)
    (places,) = np.nonzero(~settled(law, tops, minus, np.where(fine, needed, np.nan)))
    rest = np.frombuffer(read(8 * len(places)), "<u8") >> np.uint64(64 - (BITS - FIRST))
    longer = tops[places].astype(np.uint64) << np.uint64(BITS - FIRST) | rest
    return places, decided(law, longer, minus[places], read)


def settled(law: Law, tops: NDArray[np.uint16], minus: Mask, boundaries: Array) -> Mask:
    """Return where no U with these first 15 bits gives, with its sign, an integer above the boundary."""
    with np.errstate(all="ignore"):
        least = tops.astype(np.float64) * 2.0**-FIRST
        beyond = least > law.tail(boundaries) * (1 + MARGIN)
    return np.where(minus, boundaries > 0, beyond)


# An index: the distribution function is inverted at a uniform variable known by its first bits. Floats bound
# every partial sum from both sides and answer where one index is left; else balls do, on 128 bits more each
# time.


@dataclass(frozen=True, eq=False)
class Pieces:
    """Indices that may be chosen: how far below the best each scores, its weight.

    Weights may be floats near whole numbers times one factor; then `whole` returns these for all indices.
    """

    numbers: NDArray[np.intp]
    rate: float
    gaps: Whole
    weights: Whole | None
    whole: Callable[[], Whole] | None = None


def choose(scores: Whole, rate: float, weights: OnGrid | None = None, read: Read = system) -> int:
    """Return an index drawn with probability ∝ weight · e^(rate · score), never one of weight 0."""
    return chosen(pieces(scores, rate, weights), read)


def choose_near(scores: Later, rate: float, weights: Later, read: Read = system) -> int:
    """Return what `choose` returns of all scores: from the band where floats prove it."""
    flint()  # missing, it is missed before anything is drawn
    top, band = int.from_bytes(read(CHOICE // 8), "little"), scores.band
    assert band is not None
    these = pieces(band.counts, rate, band.weights)
    place = proved(these, top, band) if these.whole else None  # lengths beyond all floats have another unit
    if place is not None:
        return int(band.places[these.numbers[place]])
    return chosen(pieces(scores.counts, rate, weights.whole), read, top)


def pieces(scores: Whole, rate: float, weights: OnGrid | None = None) -> Pieces:
    """Return the indices of a weight above 0, with scores relative to the largest of them."""
    finite(rate=rate)
    heights, widths, whole = _integers(scores), None, None
    numbers = np.arange(len(heights))
    if weights is not None:
        widths, whole = _known(weights)
        if widths.shape != heights.shape or not widths.size or widths.min() < 0 or not widths.any():
            raise ArgumentError("weights", weights, f"{len(heights)} integers, 0 or more, not all of them 0")
        (numbers,) = np.nonzero(widths > 0)
        widths, heights = widths[numbers], heights[numbers]
    top = int(heights.max())
    fits = top - int(heights.min()) < INT64
    gaps = heights.astype(object) - top if heights.dtype == object or not fits else heights - top
    return Pieces(numbers, float(rate), gaps.astype(np.int64) if fits else gaps, widths, whole)


def _known(weights: OnGrid) -> tuple[Whole, Callable[[], Whole] | None]:
    """Return weights: floats where these are near, and what returns the whole numbers; else whole numbers."""
    with suppress(OverflowError):  # beyond all floats
        if weights.near:
            return np.asarray(weights, np.float64), lambda: weights.counts
    return _integers(weights.counts), None


def _integers(values: Whole) -> Whole:
    if values.dtype.kind == "i":
        return values.astype(np.int64)
    whole = [index(value) for value in values]
    small = all(-INT64 <= value <= INT64 for value in whole)
    return np.array(whole, np.int64 if small else object)


def chosen(these: Pieces, read: Read, top: int | None = None) -> int:
    """Return the index at which the distribution function passes a uniform variable with first bits `top`."""
    flint()  # missing, it is missed before anything is drawn
    top, bits = int.from_bytes(read(CHOICE // 8), "little") if top is None else top, CHOICE
    found = proved(these, top)
    while found is None:
        found = chosen_by_balls(these, top, bits)
        if found is None:
            top, bits = top << MORE | int.from_bytes(read(MORE // 8), "little"), bits + MORE
    return int(these.numbers[found])


def proved(these: Pieces, top: int, band: Band | None = None) -> int | None:
    """Return the place that floats prove for every U with these first 64 bits, if there is one.

    Of pieces in a band what the others may weigh is added: all before it to what is left of a place, and all
    after it, unless the place is among those `together`.
    """
    (low, high), largest = _bounds(these)
    others, beside = np.zeros(len(low)), 0.0
    with np.errstate(all="ignore"):
        if band is not None:
            best = int(band.counts[these.numbers].max())
            before, after = (
                float(np.exp(these.rate * (score - best) + np.log(length) - largest)) * (1 + MARGIN)
                for score, length in zip(band.most, band.lengths, strict=True)
            )
            others += before
            others[these.numbers >= band.together] += after
            beside = before + after
        slack, low, high = MARGIN + EACH * len(low), np.cumsum(low), np.cumsum(high)
        least = top * 2.0**-CHOICE * (1 - slack) * low[-1]
        most = (top + 1) * 2.0**-CHOICE * (1 + slack) * (high[-1] + beside)
        place = int(np.searchsorted(low * (1 - slack), most, side="right"))
        if place == len(low):
            return None
        left = others[place] + (high[place - 1] if place else 0.0)
    sure = left * (1 + slack) < least or (band is None and place == 0)
    return place if sure else None


def _bounds(these: Pieces) -> tuple[tuple[Array, Array], float]:
    """Return probabilities over that of the largest, too small and too large, and the log of that."""
    gaps = these.gaps
    if gaps.dtype == object:  # at most 0; one that passes all floats is -inf
        gaps = np.array([float(value) if value > -(2**1023) else -np.inf for value in gaps])
    terms = [these.rate * gaps.astype(np.float64)]
    if these.weights is not None:
        large = these.weights.dtype == object  # beyond all floats, it may be
        terms.append(np.array([*map(log, these.weights)]) if large else np.log(these.weights))
    with np.errstate(all="ignore"):
        exponents, sizes = sum(terms), 1 + sum(map(np.abs, terms))
        largest = np.max(exponents)
        errors = EXPONENT * (sizes + abs(largest))
        return (np.exp(exponents - largest - errors), np.exp(exponents - largest + errors)), float(largest)


def chosen_by_balls(these: Pieces, top: int, bits: int) -> int | None:
    """Return the place that balls prove for every U with these first bits, if there is one."""
    weights = these.weights if these.whole is None else these.whole()[these.numbers]
    with precise(bits):
        masses = [(exactly(these.rate) * exactly(int(gap))).exp() for gap in these.gaps]
        if weights is not None:
            masses = [mass * exactly(int(weights[i])) for i, mass in enumerate(masses)]
        return passed(masses, uniform_ball(top, bits))


def passed(weights: "list[arb]", uniform: "arb") -> int | None:
    """Return where the partial sums pass a share of their total, None if balls do not tell."""
    sums = list(accumulate(weights))
    point = uniform * sums[-1]
    place = next((i for i, total in enumerate(sums) if not total < point), None)
    return place if place is not None and point < sums[place] else None
