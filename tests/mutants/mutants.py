"""The table of mutants."""

from collections.abc import Callable
from math import inf, log

import faults
from accounting import (
    draws_are_those_of_the_plan,
    draws_do_not_depend_on_the_rows,
    every_accepted_number_of_rows_is_answered,
    noise_has_the_scale_that_is_asked_for,
    plan_composes_to_the_budget,
    plan_is_a_pure_function_of_public_numbers,
    work_is_bounded_at_a_large_budget,
    wrong_public_arguments_are_refused_before_any_draw,
)
from accuracy import error_bound_is_exceeded_with_probability_at_most_beta, error_does_not_rise_with_n
from behaviour import (
    an_unusable_row_counts_as_zero,
    declared_symmetries_hold,
    hostile_rows_are_ordinary_inputs,
    names_of_columns_are_kept,
    same_stream_gives_the_same_bits,
)
from datasets import entry_of, least, planned
from gaps import gap_is_the_sensitivity
from lone_row import a_lone_row_shows_with_probability_at_most_delta
from sharing import SHARING
from table import (
    Mutant,
    Unclipped,
    attribute,
    both,
    calibrated,
    calls,
    charged,
    charges,
    draws,
    everywhere,
    has_step,
    in_many_dimensions,
    method,
    of,
    on_the_line,
    swapped,
    times,
    unbounded,
    uses,
)

from workbench.catalog import Example
from workbench.estimators import base
from workbench.estimators.covariance import pure_net
from workbench.estimators.parts import rows
from workbench.estimators.parts.locate import clipping, unit_histogram, window_median
from workbench.estimators.parts.scale import exponent_scale, kv_interval, winsor, winsorised_scale
from workbench.estimators.univariate import clipped_mean
from workbench.privacy import ApproxDP, SimulatedNoise, histograms, masks, mechanisms

Condition = Callable[[Example], bool]
KINDS = (
    *("laplace", "discrete_laplace", "gaussian", "symmetric_gaussian", "gumbel", "exponential"),
    *("truncated_laplace", "thompson_laplace", "wishart"),
)
WINDOW, HISTOGRAM = window_median.WindowMedian, unit_histogram.UnitHistogram


def clips_a_mean(example: Example) -> bool:
    """Examples whose mean goes through the shared clipped mean."""
    paper_cut = type(example.estimator).__name__ == "ClippedMean" and calibrated("paper")(example)
    return on_the_line(example) and has_step("mean")(example) and not paper_cut


def clips_around_a_far_place(example: Example) -> bool:
    """Examples whose mean is clipped around a place that may be anywhere."""
    return clips_a_mean(example) and unbounded(example)


def searches_bins(example: Example) -> bool:
    """Examples with bins of width 1."""
    return on_the_line(example) and has_step("locate")(example) and not uses("window_median")(example)


def compares_pairs(example: Example) -> bool:
    """Examples that look at differences of rows in pairs."""
    return has_step("log-scale")(example) or has_step("exponent")(example)


def has_bottom(example: Example) -> bool:
    """Examples with a window median without a range: it has a δ of its own."""
    return any(
        charge.mechanism == "window_median" and getattr(charge.cost, "delta", 0.0) > 0
        for charge in charges(example)
    )


def has_window_range(example: Example) -> bool:
    """Examples with a window median on a range."""
    return uses("window_median")(example) and not has_bottom(example)


def is_symmetric(example: Example) -> bool:
    """Examples that promise something about moved or rescaled rows."""
    return any(kind != "none" for kind in entry_of(example).symmetries.values())


def spends_more_than_half(example: Example) -> bool:
    """All but the filter with its source's constants, whose noise is chosen for at most ε = .9."""
    return type(example.estimator).__name__ != "FilterMean" or example.estimator.calibration != "paper"


def has_several_steps(example: Example) -> bool:
    """Examples that divide their budget."""
    return len(charges(example)) > 1


def cuts_at_the_least_threshold(example: Example) -> bool:
    """Examples whose histogram cuts at the least allowed threshold, not at the source's larger one."""
    stated = calibrated("paper")(example) and isinstance(example.budget, ApproxDP)
    single = type(example.estimator).__name__ in ("UnboundedMean", "StableLocation")
    return uses("stability_histogram")(example) and not (stated and single)


def central(example: Example) -> bool:
    """Examples in which the noise does not drown what rows are."""
    return not has_step("users")(example)


def has_no_net(example: Example) -> bool:
    """Examples that do not choose among public candidates: those cut scores, and end where the net does."""
    return not hasattr(example.estimator, "candidates")


def not_a_covariance(example: Example) -> bool:
    """Examples whose proved bounds are not products of several."""
    return entry_of(example).estimand != "covariance"


def quickly_bounded(example: Example) -> bool:
    """Examples whose bound is finite for few rows; the others need 40 000, or prove none."""
    slow = has_step("log-scale")(example) and has_step("locate")(example)
    unproved = getattr(example.estimator, "mode", "proved") == "practical"
    return hasattr(example.estimator, "error_bound") and not (slow or unproved)


