"""The claims about how n grows follow their statements, and are refuted where a number enters by more."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.worlds import SEED, elsewhere
from workbench.chapters.covariance import heavy_tails as heavy_runs
from workbench.chapters.covariance import unbounded as runs
from workbench.chapters.covariance.claims import scalings_heavy, scalings_table, scalings_unbounded
from workbench.chapters.covariance.runs import searched_gaussians, searched_heavy
from workbench.chapters.registry import CLAIMS
from workbench.study import scaling as run
from workbench.study.rules import Status
from workbench.study.scaling import grows, within

CELLS = [
    cell
    for claim in (*scalings_heavy.CLAIMS, *scalings_unbounded.CLAIMS, *scalings_table.CLAIMS)
    for cell in claim.scalings()
]


@pytest.fixture(autouse=True)
def nothing_remembered():
    run.forget()
    yield
    run.forget()


def searched(cell, block=None, cap=40, values=None):
    """Search a cell with few runs, measured by another block if there is one."""
    run.forget()
    few = replace(cell, block=block or cell.block, caps={"full": cap}, values=values or cell.values)
    ((found,),) = (run.measured([few], "full", seed=SEED),)
    return few, found


def named(cells, variable, part=""):
    """Return the one cell of a number."""
    (found,) = [one for one in cells if one.variable == variable and part in one.key]
    return found


def needing(rows):
    """Measure errors of which a half is at most alpha from so many rows on, a function of the point."""

    def block(*, n, trials, data, noise, **point):
        return {
            "error": 1e-9 * np.where(n * np.exp(0.2 * data.standard_normal(trials)) < rows(point), 1e30, 1)
        }

    return block


@pytest.mark.parametrize("cell", CELLS, ids=lambda one: one.name)
def test_a_cell_has_a_term_and_its_share(cell):
    settings = [cell.setting(value) for value in cell.values]
    assert all(0 < one.share <= 1 and one.stated > 0 and one.alpha > 0 for one in settings)
    assert len(cell.values) >= 2


def test_names_of_cells_differ():
    assert len({one.name for one in CELLS}) == len(CELLS)


def growing(cell, more):
    """Search a cell in a world where n is the statement's times a power of the number."""
    settings = {value: cell.setting(value) for value in cell.values}
    times = max(max(50, 2 * one.fewest) / one.stated for one in settings.values())
    power = np.sign(cell.power or 1) * more

    def rows(point):
        value = point[cell.variable]
        return times * settings[value].stated * (cell.axis(value) / cell.axis(cell.values[0])) ** power

    return grows(*searched(cell, needing(rows)))


STEEP = [cell for cell in CELLS if cell.variable != "condition" and "beta" not in cell.variable]


@pytest.mark.parametrize("cell", STEEP[::4], ids=lambda one: one.name)
def test_a_power_more_than_is_stated_is_refuted(cell):
    assert growing(cell, 3).status is Status.REFUTED


def twice(number, first):
    """A number counts twice."""
    return elsewhere(lambda point: {number: point[number] ** 2 / first})


REAL = {
    "spectral": (scalings_heavy.spectral, "rho", "", (1e-2, 1.25e-3), searched_heavy.naive_spectral),
    "step": (scalings_heavy.step, "rho", "", (0.5, 0.05), searched_heavy.doubling),
    "heavy": (scalings_heavy.table, "rho", "", (0.04, 0.005), searched_heavy.heavy_tailed),
    "fine": (scalings_unbounded.fine, "epsilon", "", (2.0, 0.5), searched_gaussians.fine),
}


@pytest.mark.daily
@pytest.mark.parametrize("name", REAL)
def test_a_budget_that_counts_twice_is_refuted(name):
    cells, number, part, values, block = REAL[name]
    cell = named(cells(), number, part)
    wrong = grows(*searched(cell, twice(number, values[0])(block), values=values))
    assert wrong.status is Status.REFUTED
    assert wrong.detail["scaling"]["rate"] == "faster"


