"""The law of the window median on its lattice, point by point in fractions: nothing here is rounded."""

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import ceil, log

import numpy as np
import pytest

from workbench.contracts.kit import score_gap
from workbench.errors import ArgumentError
from workbench.estimators.shared import window_median as lattice
from workbench.estimators.shared.window_median import FARTHEST, WindowMedian
from workbench.privacy import ApproxDP, PureDP, SecureNoise, SimulatedNoise, UnitNoise

RATIO = Fraction(1, 2)  # e^(-ε/4): a score of -twice/2 weighs RATIO^twice
EPSILON, LOSS = 4 * log(2), 16  # e^ε
PLACES = [0.0, -0.0, 1.0, 3.0, 0.1, -2.0, 1e6, 1e15, -1e15, 5e-324, -np.inf, np.nan]


def pieces_of(locator, points, cost):
    """Intervals of lattice points and the weight of each of their points; the weight of the bottom."""
    pieces = locator.pieces(np.array(points))
    scores, weights = locator.choices(pieces, cost)
    assert scores.counts.dtype == np.int64
    counts = [int(count) for count in weights.counts]
    masses = [RATIO ** int(-score) for score in scores.counts]
    firsts = [lattice.number(float(edge), locator.step) for edge in pieces.edges]
    found = [
        (a, a + count, mass)
        for a, count, mass in zip(firsts[: len(pieces.twice)], counts, masses, strict=False)
        if count
    ]
    bottom = counts[-1] * masses[-1] if len(counts) > len(pieces.twice) else Fraction(0)
    return found, bottom


def laws(locator, first, second, cost):
    """Both laws on cells in which neither changes, single lattice points at every edge; the bottom last."""
    sides = [pieces_of(locator, points, cost) for points in (first, second)]
    cuts = sorted(
        {cut + by for found, _ in sides for a, b, _ in found for cut in (a, b) for by in (-1, 0, 1)}
    )
    result = []
    for found, bottom in sides:
        masses = [
            (b - a) * sum(mass for low, high, mass in found if low <= a and b <= high)
            for a, b in pairwise(cuts)
        ]
        total = sum((b - a) * mass for a, b, mass in found) + bottom
        assert sum(masses) + bottom == total, "every lattice point of a piece lies in one cell"
        result.append([mass / total for mass in [*masses, bottom]])
    return result


def excess(p, q):
    return sum(max(Fraction(0), a - LOSS * b) for a, b in zip(p, q, strict=True))


