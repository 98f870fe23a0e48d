"""The window median on its lattice, point by point in fractions, in bands as in whole; and that of a rank."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise, product
from math import ceil, inf, isnan, log, nan
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest

from tests.privacy.kit import tape
from workbench.contracts.kit import score_gap
from workbench.estimators.intervals import Tail, mean_square, moved_mean
from workbench.estimators.shared import window_median as lattice
from workbench.estimators.shared.window_median import FARTHEST, RankWindow, WindowMedian
from workbench.privacy import ApproxDP, PureDP, SecureNoise, SimulatedNoise, exact

EPSILON, RATIO = 4 * log(2), Fraction(1, 2)  # e^(-ε/4): a score of -twice/2 weighs RATIO^twice
PLACES = [0.0, -0.0, 1.0, 3.0, 5.0, -2.0, 1e6, 1e15, -1e15, 5e-324, -np.inf, np.nan]
LOCATORS = [
    WindowMedian(left=1.0, right=2.0),
    WindowMedian(left=0.3, right=0.1, stretch=1.0),
    WindowMedian(left=1.0, right=2.0, low=-3.0, high=1e6),
    WindowMedian(left=4 * FARTHEST, right=4 * FARTHEST, low=-2.0, high=3.0),
    WindowMedian(left=2.0, right=3.0, low=-3.0, high=5.0, stretch=1.0),
    WindowMedian(left=1.0, right=1.0, low=-9.0, high=9.0, stretch=2.0),
    WindowMedian(left=0.3, right=0.1, low=-FARTHEST, high=FARTHEST, stretch=0.07),
]


@pytest.mark.parametrize("locator", LOCATORS, ids=repr)
def test_one_row_moves_a_score_by_one_at_most(locator):
    """Over all pairs of places: of a range of scores of 1 the law has the budget, but for a lone row's δ."""
    gaps = {
        score_gap(locator, np.array([*others, first]), np.array([*others, second]))
        for others, (first, second) in product(
            combinations_with_replacement((-np.inf, np.nan, 0.0, 1.0, 5.0), 2), combinations(PLACES, 2)
        )
    }
    assert max(gaps) == 1


def pieces_of(locator, points, cost):
    """Intervals of lattice points and the weight of each of their points; the weight of the bottom."""
    pieces = locator.pieces(np.array(points))
    scores, weights = locator.choices(pieces, cost)
    masses = [RATIO ** int(-2 * score * scores.unit) for score in scores.counts]
    firsts = lattice.numbers(pieces.edges[:-1], locator.step)
    found = [(a, a + b, mass) for a, b, mass in zip(firsts, weights.counts, masses, strict=False) if b]
    return found, weights.counts[-1] * masses[-1] if len(masses) > len(firsts) else Fraction(0)


def laws(locator, pair, cost):
    """Both laws on cells in which neither changes; the bottom last."""
    sides = [pieces_of(locator, points, cost) for points in pair]
    cells = [*pairwise(sorted({cut for found, _ in sides for piece in found for cut in piece[:2]}))]
    for found, bottom in sides:
        masses = [(b - a) * sum(m for low, high, m in found if low <= a and b <= high) for a, b in cells]
        yield [mass / (sum(masses) + bottom) for mass in (*masses, bottom)]


@pytest.mark.turns(3)
@pytest.mark.parametrize("locator", LOCATORS, ids=repr)
@pytest.mark.parametrize("delta", [0.25, 1e-3])
def test_the_law_has_its_budget_of_random_neighbours(locator, delta):
    """With a range its logarithms have one of ε, which is what zCDP charges for; without, δ is left at ε."""
    places, rng = np.array(PLACES), np.random.default_rng(1)
    cost = ApproxDP(EPSILON, delta) if locator.low is None else PureDP(EPSILON)
    for _ in range(40):
        first = rng.choice(places, int(rng.integers(1, 5)))
        second = first.copy()
        second[rng.integers(len(second))] = rng.choice(places)
        p, q = laws(locator, (first, second), cost)
        if locator.low is not None:
            ratios = [a / b for a, b in zip(p, q, strict=True) if b]
            assert max(ratios) <= 16 * min(ratios)
        for one, other in ((p, q), (q, p)):
            left = sum(max(Fraction(0), a - 16 * b) for a, b in zip(one, other, strict=True))
            assert left <= (delta if locator.low is None else 0)


