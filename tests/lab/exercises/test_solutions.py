"""Every number in a solution is computed: by the package, from what the exercise gives."""

import pytest

from tests.lab.conftest import ROOT
from tests.lab.exercises.gaussians import GAUSSIANS
from tests.lab.exercises.meaning import MEANING
from tests.lab.exercises.means import MEANS
from tests.lab.exercises.others import OTHERS
from tests.lab.exercises.robust import ROBUST
from tests.lab.exercises.solutions import Exercise, Said, exercises, numbers, unexplained
from tests.lab.exercises.which import WHICH

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
ANSWERS = {**MEANING, **MEANS, **GAUSSIANS, **OTHERS, **ROBUST, **WHICH}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_number_stands_in_a_solution_without_a_computation(path):
    found = exercises(path)
    assert len(found) >= 3
    for place, exercise in found.items():
        assert unexplained(exercise.solution, ANSWERS.get((path.stem, place), ())) == [], place


@pytest.mark.daily
@pytest.mark.parametrize(
    ("where", "said"),
    [(where, one) for where, answers in ANSWERS.items() for one in answers],
    ids=lambda one: one.words if isinstance(one, Said) else "-".join(map(str, one)),
)
def test_a_solution_says_what_is_computed(where, said):
    stem, place = where
    assert said.right(exercises(ROOT / "notebooks" / f"{stem}.ipynb")[place].question)


def test_numbers_are_read_as_they_are_printed():
    found = numbers(r"127 000 rows, $4 \cdot 10^6$ and $10^{-9}$, 1.25 %, 0.0084, $U_2^{-1/2}$")
    assert found == [127_000, 4e6, 1e-9, 0.0125, 0.0084, 2, 1, 2]
    assert [one.unit for one in found[:5]] == pytest.approx([1, 1e6, 1e-9, 0.0001, 0.0001])
    assert found[4].rounds(0.00844)
    assert not found[4].rounds(0.00846)


def test_a_number_without_a_computation_is_found():
    said = (Said("a factor of 63", lambda factor: factor.rounds(63.4)),)
    assert unexplained("It is a factor of 63, as claim G7 has it.", said) == []
    assert unexplained("It is a factor of 63, and half of 14 σ.", said)[1:] == ["half"]
    assert unexplained("It is a factor of 63, and 14 σ.", said) != []


def test_a_wrong_number_is_found():
    exercise = Exercise("Take n = 500.", "The scale is 4.6, at n = 500 and not 600.")
    assert not Said("scale is 4.6", lambda scale: scale.rounds(2.4)).right(exercise.question)
    assert Said("n = 500").right(exercise.question)
    assert not Said("not 600").right(exercise.question)
