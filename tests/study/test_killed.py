"""A worker or a scheduler of a cluster that is killed in mid-sweep: nothing is lost but the blocks it was at.

A driver that is killed is that of `reproduce` (`tests/lab/runner/test_resume.py`).
"""

import importlib
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

import workbench
from tests.cluster import PATIENCE, cluster, until
from workbench.errors import ArgumentError
from workbench.study.sweeps import Store, digest, forget, run

ROOT = Path(workbench.__file__).parents[1]
SEED, COUNT, OPEN, TRIALS = 11, 24, 9, 5
SWEEP = """
import os, time
import numpy as np
from workbench.study.grids import Sweep, grid
from workbench.study.sweeps import run

def measure(*, trials, data, noise, **point):
    with open(os.environ["STARTED"], "a") as started:
        started.write(f"{os.getpid()} ")
    while point["n"] >= 40 and not os.path.exists(os.environ["GATE"]):
        time.sleep(0.01)
    x = data.standard_normal((trials, point["n"]))
    return {"error": np.abs(x.mean(axis=1)), "late": noise.random(trials) < 0.5}

SWEEP = Sweep("gated", grid(n=[10, 20, 30, 40, 50, 60, 70, 80]), measure, trials=5, blocks={"quick": 3})
"""  # the first nine of 24 blocks are computed at once, the others when the gate is open
DRIVER = """
import sys, gated
from workbench.study.sweeps import SchedulerLostError
try:
    gated.run(gated.SWEEP, "quick", seed={seed}, store={path!r}, **{options!r})
except SchedulerLostError as lost:
    sys.exit(str(lost))
"""


@pytest.fixture
def gated(tmp_path, monkeypatch):
    """Return the module of a sweep that stops in the middle, until the file `gate` is there."""
    (tmp_path / "gated.py").write_text(SWEEP)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("GATE", "STARTED"):
        monkeypatch.setenv(name, str(tmp_path / name))
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT), *filter(None, given)]))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "gated", raising=False)
    forget()
    return importlib.import_module("gated")


def started():
    return Path(os.environ["STARTED"])


def driver(path, **options):
    """Start a driver of the sweep as the leader of a process group of its own."""
    code = DRIVER.format(seed=SEED, path=str(path), options=options)
    command = [sys.executable, "-c", code]
    return subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True)


def stored(path):
    """Return what is stored, by order of arrival, read beside whoever writes."""
    statement = "SELECT point, block, seconds FROM cells ORDER BY rowid"
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return connection.execute(statement).fetchall()
    except sqlite3.OperationalError:  # no file yet, or no table in it
        return []


def finished(path, **options):
    """Run another driver to the end, with the gate open."""
    Path(os.environ["GATE"]).touch()
    with driver(path, **options) as process:
        assert process.wait(PATIENCE) == 0, process.stderr.read()


def same(gated, path):
    """Whether a store has the rows and the hash of a sweep that one process computed undisturbed."""
    with Store(path) as store, Store(path.with_name("whole.sqlite")) as whole:
        assert digest([store])[0] == COUNT
        serial = run(gated.SWEEP, "quick", seed=SEED, store=whole)
        resumed = run(gated.SWEEP, "quick", seed=SEED, store=store)
        pd.testing.assert_frame_equal(resumed, serial, check_exact=True)
        assert digest([store]) == digest([whole])


@pytest.mark.dask
def test_a_worker_killed_in_mid_sweep_is_survived(gated, tmp_path):
    path = tmp_path / "sweeps.sqlite"
    with cluster(dict(os.environ)) as dask, driver(path, scheduler=dask.address) as process:
        until(lambda: len(stored(path)) == OPEN)
        dask.workers[0].kill()
        Path(os.environ["GATE"]).touch()
        assert process.wait(PATIENCE) == 0, process.stderr.read()
    same(gated, path)
    assert len(set(started().read_text().split())) >= 2  # and one of them was killed


@pytest.mark.dask
def test_a_scheduler_killed_in_mid_sweep_is_said_in_one_line_and_its_rows_are_kept(gated, tmp_path):
    path = tmp_path / "sweeps.sqlite"
    with cluster(dict(os.environ)) as dask, driver(path, scheduler=dask.address) as process:
        until(lambda: len(stored(path)) == OPEN)
        dask.scheduler.kill()
        said = process.stderr.read()
        assert process.wait(PATIENCE) == 1
    kept = f"scheduler lost: {OPEN * TRIALS} of {COUNT * TRIALS} rows kept, run again to go on"
    assert said.splitlines() == [kept]
    before = stored(path)
    assert len(before) == OPEN
    started().unlink()
    with cluster(dict(os.environ), workers=1) as again:
        finished(path, scheduler=again.address)
        there = {str(worker.pid) for worker in again.workers}
    assert set(started().read_text().split()) == there  # one core: there, and not here
    assert stored(path)[:OPEN] == before
    same(gated, path)


@pytest.mark.dask
def test_a_cluster_that_does_not_answer_or_has_no_worker_is_refused(gated, monkeypatch):
    monkeypatch.setattr("workbench.study.profiles.ANSWER", 2)
    for address in ("tcp://127.0.0.1:9", "nonsense://", "zz"):
        with pytest.raises(ArgumentError, match=r"scheduler = .*that answers"):
            run(gated.SWEEP, "quick", seed=SEED, scheduler=address)
    with (
        cluster(dict(os.environ), workers=0) as none,
        pytest.raises(ArgumentError, match="one with a worker within 2 s"),
    ):
        run(gated.SWEEP, "quick", seed=SEED, scheduler=none.address)
