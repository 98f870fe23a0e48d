"""Every mutant is found by the contract it names, on every example that has what it breaks."""

import pytest
from datasets import dimension, entry_of, planned, sizes
from every import CONTRACTS
from isolation import isolated, memos
from kit import examples, warm
from mutants import MUTANTS
from table import charges


def mutated():
    """Every example on the line; in d dimensions, those with a step new to their key, or a new mechanism."""
    seen, mechanisms = {}, set()
    for parameter in examples():
        key, example = parameter.values
        steps = {charge.step for charge in charges(example)}
        used = {charge.mechanism for charge in charges(example)}
        if dimension(example) is None or not steps <= seen.get(key, set()) or not used <= mechanisms:
            seen[key], mechanisms = seen.get(key, set()) | steps, mechanisms | used
            yield parameter


MUTATED = list(mutated())
CASES = [
    pytest.param(mutant, example.values[1], id=f"{mutant.name}-{example.id}")
    for mutant in MUTANTS
    for example in MUTATED
    if mutant.applies(example.values[1])
]


SHORTENED = {
    (mutant.contract, str(mutant.options), example.id): pytest.param(
        mutant.contract, mutant.options, example.values[1], id=f"{mutant.contract.__name__}-{example.id}"
    )
    for mutant in MUTANTS
    for example in MUTATED
    if mutant.options and mutant.applies(example.values[1])
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


@pytest.mark.parametrize(("contract", "options", "example"), SHORTENED.values())
def test_the_shortened_contract_passes_without_the_mutant(contract, options, example, remembered):
    contract(example, **options)


def test_every_contract_finds_a_mutant():
    assert {mutant.contract for mutant in MUTANTS} == set(CONTRACTS)


def test_every_mutant_is_put_into_some_example():
    assert {mutant.name for mutant in MUTANTS} == {case.values[0].name for case in CASES}
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


def test_noise_and_sensitivity_of_every_step_of_every_example_are_halved_once():
    names = {(case.values[0].name, repr(case.values[1])) for case in CASES}
    for example in (parameter.values[1] for parameter in MUTATED):
        for n in sizes(example, 24, 300, 1000):
            for charge in planned(example, n).charges():
                assert (f"noise of {charge.step} halved", repr(example)) in names
                if charge.step not in entry_of(example).bounded_steps:
                    assert (f"sensitivity of {charge.step} halved", repr(example)) in names
