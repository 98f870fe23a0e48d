"""The claims about heavy tails and the pure net decide; in a falsified world they are refuted."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.worlds import (
    SEED,
    Falsified,
    columns,
    elsewhere,
    instead,
    require_refuted,
    require_true,
    scaled,
)
from workbench.chapters.covariance.claims import heavy, net
from workbench.chapters.covariance.runs import heavy as sweeps
from workbench.chapters.covariance.runs.heavy_theory import CutStudent
from workbench.estimators.heavy_tailed import Band, preconditioning_step

RATE, STEP = "covariance/moments-decide-rate", "covariance/step-keeps-promise"
TABLE, NET = "covariance/heavy-table-in-shape", "covariance/net-falls-to-floor"


@pytest.fixture(autouse=True)
def _few(world, monkeypatch):
    world.part(sweeps, "LAYER_ROWS", 30_000)
    world.few(sweeps, {"LAYERS": 3, "SPREADS": 3, "STEPS": 20, "SIZES": 4})
    monkeypatch.setattr(net, "NETS", {d: replace(one, trials=6) for d, one in net.NETS.items()})


@pytest.mark.daily
@pytest.mark.parametrize(("identifier", "sizes"), [(RATE, 15), (STEP, 4), (TABLE, 12), (NET, 5)])
def test_a_true_claim_is_not_refuted_by_few_trials(identifier, sizes):
    require_true(identifier, sizes=sizes)


def grown(column, factor):
    """A column is larger by a factor that depends on the point."""
    return columns(lambda found, point: {column: found[column] * factor(point)})


def every(factor):
    return columns(lambda found, point: {name: values * factor(point) for name, values in found.items()})


def louder(found, point):
    return {name: 2 * values for name, values in found.items() if name.startswith("noise")}


def larger(*, trials, data, noise, **point):
    return {"error": 3 * point["alpha"] * np.exp(0.3 * data.standard_normal(trials))}


TURNED = {4.2: 10.2, 6.2: 6.2, 10.2: 4.2}
FALSIFIED = {
    "louder noise": Falsified(RATE, "LAYERS", columns(louder), 20, "bias + noise"),
    "another rate": Falsified(
        RATE, "LAYERS", every(lambda point: (point["n"] / 3000) ** 0.5), 20, "slope of bias + noise"
    ),
    "many moments where few are said": Falsified(
        RATE, "LAYERS", elsewhere(lambda point: {"degrees": TURNED[point["degrees"]]}), 30, "slope at"
    ),
    "naive noise of another order in the length": Falsified(
        RATE, "SPREADS", grown("naive noise", lambda point: point["upper"] ** 0.5), 8, "naive noise at"
    ),
    "a private part of another order in the length": Falsified(
        RATE,
        "SPREADS",
        grown("private", lambda point: point["upper"] ** 0.5),
        8,
        "private part, preconditioned",
    ),
    "a bound that does not double": Falsified(STEP, "STEPS", scaled(promised=0.5), 60),
    "errors that need ten times the rows": Falsified(TABLE, "SIZES", instead(larger), 40),
}


@pytest.mark.daily
@pytest.mark.parametrize("case", FALSIFIED.values(), ids=FALSIFIED)
def test_a_falsified_world_is_refuted(world, case):
    world.falsify(sweeps, case)
    case.require()


@pytest.mark.daily
def test_a_band_that_is_too_narrow_refutes_the_step(world):
    def narrow(*arguments):
        radius, band = preconditioning_step(*arguments)
        return radius, Band(band.error / 1000, band.keep)

    world.part(sweeps, "preconditioning_step", narrow)
    world.few(sweeps, {"STEPS": 60})
    require_refuted(STEP)


@pytest.mark.daily
@pytest.mark.parametrize("d", [1, 2])
def test_an_error_above_the_floor_refutes_the_net(d):
    net.NETS[d] = replace(net.NETS[d], block=scaled(error=2.0)(net.net_errors), trials=25)
    require_refuted(NET, f"error over floor, d = {d}")


@pytest.mark.parametrize("degrees", [4.2, 6.2, 10.2])
@pytest.mark.parametrize("radius", [3.0, 8.0])
def test_the_three_errors_are_those_of_a_simulation(degrees, radius):
    law, n, rng = CutStudent(degrees, 5), 400, np.random.default_rng(SEED)
    squares = rng.chisquare(5, (3000, n)) * (degrees - 2) / rng.chisquare(degrees, (3000, n))
    cut = np.minimum(squares, radius**2)
    assert law.bias(radius) == pytest.approx((squares - cut).mean() / np.sqrt(5), rel=0.15)
    spread = (cut**2).mean() - cut.mean() ** 2 / 5
    assert law.sampling(radius, n) == pytest.approx(np.sqrt(spread / n), rel=0.02)


def test_the_best_radius_is_best():
    law = CutStudent(6.2, 5)
    best = law.best_radius(10_000, 0.5)
    assert law.least(10_000, 0.5) < min(law.private(best * factor, 10_000, 0.5) for factor in (0.9, 1.1))


def test_the_naive_noise_is_the_one_that_is_drawn():
    data, noise = np.random.default_rng(SEED).spawn(2)
    columns = sweeps.spreads(sweeps.SPREAD_N, 100.0, trials=20, data=data, noise=noise)
    measured = np.sqrt((columns["naive noise"] ** 2).mean())
    assert measured == pytest.approx(heavy.naive_noise(100.0), rel=0.15)
