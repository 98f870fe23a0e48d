"""No letter is used before it is defined, and one table has them all."""

import json

import pytest

from tests.lab.conftest import ROOT
from workbench.lab.publish import symbols
from workbench.lab.publish.symbols import CONSTANTS, LETTERS, Symbol

NOTEBOOKS = ROOT / "notebooks"
TABLE = NOTEBOOKS / "00_start_here.ipynb"
HELD = sorted(symbols.definitions())


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a notebook of text cells, and the words that define its letters."""

    def write(words, *cells):
        path = tmp_path / "10_new.ipynb"
        made = [
            {"cell_type": "markdown", "id": str(k), "metadata": {}, "source": text}
            for k, text in enumerate(cells)
        ]
        path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
        monkeypatch.setattr(symbols, "definitions", lambda: {path.stem: words})
        return path

    return write


@pytest.mark.parametrize("stem", HELD)
def test_every_letter_is_defined_by_the_paragraph_in_which_it_comes_first(stem):
    found = symbols.symbols(NOTEBOOKS / f"{stem}.ipynb")
    assert [one.fault for one in found if one.fault] == []
    assert {one.letter for one in found} == set(symbols.definitions()[stem])


def test_the_definition_itself_is_held():
    assert "01_what_epsilon_means" in HELD


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
