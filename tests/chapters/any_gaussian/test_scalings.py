"""Claims about how n grows hold where it grows as stated, and are refuted where a number counts for more."""

import numpy as np
import pytest

from tests.chapters.cliffs import found
from workbench.chapters.any_gaussian import growth
from workbench.study import scaling as run
from workbench.study.rules import Status

SEARCHED = (
    "any-gaussian/subspace-rows-grow",
    "any-gaussian/vote-groups-grow",
    "any-gaussian/mean-rows-grow",
    "any-gaussian/conditioned-rows-grow",
    "any-gaussian/robust-mean-rows-grow",
    "any-gaussian/preconditioner-rows-grow",
    "any-gaussian/law-rows-grow",
    "any-gaussian/robust-covariance-rows-grow",
)
BOUNDED = ("any-gaussian/subspace-rows-grow", "any-gaussian/preconditioner-rows-grow")


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
    checks = found(identifier, more=1.0)
    statuses = [status for name, status in checks.items() if name.startswith("n in")]
    assert Status.REFUTED in statuses
    assert Status.HOLDS not in statuses


@pytest.mark.daily
@pytest.mark.parametrize("identifier", BOUNDED)
def test_a_plan_that_is_too_small_is_refuted(identifier):
    checks = found(identifier, times=2.0)
    assert {status for name, status in checks.items() if name.startswith("n over")} == {Status.REFUTED}


def test_blocks_measure_what_they_say():
    def errors(block, **point):
        data, noise = np.random.default_rng(1), np.random.default_rng(2)
        return block(**point, delta=1e-6, trials=2, data=data, noise=noise)["error"]

    assert not errors(growth.vote, n=600, epsilon=0.5).any()
    assert np.isinf(errors(growth.vote, n=100, epsilon=0.5)).all()
    assert errors(growth.subspace, d=4, n=400, epsilon=1.0).max() < 1e-3
    assert np.isinf(errors(growth.subspace, d=4, n=16, epsilon=1.0)).all()
    frame = {"d": 2, "n": 4000, "epsilon": 8.0, "condition": 1e8, "mask": "auto"}
    assert errors(growth.preconditioner, **frame).max() < np.log(2)
    attacked = {"d": 1, "corruption": 0.05, "epsilon": 4.0}
    mean = errors(growth.robust_mean, n=8000, **attacked)
    assert 0.05 < mean.min() < mean.max() < 0.3
    covariance = errors(growth.robust_covariance, n=20_000, **attacked)
    assert 0.1 < covariance.min() < covariance.max() < 0.5
