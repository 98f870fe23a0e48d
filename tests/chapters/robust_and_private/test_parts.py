"""The claims about the parts of PRIME decide; in a falsified world they are refuted."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.chapters.registry import CLAIMS
from workbench.chapters.robust_and_private.claims import parts
from workbench.privacy import ApproxDP
from workbench.study.sweeps import sweep
from workbench.study.verdict import Status

SEED = 6
FEWER = {"NORMS": 3, "PAIRS": 200, "BINS": 1500}


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    for name, trials in FEWER.items():
        monkeypatch.setattr(parts, name, replace(getattr(parts, name), trials=trials))
    yield
    sweep.forget()


def falsify(monkeypatch, name, trials, **changes):
    """Let columns of a sweep be functions of what they would be."""
    one = getattr(parts, name)

    def block(*, trials, data, noise, **point):
        columns = one.block(trials=one.trials, data=data, noise=noise, **point)
        columns = {key: np.resize(values, trials) for key, values in columns.items()}
        return {**columns, **{column: change(columns[column]) for column, change in changes.items()}}

    monkeypatch.setattr(parts, name, replace(one, block=block, trials=trials))


def decided(identifier):
    return CLAIMS[identifier].decide("quick", SEED, 1)


def failed(verdict):
    return [check["id"] for check in verdict.detail["checks"] if check["status"] is Status.REFUTED]


@pytest.mark.parametrize(
    "identifier",
    [
        "robust-and-private/matrix-noise",
        "robust-and-private/neighbours-stay",
        "robust-and-private/bins-are-safe",
        "robust-and-private/costs-add-up",
    ],
)
def test_a_true_claim_is_not_refuted_by_few_trials(identifier):
    verdict = decided(identifier)
    assert verdict.status is not Status.REFUTED
    verdict.to_json()


def test_noise_of_twice_the_size_is_refuted(monkeypatch):
    falsify(monkeypatch, "NORMS", 60, norm=lambda norm: 2 * norm)
    assert (
        len(
            [
                name
                for name in failed(decided("robust-and-private/matrix-noise"))
                if name.startswith("over 2σ√d")
            ]
        )
        == 4
    )


def test_noise_with_another_exponent_is_refuted(monkeypatch):
    one = parts.NORMS

    def block(*, trials, data, noise, **point):
        return {"norm": np.full(60, (point["d"] / 60) ** 0.15) * data.uniform(0.99, 1.01, 60)}

    monkeypatch.setattr(parts, "NORMS", replace(one, block=block, trials=60))
    assert "exponent in d, fixed radius" in failed(decided("robust-and-private/matrix-noise"))


def test_a_filter_that_drives_neighbours_apart_is_refuted(monkeypatch):
    falsify(monkeypatch, "PAIRS", 1000, joint=lambda joint: joint + 1)
    assert failed(decided("robust-and-private/neighbours-stay")) == [
        "largest distance, one threshold for all rows"
    ]


def test_thresholds_of_their_own_that_did_no_harm_are_noticed(monkeypatch):
    falsify(monkeypatch, "PAIRS", 60_000, separate=np.zeros_like)
    assert failed(decided("robust-and-private/neighbours-stay")) == [
        "distance above 1, a threshold for each row"
    ]


def test_a_histogram_that_shows_every_row_is_refuted(monkeypatch):
    falsify(monkeypatch, "BINS", 1500, lone=np.ones_like, away=np.ones_like)
    assert len(failed(decided("robust-and-private/bins-are-safe"))) == 3


def test_the_probability_of_a_lone_row_is_that_of_the_noise():
    """By adding up the law of discrete Laplace noise from the threshold on."""
    decay = np.exp(-0.5)
    law = decay ** np.abs(np.arange(-400, 401))
    law /= law.sum()
    least = 0.05
    seen = law[400 + 6 :].sum()
    assert parts.lone_probability() == pytest.approx(seen, rel=1e-9)
    assert seen <= least


def test_steps_that_cost_more_than_the_budget_are_refuted(monkeypatch):
    true = parts.gaussian_mu
    monkeypatch.setattr(
        parts, "gaussian_mu", lambda cost: true(cost) * (1 if isinstance(cost, ApproxDP) else 1.01)
    )
    assert (
        len(
            [
                name
                for name in failed(decided("robust-and-private/costs-add-up"))
                if name.startswith("sum of squares")
            ]
        )
        == 6
    )
