"""The committed notebooks under plain papermill, from any folder: `papermill NOTEBOOK OUT -p NAME VALUE`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MADE = (".json", ".svg")  # a picture, or what was decided


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "figure", "parameter"),
    [
        ("00_start_here", "spending", "epsilon"),
        ("01_what_epsilon_means", "two_outputs", "epsilon"),
        ("03_many_dimensions", "sides", "epsilon"),
        ("04_covariance", "one_radius", "rho"),
    ],
)
def test_a_notebook_runs_from_another_folder_and_leaves_the_figures_alone(tmp_path, name, figure, parameter):
    figures, notebooks, here = content(ROOT / "figures"), content(ROOT / "notebooks"), tmp_path / "here"
    here.mkdir()
    (tmp_path / "temporary").mkdir()
    words = [sys.executable, "-m", "papermill", ROOT / "notebooks" / f"{name}.ipynb", "out.ipynb"]
    done = subprocess.run(
        [*map(str, words), "-p", parameter, "0.25"],
        cwd=here,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "",
            "TMPDIR": str(tmp_path / "temporary"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (content(ROOT / "figures"), content(ROOT / "notebooks")) == (figures, notebooks)
    assert [path.name for path in here.iterdir()] == ["out.ipynb"]
    (made,) = (tmp_path / "temporary").glob("workbench-*")
    committed = {path.name for path in (ROOT / "figures" / name).iterdir() if path.suffix in MADE}
    assert {path.name for path in made.iterdir() if path.suffix in MADE} == committed
    assert json.loads((made / f"{figure}.json").read_text())["parameters"][parameter] == 0.25
