"""The claims about heavy tails and the pure net decide; in a falsified world they are refuted."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.chapters.covariance.claims import heavy, net
from workbench.chapters.covariance.runs import heavy as sweeps
from workbench.chapters.covariance.runs.heavy_theory import CutStudent
from workbench.chapters.registry import CLAIMS
from workbench.estimators.parts.preconditioned.heavy_tailed_design import preconditioning_step
from workbench.estimators.parts.preconditioned.preconditioning import Band
from workbench.study.sweeps import sweep
from workbench.study.verdict import Status

SEED = 4
FEWER = {"LAYERS": 3, "SPREADS": 3, "STEPS": 20, "SIZES": 4}
SIZES = {
    "covariance/moments-decide-rate": 15,
    "covariance/step-keeps-promise": 4,
    "covariance/heavy-table-in-shape": 12,
    "covariance/net-falls-to-floor": 5,
}


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(sweeps, "LAYER_ROWS", 30_000)
    for name, trials in FEWER.items():
        monkeypatch.setattr(sweeps, name, replace(getattr(sweeps, name), trials=trials))
    nets = {d: replace(one, trials=6) for d, one in net.NETS.items()}
    monkeypatch.setattr(net, "NETS", nets)
    yield
    sweep.forget()


def falsify(monkeypatch, name, block, trials):
    monkeypatch.setattr(sweeps, name, replace(getattr(sweeps, name), block=block, trials=trials))


def decided(identifier):
    return CLAIMS[identifier].decide("quick", SEED, 1)


def failed(verdict):
    return [check["id"] for check in verdict.detail["checks"] if check["status"] is Status.REFUTED]


@pytest.mark.parametrize("identifier", SIZES)
def test_a_true_claim_is_not_refuted_by_few_trials(identifier):
    verdict = decided(identifier)
    assert verdict.status is not Status.REFUTED
    verdict.to_json()
    checks = verdict.detail["checks"]
    assert all(check["id"] for check in checks)
    sizes = [size for check in checks for size in check["detail"].get("sizes", ())]
    assert len(sizes) == SIZES[identifier]
    assert {size["statement"] for size in sizes} <= set(CLAIMS[identifier].sources)


def test_louder_noise_refutes_bias_and_noise(monkeypatch):
    def louder(**point):
        columns = sweeps.layers(**point)
        return {name: values * (2.0 if name.startswith("noise") else 1.0) for name, values in columns.items()}

    falsify(monkeypatch, "LAYERS", louder, 20)
    assert any(name.startswith("bias + noise") for name in failed(decided("covariance/moments-decide-rate")))


def test_another_rate_refutes_the_slope(monkeypatch):
    def slower(**point):
        return {name: values * (point["n"] / 3000) ** 0.5 for name, values in sweeps.layers(**point).items()}

    falsify(monkeypatch, "LAYERS", slower, 20)
    assert any(
        name.startswith("slope of bias + noise") for name in failed(decided("covariance/moments-decide-rate"))
    )


def test_rates_in_the_wrong_order_are_refuted(monkeypatch):
    """Rows of many moments where few were said, and the other way round."""
    turned = {4.2: 10.2, 6.2: 6.2, 10.2: 4.2}
    falsify(monkeypatch, "LAYERS", lambda **p: sweeps.layers(**{**p, "degrees": turned[p["degrees"]]}), 30)
    names = failed(decided("covariance/moments-decide-rate"))
    assert any(name.startswith("slope at") for name in names)


@pytest.mark.parametrize(
    ("column", "name"),
    [("naive noise", "naive noise at"), ("private", "private part, preconditioned")],
)
def test_an_error_of_another_order_in_the_length_is_refuted(monkeypatch, column, name):
    def other(**point):
        columns = sweeps.spreads(**point)
        return {**columns, column: columns[column] * np.sqrt(point["upper"])}

    falsify(monkeypatch, "SPREADS", other, 8)
    assert any(found.startswith(name) for found in failed(decided("covariance/moments-decide-rate")))


def test_a_band_that_is_too_narrow_refutes_the_step(monkeypatch):
    def narrow(*arguments):
        radius, band = preconditioning_step(*arguments)
        return radius, Band(band.error / 1000, band.keep)

    monkeypatch.setattr(sweeps, "preconditioning_step", narrow)
    falsify(monkeypatch, "STEPS", sweeps.steps, 60)
    assert decided("covariance/step-keeps-promise").status is Status.REFUTED


def test_a_bound_that_does_not_double_refutes_the_step(monkeypatch):
    def lazy(**point):
        columns = sweeps.steps(**point)
        return {**columns, "promised": columns["promised"] / 2}

    falsify(monkeypatch, "STEPS", lazy, 60)
    assert decided("covariance/step-keeps-promise").status is Status.REFUTED


def test_errors_that_need_ten_times_the_rows_refute_the_table(monkeypatch):
    def larger(*, trials, data, noise, **point):
        return {"error": 3 * point["alpha"] * np.exp(0.3 * data.standard_normal(trials))}

    falsify(monkeypatch, "SIZES", larger, 40)
    assert decided("covariance/heavy-table-in-shape").status is Status.REFUTED


@pytest.mark.parametrize("d", [1, 2])
def test_an_error_above_the_floor_refutes_the_net(monkeypatch, d):
    def higher(**point):
        columns = net.net_errors(**point)
        return {**columns, "error": 2 * columns["error"]}

    net.NETS[d] = replace(net.NETS[d], block=higher, trials=25)
    names = failed(decided("covariance/net-falls-to-floor"))
    assert any(name.startswith(f"error over floor, d = {d}") for name in names)


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
