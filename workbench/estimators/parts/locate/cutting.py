"""Cuts drawn level by level: places between which the points are in given proportions.

Points lie in [low, high], on a public lattice; an absent one is in no gap and does not count. A node of the
tree (`parts.locate.knots`) is the interval between two places that are drawn already:

    (1) its points are those with left < y ≤ right, all of [low, high] at the ends
    (2) its cuts are drawn from them (`privacy.cuts`), a level with one charge
    (3) a place is the float next to the point of the lattice that was drawn

Every point lies in one node of a level, by its value alone. Proof: `proofs/quantiles.md`, section 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from workbench.estimators.parts.locate.knots import Segment, Tree
from workbench.estimators.parts.locate.lattice import Lengths, number, place, rounded, step_for
from workbench.privacy import Charge, NoiseSource
from workbench.privacy.cuts import BITS, Level, Node, placed
from workbench.privacy.mechanisms import cuts
from workbench.types import Array


@dataclass(frozen=True)
class Cutting:
    """The mechanism on [low, high] for the shares `levels` of the points, drawn along a tree."""

    low: float
    high: float
    levels: tuple[float, ...]
    tree: Tree

    @property
    def step(self) -> float:
        """The step of the lattice."""
        return step_for(self.high - self.low)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The levels between 0 and 1 as whole numbers of 2^-30, never decreasing."""
        return (0, *(round(level * 2**BITS) for level in self.levels), 2**BITS)

    def prepared(self, points: Array) -> Array:
        """Return the points that are present on the lattice, within the range and in order."""
        low, high = self.ends
        present = rounded(points[~np.isnan(points)], self.step)
        return np.sort(np.clip(present, low, high))

    def draw(self, points: Array, charges: Sequence[Charge], noise: NoiseSource) -> Array:
        """Return the places, never decreasing."""
        y, (low, high) = self.prepared(points), self.ends
        found = np.array([low, *np.full(len(self.levels), np.nan), high])
        for segments, charge in zip(self.tree, charges, strict=True):
            found = self.drawn(y, found, segments, charge, noise)
        return found[1:-1]

    def drawn(
        self, y: Array, found: Array, segments: tuple[Segment, ...], charge: Charge, noise: NoiseSource
    ) -> Array:
        """Return both ends and all places with those of one level of the tree."""
        level, now = self.level(y, found, segments), found.copy()
        for segment, places in zip(segments, cut(level, charge, noise), strict=True):
            now[np.array(segment.chosen) + 1] = places
        return now

    def level(self, y: Array, found: Array, segments: tuple[Segment, ...]) -> Level:
        """Return what is cut between places that are there."""
        edges = [self.edges(y, found, segment) for segment in segments]  # (1)
        return Level(tuple(map(self.node, edges, segments, [len(y)] * len(edges))))

    def edges(self, y: Array, found: Array, segment: Segment) -> Array:
        """Return the ends of a node and its points between them."""
        left, right = found[segment.first], found[segment.last + 1]
        start = 0 if segment.first == 0 else int(np.searchsorted(y, left, side="right"))
        stop = max(start, int(np.searchsorted(y, right, side="right")))
        return np.concatenate([[left], y[start:stop], [right]])

    def node(self, edges: Array, segment: Segment, present: int) -> Node:
        """Return what is cut."""
        ranks = [self.ranks[knot + 1] for knot in (segment.first - 1, *segment.chosen, segment.last)]
        shares = tuple(high - low for low, high in pairwise(ranks))
        return Node(Lengths(edges, np.zeros(len(edges) - 1, bool), self.step), shares, present)

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the range on the lattice."""
        low, high = rounded(np.array([self.low, self.high]), self.step)
        return float(low), float(high)


def cut(level: Level, charge: Charge, noise: NoiseSource) -> list[list[float]]:
    """Return the places of the cuts of every node, uniform in the pieces that are drawn (2)."""
    chosen = cuts(level, charge, noise)
    return [_placed(node, pieces, noise) for node, pieces in zip(level.nodes, chosen, strict=True)]


def _placed(node: Node, pieces: list[int], noise: NoiseSource) -> list[float]:
    lengths: Any = node.lengths
    edges, step = lengths.edges, lengths.unit
    if node.empty:
        return [float(edges[0])] * len(pieces)
    ends = {piece: [number(float(edge), step) for edge in edges[piece : piece + 2]] for piece in pieces}
    offsets = placed({piece: last - first for piece, (first, last) in ends.items()}, pieces, noise.below)
    return [place(ends[piece][0] + by, step) for piece, by in zip(pieces, offsets, strict=True)]  # (3)
