"""Closed forms of conversions against high precision, against dp-accounting, and against exact laws."""

import dp_accounting
import mpmath
import numpy as np
import pytest
from dp_accounting.pld import common, privacy_loss_distribution
from dp_accounting.rdp import rdp_privacy_accountant

from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, ApproxDP, Charge, GaussianDP, PureDP
from workbench.privacy import budgets as convert
from workbench.privacy.budgets import (
    bounded_range_epsilon,
    laplace_epsilon,
    zcdp_from_bounded_range,
    zcdp_from_laplace,
)
from workbench.privacy.mechanisms import classic_gaussian_scale, gaussian_scale

GRID = [(rho, delta) for rho in (1e-4, 0.01, 0.1, 0.5, 2.0, 20.0) for delta in (1e-2, 1e-5, 1e-9, 1e-12)]


def exact_gaussian_delta(mu, epsilon):
    with mpmath.workdps(60):
        mu, epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
        first = mpmath.ncdf(mu / 2 - epsilon / mu)
        return first - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("mu", [1e-3, 0.1, 1.0, 5.0, 30.0])
@pytest.mark.parametrize("times", [0.0, 0.5, 2.0, 6.0])
def test_gaussian_delta_is_never_below_the_exact_one_and_close_to_it(mu, times):
    epsilon = mu * mu / 2 + times * mu
    ours, exact = convert.gaussian_delta(mu, epsilon), exact_gaussian_delta(mu, epsilon)
    assert exact <= ours <= exact * (1 + mpmath.mpf("1e-6")) + mpmath.mpf("1e-13")


@pytest.mark.parametrize(
    ("epsilon", "delta", "analytic", "classic"),
    [(1.0, 1e-6, 4.2247, 5.2988), (0.1, 1e-6, 36.3047, 52.988), (0.5, 1e-5, 7.0318, 9.6896)],
)
def test_the_analytic_gaussian_has_its_known_scale(epsilon, delta, analytic, classic):
    ours = gaussian_scale(Charge("value", "gaussian", 1.0, ApproxDP(epsilon, delta)))
    assert ours == pytest.approx(analytic, abs=5e-5)
    assert classic_gaussian_scale(1.0, epsilon, delta) == pytest.approx(classic, rel=1e-4)
    assert ours == pytest.approx(dp_accounting.get_sigma_gaussian(epsilon, delta), rel=1e-6)


def test_the_classic_scale_is_refused_where_its_proof_ends():
    with pytest.raises(ArgumentError, match="epsilon"):
        classic_gaussian_scale(1.0, 1.01, 1e-6)
    scale = np.sqrt(2 * np.log(1.25e6)) / 20  # what the formula would say at epsilon = 20
    assert exact_gaussian_delta(1 / scale, 20) > 100 * 1e-6


def test_a_gaussian_calibration_is_computed_once_and_remembered_bit_for_bit(monkeypatch):
    budget = ApproxDP(0.7123, 3e-7)
    first = convert.gdp_within_approx(budget)
    assert first == convert.gdp_within_approx.__wrapped__(budget)
    monkeypatch.setattr(convert, "brentq", None)
    assert convert.gdp_within_approx(ApproxDP(0.7123, 3e-7)) is first
    with pytest.raises(ArgumentError, match="delta"):
        convert.gdp_within_approx(ApproxDP(0.7123, 0.0))


@pytest.mark.parametrize(("rho", "delta"), GRID)
def test_zcdp_in_epsilon_is_the_minimum_over_orders(rho, delta):
    orders = 1 + np.geomspace(1e-3, 1e5, 4000)
    with np.errstate(all="ignore"):
        reference, _ = rdp_privacy_accountant.compute_epsilon(orders, rho * orders, delta)
    ours = convert.approx_from_zcdp(ZCDP(rho), delta).epsilon
    assert ours <= reference * (1 + 1e-9) + convert.TINY
    assert ours == pytest.approx(reference, rel=1e-4, abs=convert.TINY)


