"""The table of mutants: faults put into the package on purpose, each with the contract that must find it."""

from collections.abc import Callable
from dataclasses import replace
from math import inf

import workbench as wb
from tests.mutants import conditions as on
from tests.mutants import faults
from tests.mutants.faults import method
from workbench import ClippedMean, errors
from workbench.catalog import Example
from workbench.contracts import accounting, accuracy, behaviour
from workbench.contracts.disjoint import a_row_moves_one_part, forms
from workbench.contracts.gaps import gap_is_the_sensitivity
from workbench.contracts.lone_row import a_lone_row_shows_with_probability_at_most_delta
from workbench.contracts.whole import noise_meets_whole_numbers
from workbench.estimators import base, scale, two_step
from workbench.estimators import nets as pure_net
from workbench.estimators.heavy_tailed import HeavyTailed
from workbench.estimators.histograms import StableCentres, UnitHistogram
from workbench.estimators.populous import PopulousLearner
from workbench.estimators.prime import Filtered
from workbench.estimators.shared import rows as integers
from workbench.estimators.shared import window_median
from workbench.privacy import histograms, mechanisms, stable
from workbench.study.faults import Fault, Mutant, attribute, charged, everywhere, rewritten, swapped, weaker
from workbench.study.mutants import bins_from_the_smallest_row, sorted_pairs

Contract = Callable[..., None]
KINDS = (
    *("laplace", "discrete_laplace", "gaussian", "symmetric_gaussian", "choice", "exponential"),
    *("truncated_laplace", "thompson_laplace", "wishart", "cuts"),
)
SCALES = (
    (mechanisms, "laplace_scale", ("laplace", "discrete_laplace")),
    (mechanisms, "gaussian_scale", ("gaussian",)),
    (mechanisms, "selection_scale", ("noisy_max", "exponential", "window_median", "cuts")),
    (stable, "thompson_laplace_scale", ("thompson_laplace",)),
    (stable, "wishart_scale", ("wishart",)),
    (stable, "located_scale", ("located_normal",)),
    (stable, "voted_scale", ("voted_gaussian", "voted_laplace")),
    (stable, "stable_scale", ("stable_thompson_laplace", "stable_wishart")),
)
WINDOW, HISTOGRAM = window_median.WindowMedian, UnitHistogram
WINSOR, UNCLIPPED = scale.Winsor, faults.Unclipped()
COUNTED, THRESHOLD = histograms.stability_histogram, histograms.stability_threshold


def halved(function: Callable[..., float]) -> Callable[..., float]:
    return lambda *arguments: function(*arguments) / 2


def found_by(
    contract: Contract, *faulty: tuple[str, Fault, on.Condition], **options: object
) -> list[Mutant[Contract]]:
    return [Mutant(name, fault, contract, applies, options) for name, fault, applies in faulty]


NOISE = [
    *found_by(
        accounting.draws_are_those_of_the_plan,
        *(
            (f"{scale} halved", attribute(module, scale, halved(getattr(module, scale))), on.uses(*names))
            for module, scale, names in SCALES
        ),
    ),
    *found_by(
        accounting.noise_has_the_scale_that_is_asked_for,
        *(
            (f"{kind} source times {factor}", weaker(kind, factor), on.draws(kind))
            for kind in KINDS
            for factor in (0.5, round(1 / 1.3, 2), 1.3)
        ),
    ),
]

SENSITIVITY = found_by(
    gap_is_the_sensitivity,
    ("clip of the mean doubled", swapped(two_step.clipped_mean, faults.twice_as_wide), on.clips_a_mean),
    (
        "mean clipped without centring",
        swapped(two_step.clipped_mean, faults.plain_clipped_mean),
        on.clips_around_a_far_place,
    ),
    *(
        (f"whole numbers {name}", swapped(right, wrong), on.both(on.calls(right), on.central))
        for name, right, wrong in (
            ("in hardly any ball", integers.in_ball, faults.hardly_any_ball),
            ("in a doubled ball", integers.in_ball, faults.twice_the_ball),
            ("in a doubled box", integers.in_box, faults.twice_the_box),
        )
    ),
    (
        "whole numbers that are rounded alone",
        swapped(integers.in_ball, faults.rounded_alone),
        on.is_rounded_up,
    ),
    (
        "clip of a net's scores off",
        attribute(pure_net, "np", UNCLIPPED),
        lambda example: isinstance(example.estimator, pure_net.PureNetCovariance),
    ),
    (
        "cut of the mean off",
        attribute(ClippedMean, "statistic", faults.cut_nothing),
        on.is_cut,
    ),
    (
        "bins from the smallest row on",
        attribute(HISTOGRAM, "keys", bins_from_the_smallest_row),
        on.searches_bins,
    ),
    (
        "exponents from the smallest on",
        swapped(scale.exponents, faults.exponents_from_the_smallest),
        on.has_step("exponent"),
    ),
    ("pairs in order of size", swapped(scale.pair_differences, sorted_pairs), on.compares_pairs),
    ("groups that overlap", attribute(WINSOR, "statistic", faults.overlapping_groups), on.groups_variances),
    ("groups in order of size", attribute(WINSOR, "statistic", faults.sorted_groups), on.groups_variances),
    ("score |n - 2L|", attribute(WINDOW, "pieces", faults.twice_the_depth), on.uses("window_median")),
    (
        "positions between the points only",
        attribute(WINDOW, "pieces", faults.range_of_the_data),
        on.has_window_range,
    ),
)

