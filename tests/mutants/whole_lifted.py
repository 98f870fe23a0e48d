"""Faults of a whole Gaussian from one lifted release: each with the test that must find it."""

from functools import partial

import numpy as np
import pytest

from tests.estimators import test_affine as entry
from tests.estimators import test_affine as far
from tests.estimators import test_stable_quantile as lifts
from tests.mutants.lifted import in_property
from tests.privacy import test_stable as priced
from workbench.estimators import affine, base
from workbench.estimators.affine import FarRows, LiftedGaussian
from workbench.estimators.shared import moments
from workbench.estimators.stable_quantile import Stability
from workbench.privacy import ramps, stable
from workbench.study.faults import Mutant, attribute, rewritten


def clipped_by_others() -> None:
    with pytest.MonkeyPatch.context() as patch:
        entry.test_moments_are_of_rows_in_a_ball_round_what_was_released(patch)


def failing_after(x: np.ndarray, step: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        entry.test_a_failure_after_the_test_tells_nothing_of_rows_that_failed_it(patch, x, step)


def as_they_are(rows: np.ndarray, radius: float, step: float) -> np.ndarray:
    return np.rint(rows / step)


WITHIN = partial(priced.test_the_whole_is_within_the_budget_by_independent_divergences, priced.BUDGETS[0])
ORDERS = partial(priced.test_a_stick_is_above_the_exact_one_and_near_the_best_order, priced.USUAL, 1e-5)
DRAW = partial(rewritten, stable, "masked_lift")
CHARGED = partial(entry.test_the_charge_is_that_of_the_test_that_it_prices, *entry.PRICED[0])
PRICED = partial(rewritten, affine, "_tested")
STEPS = partial(rewritten, ramps, "from_gammas")

WHOLE_LIFTED = (
    Mutant("half of what a row moves", PRICED("LIFTED, test.change,", "LIFTED, test.change / 2,"), CHARGED),
    Mutant("a ramp of more counts than the test has", PRICED('"most": most,', '"most": most + 1,'), CHARGED),
    Mutant("the mask of a matrix without its lift", PRICED('"d": d + 1,', '"d": d,'), CHARGED),
    Mutant("a test that is left out", DRAW("[lift.count]", "[charge.most]"),
           priced.test_a_lift_of_the_largest_count_is_shown),
    Mutant("a mask of four times as many rows",
           rewritten(stable, "stable_scale", "1 / charge.degrees", "0.25 / charge.degrees"),
           priced.test_what_is_shown_of_a_lift_is_the_masked_matrix_itself),
    Mutant("a mask on the line", STEPS("if not line", "if line"), WITHIN),
    Mutant("a mask that costs nothing",
           rewritten(stable, "_of_rows", "from_gammas(distance", "from_gammas(1e-3 * distance"), WITHIN),
    Mutant("steps that cost nothing", STEPS("sqrt(2 * rho)", "1e-3 * sqrt(rho)"),
           WITHIN),
    Mutant("orders that begin at a ten-thousandth of the highest",
           rewritten(ramps, "orders", "min(LOWEST * highest, BELOW * typical(budget))", "LOWEST * highest"),
           ORDERS),
    Mutant("a hockey stick of half the steps", STEPS("sqrt(2 * rho)", "sqrt(rho)"),
           ORDERS),
    Mutant("steps after a test that gave no answer",
           rewritten(LiftedGaussian, "estimate", "return Abstention(LIFT)", "placed = x[0], np.eye(2)"),
           partial(failing_after, *entry.FAILURES[0])),
    Mutant("a failure that no one catches",
           rewritten(base, "released", "np.linalg.LinAlgError", "ZeroDivisionError"),
           partial(failing_after, *entry.FAILURES[-1])),
    Mutant("a location read before it is masked",
           DRAW("(lift.shift + lift.root @ along / lift.height)", "lift.shift"),
           entry.test_the_centre_is_not_that_of_the_rows),
    Mutant("a scatter read before it is masked", DRAW("lift.root @ across", "lift.root"),
           priced.test_what_is_shown_of_a_lift_is_the_masked_matrix_itself),
    Mutant("a slice without its Schur complement", DRAW(" - np.outer(along, drawn[1:, 0])", ""),
           priced.test_what_is_shown_of_a_lift_is_the_masked_matrix_itself),
    Mutant("steps of any noise", attribute(stable, "NORMAL", ("symmetric_gaussian", "exponential")),
           priced.test_plans_hold_steps_within_the_room_and_no_more),
    Mutant("steps beyond the room",
           attribute(stable, "within", lambda *_: True),
           priced.test_plans_hold_steps_within_the_room_and_no_more),
    Mutant("rows of the finish that no ball holds", attribute(moments, "in_ball", as_they_are),
           clipped_by_others),
    Mutant("a count that rows do not move", rewritten(FarRows, "passes", "~(lengths", "np.isnan(lengths"),
           entry.test_the_count_is_of_rows_beyond_and_sees_one_in_twenty),
    Mutant("a share that counts far rows by halves",
           in_property(Stability, "held", "self.level", "2 * self.level"),
           partial(far.test_more_rows_than_it_says_in_one_place_carry_an_answer_away, *far.ENTRIES[0])),
    Mutant("a change of half", in_property(Stability, "change", "exact +", "exact / 4 +"),
           partial(lifts.test_neighbours_of_the_whole_matrix_break_no_bound, "slope")),
)  # fmt: skip
