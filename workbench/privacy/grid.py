"""Statistics on a grid: whole numbers and a public step.

A row that is mapped to whole numbers before it is added up moves a sum by a whole number that is bounded
exactly, whatever rounding went before; and noise of whole numbers added to the sum leaves no low bits that
tell where it came from. What is released is `unit` times a whole number.

Proof: `proofs/exact.md`, section 1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import frexp, isqrt, ldexp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from workbench.types import Array, Counts, remembered

UP = 1 + 2.0**-40  # scales of exact noise are larger by this, which covers 4000 roundings of public numbers

WORD = 62  # bits of a sum in int64, with one to spare for noise

Integers = NDArray[Any]
"""Whole numbers: int64, or Python integers where these may be too few."""


@dataclass(frozen=True, eq=False)
class OnGrid:
    """A statistic as whole numbers times a public unit, or one unit for each; numpy reads it as float64."""

    counts: Integers
    unit: Any  # a float, or floats: one for each count
    near = False  # floats are at hand, a relative 2^-52 off at most, 0 only for 0; counts are dear

    __array_priority__ = 1000  # a factor that is a number of numpy leaves the product to `__rmul__`

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.asarray(np.asarray(self.counts, np.float64) * self.unit, dtype)

    def __float__(self) -> float:
        return float(self.counts.item() * self.unit)

    def __mul__(self, factor: float) -> "OnGrid":
        return OnGrid(self.counts, self.unit * float(factor))

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> "OnGrid":
        return OnGrid(self.counts, self.unit / float(divisor))

    def __getitem__(self, place: Any) -> "OnGrid":
        unit = self.unit if np.ndim(self.unit) == 0 else self.unit[place]
        return OnGrid(np.asarray(self.counts[place], self.counts.dtype), unit)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.counts)

    def padded(self, by: Any) -> "OnGrid":
        """Return the statistic with zeros round it, as many as numpy's `pad` is told."""
        counts = np.pad(self.counts, by)
        if counts.dtype == object:  # zeros are int64 there, to which no larger noise can be added
            counts = np.frompyfunc(int, 1, 1)(counts)
        return OnGrid(counts, self.unit)

    def finer(self, bits: int) -> "OnGrid":
        """Return the same statistic on a grid of which 2^bits units are one of this."""
        return OnGrid(_shifted(np.asarray(self.counts), bits), np.ldexp(self.unit, -bits))

    def plus(self, noise: Integers) -> Array:
        return np.asarray(self.counts + noise, np.float64) * self.unit


@dataclass(frozen=True, eq=False)
class Reaching(OnGrid):
    """Counts of which, with their noise, only those that reach `least` will be looked at; it is public.

    A source of noise may put -inf in the place of any other: its random numbers then need not be drawn.
    """

    least: float  # in units


@dataclass(frozen=True, eq=False)
class Band:
    """Those of many scores that are likely to be chosen, with bounds for the others.

    `places` are their numbers among all `size`, increasing. One before the first of them, or after the last
    of the first `together`, which are consecutive but for weights of 0, scores at most the first or second
    of `most` units, weighs at most `widest`, and all of a side together at most the same of `lengths`.
    """

    places: NDArray[np.intp]
    counts: Counts
    unit: float
    weights: OnGrid
    size: int
    together: int
    most: tuple[int, int]
    widest: float
    lengths: tuple[float, float]

    @property
    def scores(self) -> OnGrid:
        return OnGrid(self.counts, self.unit)


class Later(OnGrid):
    """Scores or weights that are computed when asked for; those of `band`, if there is one, are at hand."""

    def __init__(self, whole: Callable[[], OnGrid], size: int, band: Band | None = None) -> None:
        vars(self).update(_whole=whole, size=size, band=band)

    _whole: Callable[[], OnGrid]
    size: int
    band: Band | None

    @cached_property
    def whole(self) -> OnGrid:
        return self._whole()

    @property
    def counts(self) -> Integers:
        return self.whole.counts

    @property
    def unit(self) -> Any:
        return self.whole.unit

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.asarray(self.whole, dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.size,)


def _shifted(counts: Integers, bits: int) -> Integers:
    """Return whole numbers times 2^bits: Python's where int64 may be too small, with one bit for noise."""
    limit = 2 ** max(0, WORD - bits)
    if counts.dtype.kind == "i" and -limit < counts.min(initial=0) and counts.max(initial=0) < limit:
        return counts.astype(np.int64) << min(bits, WORD)
    return np.asarray(counts.astype(object) << bits, object)


def on_grid(value: "OnGrid | ArrayLike") -> OnGrid | None:
    """Return a statistic that is one of whole numbers, by its type; None if it is not."""
    if isinstance(value, OnGrid):
        return value
    counts = np.asarray(value)
    if counts.dtype.kind not in "iub":
        return None
    return OnGrid(_shifted(counts.astype(object if counts.dtype == np.uint64 else np.int64), 0), 1.0)


def joined(*parts: OnGrid) -> OnGrid:
    """Return flat statistics one after the other, every number with its own unit.

    >>> joined(OnGrid(np.array([3]), 0.5), OnGrid(np.array([1, 2]), 4.0)).unit.tolist()
    [0.5, 4.0, 4.0]
    """
    counts = np.concatenate([part.counts for part in parts])
    return OnGrid(counts, np.concatenate([np.broadcast_to(part.unit, part.shape) for part in parts]))


def rounded(values: Integers, factor: Fraction) -> Integers:
    """Return the whole numbers next to Python's integers times a fraction, halves upwards.

    >>> rounded(np.array([1, -1, 5], object), Fraction(1, 2)).tolist()
    [1, 0, 3]
    """
    p, q = factor.as_integer_ratio()
    return (2 * p * values + q) // (2 * q)


def step_of(radius: float, bits: int) -> float:
    """Return a power of two of which `radius` is more than 2^(bits - 1) and at most 2^bits."""
    fraction, exponent = frexp(radius)
    return ldexp(1.0, exponent - bits - (fraction == 0.5))


@remembered
def longest(radius: float, step: float) -> int:
    """Return the most that the squared length of a row of whole numbers may be: ⌊(radius/step)²⌋.

    >>> longest(1.0, step_of(1.0, 3))
    64
    """
    return int((Fraction(radius) / Fraction(step)) ** 2)


@remembered
def widest(reach: float, step: float) -> int:
    """Return the most that the size of a whole number may be: ⌊reach/step⌋."""
    return isqrt(longest(reach, step))


def passed_no_more(margin: float, unit: float) -> float:
    """Return what exact noise on a grid reaches no more often than ideal noise reaches `margin`, of any sign.

    Its scale is `UP` times the ideal one and it is rounded, by half a unit at most.
    """
    return margin + abs(margin) * 2.0**-38 + unit
