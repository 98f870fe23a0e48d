import json
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from tests.commands.conftest import command as command
from tests.lab.conftest import CHART, SETUP, environment, good_project, run_workbench, write_notebook


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    root = good_project(tmp_path_factory.mktemp("template") / "checkout")
    done = run_workbench("reproduce", "--profile", "full", "--update", cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    return root


@pytest.fixture
def updated(template, tmp_path):
    """A checkout whose figures are committed, and nothing reproduced yet."""
    return shutil.copytree(template, tmp_path / "checkout", ignore=shutil.ignore_patterns("reproduced"))


@pytest.fixture(scope="module")
def ran(template):
    """The same after a quick run from one of its folders."""
    done = run_workbench("reproduce", cwd=template / "notebooks")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "matter" not in done.stdout
    return template


@pytest.fixture
def reproduced(ran, tmp_path):
    """A checkout whose figures are committed and were reproduced in quick."""
    return shutil.copytree(ran, tmp_path / "checkout")


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.turns(6)
def test_update_commits_pictures_numbers_verdicts_and_index(updated):
    assert files(updated / "figures") == {
        "README.md",
        "01_good/README.md",
        "sample_complexity.md",
        "01_good/error.svg",
        "01_good/error.json",
        "01_good/verdicts.json",
    }
    assert set(json.loads((updated / "figures/01_good/error.json").read_text())["charts"]) == {
        "quick",
        "full",
    }
    contents = (updated / "figures/README.md").read_text()
    assert '<a href="01_good/README.md#error"><img src="01_good/error.svg"' in contents
    assert "1 of 1 claims hold" in contents
    page = (updated / "figures/01_good/README.md").read_text()
    assert "![It falls.](error.svg)" in page
    assert "| T1 | Toy claim T1: misses at most 3 % | HOLDS |" in page


@pytest.mark.turns(6)
def test_quick_run_agrees_with_what_full_has_committed_and_is_cached(reproduced, workbench):
    assert files(reproduced / "reproduced" / "01_good") == {
        "error.svg",
        "error.json",
        "verdicts.json",
        "executed.ipynb",
    }
    second = workbench("reproduce", cwd=reproduced)
    assert second.returncode == 0
    assert "01_good: cached" in second.stdout
    assert "matter" not in second.stdout


@pytest.mark.daily
def test_cache_notices_a_changed_output(reproduced, workbench):
    (reproduced / "reproduced/01_good/error.json").write_text("{}")
    again = workbench("reproduce", cwd=reproduced)
    assert "01_good: ok" in again.stdout
    assert again.returncode == 0


@pytest.mark.daily
def test_two_runs_write_the_same_bytes(reproduced, workbench, tmp_path):
    done = workbench("reproduce", "--out", tmp_path / "b", "--jobs", 1, cwd=reproduced)
    assert done.returncode == 0, done.stdout + done.stderr
    a, b = (pictures_and_numbers(folder) for folder in (reproduced / "reproduced", tmp_path / "b"))
    assert a.keys() >= {"01_good/error.svg", "01_good/error.json", "01_good/verdicts.json"}
    assert a == b


def pictures_and_numbers(folder):
    """The content of every SVG and JSON file, the runner's own records among them."""
    return {name: (folder / name).read_bytes() for name in files(folder) if name.endswith((".svg", ".json"))}


@pytest.mark.daily
def test_changed_numbers_exit_1_and_name_the_place(reproduced, workbench):
    path = reproduced / "figures/01_good/error.json"
    path.write_text(path.read_text().replace("0.3", "0.31"))
    done = workbench("reproduce", cwd=reproduced)
    assert done.returncode == 1
    assert "FAILED 01_good: error.json: charts quick panels[0] series[0] 'measured' y[0]: 0.3" in done.stdout
    assert "\n  workbench reproduce 01_good --profile full --update\n" in done.stdout
    assert "all of them matter" in done.stdout


@pytest.mark.daily
def test_parameters_skip_the_comparison_and_have_a_folder_of_their_own(updated, workbench):
    done = workbench("reproduce", "-p", "seed=9", cwd=updated)
    assert done.returncode == 0, done.stdout
    assert json.loads((updated / "reproduced/01_good/seed=9/error.json").read_text())["seed"] == 9


@pytest.mark.daily
def test_uncommitted_figures_fail_with_the_command_that_makes_them(project, workbench):
    done = workbench("reproduce", cwd=project)
    assert done.returncode == 1
    assert "workbench reproduce 01_good --profile full --update" in done.stdout


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
def test_undecided_is_allowed_in_quick_only(project, workbench):
    write_notebook(project / "notebooks/02_open.ipynb", "\n".join(SETUP), 'lab.verdicts(["T3"])')
    quick = workbench("reproduce", "02_open", "-p", "seed=1", cwd=project)
    assert quick.returncode == 0, quick.stdout
    full = workbench("reproduce", "02_open", "--profile", "full", "-p", "seed=1", cwd=project)
    assert "T3 is UNDECIDED" in full.stdout
    assert full.returncode == 1


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
    slow_notebook(project)
    done = workbench("reproduce", "03_slow", "--timeout", "15", cwd=project)
    assert done.returncode == 1
    assert "FAILED 03_slow: stopped after 15 s" in done.stdout
    (seconds,) = re.findall(r"03_slow: timeout in (\d+) s", done.stdout)
    assert 15 <= int(seconds) <= 60  # what it took, its end included
    kernel = project / "pid"  # on a machine so busy that it never started there is none
    assert not kernel.exists() or gone(kernel.read_text())


def slow_notebook(project):
    """Write a notebook that leaves its kernel's process id and sleeps."""
    write_notebook(
        project / "notebooks/03_slow.ipynb",
        "import os, pathlib, time",
        f'pathlib.Path("{project}/pid").write_text(str(os.getpid()))',
        "time.sleep(600)",
    )


@pytest.mark.daily
@pytest.mark.usefixtures("_heard")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_sigkill_and_interrupt_leave_no_kernel_and_the_next_run_is_good(updated, workbench, how):
    slow_notebook(updated)
    command = [sys.executable, "-m", "workbench.cli", "reproduce", "--jobs", "2"]
    with subprocess.Popen(command, cwd=updated, env=environment(), stdout=subprocess.DEVNULL) as process:
        wait_until((updated / "pid").exists)
        wait_until((updated / "reproduced/.cache/01_good.json").exists)
        process.send_signal(how)
    assert process.returncode in (130, -how)
    assert gone((updated / "pid").read_text())
    assert "01_good: cached" in workbench("reproduce", "01_good", cwd=updated).stdout


def wait_until(true, patience=60.0):
    deadline = time.monotonic() + patience
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


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
        (["-p", "sede=3"], ["parameter sede = 3", "a parameter of 01_good: seed"]),
        (["-p", "seed=many"], ["parameter seed = 'many'", "like the default 7"]),
        (["-p", "out=x"], ["out = 'x'", "--out"]),
        (["-p", "seed"], ["'seed'", "NAME=VALUE"]),
        (["02_nothing"], ["notebook = '02_nothing'", "01_good"]),
        (["--profile", "fast"], ["--profile", "'fast'", "quick", "full"]),
        (["--update"], ["update = 'profile quick'", "--profile full"]),
        (["--jobs", "0"], ["jobs = 0", "at least 1"]),
        (["--timeout", "nan"], ["timeout = nan", "above 0"]),
        (["--out", "figures"], ["out = ", "a folder of its own"]),
        (["--project", "/"], ["project = '/'", "a checkout of dp-workbench"]),
    ],
)
def test_bad_input_is_one_line_exit_2_and_nothing_written(project, command, monkeypatch, arguments, words):
    before = files(project)
    monkeypatch.chdir(project)
    command("reproduce", *arguments).refused(*words)
    assert files(project) == before


@pytest.mark.daily
def test_outside_a_checkout_is_one_line(workbench, tmp_path):
    done = workbench("reproduce", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "expected a folder inside a checkout of dp-workbench" in done.stderr


@pytest.mark.daily
def test_the_table_of_sample_sizes_is_written_and_must_be_that_of_the_verdicts(reproduced, workbench):
    table = reproduced / "figures" / "sample_complexity.md"
    assert "Claims about no sample size: T1." in table.read_text()
    assert (reproduced / "reproduced" / table.name).read_text() == table.read_text()
    table.write_text(table.read_text() + "| T1 | by hand |\n")
    done = workbench("reproduce", cwd=reproduced)
    assert done.returncode == 1
    assert "FAILED sample_complexity.md: not the table of the committed verdicts" in done.stdout
