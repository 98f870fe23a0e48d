"""The lift: what a quantile of rows (1, x) holds; units and a guard that hold for neighbours, too."""

import numpy as np
import pytest

from workbench.estimators.parts.affine.lifted import SMALLEST, Lifted, LiftedSolver
from workbench.estimators.parts.affine.stability import LiftedStability
from workbench.estimators.parts.quantile.influence import Influence
from workbench.estimators.parts.quantile.levels import FLOOR, Scaled

N, MOST = 61, 5
LEVEL, PLAIN = 11.0, Influence(1.0)
REPLACEMENTS = (0.0, 1.0, -1.0, 1e-3, 30.0, 1e8, 1e60)


def factor_of(matrix):
    return np.linalg.inv(np.linalg.cholesky(matrix))


def lift(s, m, scatter):
    return np.block([[np.array([[s]]), s * m[None]], [s * m[:, None], scatter + s * np.outer(m, m)]])


@pytest.mark.parametrize("d", [1, 2, 4])
def test_a_quantile_holds_the_parts_that_it_was_made_of(d):
    rng = np.random.default_rng(d)
    powers = rng.integers(-30, 30, size=d + 1)
    a, m, s = rng.normal(size=(d, d)), rng.normal(size=d), 3.7
    units = 2.0 ** powers[1:]
    scatter = a @ a.T + np.eye(d)
    rows = Lifted(np.zeros((d + 1, 1)), powers, np.zeros(d))
    factor = factor_of(lift(s, m, scatter))
    shift, root = rows.parts(factor)
    assert rows.scale(factor) == pytest.approx(s * 4.0 ** powers[0])
    assert shift == pytest.approx(m * units / 2.0 ** powers[0])
    assert root @ root.T == pytest.approx(scatter * np.outer(units, units))
    assert np.array_equal(root, np.tril(root))


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


def test_units_hold_for_every_row_relative_to_the_centre():
    for x, _ in pairs(3, 100, 4):
        rows = Lifted.around(x, PLAIN, LEVEL, 2)
        assert np.array_equal(rows.centre, np.median(x, axis=0))
        lengths = np.minimum(1.0, rows.rows**2).sum(axis=1)
        assert (lengths < LEVEL).all()


@pytest.mark.parametrize("t", [1, MOST])
def test_a_place_beyond_the_order_statistics_is_refused(t):
    n = 2 * (t + 2)
    x = np.arange(float(n))[:, None]
    assert Lifted.around(x, PLAIN, n / 3, t).centre == [n // 2 - 1]
    with pytest.raises(ValueError, match="expected at least"):
        LiftedStability(n - 1, 2, PLAIN, n / 3, t, 1.5, least=1.0)


def test_entries_that_are_too_small_count_as_zero_and_no_difference_is_lost():
    """The least differences of all: neighbouring floats at the least entries that count."""
    x = np.full((N, 1), SMALLEST * (1 - 2.0**-53))
    x[:40, 0] = SMALLEST * (1 + 2.0**-52 * np.arange(40))
    rows = Lifted.around(x, PLAIN, LEVEL, 1)
    assert rows.centre == np.sort(x[:40, 0])[N // 2 - (N - 40)]
    assert np.array_equal(rows.rows[1] != 0, x[:, 0] != rows.centre[0])
    cut = Lifted.around(np.where(x < SMALLEST, 0.0, x), PLAIN, LEVEL, 1)
    assert np.array_equal(cut.rows, rows.rows)


def test_columns_without_width_and_rows_far_away_stay_finite():
    x = np.zeros((N, 3))
    x[:, 1], x[:, 2] = 7.0, np.arange(N) % 2 * 1e100
    x[0] = 1e100
    rows = Lifted.around(x, PLAIN, LEVEL, 1)
    assert np.isfinite(rows.rows).all()
    assert rows.exponents[1] == FLOOR
    assert not rows.rows[1, 1:].any()


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


@pytest.mark.parametrize(
    ("s", "thin", "allowed"), [(1.0, 1e-9, True), (0.99, 1e-9, False), (1.0, 6e-10, False)]
)
def test_the_guard_refuses_a_small_scale_and_a_thin_scatter(s, thin, allowed):
    solver = LiftedSolver(PLAIN, 1e-12, 1e-5, 10, 2.0**33, 1.0 - 1e-12)
    rows = Lifted(np.zeros((2, 1)), np.zeros(2, int), np.zeros(1))
    assert solver.allowed(rows, factor_of(lift(s, np.zeros(1), np.array([[thin]])))) is allowed


def test_the_unit_of_the_column_of_ones_is_within_the_proved_bound():
    worst = 0.0
    for knee in (0.3, 0.5, 1.0):
        influence = Influence(knee)
        for n in (20, 61, 1000):
            for level in np.linspace(1.01, 0.9 * n, 40):
                ones = Scaled.of(np.ones((n, 1)), influence, float(level))
                worst = max(worst, 4.0 ** int(ones.exponents[0]) * level / (influence.steepest * n))
    assert 4 < worst <= 16
