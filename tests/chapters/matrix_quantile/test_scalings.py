"""Claims about how n grows hold where it grows as stated, and are refuted where a number counts for more."""

import pytest

from tests.chapters.cliffs import found
from workbench.study import scaling as run
from workbench.study.rules import Status

SEARCHED = (
    "matrix-quantile/fourfold-rows-grow",
    "matrix-quantile/fewer-than-squares",
    "matrix-quantile/near-rows-grow",
)


@pytest.fixture(autouse=True)
def nothing_remembered():
    run.forget()
    yield
    run.forget()


@pytest.mark.daily
@pytest.mark.parametrize("identifier", SEARCHED)
def test_n_that_grows_as_stated_is_seen(identifier):
    assert {status for name, status in found(identifier).items() if name.startswith("n in")} == {Status.HOLDS}


@pytest.mark.daily
@pytest.mark.parametrize("identifier", SEARCHED)
def test_a_number_that_counts_for_more_is_refuted(identifier):
    statuses = [status for name, status in found(identifier, more=1.0).items() if name.startswith("n in")]
    assert Status.REFUTED in statuses
    assert Status.HOLDS not in statuses


@pytest.mark.daily
@pytest.mark.parametrize("identifier", SEARCHED)
def test_a_plan_that_is_too_small_is_refuted(identifier):
    checks = found(identifier, times=2.0)
    assert {status for name, status in checks.items() if name.startswith("n over")} == {Status.REFUTED}
