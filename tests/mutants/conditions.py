"""What an example has that a fault may break: it is put only where there is something to break."""

from contextlib import contextmanager
from functools import cache, partial

import numpy as np

from workbench.contracts.accounting import draws_are_those_of_the_plan
from workbench.contracts.datasets import dimension, entry_of, least, planned, sizes, typical_rows
from workbench.contracts.gaps import gap_is_the_sensitivity
from workbench.contracts.kit import answer
from workbench.privacy import ApproxDP, Parallel, UnitNoise, histograms, mechanisms, stable
from workbench.study.faults import Mutant, declared, replaced_everywhere


@cache
def charges(example):
    """Those of the longest plan and, of plans as long, of the one of most rows, which contracts look at."""
    plans = [tuple(planned(example, n).charges()) for n in sizes(example, 24, 300, 1000)]
    return max(reversed(plans), key=len)


def has_step(step):
    return lambda example: step in {charge.step for charge in charges(example)}


def uses(*names):
    return lambda example: bool({charge.mechanism for charge in charges(example)} & {*names})


def calibrated(calibration):
    return lambda example: getattr(example.estimator, "calibration", None) == calibration


def of(*estimands):
    return lambda example: entry_of(example).estimand in estimands


def of_type(*names):
    return lambda example: type(example.estimator).__name__ in names


def has(name):
    return lambda example: hasattr(example.estimator, name)


def both(*conditions):
    return lambda example: all(condition(example) for condition in conditions)


def without(*conditions):
    return lambda example: not any(condition(example) for condition in conditions)


def calls(function, counted=True):
    """Whether it is called; unless `counted`, and never for how many rows are there beside their sum."""

    @cache
    def condition(example):
        seen = []

        def watched(*args, **kwargs):
            seen.append(counted or not (kwargs.get("counted") or any(one is True for one in args)))
            return function(*args, **kwargs)

        with replaced_everywhere((function, watched)):
            answer(example, typical_rows(example, max(300, least(example)), 1))
        return bool(seen) and all(seen)

    return condition


def on_the_line(example):
    return dimension(example) is None


def unbounded(example):
    return getattr(example.estimator, "radius", None) is None and not hasattr(example.estimator, "low")


def compares_pairs(example):
    return has_step("log-scale")(example) or has_step("exponent")(example)


def has_bottom(example):
    return any(
        charge.mechanism == "window_median" and getattr(charge.cost, "delta", 0.0) > 0
        for charge in charges(example)
    )


def is_symmetric(example):
    return any(kind != "none" for kind in entry_of(example).symmetries.values())


def has_several_steps(example):
    found = charges(example)
    return len(found) > 1 and any(charge.cost != example.budget for charge in found)


def has_parts(example):
    return hasattr(planned(example, max(24, least(example))), "parts")


def approximate(example):
    return isinstance(example.budget, ApproxDP)


def practical(example):
    return getattr(example.estimator, "mode", "proved") == "practical"


in_many_dimensions = without(on_the_line)
is_cut = both(of_type("ClippedMean"), calibrated("paper"))
clips_a_mean = both(on_the_line, has_step("mean"), without(is_cut, of_type("BoundedMean")))
clips_around_a_far_place = both(clips_a_mean, unbounded)
searches_bins = both(on_the_line, has_step("locate"), without(uses("window_median")))
has_window_range = both(uses("window_median"), without(has_bottom))
spends_more_than_half = without(both(of_type("FilterMean"), calibrated("paper")))
cuts_at_the_least_threshold = both(
    uses("stability_histogram"),
    without(both(calibrated("paper"), approximate, of_type("UnboundedMean", "StableLocation"))),
)
central = without(has_step("users"))
is_rounded_up = of_type("CoinPressMean", "ClippedHeavyMean", "PerturbedCovariance")
has_no_net = without(has("candidates"))
not_a_covariance = without(of("covariance"))
quickly_bounded = both(
    has("error_bound"), without(both(has_step("log-scale"), has_step("locate")), practical)
)
groups_variances = both(has_step("variance"), calibrated("tight"))


