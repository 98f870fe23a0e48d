"""The claims about robust means from public nets decide; in a falsified world they are refuted."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.chapters.registry import CLAIMS
from workbench.chapters.robust_and_private.claims import exact
from workbench.study.sweeps import sweep
from workbench.study.verdict import Status

SEED = 5
FEWER = {"DEPTH": 20, "PASS": 20, "MARGIN": 5, "PLANES": 2, "HEAVY": 4}
CHECKS, SIZES = (
    {
        "robust-and-private/depth-is-robust": 4,
        "robust-and-private/resilient-pass-size": 13,
        "robust-and-private/heavy-rows-pass": 12,
    },
    {
        "robust-and-private/depth-is-robust": 1,
        "robust-and-private/resilient-pass-size": 2,
        "robust-and-private/heavy-rows-pass": 6,
    },
)


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    for name, trials in FEWER.items():
        monkeypatch.setattr(exact, name, replace(getattr(exact, name), trials=trials))
    yield
    sweep.forget()


def falsify(monkeypatch, name, trials, **changes):
    """Let columns of a sweep be functions of what they would be, in more trials."""
    one = getattr(exact, name)

    def block(**point):
        columns = one.block(**point)
        return {**columns, **{column: change(columns[column]) for column, change in changes.items()}}

    monkeypatch.setattr(exact, name, replace(one, block=block, trials=trials))


def decided(identifier):
    return CLAIMS[identifier].decide("quick", SEED, 1)


def failed(verdict):
    return [check["id"] for check in verdict.detail["checks"] if check["status"] is Status.REFUTED]


@pytest.mark.parametrize("identifier", CHECKS)
def test_a_true_claim_is_not_refuted_by_few_trials(identifier):
    verdict = decided(identifier)
    assert verdict.status is not Status.REFUTED
    verdict.to_json()
    checks = verdict.detail["checks"]
    assert len({check["id"] for check in checks}) == len(checks) == CHECKS[identifier]
    sizes = [size for check in checks for size in check["detail"].get("sizes", ())]
    assert len(sizes) == SIZES[identifier]
    assert {size["statement"] for size in sizes} <= set(CLAIMS[identifier].sources)


def test_a_median_that_follows_the_cluster_is_refuted(monkeypatch):
    falsify(monkeypatch, "DEPTH", 100, error=lambda error: error + 0.03)
    assert "error with a cluster" in failed(decided("robust-and-private/depth-is-robust"))


def test_noise_of_twice_the_size_is_refuted(monkeypatch):
    falsify(monkeypatch, "DEPTH", 100, error=lambda error: 2.2 * error)
    assert (
        sum(
            name.startswith("error without corruption")
            for name in failed(decided("robust-and-private/depth-is-robust"))
        )
        == 2
    )


def test_a_test_that_is_too_easy_or_too_hard_is_refuted(monkeypatch):
    def every_second(values):
        return np.resize([True, False], len(values))

    def gone(values):
        return np.where(every_second(values), np.inf, 0.0)

    falsify(monkeypatch, "PASS", 100, abstained=every_second, error=gone)
    names = failed(decided("robust-and-private/resilient-pass-size"))
    assert {"passes at half of these rows", "no answer at twice these rows"} <= set(names)


def test_another_margin_and_another_trimming_are_refuted(monkeypatch):
    falsify(monkeypatch, "MARGIN", 30, margin=lambda margin: 1.4 * margin, error=lambda error: 1.6 * error)
    names = failed(decided("robust-and-private/resilient-pass-size"))
    assert {"margin over n, n = 8000", "error on the line"} <= set(names)


def test_a_mean_that_is_not_robust_is_refuted(monkeypatch):
    falsify(monkeypatch, "HEAVY", 20, error=lambda error: 4 * error + 0.2)
    assert len(failed(decided("robust-and-private/heavy-rows-pass"))) == 6
