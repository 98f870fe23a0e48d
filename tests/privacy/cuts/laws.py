"""Exact laws of cuts on a lattice of few places, written down independently of the package.

A law is an array over all outputs; a data set holds whole numbers of 0, .., size, or None for an absent row.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

Data = tuple[int | None, ...]
Points = tuple[int, ...]
Wanted = Callable[[np.ndarray, np.ndarray, int], np.ndarray]


def shares_of_all(counts: np.ndarray, shares: np.ndarray, present: int) -> np.ndarray:
    """What the gaps of a node should hold: their shares of all points."""
    return shares * present


def shares_of_the_node(counts: np.ndarray, shares: np.ndarray, present: int) -> np.ndarray:
    """A fault: their shares of the points of the node."""
    return np.asarray(shares * counts.sum() / shares.sum())


def neighbours(size: int, n: int, absent: bool = True) -> Iterator[tuple[Data, Data]]:
    """All pairs of multisets of n rows of which one is replaced."""
    values: list[int | None] = [*range(size + 1), *([None] if absent else [])]
    for rest in combinations_with_replacement(range(len(values)), n - 1):
        for first in range(len(values)):
            for second in range(first):
                same = tuple(values[one] for one in rest)
                yield (*same, values[first]), (*same, values[second])


@dataclass(frozen=True)
class Branch:
    """A node: cuts first, .., last - 1 lie in it, of which it draws some."""

    first: int
    last: int
    chosen: tuple[int, ...]


class Law:
    """The tree of a mechanism: on [0, size), levels between 0 and 1, nodes and ε of every level."""

    def __init__(
        self,
        size: int,
        levels: list[float],
        tree: list[list[Branch]],
        epsilons: list[float],
        wanted: Wanted = shares_of_all,
        strength: float = 1.0,
    ) -> None:
        self.size, self.levels, self.tree, self.epsilons = size, levels, tree, epsilons
        self.wanted, self.strength = wanted, strength
        everywhere = combinations_with_replacement(range(size), len(levels))
        self.outputs = [output for output in everywhere if self.possible(output)]
        self.known: dict[object, np.ndarray] = {}

    def possible(self, output: tuple[int, ...]) -> bool:
        """Whether every cut lies in its node, which ends before the place to its right unless it is empty."""
        for branch in (one for level in self.tree for one in level):
            left, right = self.ends(branch, output)
            if not all(left <= output[cut] < max(right, left + 1) for cut in branch.chosen):
                return False
        return True

    def ends(self, branch: Branch, output: tuple[int, ...]) -> tuple[int, int]:
        """The interval of a node."""
        left = 0 if branch.first == 0 else output[branch.first - 1]
        return left, self.size if branch.last == len(output) else output[branch.last]

    def logs(self, rows: Data) -> np.ndarray:
        """The log of the probability of every output."""
        points = tuple(sorted(row for row in rows if row is not None))
        if points not in self.known:
            self.known[points] = np.array([self.log(points, output) for output in self.outputs])
        return self.known[points]

    def log(self, points: tuple[int, ...], output: tuple[int, ...]) -> float:
        """The log of the probability of one output."""
        total = 0.0
        for branches, epsilon in zip(self.tree, self.epsilons, strict=True):
            for branch in branches:
                left, right = self.ends(branch, output)
                if left < right:
                    scores = self.scores(points, branch, left, right)
                    total -= epsilon / 2 * scores[tuple(output[cut] for cut in branch.chosen)]
                    total -= self.log_sum(points, branch, left, right, epsilon)
        return total

    def log_sum(
        self, points: tuple[int, ...], branch: Branch, left: int, right: int, epsilon: float
    ) -> float:
        """The log of the sum over all places of a node."""
        key = (points, branch, left, right, epsilon)
        if key not in self.known:
            scores = np.array(list(self.scores(points, branch, left, right).values()))
            self.known[key] = np.logaddexp.reduce(-epsilon / 2 * scores)
        return float(self.known[key])

    def scores(
        self, points: tuple[int, ...], branch: Branch, left: int, right: int
    ) -> dict[tuple[int, ...], float]:
        """Half of what the gaps of a node deviate by, for all increasing places."""
        key: object = (points, branch, left, right)
        if key not in self.known:
            inside = [y for y in points if (left < y or branch.first == 0) and y <= right]
            ends = [0.0, *self.levels, 1.0]
            knots = [ends[branch.first], *(self.levels[cut] for cut in branch.chosen), ends[branch.last + 1]]
            shares = np.diff(knots)
            below = np.searchsorted(inside, np.arange(self.size), side="right")
            found = {}
            for places in combinations_with_replacement(range(left, right), len(branch.chosen)):
                gaps = np.diff([0, *below[list(places)], len(inside)])
                wanted = self.wanted(gaps, shares, len(points))
                found[places] = self.strength * float(np.abs(gaps - wanted).sum()) / 2
            self.known[key] = found  # type: ignore[assignment]
        return self.known[key]  # type: ignore[return-value]

    def worst(self, n: int, absent: bool = True) -> float:
        """The largest log ratio of any output over all neighbours, in units of what is spent."""
        pairs = neighbours(self.size, n, absent)
        gaps = (np.abs(self.logs(one) - self.logs(other)).max() for one, other in pairs)
        return float(max(gaps)) / sum(self.epsilons)

    def most_moved(self, number: int, given: tuple[int, ...], n: int) -> float:
        """What a replaced row moves the scores of a level by, every node at its worst, added up."""
        most = 0.0
        for pair in neighbours(self.size, n):
            points = [tuple(sorted(row for row in rows if row is not None)) for rows in pair]
            most = max(most, sum(self.moved(*points, branch, given) for branch in self.tree[number]))
        return most

    def moved(
        self, one: tuple[int, ...], other: tuple[int, ...], branch: Branch, given: tuple[int, ...]
    ) -> float:
        """The same of one node."""
        first, second = (self.scores(points, branch, *self.ends(branch, given)) for points in (one, other))
        return max(abs(first[places] - second[places]) for places in first)
