import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import ArgumentError
from workbench.study.trade_off import FREE, HALF, TradeOff, least

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


@pytest.mark.parametrize(("key", "d", "why"), [("mean/tukey", 3, "step = "), ("mean/affine", 100, "d = 100")])
def test_what_takes_no_budget_at_so_many_columns_says_why(key, d, why):
    with pytest.raises(ArgumentError, match=why):
        TradeOff(key, d).error(1000, 1.0, DELTA)


def test_noise_is_more_than_half_of_the_error_below_the_balance(trade):
    sizes = [round(n) for n in np.geomspace(10, 100_000, 21)]
    epsilons = np.geomspace(0.05, 10, 13).tolist()
    balance = trade.balance(trade.errors(sizes, epsilons, DELTA), sizes, DELTA)
    inside = [pair for pair in zip(epsilons, balance, strict=True) if 10 < pair[1] < 100_000]
    assert len(inside) > 5
    for epsilon, n in inside:
        below, above = (
            trade.error(m, epsilon, DELTA) / trade.error(m, FREE, DELTA)
            for m in (round(n / 1.5), round(n * 1.5))
        )
        assert below > HALF >= above
