"""The mechanism of a rank: its law by direct counting, and its privacy over all neighbours of few rows."""

from itertools import product
from math import inf, isnan, log, nan

import numpy as np
import pytest

from workbench.estimators.interval_mean import (
    IntervalMean,
    Tail,
    count_from,
    mean_square,
    moved_mean,
    tail_design,
)
from workbench.estimators.shared.window_median import RankWindow
from workbench.privacy import ApproxDP, CountingNoise, PureDP, SimulatedNoise

LOW, HIGH, WIDTH = -1.0, 3.0, 0.25
PLACES = (-inf, -1.5, -1.0, 0.5, 0.625, 2.0, 9.0, nan)
ROWS = 3


def window(rank, low=LOW, high=HIGH):
    return RankWindow(left=WIDTH, right=2 * WIDTH, low=low, high=high, rank=rank)


def score(t, points, rank):
    """The score of `proofs/univariate.md`, section 1.5, point by point."""
    points = [min(max(y, LOW), HIGH) if not isnan(y) else y for y in points]
    begins = sum(not isnan(y) and y - 2 * WIDTH > t for y in points)
    stays = sum(not isnan(y) and not y + WIDTH <= t for y in points)
    return max(0, begins - rank, rank - stays)


def scores(points, rank, places):
    pieces = window(rank).pieces(np.array(points))
    at = np.searchsorted(pieces.edges, places, side="right") - 1
    return pieces.penalty[np.minimum(at, len(pieces.penalty) - 1)]


GRID = np.arange(LOW, HIGH, WIDTH / 2)  # a point of every piece that PLACES can make, ends among them


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_pieces_are_counted_right(rank):
    for points in product(PLACES, repeat=ROWS):
        assert scores(points, rank, GRID).tolist() == [score(t, points, rank) for t in GRID], points


def test_pieces_cover_the_range_and_their_number_is_public():
    for points in product(PLACES, repeat=ROWS):
        pieces = window(2).pieces(np.array(points))
        assert len(pieces.twice) == 2 * ROWS + 1
        assert (pieces.edges[0], pieces.edges[-1]) == (LOW, HIGH)
        assert (np.diff(pieces.edges) >= 0).all()


def masses(points, rank, epsilon):
    """The probability of every cell of the grid."""
    weights = np.exp(-epsilon * scores(points, rank, GRID) / 2)
    return weights / weights.sum()


@pytest.mark.daily
@pytest.mark.parametrize("rank", [1, 2])
def test_neighbours_of_few_rows_are_as_close_as_promised(rank):
    """Exactly, over all replacements, absent rows and ties among them; the score moves by 1 at most."""
    epsilon, moved = 1.7, 0.0
    for points in product(PLACES, repeat=ROWS):
        for other in PLACES:
            near = (other, *points[1:])
            moved = max(moved, np.abs(scores(points, rank, GRID) - scores(near, rank, GRID)).max())
            ratio = np.log(masses(points, rank, epsilon) / masses(near, rank, epsilon))
            assert np.ptp(ratio) <= epsilon + 1e-12
    assert moved == 1


def test_the_constant_is_sharp():
    """One point of the range, and a row that goes from above it to below."""
    high, epsilon = 1000.0, 1.0

    def short(points):
        pieces = RankWindow(left=1e-6, right=1e-6, low=0.0, high=high, rank=1).pieces(np.array(points))
        weight = np.diff(pieces.edges) * np.exp(-epsilon * pieces.penalty / 2)
        return weight[pieces.edges[:-1] >= 999.0].sum() / weight.sum()

    assert 0.99 * epsilon < log(short([-1.0, 999.0, 2e3]) / short([-1.0, 999.0, -1.0])) <= epsilon


