"""Faults that more than a line writes, that properties find: each with the test that must fail."""

from contextlib import ExitStack, contextmanager
from functools import partial
from unittest.mock import patch

import numpy as np

from tests.estimators import test_populous as votings
from tests.mutants.faults import by, mutant, mutants, rewritten
from tests.privacy import test_plan as accounts
from workbench import TwoStepMean
from workbench.catalog import CATALOG
from workbench.contracts.accounting import draws_are_those_of_the_plan
from workbench.contracts.gaps import gap_is_the_sensitivity
from workbench.estimators import adaptive_covariance, base, scale, unbounded, votes
from workbench.estimators.histograms import UnitHistogram
from workbench.estimators.shared import rows
from workbench.estimators.shared.window_median import WindowMedian
from workbench.estimators.stable_quantile import LiftedSolver, LiftedStability, Solver, Stability
from workbench.privacy import GaussianDP, NonPrivate, exact
from workbench.privacy.budgets import gdp_within_approx
from workbench.study.faults import Mutant, weaker


@contextmanager
def of_winsorised_moments():
    with ExitStack() as stack:
        for name, right, wrong in (
            ("_measured", "unwinsorised(z, radius)", "z"),
            ("round", "covariance(z)", "covariance(unwinsorised(z, self.ball(spectrum)))"),
        ):
            stack.enter_context(rewritten(unbounded.RoundFinish, name, right, wrong)())
        yield


def of_scatter_alone(self, scaled, factor):
    return bool((factor[1:, 1:] ** 2).sum() <= self.widest / 6)


@contextmanager
def without_a_scale():
    with (
        patch.object(LiftedStability, "accepts", Stability.accepts),
        patch.object(LiftedSolver, "allowed", of_scatter_alone),
    ):
        yield


LAW = "privacy.test_noise.test_"
SOURCES = {
    **{kind: ("noise_has_its_law_and_is_added", "simulated", kind)
       for kind in ("laplace", "discrete_laplace", "gaussian", "exponential", "truncated_laplace")},
    "symmetric_gaussian": ("symmetric_noise_is_symmetric_and_smaller_off_the_diagonal", "simulated"),
    "choice": ("selection_has_its_exact_law", "simulated", "*SELECTIONS.0"),
    "cuts": ("a_cut_of_two_alike_falls_on_either",),
    "thompson_laplace": ("thompson_laplace_masks_have_the_law_of_their_rate", 2),
    "wishart": ("wishart_noise_has_the_distribution_of_rows",),
}  # fmt: skip
QUIETER = tuple(
    Mutant(f"{kind} source times {factor}", weaker(kind, factor), by(LAW + test, *given))
    for kind, (test, *given) in SOURCES.items()
    for factor in (0.5, round(1 / 1.3, 2), 1.3)
)

WITH_CONTEXTS = (
    ("zeros of either sign",
     partial(patch.multiple, exact.DiscreteLaplace,
             tail=lambda self, x: exact.Exponential.tail(self, x + 0.5),
             point=lambda self, u: exact.Exponential.point(self, u) - 0.5),
     "privacy.test_exact.test_every_integer_has_its_probability", exact.DiscreteLaplace, 1, 1),
    ("truncated noise beyond its bound",
     partial(patch.multiple, exact.TruncatedLaplace, tail=exact.Laplace.tail, point=exact.Laplace.point),
     "privacy.test_exact.test_every_integer_has_its_probability", exact.TruncatedLaplace, 2, 1),
    ("choices of floats next to a boundary",
     partial(patch.multiple, exact, MARGIN=0.0, EACH=0.0, EXPONENT=0.0),
     "privacy.test_exact.test_floats_decide_nearly_always_and_never_at_a_boundary"),
    ("frames of winsorised moments", of_winsorised_moments,
     "estimators.test_unbounded.test_rows_are_as_long_in_every_frame_as_its_steps_foresee"),
    ("a test without a scale", without_a_scale,
     "estimators.test_stable_quantile.test_a_scale_below_the_least_has_the_count_zero", 1 + 1e-6, False),
    ("normal noise in l1", partial(patch.dict, votes.JOINT, laplace="voted_gaussian"),
     "estimators.test_populous.test_an_average_moves_by_most_of_what_is_charged", "l1"),
)  # fmt: skip


def everything(values):
    return np.ones(values.shape if values.ndim == 1 else values.shape[:-1], bool)


