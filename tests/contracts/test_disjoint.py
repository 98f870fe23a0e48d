"""The contract on disjoint parts is not vacuous: it meets every place of the package that makes parts."""

import ast
import sys
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pytest

import workbench.estimators
from tests.contracts.parameters import examples
from workbench.contracts.disjoint import forms
from workbench.privacy import Parallel

ROOT = Path(workbench.estimators.__file__).parent
COPIES = {"renamed"}  # makes a plan of parts from one


def makers():
    return {
        (file.name, function.name)
        for file in ROOT.rglob("*.py")
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef) and function.name not in COPIES
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Parallel"
    }


@pytest.fixture(scope="module")
def met():
    called, made = set(), Parallel.__init__

    def recorded(self, *args, **kwargs):
        caller = sys._getframe(1).f_code
        called.add((Path(caller.co_filename).name, caller.co_name))
        made(self, *args, **kwargs)

    with patch.object(Parallel, "__init__", recorded):
        found = {parameter.id: forms(parameter.values[1]) for parameter in examples()}
    return called - {("splits.py", name) for name in COPIES}, {key: one for key, one in found.items() if one}


@pytest.mark.daily
def test_every_maker_of_parts_is_met_by_a_form_of_some_example(met):
    called, found = met
    assert makers()
    assert makers() <= called
    print(f"{sum(len(one) for one in found.values())} forms of {len(found)} examples have parts")


@pytest.mark.daily
def test_every_form_has_parts_and_its_ends_are_rows(met):
    _, found = met
    for one in (form for forms_of in found.values() for form in forms_of):
        assert all(len(node.parts) > 1 for node in one.nodes)
        assert len({*one.ends}) == 2 * max(len(node.parts) for node in one.nodes)
        assert all(low < high < one.n for low, high in pairwise(one.ends))
        assert {*one.children()} <= {charge.step for node in one.nodes for charge in node.charges()}
