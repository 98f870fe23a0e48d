"""Which quantiles are drawn, and in which order: functions of n, the levels and the budget alone.

    (1) knots: min(m, max(3, ⌈c (n e)^0.4⌉)) of m levels, evenly by number; e = ε and c = 1, or √(8ρ) and 1.5
    (2) a tree: at most M - 1 knots of a node are drawn at once, the others in the gaps between them
    (3) M of 2 .. 12 with the least predicted variance

The variance of a rank is that of independent Laplace numbers of scale 4/ε, one for each gap, given that
their sum is 0, and of what a node inherits from its ends (`proofs/quantiles.md`, section 4: a prediction,
no bound). ε of a depth D is ε/D, or √(8ρ/D).
"""

import itertools
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt

import numpy as np

from workbench.privacy import ZCDP, Budget, PureDP
from workbench.types import Array

LARGEST_FAN, FEWEST = 12, 3
DENSE = 1000.0  # nε from which every level of rows on a grid is drawn
SPARSE = 50.0  # nε for each knot where there is no range

Chosen = tuple[int, ...]


@dataclass(frozen=True)
class Segment:
    """Knots first, .., last - 1, and those of them that are drawn at once."""

    first: int
    last: int
    chosen: Chosen


Tree = tuple[tuple[Segment, ...], ...]
"""Level by level."""


@dataclass(frozen=True)
class Knots:
    """The numbers of the levels that are drawn, in the tree that is drawn level by level."""

    numbers: Chosen
    tree: Tree


def strength(budget: Budget) -> float:
    """Return ε, or √(8ρ)."""
    match budget:
        case PureDP(epsilon):
            return epsilon
        case ZCDP(rho, 0.0):
            return sqrt(8 * rho)
    raise ValueError("the budget was looked at")


def knots(levels: tuple[float, ...], n: int, budget: Budget, ranged: bool, atoms: bool) -> Knots:
    """Return the design."""
    pure, size = isinstance(budget, PureDP), n * strength(budget)
    most = max(FEWEST, ceil((1.0 if pure else 1.5) * size**0.4))
    if atoms and size >= DENSE:
        most = len(levels)
    if not ranged:
        most = min(most, max(FEWEST, int(size / SPARSE)))
    return _designed(levels, min(len(levels), most), pure)


@lru_cache(maxsize=256)
def _designed(levels: tuple[float, ...], count: int, pure: bool) -> Knots:
    numbers = tuple(np.round(np.linspace(0, len(levels) - 1, count)).astype(int).tolist())  # (1)
    drawn = tuple(levels[number] for number in numbers)
    trees = [tree(count, fan) for fan in range(2, min(count + 1, LARGEST_FAN) + 1)]  # (2)
    best = min(trees, key=lambda one: float(variances(drawn, one, pure).mean()))  # (3)
    return Knots(numbers, best)


def tree(count: int, fan: int) -> Tree:
    """Return the segments of `count` knots, level by level, with at most `fan` gaps in each."""
    levels, open_ = list[tuple[Segment, ...]](), [(0, count)]
    while open_:
        level = tuple(Segment(first, last, chosen(first, last, fan)) for first, last in open_)
        levels.append(level)
        open_ = [gap for segment in level for gap in gaps(segment)]
    return tuple(levels)


def chosen(first: int, last: int, fan: int) -> Chosen:
    """Return all of a few knots, or evenly many of them."""
    size = last - first
    if size < fan:
        return tuple(range(first, last))
    return tuple(first + round(i * (size + 1) / fan) - 1 for i in range(1, fan))


def gaps(segment: Segment) -> list[tuple[int, int]]:
    """Return the knots between the chosen ones."""
    ends = (segment.first - 1, *segment.chosen, segment.last)
    pairs = itertools.pairwise(ends)
    return [(low + 1, high) for low, high in pairs if low + 1 < high]


def variances(levels: tuple[float, ...], branches: Tree, pure: bool) -> Array:
    """Return the variances of the ranks of all knots, at e = 1."""
    own = len(branches) ** 2 if pure else len(branches)
    places = np.array([0.0, *levels, 1.0])
    found = np.zeros(len(places))
    for segment in (one for level in branches for one in level):
        low, high, fan = segment.first, segment.last + 1, len(segment.chosen) + 1
        for k, knot in enumerate(segment.chosen, start=1):
            t = (places[knot + 1] - places[low]) / (places[high] - places[low])
            drawn = 32 * own * k * (fan - k) * (fan - 0.5) / (fan * (fan + 1))
            found[knot + 1] = drawn + inherited(t, found[low], found[high])
    return found[1:-1]


def inherited(t: float, left: float, right: float) -> float:
    """Return what a place between two ends has of their variances."""
    across = t * (1 - t)
    return (1 - t) ** 2 * left + t**2 * right + across * sqrt(left * right) + across * (left + right) / 6
