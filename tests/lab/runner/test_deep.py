"""Figures that take an hour: made, resumed, compared, committed, and shown as they are committed."""

import io
import re
from types import SimpleNamespace

import pytest

from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Panel, Series
from workbench.lab.live import committed, session
from workbench.lab.live.committed import LONG, NOT_AT_HAND
from workbench.lab.live.session import Session
from workbench.lab.project import find
from workbench.lab.runner import deep, report, reproduce
from workbench.lab.runner.console import Console
from workbench.study.grids import Sweep, grid
from workbench.study.run import each_trial

CALLS = []


@each_trial
def measured(n: int, *, data, noise):
    CALLS.append(n)
    return {"error": data.normal() ** 2 / n}


SWEEP = Sweep("deep-demo", grid(n=(10, 20)), measured, 3, {"deep": 2})


def hours(run):
    """Return a demonstration."""
    errors = run.table(SWEEP).groupby("n")["error"].mean()
    series = Series("demo", errors.index, errors.to_numpy())
    return Chart("hours", "Hours", (Panel("", "n", "error", (series,)),), alt="demo", how_to_read="Falls.")


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "dp-workbench"\n')
    for name in ("01_one", "02_two"):
        (tmp_path / "notebooks" / f"{name}.ipynb").write_text("{}")
    monkeypatch.setattr(deep, "figures_of", lambda path: (hours,) if path.stem == "01_one" else ())
    CALLS.clear()
    return find(tmp_path)


def made(project, *names, **options):
    stream = io.StringIO()
    code = deep.make(project, names, project.root / "out", console=Console(stream), **options)
    return code, stream.getvalue()


def test_what_is_made_is_compared_with_what_is_committed(project):
    code, text = made(project)
    assert code == 1
    assert "01_one: Return a demonstration." in text
    assert "FAILED 01_one/deep/hours.json: made, but not committed" in text
    assert made(project, update=True)[0] == 0
    assert made(project) == (0, "01_one: Return a demonstration.\n")
    path = project.figures / "01_one" / "deep" / "hours.json"
    content = canonical_json.read(path)
    content["charts"]["deep"]["panels"][0]["series"][0]["y"][0] *= 2
    canonical_json.write(path, content)
    code, text = made(project)
    assert (code, text.count("FAILED 01_one/deep/hours.json")) == (1, 1)


def test_a_second_run_finds_the_blocks_of_the_first(project):
    made(project)
    assert len(CALLS) == 2 * 2 * 3
    made(project)
    assert len(CALLS) == 2 * 2 * 3


def test_a_notebook_without_such_figures_says_so(project):
    assert made(project, "02_two") == (0, "no figures that take an hour in 02_two\n")


def test_a_notebook_shows_the_committed_figure(project, monkeypatch):
    made(project, update=True)
    shown = []
    monkeypatch.setattr(session, "publish", lambda page, text: shown.append((page, text)))
    monkeypatch.setattr(committed, "figures_folder", lambda: project.figures)
    lab = Session("one", profile="quick", seed=1)
    lab.kept("hours")
    lab.kept("days")
    monkeypatch.setattr(committed, "figures_folder", lambda: None)
    lab.kept("hours")
    assert [text for _, text in shown] == [f"demo\n{LONG}", NOT_AT_HAND, NOT_AT_HAND]
    assert re.fullmatch(
        r"<details .*<summary>.*minutes to an hour</summary>.*Falls\..*</details>", shown[0][0]
    )
    canonical_json.write(project.figures / "01_one" / "verdicts.json", {"full": []})
    assert (
        "![demo](deep/hours.svg)" in report.pages(project.figures)[project.figures / "01_one" / "README.md"]
    )


def test_an_update_of_the_other_figures_leaves_them(project):
    made(project, update=True)
    notebook = project.figures / "01_one"
    (notebook / "former.json").write_text("{}")
    reproduce._update(project, project.root / "none", [SimpleNamespace(good=True, notebook="01_one")])
    assert sorted(path.name for path in notebook.rglob("*.*")) == ["hours.json", "hours.svg"]
