"""Too little noise, and another sensitivity than a step's own, in a mechanism or in a step of an example."""

from contextlib import contextmanager
from functools import partial

from tests.mutants.table import both, charges, has_step, uses
from workbench.contracts.accounting import draws_are_those_of_the_plan
from workbench.contracts.datasets import entry_of, least, planned
from workbench.contracts.gaps import gap_is_the_sensitivity
from workbench.privacy import Parallel, UnitNoise, histograms, mechanisms, stable
from workbench.study.faults import Mutant, declared, replaced_everywhere

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
    return not both(has_step("exponent"), has_step("locate"))(example)


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
    for word, quieter in (("halved", Halved), ("off", lambda _: UnitNoise())):
        fault = noise_of_steps(wrong, quieter)
        yield Mutant(f"noise of {name} {word}", fault, draws_are_those_of_the_plan, applies)


def misdeclared(name, wrong, applies, early):
    half, double = (sensitivity_of_steps(wrong, factor) for factor in (0.5, 2.0))
    yield Mutant(f"sensitivity of {name} halved", half, gap_is_the_sensitivity, applies)
    yield Mutant(f"sensitivity of {name} doubled", double, gap_is_the_sensitivity, early, QUICKLY)


class Halved:
    def __init__(self, source):
        self.source = source

    def __getattr__(self, kind):
        draw = getattr(self.source, kind)
        if kind == "uniform":
            return draw
        return lambda value, sensitivity, scale, *rest: draw(value, sensitivity, scale / 2, *rest)


def noise_of_steps(wrong, quieter):
    @contextmanager
    def fault(example):
        steps = wrong(example)

        def changed(mechanism):
            def call(value, charge, noise, *rest):
                return mechanism(value, charge, quieter(noise) if charge.step in steps else noise, *rest)

            return call

        with replaced_everywhere(*((mechanism, changed(mechanism)) for mechanism in MECHANISMS)):
            yield

    return fault


def sensitivity_of_steps(wrong, factor):
    return lambda example: declared(wrong(example), factor)()