@pytest.mark.parametrize(("rho", "delta"), GRID)
def test_zcdp_contains_the_exact_gaussian(rho, delta):
    epsilon = convert.approx_from_zcdp(ZCDP(rho), delta).epsilon
    assert exact_gaussian_delta(np.sqrt(2 * rho), epsilon) <= delta
    exact = convert.approx_from_gdp(GaussianDP(float(np.sqrt(2 * rho))), delta)
    assert exact.epsilon <= epsilon
    assert exact_gaussian_delta(np.sqrt(2 * rho), exact.epsilon) <= delta
    reference = dp_accounting.get_epsilon_gaussian(1 / np.sqrt(2 * rho), delta)
    assert exact.epsilon == pytest.approx(reference, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 8.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12])
def test_calibrations_invert_their_conversions(epsilon, delta):
    budget = ApproxDP(epsilon, delta)
    within = convert.approx_from_zcdp(convert.zcdp_within_approx(budget), delta)
    assert epsilon * (1 - 1e-8) <= within.epsilon <= epsilon * (1 + 1e-12)
    gaussian = convert.gdp_within_approx(budget).mu
    assert exact_gaussian_delta(gaussian, epsilon) <= delta
    assert exact_gaussian_delta(gaussian * (1 + 1e-5), epsilon) > delta * (1 - 1e-3)


def renyi(p, q, order):
    return float(np.log(np.sum(p**order * q ** (1 - order))) / (order - 1))


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0])
def test_pure_dp_as_zcdp_is_attained_by_randomised_response(epsilon):
    truth = 1 / (1 + np.exp(-epsilon))
    p, q = np.array([truth, 1 - truth]), np.array([1 - truth, truth])
    slopes = [renyi(p, q, order) / order for order in 1 + np.geomspace(1e-4, 50, 200)]
    rho = convert.zcdp_from_pure(PureDP(epsilon)).rho
    assert max(slopes) <= rho * (1 + 1e-6)
    assert max(slopes) == pytest.approx(rho, rel=2e-3)
    assert rho < convert.zcdp_from_pure_stated(PureDP(epsilon)).rho


def pure(epsilon):
    return ApproxDP(epsilon, 0.0)


def exact_composition_delta(epsilon, times, total):
    """Hockey-stick at `total` of so many randomised responses, in high precision."""
    with mpmath.workdps(60):
        truth = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon))
        terms = (
            mpmath.binomial(times, k)
            * truth ** (times - k)
            * (1 - truth) ** k
            * (1 - mpmath.exp(total - (times - 2 * k) * mpmath.mpf(epsilon)))
            for k in range(times + 1)
            if (times - 2 * k) * epsilon > total
        )
        return mpmath.fsum(terms)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("times", [2, 10, 50, 200])
@pytest.mark.parametrize("slack", [1e-3, 1e-6, 1e-10])
def test_optimal_composition_is_the_least_multiple_within_the_slack(epsilon, times, slack):
    total = convert.optimal_composition(pure(epsilon), times, slack).epsilon
    assert exact_composition_delta(epsilon, times, mpmath.mpf(total)) <= slack * (1 + 1e-9)
    if total > 2 * epsilon:
        assert exact_composition_delta(epsilon, times, mpmath.mpf(total - 2 * epsilon)) > slack * (1 - 1e-9)
    advanced = convert.advanced_composition(pure(epsilon), times, slack).epsilon
    assert exact_composition_delta(epsilon, times, mpmath.mpf(advanced)) <= slack


def test_known_compositions():
    budget = pure(0.1)
    assert convert.advanced_composition(budget, 50, 1e-6).epsilon == pytest.approx(3.967, abs=5e-4)
    assert convert.optimal_composition(budget, 50, 1e-6).epsilon == pytest.approx(3.2)


@pytest.mark.parametrize("times", [5, 40])
def test_composition_with_delta_agrees_with_privacy_loss_distributions(times):
    epsilon, delta, slack = 0.1, 1e-7, 1e-6
    ours = convert.optimal_composition(ApproxDP(epsilon, delta), times, slack)
    one = privacy_loss_distribution.from_privacy_parameters(
        common.DifferentialPrivacyParameters(epsilon, delta), value_discretization_interval=1e-3
    )
    composed = one.self_compose(times)
    assert composed.get_delta_for_epsilon(ours.epsilon) <= ours.delta * (1 + 1e-6)
    advanced = convert.advanced_composition(ApproxDP(epsilon, delta), times, slack)
    assert composed.get_delta_for_epsilon(advanced.epsilon) <= advanced.delta


