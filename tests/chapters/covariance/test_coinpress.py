"""The claims about a whole Gaussian within bounds: few trials refute no true one, and every false one."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.chapters.covariance.claims import coinpress as joint
from workbench.chapters.registry import CLAIMS
from workbench.sources import statements
from workbench.study.profiles import claim_level
from workbench.study.sweeps import sweep
from workbench.study.sweeps.sweep import run
from workbench.study.verdict import Status

SEED = 5
IDS, SWEEPS = (
    ("covariance/price-of-unknown-mean", "covariance/joint-error-as-predicted"),
    ("PRICES", "FORESEEN", "FORESEEN_FEW"),
)


def rng():
    return np.random.default_rng(SEED)


@pytest.fixture
def _few(monkeypatch):
    for name in SWEEPS:
        monkeypatch.setattr(joint, name, replace(getattr(joint, name), trials=4))
    yield
    sweep.forget()


@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize("identifier", IDS)
def test_a_true_claim_is_not_refuted_by_few_trials(identifier):
    verdict = CLAIMS[identifier].decide("quick", SEED, 1)
    assert verdict.status is not Status.REFUTED
    assert verdict.level <= claim_level() * (1 + 1e-9)
    names = [check["id"] for check in verdict.detail["checks"]]
    assert len(set(names)) == len(names) > 0
    verdict.to_json()


def test_claims_and_statements_name_each_other():
    rows = {statement.id: statement.covered_by for statement in statements("m21")}
    for identifier in IDS:
        for source in CLAIMS[identifier].sources:
            assert source.startswith("proofs/") or f"claim {identifier}" in rows[source]


def test_a_mean_that_costs_a_sixth_refutes_its_price_alone(monkeypatch):
    monkeypatch.setattr(joint, "PRICES", replace(joint.PRICES, trials=30, points=joint.PRICES.points[:1]))
    frame = run(joint.PRICES, "quick", seed=SEED)
    found = joint.price_checks(frame.assign(joint=frame["joint"] * 1.17), claim_level(), rng())
    assert [check.status is Status.REFUTED for check in found] == [True, False]
    sweep.forget()


def test_errors_that_are_half_as_large_again_refute_the_prediction(monkeypatch):
    setting = joint.SETTINGS[0]
    points = tuple(point for point in joint.FORESEEN.points if point["d"] == setting["d"])
    monkeypatch.setattr(joint, "FORESEEN", replace(joint.FORESEEN, trials=20, points=points))
    frame = run(joint.FORESEEN, "quick", seed=SEED)
    assert joint.worst(frame, setting, claim_level(), rng()).status is not Status.REFUTED
    larger = frame.assign(error=1.5 * frame["error"])
    assert joint.worst(larger, setting, claim_level(), rng()).status is Status.REFUTED
    sweep.forget()
