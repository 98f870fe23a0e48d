"""Bounds on errors of means over a noisy share of rows: they allow for the noise of the share."""

from dataclasses import replace
from math import inf, sqrt

import numpy as np
import pytest

from workbench import ZCDP, PureDP
from workbench.estimators.clipped import ClippedBoxMean, ClippedMean
from workbench.estimators.coinpress import CoinPressCovariance, CoinPressMean
from workbench.estimators.intervals import Interval, IntervalUnknownVariance
from workbench.estimators.scale import Scale
from workbench.estimators.shared.noisy_means import SURE, counted_error, noise_quantile, uncentred
from workbench.estimators.two_step import WindowMean, clipped_mean
from workbench.privacy import Charge, SimulatedNoise, UnitNoise
from workbench.privacy.mechanisms import additive

RUNS = 2000
EDGE = ClippedMean(radius=50.0, sigma=1.0)


def charge_of(kind, n):
    """The charge of a mean of n rows within 9 of a place."""
    return Charge("s", kind, 2 * 9.0 / n, PureDP(1.0) if kind == "laplace" else ZCDP(0.5))


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_a_rare_bound_is_attained_where_both_noises_are_as_large_as_they_are_allowed(kind):
    charge, away, beta = charge_of(kind, 400), 7.0, SURE / 4
    height = 9.0 if kind == "laplace" else sqrt(3) * 9.0  # a, in units of the mean
    attained = (away + noise_quantile(charge, beta / 2)) / (1 - noise_quantile(charge, beta) / height) - away
    found = counted_error(lambda part: noise_quantile(charge, part), away, charge, 400, beta)
    assert attained <= found <= attained * (1 + 1e-6)
    assert counted_error(lambda _: 0.0, away, charge_of(kind, 4), 4, 1e-9) == inf


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_a_usual_bound_leaves_the_chance_that_noise_passes_for_absent_rows(kind):
    charge = charge_of(kind, 400)
    found = counted_error(lambda part: noise_quantile(charge, part), 7.0, charge, 400, 0.05)
    assert found == noise_quantile(charge, 0.05 - SURE / 2)


class Pushed(UnitNoise):
    """Adds the quantile of the noise at `part`, and takes it from the last number."""

    def __init__(self, charge, part):
        object.__setattr__(self, "up", noise_quantile(charge, part / 2))
        object.__setattr__(self, "down", noise_quantile(charge, part))

    def pushed(self, value, *_):
        out = np.array(value, float) + self.up
        out[-1] -= self.up + self.down
        return out

    laplace = gaussian = symmetric_gaussian = pushed


@pytest.mark.parametrize(
    ("estimator", "budget", "beta"),
    [
        (EDGE, PureDP(0.3), SURE / 2),
        (replace(EDGE, calibration="paper", beta=1e-4), PureDP(0.3), SURE / 2),
        (ClippedBoxMean(radius=50.0, beta=1e-6, sigma=1.0), ZCDP(0.002), SURE / 4 + 1e-6),
    ],
    ids=lambda value: type(value).__name__,
)
def test_noise_that_passes_for_absent_rows_is_within_a_rare_bound(estimator, budget, beta):
    x = np.full((600, 1) if isinstance(estimator, ClippedBoxMean) else 600, 50.0)
    noise = Pushed(estimator.plan(600, 1, budget)["mean"], 0.98 * SURE / 4)
    error = abs(float(np.ravel(estimator.estimate(x, budget, noise))[0]) - 50)
    assert 0.5 < error / estimator.error_bound(600, 1, budget, beta) <= 1


INTERVALS = [Interval(level=0.2, sigma=1.0), IntervalUnknownVariance(level=0.2)]


@pytest.mark.parametrize("estimator", INTERVALS, ids=repr)
def test_a_bound_on_a_width_is_that_of_all_rows_if_noise_may_pass_for_absent_ones(estimator, monkeypatch):
    monkeypatch.setattr(Scale, "error_bound", lambda *_: 0.0)
    ask = 600, 1, ZCDP(1.0, 1e-3)
    assert estimator.error_bound(*ask, SURE / 4) == inf
    assert estimator.error_bound(*ask, 0.1) < inf


@pytest.mark.parametrize(
    "estimator", [CoinPressMean(radius=9.0, sigma=1.0), CoinPressCovariance(upper=9.0, lower=1.0)]
)
def test_steps_that_follow_each_other_do_not_count_where_they_are_proved(estimator):
    x = np.random.default_rng(1).normal(size=(20_000, 2))
    x[:8000] = np.nan
    sizes = []
    for mode in ("practical", "proved"):
        one = replace(estimator, mode=mode)
        value = one(x, budget=ZCDP(0.5), rng=np.random.default_rng(2)).value
        sizes.append(float(np.trace(value)) if np.ndim(value) == 2 else np.nan)
        assert (one.error_bound(20_000, 2, ZCDP(0.5), 0.1) < inf) == (mode == "proved")
    if np.isfinite(sizes).all():
        assert sizes[0] > 1.5 > sizes[1]


@pytest.mark.parametrize("budget", [PureDP(0.3), ZCDP(0.005)])
def test_complete_rows_at_the_edge_of_the_range_have_the_error_of_a_mean_without_a_count(budget):
    # the median of 2,000 errors is within 9 % of that of their law but once in 10^4; with the noise of the
    # share it is 19 % more under pure differential privacy
    rng, n = np.random.default_rng(2), 1000
    rows = 50.0 + rng.standard_normal((RUNS, n))
    found = np.median([abs(EDGE.estimate(x, budget, SimulatedNoise(rng)) - 50.0) for x in rows])
    assert EDGE.predicted_error(n, 1, budget) == pytest.approx(found, rel=0.11)


def test_complete_rows_keep_their_bits():
    """Those of the same noise without a count: of 100 runs more than 3 are divided once in 4 million."""
    x, recipe, budget = np.random.default_rng(3).normal(3.0, 1.0, 1000), WindowMean(9.0), PureDP(1.0)
    clip, charge, other = recipe.design(1000, budget).clip, recipe.plan(1000, budget)["mean"], 0
    for seed in range(100):
        counting, plain = (SimulatedNoise(np.random.default_rng(seed)) for _ in range(2))
        noisy = float(additive(clipped_mean(x, 2.9, clip), charge, plain))
        other += recipe.averaged(x, 2.9, budget, counting) != 2.9 + uncentred(noisy, clip)
    assert other <= 3
