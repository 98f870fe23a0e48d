"""Every contract over every example of the catalog."""

import pytest
from checks import CONTRACTS
from kit import examples


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
@pytest.mark.parametrize(("key", "example"), examples())
def test_contract(key, example, contract):
    contract(example)
