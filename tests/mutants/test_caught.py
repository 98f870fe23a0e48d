"""No fault that was caught is forgotten: the list of `caught.py` may only grow."""

import json

import pytest

from tests.mutants.caught import LIST, attacks, contracts_and_properties, faults

LISTED = json.loads(LIST.read_text(encoding="utf-8"))


def test_every_listed_fault_of_a_contract_or_a_property_is_still_put_in():
    listed = {name for name, by in LISTED.items() if not by.startswith("attack")}
    assert listed <= {*faults(contracts_and_properties)}


@pytest.mark.daily
def test_every_listed_fault_is_still_put_in():
    assert {*LISTED} <= {*faults(contracts_and_properties, attacks)}
