"""Every mutant of an entry or a mechanism is found by the contract that it names."""

import pytest

from tests.mutants.caught import KEYS, finding, first_of, mutated
from tests.mutants.table import ATTAINED, MUTANTS, OF_MECHANISMS, attaining
from workbench.contracts import CONTRACTS
from workbench.contracts.accuracy import error_does_not_rise_with_n
from workbench.study.faults import everywhere


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
