"""The table of mutants: faults put into the package on purpose, each with the contract that must find it."""

import warnings
from dataclasses import replace
from functools import cache
from itertools import count
from unittest.mock import Mock, patch

import numpy as np

from tests.mutants.faults import together, written
from workbench import ClippedMean, errors
from workbench.contracts import accounting, accuracy, behaviour
from workbench.contracts.accounting import draws_are_those_of_the_plan
from workbench.contracts.datasets import dimension, entry_of, least, planned, sizes, typical_rows
from workbench.contracts.disjoint import a_row_moves_one_part, forms
from workbench.contracts.gaps import gap_is_the_sensitivity, noise_meets_whole_numbers
from workbench.contracts.kit import answer, louder
from workbench.contracts.lone_row import a_lone_row_shows_with_probability_at_most_delta
from workbench.distributions import Interval
from workbench.estimators import base, scale
from workbench.estimators.histograms import StableCentres, UnitHistogram
from workbench.estimators.shared import rows
from workbench.estimators.shared.budgets import step_budgets
from workbench.estimators.shared.rows import in_ball, in_box, within_ball
from workbench.estimators.shared.window_median import WindowMedian
from workbench.estimators.two_step import clipped_mean
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    Converted,
    Interleaved,
    Parallel,
    PureDP,
    Sequential,
    histograms,
    mechanisms,
    stable,
)
from workbench.study.faults import Mutant, attribute, charged, declared, replaced_everywhere, swapped
from workbench.study.mutants import bins_from_the_smallest_row, sorted_pairs

# The package as it is

chosen_by, weighed, threshold = WindowMedian.choices, WindowMedian.bottom, UnitHistogram.threshold
read, release, coordinate_cost = base.read, base.Release, StableCentres.coordinate_cost

# What an example has that a fault may break: it is put only where there is something to break


@cache
def charges(example):
    """Those of the longest plan and, of plans as long, of the one of most rows, which contracts look at."""
    plans = [tuple(planned(example, n).charges()) for n in sizes(example, 24, 300, 1000)]
    return max(reversed(plans), key=len)


def has_step(*steps):
    return lambda example: bool({charge.step for charge in charges(example)} & {*steps})


def uses(*names):
    return lambda example: bool({charge.mechanism for charge in charges(example)} & {*names})


def option(name, value):
    return lambda example: getattr(example.estimator, name, None) == value


def of(*estimands):
    return lambda example: entry_of(example).estimand in estimands


def of_type(*names):
    return lambda example: type(example.estimator).__name__ in names


def both(*conditions):
    return lambda example: all(condition(example) for condition in conditions)


def without(*conditions):
    return lambda example: not any(condition(example) for condition in conditions)


def calls(function):
    @cache
    def condition(example):
        watched = Mock(side_effect=function)
        with replaced_everywhere((function, watched)):
            answer(example, typical_rows(example, max(300, least(example)), 1))
        return watched.called

    return condition


def on_the_line(example):
    return dimension(example) is None


def has_bottom(example):
    of_medians = (charge.cost for charge in charges(example) if charge.mechanism == "window_median")
    return any(getattr(cost, "delta", 0.0) > 0 for cost in of_medians)


def has_several_steps(example):
    found = charges(example)
    return len(found) > 1 and any(charge.cost != example.budget for charge in found)


is_cut = both(of_type("ClippedMean"), option("calibration", "paper"))
clips_around_a_far_place = both(
    on_the_line,
    has_step("mean"),
    option("radius", None),
    without(is_cut, of_type("BoundedMean"), lambda example: hasattr(example.estimator, "low")),
)
searches_bins = both(on_the_line, has_step("locate"), without(uses("window_median")))
has_window_range = both(uses("window_median"), without(has_bottom))
spends_more_than_half = without(both(of_type("FilterMean"), option("calibration", "paper")))
has_bins = uses("stability_histogram")
has_own_threshold = both(
    option("calibration", "paper"),
    of_type("UnboundedMean", "StableLocation"),
    lambda example: isinstance(example.budget, ApproxDP),
)
central = without(has_step("users"))
grows = both(
    of("mean", "location", "scale", "covariance"),
    central,
    without(of_type("BoundedMean"), lambda example: hasattr(example.estimator, "candidates")),
)
is_rounded_up = of_type("CoinPressMean", "ClippedHeavyMean", "PerturbedCovariance")
quickly_bounded = both(
    lambda example: hasattr(example.estimator, "error_bound"),
    without(both(has_step("log-scale"), has_step("locate")), option("mode", "practical")),
)
keeps_symmetries = both(
    lambda example: bool({*entry_of(example).symmetries.values()} - {"none"}), without(has_step("subspace"))
)
learns = of_type("PopulousGaussian")
groups_variances = both(has_step("variance"), option("calibration", "tight"))