groups_variances = both(has_step("variance"), calibrated("tight"))
is_scaled = both(has_step("variance"), calibrated("paper"))
is_cut = both(lambda example: type(example.estimator).__name__ == "ClippedMean", calibrated("paper"))

NOISE = [
    *(Mutant(f"{scale} halved", attribute(mechanisms, scale, lambda charge, right=right: right(charge) / 2),
             draws_are_those_of_the_plan, uses(*names))
      for scale, right, names in (
          ("laplace_scale", mechanisms.laplace_scale, ("laplace", "discrete_laplace")),
          ("gaussian_scale", mechanisms.gaussian_scale, ("gaussian",)),
          ("selection_scale", mechanisms.selection_scale, ("noisy_max", "exponential", "window_median")))),
    *(Mutant(f"{scale} halved", attribute(masks, scale, lambda *args, right=right: right(*args) / 2),
             draws_are_those_of_the_plan, uses(kind))
      for scale, right, kind in (("thompson_laplace_scale", masks.thompson_laplace_scale, "thompson_laplace"),
                                 ("wishart_scale", masks.wishart_scale, "wishart"),
                                 ("wishart_trace_scale", masks.wishart_trace_scale, "wishart_trace"))),
    *(Mutant(f"{kind} source times {factor}",
             attribute(SimulatedNoise, kind, faults.rescaled_source(kind, factor)),
             noise_has_the_scale_that_is_asked_for, draws(kind))
      for kind in KINDS for factor in (0.5, round(1 / 1.3, 2), 1.3)),
]  # fmt: skip

SENSITIVITY = [
    Mutant("clip of the mean off", attribute(clipping, "np", Unclipped()), gap_is_the_sensitivity,
           clips_a_mean),
    Mutant("clip of the mean doubled", swapped(clipping.clipped_mean, faults.twice_as_wide),
           gap_is_the_sensitivity, clips_a_mean),
    Mutant("mean clipped without centring", swapped(clipping.clipped_mean, faults.plain_clipped_mean),
           gap_is_the_sensitivity, clips_around_a_far_place),
    *(Mutant(f"clip to the ball {name}", swapped(rows.within_ball, change), gap_is_the_sensitivity,
             both(calls(rows.within_ball), central, has_no_net))
      for name, change in (("off", lambda x, radius: x), ("doubled", faults.twice_the_radius))),
    Mutant("clip of a net's scores off", attribute(pure_net, "np", Unclipped()), gap_is_the_sensitivity,
           lambda example: isinstance(example.estimator, pure_net.PureNetCovariance)),
    Mutant("cut of the mean off", attribute(clipped_mean.ClippedMean, "statistic", faults.cut_nothing),
           gap_is_the_sensitivity, is_cut),
    Mutant("clip of variances off", attribute(winsor, "np", Unclipped()),
           gap_is_the_sensitivity, groups_variances),
    Mutant("clip of squares off", attribute(kv_interval, "np", Unclipped()), gap_is_the_sensitivity,
           is_scaled),
    Mutant("bins from the smallest row on", attribute(HISTOGRAM, "keys", faults.bins_from_the_smallest_row),
           gap_is_the_sensitivity, searches_bins),
    Mutant("exponents from the smallest on", swapped(exponent_scale.exponents,
           faults.exponents_from_the_smallest),
           gap_is_the_sensitivity, has_step("exponent")),
    Mutant("pairs in order of size", swapped(exponent_scale.pair_differences, faults.sorted_pairs),
           gap_is_the_sensitivity, compares_pairs),
    Mutant("groups that overlap", attribute(winsorised_scale.Winsor, "statistic", faults.overlapping_groups),
           gap_is_the_sensitivity, groups_variances),
    Mutant("groups in order of size", attribute(winsorised_scale.Winsor, "statistic", faults.sorted_groups),
           gap_is_the_sensitivity, groups_variances),
    Mutant("score |n - 2L|", attribute(WINDOW, "pieces", faults.twice_the_depth),
           gap_is_the_sensitivity, uses("window_median")),
    Mutant("positions between the points only", attribute(WINDOW, "pieces", faults.range_of_the_data),
           gap_is_the_sensitivity, has_window_range),
]  # fmt: skip

DELTA = [
    *(Mutant(f"threshold {name}", swapped(histograms.stability_threshold, change),
             a_lone_row_shows_with_probability_at_most_delta, cuts_at_the_least_threshold)
      for name, change in (
          ("halved", lambda cost, right=histograms.stability_threshold: right(cost) / 2),
          ("off", lambda cost: -inf),
          ("for twice the delta", lambda cost, right=histograms.stability_threshold:
              right(type(cost)(**{**vars(cost), "delta": 2 * cost.delta}))))),
    Mutant("threshold below the least", attribute(HISTOGRAM, "threshold", faults.half_of_the_threshold),
           a_lone_row_shows_with_probability_at_most_delta, both(uses("stability_histogram"), searches_bins)),
    Mutant("threshold of the estimator's own", faults.own_threshold,
           a_lone_row_shows_with_probability_at_most_delta, uses("stability_histogram")),
    Mutant("bins shown by their count", swapped(histograms.stability_histogram, faults.decided_by_the_count),
           a_lone_row_shows_with_probability_at_most_delta, uses("stability_histogram")),
    *(Mutant(f"bottom {name}", attribute(WINDOW, "log_bottom", change),
             a_lone_row_shows_with_probability_at_most_delta, has_bottom)
      for name, change in (("halved", lambda self, cost: faults.weighed(self, cost) - log(2)),
                           ("off", lambda self, cost: -inf))),
    Mutant("bottom for the right width twice", attribute(WINDOW, "log_bottom", faults.right_twice),
           a_lone_row_shows_with_probability_at_most_delta, both(has_bottom, has_step("log-scale"))),
    Mutant("bottom decided by the points", attribute(WINDOW, "draw", faults.silent_for_sparse_points),
           a_lone_row_shows_with_probability_at_most_delta, has_bottom),
]  # fmt: skip

