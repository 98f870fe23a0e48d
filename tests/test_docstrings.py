"""What `help` of an estimator says: its estimand, assumptions, guarantee, and what missing entries do."""

import ast
import inspect
import re
from dataclasses import MISSING, fields
from fractions import Fraction

import pytest

import workbench
from workbench.catalog import CATALOG
from workbench.errors import ArgumentError
from workbench.estimators.clipped import CoordinatewiseMean
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, NonPrivate, PureDP

NOT_THERE = "missing, infinite or above 1e100"
MISSING_ENTRIES = f"Missing entries: a row with an entry that is {NOT_THERE} is absent, in its place. "
HEADER = re.compile(r"(\w+) : (.+?)(?:, default (.+))?$")


def kind(key):
    return type(CATALOG[key].estimator)


def prose(key):
    """The text before the parameters, on one line; its guarantee may be that of a class it refers to."""
    own, *others = (" ".join(text.partition("\nParameters\n")[0].split()) for text in sections(key))
    if "Guarantee: " in own or not others:
        return own
    family = next(text for text in others if "Guarantee: " in text)
    return f"{own} {family[family.index('Guarantee: ') :]}"


def sections(key):
    """The sections on parameters of a class, and of those of its family that it refers to, one by one."""
    source, name = ast.parse(inspect.getsource(inspect.getmodule(kind(key)))), kind(key).__name__
    [own] = [node for node in source.body if getattr(node, "name", None) == name]
    text, told = ast.get_docstring(own), {name}
    yield text
    while (named := re.search(r"as (?:of|for) `(\w+)`", " ".join(text.split()))) and named[1] not in told:
        told.add(named[1])
        text = inspect.getdoc(getattr(workbench, named[1]))
        yield text


def parameters(key):
    """What is said of every parameter, by name: header, and the text below it."""
    found = {}
    for text in reversed([*sections(key)]):
        section = text.partition("\nParameters\n----------\n")[2].partition("\n\nExamples\n")[0]
        rows = re.findall(r"^(\S.*)\n((?:    .*(?:\n|$))+)", section, flags=re.MULTILINE)
        assert sum(1 + len(words.strip().splitlines()) for _, words in rows) == len(section.splitlines())
        headers = [HEADER.match(header) for header, _ in rows]
        found |= {h[1]: (h, " ".join(words.split())) for h, (_, words) in zip(headers, rows, strict=True)}
    return found


@pytest.mark.parametrize("key", CATALOG)
def test_then_come_assumptions_guarantee_and_missing_entries(key):
    text = prose(key)
    places = [text.index(word) for word in ("Guarantee: ", MISSING_ENTRIES)]
    assert places == sorted(places)
    assert re.search(r"\. (Accurate for|Covers|Assumes|Accurate in) ", text[: places[0]])
    assert len(text[places[1] + len(MISSING_ENTRIES) :].split()) >= 4, "what that does to the answer"


ASKED = (PureDP(2.0), ApproxDP(2.0, 1e-6), ZCDP(1.0), ZCDP(1.0, 1e-6), GaussianDP(1.0))


@pytest.mark.parametrize("key", CATALOG)
def test_budgets_that_are_named_are_taken_and_others_refused(key):
    text = prose(key).partition("Guarantee: ")[2].partition("Budgets: ")[2].partition("Missing entries:")[0]
    refused = [ApproxDP(2.0, 0.0), *(budget for budget in ASKED if type(budget).__name__ not in text)]
    for example in CATALOG[key].examples:
        assert isinstance(example.budget, NonPrivate) or type(example.budget).__name__ in text
        for budget in refused:
            with pytest.raises(ArgumentError) as refusal:
                example.estimator.plan(400_000, 1 if key.startswith("univariate") else 2, budget)
            assert (refusal.value.argument, refusal.value.value) == ("budget", budget)


def test_coordinates_with_a_radius_name_the_budget_that_was_given():
    with pytest.raises(ArgumentError) as refusal:
        CoordinatewiseMean(radius=5.0, sigma=1.0).plan(1000, 2, ApproxDP(1.0, 1e-6))
    assert (refusal.value.argument, refusal.value.value) == ("budget", ApproxDP(1.0, 1e-6))


@pytest.mark.parametrize("key", CATALOG)
def test_the_parameters_are_the_fields(key):
    found, own = parameters(key), fields(kind(key))
    assert {field.name for field in own} <= {*found}
    assert "as of `" in prose(key) or [*found] == [field.name for field in own]
    for field in own:
        header, text = found[field.name]
        assert text.endswith(".")
        assert (header[3] is None) == (field.default is MISSING), header[0]
        if field.default is not MISSING:
            value = float(Fraction(header[3])) if "/" in header[3] else ast.literal_eval(header[3])
            assert value == field.default, header[0]
