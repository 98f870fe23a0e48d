"""Every mutant of a property is found by the test it names, apart from designs kept for contracts."""

import pytest

from tests.mutants.faults import fails
from tests.mutants.test_mutants import OF_PROPERTIES


@pytest.mark.daily
@pytest.mark.parametrize("mutant", OF_PROPERTIES, ids=lambda one: one.name)
def test_the_named_test_finds_the_mutant(mutant):
    assert fails(mutant)
