"""The claims about covariances are refuted in a falsified world, and the pictures show what they say."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.conftest import SEED, columns, instead, refuted, require_refuted, scaled
from workbench.chapters.covariance import heavy_tails, joint, net, unbounded
from workbench.estimators.heavy_tailed import Band, preconditioning_step
from workbench.study.rules import Status, claim_level
from workbench.study.sweeps import run

NAME = "covariance/{}".format
FLAT = NAME("flat-in-condition")


def lognormal(data, middle, trials):
    """Return errors as they spread in the sweeps, at no cost."""
    return middle * np.exp(0.3 * data.standard_normal(trials))


def errors(middle):
    """Measure errors about these, a function of the point; CoinPress's grow with the condition number."""

    def block(*, trials, data, noise, **point):
        found = {"error": middle(point), "three steps": point.get("condition", 1), "source": 0.1}
        found = {name: lognormal(data, size, trials) for name, size in found.items()}
        return {**found, "abstained": np.zeros(trials, bool)}

    return block


@pytest.fixture(autouse=True)
def _few(world, monkeypatch):
    world.part(heavy_tails, "LAYER_ROWS", 30_000)
    world.few(heavy_tails, {"LAYERED": 3, "SPREADS": 3, "STEPS": 20})
    world.few(unbounded, {"EIGENVALUES": 20, "VOTES": 10, "COARSE": 20, "SIDES": 2})
    world.sweep(unbounded, "ANY", block=errors(lambda point: 0.06), trials=60)
    world.few(joint, {"PRICES": 4, "FORESEEN": 4, "FORESEEN_FEW": 4})
    monkeypatch.setattr(net, "NETS", {d: replace(one, trials=6) for d, one in net.NETS.items()})


def every(factor):
    return columns(lambda found, point: {name: values * factor(point) for name, values in found.items()})


slower = every(lambda point: (point["n"] / 3000) ** 0.5)
grows = instead(errors(lambda point: 0.1 * point["condition"] ** 0.1))
steeper = columns(lambda found, point: {"over": found["over"] * point["gap"] ** -0.5})
ALL = [""] * len(unbounded.EIGENVALUES.points)
FALSIFIED = [
    (heavy_tails, NAME("moments-decide-rate"), "LAYERED", slower, 20, "slope of bias + noise"),
    (unbounded, FLAT, "SIDES", grows, 60, ["unbounded, largest over smallest mean"]),
    (unbounded, NAME("eigenvalues-to-a-factor"), "EIGENVALUES", every(lambda point: 2), 40, ALL),
    (unbounded, NAME("error-follows-gap"), "VOTES", steeper, 20, "error over gap, largest"),
]


@pytest.mark.daily
@pytest.mark.parametrize("case", FALSIFIED)
def test_a_falsified_world_is_refuted(world, case):
    world.refutes(*case)


@pytest.mark.daily
def test_a_band_that_is_too_narrow_refutes_the_step(world):
    def narrow(*arguments):
        radius, band = preconditioning_step(*arguments)
        return radius, Band(band.error / 1000, band.keep)

    world.part(heavy_tails, "preconditioning_step", narrow)
    world.few(heavy_tails, {"STEPS": 60})
    require_refuted(NAME("step-keeps-promise"))


@pytest.mark.daily
def test_an_error_above_the_floor_refutes_the_net():
    net.NETS[2] = replace(net.NETS[2], block=scaled(error=2.0)(net.net_errors), trials=25)
    require_refuted(NAME("net-falls-to-floor"), "error over floor, d = 2")


@pytest.mark.turns(4)
def test_a_spectrum_without_an_answer_is_refuted(world):
    def silent(*, trials, data, noise, **point):
        none = data.random(trials) < (0.6 if point["spectrum"] == "one small" else 0.02)
        return {"error": np.where(none, np.inf, lognormal(data, 0.06, trials)), "abstained": none}

    world.sweep(unbounded, "ANY", block=silent)
    assert refuted(FLAT) == ["no release, d = 7"]


def test_a_preconditioner_that_mistakes_the_gap_is_refuted(world):
    world.part(unbounded, "uncertain", lambda data: 1e4)  # a hundred times the gap
    world.few(unbounded, {"COARSE": 40})
    require_refuted(NAME("coarse-closes-gap"))


@pytest.mark.daily
def test_a_mean_that_costs_a_sixth_refutes_its_price_alone(world):
    world.sweep(joint, "PRICES", trials=30, keep=lambda point: point == joint.PRICES.points[0])
    frame = run(joint.PRICES, "quick", seed=SEED)
    found = list(joint.price_checks(frame.assign(joint=frame["joint"] * 1.17), SEED))
    assert [check.status is Status.REFUTED for check in found] == [True, False]


@pytest.mark.daily
@pytest.mark.parametrize(("times", "wrong"), [(1.0, False), (1.5, True)])
def test_errors_that_are_half_as_large_again_refute_the_prediction(world, times, wrong):
    setting = joint.SETTINGS[0]
    world.sweep(joint, "FORESEEN", trials=20, keep=lambda point: point["d"] == setting["d"])
    frame = run(joint.FORESEEN, "quick", seed=SEED)
    worse = frame.assign(error=times * frame["error"])
    check = joint.worst(worse, setting, claim_level(), np.random.default_rng(SEED))
    assert (check.status is Status.REFUTED) == wrong
