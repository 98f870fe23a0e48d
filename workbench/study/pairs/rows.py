"""Columns of rows that differ in one, at the places where one row counts most.

Numbers are in standard deviations. Every function returns pairs, worst cases of one kind of step.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from workbench.study.audit import Pair
from workbench.types import Array

Pairs = tuple[Pair, ...]
FAR = 1e6  # beyond every clip and window


def moved(name: str, base: ArrayLike, value: float, row: int = -1) -> Pair:
    first = np.array(base, np.float64)
    second = first.copy()
    second[row] = value
    return Pair(f"{name} (n = {len(first)})", first, second)


def typical(n: int) -> Pairs:
    """Return pairs of normal rows of which one goes far away, or from one side to the other."""
    normal = np.random.default_rng(n).standard_normal(n)
    return (
        moved("normal rows, one far", normal, FAR, row=0),
        moved("normal rows, one moves", [3.0, *normal[1:]], -3.0, row=0),
    )


def ends(n: int, far: float = FAR) -> Pairs:
    """Return pairs for a clipped mean around 0: a row goes from one end to the other, or leaves the rest."""
    zeros = np.zeros(n - 1)
    return (
        moved("from end to end", [far, *zeros], -far, row=0),
        moved("from the middle to an end", [0.0, *zeros], far, row=0),
        moved("all at an end", np.full(n, far), -far, row=0),
    )


def depth(n: int, reach: float) -> Pairs:
    """Return pairs for a median on ±reach: a row crosses most of the range, the others balance.

    With one middle row near an end, the few positions beyond it gain e^ε against all the others.
    """
    balanced = np.repeat([-reach, reach], (n - 2) // 2)
    balanced = np.append(balanced, np.zeros(n % 2))
    return (
        moved("median near an end", [*balanced, 0.6 * reach, reach], -reach),
        moved("median in the middle", [*balanced, 0.0, reach], -reach),
        moved("one leaves the crowd", np.zeros(n), reach),
    )


def crossings(n: int, reach: float) -> Pairs:
    """Return pairs for quantiles on ±reach: a row goes from one end to the other, or disappears.

    With all rows near an end, the few places beyond them gain e^ε against all others.
    """
    spread, rest = np.linspace(-0.9 * reach, 0.9 * reach, n), np.full(n - 1, reach)
    return (
        moved("leaves an end", np.append(-0.9 * rest, -reach), reach),
        moved("leaves a third of the range", np.append(-0.3 * rest, -reach), reach),
        moved("crosses evenly spread rows", spread, -reach),
        moved("all at an end", np.full(n, reach), -reach),
        moved("one is missing", spread, np.nan),
    )


def ranks(n: int, rank: int, ends: tuple[float, float]) -> Pairs:
    """Return pairs for a position that `rank` points lie beyond: a row crosses the range.

    A lone point parts the range in two, of which the cut moves from the short part to the long one.
    """
    low, high = ends
    lone = low + 0.8 * (high - low)
    parted = [high] * (rank - 1) + [lone] + [low] * (n - rank - 1)
    return (
        moved("one more beyond", [*parted, low], high),
        moved("one less beyond", [*parted, high], low),
        moved("one leaves the crowd", np.full(n, low), high),
    )


def scattered(n: int, gap: float = 100.0) -> Pairs:
    """Return pairs for a location on the line: rows that nobody is near, or two crowds."""
    halves = np.repeat([0.0, gap], [n // 2, n - n // 2])
    return (
        moved("scattered rows", gap * np.arange(n), -gap),
        moved("lone row", [*np.zeros(n - 1), gap], 0.0),
        moved("lone row moves", [*np.zeros(n - 1), gap], -gap),
        moved("between two crowds", halves, 0.0),
    )


def bins(n: int, gap: float = 1.0) -> Pairs:
    """Return pairs for counts in unit bins: a tie, a crowd, and a smallest row that others could follow."""
    low, high = 0.5 - gap, 0.5
    most = n // 2 + 1
    return (
        moved("tie", [*np.full(n - most, high), *np.full(most, low)], high),
        moved("one leaves the crowd", np.full(n, high), low),
        moved("smallest row", [*np.full(n - 1, high), -0.9], high),
    )


def lone_bins(gap: float = 1.0) -> Pairs:
    """Return pairs for a stability-based histogram: rows alone in their bins, one of them in a new one."""
    return (
        moved("singletons", 0.5 + gap * np.arange(5), 0.5 + 77 * gap),
        moved("two singletons", [0.5, 0.5 + gap], 0.5),
        moved("lone row", [0.5, 0.5, 0.5, 0.5 + 5 * gap], 0.5),
    )


def paired(differences: ArrayLike) -> Array:
    """Return rows whose differences of neighbours, over √2, are these."""
    items = np.asarray(differences, np.float64)
    return np.column_stack([np.zeros(len(items)), np.sqrt(2.0) * items]).ravel()


def pairs_of_differences(pairs: Sequence[Pair]) -> Pairs:
    """Return pairs of rows for pairs of differences: again one row is replaced."""
    return tuple(Pair(pair.name, paired(pair.first), paired(pair.second)) for pair in pairs)


def scales(n: int, reach: float) -> Pairs:
    """Return pairs for a location of log differences of n rows, within ±reach of 0."""
    logs = [Pair(pair.name, np.exp(pair.first), np.exp(pair.second)) for pair in depth(n // 2, reach)]
    gone = np.zeros(n // 2)
    return (
        *pairs_of_differences(logs),
        *pairs_of_differences([moved("equal rows, then one apart", gone, 1.0)]),
        staircase(n),
    )


def staircase(n: int) -> Pair:
    """Return equal pairs on a staircase whose first row leaves: in sorted order every pair would change."""
    heights = np.cumsum(np.exp(np.linspace(-0.5, 0.5, n // 2)))
    return moved("staircase", np.repeat(heights, 2), FAR, row=0)
