"""`reproduce`: what it commits and compares, keeps when it is ended, and does on a cluster."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.chapters.test_claims import tails
from tests.lab.conftest import (
    PATIENCE,
    ROOT,
    checkout,
    cluster,
    environment,
    marked,
    until,
    write_notebook,
)
from workbench.errors import ArgumentError
from workbench.lab.runner import Interrupted, interruptible
from workbench.study.store import Store, digest
from workbench.study.sweeps import Sweep, grid, lending, run

COUNT, OPEN, TRIALS = 12, 5, 5  # blocks of either sweep; those that need no gate; runs of a block
BOTH = COUNT + OPEN
SEEDED = Path("01_gated", "seed=8")  # not the seed that the notebook starts with: nothing is committed

GATED = """
import os, time
import numpy as np
from workbench.charts.chart import Chart, Panel, Series
from workbench.chapters.registry import CLAIMS
from workbench.study.rules import Claim
from workbench.study.rules import at_most
from workbench.study.sweeps import Sweep, grid, run

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

def wrong():
    return at_most(40, 40, 0.03, 1e-6)

CLAIMS["gated"] = Claim("gated", "0", ("L17/Thm1.1",), "errors are small", small, lambda: (sweep("claim"),))
CLAIMS["wrong"] = Claim("wrong", "1", ("L17/Thm1.1",), "nothing fails", wrong)
"""
SESSION = ("from workbench.lab.notebook import Session", "lab = Session(out=out, profile=profile, seed=seed)")
NOTEBOOKS = {
    "01_gated": (
        "import gated",
        *SESSION,
        'lab.show(gated.errors, verdicts=["gated"])',
        'lab.verdicts(["gated"])',
    ),
    "02_wrong": ("import gated", *SESSION, 'lab.verdicts(["gated", "wrong"])'),
}
FIGURE = ["errors.json", "errors.svg"]
OUTPUTS = [*FIGURE, "verdicts.json"]


@dataclass(frozen=True)
class Lab:
    """A checkout with two notebooks, and a folder for a run of the first: outputs, and what blocks report."""

    checkout: Path
    folder: Path
    gated: str = ""  # the sweep that stops in the middle until the gate is open

    @property
    def out(self):
        return self.folder / "out"

    @property
    def environment(self):
        files = {name: str(self.folder / name) for name in ("GATE", "STARTED")}
        files |= dict.fromkeys(("TMPDIR", "MARK"), str(self.folder))  # what a killed runner leaves there
        own = {"PYTHONPATH": f"{self.checkout.parent}{os.pathsep}{ROOT}", "GATED": self.gated}
        return environment() | files | own

    @property
    def command(self):
        asked = ["reproduce", "01_gated", "-p", "seed=8", "--out", str(self.out)]
        return [sys.executable, "-m", "workbench.cli", *asked]

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
        statement = "SELECT name, point, block, seconds FROM cells ORDER BY rowid"
        try:
            with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
                return connection.execute(statement).fetchall()
        except sqlite3.OperationalError:  # no file yet, or no table in it
            return []

    def alive(self, running=""):
        return marked(str(self.folder), running)

    def bytes(self):
        return [(self.out / SEEDED / name).read_bytes() for name in OUTPUTS]

    def run(self, *words, code=0, cwd=None):
        found = {"capture_output": True, "text": True, "env": self.environment, "check": False}
        done = subprocess.run([*map(str, words)], cwd=cwd or self.checkout, **found)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def reproduce(self, *options, code=0):
        return self.run(*self.command, *options, code=code)


@contextmanager
def begun(lab, before, *options):
    """Start a `reproduce` that stands still when so many blocks are stored, and leave none behind."""
    said = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen([*lab.command, *options], cwd=lab.checkout, env=lab.environment, **said) as process:
        try:
            until(lambda: len(lab.stored) == before or process.poll() is not None)
            yield process
        finally:
            process.kill()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nobody disturbed, on one process."""
    home = tmp_path_factory.mktemp("home")
    (home / "gated.py").write_text(GATED)
    root = checkout(home / "checkout")
    for name, cells in NOTEBOOKS.items():
        write_notebook(root / "notebooks" / f"{name}.ipynb", *cells)
    lab = Lab(root, home)
    lab.reproduce("--jobs", "1")
    assert len(lab.started) == len(lab.stored) == 2 * COUNT
    return lab


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.daily
def test_what_is_good_is_committed_and_a_quick_run_agrees_with_it_once(whole):
    root, reproduce = whole.checkout, (sys.executable, "-m", "workbench.cli", "reproduce")
    said = whole.run(*reproduce, "--profile", "full", "--update", code=1)
    assert "FAILED 02_wrong: ClaimError: wrong is REFUTED, expected HOLDS" in said
    assert files(root / "figures") == [*(f"01_gated/{name}" for name in OUTPUTS), "sample_complexity.md"]
    assert files(root / "reproduced" / "02_wrong") == ["executed.ipynb", "verdicts.json"]
    started, said = len(whole.started), whole.run(*reproduce, "01_gated", cwd=root / "notebooks")
    assert ("1 agrees" in said, len(whole.started)) == (True, started)  # every block is there
    whole.run(*reproduce, "01_gated/errors")
    assert files(root / "reproduced" / "01_gated" / "errors") == [*FIGURE, "executed.ipynb"]
    committed = root / "figures" / "01_gated" / "errors.json"
    committed.write_text(committed.read_text().replace('"Errors"', '"Other"'))
    assert "FAILED 01_gated/errors: errors.json: " in whole.run(*reproduce, "01_gated/errors", code=1)


