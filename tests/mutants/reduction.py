"""Mutants of the general reduction: of what an oracle may see, of the l1 norm, and of its mask."""

from functools import partial
from unittest.mock import patch

from tests.estimators import test_populous as tests
from workbench.estimators import populous, votes
from workbench.privacy import stable
from workbench.privacy.stable import VotedCharge
from workbench.study.faults import Mutant, rewritten

ALONE = tests.test_what_a_group_answers_hangs_on_its_own_rows_alone


def half(charge: VotedCharge) -> float:
    return right(charge) / 2


right = stable.voted_scale

REDUCTION = (
    Mutant("an oracle that remembers the groups before",
           rewritten(populous, "_answer", "own_copy(oracle)", "oracle"),
           partial(ALONE, tests.Remembers())),
    Mutant("a function that is copied as it is",
           rewritten(populous, "_copied", "_function(value, memo)", "value"),
           partial(ALONE, tests.counting())),
    Mutant("variables around a function that are not copied",
           rewritten(populous, "_function", "_copied(cell.cell_contents, memo)", "cell.cell_contents"),
           partial(ALONE, tests.counting())),
    Mutant("default values that are not copied",
           rewritten(populous, "_function", "deepcopy(function.__defaults__, memo)", "function.__defaults__"),
           partial(ALONE, tests.collecting)),
    Mutant("attributes that are not copied",
           rewritten(populous, "_function", "deepcopy(function.__dict__, memo)", "function.__dict__"),
           partial(ALONE, tests.noting())),
    Mutant("an oracle that sees the rows of all groups", rewritten(populous, "_answer", ").copy()", ")"),
           partial(ALONE, tests.greedy)),
    Mutant("no answer counts as 0",
           rewritten(populous, "_answer", "np.full(shape, np.nan)", "np.zeros(shape)"),
           tests.test_no_answer_is_no_number),
    Mutant("an answer of another shape is cut to it",
           rewritten(populous, "_answer", "fits = ", "found = np.resize(found, shape)\n    fits = "),
           tests.test_no_answer_is_no_number),
    Mutant("friends in l1 by their distance in l2",
           partial(patch.object, votes.L1Points, "within", staticmethod(votes.Points.within)),
           tests.test_many_points_in_l1_are_compared_piece_by_piece),
    Mutant("points in l1 that are usable by their length in l2",
           partial(patch.object, votes.L1Points, "lengths", votes.Points.lengths),
           tests.test_points_in_l1_are_usable_by_their_sum),
    Mutant("half the Laplace noise in l1", partial(patch.object, stable, "voted_scale", half),
           tests.test_the_law_of_the_release_in_l1_is_laplace_and_its_length_a_gamma),
    Mutant("normal noise in l1", partial(patch.dict, votes.JOINT, laplace="voted_gaussian"),
           tests.test_a_histogram_in_l1),
    Mutant("averages that move by half as much in l1",
           rewritten(votes.Designer, "thresholds", "moved[best].tolist()", "(moved[best] / 2).tolist()"),
           partial(tests.test_an_average_moves_by_most_of_what_is_charged, "l1")),
    Mutant("averages that move by half as much in l2",
           rewritten(votes.Designer, "thresholds", "moved[best].tolist()", "(moved[best] / 2).tolist()"),
           partial(tests.test_an_average_moves_by_most_of_what_is_charged, "l2")),
)  # fmt: skip
