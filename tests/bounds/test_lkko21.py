"""LKKO21's numbers, and the constants that are derived here."""

from math import log, pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr, ndtri
from scipy.stats import norm

from workbench.bounds import lkko21, resilience


def test_numbers_of_the_literature():
    assert lkko21.range_side(10**5, 10, 0.05) == pytest.approx(8 * sqrt(log(2e7)))
    assert lkko21.prime_accesses(5, 3) == (11, 75)
    first, second = lkko21.access_budget(100, 0.9, 0.01)
    assert first == pytest.approx(0.9 / (2 * sqrt(200 * log(200))))
    assert second == 5e-5
    assert 100 * first > 0.9 > sqrt(100) * first


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