@pytest.mark.daily
def test_figures_are_those_of_papermill_from_another_folder(whole, tmp_path):
    lab, notebook = Lab(whole.checkout, tmp_path), whole.checkout / "notebooks" / "01_gated.ipynb"
    given = ("-p", "seed", "8", "-p", "out", lab.out / SEEDED)
    lab.run(sys.executable, "-m", "papermill", notebook, "executed.ipynb", *given, cwd=tmp_path)
    assert lab.bytes() == whole.bytes()
    assert not list(tmp_path.rglob("*.sqlite"))


PLANTED = ["ipykernel_launcher", "numpy", "workbench", "papermill", "joblib", "multiprocessing", "json"]


@pytest.mark.daily
@pytest.mark.parametrize("command", ["reproduce", "audit univariate/clipped-mean univariate/median"])
def test_modules_in_the_working_folder_or_among_outputs_are_not_run(whole, tmp_path, command):
    lab, here = Lab(whole.checkout, tmp_path), tmp_path / "here"
    for folder in (here, lab.out, lab.out / "01_gated", lab.out / SEEDED):
        folder.mkdir(parents=True)
        for name in PLANTED:
            (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'run')!r}, 'a').write({name!r})\n1 / 0")
    script = "import sys; del sys.path[0]; from workbench.cli import main; sys.exit(main())"
    asked = [*lab.command[3:], "--project", lab.checkout] if command == "reproduce" else command.split()
    lab.run(sys.executable, "-c", script, *asked, cwd=here)
    assert not (tmp_path / "run").exists()


@pytest.mark.daily
def test_a_timeout_is_named_and_leaves_no_process(whole, tmp_path):
    lab = Lab(whole.checkout, tmp_path, "figure")
    said = lab.reproduce("--timeout", "15", code=1)
    assert "FAILED 01_gated/seed=8: stopped after 15 s" in said
    (seconds,) = re.findall(r"01_gated/seed=8: timeout in (\d+) s", said)
    assert 15 <= int(seconds) <= 60  # what it took, its end included
    until(lambda: not lab.alive())