BUDGET = [
    Mutant("every charge costs twice", charged(lambda step, name, size, cost: (step, name, size,
           times(cost, 2))),
           plan_composes_to_the_budget, spends_more_than_half),
    Mutant("every step gets the whole budget", faults.every_share_is_the_whole, plan_composes_to_the_budget,
           has_several_steps),
    Mutant("a plan at half the price", faults.released_with(faults.cheaper),
           draws_are_those_of_the_plan, everywhere),
    Mutant("a plan without its last step", faults.released_with(faults.shorter), draws_are_those_of_the_plan,
           lambda example: hasattr(planned(example, max(24, least(example))), "parts")),
    Mutant("a plan that drifts", method("plan", faults.drifting),
           plan_is_a_pure_function_of_public_numbers, everywhere),
]  # fmt: skip

ROWS = [
    Mutant("unusable rows dropped", attribute(base, "sanitised", faults.rows_dropped),
           an_unusable_row_counts_as_zero, everywhere),
    Mutant("the caller's array clipped", attribute(base, "univariate", faults.clipped_in_place),
           hostile_rows_are_ordinary_inputs, on_the_line),
    Mutant("the caller's rows clipped", attribute(base, "multivariate", faults.rows_clipped_in_place),
           hostile_rows_are_ordinary_inputs, in_many_dimensions),
    Mutant("an error for ties",
           method("estimate", faults.raises_if(lambda x: not x.size or x.min() == x.max())),
           hostile_rows_are_ordinary_inputs, everywhere),
    Mutant("a warning for ties", method("estimate", faults.warns_for_ties),
           hostile_rows_are_ordinary_inputs, everywhere),
    Mutant("an error for odd n", method("estimate", faults.raises_if(lambda x: len(x) % 2 == 1)),
           every_accepted_number_of_rows_is_answered, everywhere),
    Mutant("the raw value for ties", method("estimate", faults.raw_for_ties),
           draws_do_not_depend_on_the_rows, everywhere),
    Mutant("one draw for each populated bin", swapped(histograms.stability_histogram,
           faults.without_empty_draws),
           draws_do_not_depend_on_the_rows, uses("stability_histogram")),
    Mutant("n and d not checked", swapped(base.require_rows, faults.anything_goes),
           wrong_public_arguments_are_refused_before_any_draw, on_the_line),
    Mutant("n and d not checked, in many dimensions", swapped(base.require_matrix, faults.anything_goes),
           wrong_public_arguments_are_refused_before_any_draw, calls(base.require_matrix)),
    Mutant("names forgotten", attribute(base, "read", faults.nameless), names_of_columns_are_kept,
           everywhere),
    Mutant("text read as zeros", attribute(base, "read", faults.text_read_as_zeros),
           names_of_columns_are_kept, everywhere),
    Mutant("a stream of its own", attribute(base, "noise_source", faults.own_stream(None)),
           same_stream_gives_the_same_bits, everywhere),
    Mutant("one stream for all", attribute(base, "noise_source", faults.own_stream(0)),
           same_stream_gives_the_same_bits, everywhere),
    Mutant("rows mapped by a root", method("estimate", faults.roots_of_rows), declared_symmetries_hold,
           both(is_symmetric, lambda example: not has_step("subspace")(example))),  # spanned as before
]  # fmt: skip

ACCURACY = [
    Mutant("a point for each epsilon", method("estimate", faults.a_point_for_each_epsilon),
           work_is_bounded_at_a_large_budget, everywhere),
    Mutant("rows stretched with n", method("estimate", faults.stretched_with_n), error_does_not_rise_with_n,
           both(of("mean", "location", "scale", "covariance"), central, has_no_net), {"pairs": 60}),
    Mutant("intervals that grow with n", method("estimate", faults.wider_with_n), error_does_not_rise_with_n,
           of("interval"), {"pairs": 30}),
    *(Mutant(f"1/{factor} of the bound", method("error_bound", faults.a_fraction(factor)),
             error_bound_is_exceeded_with_probability_at_most_beta, both(quickly_bounded, applies),
             {"runs": 60})
      for factor, applies in ((50, not_a_covariance), (1000, of("covariance")))),
]  # fmt: skip

MUTANTS = (*NOISE, *SENSITIVITY, *DELTA, *BUDGET, *ROWS, *ACCURACY, *SHARING)
