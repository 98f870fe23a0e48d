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

Pick = Callable[[Array], int]
"""Chooses an index by the logs of weights."""


@dataclass(frozen=True, eq=False)
class Node:
    """N + 1 pieces, of lengths in whole numbers, that are to be cut: `shares` of `present` times 2^30."""

    lengths: OnGrid
    shares: tuple[int, ...]
    present: int

    @property
    def points(self) -> int:
        """N."""
        return len(self.lengths) - 1

    @property
    def cuts(self) -> int:
        """K."""
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
        """How many cuts there are."""
        return sum(node.cuts for node in self.nodes)


def pieces(level: Level, scale: float, pick: Pick) -> list[list[int]]:
    """Return, node by node, the pieces of its cuts in increasing order."""
    return [[0] * node.cuts if node.empty else Scan(node, 1 / (2 * scale)).draw(pick) for node in level.nodes]


class Scan:
    """The law of one node's pieces: logs of the weights of step (1)."""

    def __init__(self, node: Node, rate: float) -> None:
        self.node, self.rate = node, rate
        self.before: list[Array] = [self.gap(0, np.arange(node.points + 1))]
        self.at: list[Array] = []
        for j in range(1, node.cuts + 1):  # (1)
            self.at.append(np.logaddexp.reduce(self.terms(j, slice(None)), axis=0))
            if j < node.cuts:
                self.before.append(self.passed(j))

    def gap(self, j: int, counts: Any) -> Array:
        """Return the log of the weight of gap j, from 0, with so many points."""
        whole, rest = self.node.wanted[j]
        return np.asarray(-self.rate * np.abs((counts - whole) - rest))

    def terms(self, j: int, piece: slice | int) -> Array:
        """Return the logs of the weights of 1, .., j cuts in a piece of which cut j is the last."""
        between = np.cumsum([0.0, *(self.gap(t, 0) for t in range(j - 1, 0, -1))])  # cuts of the piece
        return np.array(
            [
                self.before[j - k][piece] + self.node.log_ways[k - 1][piece] + between[k - 1]
                for k in range(1, j + 1)
            ]
        )

    def passed(self, j: int) -> Array:
        """Return the logs of Σ_{i' < i} W_j(i') times the weight of i - i' points in the next gap.

        Gaps with more points than are wanted lose weight with every further one, those with fewer gain:
        a sum over all former pieces and one over a window of them, neither with a subtraction.
        """
        whole, rest = self.node.wanted[j]
        places, at = self.rate * np.arange(self.node.points + 1), self.at[j - 1]
        long = np.full(len(at), -np.inf)
        sums = np.logaddexp.accumulate(at + places)
        long[whole + 1 :] = sums[: max(0, len(at) - whole - 1)]
        short = np.full(len(at), -np.inf)
        short[1:] = windows(at - places, whole)[: len(at) - 1]
        shift = places - self.rate * (whole + rest)
        return np.asarray(np.logaddexp(long - shift, short + shift))

    def draw(self, pick: Pick) -> list[int]:
        """Return the pieces of the cuts (2)."""
        j, found = self.node.cuts, list[int]()
        weights = self.at[-1] + self.gap(j, self.node.points - np.arange(self.node.points + 1))
        while True:
            piece = pick(weights)
            k = 1 + pick(self.terms(j, piece))
            found, j = [piece] * k + found, j - k
            if j == 0:
                return found
            weights = self.at[j - 1][:piece] + self.gap(j, piece - np.arange(piece))


def windows(logs: Array, width: int) -> Array:
    """Return the logs of the sums of the last `width` terms up to each, by sums of blocks (van Herk 1992)."""
    n = len(logs)
    if width == 0:
        return np.full(n, -np.inf)
    if width >= n:
        return np.asarray(np.logaddexp.accumulate(logs))
    blocks = np.full((-(-n // width), width), -np.inf)
    blocks.ravel()[:n] = logs
    heads = np.logaddexp.accumulate(blocks, axis=1).ravel()
    tails = np.logaddexp.accumulate(blocks[:, ::-1], axis=1)[:, ::-1].ravel()
    rest = np.full(n, -np.inf)  # of the block before, what the window still reaches
    rest[width:] = tails[1 : n - width + 1]
    rest[width - 1 :: width] = -np.inf  # the window is one block
    return np.asarray(np.logaddexp(heads[:n], rest))


def drawn_by(rng: np.random.Generator) -> Pick:
    """Return the choice of an index with probability ∝ e^log, by inversion."""

    def pick(weights: Array) -> int:
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