def neighbours(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        first = list(rng.choice(PLACES, int(rng.integers(1, 5))))
        second = list(first)
        second[rng.integers(len(second))] = rng.choice(PLACES)
        yield first, second


LOCATORS = [
    WindowMedian(left=1.0, right=1.0, low=-3.0, high=3.0),
    WindowMedian(left=1.0, right=2.0, low=-3.0, high=1e6),
    WindowMedian(left=0.1, right=0.3, low=-FARTHEST, high=FARTHEST),
    WindowMedian(left=4 * FARTHEST, right=4 * FARTHEST, low=-2.0, high=3.0),
    WindowMedian(left=2.0, right=3.0, low=-3.0, high=5.0, stretch=1.0),
    WindowMedian(left=1.0, right=1.0, low=-9.0, high=9.0, stretch=2.0),
    WindowMedian(left=0.3, right=0.1, low=-FARTHEST, high=FARTHEST, stretch=0.07),
]


@pytest.mark.parametrize("locator", LOCATORS, ids=repr)
def test_with_a_range_nothing_is_left_at_epsilon(locator):
    for first, second in neighbours(1, 60):
        p, q = laws(locator, first, second, PureDP(EPSILON))
        assert sum(p) == sum(q) == 1
        assert excess(p, q) == excess(q, p) == 0


@pytest.mark.parametrize(("left", "right"), [(1.0, 1.0), (1.0, 2.0), (0.1, 0.3), (0.07, 0.07), (1e9, 1e-9)])
@pytest.mark.parametrize("delta", [0.25, 1e-3])
@pytest.mark.parametrize("stretch", [0.0, 0.1, 1.0])
def test_without_a_range_delta_is_left_at_epsilon(left, right, delta, stretch):
    locator, cost = WindowMedian(left=left, right=right, stretch=stretch), ApproxDP(EPSILON, delta)
    for first, second in neighbours(2, 60):
        p, q = laws(locator, first, second, cost)
        assert max(excess(p, q), excess(q, p)) <= Fraction(delta)


@pytest.mark.parametrize(
    "locator", [*LOCATORS, *(WindowMedian(left=1.0, right=2.0, stretch=by) for by in (0.0, 1.0))], ids=repr
)
def test_a_piece_has_the_score_of_its_first_and_of_its_last_point(locator):
    for rows, _ in neighbours(3, 60):
        points = [p for p in rows if not np.isnan(p)]
        windows = [window_of(locator, p) for p in points if np.isfinite(p)]
        stretches = [stretch_of(locator, p) for p in points if np.isfinite(p)]
        for a, b, mass in pieces_of(locator, rows, ApproxDP(EPSILON, 0.25))[0]:
            for t in (a, b - 1):
                later = sum(begin > t for begin, _ in stretches)
                reached = sum(end > t for _, end in stretches)
                outside = len(points) - sum(low <= t < high for low, high in windows)
                depth = max(2 * later - len(points), len(points) - 2 * reached, len(points) % 2)
                assert mass == RATIO ** max(depth, 2 * outside)
                assert locator.low is not None or outside < len(points)


@pytest.mark.parametrize("locator", LOCATORS[4:6], ids=repr)
def test_one_row_moves_a_stretched_score_by_one_at_most(locator):
    places = [-np.inf, np.nan, 0.0, 1.0, 5.0]
    gaps = {
        score_gap(locator, np.array([*others, first]), np.array([*others, second]))
        for others, (first, second) in product(product(places, repeat=2), combinations(places, 2))
    }
    assert max(gaps) == 1


def window_of(locator, point):
    """The lattice points whose window a point is in."""
    return ends_of(locator, point, locator.right, locator.left)


def stretch_of(locator, point):
    """The lattice points that have a point neither to the left nor to the right."""
    return ends_of(locator, point, locator.stretch, locator.stretch)


def ends_of(locator, *numbers):
    """The lattice points that stand for two ends: each is rounded to a float by itself."""
    point, before, after = lattice.rounded(np.array(numbers), locator.step)
    ends = np.clip([point - before, point + after], -4 * FARTHEST, 4 * FARTHEST)
    return [lattice.number(float(end), locator.step) for end in ends]


def test_the_number_of_pieces_is_public():
    for locator, n in ((LOCATORS[0], 13), (LOCATORS[4], 13), (WindowMedian(left=1.0, right=2.0), 11)):
        sizes = {len(locator.pieces(np.array(points)).edges) - 1 for points, _ in neighbours(4, 40)
                 if len(points) == 4}  # fmt: skip
        assert sizes == {n}


@pytest.mark.parametrize("width", [1e-3, 0.07, 1.0, 1e9])
@pytest.mark.parametrize("delta", [1e-9, 0.1, 0.7])
def test_the_bottom_is_rounded_up_and_no_further(width, delta):
    locator = WindowMedian(left=width, right=width)
    wanted = Fraction(locator.window) / Fraction(locator.step) * (1 - Fraction(delta)) / Fraction(delta)
    assert locator.bottom(ApproxDP(1.0, delta)) == ceil(wanted)
    for place in (0.0, 1.0, 1e15, -1e15, 123456789.123):
        low, high = window_of(locator, place)
        assert high - low <= Fraction(locator.window) / Fraction(locator.step)


def test_pieces_that_hold_both_ends_are_caught(monkeypatch):
    whole = lattice.Lengths.counts.func
    monkeypatch.setattr(lattice.Lengths, "counts", property(lambda self: whole(self) + 1))
    caught = 0
    for first, second in neighbours(1, 60):
        p, q = laws(LOCATORS[0], first, second, PureDP(EPSILON))
        caught += excess(p, q) + excess(q, p) > 0
    assert caught


def test_scores_that_are_floats_are_refused(monkeypatch):
    locator, points = LOCATORS[0], np.array([0.0, 1.0, 1.5])
    charge = locator.charge("locate", PureDP(1.0))
    assert -3 <= locator.draw(points, charge, SecureNoise()) < 3
    choices = WindowMedian.choices

    def floats(self, *arguments):
        scores, weights = choices(self, *arguments)
        return np.asarray(scores), weights

    monkeypatch.setattr(WindowMedian, "choices", floats)
    with pytest.raises(ArgumentError):
        locator.draw(points, charge, SecureNoise())


def test_places_are_points_of_the_lattice_and_lie_in_their_piece():
    locator, cost = WindowMedian(left=0.1, right=0.3), ApproxDP(1.0, 0.1)
    points = np.array([0.05, 0.1, 0.15, 1e15, 7.0])
    pieces = locator.pieces(points)
    for source in (UnitNoise(), SimulatedNoise(np.random.default_rng(1)), SecureNoise()):
        for _ in range(20):
            place = locator.draw(points, locator.charge("locate", cost), source)
            if place is not None:
                if abs(place) >= 2.0**53 * locator.step:  # rounded to a float, perhaps the end of its piece
                    continue
                assert Fraction(place) % Fraction(locator.step) == 0
                piece = np.searchsorted(pieces.edges, place, side="right") - 1
                assert not pieces.void[piece]


@pytest.mark.parametrize("step", [2.0**-1074, 2.0**-97, 1.0])
def test_numbers_of_places_are_exact(step):
    places = lattice.rounded(np.array([0.0, 1.0, -3.5, 5e-324, 1e15, -4e15, 0.1, 1e-290]), step)
    wanted = [Fraction(float(place)) / Fraction(step) for place in places]
    assert lattice.numbers(places, step).tolist() == wanted
    assert [lattice.place(int(number), step) for number in wanted] == places.tolist()


@pytest.mark.parametrize("width", [1.0, 1e15, 1e35, 1e60, 1e300])
def test_lengths_are_those_of_whole_numbers_however_wide_the_window(width):
    locator = WindowMedian(left=width, right=width)
    cost = ApproxDP(50.0, 0.01)
    _, lengths = locator.choices(locator.pieces(np.array([0.0, 1.0, 2.0, 3.0] * 3)), cost)
    exact = [Fraction(int(one)) * Fraction(lengths.unit) for one in lengths.counts]
    for near, one in zip(np.asarray(lengths), exact, strict=True):
        assert abs(Fraction(float(near)) - one) <= one * Fraction(1, 2**52)
