"""What is lent to sweeps: used by figures and claims that say nothing of it, and never seen in a number."""

import numpy as np
import pandas as pd
import pytest

from workbench.chapters import registry
from workbench.chapters.registry import Claim, decide
from workbench.errors import ArgumentError
from workbench.study import sweeps as sweep
from workbench.study.grids import Sweep, grid
from workbench.study.rules import at_most
from workbench.study.store import Store
from workbench.study.sweeps import Resources, forget, lending, resources, run

SEED = 3
JOBS = []


def measure(*, trials, data, noise, **point):
    """Means of a few rows."""
    return {"error": np.abs(data.standard_normal((trials, point["n"])).mean(axis=1))}


SWEEP = Sweep("lent", grid(n=[10, 20]), measure, trials=4, blocks={"quick": 2, "full": 3})


@pytest.fixture(autouse=True)
def _clean(monkeypatch):
    forget()
    JOBS.clear()
    chosen = sweep.chosen_backend
    monkeypatch.setattr(
        sweep,
        "chosen_backend",
        lambda backend, jobs, scheduler: JOBS.append(jobs) or chosen(backend, jobs, scheduler),
    )


def decided(frame):
    return at_most(int((frame["error"] > 9).sum()), len(frame), 0.5, 1e-3)


def test_nothing_is_lent_by_default():
    assert resources() == Resources(store=None, jobs=1)
    run(SWEEP, "quick", seed=SEED)
    assert JOBS == [1]


@pytest.mark.daily
def test_sweeps_use_what_is_lent_and_have_the_same_rows(tmp_path):
    plain = run(SWEEP, "full", seed=SEED)
    with lending(Resources(store=tmp_path / "lent.sqlite", jobs=2)):
        lent = run(SWEEP, "full", seed=SEED)
    assert JOBS == [1, 2]
    pd.testing.assert_frame_equal(plain, lent, check_exact=True)
    with Store(tmp_path / "lent.sqlite") as store:
        assert store.rows(SWEEP, seed=SEED).missing("full") == []


def test_what_the_caller_says_comes_first(tmp_path):
    with lending(Resources(store=tmp_path / "lent.sqlite", jobs=2)):
        run(SWEEP, "quick", seed=SEED, jobs=1, store=tmp_path / "own.sqlite")
        run(SWEEP, "full", seed=SEED, backend="serial", store=tmp_path / "own.sqlite")
    assert JOBS == [1, 1]
    assert not (tmp_path / "lent.sqlite").exists()


@pytest.mark.turns(6)
def test_claims_use_what_is_lent(tmp_path, monkeypatch):
    claim = Claim("lent", "0", ("L17/Thm1.1",), "errors are small", decided, lambda: (SWEEP,))
    monkeypatch.setitem(registry.CLAIMS, "lent", claim)
    with lending(Resources(store=tmp_path / "lent.sqlite", jobs=2)):
        verdict = decide(["lent"], "quick", SEED)["lent"]
    assert JOBS == [2]
    assert verdict == decide(["lent"], "quick", SEED)["lent"]
    with Store(tmp_path / "lent.sqlite") as store:
        assert store.rows(SWEEP, seed=SEED).missing("quick") == []


def test_lending_ends_with_its_block_however_that_ends():
    with pytest.raises(ZeroDivisionError), lending(Resources(jobs=2)):
        1 / 0  # noqa: B018
    assert resources().jobs == 1


@pytest.mark.parametrize("jobs", [0, -1, 1.5, None])
def test_resources_outside_their_domain_are_refused(jobs):
    with pytest.raises(ArgumentError, match="jobs"):
        Resources(jobs=jobs)
