"""What a caller can see besides the value: exceptions, warnings, zero-width intervals."""

import numpy as np
import pytest

from workbench.estimators.parts.locate.window_median import WindowMedian
from workbench.estimators.univariate.clipped_mean import ClippedMean
from workbench.estimators.univariate.interval import Interval
from workbench.estimators.univariate.interval_unknown_variance import IntervalUnknownVariance
from workbench.estimators.univariate.median import Median
from workbench.estimators.univariate.scale import Scale
from workbench.estimators.univariate.two_step_mean import TwoStepMean
from workbench.estimators.univariate.unbounded_mean import UnboundedMean
from workbench.privacy import ZCDP, ApproxDP, Charge, CountingNoise, PureDP, SimulatedNoise

N = 60
RANGED = [
    ClippedMean(radius=5.0),
    Median(radius=5.0),
    TwoStepMean(radius=5.0),
    Scale(lower=0.01, upper=100.0),
]
FREE = [
    UnboundedMean(),
    Scale(),
    Interval(pivots=100, level=0.3),
    IntervalUnknownVariance(pivots=100, level=0.3),
]
CASES = [(e, b) for e in RANGED for b in (PureDP(1.0), ZCDP(0.5))] + [
    (e, b) for e in FREE for b in (ApproxDP(2.0, 1e-3), ZCDP(0.5, 1e-3))
]


def hostile_columns():
    rng = np.random.default_rng(0)
    return {
        "normal": rng.normal(size=N),
        "zeros": np.zeros(N),
        "ones": np.ones(N),
        "denormal": rng.integers(0, 9, N) * 5e-324,
        "tiny": rng.normal(size=N) * 1e-200,
        "huge": rng.normal(size=N) * 1e99,
        "mixed": rng.choice([0.0, 1e100, -1e100, 1e308, 5e-324, 1e-160, np.nan, np.inf, -np.inf, 1e15], N),
        "one huge": np.where(np.arange(N) == 7, 1e100, rng.normal(size=N)),
        "one denormal": np.where(np.arange(N) == 7, 5e-324, rng.normal(size=N)),
        "spaced by one ulp": 1e15 + np.arange(N) * 0.125,
    }


@pytest.mark.parametrize(("estimator", "budget"), CASES, ids=lambda a: type(a).__name__)
@pytest.mark.parametrize("column", hostile_columns())
@pytest.mark.parametrize("mode", ["warn", "raise"])
def test_no_row_raises_or_warns(estimator, budget, column, mode):
    # a caller may have set numpy to raise: whether it does must still not depend on a row
    x = hostile_columns()[column]
    with np.errstate(all=mode):
        release = estimator(x, budget=budget, rng=np.random.default_rng(1))
    if isinstance(release.value, float):
        assert np.isfinite(release.value)


@pytest.mark.parametrize("n", [8, 12, 20])
def test_an_interval_that_is_not_the_whole_line_has_a_width(n):
    # with most pivots at bottom (|T| = 0) the critical value is 0: a point, which covers never
    assert Interval(level=0.1, pivots=2000).half_width(n, ApproxDP(1.0, 1e-3)) > 0


def test_coverage_given_an_answer():
    interval, budget, rng = Interval(level=0.1, pivots=2000), ApproxDP(1.0, 1e-3), np.random.default_rng(5)
    n, covered = 16, []
    for _ in range(3000):
        value = interval(rng.normal(size=n), budget=budget, rng=rng).value
        low, high = (value.lower, value.upper) if hasattr(value, "lower") else (value.low, value.high)
        if np.isfinite(low):
            covered.append(low <= 0.0 <= high)
    assert np.mean(covered) >= 0.9 - 3 * np.sqrt(0.09 / len(covered))


def test_steps_price_themselves():
    # the clip and the noise of a run follow from one n: no plan for another n can be passed in
    estimator, budget = TwoStepMean(radius=5.0, calibration="paper"), PureDP(1.0)
    counting = CountingNoise(SimulatedNoise(np.random.default_rng(0)))
    estimator.estimate(np.zeros(100), budget, counting)
    assert counting.draws[-1].scale == estimator.plan(100, 1, budget)["mean"].sensitivity / 0.5


@pytest.mark.parametrize(("mechanism", "sensitivity"), [("laplace", 1.0), ("window_median", 1e-6)])
def test_a_foreign_charge_does_not_change_the_noise(mechanism, sensitivity):
    locator = WindowMedian(left=1.0, right=1.0, low=-10.0, high=10.0)
    charge = Charge("locate", mechanism, sensitivity, PureDP(1.0))
    counting = CountingNoise(SimulatedNoise(np.random.default_rng(0)))
    locator.draw(np.zeros(4), charge, counting)
    assert (counting.draws[0].sensitivity, counting.draws[0].scale) == (1.0, 2.0)
