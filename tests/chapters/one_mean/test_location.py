"""The claims about locations decide, and each of them can fail: a falsified world is refuted."""

import numpy as np
import pytest
from scipy.stats import binom

from tests.chapters.worlds import (
    SEED,
    Falsified,
    checks_of,
    columns,
    constant,
    decided,
    elsewhere,
    require_refuted,
    require_true,
)
from workbench.chapters.one_mean.claims import histograms, location
from workbench.chapters.one_mean.runs import location as sweeps
from workbench.chapters.one_mean.runs import theory
from workbench.study import measures
from workbench.study.profiles import claim_level
from workbench.study.rules import Status

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


@pytest.fixture(autouse=True)
def _few(world):
    world.few(sweeps, {"CLIPPED": 1000, "TWO_STEP": 200, "UNBOUNDED": 150})
    world.few(sweeps, {"LOCATE_RANGE": 12, "LOCATE_WIDE": 40, "LOCATE_LINE": 60})


@pytest.mark.daily
@pytest.mark.parametrize("identifier", SIZES)
def test_a_true_claim_is_not_refuted_by_few_trials(identifier):
    verdict = require_true(identifier, sizes=SIZES[identifier])
    assert {check["level"] for check in checks_of(verdict)} == {claim_level()}


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


def private_part(factor):
    """The private part of the clipped mean is larger by `factor(point)`."""
    return columns(
        lambda found, point: {
            "paper": found["sampling"] + factor(point) * (found["paper"] - found["sampling"])
        }
    )


def paper(factor):
    return columns(lambda found, point: {"paper": found["paper"] * factor(point)})


weaker = elsewhere(lambda point: {"epsilon": point["epsilon"] / 1.5})
weaker_window = elsewhere(
    lambda point: {"epsilon": point["epsilon"] / (1.5 if point["method"] == "window" else 1.0)}
)
FALSIFIED = {
    "noise half as large again": Falsified(
        "one-mean/clipping-pays-range", "CLIPPED", private_part(lambda point: 1.5), 1000
    ),
    "another order in the range": Falsified(
        "one-mean/clipping-pays-range",
        "CLIPPED",
        private_part(lambda point: (1e4 / point["radius"]) ** 0.3),
        1000,
        "exponent in R",
    ),
    "a two-step error that grows with the range": Falsified(
        "one-mean/flat-in-radius", "TWO_STEP", paper(lambda point: np.log(point["radius"])), 200
    ),
    "a noisier histogram on a range": Falsified("one-mean/rows-per-log-range", "LOCATE_RANGE", weaker, 50),
    "a noisier histogram on the line": Falsified("one-mean/rows-per-log-delta", "LOCATE_LINE", weaker, 60),
    "an error that depends on the mean": Falsified(
        "one-mean/rows-per-log-delta",
        "UNBOUNDED",
        paper(lambda point: 2.0 if point["mean"] > 1e6 else 1.0),
        150,
    ),
    "a weaker window median": Falsified("one-mean/window-halves-rows", "LOCATE_LINE", weaker_window, 100),
}


@pytest.mark.daily
@pytest.mark.parametrize("case", FALSIFIED.values(), ids=FALSIFIED)
def test_a_falsified_world_is_refuted(world, case):
    world.falsify(sweeps, case)
    case.require()


@pytest.mark.daily
def test_fewer_rows_than_the_packing_bound_are_refuted(world):
    packing = sweeps.packing
    world.part(sweeps, "packing", lambda *point: 10 * packing(*point))
    require_refuted("one-mean/rows-per-log-range")


class Wide:
    """Rows of `times` the standard deviation."""

    def __init__(self, rng, times=3):
        self.uniform, self.standard_normal = rng.uniform, lambda size: times * rng.standard_normal(size)


@pytest.mark.daily
@pytest.mark.parametrize(
    "case",
    [
        Falsified("one-mean/finite-histogram-error", "FINITE", elsewhere(lambda _: {"epsilon": 0.33}), 1000),
        Falsified("one-mean/stable-histogram-error", "STABLE", elsewhere(lambda _: {"epsilon": 0.33}), 1000),
        Falsified(
            "one-mean/bin-facts", "FACTS", elsewhere(lambda point: {"data": Wide(point["data"])}), 1000
        ),
        Falsified(
            "one-mean/bin-facts",
            "EDGE",
            elsewhere(lambda point: {"data": Wide(point["data"], 1.2)}),
            10_000,
            "own bin below n/10 over its exact chance",
        ),
        Falsified(
            "one-mean/stable-histogram-error",
            "STABLE",
            columns(lambda found, point: {"error": np.minimum(found["error"], 1.0)}),
            8000,
            "failures over their exact chance",
        ),
    ],
    ids=lambda case: f"{case.sweep} {case.refuted}",
)
def test_a_falsified_histogram_is_refuted(world, case):
    world.falsify(histograms, case)
    case.require()


@pytest.mark.daily
def test_rows_beyond_the_grid_are_never_called_right(world):
    world.sweep(sweeps, "LOCATE_LINE", block=constant(found=False))
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
