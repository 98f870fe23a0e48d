"""LKKO21's sample sizes: how they move with every argument, and the constants that are derived here."""

from math import log, pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr, ndtri
from scipy.stats import norm

from tests.bounds.slopes import slope
from workbench.bounds import lkko21, resilience

D, ALPHA = st.integers(1, 300), st.floats(1e-3, 0.16)
EPSILON, DELTA = st.floats(1e-2, 10), st.floats(1e-12, 0.1)


@pytest.mark.parametrize(
    ("shape", "power", "sampling"),
    [
        (lkko21.filter_shape, 2.0, 2.0),
        (lkko21.prime_shape, 1.5, 2.0),
        (lkko21.prime_heavy_shape, 1.5, 1.0),
    ],
)
def test_the_price_of_privacy_in_polynomial_time(shape, power, sampling):
    assert slope(lambda d: shape(d, 0.1, 1.0, 1e-6).noise, 4, 256) == pytest.approx(power)
    assert slope(lambda d: shape(d, 0.1, 1.0, 1e-6).sampling, 4, 256) == pytest.approx(1)
    assert slope(lambda a: shape(4, a, 1.0, 1e-6).sampling, 0.01, 0.1) == pytest.approx(-sampling)
    assert slope(lambda e: shape(4, 0.1, e, 1e-6).noise, 0.1, 2.0) == pytest.approx(-1)
    assert shape(4, 0.1, 1.0, 1e-8).noise == pytest.approx(4 / 3 * shape(4, 0.1, 1.0, 1e-6).noise)


@given(D, ALPHA, EPSILON, DELTA)
def test_table_1_orders_its_columns(d, alpha, epsilon, delta):
    rows = lkko21.table_1(d, alpha, epsilon, delta)
    both = rows["both"]
    assert both.lower.total <= both.exponential.total
    assert both.exponential.noise <= 2 * max(1, 1 / log(1 / delta)) * both.polynomial.noise
    assert both.polynomial == lkko21.prime_shape(d, alpha, epsilon, delta)
    assert both.exponential == lkko21.resilient_shape(d, alpha, epsilon, delta)
    assert rows["robust"].lower == lkko21.filter_nonprivate_shape(d, alpha)
    assert all(
        row.lower.sampling == both.lower.sampling == pytest.approx(d / alpha**2) for row in rows.values()
    )
    assert both.lower == rows["private"].lower, "robustness adds nothing to the lower bound"


@given(D, ALPHA, EPSILON, DELTA)
def test_table_2_is_table_1_with_the_larger_error(d, alpha, epsilon, delta):
    first, second = lkko21.table_1(d, alpha, epsilon, delta), lkko21.table_2(d, alpha, epsilon, delta)
    for name in ("private", "robust", "both"):
        for column in ("polynomial", "exponential", "lower"):
            one, other = getattr(first[name], column), getattr(second[name], column)
            assert other.noise == pytest.approx(one.noise)
            assert other.sampling == pytest.approx(alpha * one.sampling)
    assert second["both"].exponential == lkko21.resilient_heavy_shape(d, alpha, epsilon, delta)
    assert lkko21.bounded_covariance_error(alpha) >= lkko21.sub_gaussian_error(alpha)


def test_numbers_of_the_literature():
    assert lkko21.sub_gaussian_error(0.05) == pytest.approx(0.05 * sqrt(log(20)))
    assert lkko21.range_side(10**5, 10, 0.05) == pytest.approx(8 * sqrt(log(2e7)))
    assert lkko21.prime_accesses(5, 3) == (11, 75)
    first, second = lkko21.access_budget(100, 0.9, 0.01)
    assert first == pytest.approx(0.9 / (2 * sqrt(200 * log(200))))
    assert second == 5e-5
    assert 100 * first > 0.9 > sqrt(100) * first
    tukey = lkko21.tukey_shape(2, 0.1, 1.0, 10.0, 0.05)
    assert tukey.sampling == pytest.approx((2 + log(20)) / 0.01)
    assert tukey.noise == pytest.approx(20 * log(20 / 0.005))


@given(st.floats(0.01, 0.16))
def test_biases_are_those_of_the_contaminated_law(alpha):
    median = resilience.median_bias(alpha)
    assert (1 - alpha) * ndtr(median) == pytest.approx(0.5)
    assert median >= alpha * sqrt(pi / 2)
    low, high = ndtri(3 * alpha / (1 - alpha)), ndtri(1 - 2 * alpha / (1 - alpha))
    mean = quad(lambda z: z * norm.pdf(z), low, high)[0] * (1 - alpha) / (1 - 6 * alpha)
    assert resilience.trimmed_bias(alpha) == pytest.approx(mean, abs=1e-9)
    assert resilience.trimmed_bias(alpha) > median, "trimming a fixed share is not the median"


def test_the_margin_is_where_the_tails_are_as_wide_as_is_allowed():
    rate = resilience.margin_rate(0.05, 2 * 1.6448536269514722)
    assert rate == pytest.approx(0.072, abs=0.001)
    for alpha in (0.01, 0.05, 0.1, 0.15):
        width = 2 * float(-ndtri(alpha))
        rate = resilience.margin_rate(alpha, width)
        below, above = (3 * alpha - rate) / (1 - alpha), (2 * alpha - rate) / (1 - alpha)
        assert -ndtri(above) - ndtri(below) == pytest.approx(width)
        assert resilience.margin_rate(alpha, 1.1 * width) > rate
    assert resilience.margin_rate(0.05, 0.5) == 0.0
    assert resilience.margin_rate(0.05, 100.0) == 0.1
    assert resilience.rows_to_pass(0.1, 0.5, 1e-6) == pytest.approx(20 * log(5e5))


def test_sensitivities_of_the_appendix():
    assert resilience.goodness_sensitivity(100, 0.05, 3.0) == 3 / 90
    assert resilience.score_sensitivity(100, 0.05, 0.2) == pytest.approx(1.2 / (0.05 * 70))
    assert resilience.score_sensitivity(100, 0.05, 0.4) == pytest.approx(
        2 * resilience.score_sensitivity(100, 0.05, 0.2)
    )


def test_ranges_need_fewer_rows_than_means():
    assert slope(lambda e: lkko21.range_shape(10, e, 1e-6, 0.05), 0.1, 1.0) == pytest.approx(-1)
    plain = lkko21.range_shape(10, 1.0, 1e-6, 0.05)
    parts = lkko21.range_heavy_shape(10, 0.1, 1.0, 1e-6, 0.05) / (plain + 10)
    assert parts == pytest.approx(1199)
    assert lkko21.range_heavy_shape(10, 0.01, 1.0, 1e-6, 0.05) > parts * plain
