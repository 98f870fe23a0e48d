"""The code of a solution is right where that of its exercise is wrong."""

import json
import re
from textwrap import dedent

import numpy as np
import pytest

from tests.lab.conftest import ROOT
from workbench.chapters.many_dimensions import box_and_ball as many_dimensions
from workbench.chapters.one_mean import costs as one_mean
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, PureDP
from workbench.study.audit import audit
from workbench.study.comparing import hidden_worlds


def cells(stem):
    """The texts of a notebook, and the code of the solutions of its exercises."""
    text = (ROOT / "notebooks" / f"{stem}.ipynb").read_text(encoding="utf-8")
    texts = ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
    place = next(place for place, one in enumerate(texts) if one.startswith("## Exercises"))
    solutions = re.findall(r"```python\n(.*?)```", texts.pop(place + 1), re.DOTALL)
    return texts, [dedent(code) for code in solutions]


def defined(code):
    names = {"np": np, "print": lambda *_: None, "ZCDP": ZCDP, "ApproxDP": ApproxDP}
    exec(code, names)
    return names


@pytest.mark.parametrize(
    ("stem", "given", "claim", "within"),
    [
        ("02_one_mean", one_mean, PureDP(1.0), 0.1),
        ("03_many_dimensions", many_dimensions, GaussianDP(1.0), 0.4),
    ],
)
def test_the_fault_is_found_and_its_repair_passes(stem, given, claim, within):
    texts, solutions = cells(stem)
    (asked,) = (one[one.index("def mine(") :].partition("\n\n\n")[0] for one in texts if "\ndef mine(" in one)
    (told,) = (one for one in solutions if one.startswith("def mine"))
    asked, told = (defined(code)["mine"] for code in (asked, told))
    assert audit(asked, given.PAIRS, claim, seed=17, name="mine").violated
    assert not audit(told, given.PAIRS, claim, seed=17, name="mine").violated
    assert hidden_worlds(told, given.world, within=within, seed=17)


@pytest.mark.parametrize(
    ("stem", "budget", "wrong"),
    [("04_covariance", ZCDP(0.5), 1.0), ("05_any_gaussian", ApproxDP(1, 1e-3), 0.0)],
)
def test_a_solution_is_private_and_not_with_less_noise(stem, budget, wrong):
    (code,) = (defined(one) for one in cells(stem)[1] if one.startswith("def mine(x, trials"))
    assert not audit(code["mine"], code["pairs"], budget).violated
    assert audit(lambda *given: code["mine"](*given, wrong), code["pairs"], budget).violated
