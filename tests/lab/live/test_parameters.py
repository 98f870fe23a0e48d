"""What a notebook's parameters may be: declared once, refused early and by name."""

import os
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.lab import starts
from tests.lab.conftest import DEFAULTS, ROOT, write_notebook
from workbench.chapters.parameters import CHAPTERS
from workbench.errors import ArgumentError
from workbench.lab.live import session as declared
from workbench.lab.live.session import Session
from workbench.lab.project import chapter
from workbench.lab.publish.committed import REQUIRED, examine, parameters
from workbench.lab.schemas import nbformat

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EVERY = [(name, parameter) for name, declared in CHAPTERS.items() for parameter in declared]
NO_NUMBERS = [float("nan"), float("inf"), "1", None, True]


@pytest.mark.parametrize(("name", "parameter"), EVERY)
def test_wrong_values_are_refused_by_name_and_legal_ones_are_not(name, parameter, tmp_path):
    declared = CHAPTERS[name][parameter]
    wrong = [*NO_NUMBERS, declared.low - 1, 2 * declared.high, *([10.5, 100.0] if declared.integer else [])]
    for value in wrong:
        with pytest.raises(ArgumentError) as raised:
            Session(name, out=str(tmp_path), **{parameter: value})
        assert str(raised.value).startswith(f"{parameter} = ")
        assert str(raised.value).endswith(f": expected {declared.words}")
    for value in (declared.low, declared.default, declared.high):
        Session(name, out=str(tmp_path), **{parameter: value})


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_declares_its_parameters_and_gives_them_to_its_session(notebook):
    own = set(parameters(notebook))
    assert own - {*REQUIRED} == set(CHAPTERS[chapter(notebook.stem)])
    given, setup, *_ = starts.cells(notebook)
    names, calls = {}, []
    exec(given, names)
    with patch("workbench.lab.notebook.Session", lambda *words, **named: calls.append((words, named))):
        exec(setup, names)
    ((words, named),) = calls
    assert words == (chapter(notebook.stem),)
    assert named == {name: names[name] for name in own}


START = CHAPTERS["one_mean"]
LINES = {name: f"{name} = {one.default!r}  # {one.words}: {one.meaning}" for name, one in START.items()}
OTHERS = [LINES[name] for name in LINES if name != "epsilon"]


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("lines", "finding"),
    [
        (
            [*OTHERS, "epsilon = 0.5  # 0.05 to 5"],
            f"the comment of epsilon does not say {START['epsilon'].words!r}",
        ),
        (
            [*OTHERS, f"epsilon = 0  # {START['epsilon'].words}"],
            f"epsilon = 0, declared as {START['epsilon'].words}",
        ),
        (OTHERS, "epsilon is missing"),
        (
            [*LINES.values(), "columns = 3  # coordinates"],
            "columns is not declared in workbench.chapters.parameters",
        ),
    ],
)
def test_the_checker_holds_a_notebook_to_what_is_declared(tmp_path, lines, finding):
    path = write_notebook(tmp_path / "02_one_mean.ipynb", parameters=[*DEFAULTS, *lines])
    assert examine(path).others == [f"parameters: {finding}"]


def test_a_session_refuses_what_papermill_gave_and_the_notebook_does_not_have(monkeypatch, tmp_path):
    monkeypatch.setattr(declared, "cells", lambda: ["# Parameters\nepsilo = 0.3\nseed = 4\n"])
    with pytest.raises(ArgumentError) as raised:
        Session("one_mean", out=str(tmp_path), epsilon=0.5, n=10)
    allowed = "one of epsilon, n, out, profile, recompute, seed; did you mean epsilon?"
    assert str(raised.value) == f"parameter epsilo = 0.3: expected {allowed}"


def papermill(folder, *options, notebook="02_one_mean"):
    words = [sys.executable, "-m", "papermill", ROOT / "notebooks" / f"{notebook}.ipynb", "out.ipynb"]
    own = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "", "TMPDIR": str(folder)}
    return subprocess.run(
        [*map(str, words), *options], cwd=folder, env={**os.environ, **own},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.daily
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("epsilon", "-1", "epsilon = -1: expected a number, 0.01 to 20"),
        ("epsilo", "0.3", "parameter epsilo = 0.3: expected one of alpha, delta, epsilon, level, n, "),
    ],
)
def test_papermill_fails_in_the_first_cell_after_the_parameters(tmp_path, name, value, message):
    started = time.monotonic()
    done = papermill(tmp_path, "-p", name, value)
    assert done.returncode != 0
    assert f"ArgumentError: {message}" in done.stderr
    assert time.monotonic() - started < 60  # of a busy machine; the notebook takes minutes
    cells = [cell for cell in nbformat().read(tmp_path / "out.ipynb", 4).cells if cell.cell_type == "code"]
    assert "Session(" in [cell.source for cell in cells if cell.execution_count][-1]
    assert [path for path in Path(tmp_path).iterdir() if path.name.startswith("workbench-")] == []


@pytest.mark.daily
def test_reproduce_refuses_before_anything_runs(tmp_path):
    words = ["reproduce", "02_one_mean", "-p", "epsilon=-1", "--out", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-m", "workbench.cli", *words],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    line = "workbench: error: epsilon = -1: expected a number, 0.01 to 20\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", line)
    assert not (tmp_path / "out").exists()
