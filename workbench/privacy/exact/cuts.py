"""The pieces of cuts, exactly: of every node, a run of pieces of the probability of `privacy.cuts`.

All weights are balls that are proved to hold them; a choice inverts a distribution function at a uniform
variable, and where balls leave it open all is computed again with more bits, and more of the same variables.
"""

from itertools import accumulate
from math import comb
from typing import TYPE_CHECKING, TypeAlias

from workbench.privacy.cuts import BITS, Level, Node
from workbench.privacy.exact import balls
from workbench.privacy.exact.integers import Read, system
from workbench.privacy.exact.reals import STEP, Uniform

if TYPE_CHECKING:
    from flint import arb

Balls: TypeAlias = "list[arb]"


def pieces(level: Level, scale: float, read: Read = system) -> list[list[int]]:
    """Return, node by node, the pieces of its cuts in increasing order."""
    balls.flint()  # missing, it is missed before anything is drawn
    return [[0] * node.cuts if node.empty else _drawn(node, scale, read) for node in level.nodes]


def _drawn(node: Node, scale: float, read: Read) -> list[int]:
    uniform, bits = [Uniform(read) for _ in range(2 * node.cuts)], STEP
    while True:
        with balls.precise(bits):
            found = Scan(node, scale).draw([one(bits) for one in uniform])
        if found is not None:
            return found
        bits += STEP


def chosen(weights: Balls, uniform: "arb") -> int | None:
    """Return where the partial sums pass a share of their total, None if balls do not tell."""
    sums = list(accumulate(weights))
    point = uniform * sums[-1]
    place = next((i for i, total in enumerate(sums) if not total < point), None)
    return place if place is not None and point < sums[place] else None


class Scan:
    """The law of one node's pieces, as in `privacy.cuts`, in balls instead of logs."""

    def __init__(self, node: Node, scale: float) -> None:
        self.node, self.rate = node, 1 / (2 * balls.exactly(scale))
        self.lengths = [int(count) for count in node.lengths.counts]
        pieces = range(node.points + 1)
        self.powers = [(self.rate * i).exp() for i in pieces]
        self.before = [[self.gap(0, i) for i in pieces]]
        self.at: list[Balls] = []
        for j in range(1, node.cuts + 1):
            self.at.append([list(accumulate(self.terms(j, i)))[-1] for i in pieces])
            if j < node.cuts:
                self.before.append(self.passed(j))

    def gap(self, j: int, count: int) -> "arb":
        """Return the weight of gap j, from 0, with so many points."""
        off = (count << BITS) - self.node.shares[j] * self.node.present
        weight: arb = (-self.rate * abs(off) / 2**BITS).exp()
        return weight

    def terms(self, j: int, piece: int) -> Balls:
        """Return the weights of 1, .., j cuts in a piece of which cut j is the last."""
        found, between, length = [], balls.exactly(1), self.lengths[piece]
        for k in range(1, j + 1):
            found.append(self.before[j - k][piece] * between * comb(length + k - 1, k))
            between = between * self.gap(j - k, 0)
        return found

    def passed(self, j: int) -> Balls:
        """Return Σ_{i' < i} W_j(i') times the weight of i - i' points in the next gap."""
        whole, at, none = self.node.wanted[j][0], self.at[j - 1], balls.exactly(0)
        ends = self.gap(j, 0), self.gap(j, whole + 1), 1 / self.powers[1] if len(at) > 1 else none
        near = [weight / power for weight, power in zip(at, self.powers, strict=True)]
        window, long, found = windows(near, whole, none), none, [none]
        for i in range(1, len(at)):
            long = long * ends[2] + (at[i - whole - 1] * ends[1] if i > whole else none)
            found.append(long + window[i - 1] * self.powers[i] * ends[0])
        return found

    def draw(self, uniform: Balls) -> list[int] | None:
        """Return the pieces of the cuts, None if balls do not tell."""
        j, found, last = self.node.cuts, list[int](), self.node.points + 1
        end = self.node.points
        while j:
            weights = [self.at[j - 1][i] * self.gap(j, end - i) for i in range(last)]
            piece = chosen(weights, uniform[2 * j - 1])
            more = None if piece is None else chosen(self.terms(j, piece), uniform[2 * j - 2])
            if piece is None or more is None:
                return None
            found, j, last, end = [piece] * (more + 1) + found, j - more - 1, piece, piece
        return found


def windows(values: Balls, width: int, none: "arb") -> Balls:
    """Return the sums of the last `width` values up to each, without a subtraction."""
    if width == 0:
        return [none] * len(values)
    heads, tails = list(values), list(values)
    for i in range(1, len(values)):
        if i % width:
            heads[i] = heads[i - 1] + values[i]
    for i in range(len(values) - 2, -1, -1):
        if (i + 1) % width:
            tails[i] = tails[i + 1] + values[i]
    return [
        heads[i] if i < width or (i + 1) % width == 0 else heads[i] + tails[i - width + 1]
        for i in range(len(values))
    ]
