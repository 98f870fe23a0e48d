"""The claim on whole Gaussians: its measure of total variation, and worlds in which it is refuted."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from workbench.chapters.matrix_quantile.runs import learner as mq_learner_sweeps
from workbench.chapters.matrix_quantile.runs.learner import (
    LEARNED,
    predicted,
    start,
    total_variation,
)
from workbench.chapters.registry import CLAIMS
from workbench.distributions import Gaussian
from workbench.losses import total_variation_bounds, total_variation_of_means, univariate_total_variation
from workbench.study.rules import Status


@pytest.mark.parametrize("d", [1, 2, 5, 20])
def test_a_total_variation_is_near_the_exact_one(d):
    """Against closed forms: a shift, a scale on the line; and the bounds for both together."""
    for gap in (0.01, 0.1, 1.0, 5.0):
        found = total_variation(np.full(d, gap / np.sqrt(d)), np.eye(d))
        assert found == pytest.approx(total_variation_of_means(gap), rel=0.03, abs=1e-3)
    exact = univariate_total_variation(0.0, np.sqrt(1.3), 0.0, 1.0)
    assert total_variation(np.zeros(1), 1.3 * np.eye(1)) == pytest.approx(exact, rel=0.03)
    mean, covariance = np.full(d, 0.1), 1.2 * np.eye(d)
    low, high = total_variation_bounds(Gaussian(mean, covariance), Gaussian(np.zeros(d), np.eye(d)))
    assert 0.97 * low - 1e-3 <= total_variation(mean, covariance) <= 1.03 * high
    assert total_variation(np.zeros(d), np.zeros((d, d))) == 1.0


def world(monkeypatch, error, silent=0.0):
    """A world in which runs have a relative error and abstain so often, with as many trials as full has."""
    rng = np.random.default_rng(1)

    def run(sweep, profile, seed, jobs):
        rows = []
        for point in sweep.points:
            trials = sweep.trials * sweep.blocks["full"]
            d, share = int(point["d"]), float(point["share"])
            errors = error * predicted(d, share) * rng.lognormal(0, 0.35 / np.sqrt(d), trials)
            errors[rng.random(trials) < silent] = np.inf
            rows.append(pd.DataFrame({**point, "error": errors}))
        return pd.concat(rows, ignore_index=True)

    monkeypatch.setattr("workbench.study.claim.run", run)
    return CLAIMS["matrix-quantile/law-from-few-rows"].decide("full", 0, 1).status


@pytest.mark.parametrize(
    ("error", "silent", "status"),
    [
        (1.0, 0.0, Status.HOLDS),
        (1.4, 0.0, Status.REFUTED),
        (0.7, 0.0, Status.REFUTED),
        (1.0, 0.7, Status.REFUTED),
    ],
)
def test_a_false_world_is_refuted(monkeypatch, error, silent, status):
    assert world(monkeypatch, error, silent) is status


def test_a_later_start_is_refuted(monkeypatch):
    monkeypatch.setattr(mq_learner_sweeps, "start", lambda d: 2 * start(d))
    assert world(monkeypatch, 1.0) is Status.REFUTED


def test_a_run_of_the_sweep_is_a_total_variation():
    small = replace(LEARNED[2], points=LEARNED[2].points[:1])
    found = small.block(
        **small.points[0], trials=3, data=np.random.default_rng(2), noise=np.random.default_rng(3)
    )["error"]
    assert found.shape == (3,)
    assert (found < 0.3).all()
