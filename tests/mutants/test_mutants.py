"""Every mutant of an entry or a mechanism is found by the contract that it names."""

from contextlib import contextmanager
from functools import cache

import pytest

from tests.contracts.test_contracts import examples
from tests.mutants.faults import isolated, memos
from tests.mutants.table import ATTAINED, MUTANTS, OF_MECHANISMS, attaining, charges
from workbench.contracts import CONTRACTS
from workbench.contracts.accounting import plan_composes_to_the_budget
from workbench.contracts.accuracy import error_does_not_rise_with_n
from workbench.contracts.datasets import dimension, sizes
from workbench.contracts.kit import warm
from workbench.errors import ArgumentError
from workbench.study.faults import everywhere

KEYS = list(dict.fromkeys(parameter.values[0] for parameter in examples()))


@cache
def mutated(key):
    found, known = [], set()
    for example in (parameter.values[1] for parameter in examples() if parameter.values[0] == key):
        used = {word for charge in charges(example) for word in (charge.step, f"by {charge.mechanism}")}
        if dimension(example) is None or not used <= known:
            found.append(example)
            known |= used
    return found


def first_of(mutant, candidates):
    return next(filter(mutant.applies, candidates), None)


@contextmanager
def finding():
    """Give what tells whether a mutant's contract finds it in an example, and passes there without it.

    Designs and critical values of the package as it is, at the sizes of the contracts, are made once.
    """
    ready, passed = set(), set()

    def find(mutant, example):
        if repr(example) not in ready:
            for n in sizes(example, 24, 300, 1000):
                warm(example, n)
            ready.add(repr(example))
        trial = (mutant.found_by, str(mutant.options), repr(example))
        if mutant.options and trial not in passed:  # without options, it is a test of the contracts
            mutant.found_by(example, **mutant.options)
            passed.add(trial)
        if mutant.found_by is plan_composes_to_the_budget:  # designs that are kept have the right charges
            for memo in remembered:
                memo.known.clear()
            ready.clear()
        with isolated(remembered), mutant.fault(example):
            try:
                mutant.found_by(example, **mutant.options)
            except (AssertionError, ArgumentError):  # a charge may be refused by what composes it
                return True
        return False

    with memos() as remembered:
        yield find


@pytest.fixture(scope="module")
def found():
    with finding() as find:
        yield find


@pytest.mark.daily
@pytest.mark.parametrize("key", KEYS)
def test_the_named_contract_finds_every_mutant_of_an_entry(key, found):
    """Faults in rows before an estimator sees them are tried where many rows are quick."""
    slow = {error_does_not_rise_with_n} if "populous" in key else set()
    trials = [(mutant, first_of(mutant, mutated(key))) for mutant in MUTANTS if mutant.found_by not in slow]
    assert all(example for mutant, example in trials if mutant.applies is everywhere)
    escaped = [mutant.name for mutant, example in trials if example and not found(mutant, example)]
    assert not escaped


@pytest.mark.daily
@pytest.mark.parametrize("mutant", OF_MECHANISMS, ids=lambda one: one.name)
def test_the_named_contract_finds_a_wrong_mechanism(mutant, found):
    example = first_of(mutant, (example for key in KEYS for example in mutated(key)))
    assert example, "no example has such a step"
    assert found(mutant, example)


def test_every_contract_finds_a_mutant():
    every = (*MUTANTS, *OF_MECHANISMS)
    assert len({mutant.name for mutant in every}) == len(every)
    assert {mutant.found_by for mutant in every} == {*CONTRACTS}


@pytest.mark.daily
def test_every_mutant_is_put_into_some_example():
    everything = [example for key in KEYS for example in mutated(key)]
    assert not [mutant.name for mutant in MUTANTS if not first_of(mutant, everything)]
    assert {charge.mechanism for example in everything for charge in attaining(example)} == {*ATTAINED}
