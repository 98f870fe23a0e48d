"""No fault that was caught is forgotten; those of properties are, apart from designs kept for contracts."""

import json

import pytest

from tests.mutants.caught import LIST, attacks, contracts_and_properties, faults
from tests.mutants.faults import fails
from tests.mutants.rows import PROPERTIES


@pytest.mark.parametrize("more", [(), pytest.param((attacks,), marks=pytest.mark.daily)], ids=len)
def test_every_listed_fault_is_still_put_in(more):
    """No name is in the list of `caught.py` whose fault nobody puts in."""
    listed = json.loads(LIST.read_text(encoding="utf-8"))
    wanted = {name for name, by in listed.items() if more or not by.startswith("attack")}
    assert wanted <= {*faults(contracts_and_properties, *more)}


@pytest.mark.daily
@pytest.mark.parametrize("mutant", PROPERTIES, ids=lambda one: one.name)
def test_the_named_test_of_a_property_finds_its_mutant(mutant):
    assert fails(mutant)