WHOLE = found_by(
    noise_meets_whole_numbers,
    (
        "scores of floats",
        attribute(WINDOW, "choices", faults.scores_of_floats),
        on.both(on.on_the_line, on.uses("window_median")),
    ),
    (
        "mean of floats",
        swapped(integers.mean_in_ball, faults.float_mean),
        on.calls(integers.mean_in_ball, counted=False),  # floats have no unit, in which rows are counted
    ),
    (
        "moment of floats",
        swapped(integers.moment_in_ball, faults.float_moment),
        on.calls(integers.moment_in_ball, counted=False),
    ),
)

DELTA = found_by(
    a_lone_row_shows_with_probability_at_most_delta,
    *(
        (f"threshold {name}", swapped(THRESHOLD, change), on.cuts_at_the_least_threshold)
        for name, change in (
            ("halved", halved(THRESHOLD)),
            ("off", lambda cost: -inf),
            ("for twice the delta", lambda cost: THRESHOLD(replace(cost, delta=2 * cost.delta))),
        )
    ),
    (
        "threshold below the least",
        attribute(HISTOGRAM, "threshold", faults.half_of_the_threshold),
        on.both(on.uses("stability_histogram"), on.searches_bins),
    ),
    (
        "threshold of the estimator's own",
        swapped(COUNTED, faults.with_its_own_threshold),
        on.uses("stability_histogram"),
    ),
    (
        "bins shown by their count",
        swapped(COUNTED, faults.decided_by_the_count),
        on.uses("stability_histogram"),
    ),
    *(
        (f"bottom {name}", attribute(WINDOW, "bottom", change), on.has_bottom)
        for name, change in (
            ("halved", lambda self, cost: faults.weighed(self, cost) // 2),
            ("off", lambda self, cost: 1),
        )
    ),
    (
        "bottom for the right width twice",
        attribute(WINDOW, "bottom", faults.right_twice),
        on.both(on.has_bottom, on.has_step("log-scale"), on.calibrated("tight")),
    ),
    (
        "bottom decided by the points",
        attribute(WINDOW, "draw", faults.silent_for_sparse_points),
        on.has_bottom,
    ),
)

BUDGET = [
    *found_by(
        accounting.plan_composes_to_the_budget,
        ("every charge costs twice", charged(faults.twice_the_cost), on.spends_more_than_half),
        ("every step gets the whole budget", faults.every_share_is_the_whole, on.has_several_steps),
    ),
    *found_by(
        accounting.draws_are_those_of_the_plan,
        ("a plan at half the price", faults.released_with(faults.cheaper), everywhere),
        ("a plan without its last step", faults.released_with(faults.shorter), on.has_parts),
    ),
    *found_by(
        accounting.plan_is_a_pure_function_of_public_numbers,
        ("a plan that drifts", method("plan", faults.drifting), everywhere),
    ),
]

ROWS = [
    *found_by(
        behaviour.an_unusable_row_is_absent,
        ("unusable rows dropped", attribute(base, "sanitised", faults.rows_dropped), everywhere),
    ),
    *found_by(
        behaviour.hostile_rows_are_ordinary_inputs,
        (
            "the caller's array clipped",
            attribute(base, "univariate", faults.clipped_in_place(base.univariate)),
            on.on_the_line,
        ),
        (
            "the caller's rows clipped",
            attribute(base, "multivariate", faults.clipped_in_place(base.multivariate)),
            on.in_many_dimensions,
        ),
        (
            "an error for ties",
            method("estimate", faults.raises_if(lambda x: not x.size or x.min() == x.max())),
            everywhere,
        ),
        ("a warning for ties", method("estimate", faults.warns_for_ties), everywhere),
    ),
    *found_by(
        accounting.every_accepted_number_of_rows_is_answered,
        ("an error for odd n", method("estimate", faults.raises_if(lambda x: len(x) % 2 == 1)), everywhere),
    ),
    *found_by(
        accounting.draws_do_not_depend_on_the_rows,
        ("the raw value for ties", method("estimate", faults.raw_for_ties), everywhere),
        (
            "one draw for each populated bin",
            swapped(COUNTED, faults.without_empty_draws),
            on.uses("stability_histogram"),
        ),
    ),
    *found_by(
        accounting.wrong_public_arguments_are_refused_before_any_draw,
        ("n and d not checked", swapped(base.require_rows, faults.anything_goes), on.on_the_line),
        (
            "n and d not checked, in many dimensions",
            swapped(base.require_matrix, faults.anything_goes),
            on.calls(base.require_matrix),
        ),
    ),
    *found_by(
        behaviour.public_numbers_are_pythons,
        ("numbers kept as they come", attribute(errors, "plain", lambda value, *_: value), everywhere),
    ),
    *found_by(
        behaviour.names_of_columns_are_kept,
        ("names forgotten", attribute(base, "read", faults.nameless), everywhere),
        ("text read as zeros", attribute(base, "read", faults.text_read_as_zeros), everywhere),
    ),
    *found_by(
        behaviour.same_stream_gives_the_same_bits,
        ("a stream of its own", attribute(base, "noise_source", faults.own_stream(None)), everywhere),
        ("one stream for all", attribute(base, "noise_source", faults.own_stream(0)), everywhere),
    ),
    *found_by(
        behaviour.declared_symmetries_hold,
        (
            "rows mapped by a root",
            method("estimate", faults.roots_of_rows),
            on.both(
                on.is_symmetric, lambda example: not on.has_step("subspace")(example)
            ),  # spanned as before
        ),
    ),
]

ACCURACY = [
    *found_by(
        accounting.work_is_bounded_at_a_large_budget,
        ("a point for each epsilon", method("estimate", faults.a_point_for_each_epsilon), everywhere),
    ),
    *found_by(
        accuracy.error_does_not_rise_with_n,
        (
            "rows stretched with n",
            method("estimate", faults.stretched_with_n),
            on.both(on.of("mean", "location", "scale", "covariance"), on.central, on.has_no_net),
        ),
        pairs=60,
    ),
    *found_by(
        accuracy.error_does_not_rise_with_n,
        ("intervals that grow with n", method("estimate", faults.wider_with_n), on.of("interval")),
        pairs=30,
    ),
    *found_by(
        accuracy.error_bound_is_exceeded_with_probability_at_most_beta,
        *(
            (
                f"1/{factor} of the bound",
                method("error_bound", faults.a_fraction(factor)),
                on.both(on.quickly_bounded, applies),
            )
            for factor, applies in ((50, on.not_a_covariance), (1000, on.of("covariance")))
        ),
        runs=60,
    ),
]

# Stages, batches and parts that share rows: one row is charged once and spent twice

BATCH, PART, REST = "rows[stage.start : stage.stop]", "keys[p :: self.parts]", "x[first + second :]"
OF_A_PART = "range(p, len(keys), self.parts)"
BLOCK = 64  # rows, more than the vote of (2) leaves over


def divided(kind: type, **options: object) -> on.Condition:
    def applies(example: Example) -> bool:
        if not isinstance(example.estimator, kind):
            return False
        chosen = all(getattr(example.estimator, name) == value for name, value in options.items())
        return chosen and bool(forms(example))

    return applies


SHARING = [
    Mutant("batches longer by a row",
           rewritten(HeavyTailed, "estimate", BATCH, "rows[stage.start : stage.stop + 1]"),
           a_row_moves_one_part, divided(wb.HeavyTailedCovariance)),
    Mutant("batches that begin a row early",
           rewritten(HeavyTailed, "estimate", BATCH,
                     "rows[max(stage.start - 1, 0) : stage.stop - (stage.start > 0)]"),
           a_row_moves_one_part, divided(wb.HeavyTailedCovariance)),
    Mutant("parts of a ball with row 0 for their last",
           rewritten(StableCentres, "draw", PART,
                     f"keys[[*{OF_A_PART}][: -1 if p else None] + [0] * (p > 0)]"),
           a_row_moves_one_part, divided(wb.BallRange)),
    Mutant("the last stage of a learner takes a row of the matrix quantile",
           rewritten(PopulousLearner, "estimate", REST, "x[first + second - 1 :]"),
           a_row_moves_one_part, divided(wb.PopulousGaussian, covariance="matrix-quantile")),
    Mutant("the last stage of a learner takes a block of the vote",
           rewritten(PopulousLearner, "estimate", REST, f"x[first + second - {BLOCK} :]"),
           a_row_moves_one_part, divided(wb.PopulousGaussian, covariance="populous")),
    Mutant("the vote of a learner takes a pair of the subspace",
           rewritten(PopulousLearner, "estimate", "x[first : first + second]",
                     "x[first - 2 : first + second - 2]"),
           a_row_moves_one_part, divided(wb.PopulousGaussian, covariance="populous", degenerate=True)),
    Mutant("the matrix quantile takes a row of the subspace",
           rewritten(wb.MatrixQuantileCovariance, "estimate", "x[first:]", "x[first - 1 :]"),
           a_row_moves_one_part, divided(wb.MatrixQuantileCovariance)),
    Mutant("the robust mean takes a row of the covariance",
           rewritten(wb.PopulousRobustGaussian, "estimate", "x[2 * shape.n :]", "x[2 * shape.n - 1 :]"),
           a_row_moves_one_part, divided(wb.PopulousRobustGaussian)),
    Mutant("split parts share row 0",
           rewritten(Filtered, "estimate", "z[p::k]", "z[[0, *range(p + k, n, k)]]"),
           a_row_moves_one_part, divided(wb.FilterMean)),
]  # fmt: skip

MUTANTS = (*NOISE, *SENSITIVITY, *WHOLE, *DELTA, *BUDGET, *ROWS, *ACCURACY, *SHARING)
