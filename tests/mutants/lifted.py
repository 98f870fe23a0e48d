"""Faults of lifted rows and of what absent rows do, with their tests."""

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

from tests.mutants.faults import by, mutant, mutants
from workbench.catalog import CATALOG
from workbench.estimators import base, scale
from workbench.estimators.histograms import UnitHistogram
from workbench.estimators.shared import rows
from workbench.estimators.shared.window_median import WindowMedian
from workbench.estimators.stable_quantile import LiftedSolver, LiftedStability, Solver, Stability
from workbench.privacy import NonPrivate
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


GUARD = "estimators.test_stable_quantile.test_no_guard_tells_neighbours_apart_by_where_their_medians_are"
LIFTED = (
    ("a guard that sees the centre", "estimators.stable_quantile.LiftedSolver.allowed", None, Solver.allowed,
     GUARD),
    ("a guard that sees a far centre", "estimators.stable_quantile.LiftedSolver.allowed", None,
     Solver.allowed),
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
    there = rows.present(values)
    return np.concatenate([rows.within_ball(values[there], radius), np.zeros(((~there).sum(), 2))])


def zero_sums(values):
    return zeros(sanitised(values))


def mean_of_zeros(groups):
    return zeros(groups).mean(axis=1)


row_blocks, sanitised = rows.row_blocks, base.sanitised

NAMED = {  # by tests that are given the stage
    "statistic_is_that_of_the_other_rows": (
        ("sums", "shared.rows.row_blocks", blocks_of_zeros),
        ("bins of a range", "histograms.UnitHistogram.keys", of_zeros(UnitHistogram.keys)),
        ("bins", "histograms.UnitHistogram.keys", of_zeros(UnitHistogram.keys)),
        ("bins of coordinates", "robust.only_present", zeros),
        ("counts of norms", "sparse.only_present", zeros),
        ("counts of scores", "robust.present", everything),
        ("rows that pass", "robust.present", everything),
        ("rows that are left", "prime.present", everything),
        ("depths", "tukey.only_present", zeros),
        ("scores of a net", "nets.present", everything),
    ),
    "group_says_what_its_other_rows_say": (
        ("group means", "shared.rows.group_means", mean_of_zeros),
        ("robust group means", "populous_robust.present", everything),
        ("robust group moments", "populous_robust.present", everything),
        ("group moments", "votes.evened", zeros),
        ("spectra", "subspaces.evened", zeros),
        ("tokens", "subspaces.evened", lambda groups: groups),
    ),
}
MEDIAN = "shared.window_median.WindowMedian.pieces", of_zeros(WindowMedian.pieces)
STAGES = (
    ("rows", "base.sanitised", zero_sums, "absent.test_a_row_with_one_unusable_entry_is_absent"),
    ("exponents", "scale.exponents", of_zeros(scale.exponents),
     "intervals.test_exponents_are_those_of_the_other_pairs"),
    ("bins of exponents", "scale.only_present", zeros,
     "intervals.test_exponents_are_those_of_the_other_pairs"),
    ("points of a window median with 0 ends", *MEDIAN, "absent.test_window_medians_see_the_other_points", {}),
    ("points of a window median with 2 ends", *MEDIAN, "absent.test_window_medians_see_the_other_points",
     {"low": 0.0, "high": 100.0}),
    ("trimmed rows", "tukey.on_both_sides", zeros,
     "absent.test_trimming_puts_absent_rows_at_either_end_in_turn"),
    ("pairs", "shared.rows.sanitised", zero_sums, "absent.test_a_pair_with_an_absent_row_is_absent"),
    ("group variances", "scale._spread", of_zeros(lambda groups: groups.std(axis=1, ddof=1)),
     "intervals.test_variances_within_groups_are_those_of_the_other_rows"),
    ("places of the rows of a net", "nets.within_ball", ball_of_others,
     "sparse.test_what_is_multiplied_has_a_public_shape_and_rows_keep_their_places"),
    ("lifted rows", "shared.moments.present", everything,
     "absent.test_a_lifted_moment_tells_the_share_of_rows_that_are_there"),
    ("moments over their share", "shared.moments.LiftedMoment.share", lambda *_: 1.0,
     "absent.test_a_lifted_moment_tells_the_share_of_rows_that_are_there"),
    ("lifted rows of a location", "stable_quantile.present", everything,
     "absent.test_an_absent_row_is_the_zero_row_once_it_is_lifted"),
    *((f"rows of {key}", "references.only_present", zeros,
       "absent.test_references_are_those_of_the_other_rows", key)
      for key in CATALOG if NonPrivate() in CATALOG[key].budgets),
    *((stage, where, wrong, f"absent.test_a_{test}", stage)
      for test, stages in NAMED.items() for stage, where, wrong in stages),
)  # fmt: skip

OF_LIFTS = (
    Mutant(
        "a test without a scale",
        without_a_scale,
        by(
            "estimators.test_stable_quantile.test_a_scale_below_the_least_has_the_count_zero", 1 + 1e-6, False
        ),
    ),
    mutant("a count of all rows", "estimators.shared.rows.present", None, everything,
           "estimators.test_two_step.test_what_is_released_is_over_the_rows_that_are_there", "moment", 3),
    *mutants(LIFTED),
    *(
        mutant(f"absent counts as zero: {stage}", f"estimators.{where}", None, wrong,
               f"estimators.test_{test}", *given)
        for stage, where, wrong, test, *given in STAGES
    ),
)  # fmt: skip