NEAR = "estimators.test_populous.test_many_points_are_compared_piece_by_piece_near_and_far"
ALONE = "estimators.test_populous.test_what_a_group_answers_hangs_on_its_own_rows_alone"
OTHERS = (
    ("inner products of points as far as points may be", "estimators.votes.within",
     "cdist(points[rows], points[rows.start :], metric)",
     "(points[rows]**2).sum(1)[:, None] - 2 * points[rows] @ points[rows.start :].T"
     " + (points**2).sum(1)[rows.start :]", NEAR, votes.Points, 2),
    ("friends in l1 by their distance in l2", "estimators.votes.L1Points.METRIC", None, "sqeuclidean", NEAR,
     votes.L1Points, 1),
    ("a ledger whose limits have all of the slack each", "privacy.ledger._Limits.__init__", "slack / 2",
     "slack", "privacy.test_plan.test_each_sum_is_spent_to_its_own_limit",
     lambda share: GaussianDP(gdp_within_approx(accounts.HALF).mu * share**0.5)),
    ("a composition without the true responses", "privacy.ledger._responses", "truth = 1 /", "truth = 0.9 /",
     "privacy.test_plan.test_the_exact_composition_is_that_of_dp_accounting_and_not_below", [0.02] * 15, 0.0),
    ("an error of eigenvalues that stand still", "estimators.adaptive_covariance.denoised_spectrum",
     "4 * (trace + slopes)", "4 * trace",
     "estimators.test_sparse.test_the_squared_error_is_as_it_is_estimated", np.geomspace(90, 0.1, 12), 1e3,
     False),
    ("tokens named by closeness", "estimators.subspaces.Tokens.of", "for row in found",
     "for row in found[(np.abs(found[:, None] - found).max(axis=2) <= 1).argmax(axis=1)]",
     "estimators.test_populous.test_a_block_that_moves_by_one_cell_changes_no_other_token", 0),
    ("a rate of Thompson-Laplace noise that is 2 more in four dimensions",
     "privacy.noise.thompson_exponents", "rate - floor", "rate + 2.0 * (d == 4) - floor",
     "privacy.test_noise.test_thompson_laplace_masks_have_the_law_of_their_rate", 4),
    ("two rounding steps fewer", "estimators.unbounded.RoundFinish.count", "self._ended[0]",
     "self._ended[0] - 2",
     "estimators.test_unbounded.test_the_last_step_is_the_first_that_meets_the_worst_spectrum_round", 4000,
     5),
    ("a location without a stretch", "estimators.two_step.STRETCH", None, 0.0,
     "estimators.test_two_step.test_equal_rows_are_found", TwoStepMean(radius=100.0, sigma=2.0), "PURE", 1),
    ("cuts in a piece that are told apart", "privacy.cuts.Scan.ways", "self.node.log_ways[k - 1]",
     "k * self.node.log_ways[0]",
     "privacy.test_cuts.test_the_package_has_the_law", "two cuts at once"),
    ("windows by differences", "privacy.cuts.Scan.passed",
     "short[1:] = self.windows(self.times(at, self.inverse(self.powers)), whole)[: len(at) - 1]",
     """with np.errstate(all="ignore"):
        total = np.logaddexp.accumulate(at - self.powers)
        short[1:] = total[:-1]
        short[whole + 1 :] += np.log(-np.expm1(total[: len(at) - whole - 1] - total[whole:-1]))""",
     "privacy.test_cuts.test_a_scan_does_not_subtract"),
    ("points in l1 that are usable by their length in l2", "estimators.votes.L1Points.usable", None,
     votes.Points.usable, "estimators.test_populous.test_points_in_l1_are_usable_by_their_sum"),
    ("scales of columns that are found with all of the budget each", "estimators.units.Scaled.estimate",
     "1, cost)", "1, budget)", "estimators.test_coinpress.test_every_contract_holds",
     draws_are_those_of_the_plan, "EXAMPLES.1"),
    ("scales of columns that are not charged", "estimators.units.Scaled.plan", "*found, plan", "plan"),
    ("half the Laplace noise in l1", "privacy.stable.voted_scale", "/ charge.ratio", "/ charge.ratio / 2",
     "estimators.test_populous.test_the_law_of_the_release_in_l1_is_laplace_and_its_length_a_gamma"),
    ("an oracle that remembers the groups before", "estimators.populous._answer", "own_copy(oracle)",
     "oracle", ALONE, votings.Remembers()),
    ("a function that is copied as it is", "estimators.populous._copied", "_function(value, memo)", "value",
     ALONE, votings.counting()),
    ("variables around a function that are not copied", "estimators.populous._function",
     "_copied(cell.cell_contents, memo)", "cell.cell_contents", ALONE, votings.counting()),
    ("default values that are not copied", "estimators.populous._function",
     "deepcopy(function.__defaults__, memo)", "function.__defaults__", ALONE, votings.collecting),
    ("attributes that are not copied", "estimators.populous._function", "deepcopy(function.__dict__, memo)",
     "function.__dict__", ALONE, votings.noting()),
    ("an oracle that sees the rows of all groups", "estimators.populous._answer", ").copy()", ")", ALONE,
     votings.greedy),
    ("a guard that sees the centre", "estimators.stable_quantile.LiftedSolver.allowed", None, Solver.allowed,
     "estimators.test_stable_quantile.test_no_guard_tells_neighbours_apart_by_where_their_medians_are"),
    ("a guard that sees a far centre", "estimators.stable_quantile.LiftedSolver.allowed", None,
     Solver.allowed),
    ("rows of the finish that no ball holds", "estimators.shared.moments.in_ball", None,
     lambda rows, radius, step: np.rint(rows / step),
     "estimators.test_unbounded.test_moments_are_of_rows_in_a_ball_round_what_was_released"),
    ("a count of all rows", "estimators.shared.rows.present", None, everything,
     "estimators.test_two_step.test_what_is_released_is_over_the_rows_that_are_there", "moment", 3),
)  # fmt: skip


# Mutants of absent rows, one for each stage that meets them: there they count as zero rows.


def zeros(values, *_):
    return np.where(np.isnan(values), 0.0, values)


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

PROPERTIES = (
    *QUIETER,
    *(Mutant(name, fault, by(*test)) for name, fault, *test in WITH_CONTEXTS),
    *mutants(OTHERS),
    Mutant(
        "a lifted moment charged as a moment",
        rewritten(adaptive_covariance.AdaptiveCovariance, "moved", "self.lifted(n, d).sensitivity()",
                  "second_moment_sensitivity(n, 1.0)"),
        partial(gap_is_the_sensitivity, CATALOG["covariance/adaptive"].examples[-1], (1000,), False),
    ),
    *(
        mutant(f"absent counts as zero: {stage}", f"estimators.{where}", None, wrong,
               f"estimators.test_{test}", *given)
        for stage, where, wrong, test, *given in STAGES
    ),
)  # fmt: skip
