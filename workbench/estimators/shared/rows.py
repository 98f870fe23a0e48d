"""Fixed maps of rows in d dimensions: pairing, clipping to a ball, and what one row moves.

Every map here sends a row, or a pair of rows, to a row by a public rule, so that neighbours stay neighbours.

Rows are points of R^d, or the one point "absent": a row with an entry that is missing, infinite or above
1e100 (`base.sanitised`) is NaN in every column, and stays so under every map. Every stage gives it its
neutral element, so that n stays public and nothing is dropped:

    clipped sums      the centre of the ball, a term of 0
    histograms        no bin
    ranks, windows    no side; where a share of n is trimmed, the sides in turn: `on_both_sides`
    pairs             a pair with an absent row is absent
    groups that vote  a group says what its other rows say: `evened`, `group_means`

Proof that this costs no privacy, for each stage: `proofs/absent.md`.

Sums of clipped rows are exact: every row becomes whole numbers whose length is bounded as whole numbers.

A row w within the ball of radius r becomes q = rint(w/g), g a public power of two; where |q|² > ⌊(r/g)²⌋,
w/g is cut towards zero instead, and where that is still too long, q = 0. One fixed map of every row:
neighbours stay neighbours, and one row moves Σ q by 2r/g at most, Σ q qᵀ by √2 (r/g)², with no rounding.

Σ q and Σ q qᵀ are exact in floats within a block (rows × 2^bits, or × 2^(2 bits), at most 2^53) and are added
up as integers: the same for blocks of any size, rows in any order, any number of threads.
Proof: `proofs/exact.md`, section 1.
"""

from collections.abc import Callable, Iterator
from functools import reduce
from math import sqrt
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError, real
from workbench.estimators.base import LARGEST, sanitised
from workbench.linalg import norms, squares
from workbench.privacy.grid import WORD, Integers, OnGrid, longest, step_of, widest
from workbench.types import Array, Mask, RowMap

AT_ONCE = 2**20  # entries of groups that are estimated at a time
BLOCK = 2**15  # entries that are mapped at a time: they stay in the cache, and memory does not grow with n
NEAREST, FARTHEST = 1e-140, 1e150  # radii whose squares, on a grid, and those of rows beyond, floats resolve
UNIT, OVER = 2.0**-53, 1e-12  # u; by how much of the radius a clipped row may be too long
CORRUPT = 0.1  # the largest share of rows that may be anything: ours, what filters were measured at
WIDEST = 1e100  # upper/lower of a covariance, radius/sigma of a mean: what designs are computed for


def blocks(n: int, d: int) -> Iterator[slice]:
    rows = rows_of_a_block(d)
    return (slice(start, min(start + rows, n)) for start in range(0, n, rows))


