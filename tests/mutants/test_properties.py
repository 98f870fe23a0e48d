"""Every mutant of a property is found by the test it names, and that test passes without it."""

import pytest

from tests.mutants.faults import forget
from tests.mutants.lifted import ABSENT, LIFTED, WHOLE_LIFTED
from tests.mutants.properties import ACCOUNTS, CUTTING, PRICED, PROPERTIES, REDUCTION, SAMPLERS, VOTED

OF_PROPERTIES = (
    *PROPERTIES,
    *SAMPLERS,
    *LIFTED,
    *WHOLE_LIFTED,
    *PRICED,
    *ABSENT,
    *CUTTING,
    *REDUCTION,
    *VOTED,
    *ACCOUNTS,
)


@pytest.fixture
def _forgetful():
    forget()
    yield
    forget()


@pytest.mark.usefixtures("_forgetful")
@pytest.mark.daily
@pytest.mark.parametrize("mutant", OF_PROPERTIES, ids=lambda one: one.name)
def test_the_named_test_finds_the_mutant(mutant):
    with mutant.fault(), pytest.raises(AssertionError):
        mutant.found_by()
