"""A `reproduce` killed in mid-notebook: the next one computes only what is missing, to the same bytes."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster import until
from tests.lab.conftest import ROOT, checkout, write_notebook

COUNT, OPEN, TRIALS = 12, 5, 5  # blocks of either sweep; those that need no gate; runs of a block
SEEDED = Path("01_gated", "seed=8")  # not the seed that the notebook starts with: nothing is committed

GATED = """
import os, time
import numpy as np
from workbench.charts.chart import Chart, Panel, Series
from workbench.chapters.registry import CLAIMS
from workbench.study.claim import Claim
from workbench.study.rules import at_most
from workbench.study.grids import Sweep, grid
from workbench.study.sweeps import run

def measure(*, trials, data, noise, **point):
    with open(os.environ["STARTED"], "a") as started:
        started.write(f"{point['of']} ")
    gated = point["of"] == os.environ["GATED"] and point["n"] > 50
    while gated and not os.path.exists(os.environ["GATE"]):
        time.sleep(0.01)
    x = data.standard_normal((trials, point["n"]))
    return {"error": np.abs(x.mean(axis=1))}

def sweep(of):
    points = grid(of=of, n=range(10, 130, 10))
    return Sweep(f"gated-{of}", points, measure, trials=5, blocks={"quick": 1, "full": 2})

def errors(how):
    means = run(sweep("figure"), how.profile, seed=how.seed).groupby("n")["error"].mean()
    series = Series("measured", tuple(means.index), tuple(means), colour_key="mean/coinpress")
    return Chart("errors", "Errors", (Panel("Error", "n", "error", (series,)),), alt="They fall.")

def small(frame):
    return at_most(int((frame["error"] > 1.5).sum()), len(frame), 0.5, 1e-3)

CLAIMS["gated"] = Claim("gated", "0", ("L17/Thm1.1",), "errors are small", small, lambda: (sweep("claim"),))
"""
NOTEBOOK = (
    "import os, pathlib, gated",
    'pathlib.Path(os.environ["PID"]).write_text(str(os.getpid()))',
    "from workbench.lab.notebook import Session",
    "lab = Session(out=out, profile=profile, seed=seed)",
    'lab.show(gated.errors, verdicts=["gated"])',
    'lab.verdicts(["gated"])',
)
OUTPUTS = ("errors.json", "errors.svg", "verdicts.json")


@dataclass(frozen=True)
class Lab:
    """A checkout with one notebook, and a folder for one run of it: outputs, and what the blocks report."""

    checkout: Path
    folder: Path
    gated: str = ""  # the sweep that stops in the middle until the gate is open

    @property
    def out(self):
        return self.folder / "out"

    @property
    def environment(self):
        path = os.pathsep.join([str(self.checkout.parent), str(ROOT)])
        files = {name: str(self.folder / name) for name in ("GATE", "STARTED", "PID")}
        files["TMPDIR"] = str(self.folder)  # what a killed runner leaves there
        return {**os.environ, **files, "PYTHONPATH": path, "PYTHONWARNINGS": "", "GATED": self.gated}

    @property
    def command(self):
        return [sys.executable, "-m", "workbench.cli", "reproduce", "-p", "seed=8", "--out", str(self.out)]

    @property
    def started(self):
        path = self.folder / "STARTED"
        return path.read_text().split() if path.exists() else []

    @property
    def database(self):
        return next((self.out / ".cache" / "01_gated").glob("*.sqlite"), None)

    @property
    def stored(self):
        """What is stored, by order of arrival, read beside whoever writes."""
        if self.database is None:
            return []
        statement = "SELECT name, point, block, seconds FROM cells ORDER BY rowid"
        try:
            with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
                return connection.execute(statement).fetchall()
        except sqlite3.OperationalError:  # no table in it yet
            return []

    def bytes(self):
        return [(self.out / SEEDED / name).read_bytes() for name in OUTPUTS]

    def reproduce(self, *options):
        found = {"capture_output": True, "text": True, "env": self.environment, "check": False}
        done = subprocess.run([*self.command, *map(str, options)], cwd=self.checkout, **found)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def kill(self, blocks, *options):
        """Kill a `reproduce` with SIGKILL when so many blocks are stored, and wait for its kernel's end."""
        words, quiet = [*self.command, *options], {"stdout": subprocess.DEVNULL}
        with subprocess.Popen(words, cwd=self.checkout, env=self.environment, **quiet) as process:
            try:
                until(lambda: len(self.stored) == blocks or process.poll() is not None)
            finally:
                process.kill()
        assert process.returncode == -signal.SIGKILL
        until(lambda: not alive((self.folder / "PID").read_text()))


def alive(pid):
    listed = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False)
    return bool(listed.stdout.strip()) and not listed.stdout.startswith("Z")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nobody disturbed, on one process."""
    home = tmp_path_factory.mktemp("home")
    (home / "gated.py").write_text(GATED)
    root = checkout(home / "checkout")
    write_notebook(root / "notebooks" / "01_gated.ipynb", *NOTEBOOK)
    lab = Lab(root, home)
    lab.reproduce("--jobs", "1")
    assert len(lab.started) == len(lab.stored) == 2 * COUNT
    return lab


@pytest.fixture
def again(whole, tmp_path):
    """What is left of that run: its outputs and its store, but no record that they are good."""
    shutil.copytree(whole.out, tmp_path / "out")
    (tmp_path / "out" / "01_gated" / ".cache" / "seed=8.json").unlink()
    return Lab(whole.checkout, tmp_path)


@pytest.mark.daily
@pytest.mark.parametrize(("gated", "before", "jobs"), [("figure", OPEN, 2), ("claim", COUNT + OPEN, 1)])
def test_sigkill_in_mid_notebook_then_the_same_rows_and_bytes(whole, tmp_path, gated, before, jobs):
    lab = Lab(whole.checkout, tmp_path, gated)
    lab.kill(before, "--jobs", str(jobs))
    kept = lab.stored
    assert len(kept) == before
    (tmp_path / "STARTED").unlink()
    (tmp_path / "GATE").touch()
    said = lab.reproduce("--jobs", str(jobs))
    assert f"{before} blocks of earlier runs may save" in said
    assert lab.stored[:before] == kept
    assert len(lab.stored) == 2 * COUNT
    assert len(lab.started) == 2 * COUNT - before
    assert lab.bytes() == whole.bytes()


@pytest.mark.daily
def test_a_larger_profile_finds_what_a_smaller_one_stored(again):
    again.reproduce("--profile", "full")
    assert len(again.started) == 2 * COUNT  # of two blocks at every point, the first is there
    assert {path.name for path in (again.out / SEEDED).iterdir()} == {*OUTPUTS, "executed.ipynb"}
