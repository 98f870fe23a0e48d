import json
import re
import subprocess
import time

import pytest

from tests.commands.conftest import command as command
from tests.lab.conftest import CHART, SETUP, good_project, run_workbench, write_notebook


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    root = good_project(tmp_path_factory.mktemp("template") / "checkout")
    done = run_workbench("reproduce", "--profile", "full", "--update", cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    return root


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.daily
def test_update_commits_pictures_numbers_verdicts_and_index(template):
    assert files(template / "figures") == {
        "README.md",
        "01_good/README.md",
        "sample_complexity.md",
        "01_good/error.svg",
        "01_good/error.json",
        "01_good/verdicts.json",
    }
    assert set(json.loads((template / "figures/01_good/error.json").read_text())["charts"]) == {
        "quick",
        "full",
    }
    contents = (template / "figures/README.md").read_text()
    assert '<a href="01_good/README.md#error"><img src="01_good/error.svg"' in contents
    assert "1 of 1 claims hold" in contents
    page = (template / "figures/01_good/README.md").read_text()
    assert "![It falls.](error.svg)" in page
    assert "| T1 | Toy claim T1: misses at most 3 % | HOLDS |" in page


@pytest.mark.daily
def test_quick_run_agrees_with_what_full_has_committed_and_is_cached(template, workbench):
    done = workbench("reproduce", cwd=template / "notebooks")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "matter" not in done.stdout
    assert files(template / "reproduced" / "01_good") == {
        "error.svg",
        "error.json",
        "verdicts.json",
        "executed.ipynb",
    }
    second = workbench("reproduce", cwd=template)
    assert second.returncode == 0
    assert "01_good: cached" in second.stdout
    assert "matter" not in second.stdout


@pytest.mark.daily
def test_falsified_claim_exits_1_and_leaves_its_evidence(project, workbench):
    write_notebook(
        project / "notebooks/02_claim.ipynb", "\n".join(SETUP), CHART, 'lab.verdicts(["T1", "T2"])'
    )
    done = workbench("reproduce", "02_claim", "--profile", "full", "--update", cwd=project)
    assert done.returncode == 1
    assert "FAILED 02_claim: ClaimError: T2 is REFUTED, expected HOLDS" in done.stdout
    out = project / "reproduced/02_claim"
    assert {"error.svg", "error.json", "verdicts.json", "executed.ipynb"} <= files(out)
    statuses = [verdict["status"] for verdict in json.loads((out / "verdicts.json").read_text())["full"]]
    assert statuses == ["HOLDS", "REFUTED"]
    assert not (project / "figures/02_claim").exists()


@pytest.mark.daily
def test_some_claims_are_decided_in_full_only(project, workbench):
    write_notebook(project / "notebooks/02_long.ipynb", "\n".join(SETUP), 'lab.verdicts(["T1"], full=["T3"])')
    done = workbench("reproduce", "02_long", "--profile", "full", "-p", "seed=1", cwd=project)
    assert "T3 is UNDECIDED, expected HOLDS (full profile)" in done.stdout
    decided = json.loads((project / "reproduced/02_long/seed=1/verdicts.json").read_text())
    ids = {profile: [verdict["id"] for verdict in verdicts] for profile, verdicts in decided.items()}
    assert ids == {"quick": ["T1"], "full": ["T1", "T3"]}


@pytest.mark.daily
def test_an_exception_is_named_by_its_last_line(project, workbench):
    write_notebook(project / "notebooks/02_error.ipynb", 'raise ValueError("first\\nlast line")')
    done = workbench("reproduce", "02_error", cwd=project)
    assert done.returncode == 1
    assert "FAILED 02_error: ValueError: last line (cell 3)" in done.stdout


@pytest.mark.daily
def test_a_timeout_is_named_and_leaves_no_process(project, workbench):
    leaves = f'pathlib.Path("{project}/pid").write_text(str(os.getpid()))'
    cells = ("import os, pathlib, time", leaves, "time.sleep(600)")
    write_notebook(project / "notebooks/03_slow.ipynb", *cells)
    done = workbench("reproduce", "03_slow", "--timeout", "15", cwd=project)
    assert done.returncode == 1
    assert "FAILED 03_slow: stopped after 15 s" in done.stdout
    (seconds,) = re.findall(r"03_slow: timeout in (\d+) s", done.stdout)
    assert 15 <= int(seconds) <= 60  # what it took, its end included
    kernel = project / "pid"  # on a machine so busy that it never started there is none
    assert not kernel.exists() or gone(kernel.read_text())


def gone(pid, patience=10.0):
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        state = subprocess.run(
            ["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False
        ).stdout
        if not state.strip() or state.startswith("Z"):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-p", "seed=many"], ["parameter seed = 'many'", "like the default 7"]),
        (["-p", "out=x"], ["out = 'x'", "--out"]),
        (["02_nothing"], ["notebook = '02_nothing'", "01_good"]),
        (["--profile", "fast"], ["--profile", "'fast'", "quick", "full"]),
        (["--update"], ["update = 'profile quick'", "--profile full"]),
        (["--jobs", "0"], ["jobs = 0", "at least 1"]),
        (["--timeout", "nan"], ["timeout = nan", "above 0"]),
        (["--out", "figures"], ["out = ", "a folder of its own"]),
        (["--out", "/proc/nothing"], ["/proc/nothing: ", "No such file"]),
        (["--store", "/proc/nothing"], ["store = '/proc/nothing'", "read and written"]),
        (["--project", "/"], ["project = '/'", "a checkout of dp-workbench"]),
    ],
)
def test_bad_input_is_one_line_exit_2_and_nothing_written(project, command, monkeypatch, arguments, words):
    before = files(project)
    monkeypatch.chdir(project)
    command("reproduce", *arguments).refused(*words)
    assert files(project) == before


def test_outside_a_checkout_is_one_line(command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    command("reproduce").refused("expected a folder inside a checkout of dp-workbench")
