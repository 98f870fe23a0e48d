"""Faults of lifted rows and of what absent rows do, with their tests."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from tests.estimators import test_absent as absent
from tests.estimators import test_affine as entry
from tests.estimators import test_intervals as scales
from tests.estimators import test_sparse as nets
from tests.estimators import test_stable_quantile as lifts
from tests.estimators import test_two_step as sums
from tests.mutants.faults import changed, rewritten
from tests.mutants.properties import mutants
from tests.privacy import test_stable as priced
from workbench.estimators import (
    affine,
    base,
    populous_robust,
    prime,
    references,
    robust,
    scale,
    sparse,
    stable_quantile,
    subspaces,
    tukey,
    votes,
)
from workbench.estimators import nets as pure_net
from workbench.estimators.affine import FarRows, LiftedGaussian
from workbench.estimators.histograms import UnitHistogram
from workbench.estimators.shared import moments, noisy_means, rows
from workbench.estimators.shared.window_median import WindowMedian
from workbench.estimators.stable_quantile import (
    Lifted,
    LiftedSolver,
    LiftedStability,
    Scaled,
    Solver,
    Stability,
)
from workbench.privacy import histograms, ramps, stable
from workbench.study.faults import Fault, Mutant, attribute


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
     partial(priced.test_no_answer_where_the_count_is_zero_whatever_is_drawn, stable.LIFTED)),
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


# Mutants of absent rows, one for each stage that meets them: there they count as zero rows.


def zeros(values: np.ndarray, *_: float) -> np.ndarray:
    return np.where(np.isnan(values), 0.0, values)


def everything(values: np.ndarray) -> np.ndarray:
    return np.ones(values.shape if values.ndim == 1 else values.shape[:-1], bool)


def of_zeros(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *first: function(*first[:-1], zeros(first[-1]))


def blocks_of_zeros(x: np.ndarray) -> Iterator[np.ndarray]:
    return map(zeros, row_blocks(x))


def ball_of_others(values: np.ndarray, radius: float) -> np.ndarray:
    return np.concatenate([rows.within_ball(values[rows.present(values)], radius), np.zeros((1, 2))])


def zero_sums(values: np.ndarray) -> np.ndarray:
    return zeros(sanitised(values))


def counted_with_nan(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.unique(keys, return_counts=True)


def mean_of_zeros(groups: np.ndarray) -> np.ndarray:
    return zeros(groups).mean(axis=1)


row_blocks, sanitised = rows.row_blocks, base.sanitised
GROUP, REFERENCE = (
    absent.test_a_group_says_what_its_other_rows_say,
    absent.test_references_are_those_of_the_other_rows,
)
SAME = absent.test_a_statistic_is_that_of_the_other_rows

STAGES = (
    ("rows", base, "sanitised", zero_sums, absent.test_a_row_with_one_unusable_entry_is_absent),
    ("sums", rows, "row_blocks", blocks_of_zeros, partial(SAME, "moment in a ball")),
    ("bins of a range", UnitHistogram, "keys", of_zeros(UnitHistogram.keys),
     partial(SAME, "bins of a range")),
    ("bins", UnitHistogram, "keys", of_zeros(UnitHistogram.keys),
     partial(SAME, "bins")),
    ("keys that are NaN", histograms, "_counted", counted_with_nan,
     sums.test_a_stability_histogram_draws_for_every_row_and_keeps_no_bin_for_absent_ones),
    ("exponents", scale, "exponents", of_zeros(scale.exponents),
     scales.test_exponents_are_those_of_the_other_pairs),
    ("bins of exponents", scale, "only_present", zeros,
     scales.test_exponents_are_those_of_the_other_pairs),
    ("bins of coordinates", robust, "only_present", zeros, partial(SAME, "coordinates")),
    ("counts of norms", sparse, "only_present", zeros, partial(SAME, "norms")),
    ("counts of scores", robust, "present", everything, partial(SAME, "scores")),
    ("rows that pass", robust, "present", everything, partial(SAME, "rows that pass")),
    ("rows that are left", prime, "present", everything,
     partial(SAME, "rows that are left")),
    *((f"points of a window median with {len(ends)} ends", WindowMedian, "pieces",
       of_zeros(WindowMedian.pieces), partial(absent.test_window_medians_see_the_other_points, ends))
      for ends in ({}, {"low": 0.0, "high": 100.0})),
    ("depths", tukey, "only_present", zeros, partial(SAME, "depths")),
    ("trimmed rows", tukey, "on_both_sides", zeros,
     absent.test_trimming_puts_absent_rows_at_either_end_in_turn),
    ("pairs", rows, "sanitised", zero_sums, absent.test_a_pair_with_an_absent_row_is_absent),
    ("group means", rows, "group_means", mean_of_zeros, partial(GROUP, "mean")),
    ("robust group means", populous_robust, "present", everything, partial(GROUP, "robust mean")),
    ("robust group moments", populous_robust, "present", everything, partial(GROUP, "robust moment")),
    ("group moments", votes, "evened", zeros, partial(GROUP, "moment")),
    ("spectra", subspaces, "evened", zeros, partial(GROUP, "spectrum")),
    ("tokens", subspaces, "evened", lambda groups: groups, partial(GROUP, "token")),
    ("group variances", scale, "_spread", of_zeros(lambda groups: groups.std(axis=1, ddof=1)),
     scales.test_variances_within_groups_are_those_of_the_other_rows),
    ("scores of a net", pure_net, "present", everything,
     partial(SAME, "scores of a net")),
    ("places of the rows of a net", pure_net, "within_ball", ball_of_others,
     absent.test_an_absent_row_of_a_net_keeps_its_place),
    ("lifted rows", moments, "present", everything,
     absent.test_a_lifted_moment_tells_the_share_of_rows_that_are_there),
    ("moments over their share", moments.LiftedMoment, "share", lambda *_: 1.0,
     absent.test_a_lifted_moment_tells_the_share_of_rows_that_are_there),
    ("lifted rows of a location", stable_quantile, "present", everything,
     absent.test_an_absent_row_is_the_zero_row_once_it_is_lifted),
    *((f"rows of {key}", references, "only_present", zeros, partial(REFERENCE, key))
      for key in ("mean/empirical", "mean/filter-nonprivate", "covariance/empirical",
                  "covariance/filter-nonprivate")),
)  # fmt: skip


def mean_of_an_exact_share(counted: Any, n: int, charge: Any, noise: Any) -> tuple[Any, float]:
    found = max(int(counted.counts[-1]) / n, 0.1)
    return noisy_means.additive(counted, charge, noise)[:-1] / found, found


def moment_of_an_exact_share(counted: Any, n: int, charge: Any, draw: Any) -> Any:
    return draw(counted)[:-1, :-1] / max(int(counted.counts[-1, -1]) / n, 0.1)


def mean_and_share_apart(counted: Any, n: int, charge: Any, noise: Any) -> tuple[Any, float]:
    joint, whole = noisy_means.weighed(counted, n, charge)
    found = noisy_means.share(noisy_means.additive(joint[-1:], charge, noise)[0], whole, charge)
    return noisy_means.additive(counted[:-1], charge, noise) / found, found


NO_FURTHER = sums.test_a_count_moves_a_sum_no_further_and_is_as_tall_as_it_may_be
OVER = sums.test_what_is_released_is_over_the_rows_that_are_there
ALONE = sums.test_what_is_released_is_made_of_the_noisy_numbers_alone
HIDDEN = partial(sums.test_a_share_that_noise_may_hide_is_one_and_others_are_what_they_are, *sums.HIDDEN[0])
TALLER = {"laplace": 1.0, "gaussian": 1.0}

COUNTS_WITH_SUMS = (
    ("a count moves a mean further, Laplace", "OF_MEANS", TALLER, partial(NO_FURTHER, "laplace")),
    ("a count moves a mean further, normal", "OF_MEANS", TALLER, partial(NO_FURTHER, "gaussian")),
    ("a count moves a moment further", "OF_MOMENTS", 1.0, partial(NO_FURTHER, "moment")),
    ("a count that is not used", "share", lambda *_: 1.0, partial(OVER, "gaussian", 3)),
    ("an exact share of a mean, Laplace", "mean_and_share", mean_of_an_exact_share,
     partial(ALONE, "laplace")),
    ("an exact share of a mean, normal", "mean_and_share", mean_of_an_exact_share,
     partial(ALONE, "gaussian")),
    ("an exact share of a moment", "rescaled_moment", moment_of_an_exact_share, partial(ALONE, "moment")),
    ("a share beside the charge", "mean_and_share", mean_and_share_apart, partial(NO_FURTHER, "gaussian")),
    ("a share that noise may hide, divided by unasked", "noise_quantile", lambda *_: 0.0, HIDDEN),
)  # fmt: skip


@contextmanager
def net_of_those_there() -> Iterator[None]:

    def mapped(rows: np.ndarray, matrix: np.ndarray) -> np.ndarray:
        return base.mapped(rows[~np.isnan(rows[:, 0])], matrix)

    with attribute(pure_net, "mapped", mapped)(), attribute(pure_net, "present", everything)():
        yield


def shapes_of_a_net() -> None:
    with pytest.MonkeyPatch.context() as patch:
        nets.test_what_is_multiplied_has_a_public_shape(patch)


MOVED_UP = mutants(
    ("rows of a net that move up where one is absent", net_of_those_there, shapes_of_a_net),
    ("rows that are far that move up where one is absent", affine, "squared_lengths",
     "np.where(present(x), lengths, 0.0)", "lengths[present(x)]",
     partial(entry.test_a_row_that_goes_leaves_the_lengths_of_others_as_they_are, 2)),
    ("an absent row that is far", affine, "squared_lengths", ", 0.0)", ", np.inf)",
     partial(entry.test_a_row_that_goes_leaves_the_lengths_of_others_as_they_are, 2)),
)  # fmt: skip


IN_SUMS = mutants(
    ("a count of all rows", rows, "present", everything, partial(OVER, "moment", 3)),
    ("a share that noise may hide, in a corner", moments.LiftedMoment, "share",
     "share(corner, (self.steps * STEP) ** 2, charge)", "corner / (self.steps * STEP) ** 2",
     absent.test_without_absent_rows_the_corner_changes_no_bit),
)  # fmt: skip


ABSENT = [
    *MOVED_UP,
    *IN_SUMS,
    *(
        Mutant(f"absent counts as zero: {stage}", attribute(owner, name, wrong), found_by)
        for stage, owner, name, wrong, found_by in STAGES
    ),
    *(
        Mutant(name, attribute(noisy_means, what, wrong), found_by)
        for name, what, wrong, found_by in COUNTS_WITH_SUMS
    ),
]
