"""Phase diagrams: every cell is the share of its own runs, and the boundary is the prediction's."""

from dataclasses import replace
from itertools import pairwise
from math import log2

import pytest

from workbench.charts.chart import Heat
from workbench.charts.phase import columns, of_entry
from workbench.errors import ArgumentError
from workbench.study import sweeps as sweep
from workbench.study.run import Run
from workbench.study.scaling import catalogued

USUAL = {"d": 1, "alpha": 0.3, "rho": 0.1}
BLOCKS = {"trials": 20, "blocks": {"quick": 1, "full": 4}}
PHASE = of_entry("covariance/coinpress", USUAL, "rho", (0.01, 0.16), "ρ", **BLOCKS)


@pytest.mark.parametrize("starts", [(130, 500), (1,), (3, 70), (64, 64)])
def test_columns_hold_every_start_and_are_odd_in_number(starts):
    found = columns(starts)
    assert len(found) % 2 == 1
    assert found[0] <= min(starts)
    assert max(starts) < found[-1]
    assert {second / first for first, second in pairwise(found)} == {2.0}


@pytest.mark.daily
def test_runs_fail_on_one_side_of_the_boundary_and_succeed_on_the_other():
    heat = PHASE.panel(Run("full", 3)).heat
    assert heat.rows == ("0.16", "0.01")
    assert 1 < heat.boundary[1] - heat.boundary[0] < 2  # at most proportional to 1/√ρ: two columns
    for shares, place in zip(heat.values, heat.boundary, strict=True):
        for column, share in enumerate(shares):
            assert abs(column - place) < 0.5 or (share > 0.5) == (column > place)


def test_where_an_estimator_takes_no_rows_nothing_succeeds():
    far = of_entry("mean/populous", {"d": 1, "alpha": 5.0, "epsilon": 1.0, "delta": 1e-6}, "d", (1, 2), "d")
    heat, setting = far.panel(Run("quick", 3, most=2)).heat, far.settings({})[1]
    first = round(setting.predicted / 2 ** heat.boundary[1])
    refused = [share for place, share in enumerate(heat.values[1]) if first * 2**place < setting.fewest]
    assert set(refused) == {0.0}


@pytest.mark.daily
def test_other_numbers_move_the_boundary_and_predictions_alone_are_a_line():
    usual, moved = (PHASE.panel(Run("quick", 3), **public).heat for public in ({}, {"upper": 1e4}))
    assert (usual.columns, usual.boundary) != (moved.columns, moved.boundary)
    (line,) = PHASE.panel(Run("quick", 3, simulate=False)).series
    assert (line.role, line.y) == ("theory", (0.16, 0.01))
    assert log2(line.x[1] / line.x[0]) == pytest.approx(usual.boundary[1] - usual.boundary[0])


@pytest.mark.daily
def test_in_a_world_where_rho_counts_twice_runs_fail_beyond_the_boundary():
    def squared(key: str, d: int, n: int, *, trials, data, noise, rho, **public):
        return catalogued(key, d, n, trials=trials, data=data, noise=noise, rho=rho**2, **public)

    sweep._memory.clear()
    heat = replace(PHASE, block=squared).panel(Run("full", 3)).heat
    sweep._memory.clear()
    assert min(heat.values[1][int(heat.boundary[1]) + 2 :]) < 0.5


def test_a_boundary_has_a_place_in_every_row():
    with pytest.raises(ArgumentError, match="boundary"):
        Heat([[0.0, 1.0], [1.0, 0.0]], (0, 1), boundary=(0.5,))
    assert "boundary" not in Heat([[0.0, 1.0]], (0, 1)).to_json()
    assert Heat(**Heat([[0.0, 1.0]], (0, 1), boundary=(0.5,)).to_json()).boundary == (0.5,)