@pytest.mark.parametrize(("width", "delta"), [*product((1e-3, 0.07, 1e9), (1e-9, 0.7))])
def test_the_bottom_is_rounded_up_and_no_further_and_a_window_has_room_for_rounded_ends(width, delta):
    locator = WindowMedian(left=width, right=width)
    room = Fraction(locator.window) / Fraction(locator.step)
    assert locator.bottom(ApproxDP(1.0, delta)) == ceil(room * (1 - Fraction(delta)) / Fraction(delta))
    for place in (0.0, 1e15, -1e15, 123456789.123):
        point, apart, _ = lattice.rounded(np.array([place, width, width]), locator.step)
        low, high = lattice.numbers(np.array([point - apart, point + apart]), locator.step)
        assert high - low <= room


def test_places_are_points_of_the_lattice_in_their_piece():
    locator, points = WindowMedian(left=0.1, right=0.3), np.array([0.05, 0.1, 0.15, 1e15, 7.0])
    pieces, charge = locator.pieces(points), locator.charge("locate", ApproxDP(1.0, 0.1))
    assert not locator.choices(pieces, charge.cost)[1].counts[:-1][pieces.void].any()
    for source in (SimulatedNoise(np.random.default_rng(1)), SecureNoise()):
        drawn = [locator.draw(points, charge, source) for _ in range(20)]
        for place in (one for one in drawn if one is not None and abs(one) < 2.0**53 * locator.step):
            assert Fraction(place) % Fraction(locator.step) == 0
            assert not pieces.void[np.searchsorted(pieces.edges, place, side="right") - 1]


@pytest.mark.parametrize("step", [2.0**-1074, 2.0**-97, 1.0])
def test_numbers_of_places_are_exact(step):
    places = lattice.rounded(np.array([0.0, 1.0, -3.5, 5e-324, 1e15, -4e15, 0.1, 1e-290]), step).tolist()
    wanted = [Fraction(place) / Fraction(step) for place in places]
    assert lattice.numbers(np.array(places), step).tolist() == wanted
    assert [lattice.place(int(number), step) for number in wanted] == places


# Bands

RNG = np.random.default_rng(11)
MANY = RNG.standard_normal(2500)
BANDS = {
    "normal": MANY,
    "absent": np.where(RNG.random(2500) < 0.1, np.nan, MANY),
    "ties": np.round(MANY, 1),
    "far left": np.where(RNG.random(2500) < 0.2, -np.inf, MANY),
    "zeros": np.where(RNG.random(2500) < 0.6, 0.0, MANY),
    "wide": RNG.uniform(-90, 90, 2500),
    "a far place": 1e6 + np.where(RNG.random(2500) < 0.05, np.nan, np.where(MANY < 0, 0.0, MANY)),
}
IN_BANDS = [
    WindowMedian(left=4.0, right=3.0, low=-50.0, high=2e6),
    WindowMedian(left=4.0, right=3.0),
    WindowMedian(left=1e-9, right=2e-9),
    WindowMedian(left=1e-9, right=2e-9, low=-5.0, high=5.0),
    WindowMedian(left=4.0, right=4.0, low=-0.01, high=0.02),  # ends inside a band
    WindowMedian(left=4.0, right=4.0, low=30.0, high=90.0),  # far from the median
    WindowMedian(left=1e17, right=1e17, low=-1e9, high=1e9),
]
WIDTHS = (12.0, -15.0)  # as it is, and so narrow a band that mostly it does not decide


def charged(locator, epsilon, delta=1e-6):
    return locator.charge("locate", PureDP(epsilon) if locator.low is not None else ApproxDP(epsilon, delta))


@pytest.mark.turns(4)
@pytest.mark.parametrize("likely", WIDTHS)
@pytest.mark.parametrize("name", BANDS)
def test_a_band_draws_what_all_pieces_do_and_as_many_random_numbers(name, likely, monkeypatch):
    monkeypatch.setattr(lattice, "MANY", 0)
    monkeypatch.setattr(lattice, "LIKELY", likely)
    for locator, epsilon in product(IN_BANDS, (0.2, 1.0, 8.0)):
        found, wanted = np.random.default_rng(3), np.random.default_rng(3)
        given = BANDS[name], charged(locator, epsilon)
        drawn = locator.draw(*given, SimulatedNoise(found))
        with patch.object(WindowMedian, "near", lambda *_: None):  # all pieces are looked at
            assert drawn == locator.draw(*given, SimulatedNoise(wanted))
        assert found.random() == wanted.random()


