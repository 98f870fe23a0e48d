"""Every exercise has a solution, and the code of a solution is right where that of the exercise is wrong."""

import json
import re
from textwrap import dedent

import numpy as np
import pytest

from tests.lab.conftest import ROOT
from workbench.chapters import any_gaussian, covariance
from workbench.chapters.covariance.one_radius import WORLDS
from workbench.chapters.many_dimensions import box_and_ball as many_dimensions
from workbench.chapters.one_mean import costs as one_mean
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, PureDP
from workbench.study.audit import audit
from workbench.study.hidden import hidden_worlds

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
REPAIRED = {
    "02_one_mean": (one_mean, PureDP(1.0), 0.1),
    "03_many_dimensions": (many_dimensions, GaussianDP(1.0), 0.4),
}


def cells(path):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]


def questions_and_solutions(path):
    texts = cells(path)
    (place,) = (place for place, one in enumerate(texts) if one.startswith("## Exercises"))
    return texts[place], texts[place + 1]


def solution(stem, first="def mine"):
    """What the code of a solution defines that begins with these words."""
    told = questions_and_solutions(ROOT / "notebooks" / f"{stem}.ipynb")[1]
    codes = [dedent(code) for code in re.findall(r"```python\n(.*?)```", told, re.DOTALL)]
    (code,) = (one for one in codes if one.startswith(first))
    names = {"np": np, "print": lambda *_: None, "ZCDP": ZCDP, "ApproxDP": ApproxDP}
    exec(code, names)
    return names


def asked(stem):
    path = ROOT / "notebooks" / f"{stem}.ipynb"
    told, names = questions_and_solutions(path)[1], {"np": np}
    (code,) = (one for one in cells(path) if "\ndef mine(" in one and one != told)
    exec(code[code.index("def mine(") :].partition("\n\n\n")[0], names)
    return names["mine"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_exercise_has_a_solution(path):
    found = [re.findall(r"^(\d)\. ", text, re.MULTILINE) for text in questions_and_solutions(path)]
    assert found[0] == found[1] == [str(place) for place in range(1, len(found[0]) + 1)]
    assert len(found[0]) >= 3


@pytest.mark.parametrize("stem", REPAIRED)
def test_the_fault_is_found_and_its_repair_passes(stem):
    given, claim, within = REPAIRED[stem]
    told = solution(stem)["mine"]
    assert audit(asked(stem), given.PAIRS, claim, seed=17, name="mine").violated
    assert not audit(told, given.PAIRS, claim, seed=17, name="mine").violated
    assert hidden_worlds(told, given.world, within=within, seed=17)


@pytest.mark.parametrize(
    ("stem", "budget", "wrong"),
    [("04_covariance", ZCDP(0.5), 1.0), ("05_any_gaussian", ApproxDP(1, 1e-3), 0.0)],
)
def test_a_solution_is_private_and_not_with_less_noise(stem, budget, wrong):
    code = solution(stem, "def mine(x, trials")
    assert not audit(code["mine"], code["pairs"], budget).violated
    assert audit(lambda *given: code["mine"](*given, wrong), code["pairs"], budget).violated


def test_other_solutions_pass_what_the_notebook_asks_of_them():
    assert covariance.judge(solution("04_covariance", "def noisy")["mine"]).good == WORLDS
    own = any_gaussian.attack(solution("05_any_gaussian", "def mine(points")["mine"])
    assert own.moved <= own.allowed
