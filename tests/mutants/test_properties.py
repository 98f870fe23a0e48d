"""Every mutant of a property is found by the test it names, and that test passes without it."""

import pytest

from tests.mutants.absent import ABSENT
from tests.mutants.faults import forget
from tests.mutants.lifted import LIFTED, WHOLE_LIFTED
from tests.mutants.of_privacy import ACCOUNTS, PRICED, SAMPLERS, VOTED
from tests.mutants.properties import CUTTING, PROPERTIES, REDUCTION

MUTANTS = (
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
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: one.name)
def test_the_named_test_finds_the_mutant(mutant):
    with mutant.fault(), pytest.raises(AssertionError):
        mutant.found_by()
