"""`reproduce` as a command: what it commits, compares and refuses, and which notebooks fail."""

import json
import re

import pytest

from tests.cluster import until
from tests.commands.conftest import command as command
from tests.lab.conftest import CHART, SETUP, checkout, run_workbench, write_notebook
from tests.lab.runner.test_resume import alive

NOTEBOOKS = {
    "01_good": (SETUP, CHART, 'lab.verdicts(["good"])'),
    "02_claim": (SETUP, CHART, 'lab.verdicts(["good", "wrong"])'),
    "03_long": (SETUP, 'lab.verdicts(["good"], full=["open"])'),
    "04_raises": ('raise ValueError("first\\nlast line")',),
}
FIGURE = ["error.json", "error.svg", "executed.ipynb"]


@pytest.fixture(scope="module")
def updated(tmp_path_factory):
    """A checkout all of whose notebooks were run to be committed, and what was said."""
    root = checkout(tmp_path_factory.mktemp("updated") / "checkout")
    for name, cells in NOTEBOOKS.items():
        write_notebook(root / "notebooks" / f"{name}.ipynb", *cells)
    done = run_workbench("reproduce", "--profile", "full", "--update", cwd=root)
    assert done.returncode == 1, done.stdout + done.stderr
    return root, done.stdout


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.daily
def test_what_is_good_is_committed_and_of_the_rest_is_said_what_is_wrong(updated):
    root, said = updated
    assert files(root / "figures") == [
        *(f"01_good/{name}" for name in ("error.json", "error.svg", "verdicts.json")), "sample_complexity.md",
    ]  # fmt: skip
    content = json.loads((root / "figures" / "01_good" / "error.json").read_text())
    assert content["charts"].keys() == {"quick", "full"}
    for line in (
        "FAILED 02_claim: ClaimError: wrong is REFUTED, expected HOLDS",
        "FAILED 03_long: ClaimError: open is UNDECIDED, expected HOLDS (full profile)",
        "FAILED 04_raises: ValueError: last line (cell 3)",
    ):
        assert line in said
    assert files(root / "reproduced" / "02_claim") == [*FIGURE, "verdicts.json"]
    decided = json.loads((root / "reproduced" / "03_long" / "verdicts.json").read_text())
    assert {profile: [one["id"] for one in some] for profile, some in decided.items()} == {
        "quick": ["good"],
        "full": ["good", "open"],
    }


@pytest.mark.daily
def test_a_quick_run_agrees_with_what_is_committed_and_is_not_made_twice(updated):
    root, _ = updated
    first = run_workbench("reproduce", "01_good", cwd=root / "notebooks")
    assert (first.returncode, "1 agrees" in first.stdout) == (0, True), first.stdout + first.stderr
    second = run_workbench("reproduce", "01_good", cwd=root)
    assert (second.returncode, "01_good: cached" in second.stdout) == (0, True)
    done = run_workbench("reproduce", "01_good/error", cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    assert files(root / "reproduced" / "01_good" / "error") == FIGURE
    committed = root / "figures" / "01_good" / "error.json"
    committed.write_text(committed.read_text().replace('"Error"', '"Other"'))
    third = run_workbench("reproduce", "01_good/error", cwd=root)
    assert (third.returncode, "FAILED 01_good/error: error.json: " in third.stdout) == (1, True)


@pytest.mark.daily
def test_a_timeout_is_named_and_leaves_no_process(project):
    leaves = f'pathlib.Path("{project}/pid").write_text(str(os.getpid()))'
    write_notebook(
        project / "notebooks" / "03_slow.ipynb", "import os, pathlib, time", leaves, "time.sleep(600)"
    )
    done = run_workbench("reproduce", "03_slow", "--timeout", "15", cwd=project)
    assert done.returncode == 1
    assert "FAILED 03_slow: stopped after 15 s" in done.stdout
    (seconds,) = re.findall(r"03_slow: timeout in (\d+) s", done.stdout)
    assert 15 <= int(seconds) <= 60  # what it took, its end included
    kernel = project / "pid"  # on a machine so busy that it never started there is none
    until(lambda: not (kernel.exists() and alive(kernel.read_text())))
