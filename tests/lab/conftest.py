import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.lab.schemas import nbformat

FAKES = Path(__file__).parent / "fakes"
ROOT = Path(__file__).parents[2]
DEFAULTS = [
    'profile = "quick"  # quick or full',
    "seed = 7  # whole number",
    'out = ""  # folder; empty: temporary',
    "recompute = False  # True or False",
]
SETUP = [
    "from workbench.charts.chart import Chart, Panel, Series",
    "from workbench.lab.live.session import Session",
    "lab = Session(out=out, profile=profile, seed=seed)",
]


def environment():
    path = os.pathsep.join([str(FAKES), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


def run_workbench(*arguments, cwd=None, flags=()):
    command = [sys.executable, *flags, "-m", "workbench.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment(), cwd=cwd, check=False)


@pytest.fixture
def workbench():
    """Return the command, to be run with the fakes in place."""
    return run_workbench


def write_notebook(path, *cells, parameters=DEFAULTS):
    notebook = nbformat().v4.new_notebook(
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"},
            "language_info": {"name": "python"},
        }
    )
    notebook.nbformat_minor = 5
    first = nbformat().v4.new_code_cell("\n".join(parameters), metadata={"tags": ["parameters"]})
    notebook.cells = [first, *map(nbformat().v4.new_code_cell, cells)]
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"c{number:02d}"
        cell.metadata["slideshow"] = {"slide_type": "slide"}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat().writes(notebook) + "\n")
    return path


CHART = """series = Series("measured", (10, 100, 1000), (0.3, 0.1, seed / 210), colour_key="mean/coinpress")
panel = Panel("Error", "n", "error", (series,))
chart = Chart("error", "Error falls", (panel,), alt="It falls.")
lab.show(lambda run: chart, verdicts=["T1"])"""


@pytest.fixture
def project(tmp_path):
    """A checkout with one good notebook."""
    return good_project(tmp_path / "checkout")


def good_project(root):
    root.mkdir()
    (root / "pyproject.toml").write_text('[project]\nname = "dp-workbench"\n')
    write_notebook(root / "notebooks" / "01_good.ipynb", "\n".join(SETUP), CHART, 'lab.verdicts(["T1"])')
    return root


@pytest.fixture
def _heard():
    """What ends a process by default does: a shell starts what runs behind it deaf to Ctrl-C."""
    hows = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(how, signal.SIG_DFL) for how in hows]
    yield
    for how, handler in zip(hows, before, strict=True):
        signal.signal(how, handler)
