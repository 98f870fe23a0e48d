"""Confidence intervals: how often they miss, which rows give the whole line, and what absent rows do."""

from math import inf

import numpy as np
import pytest
from scipy.special import ndtr, ndtri, stdtr

from tests.estimators.streams import rng
from workbench import (
    ZCDP,
    ApproxDP,
    BoundedMean,
    Interval,
    IntervalMean,
    IntervalUnknownVariance,
    PureDP,
    Scale,
)
from workbench.errors import ArgumentError
from workbench.estimators import intervals
from workbench.estimators.intervals import pivotal_width
from workbench.estimators.shared.noisy_means import SURE

APPROX, FAR = ApproxDP(1.0, 1e-6), 50.0


@pytest.mark.daily
@pytest.mark.parametrize(
    ("estimator", "n", "budget", "absent"),
    [
        (Interval(sigma=1.0), 1500, ApproxDP(1.0, 1e-6), 0.0),
        (Interval(sigma=1.0), 4000, ApproxDP(0.3, 1e-6), 0.0),
        (Interval(sigma=1.0, level=0.01), 400, ZCDP(0.5, 1e-6), 0.2),
        (IntervalUnknownVariance(), 1500, ApproxDP(1.0, 1e-6), 0.0),
        (IntervalUnknownVariance(level=0.2), 400, ApproxDP(2.0, 1e-6), 0.0),
        (IntervalUnknownVariance(level=0.2), 400, ZCDP(1.0, 1e-3), 0.3),
    ],
)
def test_the_chance_of_a_miss_given_the_noise_is_at_most_the_level(estimator, n, budget, absent):
    """On 300 fresh runs: a chance that is the level is found too large once in 10^6.

    Ends that are drawn in by 15 % are found to miss too often by the same rule.
    """
    rng, known, there = np.random.default_rng(11), isinstance(estimator, Interval), n - round(absent * n)
    z = rng.standard_normal((300, n))
    z[:, there:] = np.nan
    missed, short = [], []
    for x in z:
        value = estimator(x, budget=budget, rng=rng).value
        if value.high < inf:
            spread = 1.0 if known else np.nanstd(x, ddof=1)
            apart = np.sqrt(there) * (np.array([value.low, value.high]) - np.nanmean(x)) / spread
            ends = apart, apart + 0.15 * (apart.mean() - apart)
            for found, pair in zip((missed, short), ends, strict=True):
                low, high = ndtr(pair) if known else stdtr(there - 1, pair)
                found.append(1 + low - high)
    assert len(missed) > 270
    errors = [np.std(found) / np.sqrt(len(found)) for found in (missed, short)]
    assert np.mean(missed) <= estimator.level + 4.75 * errors[0]
    if not absent:  # else the interval allows for more rows that are absent
        assert np.mean(short) > estimator.level + 4.75 * errors[1]


INTERVALS = [Interval(level=0.2, sigma=1.0), IntervalUnknownVariance(level=0.2)]


def test_the_share_that_is_absent_is_rounded_up_and_hardly_any_rows_give_the_whole_line(monkeypatch):
    budget, asked = ZCDP(1.0, 1e-3), []
    plan = Interval(sigma=1.0).plan(1000, 1, budget)
    margin = 2 / np.sqrt(3 * 2 * plan["mean"].cost.rho) * ndtri(1 - 0.05 * 0.1) / 1000
    monkeypatch.setattr(intervals, "critical_value", lambda *given: asked.append(given))
    for there in (0.98, 0.93, 0.2):
        pivotal_width(1000, budget, 0.1, there)
        _, _, level, absent, _ = asked.pop()
        assert level == pytest.approx(0.095)
        assert 0 <= absent - (1 - there + margin) < 0.02
    assert pivotal_width(1000, budget, 0.1, there=0.1) == np.inf


@pytest.mark.parametrize("estimator", INTERVALS, ids=repr)
def test_a_bound_on_a_width_is_that_of_all_rows_if_noise_may_pass_for_absent_ones(estimator, monkeypatch):
    monkeypatch.setattr(Scale, "error_bound", lambda *_: 0.0)
    monkeypatch.setattr(intervals, "critical_value", lambda *_: 1.0)
    ask = 600, 1, ZCDP(1.0, 1e-3)
    assert estimator.error_bound(*ask, SURE / 4) == inf
    assert estimator.error_bound(*ask, 0.1) < inf


def test_too_few_rows_for_any_distribution_are_refused_with_what_answers():
    for n in (1, 1199):
        allowed = rf"^n = {n}: expected at least 1200 at .*BoundedMean\(low=, high=\)"
        with pytest.raises(ArgumentError, match=allowed):
            IntervalMean()(np.zeros(n), budget=APPROX, rng=rng(0))


@pytest.mark.parametrize("budget", [PureDP(1.0), ZCDP(0.1), ApproxDP(1.0, 1e-6)], ids=str)
@pytest.mark.parametrize("n", [1, 500])
def test_within_bounds_an_interval_is_that_of_the_bounded_mean_where_the_other_cannot_be(budget, n):
    x, bounds = rng(5).uniform(-1, 3, size=n), {"low": -1.0, "high": 3.0}
    found = IntervalMean(level=0.1, **bounds)(x, budget=budget, rng=rng(6))
    mean = BoundedMean(**bounds)(x, budget=budget, rng=rng(6))
    assert (found.value, found.plan) == (mean.interval(0.9), mean.plan)
    assert not found.other_rows
    enough = ApproxDP(1.0, 1e-6)
    assert IntervalMean(**bounds).plan(2000, 1, enough) == IntervalMean().plan(2000, 1, enough)
    for wrong in ({"low": 1.0}, {"low": 1.0, "high": 0.0}):
        with pytest.raises(ArgumentError, match=r"^high = "):
            IntervalMean(**wrong)


@pytest.mark.parametrize("n", [8, 12, 20])
def test_an_interval_that_is_not_the_whole_line_has_a_width(n):
    # where most runs give no answer a critical value of all of them is 0: a point, which covers never
    assert Interval(level=0.1, sigma=1.0).half_width(n, ApproxDP(1.0, 1e-3)) > 0


NOTHING_KNOWN = [IntervalUnknownVariance(), IntervalUnknownVariance(calibration="paper"), IntervalMean()]


@pytest.mark.turns(3)
@pytest.mark.parametrize("estimator", NOTHING_KNOWN, ids=repr)
def test_a_constant_column_gives_the_whole_line(estimator):
    for seed in range(3):
        value = estimator(np.full(5000, FAR), budget=APPROX, rng=rng(seed)).value
        assert (value.low, value.high) == (-inf, inf)
