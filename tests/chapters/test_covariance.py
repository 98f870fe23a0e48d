"""The claims about covariances are refuted in a falsified world, and the pictures show what they say."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.conftest import (
    SEED,
    Falsified,
    columns,
    elsewhere,
    instead,
    refuted,
    require_refuted,
    scaled,
)
from workbench.chapters.covariance import heavy_tails, joint, net, unbounded
from workbench.chapters.covariance.heavy_tails import CutStudent
from workbench.chapters.covariance.one_radius import EXERCISE_UPPER as UPPER
from workbench.chapters.covariance.one_radius import WITHIN, WORLDS, judge
from workbench.estimators.heavy_tailed import Band, HeavyTailedCovariance, preconditioning_step
from workbench.privacy import ZCDP
from workbench.study.profiles import claim_level
from workbench.study.rules import Status
from workbench.study.sweeps import run

RATE, STEP, NET = (
    f"covariance/{name}" for name in ("moments-decide-rate", "step-keeps-promise", "net-falls-to-floor")
)
FLAT, EIGENVALUES = "covariance/flat-in-condition", "covariance/eigenvalues-to-a-factor"
GAP, COARSE = "covariance/error-follows-gap", "covariance/coarse-closes-gap"


def lognormal(data, middle, trials):
    """Return errors as they spread in the sweeps, at no cost."""
    return middle * np.exp(0.3 * data.standard_normal(trials))


def errors(**middle):
    """Measure errors about these, functions of the point."""

    def block(*, trials, data, noise, **point):
        found = {name: lognormal(data, size(point), trials) for name, size in middle.items()}
        return {**found, "abstained": np.zeros(trials, bool)}

    return block


def sides(**middle):
    """Errors of the estimators that are compared, all of them .1 but for these."""
    same = dict.fromkeys(("error", "three steps", "source"), lambda point: 0.1)
    return instead(errors(**(same | middle)))


@pytest.fixture(autouse=True)
def _few(world, monkeypatch):
    world.part(heavy_tails, "LAYER_ROWS", 30_000)
    world.few(heavy_tails, {"LAYERED": 3, "SPREADS": 3, "STEPS": 20})
    world.few(unbounded, {"EIGENVALUES": 20, "VOTES": 10, "COARSE": 20, "SIDES": 2})
    world.sweep(unbounded, "ANY", block=errors(error=lambda point: 0.06), trials=60)
    world.few(joint, {"PRICES": 4, "FORESEEN": 4, "FORESEEN_FEW": 4})
    monkeypatch.setattr(net, "NETS", {d: replace(one, trials=6) for d, one in net.NETS.items()})


def grown(column, factor):
    """A column is larger by a factor that depends on the point."""
    return columns(lambda found, point: {column: found[column] * factor(point)})


def every(factor):
    return columns(lambda found, point: {name: values * factor(point) for name, values in found.items()})


def louder(found, point):
    return {name: 2 * values for name, values in found.items() if name.startswith("noise")}


def condition(power):
    return lambda point: point["condition"] ** power


TURNED = {4.2: 10.2, 6.2: 6.2, 10.2: 4.2}
LONG = {"three steps": condition(1)}
turned = elsewhere(lambda point: {"degrees": TURNED[point["degrees"]]})
slower = every(lambda point: (point["n"] / 3000) ** 0.5)
longer = {name: grown(name, lambda point: point["upper"] ** 0.5) for name in ("naive noise", "private")}
steeper = grown("over", lambda point: point["gap"] ** -0.5)
loose, flat = (sides(**{name: condition(0.1)}, **LONG) for name in ("source", "error"))
ALL = [""] * len(unbounded.EIGENVALUES.points)
FALSIFIED = {
    "louder noise": (heavy_tails, RATE, "LAYERED", columns(louder), 20, "bias + noise"),
    "another rate": (heavy_tails, RATE, "LAYERED", slower, 20, "slope of bias + noise"),
    "many moments where few are said": (heavy_tails, RATE, "LAYERED", turned, 30, "slope at"),
    "naive noise of another order": (
        heavy_tails,
        RATE,
        "SPREADS",
        longer["naive noise"],
        8,
        "naive noise at",
    ),
    "a private part of another order": (heavy_tails, RATE, "SPREADS", longer["private"], 8, "private part"),
    "a bound that does not double": (heavy_tails, STEP, "STEPS", scaled(promised=0.5), 60),
    "an error that grows": (unbounded, FLAT, "SIDES", flat, 60, ["unbounded, largest over smallest mean"]),
    "CoinPress that needs no steps": (unbounded, FLAT, "SIDES", sides(), 60, ["CoinPress in three steps:"]),
    "loose constants": (unbounded, FLAT, "SIDES", loose, 60, ["CoinPress, its source's constants:"]),
    "eigenvalues twice the truth": (unbounded, EIGENVALUES, "EIGENVALUES", every(lambda point: 2), 40, ALL),
    "an error of the root of the gap": (unbounded, GAP, "VOTES", steeper, 20, "error over gap, largest"),
}


@pytest.mark.daily
@pytest.mark.parametrize("name", FALSIFIED)
def test_a_falsified_world_is_refuted(world, name):
    module, *case = FALSIFIED[name]
    world.falsify(module, Falsified(*case))
    Falsified(*case).require()


@pytest.mark.daily
def test_a_band_that_is_too_narrow_refutes_the_step(world):
    def narrow(*arguments):
        radius, band = preconditioning_step(*arguments)
        return radius, Band(band.error / 1000, band.keep)

    world.part(heavy_tails, "preconditioning_step", narrow)
    world.few(heavy_tails, {"STEPS": 60})
    require_refuted(STEP)


@pytest.mark.daily
@pytest.mark.parametrize("d", [1, 2])
def test_an_error_above_the_floor_refutes_the_net(d):
    net.NETS[d] = replace(net.NETS[d], block=scaled(error=2.0)(net.net_errors), trials=25)
    require_refuted(NET, f"error over floor, d = {d}")


@pytest.mark.turns(6)
@pytest.mark.parametrize(("middle", "found"), [(2.0, True), (1.0, False)])
def test_an_error_that_is_larger_at_one_spectrum_is_refuted(world, middle, found):
    larger = errors(error=lambda point: middle if point["spectrum"] == "ratio 9" else 1.0)
    world.sweep(unbounded, "ANY", block=larger)
    names = refuted(FLAT)
    assert any(name.startswith("unbounded, largest over smallest mean error, ") for name in names) == found


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
    require_refuted(COARSE)


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
    check = joint.worst(
        frame.assign(error=times * frame["error"]), setting, claim_level(), np.random.default_rng(SEED)
    )
    assert (check.status is Status.REFUTED) == wrong


@pytest.mark.parametrize("degrees", [4.2, 10.2])
@pytest.mark.parametrize("radius", [3.0, 8.0])
def test_the_three_errors_are_those_of_a_simulation(degrees, radius):
    law, n, rng = CutStudent(degrees, 5), 400, np.random.default_rng(SEED)
    squares = rng.chisquare(5, (3000, n)) * (degrees - 2) / rng.chisquare(degrees, (3000, n))
    kept = np.minimum(squares, radius**2)
    assert law.bias(radius) == pytest.approx((squares - kept).mean() / np.sqrt(5), rel=0.15)
    spread = (kept**2).mean() - kept.mean() ** 2 / 5
    assert law.sampling(radius, n) == pytest.approx(np.sqrt(spread / n), rel=0.02)
    best = law.best_radius(10_000, 0.5)
    assert law.least(10_000, 0.5) < min(law.private(best * by, 10_000, 0.5) for by in (0.9, 1.1))


def test_the_judge_passes_the_package_and_fails_what_ignores_the_rows():
    known = HeavyTailedCovariance(upper=UPPER, centred=True, lower=1.0)
    found = judge(lambda x, rho, rng: known(x, budget=ZCDP(rho), rng=rng).value)
    assert found.good == WORLDS
    assert f"at most {WITHIN} in {WORLDS} of {WORLDS} worlds" in str(found)
    lazy = judge(lambda x, rho, rng: np.diag([1.0, UPPER]))
    assert lazy.good == 0
    busy = judge(lambda x, rho, rng: np.eye(2) * rng.random())
    assert (lazy.naive == busy.naive).all()  # whatever the reader draws
