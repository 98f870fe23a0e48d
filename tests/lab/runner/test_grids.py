"""Runs away from a notebook's start: judged by predictions, laid side by side, sharing their blocks.

The notebook is a session in this process, lent what the runner lends; `test_headless` has a kernel.
"""

import csv
import io
import json
import re
from math import inf

import numpy as np
import pandas as pd
import pytest
from workbench.lab.runner.console import Console

from tests.commands.conftest import command as command
from tests.lab.conftest import DEFAULTS, write_notebook
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.curves import measured
from workbench.lab.live.session import Session
from workbench.lab.project import Project
from workbench.lab.runner import costs, index, notebooks, stores
from workbench.lab.runner.reproduce import Reproduction, reproduce
from workbench.study import measures
from workbench.study.grids import Sweep, grid

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


def usual(run):
    point = Series("point", (1.0,), (2.0,), (1.0,), (inf,), colour_key="mean/coinpress")
    return Chart("usual", "One point", (Panel("Where", "x", "y", (point,)),), alt='A "point".')


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    monkeypatch.setattr(costs, "slowness", lambda: 1.0)


class Lab:
    """A checkout with one notebook, and what its session does."""

    def __init__(self, root, monkeypatch):
        (root / "notebooks").mkdir(parents=True)
        (root / "pyproject.toml").write_text('[project]\nname = "dp-workbench"\n')
        write_notebook(root / "notebooks" / "02_one_mean.ipynb", parameters=[*DEFAULTS, *PARAMETERS])
        self.root, self.home, self.environment = root, root / "reproduced" / "02_one_mean", monkeypatch
        self.started, self.failing, self.factor = [], None, 1.0
        monkeypatch.setattr(notebooks, "_launch", self.launched)

    def launched(self, variant, shared):
        self.started.append(variant.folder)
        lease = shared.cores.lease(self.root / "lease.json", stores.place(variant.home))
        with lease as environment:
            for name, value in environment.items():
                self.environment.setenv(name, value)
            session = Session("one_mean", out=str(variant.out), profile=shared.profile, **variant.parameters)
            if variant.folder == self.failing:
                return notebooks.Outcome(variant.name, "error", "ValueError: too bad")
            at = variant.parameters
            factor = {} if self.factor == 1 else {"factor": self.factor}
            session.show(falling, epsilon=at["epsilon"], n=at["n"], **factor)
            session.show(usual)
        return notebooks.Outcome(variant.name, "ok", seconds=1.0, core_seconds=1.0)

    def reproduce(self, code=0, **request):
        said = Console(io.StringIO())
        assert reproduce(Project(self.root), Reproduction(jobs=1, **request), said) == code, (
            said.stream.getvalue()
        )
        return said.stream.getvalue()

    def numbers(self, *folder, name="falling"):
        return json.loads(self.home.joinpath(*folder, f"{name}.json").read_text())

    def table(self):
        with (self.home / "numbers.csv").open(newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))


@pytest.fixture
def lab(tmp_path, monkeypatch):
    return Lab(tmp_path / "checkout", monkeypatch)


