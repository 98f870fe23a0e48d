"""Every mutant of a property is found by the test it names, and that test passes without it."""

from itertools import starmap

import pytest

from tests.mutants.faults import forget, mutant
from tests.mutants.lifted import OF_LIFTS
from tests.mutants.properties import PROPERTIES
from tests.mutants.rows import ROWS

OF_PROPERTIES = (*starmap(mutant, ROWS), *PROPERTIES, *OF_LIFTS)


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
