"""A quantile of lifted rows: its parts, units and a guard that hold for neighbours, and its bounds."""

from math import log, sqrt

import numpy as np
import pytest

from tests.estimators.neighbours import apart, barely, found_pair
from workbench.errors import ArgumentError
from workbench.estimators.stable_quantile import (
    Influence,
    Lifted,
    LiftedSolver,
    LiftedStability,
)

N, MOST = 61, 5


LEVEL, PLAIN = 11.0, Influence(1.0)


REPLACEMENTS = (0.0, 1.0, -1.0, 1e-3, 30.0, 1e8, 1e60)


def factor_of(matrix):
    return np.linalg.inv(np.linalg.cholesky(matrix))


def lift(s, m, scatter):
    return np.block([[np.array([[s]]), s * m[None]], [s * m[:, None], scatter + s * np.outer(m, m)]])


def pairs(d, count, seed):
    """Rows and a neighbour: the row in the middle or any other goes far away, to a tie, or across."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        x = rng.normal(size=(N, d)) * 10.0 ** rng.uniform(-6, 6, size=d)
        x = np.round(x, 1) if number % 4 == 0 else x
        x = x + rng.choice([0.0, 1.0, 1e12]) * rng.normal(size=d) if number % 3 == 0 else x
        middle = np.median(x, axis=0)
        y = x.copy()
        i = int(np.argsort(x[:, 0])[N // 2]) if number % 2 else int(rng.integers(N))
        y[i] = middle + rng.choice(REPLACEMENTS) * (x[rng.integers(N)] - middle)
        yield x, y


def test_units_of_a_neighbour_are_no_larger_one_count_below():
    moved = 0
    for x, y in pairs(2, 400, 3):
        for t in range(2, MOST + 1):
            here = Lifted.around(x, PLAIN, LEVEL - 1.001 * (t - 1), t)
            there = Lifted.around(y, PLAIN, LEVEL - 1.001 * (t - 2), t - 1)
            assert (there.exponents <= here.exponents).all()
            moved += not np.array_equal(there.centre, here.centre)
    assert moved > 400


def test_units_do_not_follow_the_median_of_the_rows_that_are_there():
    """Among 20 absent ones a row moves it from 1 to 0: those at 1024 are 1023 away, or 1024, a unit more."""
    x = np.repeat([0.0, 1.0, 1024.0, np.nan], [20, 1, 20, 20])[:, None]
    y = x.copy()
    y[21] = 0.0
    here, there = Lifted.around(x, PLAIN, LEVEL, 2), Lifted.around(y, PLAIN, LEVEL + 1.001, 1)
    assert (there.exponents <= here.exponents).all()


@pytest.mark.parametrize("offset", [0.0, 3.0, 1e3, 1e7])
def test_the_guard_does_not_see_the_centre(offset):
    """A quantile near the guard, from a centre `offset` away."""
    solver = LiftedSolver(PLAIN, 1e-12, 1e-5, 10, 2.0**33, 1e-3)
    rows = Lifted(np.zeros((3, 1)), np.zeros(3, int), np.zeros(2))
    near = factor_of(lift(2.0, np.zeros(2), np.diag([1.0, 1.001 * 6 / 2.0**33])))
    shear = np.eye(3)
    shear[1:, 0] = offset
    assert solver.allowed(rows, near)
    assert solver.allowed(rows, near @ shear)


EDGE_PAIRS, WHOLE_PAIRS = 800, 250


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


@pytest.mark.parametrize("design", DESIGNS)
def test_levels_are_more_than_one_row_apart(design):
    test = made(*design)
    for t in range(1, test.most + 1):
        assert test.low(t) <= test.level < test.high(t) - 1
        assert t == 1 or test.low(t - 1) - test.low(t) > 1
        assert t == 1 or test.high(t) - test.high(t - 1) > 1


@pytest.mark.parametrize(("factor", "passes"), [(1 - 1e-6, True), (1 + 1e-6, False)])
def test_a_scale_below_the_least_has_the_count_zero(factor, passes):
    x = np.random.default_rng(1).normal(size=(300, 2))
    free = made(300, 3, 1.0, 40.0, 1, 5.0, 1e-6)
    scaled, high = free.holds(x, 1)
    scale = scaled.scale(free.solver.descend(scaled, high, free.high(1)))
    test = made(300, 3, 1.0, 40.0, 1, 5.0, scale * factor)
    assert (test.located(x).count == 1) is passes


@pytest.mark.parametrize("changed", [{"least": 0.0}, {"n": 9}, {"strength": 1.0}, {"level": 3.0}])
def test_numbers_for_which_the_proof_does_not_hold_are_refused(changed):
    right = {"n": 300, "d": 3, "influence": PLAIN, "level": 40.0, "most": 3, "strength": 5.0, "least": 1.0}
    with pytest.raises(ArgumentError, match=next(iter(changed))):
        LiftedStability(**{**right, **changed})


@pytest.mark.daily
@pytest.mark.parametrize("edge", ["slope", "scale", "guard"])
def test_neighbours_at_an_edge_break_no_bound(edge):
    """Rows barely pass one of them at some count; a replaced row may undo that."""
    moved = stable = 0
    for number in range(EDGE_PAIRS):
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
    assert moved > EDGE_PAIRS // 20
    assert stable > EDGE_PAIRS // 10


def absolute(lift, centre):
    """The root of P around a centre."""
    root = np.zeros((len(centre) + 1,) * 2)
    root[0, 0], root[1:, 1:] = lift.height, lift.root
    root[1:, 0] = (lift.centre - centre + lift.shift) * lift.height
    return root


def moved(first, second):
    """The sums of ln λ of P⁻¹P', of either sign."""
    here, there = (absolute(one, first.centre) for one in (first, second))
    unit = np.abs(here).max(axis=1)[:, None]
    logs = 2 * np.log(np.linalg.svd(np.linalg.solve(here / unit, there / unit), compute_uv=False))
    return logs[logs > 0].sum(), -logs[logs < 0].sum()