def contents(folder):
    return {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_moved_run_is_judged_by_its_predictions_and_leaves_the_start_alone(lab):
    lab.reproduce(profile="full", update=True)
    start = contents(lab.home)
    said = lab.reproduce(given={"epsilon": 0.1})
    line = "falling: measured agrees with predicted at these parameters: 2 of 2 points"
    assert f"02_one_mean/epsilon=0.1 {line}\n" in said
    assert "usual: measured" not in said  # nothing is predicted in it
    assert contents(lab.home) == start
    kept = lab.numbers("epsilon=0.1")
    assert kept["agreement"] == {"points": 2, "outside": []}
    assert kept["parameters"] == {"epsilon": 0.1, "n": 2000, "factor": 1.0, "profile": "quick"}
    assert not (lab.root / "reproduced" / "sample_complexity.md").read_text().count("epsilon=0.1")
    assert "02_one_mean: ok" in lab.reproduce(given={"epsilon": 0.5})  # the start, as committed


def test_a_wrong_prediction_exits_1_and_says_where(lab):
    lab.factor = 3.0
    said = lab.reproduce(1, given={"epsilon": 0.1})
    words = r"measured agrees with predicted at these parameters: 0 of 2 points; outside: error at 2000: "
    assert re.search(f"FAILED 02_one_mean/epsilon=0.1: falling: {words}", said)
    assert re.search(r"02_one_mean/epsilon=0.1 +differs ", said)


def test_at_the_start_what_is_committed_judges(lab):
    lab.factor = 3.0
    said = lab.reproduce(1)
    assert "FAILED 02_one_mean: no committed figures; make them with: workbench reproduce" in said
    assert "agrees" not in said


def test_work_beyond_the_limit_is_refused_in_one_line_and_predicted_alone(lab):
    said = lab.reproduce(given={"n": 10_000_000})
    (line,) = [line for line in said.splitlines() if "predictions alone" in line]
    assert line == (
        "02_one_mean/n=1e7 falling: predictions alone, work of test-grids: 1.15e+03 times the usual, "
        "2 allowed; `workbench reproduce --limit 1300` runs it"
    )
    kept = lab.numbers("n=1e7")
    assert kept["refused"].startswith("predictions alone, work of test-grids")
    measured, theory = kept["charts"]["quick"]["panels"][0]["series"]
    assert (measured["y"], len(theory["y"])) == ([], 2)
    assert "agreement" not in kept
    lifted = lab.reproduce(given={"n": 10_000_000}, limit=2000)
    assert "predicted at these parameters: 2 of 2 points" in lifted
    assert lab.started == ["n=1e7"] * 2  # the limit is part of the cache's key
    assert "cached" in lab.reproduce(given={"n": 10_000_000}, limit=2000)


@pytest.mark.daily
def test_a_grid_shares_its_blocks_and_a_second_one_goes_on(lab):
    request = {"given": {"n": 500}, "grid": {"epsilon": (0.1, 2)}}
    lab.failing = "epsilon=2,n=500"
    assert "FAILED 02_one_mean/epsilon=2,n=500: ValueError: too bad" in lab.reproduce(1, **request)
    assert "not made: ValueError: too bad" in (lab.home / "index.html").read_text()
    assert stores.held(stores.place(lab.home))[0] == 2
    lab.failing = None
    said = lab.reproduce(**request)
    assert "2 blocks of earlier runs may save" in said
    assert lab.started == ["epsilon=0.1,n=500", "epsilon=2,n=500", "epsilon=2,n=500"]
    assert stores.held(stores.place(lab.home))[0] == 4
    lab.reproduce(grid={"epsilon": (0.1, 2), "n": (1000,)})
    assert stores.held(stores.place(lab.home))[0] == 6  # n = 1000 is in 500 and 1000, 1000 and 2000
    assert list((lab.root / "reproduced" / ".cache").iterdir()) == [stores.place(lab.home).parent]


def test_the_index_shows_every_figure_at_the_values_that_it_uses(lab):
    said = lab.reproduce(grid={"epsilon": (0.1, 2), "radius": (10, 100)})
    assert said.startswith("1 notebook at 4 settings, quick profile, into ")
    assert f"index of 02_one_mean: {lab.home / 'index.html'}" in said
    page = (lab.home / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"(?<!xmlns=.)(?:https?:)?//\w", re.sub(r"base64,[\w+/=]+", "", page))
    assert page.count("<img ") == 3  # falling at either ε, usual once
    assert page.count('alt="It falls at ε = 0.1."') == page.count("<b>ε = 2</b>") == 1
    assert 'alt="A &quot;point&quot;."' in page
    assert "<p>The same at all values of radius.</p>" in page
    assert "<p>The same at all values of epsilon and radius.</p>" in page
    assert page.count("measured agrees with predicted at these parameters: 2 of 2 points") == 2
    assert page.count("ε = 0.1, n = 2000, R = 10") == 2  # and 100
    assert 'href="epsilon%3D0.1%2Cradius%3D10/executed.ipynb"' in page


def test_all_plotted_numbers_stand_once_with_the_parameters_they_used(lab):
    lab.reproduce(grid={"epsilon": (0.1, 2), "radius": (10, 100)})
    rows = lab.table()
    columns = "notebook figure panel series role x y low high profile epsilon n radius seed factor"
    assert list(rows[0]) == columns.split()
    found = [row for row in rows if row["figure"] == "falling" and row["role"] == "estimate"]
    assert [(row["epsilon"], row["n"], row["radius"], row["x"]) for row in found] == [
        (epsilon, "2000", "", x) for epsilon in ("0.1", "2") for x in ("2000.0", "4000.0")
    ]
    (curve, _) = lab.numbers("epsilon=0.1,radius=10")["charts"]["quick"]["panels"][0]["series"]
    assert [float(row["y"]) for row in found[:2]] == curve["y"]
    (point,) = [row for row in rows if row["figure"] == "usual"]
    assert (point["epsilon"], point["y"], point["high"], point["series"]) == ("", "2.0", "inf", "point")
    kept = pd.read_json(lab.home / "numbers.json", orient="split")
    assert kept.columns.tolist() == columns.split()
    assert len(kept) == len(rows) == 2 * (2 + 2) + 1


def test_an_index_beside_the_start_is_none_of_its_outputs(lab):
    lab.reproduce(profile="full", update=True)
    lab.reproduce(grid={"epsilon": (0.5, 2)})
    assert {"index.html", "numbers.csv", "numbers.json", "falling.json"} <= {
        path.name for path in lab.home.iterdir()
    }
    assert "02_one_mean: cached" in lab.reproduce()


def test_multiples_have_the_same_axes_where_their_panels_are_alike():
    def chart(y, scale="log"):
        curve = Series("a", (1.0, 2.0), (y, 2 * y))
        return Chart("a", "A", (Panel("", "x", "y", (curve,), yscale=scale),), alt="A.")

    small, large = index.aligned([chart(1.0), chart(100.0)])
    assert small.panels[0].ylim == large.panels[0].ylim
    low, high = small.panels[0].ylim
    assert low < 1 < 200 < high
    assert index.aligned([chart(1.0), chart(1.0, "linear")]) == [chart(1.0), chart(1.0, "linear")]
