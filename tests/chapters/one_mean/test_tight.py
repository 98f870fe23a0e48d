from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from workbench.chapters.one_mean.claims import prediction, tight
from workbench.chapters.one_mean.runs.costs import two_step
from workbench.chapters.registry import CLAIMS
from workbench.privacy.noise import SimulatedNoise
from workbench.study.grids import resampler
from workbench.study.rules import Status, combine
from workbench.study.sweeps import run

SEED, TRIALS = 4, 400


def ranged(calibration):
    frames = []
    for i, point in enumerate(point for point in tight.RATIOS.points if point["radius"] == 100):
        data, noise = np.random.default_rng([1, i]), np.random.default_rng([2, i])
        columns = two_step(**{**point, "calibration": calibration}, trials=TRIALS, data=data, noise=noise)
        frames.append(pd.DataFrame(columns).assign(**point))
    return pd.concat(frames)


@pytest.fixture(scope="module")
def free():
    return run(replace(tight.UNBOUNDED_RATIOS, name="test-unbounded", trials=TRIALS), "quick", seed=SEED)


@pytest.fixture(scope="module")
def honest():
    return ranged("tight")


@pytest.fixture
def _one_radius(monkeypatch):
    monkeypatch.setattr(tight, "RADII", (100.0,))


def verdict(frame, free):
    return combine(tight.ratio_checks(frame, free, resampler(SEED, "test")), len(frame))


@pytest.mark.daily
@pytest.mark.usefixtures("_one_radius")
def test_the_tight_mean_is_not_refuted(honest, free):
    assert verdict(honest, free).status != Status.REFUTED


@pytest.mark.daily
@pytest.mark.usefixtures("_one_radius")
def test_the_constants_of_the_lecture_are_refuted(free):
    refuted = [
        check
        for check in tight.ratio_checks(ranged("paper"), free, resampler(SEED, "test"))
        if check.status == Status.REFUTED
    ]
    assert {check.n for check in refuted} >= {100, 300}
    for check in refuted:
        (size,) = check.detail["sizes"]
        assert (size["estimate"], size["interval"]) == (check.n, (check.n, np.inf))


@pytest.mark.daily
@pytest.mark.usefixtures("_one_radius")
def test_errors_half_as_large_again_are_refuted(honest, free):
    assert verdict(honest.assign(error=1.5 * honest["error"]), free).status == Status.REFUTED


@pytest.mark.daily
@pytest.mark.usefixtures("_one_radius")
def test_more_abstentions_than_predicted_are_refuted(honest, free):
    silent = free["abstained"] | (free["trial"] % 4 == 0)
    changed = free.assign(abstained=silent, error=free["error"].where(~silent, np.inf))
    checks = tight.ratio_checks(honest, changed, resampler(SEED, "test"))
    assert {check.n for check in checks if check.status == Status.REFUTED} >= {42, 300, 1000}


@pytest.fixture
def _small(monkeypatch):
    points = [point for point in prediction.PREDICTED.points if point["n"] in (100, 300)]
    monkeypatch.setattr(
        prediction, "PREDICTED", replace(prediction.PREDICTED, name="test-predicted", points=tuple(points))
    )
    monkeypatch.setattr(prediction, "EDGE", replace(prediction.EDGE, name="test-edge", trials=4000))


@pytest.mark.daily
@pytest.mark.usefixtures("_small")
def test_the_prediction_is_not_refuted_and_its_failures_hold():
    verdict = CLAIMS["one-mean/error-as-predicted"].decide("quick", SEED, 1)
    assert verdict.status != Status.REFUTED
    failures = [check for check in verdict.detail["checks"] if check["id"].startswith("failures")]
    assert len(failures) == 7


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("factor", [1.3, 1 / 1.3])
def test_a_prediction_that_is_off_is_refuted(monkeypatch, factor):
    true = prediction.predict
    monkeypatch.setattr(
        prediction, "predict", lambda point: replace(true(point), rms=factor * true(point).rms)
    )
    assert CLAIMS["one-mean/error-as-predicted"].decide("quick", SEED, 1).status == Status.REFUTED


@pytest.mark.usefixtures("_small")
def test_a_wrong_chance_of_failure_is_refuted(monkeypatch):
    true = prediction.predict
    monkeypatch.setattr(
        prediction, "predict", lambda point: replace(true(point), failure=0.8 * true(point).failure)
    )
    assert CLAIMS["one-mean/error-as-predicted"].decide("quick", SEED, 1).status == Status.REFUTED


def test_a_share_is_as_predicted_refuted_or_open():
    events = np.arange(4000) < 400
    assert prediction.as_predicted(events, 0.1, 1e-6).status == Status.HOLDS
    assert prediction.as_predicted(events, 0.13, 1e-6).status == Status.REFUTED
    assert prediction.as_predicted(events[::40], 0.1, 1e-6).status == Status.UNDECIDED


def scales(name):
    return run(replace(tight.SCALE, name=name), "quick", seed=SEED)


@pytest.mark.daily
def test_the_tight_scale_is_as_accurate_as_asked():
    frame = scales("test-scale")
    sizes = [check.detail["sizes"][0] for check in tight.scale_checks(frame)]
    assert [size["predicted"] for size in sizes] == list(tight.SCALES)
    assert all(size["statement"] == "KV18/scale" for size in sizes)
    assert combine(tight.scale_checks(frame), len(frame)).status != Status.REFUTED
    worse = frame.assign(error=1.7 * frame["error"])
    assert combine(tight.scale_checks(worse), len(frame)).status == Status.REFUTED


@pytest.mark.daily
def test_more_noise_on_the_scale_is_refuted(monkeypatch):
    laplace = SimulatedNoise.laplace
    monkeypatch.setattr(SimulatedNoise, "laplace", lambda self, v, s, scale: laplace(self, v, s, 3 * scale))
    frame = scales("test-scale-noisier")
    assert combine(tight.scale_checks(frame), len(frame)).status == Status.REFUTED
