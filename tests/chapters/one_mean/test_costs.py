from dataclasses import replace

import numpy as np
import pytest

from workbench.chapters.one_mean.claims import costs
from workbench.chapters.one_mean.runs.costs import quantile_ratio_interval
from workbench.privacy.noise import SimulatedNoise
from workbench.study.grids import resampler
from workbench.study.measures import at
from workbench.study.profiles import claim_level
from workbench.study.rules import Status, combine
from workbench.study.sweeps import run

SEED = 3


def free(name="test-free", **more):
    return run(replace(costs.FREE, name=name, **more), "quick", seed=SEED)


def decided(frame):
    checks = costs.free_checks(frame, resampler(SEED, "test"))
    return combine(checks, len(frame)), checks


@pytest.mark.daily
def test_the_true_world_is_not_refuted():
    whole, checks = decided(free())
    assert whole.status != Status.REFUTED
    assert whole.level <= claim_level() * (1 + 1e-9)
    assert len({check.id for check in checks}) == len(checks)


@pytest.mark.daily
def test_noise_half_as_large_again_is_refuted(monkeypatch):
    laplace = SimulatedNoise.laplace
    monkeypatch.setattr(SimulatedNoise, "laplace", lambda self, v, s, scale: laplace(self, v, s, 1.5 * scale))
    whole, _ = decided(free("test-free-noisier", trials=200))
    assert whole.status == Status.REFUTED


@pytest.mark.daily
@pytest.mark.parametrize("power", [0.5, 1.5])
def test_a_wrong_slope_is_refuted(monkeypatch, power):
    frame = free()
    monkeypatch.setattr(costs, "noise_part", lambda n, epsilon: 30 * n**-power / epsilon)
    slopes = [check for check in decided(frame)[1] if check.id.startswith("slope in n")]
    assert {check.status for check in slopes} == {Status.REFUTED}


@pytest.mark.daily
def test_a_wrong_constant_is_refuted(monkeypatch):
    frame, true = free(), costs.noise_part
    monkeypatch.setattr(costs, "noise_part", lambda n, epsilon: 1.3 * true(n, epsilon))
    whole, checks = decided(frame)
    assert whole.status == Status.REFUTED
    assert {check.status for check in checks if check.id.startswith("slope")} <= {"HOLDS", "UNDECIDED"}


def test_the_noise_part_is_that_of_the_estimator():
    from workbench.estimators.two_step import TwoStepMean
    from workbench.privacy import PureDP
    from workbench.privacy.mechanisms import laplace_scale

    charge = TwoStepMean(radius=100.0, calibration="paper", sigma=1.0).plan(1000, 1, PureDP(0.5))["mean"]
    assert laplace_scale(charge) == pytest.approx(costs.noise_part(1000, 0.5))


@pytest.fixture(scope="module")
def sizes():
    return run(replace(costs.SIZES, name="test-sizes", trials=100), "quick", seed=SEED)


def size_statuses(frame):
    rng, level = resampler(SEED, "test"), claim_level()
    return [
        costs.size_check(frame, c, alpha, level, rng).status for c in costs.SIZE_N for alpha in costs.ALPHAS
    ]


@pytest.mark.daily
def test_no_lower_bound_is_refuted_by_what_is_needed(sizes):
    assert Status.REFUTED not in size_statuses(sizes)


def test_the_rows_needed_stand_beside_the_largest_bound(sizes):
    check = costs.size_check(sizes, "tight", 0.1, claim_level(), resampler(SEED, "test"))
    (size,) = check.detail["sizes"]
    assert size["predicted"] == max(check.detail["lower bounds"].values())
    assert size["estimate"] / size["predicted"] == pytest.approx(check.estimate)
    assert size["statement"] in {source for claim in costs.CLAIMS for source in claim.sources}


def test_an_estimator_with_half_the_error_would_refute_the_bounds(sizes):
    assert Status.REFUTED in size_statuses(sizes.assign(error=sizes["error"] / 2.5))


def test_a_tight_calibration_with_the_rows_of_the_source_is_refuted(sizes):
    paper = at(sizes, calibration="paper")
    claimed = paper.assign(calibration="tight")
    rng, level = resampler(SEED, "test"), claim_level()
    assert costs.size_check(paper, "paper", 0.1, level, rng).status is Status.HOLDS
    assert costs.size_check(claimed, "tight", 0.1, level, rng).status is Status.REFUTED


def test_bounds_that_are_too_large_are_refuted(sizes, monkeypatch):
    true = costs.lower_bounds
    wrong = lambda *a: {name: 30 * value for name, value in true(*a).items()}  # noqa: E731
    monkeypatch.setattr(costs, "lower_bounds", wrong)
    assert size_statuses(sizes)[0] == Status.REFUTED


def test_every_bound_rules_somewhere():
    largest = {max(b, key=b.get) for b in (costs.lower_bounds(a, 0.1, 0.1) for a in costs.ALPHAS)}
    assert largest == {"sampling", "two points", "packing"}


def test_a_run_without_an_answer_is_infinitely_wrong():
    from workbench.chapters.one_mean.runs.costs import unbounded

    rng = np.random.default_rng
    columns = unbounded(10, 0.1, 0.0, trials=20, data=rng(1), noise=rng(2))
    assert columns["abstained"].all()
    assert np.isinf(columns["error"]).all()
    assert np.isfinite(columns["reference"]).all()


def test_a_quantile_of_runs_without_an_answer_is_infinite():
    rng = np.random.default_rng(1)
    b = np.abs(rng.standard_normal(400))
    a = np.where(np.arange(400) < 300, np.inf, b)
    assert quantile_ratio_interval(a, b, 0.5, 1e-6, rng) == (np.inf, np.inf)
    half = np.where(np.arange(400) < 205, np.inf, b)
    assert quantile_ratio_interval(half, b, 0.5, 1e-6, rng) == (0.0, np.inf)


def test_the_ratio_of_quantiles_is_covered():
    rng = np.random.default_rng(2)
    b = np.abs(rng.standard_normal(1000))
    a = 1.2 * np.abs(b + 0.01 * rng.standard_normal(1000))
    for q in (0.5, 0.9):
        low, high = quantile_ratio_interval(a, b, q, 1e-6, rng)
        assert low < 1.2 < high < 1.3


def test_points_are_picked_by_their_parameters():
    frame = free()
    assert len(at(frame, n=1000, epsilon=1.0)) == 1000