# Changes


def method(change, name="estimate"):
    """A method of an example's estimator, changed: a function of the estimator and its arguments."""

    def fault(example):
        kind = type(example.estimator)
        return patch.object(kind, name, change(getattr(kind, name)))

    return fault


def halved(function):
    return lambda *arguments: function(*arguments) / 2


def quieter(mechanism):
    """The noise of twice the cost."""
    return lambda value, charge, *rest: mechanism(value, replace(charge, cost=louder(charge.cost, 2)), *rest)


# Statistics that are more sensitive than they are charged for


def scores_of_floats(self, *arguments):
    scores, weights = chosen_by(self, *arguments)
    return np.asarray(scores), weights


class Floats(np.ndarray):
    unit, counts = 1.0, property(lambda self: self)

    def padded(self, by):
        return np.pad(self, by).view(Floats)


def in_floats(function):
    return swapped(function, lambda *given, **named: np.asarray(function(*given, **named)).view(Floats))


# Rows


DROPPED = (
    "return rows",
    """kept = ~np.isnan(rows.reshape(len(rows), -1)).any(axis=1)
    return rows[kept] if kept.sum() >= 4 else rows""",
)
IN_PLACE = (
    "values, labels = read(x)",
    """values, labels = read(x)
    if isinstance(x, np.ndarray) and x.flags.writeable:
        with np.errstate(invalid="ignore"):
            np.clip(x, -1e3, 1e3, out=x)""",
)


def text_read_as_zeros(x):
    try:
        return read(x)
    except ValueError:
        return np.zeros(len(x)), None


# Changes of the method `estimate` of an estimator: (self, x, budget, noise)


def of_rows(change):
    return lambda steps: lambda self, x, *rest: steps(self, change(x), *rest)


def raises_if(condition):
    def raising(x):
        if condition(x):
            raise ValueError("unexpected rows")
        return x

    return of_rows(raising)


def warned_of(x):
    if not np.ptp(x):
        warnings.warn("all rows are equal", stacklevel=2)
    return x


def raw_for_ties(steps):
    def changed(self, x, *rest):
        if np.ptp(x):
            return steps(self, x, *rest)
        if x.ndim == 2:
            return x[0]
        return Interval(x[0], x[0]) if "Interval" in type(self).__name__ else float(x[0])

    return changed


def a_point_for_each_epsilon(steps):
    def changed(self, x, budget, noise, *rest):
        for _ in range(int(next(iter(vars(budget).values())))):
            noise.uniform(0.0, 1.0)
        return steps(self, x, budget, noise, *rest)

    return changed


def wider_with_n(steps):
    def changed(self, x, *rest):
        value = steps(self, x, *rest)
        more = len(x) ** 2 if np.isfinite(value.high) else 0.0
        return Interval(value.low - more, value.high + more)

    return changed


def a_fraction(factor):
    return lambda bound: lambda self, *arguments: bound(self, *arguments) / factor


# Budgets and plans


def twice_a_coordinate(self, d, budget):
    rule, cost = coordinate_cost(self, d, budget)
    return rule, louder(cost, 2)


EVERY_SHARE_IS_THE_WHOLE = (
    swapped(step_budgets, lambda budget, weights: step_budgets(budget, (1.0,)) * len(weights)),
    written("shared.budgets.divided", "rest -= size", "pass"),
    written("votes.vote_and_mask", "(1 - share) * budget", "budget"),
    attribute(StableCentres, "coordinate_cost", twice_a_coordinate),
    written("prime.PaperFilter._rounds", "ApproxDP(epsilon / (2 * (2 * epochs + 1)), delta / 2)", "budget"),
    written("prime.PaperFilter._directions", "ApproxDP(epsilon, budget.delta / (8 * passes))", "budget"),
    *(attribute(kind, "split", lambda cost, *weights: (cost,) * len(weights)) for kind in (ZCDP, PureDP)),
)


def with_charges(plan, change):
    match plan:
        case Converted():
            return replace(plan, part=with_charges(plan.part, change))
        case Interleaved():
            return replace(plan, whole=with_charges(plan.whole, change))
        case Sequential() | Parallel():
            return replace(plan, parts=tuple(with_charges(part, change) for part in plan.parts))
    return change(plan)


def cheaper(plan):
    return with_charges(plan, lambda charge: replace(charge, cost=louder(charge.cost, 0.5)))


