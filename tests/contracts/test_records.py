"""Contracts that judge a record: the one of the package as it is, and those that faults would have left.

A step that declares half of its sensitivity has twice the ratio of gap and declaration, one that declares
twice its sensitivity half of it; noise that is halved or off is another number in the record of draws, or one
less. Nothing before the step's first use differs, so the record without the fault decides. That such a fault
does leave such a record is run in `tests/mutants`, once for every mechanism.
"""

from functools import cache

import pytest

from tests.contracts.parameters import examples
from tests.mutants.conditions import charges
from tests.mutants.wrong_scales import attaining
from workbench.contracts.accounting import draws_hold, recorded, steps_of_many_rows
from workbench.contracts.gaps import gap_is_the_sensitivity, gaps_hold, measured


@pytest.mark.parametrize(("key", "example"), examples())
def test_draws_are_those_of_the_plan_and_others_are_refused(key, example):
    runs, steps = recorded(example), steps_of_many_rows(example)
    draws_hold(runs, steps)
    for step in {step for run in runs for step in run.steps}:
        for factor in (0.5, 0.0):  # halved, and off
            with pytest.raises(AssertionError):
                draws_hold([run.with_noise(step, factor) for run in runs], steps)


@cache
def mechanisms(example):
    return type(example.estimator), {(charge.step, charge.mechanism) for charge in charges(example)}


def is_new(key, example):
    entry = [parameter.values[1] for parameter in examples() if parameter.values[0] == key]
    former = entry[: list(map(repr, entry)).index(repr(example))]
    return not any(mechanisms(one) == mechanisms(example) for one in former)


@pytest.mark.daily
@pytest.mark.parametrize(("key", "example"), examples())
def test_gap_is_the_sensitivity_and_no_half_or_double_of_it(key, example):
    """All pairs of few rows once for each statistic; where a budget of another kind has the same, some pairs.

    Those still attain the sensitivity of every step, so that no other declaration stands.
    """
    steps = {charge.step for charge in attaining(example)}
    of_few_rows = not steps <= steps_of_many_rows(example)
    gaps = measured(example, small=of_few_rows or is_new(key, example))
    gaps_hold(gaps)
    for step, factor in [*((step, 0.5) for step in steps), *((step, 2.0) for step in gaps.wanted)]:
        with pytest.raises(AssertionError):
            gaps_hold(gaps.declaring(step, factor))


@pytest.mark.slow
@pytest.mark.parametrize(("key", "example"), examples())
def test_gap_of_all_pairs_is_the_sensitivity(key, example):
    gap_is_the_sensitivity(example)
