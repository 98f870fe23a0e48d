"""Measured points are judged against predictions at the stated level, and a wrong prediction is seen."""

import numpy as np
import pytest

from workbench.charts.agreement import LEVEL, agreement
from workbench.charts.chart import Chart, Panel, Series
from workbench.study.measures import median

TRIALS, POINTS = 200, 12


def chart(*series):
    return Chart("figure", "Title", (Panel("", "x", "y", series),), alt="Words.")


def measured(rng, scale=1.0, margin=0.0):
    found = [median(np.abs(rng.standard_normal(TRIALS)), 0.05) for _ in range(POINTS)]
    low, high = zip(*(one.interval for one in found), strict=True)
    expected = [0.6744897501960817 * scale] * POINTS
    y = [one.estimate for one in found]
    return Series("a", range(1, POINTS + 1), y, low, high, expected=expected, margin=margin)


@pytest.mark.daily
def test_a_right_prediction_is_called_wrong_no_more_often_than_the_level_says():
    rng, runs = np.random.default_rng(5), 2000
    wrong = sum(not agreement(chart(measured(rng))) for _ in range(runs))
    assert wrong <= 12  # P(Bin(2000, 1e-3) > 12) = 1e-6


def test_a_prediction_that_is_off_by_a_half_is_seen():
    rng = np.random.default_rng(6)
    assert all(not agreement(chart(measured(rng, scale))) for scale in (0.6, 1.6) for _ in range(50))


def test_the_model_may_be_off_by_its_declared_tolerance():
    exact = Series("a", (1.0, 2.0), (10.0, 11.4), expected=(10.0, 10.0), margin=0.15)
    assert agreement(chart(exact))
    far = Series("a", (1.0, 2.0), (10.0, 11.6), expected=(10.0, 10.0), margin=0.15)
    assert str(agreement(chart(exact, far))) == (
        "measured agrees with predicted at 3 of 4 points; outside: a at 2: 11.6, predicted 10"
    )


@pytest.mark.parametrize("expected", [None, (float("nan"), float("nan"))])
def test_where_nothing_is_predicted_nothing_is_judged(expected):
    assert agreement(chart(Series("a", (1.0, 2.0), (1.0, float("inf")), expected=expected))).points == 0


def test_no_answer_disagrees_with_a_finite_prediction_and_open_intervals_agree():
    lost = Series("a", (1.0,), (float("inf"),), (5.0,), (float("inf"),), expected=(1.0,))
    assert not agreement(chart(lost))
    open_below = Series("a", (1.0,), (1.0,), (0.0,), (2.0,), expected=(1e-9,))
    assert agreement(chart(open_below))


def test_the_level_is_shared_by_the_points():
    assert LEVEL == 1e-3
    band = {"low": (0.9,), "high": (1.1,)}
    alone = Series("a", (1.0,), (1.0,), **band, expected=(1.16,))
    assert agreement(chart(alone))
    assert not agreement(chart(Series("a", (1.0,), (1.0,), **band, expected=(1.19,))))
    assert agreement(chart(*[Series("a", (1.0,), (1.0,), **band, expected=(1.19,))] * 20))
