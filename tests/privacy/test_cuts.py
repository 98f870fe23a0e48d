"""The distribution of many quantiles, exactly: that of the package, and what it tells about one row."""

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations_with_replacement, groupby
from math import comb, log

import numpy as np
import pytest

from workbench.estimators.quantiles import Cutting, Segment
from workbench.privacy import secure
from workbench.privacy.cuts import BITS, Level, Node, Scan, placed
from workbench.privacy.exact import precise
from workbench.privacy.grid import OnGrid


@dataclass(frozen=True)
class Branch:
    first: int
    last: int
    chosen: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Law:
    size: int
    levels: list[float]
    tree: list[list[Branch]]
    epsilons: list[float]

    def ends(self, branch, output):
        left = 0 if branch.first == 0 else output[branch.first - 1]
        return left, self.size if branch.last == len(output) else output[branch.last]

    @cached_property
    def outputs(self):
        def possible(output):
            pairs = ((self.ends(one, output), one) for level in self.tree for one in level)
            return all(a <= output[cut] < max(b, a + 1) for (a, b), one in pairs for cut in one.chosen)

        everywhere = combinations_with_replacement(range(self.size), len(self.levels))
        return [output for output in everywhere if possible(output)]

    @cache  # noqa: B019
    def scores(self, points, branch, left, right):
        inside = [y for y in points if (left < y or branch.first == 0) and y <= right]
        ends = [0.0, *self.levels, 1.0]
        shares = np.diff(
            [ends[branch.first], *(ends[1 + cut] for cut in branch.chosen), ends[branch.last + 1]]
        )
        wanted = shares * len(points)
        below = np.searchsorted(inside, np.arange(self.size), side="right")
        return {
            places: np.abs(np.diff([0, *below[list(places)], len(inside)]) - wanted).sum() / 2
            for places in combinations_with_replacement(range(left, right), len(branch.chosen))
        }

    @cache  # noqa: B019
    def node(self, points, branch, left, right, epsilon):
        found = self.scores(points, branch, left, right)
        total = np.logaddexp.reduce([-epsilon / 2 * score for score in found.values()])
        return {places: -epsilon / 2 * score - total for places, score in found.items()}

    @cache  # noqa: B019
    def logs(self, rows):
        points = tuple(sorted(row for row in rows if row is not None))

        def one(output):
            nodes = (
                (branch, *self.ends(branch, output), epsilon)
                for level, epsilon in zip(self.tree, self.epsilons, strict=True)
                for branch in level
            )
            return sum(
                self.node(points, branch, left, right, epsilon)[tuple(output[cut] for cut in branch.chosen)]
                for branch, left, right, epsilon in nodes
                if left < right
            )

        return np.array([one(output) for output in self.outputs])


def tree(*levels):
    return [[Branch(*branch) for branch in level] for level in levels]


ONE, PAIR = tree([(0, 1, (0,))]), tree([(0, 2, (0, 1))])
HALVES = tree([(0, 3, (1,))], [(0, 1, (0,)), (2, 3, (2,))])
THIRDS = tree([(0, 5, (1, 3))], [(0, 1, (0,)), (2, 3, (2,)), (4, 5, (4,))])
UNEVEN = tree([(0, 3, (0, 1))], [(2, 3, (2,))])
PAIRS = tree([(0, 5, (2,))], [(0, 2, (0, 1)), (3, 5, (3, 4))])
CASES = {  # shares are whole numbers of 2^-30
    "one cut": (12, [0.5], ONE, 3),
    "one cut near an end": (12, [0.125], ONE, 3),
    "two cuts at once": (7, [0.25, 0.625], PAIR, 3),
    "halves of halves": (5, [0.25, 0.5, 0.75], HALVES, 3),
    "close levels": (5, [0.125, 0.1875, 0.875], HALVES, 3),
    "thirds": (4, [0.125, 0.25, 0.5, 0.625, 0.875], THIRDS, 2),
    "an uneven tree": (5, [0.25, 0.5, 0.75], UNEVEN, 2),
    "pairs in halves": (4, [0.125, 0.25, 0.5, 0.625, 0.875], PAIRS, 2),
}


class Coarse(Cutting):
    step = 1.0


def mechanism(size, shares, branches):
    segments = tuple(tuple(Segment(one.first, one.last, one.chosen) for one in level) for level in branches)
    return Coarse(0.0, float(size), tuple(map(float, shares)), segments)


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
    counts = np.asarray(node.lengths.counts)
    runs = [(piece, len(list(run))) for piece, run in groupby(pieces)]
    return int(np.prod([comb(int(counts[piece]) + k - 1, k) for piece, k in runs]))


