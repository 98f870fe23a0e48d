"""What a notebook's parameters may be: declared once, refused early and by name."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.lab import starts
from tests.lab.conftest import ROOT
from workbench.chapters.parameters import CHAPTERS
from workbench.errors import ArgumentError
from workbench.lab.notebook import Session
from workbench.lab.project import chapter, nbformat
from workbench.lab.publish.committed import REQUIRED, parameters

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EVERY = [(name, parameter) for name, declared in CHAPTERS.items() for parameter in declared]


@pytest.mark.parametrize(("name", "parameter"), EVERY)
def test_wrong_values_are_refused_by_name_and_legal_ones_are_not(name, parameter, tmp_path):
    one = CHAPTERS[name][parameter]
    wrong = [float("nan"), float("inf"), "1", None, True, one.low - 1, 2 * one.high]
    for value in [*wrong, *([10.5, 100.0] if one.integer else [])]:
        with pytest.raises(ArgumentError) as raised:
            Session(name, out=str(tmp_path), **{parameter: value})
        assert str(raised.value).startswith(f"{parameter} = ")
        assert str(raised.value).endswith(f": expected {one.words}")
    for value in (one.low, one.default, one.high):
        Session(name, out=str(tmp_path), **{parameter: value})
    with pytest.raises(ArgumentError, match="default = "):
        replace(one, default=2 * one.high)


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


@pytest.mark.daily
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("epsilon", "-1", "epsilon = -1: expected a number, 0.01 to 20"),
        ("epsilo", "0.3", "parameter epsilo = 0.3: expected one of alpha, delta, epsilon, level, n, "),
    ],
)
def test_papermill_fails_in_the_first_cell_after_the_parameters(tmp_path, name, value, message):
    notebook, own = ROOT / "notebooks" / "02_one_mean.ipynb", {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": ""}
    done = subprocess.run(
        [sys.executable, "-m", "papermill", notebook, "out.ipynb", "-p", name, value],
        cwd=tmp_path, env={**os.environ, **own, "TMPDIR": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert f"ArgumentError: {message}" in done.stderr
    cells = [cell for cell in nbformat().read(tmp_path / "out.ipynb", 4).cells if cell.cell_type == "code"]
    assert "Session(" in [cell.source for cell in cells if cell.execution_count][-1]
    assert [path for path in Path(tmp_path).iterdir() if path.name.startswith("workbench-")] == []
