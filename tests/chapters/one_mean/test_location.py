"""The claims about locations decide, and each of them can fail: a falsified world is refuted."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from workbench.chapters.one_mean.claims import histograms, location
from workbench.chapters.one_mean.runs import location as sweeps
from workbench.chapters.one_mean.runs import theory
from workbench.chapters.registry import CLAIMS
from workbench.study import measures
from workbench.study.profiles import claim_level
from workbench.study.sweeps import sweep
from workbench.study.verdict import Status

SEED = 4
FEWER = {
    "CLIPPED": 1000,
    "TWO_STEP": 200,
    "UNBOUNDED": 150,
    "LOCATE_RANGE": 12,
    "LOCATE_WIDE": 40,
    "LOCATE_LINE": 60,
}
SIZES = {
    "one-mean/clipping-pays-range": 4,
    "one-mean/flat-in-radius": 1,
    "one-mean/rows-per-log-range": 14,
    "one-mean/rows-per-log-delta": 4,
    "one-mean/window-halves-rows": 4,
    "one-mean/finite-histogram-error": 0,
    "one-mean/stable-histogram-error": 0,
    "one-mean/bin-facts": 3,
}
IDS = tuple(SIZES)


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    for name, trials in FEWER.items():
        monkeypatch.setattr(sweeps, name, replace(getattr(sweeps, name), trials=trials))
    yield
    sweep.forget()


def falsify(monkeypatch, name, block, *, trials=None, module=sweeps):
    """Put a block that measures another world into a sweep."""
    old = getattr(module, name)
    monkeypatch.setattr(module, name, replace(old, block=block, trials=trials or old.trials))


def decided(identifier):
    return CLAIMS[identifier].decide("quick", SEED, 1)


def weaker(factor):
    """Locate with noise of `factor` times the scale, at what is still called ε."""
    return lambda epsilon, **rest: sweeps.locate(epsilon=epsilon / factor, **rest)


@pytest.mark.parametrize("identifier", IDS)
def test_a_true_claim_is_not_refuted_by_few_trials(identifier):
    verdict = decided(identifier)
    assert verdict.status is not Status.REFUTED
    checks = verdict.detail.get("checks", [vars(verdict)])
    assert all(check["level"] == claim_level() for check in checks)
    assert all(check["id"] for check in checks)
    assert verdict.trials > 0
    verdict.to_json()
    sizes = [size for check in checks for size in check["detail"].get("sizes", ())]
    assert len(sizes) == SIZES[identifier]
    assert {size["statement"] for size in sizes} <= set(CLAIMS[identifier].sources)


def test_the_size_of_a_location_is_the_prediction_and_the_measurement_of_its_check():
    near, above = decided("one-mean/rows-per-log-range").detail["checks"][:2]
    (predicted,), (packing,) = (check["detail"]["sizes"] for check in (near, above))
    assert (predicted["predicted"], predicted["estimate"]) == (near["bound"], near["estimate"])
    assert predicted["interval"] == near["interval"]
    assert packing["estimate"] == near["estimate"]
    assert packing["estimate"] / packing["predicted"] == pytest.approx(above["estimate"])


def test_the_size_of_the_clipped_mean_is_its_privacy_part_in_rows():
    check = decided("one-mean/clipping-pays-range").detail["checks"][0]
    (size,) = check["detail"]["sizes"]
    assert size["predicted"] == sweeps.N
    assert size["estimate"] / sweeps.N == pytest.approx(check["estimate"] / check["bound"])


def test_louder_noise_than_predicted_refutes_the_clipped_mean(monkeypatch):
    def louder(**point):
        columns = sweeps.clipped(**point)
        return {**columns, "paper": columns["sampling"] + 1.5 * (columns["paper"] - columns["sampling"])}

    falsify(monkeypatch, "CLIPPED", louder)
    assert decided("one-mean/clipping-pays-range").status is Status.REFUTED


def test_an_error_of_another_order_in_the_range_refutes_the_clipped_mean(monkeypatch):
    def flatter(**point):
        columns = sweeps.clipped(**point)
        part = (columns["paper"] - columns["sampling"]) * (1e4 / point["radius"]) ** 0.3
        return {**columns, "paper": columns["sampling"] + part}

    falsify(monkeypatch, "CLIPPED", flatter)
    checks = decided("one-mean/clipping-pays-range").detail["checks"]
    assert checks[-1]["id"] == "exponent in R"
    assert checks[-1]["status"] is Status.REFUTED


def test_an_error_that_grows_with_the_range_refutes_the_two_step_mean(monkeypatch):
    def growing(**point):
        columns = sweeps.two_step(**point)
        return {**columns, "paper": columns["paper"] * np.log(point["radius"])}

    falsify(monkeypatch, "TWO_STEP", growing)
    assert decided("one-mean/flat-in-radius").status is Status.REFUTED


def test_fewer_rows_than_the_packing_bound_are_refuted(monkeypatch):
    packing = sweeps.packing
    monkeypatch.setattr(sweeps, "packing", lambda *point: 10 * packing(*point))
    assert decided("one-mean/rows-per-log-range").status is Status.REFUTED


def test_a_noisier_histogram_refutes_the_rows_on_a_range(monkeypatch):
    falsify(monkeypatch, "LOCATE_RANGE", weaker(1.5), trials=50)
    assert decided("one-mean/rows-per-log-range").status is Status.REFUTED


def test_a_noisier_histogram_refutes_the_rows_on_the_line(monkeypatch):
    falsify(monkeypatch, "LOCATE_LINE", weaker(1.5))
    assert decided("one-mean/rows-per-log-delta").status is Status.REFUTED


def test_an_error_that_depends_on_the_mean_refutes_the_unbounded_mean(monkeypatch):
    def drifting(**point):
        columns = sweeps.unbounded(**point)
        return {**columns, "paper": columns["paper"] * (2.0 if point["mean"] > 1e6 else 1.0)}

    falsify(monkeypatch, "UNBOUNDED", drifting)
    assert decided("one-mean/rows-per-log-delta").detail["checks"][-1]["status"] is Status.REFUTED


def test_a_weaker_window_median_refutes_our_own_claim(monkeypatch):
    falsify(monkeypatch, "LOCATE_LINE", lambda **p: (weaker(1.5) if p["method"] == "window" else
                                                         sweeps.locate)(**p), trials=100)  # fmt: skip
    assert decided("one-mean/window-halves-rows").status is Status.REFUTED


@pytest.mark.parametrize(
    ("identifier", "name", "changed"),
    [
        (
            "one-mean/finite-histogram-error",
            "FINITE",
            lambda **p: histograms.finite_errors(**{**p, "epsilon": 0.33}),
        ),
        (
            "one-mean/stable-histogram-error",
            "STABLE",
            lambda **p: histograms.stable_errors(**{**p, "epsilon": 0.33}),
        ),
        ("one-mean/bin-facts", "FACTS", lambda **p: histograms.bin_facts(**p | {"data": Wide(p["data"])})),
    ],
)
def test_a_falsified_histogram_is_refuted(monkeypatch, identifier, name, changed):
    falsify(monkeypatch, name, changed, module=histograms, trials=1000)
    assert decided(identifier).status is Status.REFUTED


class Wide:
    """Rows of three times the standard deviation."""

    def __init__(self, rng):
        self.uniform, self.standard_normal = rng.uniform, lambda size: 3 * rng.standard_normal(size)


def test_rows_beyond_the_grid_are_never_called_right(monkeypatch):
    falsify(monkeypatch, "LOCATE_LINE", lambda *, trials, **_: {"found": np.zeros(trials, bool)})
    verdict = decided("one-mean/rows-per-log-delta")
    assert verdict.status is Status.REFUTED
    assert "nan" in verdict.to_json()


def test_the_interval_of_a_median_is_exact():
    values = np.random.default_rng(SEED).standard_normal(101)
    found = measures.median(values, 0.05)
    below = int((np.sort(values) < found.interval[0]).sum())
    assert found.estimate == np.median(values)
    assert 2 * binom.cdf(below, 101, 0.5) <= 0.05 < 2 * binom.cdf(below + 1, 101, 0.5)
    assert measures.median(values[:3], 0.05).interval == (0.0, np.inf)


def test_independent_measures_combine_like_errors():
    one, two = measures.Measure(1.0, (0.7, 1.4), 5), measures.Measure(2.0, (1.6, 2.3), 6)
    difference = measures.combination([1, -1], [one, two])
    assert difference.estimate == -1.0
    assert difference.interval == pytest.approx((-1 - np.hypot(0.3, 0.3), -1 + np.hypot(0.4, 0.4)))
    assert measures.slope([0.0, 2.0], [one, two]).estimate == 0.5
    assert measures.ratio(two, one).estimate == pytest.approx(2.0)
    assert measures.ratio(one, measures.Measure(np.nan, (3.0, np.inf), 6)).interval == (0.0, np.inf)
    assert measures.spread({1: one, 2: two}).estimate == pytest.approx(2.0)


@pytest.mark.parametrize("point", [{"radius": 10.0}, {"radius": 1000.0}, {"delta": 1e-6}])
@pytest.mark.parametrize("method", ["paper", "window"])
def test_predicted_rows_succeed_with_probability_nine_tenths(point, method):
    at = {"method": method, "epsilon": 0.5, **point}
    at["n"] = sweeps.predicted_rows(**at)
    data, noise = np.random.default_rng(SEED).spawn(2)
    found = sweeps.locate(**at, trials=1000, data=data, noise=noise)["found"].mean()
    assert found == pytest.approx(0.9, abs=0.05)


@pytest.mark.parametrize(("n", "epsilon", "radius"), [(50, 0.5, 100.0), (300, 1.0, 1e4), (100, 0.1, 1e3)])
@pytest.mark.parametrize("calibration", sweeps.CALIBRATIONS)
def test_predicted_errors_are_those_measured(n, epsilon, radius, calibration):
    point = {"n": n, "epsilon": epsilon, "radius": radius}
    for block, predict in ((sweeps.clipped, theory.clipped_error), (sweeps.two_step, theory.two_step_error)):
        data, noise = np.random.default_rng(SEED).spawn(2)
        columns = block(**point, trials=500, data=data, noise=noise)
        expected = predict(n, radius, epsilon, calibration)
        assert np.median(np.abs(columns[calibration])) == pytest.approx(expected, rel=0.2)


def test_the_slope_of_the_clipped_mean_is_below_one_only_by_the_tails():
    scales = [location.laplace_of_clipped(radius) for radius in (1e4, 1e5)]
    assert scales[1] / scales[0] == pytest.approx(10, rel=1e-3)
    assert scales[0] == pytest.approx(2 * 1e4 / (sweeps.N * sweeps.EPSILON), rel=1e-3)
