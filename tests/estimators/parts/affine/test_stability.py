"""A stable location: its bounds against independent numbers, no clipping, and neighbours in floats."""

from math import e as euler
from math import log, sqrt

import numpy as np
import pytest

from tests.estimators.parts.affine.neighbours import apart, found_pair, passed_counts
from workbench.errors import ArgumentError
from workbench.estimators.parts.affine.stability import LiftedStability, steepest_root
from workbench.estimators.parts.quantile.influence import Influence

PAIRS = 800
DESIGNS = [
    (500, 3, 0.5, 90.0, 8, 35.0, 4.5),
    (2000, 2, 1.0, 400.0, 20, 250.0, 4.0),
    (900, 6, 0.3, 60.0, 5, 9.0, 9.0),
]


def made(n, d, knee, level, most, strength, least):
    return LiftedStability(n, d, Influence(knee), level, most, strength, least=least)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_bound_is_that_of_the_proof(design):
    """Written anew: what one row moves, what the others pass on, and what floats leave."""
    _, _, knee, level, _, strength, least = design
    test, g, x = made(*design), 1 / (strength - 1), made(*design).error
    q = np.geomspace(knee / 10, 10, 2_000_001)
    highest = np.where(
        q < 1, np.where(q < knee, q / knee, 1 + np.log(np.maximum(q, knee) / knee)) / (1 - log(knee)), 1
    )
    c = (highest / np.sqrt(q)).max()
    one_row, others = c * sqrt(1 + g) / level, (1 - strength / level) * g / sqrt(knee)
    assert test.exact == pytest.approx((one_row + others) / least, rel=1e-8)
    assert test.shift == pytest.approx(test.exact + sqrt(1 + g) * x / (2 * sqrt(least)), rel=1e-12)
    assert test.change == pytest.approx(g + (1 + g) * x, rel=1e-12)
    assert test.exact < test.shift < 1.002 * test.exact  # rounding and stopping early cost next to nothing
    assert test.change < 1.002 * g


@pytest.mark.parametrize("knee", [0.05, 0.2, 0.3, 1 / euler, 0.5, 1.0])
def test_the_largest_of_influence_over_length(knee):
    q = np.geomspace(1e-3, 10, 400_001)
    influence = Influence(knee)
    assert steepest_root(influence) == pytest.approx((influence.value(q) / np.sqrt(q)).max(), rel=1e-6)


@pytest.mark.parametrize("design", DESIGNS)
def test_levels_are_more_than_one_row_apart(design):
    """`low_bound` is below all of them."""
    test = made(*design)
    for t in range(1, test.most + 1):
        assert test.low(t) <= test.level < test.high(t) - 1
        assert t == 1 or test.low(t - 1) - test.low(t) > 1
        assert t == 1 or test.high(t) - test.high(t - 1) > 1
    assert 1 <= test.low_bound <= test.low(test.most)