@pytest.mark.parametrize(
    "points", [np.zeros(400), np.repeat([0.0, 1.0], [390, 10]), np.repeat([nan, 0.5], [380, 20])]
)
def test_ties_are_found_as_often_as_promised(points):
    """Off by k ranks with probability (length/width) e^(-εk/2) at most; k is the least that allows .01."""
    epsilon, rank = 1.0, 20
    mechanism = window(rank)
    k = 2 * log((HIGH - LOW) / (3 * WIDTH) / 0.01) / epsilon
    charge, noise = mechanism.charge("rank", PureDP(epsilon)), SimulatedNoise(np.random.default_rng(0))
    found = [mechanism.draw(points, charge, noise) for _ in range(400)]
    missed = sum(score(t, points, rank) >= k for t in found)
    assert missed <= 16  # of Binomial(400, .01), above with probability 1e-6


def test_a_rank_is_met_on_the_stretch_of_its_point():
    for points in product((-0.5, 0.5, 0.625, 2.0), repeat=ROWS):
        for rank in (1, 2, 3):
            there = sorted(points)[-rank]
            assert score(there, points, rank) == 0
            assert scores(points, rank, np.array([there])).tolist() == [0]


@pytest.mark.parametrize("apart", [0.0, 0.05, 0.3, 0.6, 1.0])
def test_rows_beyond_go_between_an_exponential_tail_and_a_power(apart):
    chosen = tail_design(10_000, ApproxDP(1.0, 1e-6))
    found, share = chosen.tail(0.5, 0.5 + apart), chosen.log_share
    exponential, power = (1 - np.exp(-apart)) / share, apart / (share - apart)
    assert found.end / found.radius == pytest.approx(1 + (exponential + power) / 2)
    half = found.doubt * found.end / found.radius * chosen.n / chosen.outer_rank
    assert half == pytest.approx((power - exponential) / 2)


ROW = (0.0, 0.5, -1.0, 1.0, 1.5, -1.5, 2.5, -2.5, 9.0, -9.0, inf, -inf, nan)
TAILS = (Tail(1.0, 2.0, 4.0, 1.5), Tail(1.0, 1.0, 3.0, 1.0, piled=True))


@pytest.mark.parametrize("tail", TAILS)
def test_a_row_moves_the_means_of_an_interval_by_what_is_charged(tail):
    """In whole numbers, over all pairs of kinds of rows: 2 in both norms, 1 for the square, both attained."""
    sums, squares = ([statistic(np.array([z]), tail) for z in ROW] for statistic in (moved_mean, mean_square))
    apart = [one.counts - other.counts for one in sums for other in sums]
    unit = sums[0].unit
    assert max(np.abs(gap).sum() for gap in apart) * unit == 2
    assert max(np.sqrt((gap**2).sum()) for gap in apart) * unit == 2
    gaps = [abs(float(one) - float(other)) for one in squares for other in squares]
    assert max(gaps) <= 1


def test_an_absent_row_is_in_no_sum_and_no_count():
    for tail in TAILS:
        assert tail.moved(np.array([nan, 0.0])).tolist() == [[0.0] * 4] * 2
    logs = np.array([-inf, nan, 0.0, 1.0])
    assert [float(count_from(logs, least)) for least in (-9.0, 0.5)] == [2.0, 1.0]


NORMAL, RARE = np.random.default_rng(3).normal(size=2000), np.where(np.arange(2000) % 8 == 0, 1.0, 0.0)
COLUMNS = (NORMAL, RARE, np.zeros(2000), np.full(2000, 1e40), np.full(2000, nan), np.exp(3 * NORMAL))


@pytest.mark.parametrize("x", COLUMNS)
def test_every_exit_of_an_interval_has_drawn_a_prefix_of_one_plan(x):
    """Spread, piled up or without an answer: no step is paid twice, and none that is not in the plan."""
    drawn = CountingNoise(SimulatedNoise(np.random.default_rng(4)))
    plan = IntervalMean()(x, budget=ApproxDP(1.0, 1e-6), rng=drawn).plan
    charges = list(plan.charges())
    assert len(drawn.draws) <= len(charges)
    for draw, charge in zip(drawn.draws, charges, strict=False):
        assert draw.sensitivity == charge.sensitivity
        epsilon, scores = charge.cost.epsilon, charge.mechanism == "window_median"
        assert draw.scale == pytest.approx((2 if scores else 1) * charge.sensitivity / epsilon)