def test_delta_of_the_budget_is_paid_before_the_conversion():
    assert convert.approx_from_zcdp(ZCDP(0.1, 1e-6), 3e-6).epsilon == pytest.approx(
        convert.approx_from_zcdp(ZCDP(0.1), 2e-6).epsilon
    )
    with pytest.raises(ArgumentError, match="delta"):
        convert.approx_from_zcdp(ZCDP(0.1, 1e-6), 1e-6)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_groups(size):
    assert PureDP(0.5).for_group(size).epsilon == size * 0.5
    assert ZCDP(0.5).for_group(size).rho == size**2 * 0.5
    assert GaussianDP(0.5).for_group(size).mu == size * 0.5
    group = ApproxDP(0.5, 1e-6).for_group(size)
    assert group.delta == pytest.approx(1e-6 * np.expm1(size * 0.5) / np.expm1(0.5))
    # a Gaussian mechanism at the edge of one row's budget stays within that of the group
    mu = convert.gdp_within_approx(ApproxDP(0.5, 1e-6)).mu
    assert exact_gaussian_delta(size * mu, group.epsilon) <= group.delta


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 100.0, 1e5])
@pytest.mark.parametrize("delta", [1e-149, 1e-170, 1e-250, convert.LEAST])
def test_the_gaussian_calibration_of_a_tiny_delta_is_the_largest_one_within_it(epsilon, delta):
    mu = convert.gdp_within_approx(ApproxDP(epsilon, delta)).mu
    assert convert.gaussian_delta(mu, epsilon) <= delta
    assert convert.gaussian_delta(mu * (1 + 1e-5), epsilon) > delta


@pytest.mark.parametrize("delta", [9e-291, 1e-300])
def test_a_delta_too_small_for_a_gaussian_calibration_is_refused_by_name(delta):
    with pytest.raises(ArgumentError, match=r"^delta = .*at least 1e-290"):
        convert.gdp_within_approx(ApproxDP(1.0, delta))


SHORT = {  # what is asked with a number of numpy's, in float32
    "shares": lambda x: ZCDP(0.5).split(x, 1),
    "delta of zcdp": lambda x: convert.approx_from_zcdp(ZCDP(0.5), x),
    "delta of zcdp as stated": lambda x: convert.approx_from_zcdp_stated(ZCDP(0.5), x),
    "delta of gdp": lambda x: convert.approx_from_gdp(GaussianDP(0.5), x),
    "mu": lambda x: convert.gaussian_delta(x, x),
    "slack": lambda x: convert.advanced_composition(ApproxDP(0.1, 1e-6), 3, slack=x),
    "slack of the best": lambda x: convert.optimal_composition(ApproxDP(0.1, 1e-6), 3, slack=x),
    "classic scale": lambda x: classic_gaussian_scale(x, x, x),
    **{one.__name__: one for one in (zcdp_from_laplace, zcdp_from_bounded_range)},
    **{one.__name__: one for one in (laplace_epsilon, bounded_range_epsilon)},
}


@pytest.mark.parametrize("call", SHORT.values(), ids=SHORT)
def test_short_floats_are_widened_before_anything_is_computed(call):
    short = np.float32(0.3)
    assert repr(call(short)) == repr(call(float(short)))  # equal, and no type of numpy's; caches are not met


def test_a_group_may_be_counted_in_short_integers():
    assert ZCDP(0.5).for_group(np.int8(100)) == ZCDP(5000.0)


def test_a_very_small_epsilon_has_its_zcdp_or_is_refused_by_name():
    budget = ApproxDP(1e-70, 1e-300)
    assert convert.approx_from_zcdp(convert.zcdp_within_approx(budget), 1e-300).epsilon == pytest.approx(
        1e-70, rel=1e-9
    )
    with pytest.raises(ArgumentError, match="epsilon = 1e-100: expected more"):
        convert.zcdp_within_approx(ApproxDP(1e-100, 1e-300))