def rows_of_a_block(d: int) -> int:
    return max(1, BLOCK // d)


def row_blocks(x: Any) -> Iterator[Array]:
    if not isinstance(x, np.ndarray):
        return iter(x.blocks())
    return (x[block] for block in blocks(len(x), x.shape[1] if x.ndim > 1 else 1))


def present(rows: Array) -> Mask:
    return ~np.isnan(rows if rows.ndim == 1 else rows[..., 0])


def only_present(values: Array) -> Array:
    """Return the numbers, or rows, that are there: for counts, and only after products of matrices."""
    there = present(values)
    return values if there.all() else values[there]


def neutral(rows: Array) -> Array:
    there = present(rows)
    return rows if there.all() else np.where(there if rows.ndim == 1 else there[..., None], rows, 0.0)


def evened(groups: Array) -> Array:
    """Return groups of m rows, shape (t, m, d), with zero rows where rows are absent, the others larger.

    The sum of squares of a group with p rows left is m/p times theirs: its mean square over m is that of
    those that are there.
    """
    there = present(groups)
    if there.all():
        return groups
    left = np.maximum(there.sum(axis=1), 1)
    return neutral(groups) * np.sqrt(groups.shape[1] / left)[:, None, None]


def group_means(groups: Array) -> Array:
    """Return the mean of the rows that are there of every group, shape (t, m, d) -> (t, d); NaN without."""
    there = present(groups)
    if there.all():
        return groups.mean(axis=1)
    left = there.sum(axis=1)[:, None]
    return np.where(left > 0, neutral(groups).sum(axis=1) / np.maximum(left, 1), np.nan)


def on_both_sides(values: Array, far: float) -> Array:
    """Return numbers with -far and far, in turn by their numbers, where they are absent."""
    sides = np.where(np.arange(len(values)) % 2, far, -far)
    return np.where(present(values), values, sides)


def paired(x: Array) -> Array:
    """Return the ⌊n/2⌋ rows (x_{2i-1} - x_{2i})/√2: mean 0, the same covariance; one row touches one pair."""
    if not isinstance(x, np.ndarray):
        return x.paired()  # rows of `files`
    pairs = np.empty((len(x) // 2, x.shape[1]))
    for block in blocks(*pairs.shape):
        rows = x[2 * block.start : 2 * block.stop]
        pairs[block] = sanitised((rows[0::2] - rows[1::2]) / sqrt(2))
    return pairs


def centred_rows(x: Array, centred: bool) -> Array:
    return x if centred else paired(x)


def centred_count(n: int, centred: bool) -> int:
    return n if centred else n // 2


def in_blocks(rows: Array, blocks: int) -> Array:
    """Return ⌊n/t⌋ rows for each of t blocks, shape (t, m, d); the last n - tm rows are unused."""
    n, d = rows.shape
    m = n // blocks
    return rows[: blocks * m].reshape(blocks, m, d)


def of_groups(rows: Array, size: int, estimate: RowMap) -> Array:
    """Return an estimate of every group of `size` consecutive rows, of many groups at a time."""
    n, d = rows.shape
    blocks = rows[: n // size * size].reshape(-1, size, d)
    step = max(1, AT_ONCE // (size * d))
    return np.concatenate([estimate(blocks[at : at + step]) for at in range(0, len(blocks), step)])


def within_ball(x: Array, radius: float) -> Array:
    """Return rows clipped to the ball of `radius` round 0: rows inside keep their bits, the others shrink.

    Absent rows, and rows outside that are unusable, become zero rows. No row is longer than
    `radius` by more than a share `OVER`, in whatever order squares are summed.
    """
    # Σ x² is off by a relative (d + 1)u at most, whatever the order; root, quotient and products take 4u
    short = 1 - ((x.shape[1] + 1) / 2 + 5) * UNIT
    clipped, reach = x.copy(), radius * min(1.0, (1 + OVER) * short)
    outside = np.flatnonzero(~(norms(x) <= reach))
    far = sanitised(x[outside])
    clipped[outside] = neutral(far * (reach / np.maximum(norms(far), reach))[:, None])
    return clipped


def require_radius(radius: float) -> None:
    """Raise unless rows can be clipped to `radius`: lengths below 1e-154 are lost when they are squared."""
    if not NEAREST <= radius <= FARTHEST:
        raise ArgumentError("radius", radius, f"a clipping radius from {NEAREST:g} to {FARTHEST:g}")


def require_spread(lower: float, upper: float) -> None:
    if not upper / WIDEST <= lower <= upper:
        raise ArgumentError("lower", lower, f"at most upper = {upper}, at least {1 / WIDEST:g} upper")


def require_corruption(corruption: float) -> None:
    if not (real(corruption) and 0 <= corruption <= CORRUPT):
        raise ArgumentError("corruption", corruption, f"a number from 0 to {CORRUPT}")


def mean_sensitivity(n: int, radius: float) -> float:
    """Return 2r/n: the most that one replaced row moves the mean of rows within a ball, in l2."""
    require_radius(radius)
    return 2 * radius / n


def from_centre(centre: Array) -> RowMap:
    """Return the map of rows to rows - centre, by a table of centres in every row, in a third of the time."""
    table = np.empty((0, len(centre)))

    def apart(rows: Array) -> Array:
        nonlocal table
        if len(table) < len(rows):
            table = np.tile(centre, (len(rows), 1))
        return rows - table[: len(rows)]

    return apart


def second_moment_sensitivity(n: int, radius: float) -> float:
    """Return √2 r²/n: the most that one replaced row moves `second_moment_within`, in Frobenius norm.

    |wwᵀ - w'w'ᵀ|² = |w|⁴ + |w'|⁴ - 2⟨w, w'⟩² ≤ 2r⁴, attained by orthogonal rows on the sphere.
    """
    require_radius(radius)
    return sqrt(2) * radius**2 / n


BITS = 26  # of a row that is added up: its squared length, at most 2^52, is exact in floats
SQUARED_BITS = 18  # of a row whose products are added up: 2^15 rows of them, 2^51, are exact in floats


def mean_in_ball(x: Array, change: RowMap, radius: float, counted: bool = False) -> OnGrid:
    """Return the mean of the rows that `change` makes of those of x, clipped to the ball of `radius`.

    Counted, these and all sums below have one more entry, or corner: how many rows of x are there.
    """
    return _mean(in_ball, x, change, radius, counted)


def mean_in_box(x: Array, change: RowMap, reach: float, counted: bool = False) -> OnGrid:
    """Return the mean of the rows, or numbers, that `change` makes of those of x, clipped to ±reach."""
    return _mean(in_box, x, change, reach, counted)


def _mean(clipped: Callable[..., Array], x: Array, change: RowMap, reach: float, counted: bool) -> OnGrid:
    require_radius(reach)
    step = step_of(reach, BITS)
    sums = total_of(x, change, lambda rows: added(clipped(rows, reach, step)), BITS, counted)
    return sums * (step / len(x))


def moment_in_ball(x: Array, change: RowMap, radius: float, counted: bool = False) -> OnGrid:
    """Return (1/n) Σ w wᵀ of the rows w that `change` makes of x, clipped to the ball of `radius`."""
    require_radius(radius)
    step = step_of(radius, SQUARED_BITS)

    def moment(rows: Array) -> Array:
        whole = in_ball(rows, radius, step)
        return whole.T @ whole

    sums = total_of(x, change, moment, 2 * SQUARED_BITS, counted)
    return sums * (step * step / len(x))


def added(whole: Array) -> Array:
    """Return the sum of rows of whole numbers, exact in any order: a product takes a sixth of `sum`."""
    return np.ones(len(whole)) @ whole


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
    return whole


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
    whole = rows * (1 / step)
    np.clip(np.rint(whole, out=whole), -limit, limit, out=whole)
    if np.isnan(whole.sum()):  # a sum costs less than a mask
        whole[np.isnan(whole)] = 0.0
    return whole


def total_of(
    x: Array, change: RowMap, part: Callable[[Array], Any], bits: int, counted: bool = False
) -> OnGrid:
    """Return the sum of a part for each block of what `change` makes of rows, of whole numbers."""
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
    joint = OnGrid(np.atleast_1d(sums.counts), sums.unit).padded((0, 1))
    joint.counts.flat[-1] = there
    return joint


def total(n: int, d: int, part: Callable[[slice], Any]) -> Integers:
    """Return the sum of a part for each block of n rows, of products of whole numbers, as integers."""
    return _added(map(part, blocks(n, d)), n, 2 * SQUARED_BITS)


def _added(parts: Iterator[Any], n: int, bits: int) -> Integers:
    # parts of at most 2^`bits` a row; Python's integers where int64 may be too small
    kind = np.int64 if n < 2 ** (WORD - bits) else object
    sums = (np.asarray(one).astype(np.int64).astype(kind, copy=False) for one in parts)
    return np.asarray(reduce(add, sums), kind)
