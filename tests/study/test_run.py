"""A figure's runs: the usual sweeps, others with a limit on their work, none at all."""

import numpy as np
import pytest

from workbench.study.grids import Sweep, grid
from workbench.study.run import Run, TooMuchWorkError
from workbench.study.sweeps import Resources, forget, lending, run


def drawn(n, *, trials, data, noise):
    return {"error": data.standard_normal((trials, n)).mean(axis=1)}


SWEEP = Sweep("test-run", grid(n=(20_000, 40_000)), drawn, 40, {"quick": 2, "full": 3})


@pytest.fixture(autouse=True)
def _nothing_kept():
    yield
    forget()


def test_the_usual_points_are_those_of_the_claims():
    usual = run(SWEEP.under("quick"), "quick", seed=3)
    assert Run("quick", 3).table(SWEEP).equals(usual)
    assert Run("quick", 3).table(SWEEP.moved(SWEEP.points)).equals(usual)
    assert Run("full", 3).table(SWEEP).equals(run(SWEEP, "full", seed=3))


@pytest.mark.parametrize(
    ("trials", "full", "quick", "wanted"),
    [
        (40, 3, 2, (40, 1)),
        (8, 100, 10, (8, 6)),
        (400, 20, 2, (200, 1)),
        (400, 80, 8, (400, 2)),
        (2, 9, 1, (2, 1)),
    ],
)
def test_quick_is_a_fortieth_of_full_and_fifty_trials_where_there_are_so_many(trials, full, quick, wanted):
    found = Sweep("test-run", grid(n=(2, 4)), drawn, trials, {"quick": quick, "full": full}).under("quick")
    assert (found.trials, found.blocks["quick"]) == wanted


def test_a_point_in_common_has_the_same_numbers():
    moved = SWEEP.moved(grid(n=(40_000, 30_000)))
    found, usual = Run("quick", 3).table(moved), Run("quick", 3).table(SWEEP)
    assert (
        found[found["n"] == 40_000]["error"].to_numpy() == usual[usual["n"] == 40_000]["error"].to_numpy()
    ).all()
    assert moved.usual == moved.moved(grid(n=1)).usual == SWEEP.points


def test_more_work_means_fewer_trials_and_far_more_is_refused():
    assert len(Run("quick", 3).table(SWEEP.moved(grid(n=(60_000, 60_000 + 1))))) == 2 * 40
    assert len(Run("quick", 3).table(SWEEP.moved(grid(n=(150_000, 150_001))))) == 2 * 2 * 19
    said = r"^work of test-run: 20.* times the usual, 2 allowed; `workbench reproduce --limit 2.` runs it$"
    with pytest.raises(TooMuchWorkError, match=said):
        Run("quick", 3).table(SWEEP.moved(grid(n=(800_000, 800_001))))


def test_the_limit_is_lifted_by_whoever_lends():
    with lending(Resources(limit=1000)):
        assert len(Run("quick", 3).table(SWEEP.moved(grid(n=(150_000, 150_001))))) == 2 * 40


def test_a_sketch_has_few_trials_and_predictions_alone_have_none():
    assert len(Run("quick", 3, most=2).table(SWEEP)) == 2 * 2
    empty = Run("quick", 3, simulate=False).table(SWEEP.moved(grid(n=(10**9, 10**9 + 1))), SWEEP)
    assert len(empty) == 0
    assert {"n", "error"} <= set(empty)


def test_numbers_come_from_the_seed():
    a, b = (Run("quick", seed).table(SWEEP)["error"].to_numpy() for seed in (3, 4))
    assert not np.isclose(a, b).any()
