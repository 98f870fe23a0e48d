"""Every mutant of a property is found by the test it names, and that test passes without it."""

import pytest

from tests.mutants.absent import ABSENT
from tests.mutants.lifted import LIFTED
from tests.mutants.of_privacy import ACCOUNTS, PRICED, SAMPLERS, VOTED
from tests.mutants.properties import CUTTING, PROPERTIES, REDUCTION
from tests.mutants.whole_lifted import WHOLE_LIFTED
from workbench.study.faults import forget

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

LONG = (  # over a second each
    "truncated noise beyond its bound",
    "zeros of either sign",
    "a rate of Thompson-Laplace noise that is 2 more in four dimensions",
    "half the Laplace noise in l1",
    "scores of a choice against a rate of half",
    "a mask of one row fewer",
    "a location read before it is masked",
    "exponents of which none is rejected",
)
TRIED = [
    pytest.param(one, id=one.name, marks=pytest.mark.daily if one.name in LONG else pytest.mark.turns(4))
    for one in MUTANTS
]


def test_what_takes_long_is_a_mutant():
    assert {*LONG} <= {one.name for one in MUTANTS}


@pytest.fixture
def _forgetful():
    forget()
    yield
    forget()


@pytest.mark.usefixtures("_forgetful")
@pytest.mark.parametrize("mutant", TRIED)
def test_the_named_test_finds_the_mutant(mutant):
    with mutant.fault(), pytest.raises(AssertionError):
        mutant.found_by()