def test_rows_of_another_order_in_private_terms_are_refuted():
    def rows(point):
        return 30 * point["d"] ** 4 / point.get("epsilon", 1.0) ** 2

    cells = scalings_unbounded.table()
    for number in ("d", "epsilon"):
        cell = named(cells, number)
        lowest = replace(cell, setting=lambda value, of=cell: of.setting(value)._replace(fewest=1))
        assert grows(*searched(lowest, needing(rows))).status is Status.REFUTED


def test_a_step_whose_proved_rows_are_too_few_is_refuted(monkeypatch):
    cell, found = searched(
        replace(scalings_heavy.step_sizes()[0], values=(2, 5)), needing(lambda point: 5000)
    )
    monkeypatch.setattr(heavy_runs, "step_rows", lambda d, calibration: 1000)
    check = within(cell, found, scalings_heavy.proved_step)
    assert check.status is Status.REFUTED


def test_eigenvalues_half_a_bin_away_are_refuted(world):
    def off(*, trials, data, noise, **point):
        return {"low": np.ones(trials), "high": np.full(trials, 1.45)}

    world.sweep(runs, "EIGENVALUES", block=off)
    assert CLAIMS["covariance/eigenvalues-to-a-factor"].decide("quick", SEED, 1).status is Status.REFUTED
    assert runs.WITHIN[1] < 1.45


def four(rows):
    found = [searched(cell, needing(rows)) for cell in scalings_table.four()]
    return {check.id: check.status for check in scalings_table.side_by_side(*found)}


@pytest.mark.daily
@pytest.mark.parametrize(("heavier", "refuted"), [(3.0, False), (0.3, True)])
def test_bounded_moments_that_are_cheaper_are_refuted(heavier, refuted):
    def rows(point):
        times = heavier if point["law"] == "student" else 1.0
        return 2e5 * times * point["d"] ** 2

    ratios = [status for name, status in four(rows).items() if name.startswith("bounded moments")]
    assert len(ratios) == 3
    assert (Status.REFUTED in ratios) == refuted


def against(power):
    def rows(point):
        told = 1000 * np.log(point["upper"]) ** power / np.log(100) ** power
        return told if point["estimator"] == "coinpress" else 3000

    found = [searched(cell, needing(rows)) for cell in scalings_table.against()]
    return {check.id: check for check in scalings_table.crossover(*found)}


def test_a_condition_that_costs_nothing_is_refuted():
    found = against(0.0)
    assert found["CoinPress told 1e+32 over unbounded"].status is Status.REFUTED


def test_the_condition_at_which_both_need_as_many_rows_is_found():
    check = against(1.0)["CoinPress told 100 over unbounded"]
    met, low, high = check.detail["bound at which both need as many rows"]
    assert low <= met <= high
    assert abs(np.log(met) / np.log(100) - 3) < 0.6


@pytest.mark.parametrize(("beta", "count"), list(zip(searched_heavy.BETAS, (1, 2, 4, 8), strict=True)))
def test_the_largest_of_several_errors_stands_for_a_failure_probability(beta, count):
    assert searched_heavy.together(beta) == count
    assert (1 - beta) ** count == pytest.approx(0.5)


def test_rows_at_the_edge_have_covariance_one_and_the_moment():
    rng, (d, k) = np.random.default_rng(SEED), (3, 2)
    x = searched_heavy.spiked(400_000, d, k, 6.0, rng)
    assert np.cov(x.T) == pytest.approx(np.eye(d), abs=0.02)
    fourth = (x[:, 0] ** 4).mean()
    assert fourth <= searched_heavy.TIMES * searched_heavy.normal_moment(k) * 1.05
    assert (np.linalg.norm(x, axis=1) > 6.0).mean() == pytest.approx(15 / 6.0**4, rel=0.1)
