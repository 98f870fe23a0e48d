"""The claims about CoinPress's n follow its formulas, and are refuted where a number enters by more."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.worlds import SEED, elsewhere
from workbench.chapters.many_dimensions.claims import scalings
from workbench.study import scaling as run
from workbench.study.rules import Status
from workbench.study.scaling import catalogued, grows

CELLS = [cell for claim in scalings.CLAIMS[1:] for cell in claim.scalings()]


@pytest.fixture(autouse=True)
def nothing_remembered():
    run.forget()
    yield
    run.forget()


def searched(cell, **changes):
    run.forget()
    few = replace(cell, caps={"full": 40}, **changes)
    ((found,),) = (run.measured([few], "full", seed=SEED),)
    return few, found


@pytest.mark.daily
@pytest.mark.parametrize("cell", CELLS, ids=lambda one: one.name)
def test_the_share_of_the_term_stands_beside_the_prediction(cell):
    for value in cell.values:
        setting = cell.setting(value)
        assert 0.5 < setting.share < 1
        assert setting.point["key"] == cell.key
    assert cell.setting(cell.values[0]).stated != cell.setting(cell.values[-1]).stated


def named(key, variable):
    (found,) = [one for one in CELLS if (one.key, one.variable) == (key, variable)]
    return found


@pytest.mark.daily
@pytest.mark.parametrize(
    ("key", "first", "last"), [("mean/coinpress", 1e-1, 2e-3), ("covariance/coinpress", 1e-1, 2e-2)]
)
def test_a_budget_that_counts_twice_is_refuted(key, first, last):
    cell = named(key, "rho")
    true = grows(*searched(cell, values=(first, last)))
    assert true.status is not Status.REFUTED
    twice = elsewhere(lambda point: {"rho": point["rho"] ** 2 / first})(catalogued)
    false = grows(*searched(cell, values=(first, last), block=twice))
    assert false.status is Status.REFUTED
    assert false.detail["scaling"]["rate"] == "faster"


def louder(block, times):
    return lambda **given: {"error": times * np.asarray(block(**given)["error"])}


@pytest.mark.daily
@pytest.mark.parametrize(("place", "times"), [(0, 3), (1, 6)])
def test_a_bound_that_is_a_fraction_is_refuted(place, times):
    growth = searched(scalings.fewer_rows()[place])
    (check,) = scalings.within_what_is_proved(growth)
    assert check.status is not Status.REFUTED
    wrong = searched(scalings.fewer_rows()[place], block=louder(scalings.fewer_rows()[place].block, times))
    (check,) = scalings.within_what_is_proved(wrong)
    assert check.status is Status.REFUTED
