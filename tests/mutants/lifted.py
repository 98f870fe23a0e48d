"""Faults of the lifted location and of a whole Gaussian from one lifted release, each with its test."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest

from tests.estimators import test_affine as entry
from tests.estimators import test_stable_quantile as lifts
from tests.mutants.faults import changed, rewritten
from tests.mutants.of_privacy import mutants
from tests.privacy import test_stable as priced
from workbench.estimators import affine, base
from workbench.estimators.affine import FarRows, LiftedGaussian
from workbench.estimators.shared import moments
from workbench.estimators.stable_quantile import (
    Lifted,
    LiftedSolver,
    LiftedStability,
    Scaled,
    Solver,
    Stability,
)
from workbench.privacy import ramps, stable
from workbench.study.faults import Fault, attribute


def in_property(owner: type, name: str, right: str, wrong: str) -> Fault:
    return attribute(owner, name, changed(vars(owner)[name].fget, right, wrong))


def of_scatter_alone(self: LiftedSolver, scaled: Scaled, factor: np.ndarray) -> bool:
    return bool((factor[1:, 1:] ** 2).sum() <= self.widest / 6)


@contextmanager
def without_a_scale() -> Iterator[None]:
    with (
        patch.object(LiftedStability, "accepts", Stability.accepts),
        patch.object(LiftedSolver, "allowed", of_scatter_alone),
    ):
        yield


CHARGE = partial(entry.test_the_charge_is_that_of_the_proof_and_its_scale_the_least, *entry.SCALES[0])
MANY = partial(entry.test_the_charge_is_that_of_the_proof_and_its_scale_the_least, *entry.SCALES[2])
MASKED = partial(entry.test_the_charge_is_that_of_the_proof_and_its_scale_the_least, *entry.SCALES[3])
SHAPE = partial(entry.test_location_and_scatter_follow_an_affine_map, 0.0)
BOUND = partial(lifts.test_the_bound_is_that_of_the_proof, lifts.DESIGNS[0])
LEVELS = partial(lifts.test_levels_are_more_than_one_row_apart, lifts.DESIGNS[0])
APART = lifts.test_no_guard_tells_neighbours_apart_by_where_their_medians_are
AROUND = changed(
    Lifted.around.__func__,
    "np.maximum(np.abs(entry - low), np.abs(entry - high))",
    "np.abs(entry - centre[column])",
)
MEANS = changed(
    Lifted.around.__func__,
    "low, centre[column], high = np.partition(entry, places)[places]",
    "low = high = centre[column] = entry.mean()",
)
FILLED = changed(Lifted.around.__func__, "SMALLEST))] = 0.0", "SMALLEST))] = np.nanmedian(entry)")

LIFTED = mutants(
    ("a location that other rows do not pass on",
     in_property(LiftedStability, "exact", "(direct + passed_on)", "direct"), BOUND),
    ("a location that a row does not move itself",
     in_property(LiftedStability, "exact", "(direct + passed_on)", "passed_on"), BOUND),
    ("a scale for its root", in_property(LiftedStability, "exact", "/ self.least", "/ self.least**1.5"),
     BOUND),
    ("a quarter of what is passed on",
     in_property(LiftedStability, "exact", "* strong / sqrt", "* strong / 4 / sqrt"), BOUND),
    ("a knee left out", in_property(LiftedStability, "exact", " / sqrt(self.influence.knee)", ""), BOUND),
    ("a row in the norm of its own scatter", in_property(LiftedStability, "exact", " * sqrt(1 + strong)", ""),
     BOUND),
    ("rounding in the norm of its own scatter",
     in_property(LiftedStability, "shift", "sqrt(1 + strong) * self.error", "self.error"), BOUND),
    ("a pass that others pass on twice",
     in_property(LiftedStability, "exact", "self.strength / level)", "self.strength / level) ** 2"), BOUND),
    ("one data set's part of what a row moves", affine, "located_charge", "2 * test.shift", "test.shift",
     CHARGE),
    ("half of what a row moves of a lift", affine, "located_charge", "WISHART, test.change",
     "WISHART, 0.5 * test.change", MASKED),
    ("a mask without the lift", affine, "located_charge", "d=test.d", "d=test.d - 1", MASKED),
    ("a scatter priced in one direction", stable, "renyi", "up + down", "up", CHARGE),
    ("a ramp whose rise costs more than its mask", ramps, "_rises", "q * stick(", "stick(", MANY),
    ("noise without the shape of the rows", LiftedStability, "located", "lift.root", "np.eye(self.d - 1)",
     SHAPE),
    ("noise of the shape of the second moment around the centre", Lifted, "parts", "np.tril(inverse[1:, 1:])",
     "np.linalg.cholesky(inverse[1:] @ inverse[1:].T)", SHAPE),
    ("a test without a scale", without_a_scale,
     partial(lifts.test_a_scale_below_the_least_has_the_count_zero, 1 + 1e-6, False)),
    ("levels of Lo that are all the same", Stability, "high", lambda self, t: self.level, LEVELS),
    ("levels of Hi that are all the same", Stability, "low", lambda self, t: self.level, LEVELS),
    ("a strength that counts ask no more of", Stability, "accepts", "(self.influence.most + self.margin) * t",
     "0.0", partial(lifts.test_scores_of_neighbours_at_the_edge_differ_by_one, 0.0)),
    ("a guard that sees the centre", LiftedSolver, "allowed", Solver.allowed,
     partial(lifts.test_the_guard_does_not_see_the_centre, 1e7)),
    ("units around the median alone", Lifted, "around", AROUND,
     lifts.test_units_of_a_neighbour_are_no_larger_one_count_below),
    ("rows around their mean", Lifted, "around", MEANS,
     lifts.test_units_of_a_neighbour_are_no_larger_one_count_below),
    ("absent rows at the median of the others", Lifted, "around", FILLED,
     lifts.test_units_do_not_follow_the_median_of_the_rows_that_are_there),
    ("a guard that sees a far centre", LiftedSolver, "allowed", Solver.allowed, APART),
    ("a guard of the whole factor", LiftedSolver, "allowed", "factor[1:, 1:]", "factor", APART),
    ("units of crowds around the median alone", Lifted, "around", AROUND, APART),
    ("a location that is rounded before its noise", stable, "located_normal",
     "found.centre + (found.shift + found.root @ drawn)", "(found.centre + found.shift) + found.root @ drawn",
     priced.test_noise_reaches_past_the_rounding_of_a_far_centre),
)  # fmt: skip


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
PRICED = partial(rewritten, affine, "_rough")
STEPS = partial(rewritten, ramps, "from_gammas")

WHOLE_LIFTED = mutants(
    ("half of what a row moves", PRICED("LIFTED, test.change,", "LIFTED, test.change / 2,"), CHARGED),
    ("a ramp of more counts than the test has", PRICED('"most": most,', '"most": most + 1,'), CHARGED),
    ("the mask of a matrix without its lift", PRICED('"d": d + 1,', '"d": d,'), CHARGED),
    ("a test that is left out", DRAW("[lift.count]", "[charge.most]"),
     priced.test_a_lift_of_the_largest_count_is_shown),
    ("a mask of four times as many rows", stable, "stable_scale", "1 / charge.degrees",
     "0.25 / charge.degrees", priced.test_what_is_shown_of_a_lift_is_the_masked_matrix_itself),
    ("a mask on the line", STEPS("if not line", "if line"), WITHIN),
    ("a mask that costs nothing", stable, "_of_rows", "from_gammas(distance", "from_gammas(1e-3 * distance",
     WITHIN),
    ("steps that cost nothing", STEPS("sqrt(2 * rho)", "1e-3 * sqrt(rho)"), WITHIN),
    ("orders that begin at a ten-thousandth of the highest", ramps, "orders",
     "min(LOWEST * highest, BELOW * typical(budget))", "LOWEST * highest", ORDERS),
    ("a hockey stick of half the steps", STEPS("sqrt(2 * rho)", "sqrt(rho)"), ORDERS),
    ("steps after a test that gave no answer", LiftedGaussian, "estimate", "return Abstention(LIFT)",
     "placed = x[0], np.eye(2)", partial(failing_after, *entry.FAILURES[0])),
    ("a failure that no one catches", base, "released", "np.linalg.LinAlgError", "ZeroDivisionError",
     partial(failing_after, *entry.FAILURES[-1])),
    ("a location read before it is masked",
     DRAW("(lift.shift + lift.root @ along / lift.height)", "lift.shift"),
     entry.test_the_centre_is_not_that_of_the_rows),
    ("a scatter read before it is masked", DRAW("lift.root @ across", "lift.root"),
     priced.test_what_is_shown_of_a_lift_is_the_masked_matrix_itself),
    ("a slice without its Schur complement", DRAW(" - np.outer(along, drawn[1:, 0])", ""),
     priced.test_what_is_shown_of_a_lift_is_the_masked_matrix_itself),
    ("steps of any noise", stable, "NORMAL", ("symmetric_gaussian", "exponential"),
     priced.test_plans_hold_steps_within_the_room_and_no_more),
    ("steps beyond the room", stable, "within", lambda *_: True,
     priced.test_plans_hold_steps_within_the_room_and_no_more),
    ("rows of the finish that no ball holds", moments, "in_ball", as_they_are, clipped_by_others),
    ("a count that rows do not move", FarRows, "passes", "~(lengths", "np.isnan(lengths",
     entry.test_the_count_is_of_rows_beyond_and_sees_one_in_twenty),
    ("a share that counts far rows by halves", in_property(Stability, "held", "self.level", "2 * self.level"),
     partial(entry.test_more_rows_than_it_says_in_one_place_carry_an_answer_away, *entry.ENTRIES[0])),
    ("a change of half", in_property(Stability, "change", "exact +", "exact / 4 +"),
     partial(lifts.test_neighbours_at_an_edge_break_no_bound, "slope", 250)),
)  # fmt: skip
