"""Faults of lifted rows and of what absent rows do, with their tests."""

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

from tests.mutants.faults import by, mutant
from workbench.estimators import (
    base,
    scale,
)
from workbench.estimators.histograms import UnitHistogram
from workbench.estimators.shared import rows
from workbench.estimators.shared.window_median import WindowMedian
from workbench.estimators.stable_quantile import (
    LiftedSolver,
    LiftedStability,
    Solver,
    Stability,
)
from workbench.study.faults import Mutant


def of_scatter_alone(self, scaled, factor):
    return bool((factor[1:, 1:] ** 2).sum() <= self.widest / 6)


@contextmanager
def without_a_scale():
    with (
        patch.object(LiftedStability, "accepts", Stability.accepts),
        patch.object(LiftedSolver, "allowed", of_scatter_alone),
    ):
        yield


LIFTED = (
    ("absent counts as zero: keys that are NaN", "privacy.histograms._counted", "[~np.isnan(keys)]", "",
     "estimators.test_two_step"
     ".test_a_stability_histogram_draws_for_every_row_and_keeps_no_bin_for_absent_ones"),
    ("rows of a net that move up where one is absent", "estimators.nets.PureNetCovariance.scores",
     "absent = np.flatnonzero(~present(rows))", "w, absent = w[present(rows)], np.zeros(0, int)",
     "estimators.test_sparse.test_what_is_multiplied_has_a_public_shape"),
    ("levels of Lo that are all the same", "estimators.stable_quantile.Stability.high",
     "self.level + t * self.spacing", "self.level",
     "estimators.test_stable_quantile.test_levels_are_more_than_one_row_apart", "DESIGNS.0"),
    ("levels of Hi that are all the same", "estimators.stable_quantile.Stability.low",
     "self.level - (t - 1) * self.spacing", "self.level",
     "estimators.test_stable_quantile.test_levels_are_more_than_one_row_apart", "DESIGNS.0"),
    ("a guard that sees the centre", "estimators.stable_quantile.LiftedSolver.allowed", None, Solver.allowed,
     "estimators.test_stable_quantile.test_the_guard_does_not_see_the_centre", 1e7),
    ("a guard that sees a far centre", "estimators.stable_quantile.LiftedSolver.allowed", None,
     Solver.allowed,
     "estimators.test_stable_quantile.test_no_guard_tells_neighbours_apart_by_where_their_medians_are"),
    ("steps of any noise", "privacy.stable.NORMAL", None, ("symmetric_gaussian", "exponential"),
     "privacy.test_stable.test_plans_hold_steps_within_the_room_and_no_more"),
    ("steps beyond the room", "privacy.stable.within", None, lambda *_: True,
     "privacy.test_stable.test_plans_hold_steps_within_the_room_and_no_more"),
    ("rows of the finish that no ball holds", "estimators.shared.moments.in_ball", None,
     lambda rows, radius, step: np.rint(rows / step),
     "estimators.test_unbounded.test_moments_are_of_rows_in_a_ball_round_what_was_released"),
)  # fmt: skip


# Mutants of absent rows, one for each stage that meets them: there they count as zero rows.


def zeros(values, *_):
    return np.where(np.isnan(values), 0.0, values)


def everything(values):
    return np.ones(values.shape if values.ndim == 1 else values.shape[:-1], bool)


def of_zeros(function):
    return lambda *first: function(*first[:-1], zeros(first[-1]))


def blocks_of_zeros(x):
    return map(zeros, row_blocks(x))


def ball_of_others(values, radius):
    return np.concatenate([rows.within_ball(values[rows.present(values)], radius), np.zeros((1, 2))])


def zero_sums(values):
    return zeros(sanitised(values))


def mean_of_zeros(groups):
    return zeros(groups).mean(axis=1)


row_blocks, sanitised = rows.row_blocks, base.sanitised

