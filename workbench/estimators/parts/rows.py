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
"""

from collections.abc import Callable, Iterator
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError, real
from workbench.estimators.base import sanitised
from workbench.linalg import norms, symmetrised
from workbench.types import Array

AT_ONCE = 2**20  # entries of groups that are estimated at a time
BLOCK = 2**15  # entries that are mapped at a time: they stay in the cache, and memory does not grow with n
NEAREST, FARTHEST = 1e-140, 1e150  # radii whose squares, on a grid, and those of rows beyond, floats resolve
UNIT, OVER = 2.0**-53, 1e-12  # u; by how much of the radius a clipped row may be too long
CORRUPT = 0.1  # the largest share of rows that may be anything: ours, what filters were measured at
WIDEST = 1e100  # upper/lower of a covariance, radius/sigma of a mean: what designs are computed for


def blocks(n: int, d: int) -> Iterator[slice]:
    """Yield consecutive ranges of n rows, a fixed number of entries each."""
    rows = rows_of_a_block(d)
    return (slice(start, min(start + rows, n)) for start in range(0, n, rows))


def rows_of_a_block(d: int) -> int:
    """Return how many rows of d columns are mapped at a time."""
    return max(1, BLOCK // d)


def row_blocks(x: Any) -> Iterator[Array]:
    """Yield the rows, or numbers, of x in blocks of a fixed size: in memory, or `parts.stored`."""
    if not isinstance(x, np.ndarray):
        return iter(x.blocks())
    return (x[block] for block in blocks(len(x), x.shape[1] if x.ndim > 1 else 1))


def present(rows: Array) -> NDArray[np.bool_]:
    """Return which rows, or numbers, are there."""
    return ~np.isnan(rows if rows.ndim == 1 else rows[..., 0])


def only_present(values: Array) -> Array:
    """Return the numbers, or rows, that are there: for counts, and only after products of matrices."""
    there = present(values)
    return values if there.all() else values[there]


def neutral(rows: Array) -> Array:
    """Return rows with zero rows where they are absent: terms of sums."""
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
    return np.asarray(neutral(groups) * np.sqrt(groups.shape[1] / left)[:, None, None])


def group_means(groups: Array) -> Array:
    """Return the mean of the rows that are there of every group, shape (t, m, d) -> (t, d); NaN without."""
    there = present(groups)
    if there.all():
        return np.asarray(groups.mean(axis=1))
    left = there.sum(axis=1)[:, None]
    return np.where(left > 0, neutral(groups).sum(axis=1) / np.maximum(left, 1), np.nan)


def on_both_sides(values: Array, far: float) -> Array:
    """Return numbers with -far and far, in turn by their numbers, where they are absent."""
    sides = np.where(np.arange(len(values)) % 2, far, -far)
    return np.where(present(values), values, sides)


def paired(x: Array) -> Array:
    """Return the ⌊n/2⌋ rows (x_{2i-1} - x_{2i})/√2: mean 0, the same covariance; one row touches one pair."""
    if not isinstance(x, np.ndarray):
        return x.paired()  # rows of `parts.stored`
    pairs = np.empty((len(x) // 2, x.shape[1]))
    for block in blocks(*pairs.shape):
        rows = x[2 * block.start : 2 * block.stop]
        pairs[block] = sanitised((rows[0::2] - rows[1::2]) / sqrt(2))
    return pairs


def centred_rows(x: Array, centred: bool) -> Array:
    """Return the rows themselves if their mean is known to be 0, their pairs otherwise."""
    return x if centred else paired(x)


def centred_count(n: int, centred: bool) -> int:
    """Return how many `centred_rows` n rows make."""
    return n if centred else n // 2


def in_blocks(rows: Array, blocks: int) -> Array:
    """Return ⌊n/t⌋ rows for each of t blocks, shape (t, m, d); the last n - tm rows are unused."""
    n, d = rows.shape
    m = n // blocks
    return rows[: blocks * m].reshape(blocks, m, d)


def of_groups(rows: Array, size: int, estimate: Callable[[Array], Array]) -> Array:
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
    clipped, reach = x.copy(), radius * _known(x.shape[1])
    outside = np.flatnonzero(~(norms(x) <= reach))
    far = sanitised(x[outside])
    clipped[outside] = neutral(far * (reach / np.maximum(norms(far), reach))[:, None])
    return clipped


def _known(d: int) -> float:
    """Return 1, less where a length that is computed from d squares may be too short by more than `OVER`.

    Σ x² is off by a relative (d + 1)u at most, whatever the order; root, quotient and products take 4u.
    """
    return min(1.0, (1 + OVER) * (1 - ((d + 1) / 2 + 5) * UNIT))


def require_radius(radius: float) -> None:
    """Raise unless rows can be clipped to `radius`: lengths below 1e-154 are lost when they are squared."""
    if not NEAREST <= radius <= FARTHEST:
        raise ArgumentError("radius", radius, f"a clipping radius from {NEAREST:g} to {FARTHEST:g}")


def require_spread(lower: float, upper: float) -> None:
    """Raise unless `lower` I ≤ Σ ≤ `upper` I is possible and no wider than floats allow."""
    if not upper / WIDEST <= lower <= upper:
        raise ArgumentError("lower", lower, f"at most upper = {upper}, at least {1 / WIDEST:g} upper")


def require_corruption(corruption: float) -> None:
    """Raise unless a share of the rows is one that filters are made for."""
    if not (real(corruption) and 0 <= corruption <= CORRUPT):
        raise ArgumentError("corruption", corruption, f"a number from 0 to {CORRUPT}")


def mean_sensitivity(n: int, radius: float) -> float:
    """Return 2r/n: the most that one replaced row moves the mean of rows within a ball, in l2."""
    require_radius(radius)
    return 2 * radius / n


def from_centre(centre: Array) -> Callable[[Array], Array]:
    """Return the map of rows to rows - centre, by a table of centres in every row, in a third of the time."""
    table = np.empty((0, len(centre)))

    def apart(rows: Array) -> Array:
        nonlocal table
        if len(table) < len(rows):
            table = np.tile(centre, (len(rows), 1))
        return np.asarray(rows - table[: len(rows)])

    return apart


def moment_of(x: Array, change: Callable[[Array], Array]) -> Array:
    """Return (1/n) Σ w wᵀ of the rows that a map of each row makes, without a second copy of all of them."""
    parts = (change(x[block]) for block in blocks(*x.shape))
    return symmetrised(np.asarray(sum(rows.T @ rows for rows in parts))) / len(x)


def mean_of(x: Array, change: Callable[[Array], Array]) -> Array:
    """Return the mean of the rows that a map of each row makes, a block of rows at a time."""
    return np.asarray(sum(change(x[block]).sum(axis=0) for block in blocks(*x.shape))) / len(x)


def second_moment_sensitivity(n: int, radius: float) -> float:
    """Return √2 r²/n: the most that one replaced row moves `second_moment_within`, in Frobenius norm.

    |wwᵀ - w'w'ᵀ|² = |w|⁴ + |w'|⁴ - 2⟨w, w'⟩² ≤ 2r⁴, attained by orthogonal rows on the sphere.
    """
    require_radius(radius)
    return sqrt(2) * radius**2 / n
