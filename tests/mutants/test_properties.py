"""Every mutant of a property is found by the test it names, and that test passes without it."""

import pytest

from tests.mutants.lifted import LIFTED
from tests.mutants.priced import PRICED
from tests.mutants.properties import PROPERTIES
from tests.mutants.reduction import REDUCTION
from tests.mutants.samplers import SAMPLERS

FAULTS = (*PROPERTIES, *SAMPLERS, *LIFTED, *PRICED, *REDUCTION)


@pytest.mark.parametrize("mutant", FAULTS, ids=lambda mutant: mutant.name)
def test_the_named_test_finds_the_mutant(mutant):
    with mutant.fault(), pytest.raises(AssertionError):
        mutant.found_by()