STAGES = (
    ("rows", "base.sanitised", zero_sums,
     "estimators.test_absent.test_a_row_with_one_unusable_entry_is_absent"),
    ("sums", "shared.rows.row_blocks", blocks_of_zeros,
     "estimators.test_absent.test_a_statistic_is_that_of_the_other_rows", "moment in a ball"),
    ("bins of a range", "histograms.UnitHistogram.keys", of_zeros(UnitHistogram.keys),
     "estimators.test_absent.test_a_statistic_is_that_of_the_other_rows", "bins of a range"),
    ("bins", "histograms.UnitHistogram.keys", of_zeros(UnitHistogram.keys),
     "estimators.test_absent.test_a_statistic_is_that_of_the_other_rows", "bins"),
    ("exponents", "scale.exponents", of_zeros(scale.exponents),
     "estimators.test_intervals.test_exponents_are_those_of_the_other_pairs"),
    ("bins of exponents", "scale.only_present", zeros,
     "estimators.test_intervals.test_exponents_are_those_of_the_other_pairs"),
    ("bins of coordinates", "robust.only_present", zeros,
     "estimators.test_absent.test_a_statistic_is_that_of_the_other_rows", "coordinates"),
    ("counts of norms", "sparse.only_present", zeros,
     "estimators.test_absent.test_a_statistic_is_that_of_the_other_rows", "norms"),
    ("counts of scores", "robust.present", everything,
     "estimators.test_absent.test_a_statistic_is_that_of_the_other_rows", "scores"),
    ("rows that pass", "robust.present", everything,
     "estimators.test_absent.test_a_statistic_is_that_of_the_other_rows", "rows that pass"),
    ("rows that are left", "prime.present", everything,
     "estimators.test_absent.test_a_statistic_is_that_of_the_other_rows", "rows that are left"),
    ("points of a window median with 0 ends", "shared.window_median.WindowMedian.pieces",
     of_zeros(WindowMedian.pieces), "estimators.test_absent.test_window_medians_see_the_other_points", {}),
    ("points of a window median with 2 ends", "shared.window_median.WindowMedian.pieces",
     of_zeros(WindowMedian.pieces),
     "estimators.test_absent.test_window_medians_see_the_other_points", {"low": 0.0, "high": 100.0}),
    ("depths", "tukey.only_present", zeros,
     "estimators.test_absent.test_a_statistic_is_that_of_the_other_rows", "depths"),
    ("trimmed rows", "tukey.on_both_sides", zeros,
     "estimators.test_absent.test_trimming_puts_absent_rows_at_either_end_in_turn"),
    ("pairs", "shared.rows.sanitised", zero_sums,
     "estimators.test_absent.test_a_pair_with_an_absent_row_is_absent"),
    ("group means", "shared.rows.group_means", mean_of_zeros,
     "estimators.test_absent.test_a_group_says_what_its_other_rows_say", "mean"),
    ("robust group means", "populous_robust.present", everything,
     "estimators.test_absent.test_a_group_says_what_its_other_rows_say", "robust mean"),
    ("robust group moments", "populous_robust.present", everything,
     "estimators.test_absent.test_a_group_says_what_its_other_rows_say", "robust moment"),
    ("group moments", "votes.evened", zeros,
     "estimators.test_absent.test_a_group_says_what_its_other_rows_say", "moment"),
    ("spectra", "subspaces.evened", zeros,
     "estimators.test_absent.test_a_group_says_what_its_other_rows_say", "spectrum"),
    ("tokens", "subspaces.evened", lambda groups: groups,
     "estimators.test_absent.test_a_group_says_what_its_other_rows_say", "token"),
    ("group variances", "scale._spread", of_zeros(lambda groups: groups.std(axis=1, ddof=1)),
     "estimators.test_intervals.test_variances_within_groups_are_those_of_the_other_rows"),
    ("scores of a net", "nets.present", everything,
     "estimators.test_absent.test_a_statistic_is_that_of_the_other_rows", "scores of a net"),
    ("places of the rows of a net", "nets.within_ball", ball_of_others,
     "estimators.test_absent.test_an_absent_row_of_a_net_keeps_its_place"),
    ("lifted rows", "shared.moments.present", everything,
     "estimators.test_absent.test_a_lifted_moment_tells_the_share_of_rows_that_are_there"),
    ("moments over their share", "shared.moments.LiftedMoment.share", lambda *_: 1.0,
     "estimators.test_absent.test_a_lifted_moment_tells_the_share_of_rows_that_are_there"),
    ("lifted rows of a location", "stable_quantile.present", everything,
     "estimators.test_absent.test_an_absent_row_is_the_zero_row_once_it_is_lifted"),
    ("rows of mean/empirical", "references.only_present", zeros,
     "estimators.test_absent.test_references_are_those_of_the_other_rows", "mean/empirical"),
    ("rows of mean/filter-nonprivate", "references.only_present", zeros,
     "estimators.test_absent.test_references_are_those_of_the_other_rows", "mean/filter-nonprivate"),
    ("rows of covariance/empirical", "references.only_present", zeros,
     "estimators.test_absent.test_references_are_those_of_the_other_rows", "covariance/empirical"),
    ("rows of covariance/filter-nonprivate", "references.only_present", zeros,
     "estimators.test_absent.test_references_are_those_of_the_other_rows", "covariance/filter-nonprivate"),
)  # fmt: skip