def log_chance(one: Cutting, rows, output, epsilons) -> float:
    y = one.prepared(np.array([np.nan if row is None else row for row in rows], float))
    found = np.array([one.ends[0], *np.full(len(output), np.nan), one.ends[1]])
    total = 0.0
    for segments, epsilon in zip(one.tree, epsilons, strict=True):
        now = found.copy()
        for node, segment in zip(one.level(y, found, segments).nodes, segments, strict=True):
            places = np.array([output[cut] for cut in segment.chosen], float)
            now[np.array(segment.chosen) + 1] = places
            if node.empty:
                continue
            pieces = tuple(np.searchsorted(node.lengths.edges[1:-1], places, side="right").tolist())
            law = chances(node, 2 / epsilon)
            assert pieces in law
            total += log(law[pieces]) - log(ways(node, pieces))
        found = now
    return total


@pytest.mark.turns(4)
@pytest.mark.parametrize("case", CASES)
def test_the_package_has_the_law(case):
    size, shares, branches, n = CASES[case]
    epsilons = [1.0, 0.5][: len(branches)]
    law, one, rng = (
        Law(size, shares, branches, epsilons),
        mechanism(size, shares, branches),
        np.random.default_rng(1),
    )
    for rows in [(0,) * n, (size,) * n, (None,) * n, *rng.integers(-1, size + 1, (3, n)).tolist()]:
        rows = tuple(None if row == -1 else row for row in rows)
        wanted = law.logs(rows)
        assert np.logaddexp.reduce(wanted) == pytest.approx(0.0, abs=1e-9)
        for place in rng.choice(len(wanted), min(25, len(wanted)), replace=False):
            assert log_chance(one, rows, law.outputs[place], epsilons) == pytest.approx(
                wanted[place], abs=1e-9
            )


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
    drawn, rng = {}, np.random.default_rng(4)
    for _ in range(6000):
        places = tuple(placed({7: 3}, [7, 7], lambda count: int(rng.integers(count))))
        drawn[places] = drawn.get(places, 0) + 1
    assert set(drawn) == {(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)}
    assert all(abs(count - 1000) < 6 * 29 for count in drawn.values())  # six deviations of 1/6 of 6000


# Exact cuts

SCALE = 4.0


def node(lengths, shares, present):
    return Node(OnGrid(np.array(lengths), 1.0), tuple(int(share * 2**BITS) for share in shares), present)


NODES = (
    node([3, 0, 2, 5, 0, 1], (0.25, 0.25, 0.5), 5),
    node([1, 1, 1, 1], (0.0, 0.75, 0.125, 0.125), 9),
    node([4, 2, 7, 1, 1, 1, 2, 3], (0.125, 0.5, 0.25), 7),
    node([10**20, 10**18], (0.5, 0.5), 1),
)


@pytest.mark.parametrize("one", NODES)
def test_weights_are_those_of_simulated_cuts(one):
    floats = Scan(one, 1 / (2 * SCALE))
    with precise(128):
        scan = secure.BallScan(one, SCALE)
    for logs, weights in zip([*floats.at, *floats.before], [*scan.at, *scan.before], strict=True):
        assert np.exp(logs) == pytest.approx([float(weight) for weight in weights], rel=1e-12)


def uniform_bytes(share):
    read = []

    def of(count):
        read.append(count)
        return int(share * 2 ** (8 * count)).to_bytes(count, "little")

    return of, read


def test_pieces_pass_at_the_shares_of_their_chances():
    """A middle share falls to the piece of a single cut that holds it."""
    one = node([3, 0, 2, 5, 0, 1], (0.25, 0.75), 5)
    law = chances(one, SCALE)
    ends = np.cumsum([law.get((piece,), 0.0) for piece in range(6)])
    for share in np.arange(1, 50) / 50:
        of, _ = uniform_bytes(share)
        piece = int(np.searchsorted(ends, share))
        assert secure.cut(Level((one,)), SCALE, of) == [[piece]], share


def test_an_undecided_draw_reads_on():
    """Two equal halves, and bits that begin as one half does: no ball tells until they differ from it."""
    one, drawn = node([2**40, 2**40], (0.5, 0.5), 1), []

    def read(count):
        drawn.append(count)
        return b"\x00" * (count - 1) + (b"\x80" if len(drawn) <= 2 else b"\x40")

    assert secure.cut(Level((one,)), SCALE, read) == [[1]]
    assert len(drawn) == 4
