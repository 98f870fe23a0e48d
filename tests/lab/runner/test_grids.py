"""Runs away from a notebook's start: judged by predictions, one at every combination, sharing their blocks.

The notebook is a session in this process, lent what the runner lends; `test_reproduce` has a kernel.
"""

import json
from math import inf

import numpy as np
import pytest

from tests.lab.conftest import DEFAULTS, checkout, write_notebook
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.curves import measured
from workbench.lab import runner
from workbench.lab.notebook import Session
from workbench.lab.project import Project
from workbench.study import measures
from workbench.study.grids import Sweep, grid
from workbench.study.run import TooMuchWorkError
from workbench.study.sweeps import LENT

HALF = 0.6744897501960817  # the median of |z|
PARAMETERS = ["epsilon = 0.5  # ε", "n = 2000  # rows", "radius = 1000.0  # R"]


def block(n, epsilon, *, trials, data, noise):
    return {"error": np.abs(data.standard_normal(trials)) / (n * epsilon)}


SWEEP = Sweep("test-grids", grid(epsilon=0.5, n=(2000, 4000)), block, 40, {"quick": 1, "full": 2})


def falling(run, *, epsilon=0.5, n=2000, factor=1.0):
    frame = run.table(SWEEP.moved(grid(epsilon=epsilon, n=(n, 2 * n))))
    found = {rows: measures.median(one["error"], 0.05) for rows, one in measures.by(frame, "n").items()}
    expected = [factor * HALF / (rows * epsilon) for rows in found]
    theory = Series("", (n, 2 * n), [HALF / (rows * epsilon) for rows in (n, 2 * n)], role="theory")
    curves = (measured("error", found, "mean/coinpress", expected), theory)
    return Chart("falling", "It falls", (Panel("", "n", "error", curves),), alt=f"It falls at ε = {epsilon}.")


def heavy(run, *, n=2000):
    if run.simulate and n > 2000:
        raise TooMuchWorkError("rows", n / 2000, 2)
    return usual(run)


def usual(run):
    point = Series("point", (1.0,), (2.25,), (1.0,), (inf,), colour_key="mean/coinpress")
    return Chart("usual", "One point", (Panel("Where", "x", "y", (point,)),), alt='A "point".')


class Lab:
    """A checkout with one notebook, and what its session does."""

    def __init__(self, root, monkeypatch, capsys):
        write_notebook(
            checkout(root) / "notebooks" / "02_one_mean.ipynb", parameters=[*DEFAULTS, *PARAMETERS]
        )
        self.root, self.home = root, root / "reproduced" / "02_one_mean"
        self.environment, self.capsys = monkeypatch, capsys
        self.started, self.failing, self.factor = [], None, 1.0
        monkeypatch.setattr(runner.Batch, "launched", lambda *given: self.launched(*given))

    def launched(self, batch, variant, share):
        self.started.append(variant.folder)
        self.environment.setenv(LENT, json.dumps({"store": str(runner.place(variant.home)), "jobs": 1}))
        at = {"epsilon": 0.5, "n": 2000, "radius": 1000.0, "seed": 7, **variant.moved}
        session = Session("one_mean", out=str(variant.out), profile=batch.profile, recompute=True, **at)
        if variant.folder == self.failing:
            return runner.Outcome(variant.name, "error", "ValueError: too bad")
        factor = {} if self.factor == 1 else {"factor": self.factor}
        session.show(falling, epsilon=at["epsilon"], n=at["n"], **factor)
        session.show(heavy, n=at["n"])
        return runner.Outcome(variant.name, "ok", seconds=1.0, core_seconds=1.0)

    def reproduce(self, code=0, profile="quick", **request):
        batch = runner.Batch(profile, jobs=1, say=print)
        found = runner.reproduce(Project(self.root), batch, **request)
        said = self.capsys.readouterr().out
        assert found == code, said
        return said


@pytest.fixture
def lab(tmp_path, monkeypatch, capsys):
    return Lab(tmp_path / "checkout", monkeypatch, capsys)


def contents(folder):
    return {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_moved_run_is_judged_by_its_predictions_and_leaves_the_start_alone(lab):
    lab.reproduce(profile="full", update=True)
    start = contents(lab.home)
    said = lab.reproduce(given={"epsilon": 0.1})
    line = "falling: measured agrees with predicted at 2 of 2 points"
    assert f"02_one_mean/epsilon=0.1 {line}\n" in said
    assert "usual: measured" not in said  # nothing is predicted in it
    refused = "work of rows: 4 times the usual, 2 allowed; `workbench reproduce --limit 4.4` runs it"
    line = f"02_one_mean/n=8000 usual: predictions alone, {refused}\n"
    assert line in lab.reproduce(given={"n": 8000})
    assert contents(lab.home) == start


def test_a_prediction_that_is_wrong_elsewhere_exits_1(lab):
    lab.factor = 3.0
    said = lab.reproduce(1, given={"epsilon": 0.1})
    assert "FAILED 02_one_mean/epsilon=0.1: falling: measured agrees with predicted" in said
    assert "0 of 2 points; outside: " in said


def test_a_grid_is_a_run_at_every_combination_and_what_was_made_is_not_made_again(lab):
    folders = ["epsilon=0.1", "epsilon=0.2", "epsilon=0.3"]
    lab.failing = folders[1]
    said = lab.reproduce(1, grid={"epsilon": (0.1, 0.2, 0.3)})
    assert lab.started == folders
    assert "FAILED 02_one_mean/epsilon=0.2: ValueError: too bad" in said
    lab.failing = None
    lab.reproduce(grid={"epsilon": (0.1, 0.2, 0.3)})
    assert lab.started == [*folders, folders[1]]


def test_outputs_that_are_as_they_were_are_not_made_again_and_a_damaged_store_is_set_aside(lab):
    given, path = {"epsilon": 0.1}, runner.place(lab.home)
    lab.reproduce(given=given)
    assert "02_one_mean/epsilon=0.1: cached" in lab.reproduce(given=given)
    (lab.home / "epsilon=0.1" / "usual.json").write_text("{}")
    path.write_text("nonsense " * 1000)
    said = lab.reproduce(given=given)
    assert "02_one_mean/epsilon=0.1: ok" in said
    assert f"(its store was damaged: begun again; it is kept as {path.name}.damaged-1)" in said
    assert len(lab.started) == 2


def test_numbers_that_are_not_committed_or_are_others_exit_1_and_say_what_to_do(lab):
    command = "workbench reproduce 02_one_mean --profile full --update"
    assert f"FAILED 02_one_mean: no committed figures; make them with: {command}" in lab.reproduce(1)
    lab.reproduce(profile="full", update=True)
    assert "all of them matter" not in lab.reproduce()
    path = lab.root / "figures" / "02_one_mean" / "falling.json"
    content = json.loads(path.read_text())
    content["charts"]["quick"]["panels"][0]["series"][1]["y"][0] *= 1.1  # a theory's
    path.write_text(json.dumps(content))
    said = lab.reproduce(1)
    assert "FAILED 02_one_mean: falling.json: charts quick panels[0] series[1]" in said
    assert f"\n  {command}\n" in said
