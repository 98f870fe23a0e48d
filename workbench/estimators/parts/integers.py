"""Sums of clipped rows, exactly: every row becomes whole numbers whose length is bounded as whole numbers.

A row w within the ball of radius r becomes q = rint(w/g), g a public power of two; where |q|² > ⌊(r/g)²⌋,
w/g is cut towards zero instead, and where that is still too long, q = 0. One fixed map of every row:
neighbours stay neighbours, and one row moves Σ q by 2r/g at most, Σ q qᵀ by √2 (r/g)², with no rounding.

Σ q and Σ q qᵀ are exact in floats within a block (rows × 2^bits, or × 2^(2 bits), at most 2^53) and are added
up as integers: the same for blocks of any size, rows in any order, any number of threads.
Proof: `proofs/exact.md`, section 1.
"""

from collections.abc import Callable, Iterator
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.estimators.base import LARGEST, sanitised
from workbench.estimators.parts.rows import blocks, present, require_radius, row_blocks
from workbench.linalg import squares
from workbench.privacy.grid import WORD, Integers, OnGrid, longest, step_of, widest
from workbench.types import Array

BITS = 26  # of a row that is added up: its squared length, at most 2^52, is exact in floats
SQUARED_BITS = 18  # of a row whose products are added up: 2^15 rows of them, 2^51, are exact in floats

Change = Callable[[Array], Array]


def mean_in_ball(x: Array, change: Change, radius: float, counted: bool = False) -> OnGrid:
    """Return the mean of the rows that `change` makes of those of x, clipped to the ball of `radius`.

    Counted, these and all sums below have one more entry, or corner: how many rows of x are there.
    """
    require_radius(radius)
    step = step_of(radius, BITS)
    sums = _total(x, change, lambda rows: added(in_ball(rows, radius, step)), BITS, counted)
    return sums * (step / len(x))


def mean_in_box(x: Array, change: Change, reach: float, counted: bool = False) -> OnGrid:
    """Return the mean of the rows, or numbers, that `change` makes of those of x, clipped to ±reach."""
    require_radius(reach)
    step = step_of(reach, BITS)
    sums = _total(x, change, lambda rows: added(in_box(rows, reach, step)), BITS, counted)
    return sums * (step / len(x))


def moment_in_ball(x: Array, change: Change, radius: float, counted: bool = False) -> OnGrid:
    """Return (1/n) Σ w wᵀ of the rows w that `change` makes of x, clipped to the ball of `radius`."""
    require_radius(radius)
    step = step_of(radius, SQUARED_BITS)

    def moment(rows: Array) -> Array:
        whole = in_ball(rows, radius, step)
        return whole.T @ whole

    sums = _total(x, change, moment, 2 * SQUARED_BITS, counted)
    return sums * (step * step / len(x))


def added(whole: Array) -> Array:
    """Return the sum of rows of whole numbers, exact in any order: a product takes a sixth of `sum`."""
    return np.asarray(np.ones(len(whole)) @ whole)


def second_moment_within(x: Array, radius: float) -> OnGrid:
    """Return (1/n) Σ w wᵀ of the rows w clipped to the ball of `radius`."""
    return moment_in_ball(x, lambda rows: rows, radius)


def in_ball(rows: Array, radius: float, step: float) -> Array:
    """Return whole numbers, as floats: rows shrunk to the ball of `radius`, in units of the step."""
    limit, whole = longest(radius, step), rows * (1 / step)
    over = _too_long(np.rint(whole, out=whole), limit)
    if len(over):  # lengths of all: in an array whose shape is public, no row's can depend on another
        lengths = np.sqrt(squares(rows)[over])
        whole[over] = _shortened(rows[over], lengths, radius, step, limit)
    return np.asarray(whole)


def _shortened(rows: Array, lengths: Array, radius: float, step: float, limit: int) -> Array:
    """Return the same for rows that are too long, or too long once they are rounded."""
    rows = rows if lengths.max() <= LARGEST else sanitised(rows)
    scaled = rows * (radius / step / np.fmax(lengths, radius))[:, None]
    whole = np.rint(scaled)
    over = _too_long(whole, limit)
    if len(over):
        cut = np.trunc(scaled[over])
        cut[_too_long(cut, limit)] = 0.0
        whole[over] = cut
    return whole


def _too_long(whole: Array, limit: int) -> NDArray[np.intp]:
    (places,) = (~(squares(whole) <= limit)).nonzero()
    return places


def in_box(rows: Array, reach: float, step: float) -> Array:
    """Return whole numbers, as floats: entries clipped to ±reach, in units of the step."""
    limit = widest(reach, step)
    whole = np.asarray(rows * (1 / step))
    np.clip(np.rint(whole, out=whole), -limit, limit, out=whole)
    if np.isnan(whole.sum()):  # a sum costs less than a mask
        whole[np.isnan(whole)] = 0.0
    return whole


def _total(x: Array, change: Change, part: Callable[[Array], Any], bits: int, counted: bool) -> OnGrid:
    there = 0

    def parts() -> Iterator[Any]:
        nonlocal there
        for rows in row_blocks(x):
            there += int(present(rows).sum()) if counted else 0
            yield part(change(rows))

    sums = OnGrid(_added(parts(), len(x), bits), 1.0)
    return with_count(sums, there) if counted else sums


def with_count(sums: OnGrid, there: int) -> OnGrid:
    """Return sums with one more entry, or corner: the number of rows that are there."""
    joint = np.pad(np.atleast_1d(sums.counts), (0, 1))
    joint.flat[-1] = there
    return OnGrid(joint, sums.unit)


def total(n: int, d: int, part: Callable[[slice], Any], bits: int = 2 * SQUARED_BITS) -> Integers:
    """Return the sum of a part for each block of n rows as integers, Python's where int64 may be too small.

    A part is made of whole numbers, as floats: sums of at most 2^`bits` a row.
    """
    return _added((part(block) for block in blocks(n, d)), n, bits)


def _added(parts: Iterator[Any], n: int, bits: int) -> Integers:
    kind = np.int64 if n < 2 ** (WORD - bits) else object
    sums = (np.asarray(one).astype(np.int64).astype(kind, copy=False) for one in parts)
    return np.asarray(reduce(add, sums), kind)
