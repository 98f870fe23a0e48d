"""The claims about a whole Gaussian within bounds: few trials refute no true one, and every false one."""

import numpy as np
import pytest

from tests.chapters.worlds import SEED, require_true
from workbench.chapters.covariance.claims import coinpress as joint
from workbench.study.profiles import claim_level
from workbench.study.rules import Status
from workbench.study.sweeps import run


def rng():
    return np.random.default_rng(SEED)


@pytest.mark.daily
@pytest.mark.parametrize(
    "identifier", ["covariance/price-of-unknown-mean", "covariance/joint-error-as-predicted"]
)
def test_a_true_claim_is_not_refuted_by_few_trials(world, identifier):
    world.few(joint, {"PRICES": 4, "FORESEEN": 4, "FORESEEN_FEW": 4})
    assert require_true(identifier).level <= claim_level() * (1 + 1e-9)


@pytest.mark.daily
def test_a_mean_that_costs_a_sixth_refutes_its_price_alone(world):
    world.sweep(joint, "PRICES", trials=30, keep=lambda point: point == joint.PRICES.points[0])
    frame = run(joint.PRICES, "quick", seed=SEED)
    found = joint.price_checks(frame.assign(joint=frame["joint"] * 1.17), claim_level(), rng())
    assert [check.status is Status.REFUTED for check in found] == [True, False]


@pytest.mark.daily
def test_errors_that_are_half_as_large_again_refute_the_prediction(world):
    setting = joint.SETTINGS[0]
    world.sweep(joint, "FORESEEN", trials=20, keep=lambda point: point["d"] == setting["d"])
    frame = run(joint.FORESEEN, "quick", seed=SEED)
    assert joint.worst(frame, setting, claim_level(), rng()).status is not Status.REFUTED
    larger = frame.assign(error=1.5 * frame["error"])
    assert joint.worst(larger, setting, claim_level(), rng()).status is Status.REFUTED
