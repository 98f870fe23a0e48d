"""A wrong constant in an estimator makes a quick run differ from what is committed."""

from unittest.mock import patch

import pytest

from workbench.chapters.registry import CLAIMS
from workbench.lab import claims
from workbench.study import sweeps
from workbench.study.faults import alone, weaker

DAILY = pytest.mark.daily
FAULTS = (
    pytest.param("one-mean/clipping-pays-range", ("laplace",), 1.3, marks=DAILY),
    pytest.param("sparse-covariance/entries-concentrate", ("gaussian",), 1.3),
    pytest.param("which-one/rows-are-enough", ("choice", "gaussian"), 1.3, marks=DAILY),
)


def compared(claim, *faults):
    """How a quick run of a claim agrees: serial, without a store, and without the tables of another run."""
    with sweeps.lending(sweeps.Resources()), patch.dict(sweeps._memory, clear=True), alone(*faults):
        found = CLAIMS[claim].decide("quick", 1, 1).about(claim, "").record()
    return claims.agreement(found, claims.full_verdicts()[claim])


@pytest.mark.parametrize(("claim", "kinds", "factor"), FAULTS)
def test_a_wrong_constant_differs_and_the_right_one_agrees(claim, kinds, factor):
    assert not compared(claim).apart
    assert compared(claim, *(weaker(kind, factor) for kind in kinds)).apart
