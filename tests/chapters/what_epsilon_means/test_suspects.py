"""The line-up: six mutants are found, the right mean is not, and the folded answer says which is which."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tests.chapters.worlds import require_refuted, require_true
from workbench.chapters.what_epsilon_means.runs import suspects
from workbench.chapters.what_epsilon_means.runs.suspects import SUSPECTS, accused, suspect
from workbench.errors import ArgumentError
from workbench.study.audit import Pair, audit
from workbench.study.mutants import UNIVARIATE
from workbench.study.profiles import claim_level

CLAIM = "what-epsilon-means/mutants-are-found"
NOTEBOOK = Path(__file__).parents[3] / "notebooks" / "01_what_epsilon_means.ipynb"
SEEDS = (1, 2, 3)
FIFTY = 50


def text():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells)


def test_six_of_eight_have_a_fault_that_is_one_of_the_packages_own():
    faults = [one.fault for one in SUSPECTS.values() if one.fault]
    assert len(SUSPECTS) == 8
    assert len(set(faults)) == 6
    assert set(faults) <= {mutant.name for mutant in UNIVARIATE}
    assert all(len(one.faults) == bool(one.fault) for one in SUSPECTS.values())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("letter", SUSPECTS)
def test_faults_are_found_at_the_settings_of_the_notebook_and_right_code_is_not_accused(letter, seed):
    """Right code is accused with probability 1e-6 at most: two suspects and three seeds share 6e-6."""
    one = SUSPECTS[letter]
    level = 1e-4 if one.fault else 1e-6
    assert accused(one, seed, level=level).violated == bool(one.fault)


@pytest.mark.daily
@pytest.mark.parametrize("letter", SUSPECTS)
def test_fifty_seeds_find_every_fault_and_accuse_no_right_code(letter):
    """At the level of the notebook; the audits of both right ones share a false alarm of at most 1e-2."""
    one = SUSPECTS[letter]
    found = [accused(one, seed, level=1e-4).violated for seed in range(1, FIFTY + 1)]
    assert sum(found) == (FIFTY if one.fault else 0)


def test_a_suspect_leaves_no_fault_behind():
    right = SUSPECTS["C"]
    before = right(np.zeros(4), 5, np.random.default_rng(1))
    for one in SUSPECTS.values():
        one(np.zeros(4), 5, np.random.default_rng(1))
    np.testing.assert_array_equal(right(np.zeros(4), 5, np.random.default_rng(1)), before)


def test_the_rows_of_the_cell_do_not_accuse_its_suspect_and_worse_ones_do():
    assert "[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 50.0]" in text()
    one, names = suspect("A"), ("mild", "worst")
    found = [
        audit(one, [Pair(name, [0.0, 0.0, 0.0, first], [0.0, 0.0, 0.0, 50.0])], one.claim, seed=17).violated
        for name, first in zip(names, (0.0, -50.0), strict=True)
    ]
    assert found == [False, True]


def test_the_folded_answer_is_the_line_up():
    answers = dict(re.findall(r"^\* ([A-H]): ([^.]+)\.", text(), flags=re.MULTILINE))
    assert answers == {letter: one.fault or "no fault" for letter, one in SUSPECTS.items()}


def test_an_unknown_letter_is_refused():
    with pytest.raises(ArgumentError, match="one of A, B, C"):
        suspect("Z")


@pytest.mark.daily
def test_the_claim_holds_and_says_at_which_level():
    verdict = require_true(CLAIM)
    assert verdict.level == pytest.approx(2 * claim_level())


@pytest.mark.daily
@pytest.mark.parametrize(("letter", "fault"), [("B", ""), ("C", "Laplace noise halved")])
def test_a_mutant_that_is_missed_or_right_code_that_is_accused_refutes_the_claim(monkeypatch, letter, fault):
    """The fault of one suspect is exchanged for another's, and nobody says so."""
    true = suspects.Suspect.faults.fget
    other = tuple(mutant.fault for mutant in UNIVARIATE if mutant.name == fault)
    changed = property(lambda self: other if self.letter == letter else true(self))
    monkeypatch.setattr(suspects.Suspect, "faults", changed)
    require_refuted(CLAIM, [f"{letter}, "])