def box(d, n=400):
    """Rows all as long as the widest box is: none is clipped."""
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * d)).reshape(d, -1).T
    x = np.tile(corners, (-(-n // len(corners)), 1))[:n]
    return x + np.random.default_rng(d).normal(size=x.shape) * 0.01


def unclipped(n, d, most=4, share=0.5):
    level = share * n / (d + 1)
    spare = made(n, d + 1, 1.0, level, most, 2.0, 1.0).spacing * most
    return made(
        n, d + 1, 1.0, level, most, (level - 2 * spare) * (1 - 1e-4), n / (level + spare) * (1 - 1e-4)
    )


@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("offset", [0.0, 1e12])
def test_without_clipping_it_is_the_sample_mean(d, offset):
    x, test = box(d), unclipped(400, d)
    found = test.located(x + offset)
    z = x + offset - found.centre
    scatter = np.cov(z.T, bias=True).reshape(d, d) * 400 / test.level
    assert found.count == test.most
    assert np.abs(found.shift - z.mean(axis=0)).max() < 3 * test.error + 1e-9
    assert np.abs(found.root @ found.root.T - scatter).max() < 3 * test.error * scatter.max() + 1e-9


def test_without_clipping_the_bound_is_below_three_rows():
    """b ≤ 2.5/n, what the proof of the rate has, where u ≥ 4T."""
    test = unclipped(4000, 2, most=100, share=0.4)
    assert test.level >= 4 * test.most
    assert test.exact * 4000 < 2.5 * 1.01


@pytest.mark.parametrize("d", [1, 2, 3])
def test_it_follows_an_affine_map(d):
    rng = np.random.default_rng(d)
    x, test = rng.normal(size=(300, d)), made(300, d + 1, 0.5, 120.0 / (d + 1), 3, 4.0, 0.5)
    a, b = rng.normal(size=(d, d)) + np.eye(d), 1e3 * rng.normal(size=d)
    here, there = test.located(x), test.located(x @ a.T + b)
    assert here.count == there.count > 0
    moved = a @ (here.centre + here.shift) + b
    assert (
        np.abs(np.linalg.solve(here.root, np.linalg.solve(a, moved - there.centre - there.shift))).max()
        < 1e-4
    )
    scatter = np.linalg.solve(a @ here.root, there.root)
    assert np.abs(scatter @ scatter.T - np.eye(d)).max() < 1e-4


@pytest.mark.parametrize(("factor", "passes"), [(1 - 1e-6, True), (1 + 1e-6, False)])
def test_a_scale_below_the_least_has_the_count_zero(factor, passes):
    x = np.random.default_rng(1).normal(size=(300, 2))
    free = made(300, 3, 1.0, 40.0, 1, 5.0, 1e-6)
    scaled, high = free.holds(x, 1)
    scale = scaled.scale(free.solver.descend(scaled, high, free.high(1)))
    test = made(300, 3, 1.0, 40.0, 1, 5.0, scale * factor)
    assert (test.located(x).count == 1) is passes


HOSTILE = {
    "equal rows": np.full((300, 2), 7.0),
    "nothing": np.zeros((300, 2)),
    "a column of one number": np.c_[np.random.default_rng(1).normal(size=300), np.full(300, 1e100)],
    "a line": np.outer(np.arange(300.0), [1.0, 2.0]),
    "two points": np.repeat([[0.0, 1.0], [1e100, -1e100]], 150, axis=0),
    "far rows": np.r_[np.zeros((200, 2)), np.full((100, 2), 1e100)],
    "entries below the least": np.random.default_rng(1).normal(size=(300, 2)) * 2.0**-350,
    "subnormal entries": np.full((300, 2), 5e-324),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rows", HOSTILE.values(), ids=HOSTILE)
def test_rows_without_a_scatter_have_the_count_zero(rows):
    found = made(300, 3, 0.5, 40.0, 3, 5.0, 0.5).located(rows)
    assert found.count == 0
    assert np.array_equal(found.root, np.eye(2))
    assert not np.any([found.centre, found.shift])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"least": 0.0}, "least"),
        ({"n": 9}, "n = 9"),
        ({"strength": 1.0}, "strength"),
        ({"level": 3.0}, "level"),
    ],
)
def test_numbers_for_which_the_proof_does_not_hold_are_refused(changed, words):
    right = {
        "n": 300,
        "d": 3,
        "influence": Influence(0.5),
        "level": 40.0,
        "most": 3,
        "strength": 5.0,
        "least": 1.0,
    }
    with pytest.raises(ArgumentError, match=words):
        LiftedStability(**{**right, **changed})


@pytest.mark.daily
@pytest.mark.parametrize("edge", ["slope", "scale", "guard"])
def test_neighbours_at_an_edge_break_no_bound(edge):
    """Rows barely pass one of them at some count; a replaced row may undo that."""
    moved = stable = 0
    for number in range(PAIRS):
        pair = found_pair(edge, number)
        if pair is None:
            continue
        x, y, test = pair
        first, second = test.located(x), test.located(y)
        assert abs(first.count - second.count) <= 1, number
        moved += first.count != second.count
        if first.count and second.count:
            location, up, down = apart(first, second)
            assert location <= 2 * test.shift, number
            assert max(up, down) <= test.change, number
            stable += 1
    assert moved > PAIRS // 20
    assert stable > PAIRS // 10


@pytest.mark.parametrize("number", range(20))
def test_counts_that_pass_are_an_initial_piece(number):
    pair = found_pair("slope", number)
    if pair is not None:
        x, _, test = pair
        assert test.located(x).count == sum(passed_counts(test, x))
        assert passed_counts(test, x) == sorted(passed_counts(test, x), reverse=True)
