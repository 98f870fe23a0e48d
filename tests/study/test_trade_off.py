from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.study import trade_off as trade_map
from workbench.study.trade_off import TradeMap, TradeOff, least

DELTA = 1e-6


@pytest.fixture
def trade():
    return TradeOff("covariance/thresholded", 50)


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 50), st.integers(60, 6000))
def test_the_least_enough_is_found_from_any_guess(answer, guess, start, most):
    def enough(n):
        assert start <= n <= most
        return n >= answer

    assert least(enough, start, most, guess) == (max(answer, start) if answer <= most else None)


def test_every_solution_is_the_least_that_is_enough(trade):
    n = trade.rows(0.1, 1.0, DELTA)
    assert trade.error(n, 1.0, DELTA) <= 0.1 < trade.error(n - 1, 1.0, DELTA)
    epsilon = trade.epsilon(0.1, n, DELTA)
    assert trade.error(n, epsilon, DELTA) <= 0.1 < trade.error(n, epsilon - 0.01, DELTA)
    delta = trade.delta(0.1, n, 1.0)
    assert trade.error(n, 1.0, delta) <= 0.1 < trade.error(n, 1.0, delta / 1.02)
    assert trade.rows(0.1, 1.0, DELTA, guess=n / 50) == trade.rows(0.1, 1.0, DELTA, guess=50 * n) == n
    assert trade.epsilon(1e-6, 10, DELTA) is None


def test_a_map_becomes_finer_and_is_kept(trade):
    chart = TradeMap(trade, (10, 100_000), (0.05, 10))
    assert np.isnan(chart.known(DELTA).errors).all()
    levels = list(chart.refine(DELTA))
    shapes = [level.errors.shape for level in levels]
    assert shapes[0] == (6, 4)
    assert shapes[-1] == (21, 13)
    assert all(before <= after for before, after in pairwise(shapes))
    assert np.isfinite(levels[-1].errors[-1]).all()
    assert list(chart.refine(DELTA)) == []
    assert chart.known(DELTA).errors is levels[-1].errors


def test_a_slow_map_stays_coarse(trade, monkeypatch):
    monkeypatch.setattr(trade_map, "QUICK", 0.0)
    chart = TradeMap(trade, (10, 100_000), (0.05, 10))
    assert [level.errors.shape for level in chart.refine(DELTA)][-1] == (6, 4)
    assert list(chart.refine(DELTA)) == []


def test_what_is_read_off_a_map_is_near_the_solution(trade):
    chart = TradeMap(trade, (10, 100_000), (0.05, 10))
    *_, level = chart.refine(DELTA)
    assert level.n(0.1, 0.7) == pytest.approx(trade.rows(0.1, 0.7, DELTA), rel=0.05)
    assert level.epsilon(0.1, 2000) == pytest.approx(trade.epsilon(0.1, 2000, DELTA), rel=0.05)
    assert np.isnan(level.n(1e-9, 0.7))


def test_noise_is_more_than_half_of_the_error_below_the_balance(trade):
    chart = TradeMap(trade, (10, 100_000), (0.05, 10))
    *_, level = chart.refine(DELTA)
    balance = trade.balance(level.errors, level.sizes, DELTA)
    inside = [pair for pair in zip(level.epsilons, balance, strict=True) if 10 < pair[1] < 100_000]
    assert len(inside) > 5
    for epsilon, n in inside:
        assert trade.noisy(round(n / 1.5), epsilon, DELTA)
        assert not trade.noisy(round(n * 1.5), epsilon, DELTA)
