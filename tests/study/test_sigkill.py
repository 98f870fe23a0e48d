"""A driver that is killed in mid-sweep: nothing is lost but the blocks it was at, and nobody survives it."""

import hashlib
import importlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pandas as pd
import pytest

import workbench
from workbench.study.store import Store
from workbench.study.sweeps import forget, run

ROOT = Path(workbench.__file__).parents[1]
SEED, COUNT, OPEN = 11, 24, 9
PATIENCE = 120.0  # seconds until a test that hangs is called so

SWEEP = """
import os, time
import numpy as np
from workbench.study.grids import Sweep, grid
from workbench.study.sweeps import run

def measure(*, trials, data, noise, **point):
    with open(os.environ["STARTED"], "a") as started:
        started.write("x")
    while point["n"] >= 40 and not os.path.exists(os.environ["GATE"]):
        time.sleep(0.01)
    x = data.standard_normal((trials, point["n"]))
    return {"error": np.abs(x.mean(axis=1)), "late": noise.random(trials) < 0.5}

SWEEP = Sweep("gated", grid(n=[10, 20, 30, 40, 50, 60, 70, 80]), measure, trials=5, blocks={"quick": 3})
"""  # the first nine of 24 blocks are computed at once, the others when the gate is open


@pytest.fixture
def gated(tmp_path, monkeypatch):
    """Return the module of a sweep that stops in the middle, until the file `gate` is there."""
    (tmp_path / "gated.py").write_text(SWEEP)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("GATE", str(tmp_path / "gate"))
    monkeypatch.setenv("STARTED", str(tmp_path / "started"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "gated", raising=False)
    forget()
    return importlib.import_module("gated")


def driver(path, options):
    """Start a driver of the sweep as the leader of a process group of its own."""
    code = f"import gated; gated.run(gated.SWEEP, 'quick', seed={SEED}, store={str(path)!r}, **{options!r})"
    return subprocess.Popen([sys.executable, "-c", code], start_new_session=True, stderr=subprocess.DEVNULL)


def stored(path):
    """Return what is stored, by order of arrival, read beside whoever writes."""
    statement = "SELECT point, block, seconds FROM cells ORDER BY rowid"
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return connection.execute(statement).fetchall()
    except sqlite3.OperationalError:  # no file yet, or no table in it
        return []


def until(true):
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def group(leader):
    """Return the processes of a group that are still running."""
    listed = subprocess.run(["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=True)
    states = [line.split() for line in listed.stdout.splitlines()]
    return [state for pgid, state in states if int(pgid) == leader and not state.startswith("Z")]


def killed(path, options, ready):
    """Kill a driver with SIGKILL once `ready`, and return when its whole group is gone."""
    with driver(path, options) as process:
        try:
            until(lambda: ready() or process.poll() is not None)
            assert process.poll() is None
            process.kill()
            process.wait()
            until(lambda: not group(process.pid))
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL


def digest(frame):
    return hashlib.sha256(pd.util.hash_pandas_object(frame).to_numpy().tobytes()).hexdigest()


BACKENDS = [{"backend": "serial"}, {"backend": "loky", "jobs": 1}, {"backend": "loky", "jobs": 2}]
NAMES = ["serial", "loky-1", "loky-2"]


def finished(gated, path, options):
    """Run another driver to the end, with the gate open, and compare with a sweep that nobody killed."""
    Path(os.environ["GATE"]).touch()
    with driver(path, options) as process:
        assert process.wait(PATIENCE) == 0
    with Store(path) as store:
        resumed = store.rows(gated.SWEEP, seed=SEED).table("quick")
    whole = run(gated.SWEEP, "quick", seed=SEED)
    pd.testing.assert_frame_equal(resumed, whole, check_exact=True)
    assert digest(resumed) == digest(whole)


@pytest.mark.daily
@pytest.mark.parametrize("options", BACKENDS, ids=NAMES)
def test_sigkill_in_mid_sweep_then_the_same_rows_and_hash(gated, tmp_path, options):
    path, started = tmp_path / "sweeps.sqlite", Path(os.environ["STARTED"])
    killed(path, options, lambda: len(stored(path)) == OPEN)
    before = stored(path)
    assert len(before) == OPEN
    started.unlink()
    finished(gated, path, options)
    assert stored(path)[:OPEN] == before
    assert len(stored(path)) == COUNT
    assert len(started.read_text()) == COUNT - OPEN + COUNT  # what was missing, then the whole for comparison


@pytest.mark.daily
def test_sigkill_again_and_again(gated, tmp_path):
    path, options = tmp_path / "sweeps.sqlite", {"backend": "loky", "jobs": 2}
    killed(path, options, Path(os.environ["STARTED"]).exists)
    assert len(stored(path)) <= OPEN
    killed(path, options, lambda: len(stored(path)) == OPEN)
    finished(gated, path, options)
    assert len(stored(path)) == COUNT
