"""`workbench verdicts` on the claims of a toy, and what only a process of its own can show."""

import json
import subprocess
import sys

import pytest

from tests.commands.conftest import Done
from tests.lab.conftest import run_workbench, write_notebook


def of(done):
    return Done(done.returncode, done.stdout, done.stderr)


def write_project(root):
    (root / "pyproject.toml").write_text('[project]\nname = "dp-workbench"\n')
    write_notebook(root / "notebooks" / "01.ipynb")
    verdict = {"statement": "s", "test": "t", "level": 1e-6, "trials": 9, "n": 5, "estimate": 1.0}
    statuses = {"T1": "HOLDS", "T2": "REFUTED", "T3": "UNDECIDED"}
    records = [
        verdict | {"id": name, "status": status, "interval": [0, 2]} for name, status in statuses.items()
    ]
    (root / "figures" / "01").mkdir(parents=True)
    (root / "figures" / "01" / "verdicts.json").write_text(json.dumps({"quick": [], "full": records}))


@pytest.mark.daily
@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        ((), 0, "REFUTED"),
        (("--require-decided", "T1", "T2"), 0, "T2"),
        (("--require-decided", "T3"), 1, "FAILED T3: required to be decided, is UNDECIDED"),
        (("--require", "T1"), 0, "HOLDS"),
        (("--require", "T1", "T3"), 1, "FAILED T3: required to hold, is UNDECIDED"),
        (("--require", "T2"), 1, "FAILED T2: required to hold, is REFUTED"),
    ],
)
def test_verdicts(tmp_path, arguments, code, word):
    write_project(tmp_path)
    done = run_workbench("verdicts", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (code, "")
    assert word in done.stdout


@pytest.mark.daily
def test_verdicts_unknown_id_missing_folder_and_json(tmp_path):
    write_project(tmp_path)
    of(run_workbench("verdicts", "--require", "T9", cwd=tmp_path)).refused("claim = 'T9'", "T1, T2, T3")
    of(run_workbench("verdicts", "--from", "nowhere", cwd=tmp_path)).refused("from = 'nowhere'")
    done = run_workbench("verdicts", "--from", "figures", "--json", cwd=tmp_path)
    assert [record["id"] for record in json.loads(done.stdout)] == ["T1", "T2", "T3"]


@pytest.mark.daily
def test_committed_claims_can_be_missing(tmp_path):
    write_project(tmp_path)
    (tmp_path / "figures/01/verdicts.json").write_text("{}")
    done = run_workbench("verdicts", "--require-decided", "T1", cwd=tmp_path)
    assert "FAILED T1: required to be decided, is missing" in done.stdout
    assert done.returncode == 1


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("missing", ["pandas", "papermill", "matplotlib"])
def test_a_missing_extra_is_one_line(missing):
    code = f"""
import sys
sys.modules[{missing!r}] = None
from workbench.cli import main
import workbench.commands.list as command
def run(options):
    import {missing}
command.run = run
sys.exit(main(["list"]))
"""
    of(python(code)).refused(missing, 'pip install "dp-workbench[lab]"')


def test_help_loads_nothing_heavy():
    heavy = "{'numpy', 'scipy', 'matplotlib', 'pandas', 'ipywidgets', 'IPython', 'papermill', 'joblib'}"
    code = f"import sys, workbench.cli as c; c.parser(); print({heavy} & set(sys.modules))"
    assert python(code).stdout == "set()\n"
    assert run_workbench("--help").returncode == 0
