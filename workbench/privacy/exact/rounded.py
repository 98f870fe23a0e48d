"""The integer next to real noise, ⌊X + ½⌋, exactly: floats guess, balls decide where floats cannot.

A draw is an integer k (with a fair sign, for a law of two) such that Q(k + ½) < U < Q(k - ½), Q the tail of
the law and U uniform on (0, 1), known by its first bits. 63 bits and the sign make one word; the floats of
all draws accept a k that holds for every U with these bits, whatever their error up to a stated bound. The
rest is decided in balls, and where the bits of U leave two integers, 128 more are drawn (`proofs/exact.md`).
"""

from math import prod
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.errors import positive
from workbench.privacy.exact import balls
from workbench.privacy.exact.integers import Read, system
from workbench.privacy.exact.laws import (
    DiscreteLaplace,
    Exponential,
    Gumbel,
    Laplace,
    Law,
    Normal,
    TruncatedLaplace,
)
from workbench.types import Array

BITS, MORE = 63, 128  # of a uniform variable at first, and at each extension
MARGIN = 2.0**-39  # relative distance from a boundary at which floats decide
FAR = 2.0**-20  # tails below are left to balls
LARGEST = 2.0**51  # integers above are left to balls: k ± ½ is then no float
INT64 = 2**62  # integers from here on are Python's

Integers = NDArray[Any]
Shape = int | tuple[int, ...]


def normal(scale: float, shape: Shape) -> Integers:
    """Return ⌊X + ½⌋ of independent normal X of mean 0 and standard deviation `scale`."""
    return draw(Normal(_exact(scale=scale)), shape)


def laplace(scale: float, shape: Shape) -> Integers:
    """Return ⌊X + ½⌋ of independent X of density e^(-|x|/scale)/(2 scale)."""
    return draw(Laplace(_exact(scale=scale)), shape)


def truncated_laplace(scale: float, bound: float, shape: Shape) -> Integers:
    """Return ⌊X + ½⌋ of independent Laplace X conditioned on [-bound, bound]."""
    return draw(TruncatedLaplace(_exact(scale=scale), _exact(bound=bound)), shape)


def gumbel(scale: float, shape: Shape) -> Integers:
    """Return ⌊X + ½⌋ of independent X = -scale ln E, E exponential of mean 1."""
    return draw(Gumbel(_exact(scale=scale)), shape)


def exponential(scale: float, shape: Shape) -> Integers:
    """Return ⌊X + ½⌋ of independent exponential X of mean `scale`."""
    return draw(Exponential(_exact(scale=scale)), shape)


def discrete_laplace(scale: float, shape: Shape) -> Integers:
    """Return independent integers z with P(z) ∝ e^(-|z|/scale)."""
    return draw(DiscreteLaplace(_exact(scale=scale)), shape)


def _exact(**argument: float) -> float:
    """Return a number above 0 as the integer or float that it is."""
    positive(**argument)
    (value,) = argument.values()
    return int(value) if isinstance(value, Integral) else float(value)


def draw(law: Law, shape: Shape, read: Read = system) -> Integers:
    """Return independent integers of a law: int64, or Python integers where they may pass 2^62."""
    balls.flint()  # missing, it is missed before anything is drawn
    count = prod(shape) if isinstance(shape, tuple) else shape
    words = np.frombuffer(read(8 * count), "<u8")
    return decided(law, words >> np.uint64(1), (words & np.uint64(1)).astype(bool), read).reshape(shape)


def decided(law: Law, tops: NDArray[np.uint64], minus: NDArray[np.bool_], read: Read) -> Integers:
    """Return the integers of U of which the first 63 bits are known, and of signs for a law of two."""
    sizes, sure = filtered(law, tops)
    rest = np.flatnonzero(~sure)
    others = [certified(law, int(tops[i]), read) for i in rest]
    wide = law.reach >= INT64 or any(abs(z) >= INT64 for z in others)
    drawn = sizes.astype(np.int64).astype(object) if wide else sizes.astype(np.int64)
    drawn[rest] = others
    return np.where(minus, -drawn, drawn) if law.signed else drawn


def filtered(law: Law, tops: NDArray[np.uint64]) -> tuple[Array, NDArray[np.bool_]]:
    """Return a k for the first 63 bits of every U, 0 where floats do not decide, and where they do."""
    with np.errstate(all="ignore"):
        u = tops.astype(np.float64) * 2.0**-BITS
        k = np.floor(law.guess(u) + 0.5)
        inside = (law.tail(k + 0.5) * (1 + MARGIN) < u) & (u < law.tail(k - 0.5) * (1 - MARGIN))
        sure = inside & (u >= FAR) & (np.abs(k) < LARGEST)
    return np.where(sure, k, 0.0), sure


def certified(law: Law, top: int, read: Read) -> int:
    """Return the k of a U of which the first 63 bits are known, the others are drawn as far as needed."""
    bits = BITS
    while True:
        with balls.precise(bits):
            k = balls.rounded(law.point(balls.uniform(top, bits)))
        if k is not None:
            return k
        top, bits = top << MORE | int.from_bytes(read(MORE // 8), "little"), bits + MORE
