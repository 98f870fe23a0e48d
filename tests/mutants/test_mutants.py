"""Every mutant is found by the contract it names, on every example that has what it breaks."""

import pytest
from datasets import planned, sizes
from every import CONTRACTS
from isolation import isolated, memos
from kit import examples, warm
from mutants import MUTANTS

CASES = [
    pytest.param(mutant, example.values[1], id=f"{mutant.name}-{example.id}")
    for mutant in MUTANTS
    for example in examples()
    if mutant.applies(example.values[1])
]


HONEST = {
    (mutant.contract, str(mutant.options), case.id): pytest.param(mutant, case.values[1], id=case.id)
    for mutant, case in ((case.values[0], case) for case in CASES)
    if mutant.options
}


@pytest.fixture(scope="module")
def remembered():
    with memos() as made:
        yield made


@pytest.fixture(scope="module")
def prepared(remembered):
    """Designs and tables of pivots of the package as it is, at the sizes of the contracts, made once."""
    ready = set()

    def prepare(example):
        if repr(example) not in ready:
            for n in sizes(example, 24, 300, 1000):
                warm(example, n)
            ready.add(repr(example))

    return prepare


@pytest.mark.parametrize(("mutant", "example"), CASES)
def test_the_named_contract_finds_the_mutant(mutant, example, remembered, prepared):
    prepared(example)
    with isolated(remembered), mutant.fault(example), pytest.raises(AssertionError):
        mutant.contract(example, **mutant.options)


@pytest.mark.parametrize(("mutant", "example"), HONEST.values())
def test_the_shortened_contract_passes_without_the_mutant(mutant, example, remembered):
    mutant.contract(example, **mutant.options)


def test_every_contract_finds_a_mutant():
    assert {mutant.contract for mutant in MUTANTS} == set(CONTRACTS)


def test_every_mutant_is_put_into_some_example():
    assert {mutant.name for mutant in MUTANTS} == {case.values[0].name for case in CASES}
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


def test_noise_and_sensitivity_of_every_step_of_every_example_are_halved_once():
    names = {(case.values[0].name, repr(case.values[1])) for case in CASES}
    for example in (parameter.values[1] for parameter in examples()):
        for n in sizes(example, 24, 300, 1000, 5000):
            for charge in planned(example, n).charges():
                for fault in (f"noise of {charge.step} halved", f"sensitivity of {charge.step} halved"):
                    assert (fault, repr(example)) in names