def next_to_boundaries(whole):
    """First bits of a uniform variable just beside boundaries between pieces, and others."""
    sums = np.cumsum(exact._bounds(whole)[0][1])
    shares = np.unique((sums / sums[-1]).round(12))
    for share in shares[(shares > 0.01) & (shares < 0.99)][::5].tolist()[:20]:
        edge = int(sums[np.searchsorted(sums, (share - 1e-12) * sums[-1])] / sums[-1] * 2**64)
        yield from (edge - 2**28, edge + 2**28)
    yield from map(int, np.random.default_rng(4).integers(0, 2**64, 5, np.uint64))


SECURE = {
    "usual": (1.0, 1e-6, IN_BANDS[:2], 12.0),
    "bands that leave out a billionth": (1.0, 1e-6, IN_BANDS[:2], 0.0),
    "hardly private": (1e4, 1e-6, IN_BANDS[:2], 12.0),
    "a bottom beyond all floats": (1.0, 1e-300, [WindowMedian(left=1e9, right=1e9)], -14.0),
}


@pytest.mark.parametrize("case", SECURE)
def test_a_secure_choice_from_a_band_is_that_of_the_same_bits_from_all_pieces(case, monkeypatch):
    epsilon, delta, locators, likely = SECURE[case]
    monkeypatch.setattr(lattice, "MANY", 0)
    monkeypatch.setattr(lattice, "LIKELY", likely)
    asked, decided = [], 0
    noise = SimpleNamespace(choice=lambda *given: asked.append(given) or 0, below=lambda count: 0)
    for name, locator in product(("absent", "normal"), locators):
        locator.draw(BANDS[name], charged(locator, epsilon, delta), noise)
        scores, _, scale, weights = asked[-1]
        rate, band = 0.5 / scale, scores.band
        whole = exact.pieces(scores.counts, rate, weights.whole)
        assert exact.proved(exact.pieces(band.counts, rate, band.weights), 0, band) is None
        for top in next_to_boundaries(whole):
            vars(scores).pop("whole", None)
            fed = [tape(top << 128 | 12345, 64 + 128, 64) for _ in range(2)]
            assert exact.choose_near(scores, rate, weights, fed[0]) == exact.chosen(whole, fed[1])
            decided += "whole" not in vars(scores)
    assert decided > 20 or likely < 12 or epsilon > 1


# Ranks

LOW, HIGH, WIDTH, FEW = -1.0, 3.0, 0.25, 3
ENDS = (-inf, -1.5, -1.0, 0.5, 0.625, 2.0, 9.0, nan)
GRID = np.arange(LOW, HIGH, WIDTH / 2)  # a point of every piece that ENDS can make, ends among them


def score(t, points, rank):
    """The score of `proofs/univariate.md`, section 1.5, point by point."""
    points = [min(max(y, LOW), HIGH) for y in points if not isnan(y)]
    begins, stays = sum(y - 2 * WIDTH > t for y in points), sum(y + WIDTH > t for y in points)
    return max(0, begins - rank, rank - stays)


def scores(points, rank):
    pieces = RankWindow(left=WIDTH, right=2 * WIDTH, low=LOW, high=HIGH, rank=rank).pieces(np.array(points))
    at = np.searchsorted(pieces.edges, GRID, side="right") - 1
    return pieces.penalty[np.minimum(at, len(pieces.penalty) - 1)]


@pytest.mark.turns(3)
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_scores_of_a_rank_are_right_and_move_by_one_at_most(rank):
    """Over all columns of three and all replacements, absent rows and ties among them."""
    found = {points: scores(points, rank) for points in product(ENDS, repeat=FEW)}
    for points, here in found.items():
        if points == tuple(sorted(points)):
            assert here.tolist() == [score(t, points, rank) for t in GRID], points
    changed = (found[(a, *rest)] - found[(b, *rest)] for a, b, *rest in product(ENDS, repeat=FEW + 1))
    assert max(np.abs(one).max() for one in changed) == 1


@pytest.mark.parametrize("tail", [Tail(1.0, 2.0, 4.0, 1.5), Tail(1.0, 1.0, 3.0, 1.0, piled=True)])
def test_a_row_moves_the_means_of_an_interval_by_what_is_charged(tail):
    """Over all pairs of kinds of rows: 2 in both norms, 1 for the square, both attained."""
    rows = np.array([0.0, 0.5, -1.0, 1.0, 1.5, -1.5, 2.5, -2.5, 9.0, -9.0, inf, -inf, nan])
    sums, squares = (np.array([f(rows[i : i + 1], tail) for i in range(len(rows))])
                     for f in (moved_mean, mean_square))  # fmt: skip
    assert [np.linalg.norm(sums[:, None] - sums, order, axis=2).max() for order in (1, 2)] == [2, 2]
    assert np.ptp(squares) <= 1
    assert not tail.moved(np.array([nan, 0.0])).any()