# Too little noise, and another sensitivity than a step's own: in a mechanism, or in a step of an example.

MECHANISMS = (
    *(mechanisms.additive, mechanisms.truncated_laplace, mechanisms.gaussian, mechanisms.symmetric_gaussian),
    *(mechanisms.lower_bound, mechanisms.noisy_max, mechanisms.exponential, mechanisms.cuts),
    *(histograms.stability_histogram, stable.masked, stable.stable_mask, stable.masked_lift, stable.voted),
)
NEVER_ATTAINED = (  # sensitivities of masks are bounds
    *("thompson_laplace", "wishart", "stable_thompson_laplace", "stable_wishart", "tested_wishart"),
    "voted_gaussian",
)
NAMES = (
    *("laplace", "discrete_laplace", "gaussian", "symmetric_gaussian", "lower_bound", "noisy_max"),
    *("exponential", "window_median", "stability_histogram", "truncated_laplace", "cuts", *NEVER_ATTAINED),
)
QUICKLY = {"sizes": (1000,), "small": False}  # attained by few pairs of many rows


def reached_early(example):
    return not (has_step("exponent")(example) and has_step("locate")(example))


def in_one_stage(example):
    return not isinstance(planned(example, max(1000, least(example))), Parallel)


def attaining(example):
    return [charge for charge in charges(example) if charge.step not in entry_of(example).bounded_steps]


def attains(mechanism):
    return lambda example: mechanism in {charge.mechanism for charge in attaining(example)}


def of_mechanisms():
    """Every mechanism with too little noise, or charged for another sensitivity than its own.

    In one step of one example arithmetic on the records of its contracts refutes the same; these show that
    the package leaves such records.
    """
    for name in NAMES:
        wrong = partial(steps_of_mechanism, name)
        yield from quiet(name, wrong, uses(name))
        if name not in NEVER_ATTAINED:
            early = both(attains(name), reached_early, in_one_stage)
            yield from misdeclared(name, wrong, attains(name), early)


def steps_of_mechanism(name, example):
    return {charge.step for charge in charges(example) if charge.mechanism == name}


def quiet(name, wrong, applies):
    for word, factor in (("halved", 0.5), ("off", 0.0)):
        fault = noise_of_steps(wrong, factor)
        yield Mutant(f"noise of {name} {word}", fault, draws_are_those_of_the_plan, applies)


def misdeclared(name, wrong, applies, early):
    half, double = (sensitivity_of_steps(wrong, factor) for factor in (0.5, 2.0))
    yield Mutant(f"sensitivity of {name} halved", half, gap_is_the_sensitivity, applies)
    yield Mutant(f"sensitivity of {name} doubled", double, gap_is_the_sensitivity, early, QUICKLY)


class Rescaled:
    def __init__(self, source, factor):
        self.source, self.factor = source, factor

    def __getattr__(self, kind):
        def noisy(value, sensitivity, scale, *rest):
            if not self.factor:
                if kind == "cuts":
                    return UnitNoise().cuts(value, sensitivity, scale)
                exact = np.asarray(value, float)
                if kind == "choice":
                    return int(np.argmax(exact))
                return exact @ exact.T if kind in stable.MASKS else exact
            return getattr(self.source, kind)(value, sensitivity, scale * self.factor, *rest)

        return getattr(self.source, kind) if kind == "uniform" else noisy


def noise_of_steps(wrong, factor):
    @contextmanager
    def fault(example):
        steps = wrong(example)

        def changed(mechanism):
            def call(value, charge, noise, *rest):
                source = Rescaled(noise, factor) if charge.step in steps else noise
                return mechanism(value, charge, source, *rest)

            return call

        with replaced_everywhere(*((mechanism, changed(mechanism)) for mechanism in MECHANISMS)):
            yield

    return fault


def sensitivity_of_steps(wrong, factor):
    return lambda example: declared(wrong(example), factor)()
