"""The distribution of many quantiles, exactly: that of the package, and what it tells about one row."""

from collections import Counter
from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np
import pytest
from scipy.special import softmax

from workbench.estimators.quantiles import Cutting, Segment
from workbench.privacy import secure
from workbench.privacy.cuts import BITS, Level, Node, Scan, placed
from workbench.privacy.grid import OnGrid


def law(size, shares, points, segment, left, right):
    """The chance of every run of increasing places in a node: e^(-ε/2 score), ε = 1."""
    inside = sorted(y for y in points if (left < y or segment.first == 0) and y <= right)
    ends = np.array([0.0, *shares, 1.0])
    wanted = np.diff(ends[[segment.first, *(1 + cut for cut in segment.chosen), segment.last + 1]])
    below, cuts = np.searchsorted(inside, np.arange(size), side="right"), len(segment.chosen)
    places = [*combinations_with_replacement(range(left, right), cuts)] or [(left,) * cuts]
    sizes = np.diff([[0, *below[list(at)], len(inside)] for at in places])
    return dict(zip(places, softmax(-np.abs(sizes - wanted * len(points)).sum(axis=1) / 4), strict=True))


def tree(*levels):
    return tuple(tuple(Segment(*segment) for segment in level) for level in levels)


ONE, PAIR = tree([(0, 1, (0,))]), tree([(0, 2, (0, 1))])
HALVES = tree([(0, 3, (1,))], [(0, 1, (0,)), (2, 3, (2,))])
THIRDS = tree([(0, 5, (1, 3))], [(0, 1, (0,)), (2, 3, (2,)), (4, 5, (4,))])
CASES = {  # shares are whole numbers of 2^-30
    "one cut": (12, [0.5], ONE, 3),
    "two cuts at once": (7, [0.25, 0.625], PAIR, 3),
    "halves of halves": (5, [0.25, 0.5, 0.75], HALVES, 3),
    "close levels": (5, [0.125, 0.1875, 0.875], HALVES, 3),
    "thirds": (4, [0.125, 0.25, 0.5, 0.625, 0.875], THIRDS, 2),
}


class Coarse(Cutting):
    step = 1.0


class Scripted:
    def __init__(self, script):
        self.script, self.taken, self.others, self.chance = script, [], [], 1.0

    def __call__(self, weights, _):
        odds = np.exp(weights - np.logaddexp.reduce(weights))
        if len(self.taken) == len(self.script):
            first, *others = np.flatnonzero(odds).tolist()
            self.others += [[*self.taken, other] for other in others]
            self.script = [*self.script, first]
        self.taken.append(self.script[len(self.taken)])
        self.chance *= odds[self.taken[-1]]
        return self.taken[-1]


def chances(node: Node, scale: float) -> dict[tuple[int, ...], float]:
    found, scan, scripts = {}, Scan(node, 1 / (2 * scale)), [[]]
    while scripts:
        pick = Scripted(scripts.pop())
        pieces = tuple(scan.draw(pick))
        assert pieces not in found, "two ways to one run of pieces"
        found[pieces] = pick.chance
        scripts += pick.others
    assert sum(found.values()) == pytest.approx(1.0, rel=1e-12)
    return found


def ways(node: Node, pieces: tuple[int, ...]) -> int:
    counts = np.asarray(node.lengths.counts).astype(int).tolist()
    return prod(comb(counts[piece] + k - 1, k) for piece, k in Counter(pieces).items())


@pytest.mark.parametrize("case", CASES)
def test_the_package_has_the_law(case):
    """Of every node, given places of the nodes above it that are drawn at random."""
    size, shares, branches, n = CASES[case]
    one, rng = Coarse(0.0, float(size), tuple(shares), branches), np.random.default_rng(1)
    for rows in [(0,) * n, (size,) * n, (-1,) * n, *rng.integers(-1, size + 1, (3, n)).tolist()]:
        y = one.prepared(np.array([np.nan if row == -1 else row for row in rows], float))
        for _ in range(8):
            found = np.array([0.0, *np.full(len(shares), np.nan), size])
            for segments in branches:
                for node, segment in zip(one.level(y, found, segments).nodes, segments, strict=True):
                    left, right = map(int, found[[segment.first, segment.last + 1]])
                    wanted = law(size, shares, [row for row in rows if row >= 0], segment, left, right)
                    drawn = {} if node.empty else chances(node, 2.0)
                    edges = node.lengths.edges[1:-1]
                    for places, chance in wanted.items() if drawn else ():
                        pieces = tuple(np.searchsorted(edges, places, side="right").tolist())
                        assert drawn[pieces] / ways(node, pieces) == pytest.approx(chance, rel=1e-9)
                    assert drawn or left == right
                    found[np.array(segment.chosen) + 1] = rng.choice([*wanted])


def test_a_scan_does_not_subtract():
    """Weights over e^(±n ε/4) by two scans are those of a sum over all pairs of pieces."""
    n, rate = 3000, 1.25
    y, rng = np.sort(np.random.default_rng(2).random(n)), np.random.default_rng(3)
    one = Cutting(0.0, 1.0, (0.3, 0.31, 0.9), ((Segment(0, 3, (0, 1, 2)),),))
    node = one.level(one.prepared(y), np.array([0.0, *[np.nan] * 3, 1.0]), one.tree[0]).nodes[0]
    scan = Scan(node, rate)
    for j in (1, 2):
        wanted = node.shares[j] * node.present / 2**30
        for i in rng.integers(1, n + 1, 20):
            slow = np.logaddexp.reduce(scan.at[j - 1][:i] - rate * np.abs(i - np.arange(i) - wanted))
            assert scan.passed(j)[i] == pytest.approx(slow, rel=1e-12)


def test_places_in_a_piece_are_uniform_multisets():
    rng = np.random.default_rng(4)
    drawn = Counter(tuple(placed({7: 3}, [7, 7], lambda n: int(rng.integers(n)))) for _ in range(6000))
    assert {*drawn} == {*combinations_with_replacement(range(3), 2)}
    assert all(abs(count - 1000) < 6 * 29 for count in drawn.values())  # six deviations of 1/6 of 6000


# Exact cuts

SCALE = 4.0


def node(lengths, shares, present):
    return Node(OnGrid(np.array(lengths), 1.0), tuple(int(share * 2**BITS) for share in shares), present)


def test_pieces_pass_at_the_shares_of_their_chances():
    """A middle share falls to the piece of a single cut that holds it."""
    one = node([3, 0, 2, 5, 0, 1], (0.25, 0.75), 5)
    law = chances(one, SCALE)
    ends = np.cumsum([law.get((piece,), 0.0) for piece in range(6)])
    for share in np.arange(1, 50) / 50:
        found = secure.cut(Level((one,)), SCALE, lambda n, u=share: int(u * 256**n).to_bytes(n, "little"))
        assert found == [[np.searchsorted(ends, share)]], share


def test_an_undecided_draw_reads_on():
    """Two equal halves, and bits that begin as one half does: no ball tells until they differ from it."""
    one, drawn = node([2**40, 2**40], (0.5, 0.5), 1), []

    def read(count):
        drawn.append(count)
        return b"\x00" * (count - 1) + (b"\x80" if len(drawn) <= 2 else b"\x40")

    assert secure.cut(Level((one,)), SCALE, read) == [[1]]
    assert len(drawn) == 4