@pytest.mark.daily
@pytest.mark.parametrize(("gated", "before", "jobs"), [("figure", OPEN, 2), ("claim", BOTH, 1)])
def test_sigkill_in_mid_notebook_then_the_same_rows_and_bytes(whole, tmp_path, gated, before, jobs):
    lab = Lab(whole.checkout, tmp_path, gated)
    with begun(lab, before, "--jobs", str(jobs)) as process:
        process.kill()
    assert process.returncode == -signal.SIGKILL
    until(lambda: not lab.alive("ipykernel_launcher"))
    kept = lab.stored
    assert len(kept) == before
    (tmp_path / "STARTED").unlink()
    (tmp_path / "GATE").touch()
    said = lab.reproduce("--jobs", str(jobs))
    assert f"{before} blocks of earlier runs may save" in said
    assert lab.stored[:before] == kept
    assert (len(lab.stored), len(lab.started)) == (2 * COUNT, 2 * COUNT - before)
    assert lab.bytes() == whole.bytes()


@pytest.mark.daily
@pytest.mark.usefixtures("_heard")
def test_ctrl_c_pressed_in_haste_says_how_many_blocks_are_kept(whole, tmp_path):
    lab = Lab(whole.checkout, tmp_path, "figure")
    with begun(lab, OPEN, "--jobs", "2") as process:
        assert any(f"01_gated/seed=8: {OPEN} blocks, " in line for line in process.stdout)
        for _ in range(3):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            time.sleep(0.1)
        said = process.communicate()
    assert (process.returncode, *said) == (130, f"interrupted: {OPEN} blocks kept, run again to go on\n", "")
    until(lambda: not lab.alive())
    assert len(lab.stored) == OPEN


@pytest.mark.usefixtures("_heard")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_heard_once_and_not_at_all_where_it_was_ignored(how):
    """What cleans up is not interrupted again."""
    before = signal.getsignal(how)
    with interruptible():
        with pytest.raises(Interrupted) as ended:
            signal.raise_signal(how)
        os.kill(os.getpid(), how)
    assert ended.value.exit_code == 128 + how
    assert signal.getsignal(how) is before
    signal.signal(how, signal.SIG_IGN)  # as `nohup` does
    with interruptible():
        os.kill(os.getpid(), how)


# `reproduce --scheduler`: the bytes of one process, also when a worker or the scheduler is killed.


@pytest.mark.dask
def test_a_worker_that_is_killed_is_replaced_by_another(whole, tmp_path):
    lab = Lab(whole.checkout, tmp_path, "claim")
    with (
        cluster(lab.environment) as (address, _, worker, _),
        begun(lab, BOTH, "--scheduler", address) as process,
    ):
        worker.kill()
        (tmp_path / "GATE").touch()
        said, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said + errors
    assert lab.bytes() == whole.bytes()


@pytest.mark.dask
def test_a_scheduler_that_is_killed_is_one_line_and_the_next_run_goes_on(whole, tmp_path):
    lab = Lab(whole.checkout, tmp_path, "claim")
    with (
        cluster(lab.environment) as (address, scheduler, *_),
        begun(lab, BOTH, "--scheduler", address) as process,
    ):
        scheduler.kill()
        said, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, said + errors
    kept = f"{OPEN * TRIALS} of {COUNT * TRIALS} rows kept, run again to go on"
    assert f"FAILED 01_gated/seed=8: SchedulerLostError: scheduler lost: {kept}" in said
    assert errors == ""
    (tmp_path / "GATE").touch()
    with cluster(lab.environment) as (address, *_):
        said = lab.reproduce("--scheduler", address)
    with Store(whole.database) as store:
        assert digest([store])[1] in said
    assert lab.bytes() == whole.bytes()


@pytest.mark.dask
def test_a_cluster_that_does_not_answer_or_has_no_worker_is_refused(monkeypatch):
    monkeypatch.setattr("workbench.study.profiles.ANSWER", 2)
    sweep = Sweep("refused", grid(scale=1), tails, trials=1, blocks={"quick": 1})
    for address in ("tcp://127.0.0.1:9", "nonsense://", "zz"):
        with lending(scheduler=address), pytest.raises(ArgumentError, match=r"scheduler = .*that answers"):
            run(sweep, "quick", seed=1)
    with (
        cluster(dict(os.environ), workers=0) as (address, _),
        lending(scheduler=address),
        pytest.raises(ArgumentError, match="one with a worker within 2 s"),
    ):
        run(sweep, "quick", seed=1)
