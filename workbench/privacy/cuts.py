"""Cuts: private places on the line between which the points are in given proportions, many at a time.

A level holds nodes, each an interval with N of the points; in it K cuts o_1 ≤ .. ≤ o_K are drawn together.
With c_j points in gap j of a node, the gap's public share w_j, and P points in all nodes of all levels,

    s(o) = -½ Σ_j |c_j(o) - w_j P|          summed over a level, of sensitivity 1 under replace-one
    probability ∝ e^(s(o)/scale)            every node by itself

of the increasing places of a public lattice. A run of pieces, of which c_j is a function, is drawn here, and
the places in a piece elsewhere: `placed` chooses k of ℓ places in one of C(ℓ + k - 1, k) ways.

    (1) W_j(i), of all ways in which cut j and no later one lies in piece i or before, by a scan
    (2) the pieces of the cuts, from the last to the first

Proof: `proofs/quantiles.md`, sections 1 and 2.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from workbench.privacy.grid import OnGrid
from workbench.types import Array

BITS = 30  # shares are whole numbers of 2^-30

Pick = Callable[[Array, int], int]
"""Chooses an index by weights, with the random number of that number."""


@dataclass(frozen=True, eq=False)
class Node:
    """N + 1 pieces, of lengths in whole numbers, that are to be cut: `shares` of `present` times 2^30."""

    lengths: OnGrid
    shares: tuple[int, ...]
    present: int

    @property
    def points(self) -> int:
        return len(self.lengths) - 1

    @property
    def cuts(self) -> int:
        return len(self.shares) - 1

    @property
    def empty(self) -> bool:
        """Whether there is no place in it: then its cuts are where it is."""
        return not np.asarray(self.lengths, np.float64).any()

    @cached_property
    def wanted(self) -> list[tuple[int, float]]:
        """What a gap should hold: a whole number, and the rest, below 1, which a float holds."""
        products = (share * self.present for share in self.shares)
        return [(product >> BITS, (product & (1 << BITS) - 1) * 2.0**-BITS) for product in products]

    @cached_property
    def log_ways(self) -> Array:
        """Logs of the ways in which 1, .., K cuts lie in a piece, in the unit of the lengths."""
        lengths, unit = np.asarray(self.lengths, np.float64), float(self.lengths.unit)
        steps = np.arange(self.cuts)[:, None]
        with np.errstate(divide="ignore"):
            return np.cumsum(np.log((lengths + unit * steps * (lengths > 0)) / (steps + 1)), axis=0)


@dataclass(frozen=True, eq=False)
class Level:
    """The nodes that are cut with one charge."""

    nodes: tuple[Node, ...]

    @property
    def size(self) -> int:
        return sum(node.cuts for node in self.nodes)


def pieces(level: Level, scale: float, pick: Pick) -> list[list[int]]:
    """Return, node by node, the pieces of its cuts in increasing order."""
    return [[0] * node.cuts if node.empty else Scan(node, 1 / (2 * scale)).draw(pick) for node in level.nodes]


class Scan:
    """The distribution of one node's pieces: the weights of step (1), in logs; subclasses may have others."""

    add: Any = np.logaddexp
    times: Any = np.add
    inverse: Any = np.negative
    none: Any = -np.inf  # the weight 0
    one: Any = 0.0

    def __init__(self, node: Node, rate: Any) -> None:
        self.node, self.rate = node, rate
        pieces = np.arange(node.points + 1)
        self.powers = self.power(pieces)
        self.before: list[Array] = [self.gap(0, pieces)]
        self.at: list[Array] = []
        for j in range(1, node.cuts + 1):  # (1)
            self.at.append(self.add.reduce(self.terms(j, slice(None)), axis=0))
            if j < node.cuts:
                self.before.append(self.passed(j))

    def power(self, numbers: Any) -> Any:
        """Return weights that rise by e^rate from one whole number to the next."""
        return self.rate * numbers

    def gap(self, j: int, counts: Any) -> Array:
        """Return the weight of gap j, from 0, with so many points."""
        whole, rest = self.node.wanted[j]
        return -self.rate * np.abs((counts - whole) - rest)

    def ways(self, k: int) -> Array:
        """Return in how many ways k cuts lie in each piece."""
        return self.node.log_ways[k - 1]

    def full(self, j: int) -> Any:
        """Return the weight that what gap j should hold would have as a power."""
        whole, rest = self.node.wanted[j]
        return self.rate * (whole + rest)

    def terms(self, j: int, piece: slice | int) -> Array:
        """Return the weights of 1, .., j cuts in a piece of which cut j is the last."""
        gaps = [self.one, *(self.gap(t, 0) for t in range(j - 1, 0, -1))]
        between = self.times.accumulate(np.array(gaps))  # cuts of the piece
        return np.array(
            [
                self.times(self.times(self.before[j - k][piece], self.ways(k)[piece]), between[k - 1])
                for k in range(1, j + 1)
            ]
        )

    def passed(self, j: int) -> Array:
        """Return Σ_{i' < i} W_j(i') times the weight of i - i' points in the next gap.

        Gaps with more points than are wanted lose weight with every further one, those with fewer gain:
        a sum over all former pieces and one over a window of them, neither with a subtraction.
        """
        whole, at = self.node.wanted[j][0], self.at[j - 1]
        long, short = np.full(len(at), self.none), np.full(len(at), self.none)
        sums = self.add.accumulate(self.times(at, self.powers))
        long[whole + 1 :] = sums[: max(0, len(at) - whole - 1)]
        short[1:] = self.windows(self.times(at, self.inverse(self.powers)), whole)[: len(at) - 1]
        shift = self.times(self.powers, self.inverse(self.full(j)))
        return self.add(self.times(long, self.inverse(shift)), self.times(short, shift))

    def windows(self, weights: Array, width: int) -> Array:
        """Return the sums of the last `width` terms up to each, by sums of blocks (van Herk 1992)."""
        n = len(weights)
        if width == 0:
            return np.full(n, self.none)
        if width >= n:
            return self.add.accumulate(weights)
        blocks = np.full((-(-n // width), width), self.none)
        blocks.ravel()[:n] = weights
        heads = self.add.accumulate(blocks, axis=1).ravel()
        tails = self.add.accumulate(blocks[:, ::-1], axis=1)[:, ::-1].ravel()
        rest = np.full(n, self.none)  # of the block before, what the window still reaches
        rest[width:] = tails[1 : n - width + 1]
        rest[width - 1 :: width] = self.none  # the window is one block
        return self.add(heads[:n], rest)

    def draw(self, pick: Pick) -> list[int]:
        j, found = self.node.cuts, list[int]()
        end, stop = self.node.points, self.node.points + 1
        while j:  # (2)
            weights = self.times(self.at[j - 1][:stop], self.gap(j, end - np.arange(stop)))
            end = stop = pick(weights, 2 * j - 1)
            k = 1 + pick(self.terms(j, end), 2 * j - 2)
            found, j = [end] * k + found, j - k
        return found


def drawn_by(rng: np.random.Generator) -> Pick:
    """Return the choice of an index with probability ∝ e^log, by inversion."""

    def pick(weights: Array, _: int) -> int:
        sums = np.cumsum(np.exp(weights - weights.max()))
        return int(np.searchsorted(sums, rng.random() * sums[-1], side="right").clip(0, len(sums) - 1))

    return pick


def placed(lengths: Mapping[int, int], chosen: Sequence[int], below: Callable[[int], int]) -> list[int]:
    """Return places, counted from the start of each chosen piece, that increase within a piece.

    k places of ℓ, with repetition, are k different ones of ℓ + k - 1, the j-th less j.
    """
    found = list[int]()
    for piece in dict.fromkeys(chosen):
        k, length = chosen.count(piece), lengths[piece]
        different = set[int]()
        while len(different) < k:
            different.add(below(length + k - 1))
        found += [place - j for j, place in enumerate(sorted(different))]
    return found
