"""No letter and no term is used before it is defined, and one table has all letters."""

import json
import re

import pytest

from tests.lab.conftest import ROOT
from workbench.lab.publish import symbols
from workbench.lab.publish.symbols import CONSTANTS, LETTERS, Symbol

NOTEBOOKS = ROOT / "notebooks"
TABLE = NOTEBOOKS / "00_start_here.ipynb"
HELD = sorted(symbols.definitions("letters"))


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a notebook of text cells, and the words that define its letters or terms."""

    def write(words, *cells, kind="letters"):
        path = tmp_path / "10_new.ipynb"
        made = [
            {"cell_type": "markdown", "id": str(k), "metadata": {}, "source": text}
            for k, text in enumerate(cells)
        ]
        path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
        monkeypatch.setattr(symbols, "definitions", lambda asked: {path.stem: words} if asked == kind else {})
        return path

    return write


@pytest.mark.parametrize("stem", HELD)
def test_every_letter_is_defined_by_the_paragraph_in_which_it_comes_first(stem):
    found = symbols.symbols(NOTEBOOKS / f"{stem}.ipynb")
    assert [one.fault for one in found if one.fault] == []
    assert {one.letter for one in found} == set(symbols.definitions("letters")[stem])


@pytest.mark.parametrize("stem", HELD)
def test_every_term_is_defined_by_the_paragraph_in_which_it_comes_first(stem):
    found = symbols.terms(NOTEBOOKS / f"{stem}.ipynb")
    assert [one.fault for one in found if one.fault] == []
    assert len(found) > 5


def test_the_start_and_the_definition_itself_are_held():
    assert HELD[:2] == ["00_start_here", "01_what_epsilon_means"]


@pytest.mark.parametrize("stem", HELD)
def test_terms_that_a_notebook_sets_off_as_it_defines_them_are_held(stem):
    """A bold word or two within a sentence is a definition."""
    held = " ".join(symbols.definitions("terms")[stem].values())
    bold = re.findall(r"(?<!^)\*\*([a-z][a-z -]+)\*\*", symbols.prose(NOTEBOOKS / f"{stem}.ipynb"))
    assert [term for term in bold if f"**{term}**" not in held] == []


@pytest.mark.parametrize(
    "stem", ["00_start_here", "01_what_epsilon_means", "07_robust_and_private", "09_which_one"]
)
def test_greek_letters_are_in_the_table_of_symbols(stem):
    greek = {one.letter for one in symbols.symbols(NOTEBOOKS / f"{stem}.ipynb")} & LETTERS
    assert greek <= set(symbols.notation(TABLE)) | {r"\Omega"}  # of an order of growth


def test_what_the_table_says_of_the_definition_is_so():
    text = next(
        c["source"]
        for c in json.loads(TABLE.read_text())["cells"]
        if "".join(c["source"]).startswith("## Notation")
    )
    rows = [line.strip("|\n ").split(" | ") for line in text if line.startswith("| $")]
    first = {letter for row in rows if row[-1].strip() == "01" for letter in symbols.letters(row[0])}
    held = {one.letter for one in symbols.symbols(NOTEBOOKS / "01_what_epsilon_means.ipynb")}
    assert first - CONSTANTS - {"i", "sd"} <= held


def test_a_letter_that_comes_too_early_is_found(written):
    words = {"n": "There are $n$ rows", r"\alpha": r"the accuracy $\alpha$"}
    path = written(words, r"There are $n$ rows, $n = 1/\alpha^2$.", r"Let the accuracy $\alpha$ be small.")
    assert [one.fault for one in symbols.symbols(path)] == [
        "",
        r"\alpha is used before 'the accuracy $\\alpha$'",
    ]
    assert r"\alpha is used before" in symbols.listing(path)


def test_a_letter_of_its_own_paragraph_is_in_time(written):
    words = {"y": "at every output $y$", "f": "where $f$ is the density"}
    path = written(
        words, "It is\n$$f(y) \\le 2$$\nat every output $y$, where $f$ is the density.", "$f$ and $y$"
    )
    assert [one.fault for one in symbols.symbols(path)] == ["", ""]


def test_a_letter_without_words_is_found(written):
    path = written(
        {"d": "of $d$ columns"},
        r"There are $n$ rows of $\mathrm{Lap}(1)$ in $d$ columns, $\text{roughly}\ e$.",
    )
    assert symbols.symbols(path) == [
        Symbol("n", 11, None),
        Symbol("Lap", 23, None),
        Symbol("d", 44, None, "of $d$ columns"),
    ]
    assert [one.fault for one in symbols.symbols(path)] == [
        "n is nowhere defined",
        "Lap is nowhere defined",
        "d is nowhere defined by 'of $d$ columns'",
    ]


def test_greek_letters_outside_of_formulas_count_and_code_does_not(written):
    path = written(
        {r"\delta": r"a number $\delta$"},
        "*How to read it.* The area is δ; `ε` is code.",
        r"Take a number $\delta$.",
    )
    assert [one.fault for one in symbols.symbols(path)] == [r"\delta is used before 'a number $\\delta$'"]


def test_headings_and_what_will_be_learnt_may_be_ahead(written):
    path = written(
        {r"\mu": r"a number $\mu$"},
        "# What μ means\n\nNothing yet.",
        "**After this you can**\n\n* say what $\\mu$ is;",
        r"Take a number $\mu$.",
    )
    assert [one.fault for one in symbols.symbols(path)] == [""]


def test_a_term_that_comes_too_early_or_never_is_found(written):
    words = {"audit": "An *audit* runs it often", "score": "its **score**, a sum", "odds": "no such words"}
    path = written(
        words,
        "## An audit\n\nAudits find faults.",
        "An *audit* runs it often.",
        "Take its **score**, a sum.",
        kind="terms",
    )
    assert [one.fault for one in symbols.terms(path)] == [
        "audit is used before 'An *audit* runs it often'",
        "",
        "odds is nowhere defined by 'no such words'",
    ]
    assert symbols.listing(path).count("\n") == 2