def shorter(plan):
    if isinstance(plan, Converted):
        return replace(plan, part=shorter(plan.part))
    return replace(plan, parts=plan.parts[:-1])


def released_with(change):
    return attribute(base, "Release", lambda value, plan, *rest: release(value, change(plan), *rest))


def drifting(plan):
    calls = count(1)

    def drift(charge):
        return replace(charge, sensitivity=charge.sensitivity * (1 + 1e-9 * next(calls)))

    return lambda *given: with_charges(plan(*given), drift)


GROUPED, LAST = "self.ratios(x, log_s)", "chosen == scores.shape[0] - 1"
THRESHOLD = histograms.stability_threshold

# The table: contract; name, fault and, if not every example has it, what one needs

HALVED = {  # a scale, and the mechanisms whose noise it is of
    mechanisms.laplace_scale: ("laplace",),
    mechanisms.gaussian_scale: ("gaussian", "symmetric_gaussian"),
    mechanisms.selection_scale: ("noisy_max", "exponential", "window_median", "cuts"),
    stable.thompson_laplace_scale: ("thompson_laplace",),
    stable.wishart_scale: ("wishart",),
    stable.located_scale: ("located_normal",),
    stable.voted_scale: ("voted_gaussian",),
    stable.stable_scale: ("stable_thompson_laplace", "stable_wishart", "tested_wishart"),
}
QUIETER = {
    "discrete_laplace": mechanisms.additive,
    "lower_bound": mechanisms.lower_bound,
    "truncated_laplace": mechanisms.truncated_laplace,
    "stability_histogram": histograms.stability_histogram,
}
SHARING = (
    ("batches longer by a row", "heavy_tailed.HeavyTailed.estimate", "rows[stage.start : stage.stop]",
     "rows[stage.start : stage.stop + 1]", of_type("HeavyTailedCovariance")),
    ("batches that begin a row early", "heavy_tailed.HeavyTailed.estimate", "rows[stage.start : stage.stop]",
     "rows[max(stage.start - 1, 0) : stage.stop - (stage.start > 0)]", of_type("HeavyTailedCovariance")),
    ("parts of a ball with row 0 for their last", "histograms.StableCentres.draw", "keys[p :: self.parts]",
     "keys[[*range(p, len(keys), self.parts)][: -1 if p else None] + [0] * (p > 0)]", of_type("BallRange")),
    ("the last stage of a learner takes a row of the matrix quantile", "populous.PopulousLearner.estimate",
     "x[first + second :]", "x[first + second - 1 :]", both(learns, option("covariance", "matrix-quantile"))),
    # 64: more than the vote of (2) leaves over
    ("the last stage of a learner takes a block of the vote", "populous.PopulousLearner.estimate",
     "x[first + second :]", "x[first + second - 64 :]", both(learns, option("covariance", "populous"))),
    ("the vote of a learner takes a pair of the subspace", "populous.PopulousLearner.estimate",
     "x[first : first + second]", "x[first - 2 : first + second - 2]",
     both(learns, option("degenerate", True))),
    ("the matrix quantile takes a row of the subspace", "matrix_quantile.MatrixQuantileCovariance.estimate",
     "x[first:]", "x[first - 1 :]", of_type("MatrixQuantileCovariance")),
    ("the robust mean takes a row of the covariance", "populous_robust.PopulousRobustGaussian.estimate",
     "x[2 * shape.n :]", "x[2 * shape.n - 1 :]", of_type("PopulousRobustGaussian")),
    ("split parts share row 0", "prime.Filtered.estimate", "z[p::k]", "z[[0, *range(p + k, n, k)]]",
     of_type("FilterMean")),
)  # fmt: skip
FOUND = (
    (draws_are_those_of_the_plan,
     *((f"noise of {name} halved", swapped(scale, halved(scale)), uses(name))
       for scale, names in HALVED.items() for name in names),
     *((f"noise of {name} halved", swapped(mechanism, quieter(mechanism)), uses(name))
       for name, mechanism in QUIETER.items()),
     ("noise of laplace off", swapped(mechanisms.additive, lambda value, *_: np.asarray(value)),
      uses("laplace")),
     ("a plan at half the price", released_with(cheaper)),
     ("a plan without its last step", released_with(shorter),
      lambda example: hasattr(planned(example, max(24, least(example))), "parts"))),
    (gap_is_the_sensitivity,
     ("mean clipped without centring",
      swapped(clipped_mean, lambda x, centre, clip: (
          float(np.clip(x, centre - clip, centre + clip).mean()) - centre)), clips_around_a_far_place),
     *((f"whole numbers {name}", swapped(right, wrong),
        both(calls(right), central, without(of_type("IntervalMean"))))  # its rows lie within
       for name, right, wrong in (
           ("in a doubled ball", in_ball, lambda whole, radius, step: in_ball(whole, 2 * radius, step)),
           ("in a doubled box", in_box, lambda whole, reach, step: in_box(whole, 2 * reach, step)))),
     ("whole numbers that are rounded alone",
      swapped(in_ball, lambda x, radius, step: np.rint(within_ball(x, radius) / step)), is_rounded_up),
     ("clip of a net's scores off", written("nets.PureNetCovariance.scores",
      "np.clip(np.rint(terms, out=terms), -least, most, out=terms)", "np.rint(terms, out=terms)"),
      of_type("PureNetCovariance")),
     ("cut of the mean off", attribute(ClippedMean, "statistic", lambda self, z, bound: float(z.mean())),
      is_cut),
     ("bins from the smallest row on", attribute(UnitHistogram, "keys", bins_from_the_smallest_row),
      searches_bins),
     ("exponents from the smallest on",
      written("scale.exponents", "keys, np.nan", "keys - keys.min(), np.nan"), has_step("exponent")),
     ("pairs in order of size", swapped(scale.pair_differences, sorted_pairs),
      has_step("log-scale", "exponent")),
     ("all pairs in both orders",
      written("scale.all_differences", "np.triu_indices(b, 1)", "np.nonzero(~np.eye(b, dtype=bool))"),
      both(has_step("log-scale"), lambda example: getattr(example.estimator, "lower", None))),
     ("groups that overlap", written("scale.Winsor.statistic", GROUPED,
      GROUPED.replace("x,", "np.lib.stride_tricks.sliding_window_view(x, self.group).ravel(),")),
      groups_variances),
     ("groups in order of size",
      written("scale.Winsor.statistic", GROUPED, GROUPED.replace("x", "np.sort(x)")), groups_variances),
     ("score |n - 2L|", written("shared.window_median.WindowMedian.pieces", "np.abs(p -", "2 * np.abs(p -"),
      uses("window_median")),
     ("scores of a rank doubled", written("shared.window_median.RankWindow.pieces", "twice = 2", "twice = 4"),
      has_step("outer-radius")),
     ("positions between the points only", written("shared.window_median.WindowMedian.pieces",
      "np.zeros(len(in_window), bool)", "(edges[:-1] < points[0]) | (edges[1:] > points[p - 1])"),
      has_window_range)),
    (noise_meets_whole_numbers,
     ("scores of floats", attribute(WindowMedian, "choices", scores_of_floats),
      both(on_the_line, uses("window_median"))),
     ("mean of floats", in_floats(rows.mean_in_ball), calls(rows.mean_in_ball)),
     ("moment of floats", in_floats(rows.moment_in_ball), calls(rows.moment_in_ball))),
    (a_lone_row_shows_with_probability_at_most_delta,
     ("threshold for twice the delta",
      swapped(THRESHOLD, lambda cost: THRESHOLD(replace(cost, delta=2 * cost.delta))),
      both(has_bins, without(has_own_threshold))),
     ("threshold below the least", attribute(UnitHistogram, "threshold", halved(threshold)),
      both(has_bins, searches_bins)),
     ("threshold of the estimator's own",
      written("privacy.histograms.stability_histogram", "noisy >= shown", "noisy >= 3.0"), has_bins),
     ("bins shown by their count",
      written("privacy.histograms.stability_histogram", "noisy >= shown", "counts >= shown"),
      has_bins),
     ("bottom halved", attribute(WindowMedian, "bottom", lambda self, cost: weighed(self, cost) // 2),
      has_bottom),
     ("bottom for the right width twice",
      attribute(WindowMedian, "bottom", lambda self, cost: weighed(replace(self, left=self.right), cost)),
      both(has_bottom, has_step("log-scale"), option("calibration", "tight"))),
     ("bottom decided by the points", written("shared.window_median.WindowMedian.draw", LAST,
      f"({LAST} or not np.median(np.abs(points - np.median(points))) < self.right)"),
      has_bottom)),
    (accounting.plan_composes_to_the_budget,
     ("every charge costs twice",
      charged(lambda step, name, size, cost: (step, name, size, louder(cost, 2))), spends_more_than_half),
     ("every step gets the whole budget", together(*EVERY_SHARE_IS_THE_WHOLE), has_several_steps)),
    (accounting.plan_is_a_pure_function_of_public_numbers,
     ("a plan that drifts", method(drifting, "plan"))),
    (behaviour.an_unusable_row_is_absent,
     ("unusable rows dropped", written("base.sanitised", *DROPPED))),
    (behaviour.hostile_rows_are_ordinary_inputs,
     ("the caller's array clipped", written("base.Univariate._rows", *IN_PLACE), on_the_line),
     ("the caller's rows clipped", written("base.Estimator._rows", *IN_PLACE), without(on_the_line)),
     ("an error for ties", method(raises_if(lambda x: not x.size or x.min() == x.max()))),
     ("a warning for ties", method(of_rows(warned_of)))),
    (accounting.every_accepted_number_of_rows_is_answered,
     ("an error for odd n", method(raises_if(lambda x: len(x) % 2 == 1)))),
    (accounting.draws_do_not_depend_on_the_rows,
     ("the raw value for ties", method(raw_for_ties)),
     ("one draw for each populated bin",
      written("privacy.histograms.stability_histogram", "np.zeros(len(keys), np.int64)", "counts"),
      has_bins)),
    (accounting.wrong_public_arguments_are_refused_before_any_draw,
     ("n and d not checked", swapped(base.require_rows, lambda n, d, least=2: None), on_the_line),
     ("n and d not checked, in many dimensions",
      swapped(base.require_matrix, lambda n, d, least=2: None), calls(base.require_matrix))),
    (behaviour.public_numbers_are_pythons,
     ("numbers kept as they come", attribute(errors, "plain", lambda value, *_: value))),
    (behaviour.names_of_columns_are_kept,
     ("names forgotten", attribute(base, "read", lambda x: (read(x)[0], None))),
     ("text read as zeros", attribute(base, "read", text_read_as_zeros))),
    (behaviour.same_stream_gives_the_same_bits,
     ("a stream of its own", written("privacy.noise.noise_source", "Noise(rng)",
      "Noise(np.random.default_rng())")),
     ("one stream for all", written("privacy.noise.noise_source", "Noise(rng)",
      "Noise(np.random.default_rng(0))"))),
    (behaviour.declared_symmetries_hold,
     ("rows mapped by a root",  # which commutes with no translation and no scale; they span what they spanned
      method(of_rows(lambda x: np.sign(x) * np.sqrt(np.abs(x)))), keeps_symmetries)),
    (accounting.work_is_bounded_at_a_large_budget,
     ("a point for each epsilon", method(a_point_for_each_epsilon))),
    (accuracy.error_does_not_rise_with_n,
     ("rows stretched with n", method(of_rows(lambda x: x * (len(x) / 100))), grows),
     ("intervals that grow with n", method(wider_with_n), of("interval"))),
    (accuracy.error_bound_is_exceeded_with_probability_at_most_beta,
     *((f"1/{factor} of the bound", method(a_fraction(factor), "error_bound"),
        both(quickly_bounded, applies))
       for factor, applies in ((50, without(of("covariance"))), (1000, of("covariance"))))),
    (a_row_moves_one_part,  # what shares a row between stages, batches or parts
     *((name, written(*fault), both(applies, forms)) for name, *fault, applies in SHARING)),
)  # fmt: skip

FEW = {
    accuracy.error_does_not_rise_with_n: {"pairs": 60},
    accuracy.error_bound_is_exceeded_with_probability_at_most_beta: {"runs": 60},
}
MUTANTS = tuple(
    Mutant(name, fault, contract, *applies, options=FEW.get(contract, {}))
    for contract, *faulty in FOUND
    for name, fault, *applies in faulty
)

# Another sensitivity than its own, in every step of a mechanism: the largest is attained

ATTAINED = (
    *("laplace", "discrete_laplace", "gaussian", "symmetric_gaussian", "lower_bound", "noisy_max"),
    *("exponential", "window_median", "stability_histogram", "truncated_laplace", "cuts"),
)
QUICKLY = {"sizes": (1000,), "small": False}  # by few pairs of many rows


def attaining(example):
    return [charge for charge in charges(example) if charge.step not in entry_of(example).bounded_steps]


def attains(name):
    return lambda example: name in {charge.mechanism for charge in attaining(example)}


def early(example):
    plan = planned(example, max(1000, least(example)))
    return not isinstance(plan, Parallel) and not (
        has_step("exponent")(example) and has_step("locate")(example)
    )


def misdeclared(name, factor):
    def fault(example):
        return declared({one.step for one in charges(example) if one.mechanism == name}, factor)()

    return fault


OF_MECHANISMS = tuple(
    Mutant(f"sensitivity of {name} {word}", misdeclared(name, factor), gap_is_the_sensitivity, which, options)
    for name in ATTAINED
    for word, factor, which, options in (
        ("halved", 0.5, attains(name), {}),
        ("doubled", 2.0, both(attains(name), early), QUICKLY),
    )
)
