"""What a run says of its core-seconds: the estimate, what was used, and who was above the budget."""

import io

import pytest
from workbench.lab.runner.console import Console
from workbench.lab.runner.costs import Costs, costs

from tests.lab.conftest import DEFAULTS, environment, write_notebook
from workbench.lab.project import Project
from workbench.lab.runner import costs as lab_costs
from workbench.lab.runner.notebooks import Outcome, Variant
from workbench.lab.runner.reproduce import Reproduction, reproduce
from workbench.study.profiles import Work

WORKS = {"01_good": Work(expected=10, budget=20), "02_heavy": Work(expected=30, budget=40), "03_new": None}


def test_the_estimate_is_the_sum_of_what_is_known_on_this_machine():
    found = Costs("quick", WORKS, slowness=1.5)
    assert found.expected == 60
    assert found.before() == (
        "estimated 60 core-seconds; a core here takes 1.50 of the reference machine's time;"
        " nothing is known of 03_new"
    )


def test_stored_blocks_are_said_and_not_subtracted():
    found = Costs("quick", {"01_good": WORKS["01_good"]}, slowness=1.0, held=(7, 4.2))
    assert found.before().startswith("estimated 10 core-seconds")
    assert found.before().endswith("; 7 blocks of earlier runs may save 4")


def test_what_was_used_is_compared_where_an_estimate_was_made():
    found = Costs("quick", WORKS, slowness=1.5)
    used = {"01_good": 12.0, "02_heavy": 59.0, "03_new": 500.0, "04_cached": 0.0}
    lines = found.after(Outcome(name, "ok", core_seconds=seconds) for name, seconds in used.items())
    assert lines == ["estimated 60 core-seconds, used 71"]


def test_a_budget_counts_core_seconds_of_the_reference_machine():
    found = Costs("quick", WORKS, slowness=1.5)
    assert found.after([Outcome("02_heavy", "ok", core_seconds=61.0)]) == [
        "estimated 60 core-seconds, used 61",
        "OVER BUDGET 02_heavy: 41 core-seconds of the reference machine, quick allows 40",
    ]


def test_nothing_is_said_when_nothing_ran():
    assert Costs("quick", {}, slowness=1.0).after([Outcome("01_good", "cached")]) == []


def test_costs_are_read_from_the_profiles_and_the_machine_is_timed(tmp_path, monkeypatch):
    monkeypatch.setattr(lab_costs, "slowness", lambda: 2.0)
    monkeypatch.setattr(lab_costs, "NOTEBOOKS", {"01_good": {"quick": WORKS["01_good"]}})
    stems = ("01_good", "02_other")
    chosen = [Variant(tmp_path / f"{stem}.ipynb", tmp_path / stem) for stem in stems]
    assert costs(chosen, "quick").works == {"01_good": WORKS["01_good"], "02_other": None}
    assert costs(chosen, "quick").expected == 20
    assert costs(chosen, "full").expected == 0


BURN = """
import time
from workbench.study.profiles import workers

def burn(seconds):
    started = time.thread_time()
    while time.thread_time() - started < seconds:
        pass

futures = [workers(2).submit(burn, 3.0) for _ in range(2)]
[future.result() for future in futures]
"""


@pytest.mark.daily
def test_what_is_used_counts_the_kernel_and_its_workers(project, monkeypatch):
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(lab_costs, "NOTEBOOKS", {"02_burn": {"quick": Work(expected=16, budget=0.5)}})
    write_notebook(project / "notebooks" / "02_burn.ipynb", BURN, parameters=DEFAULTS)
    said = Console(io.StringIO())
    request = Reproduction(notebooks=["02_burn"], given={"seed": 3})
    assert reproduce(Project(project), request, said) == 0
    lines = said.stream.getvalue().splitlines()
    (compared,) = [line for line in lines if line.startswith("estimated") and "used" in line]
    used = float(compared.split("used")[1])
    assert 6 <= used <= 60  # two burn for three seconds; Python and its libraries start four times
    assert any(line.startswith("OVER BUDGET 02_burn/seed=3: ") for line in lines)
    assert any(line.startswith("estimated") and "the reference machine's time" in line for line in lines)