def worst_of(edge, numbers):
    """The largest |h - h'| and sum over g of pairs, and how many were stable, and how many moved h."""
    count = trace = 0.0
    stable = changed = 0
    for number in numbers:
        if (pair := found_pair(edge, number)) is None:
            continue
        x, y, test = pair
        first, second = test.lift(x), test.lift(y)
        count = max(count, abs(first.count - second.count))
        changed += first.count != second.count
        if first.count and second.count:
            trace, stable = max(trace, *(one / test.change for one in moved(first, second))), stable + 1
    return count, trace, stable, changed


@pytest.mark.parametrize("edge", ["slope", "guard"])
def test_neighbours_of_the_whole_matrix_break_no_bound(edge):
    count, trace, stable, changed = worst_of(edge, range(WHOLE_PAIRS))
    assert count <= 1
    assert trace <= 1
    assert stable > WHOLE_PAIRS // 10
    assert changed > WHOLE_PAIRS // 25


# Rows far away, a row that moves a median by as much as there is, and a guard that barely passes: at once
#
# Two columns x₁ and x₂ = -x₁, but for 1/64, at 10^12; half of the rows are at -1, the others at 1 and 7.5.
# One row that changes sides moves the lower median of x₁, not that of x₂: the centre of X is off the line
# that rows are on, by 200 of their sds across it, that of X' is not. What a centre has a part in differs
# then.

ROWS, CROWDED, CROWDED_LEVEL = 200, 4, 30.0


FAR = 2.0**40 * np.array([1.0, -1.5])


GUARDS = (*np.geomspace(1 / 16, 0.9, 12), *(1 - np.geomspace(0.03, 1e-4, 5)), 1.0 + 1e-6)


def crowds(turned):
    """Rows in steps of 2^-12, exact at any offset of less than 2^41."""
    number = np.arange(ROWS)
    side = np.where(number < ROWS // 2 - turned, -1.0, 1.0 + 6.5 * (number % 2))
    across = np.random.default_rng(1).integers(-64, 65, size=ROWS) * 2.0**-12
    return np.c_[side, across - side] + FAR


def counts_under(guard, pair, edges):
    """Both counts under a guard, in units of what passes both data sets."""
    strength, least, widest = (kind(one) for kind, one in zip((min, min, max), edges, strict=True))
    shape = Influence(1.0), CROWDED_LEVEL, CROWDED, 1.02 + 0.8 * (strength - 1.02), widest * guard
    test = LiftedStability(ROWS, 3, *shape, least=least / 2)
    return [test.located(one).count for one in pair]


def test_no_guard_tells_neighbours_apart_by_where_their_medians_are():
    pair = crowds(0), crowds(1)
    assert (pair[0] != pair[1]).any(axis=1).sum() == 1
    free = LiftedStability(ROWS, 3, Influence(1.0), CROWDED_LEVEL, CROWDED, 1.01, least=1e-12)
    edges = list(zip(*(barely(free, one, CROWDED) for one in pair), strict=True))
    found = [counts_under(guard, pair, edges) for guard in GUARDS]
    assert max(abs(h - k) for h, k in found) <= 1
    assert found[-1] == [CROWDED, CROWDED]
    assert found[0] == [0, 0]
