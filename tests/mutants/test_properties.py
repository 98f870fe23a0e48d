"""Every mutant of a property is found by the test it names, and that test passes without it."""

import pytest

from tests.mutants.lifted import LIFTED
from tests.mutants.properties import PROPERTIES
from tests.mutants.reduction import REDUCTION
from tests.mutants.samplers import SAMPLERS


@pytest.mark.parametrize(
    "mutant", [*PROPERTIES, *SAMPLERS, *LIFTED, *REDUCTION], ids=lambda mutant: mutant.name
)
def test_the_named_test_finds_the_mutant(mutant):
    with mutant.fault(), pytest.raises(AssertionError):
        mutant.found_by()