TALLER = {"laplace": 1.0, "gaussian": 1.0}

COUNTS_WITH_SUMS = (
    ("a count moves a mean further, Laplace", "estimators.shared.noisy_means.OF_MEANS", None, TALLER,
     "estimators.test_two_step.test_a_count_moves_a_sum_no_further_and_is_as_tall_as_it_may_be", "laplace"),
    ("a count moves a mean further, normal", "estimators.shared.noisy_means.OF_MEANS", None, TALLER,
     "estimators.test_two_step.test_a_count_moves_a_sum_no_further_and_is_as_tall_as_it_may_be", "gaussian"),
    ("a count moves a moment further", "estimators.shared.noisy_means.OF_MOMENTS", None, 1.0,
     "estimators.test_two_step.test_a_count_moves_a_sum_no_further_and_is_as_tall_as_it_may_be", "moment"),
    ("a count that is not used", "estimators.shared.noisy_means.share", None, lambda *_: 1.0,
     "estimators.test_two_step.test_what_is_released_is_over_the_rows_that_are_there", "gaussian", 3),
    ("an exact share of a mean, Laplace", "estimators.shared.noisy_means.mean_and_share",
     "float(noisy[-1])", "float(joint.counts[-1] * joint.unit)",
     "estimators.test_two_step.test_what_is_released_is_made_of_the_noisy_numbers_alone", "laplace"),
    ("an exact share of a mean, normal", "estimators.shared.noisy_means.mean_and_share",
     "float(noisy[-1])", "float(joint.counts[-1] * joint.unit)",
     "estimators.test_two_step.test_what_is_released_is_made_of_the_noisy_numbers_alone", "gaussian"),
    ("an exact share of a moment", "estimators.shared.noisy_means.rescaled_moment",
     "float(noisy[-1, -1])", "float(joint.counts[-1, -1] * joint.unit)",
     "estimators.test_two_step.test_what_is_released_is_made_of_the_noisy_numbers_alone", "moment"),
    ("a share beside the charge", "estimators.shared.noisy_means.mean_and_share",
     "additive(joint, charge, noise)",
     "np.append(additive(counted[:-1], charge, noise), additive(joint[-1:], charge, noise))",
     "estimators.test_two_step.test_a_count_moves_a_sum_no_further_and_is_as_tall_as_it_may_be", "gaussian"),
    ("a share that noise may hide, divided by unasked", "estimators.shared.noisy_means.noise_quantile", None,
     lambda *_: 0.0,
     "estimators.test_two_step.test_a_share_that_noise_may_hide_is_one_and_others_are_what_they_are",
     "*HIDDEN.0"),
    ("a count of all rows", "estimators.shared.rows.present", None, everything,
     "estimators.test_two_step.test_what_is_released_is_over_the_rows_that_are_there", "moment", 3),
)  # fmt: skip


OF_LIFTS = (
    Mutant(
        "a test without a scale",
        without_a_scale,
        by(
            "estimators.test_stable_quantile.test_a_scale_below_the_least_has_the_count_zero", 1 + 1e-6, False
        ),
    ),
    *(mutant(*row) for row in (*LIFTED, *COUNTS_WITH_SUMS)),
    *(
        mutant(f"absent counts as zero: {stage}", f"estimators.{where}", None, wrong, *found_by)
        for stage, where, wrong, *found_by in STAGES
    ),
)
