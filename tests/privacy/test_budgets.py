"""Budgets and their conversions: closed forms in high precision, dp-accounting, and exact divergences."""

from functools import partial
from itertools import product
from math import log, sqrt

import mpmath
import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant

from workbench.errors import LEAST_LOSS, ArgumentError
from workbench.privacy import ZCDP, ApproxDP, Charge, GaussianDP, PureDP, UnitNoise, budgets, mechanisms
from workbench.privacy.budgets import LEAST_DELTA, approx_from_zcdp, gaussian_delta, zcdp_from_pure

GRID = [(rho, delta) for rho in (1e-4, 0.01, 0.1, 0.5, 2.0, 20.0) for delta in (1e-2, 1e-5, 1e-9, 1e-12)]


def exact_gaussian_delta(mu, epsilon):
    with mpmath.workdps(60):
        mu, epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
        first = mpmath.ncdf(mu / 2 - epsilon / mu)
        return first - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("mu", [1e-3, 0.1, 1.0, 5.0, 30.0])
def test_gaussian_delta_is_never_below_the_exact_one_and_close_to_it(mu):
    for times in (0.0, 0.5, 2.0, 6.0):
        epsilon = mu * mu / 2 + times * mu
        exact = exact_gaussian_delta(mu, epsilon)
        assert exact <= gaussian_delta(mu, epsilon) <= exact * mpmath.mpf("1.000001") + mpmath.mpf("1e-13")


@pytest.mark.parametrize(("rho", "delta"), GRID)
def test_zcdp_in_epsilon_is_the_minimum_over_orders(rho, delta):
    orders = 1 + np.geomspace(1e-3, 1e5, 4000)
    with np.errstate(all="ignore"):
        reference, _ = rdp_privacy_accountant.compute_epsilon(orders, rho * orders, delta)
    ours = approx_from_zcdp(ZCDP(rho), delta).epsilon
    assert ours <= reference * (1 + 1e-9) + LEAST_LOSS
    assert ours == pytest.approx(reference, rel=1e-4, abs=LEAST_LOSS)


LEVELS = [
    *product((0.01, 0.5, 8.0), (1e-3, 1e-6, 1e-12)),
    *product((1e-3, 1.0, 1e5), (1e-149, 1e-250, LEAST_DELTA)),
]


@pytest.mark.parametrize(("epsilon", "delta"), LEVELS)
def test_calibrations_invert_their_conversions(epsilon, delta):
    budget = ApproxDP(epsilon, delta)
    within = approx_from_zcdp(budgets.zcdp_within_approx(budget), delta)
    assert epsilon * (1 - 1e-8) <= within.epsilon <= epsilon * (1 + 1e-12)
    mu = budgets.gdp_within_approx(budget).mu
    assert gaussian_delta(mu, epsilon) <= delta < gaussian_delta(mu * (1 + 1e-5), epsilon)
    assert approx_from_zcdp(budgets.zcdp_within_approx(ApproxDP(1e-70, 1e-300)), 1e-300).epsilon > 0.9e-70


def exact_composition_delta(epsilon, times, total):
    """Of randomised response: each answer is true with a probability of e^ε/(1 + e^ε), k of them are not."""
    with mpmath.workdps(60):
        lie = 1 / (1 + mpmath.exp(epsilon))
        losses = [(times - 2 * k) * mpmath.mpf(epsilon) for k in range(times + 1)]
        return mpmath.fsum(
            mpmath.binomial(times, k) * (1 - lie) ** (times - k) * lie**k * (1 - mpmath.exp(total - loss))
            for k, loss in enumerate(losses)
            if loss > total
        )


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("times", [2, 10, 50, 200])
@pytest.mark.parametrize("slack", [1e-3, 1e-6, 1e-10])
def test_optimal_composition_is_the_least_multiple_within_the_slack(epsilon, times, slack):
    total = budgets.optimal_composition(ApproxDP(epsilon, 0.0), times, slack).epsilon
    assert exact_composition_delta(epsilon, times, mpmath.mpf(total)) <= slack * (1 + 1e-9)
    if total > 2 * epsilon:
        assert exact_composition_delta(epsilon, times, mpmath.mpf(total - 2 * epsilon)) > slack * (1 - 1e-9)
    leaks = budgets.optimal_composition(ApproxDP(epsilon, 1e-7), times, slack)
    assert (leaks.epsilon, 1 - leaks.delta) == (total, pytest.approx((1 - 1e-7) ** times * (1 - slack)))


@pytest.mark.parametrize("size", [1, 2, 5])
def test_groups(size):
    delta = 1e-6 * np.expm1(size * 0.5) / np.expm1(0.5)
    for whole, group in (
        (PureDP(0.5), [size * 0.5]),
        (ZCDP(0.5), [size**2 * 0.5, 0]),
        (GaussianDP(0.5), [size * 0.5]),
        (ApproxDP(0.5, 1e-6), [size * 0.5, delta]),
    ):
        assert [*vars(whole.for_group(size)).values()] == pytest.approx(group)
        again = whole.per_row(size).for_group(size)
        assert [*vars(again).values()] == pytest.approx([*vars(whole).values()], rel=1e-12, abs=0)


# Laplace noise and bounded ranges

ORDERS = 1 + np.geomspace(1e-4, 300, 120)
RHOS = [10.0**power for power in (-200, -31, -29, -12, -6, -2, -0.5, 0, 0.3, 2, 6, 12, 29, 31)]
ROUNDING = 1e-9  # of the divergences


def of_laplace(epsilon):
    return epsilon + mpmath.exp(-epsilon) - 1


def of_range(epsilon):
    k = epsilon / (1 - mpmath.exp(-epsilon))
    return k - 1 - mpmath.log(k)


def slopes(losses, logs):
    return np.logaddexp.reduce(ORDERS[:, None] * losses + logs, axis=1) / (ORDERS - 1) / ORDERS


def laplace_slopes(*moves):
    """Of Rényi's divergences of Laplace distributions (Mironov 2017, Proposition 6)."""
    shares = np.log(np.array([ORDERS, ORDERS - 1]) / (2 * ORDERS - 1))
    logs = [np.logaddexp(shares[0] + (ORDERS - 1) * x, shares[1] - ORDERS * x) for x in moves]
    return sum(logs) / (ORDERS - 1) / ORDERS


def range_slopes(epsilon):
    losses = np.array([epsilon, 0.0]) - np.log(epsilon / -np.expm1(-epsilon))
    top = (1 - np.exp(losses[1])) / np.diff(np.exp(losses[::-1]))[0]
    return slopes(losses, np.log([top, 1 - top]))


def discrete_slopes(epsilon):
    z = np.arange(-4000, 4001)
    base = -epsilon * np.abs(z - 1)
    return slopes(-base - epsilon * np.abs(z), base - np.logaddexp.reduce(base))


FORMULAS = (budgets.zcdp_from_laplace, of_laplace), (budgets.zcdp_from_bounded_range, of_range)
INVERSES = (budgets.laplace_epsilon, of_laplace), (budgets.bounded_range_epsilon, of_range)
SLOPES = (
    (budgets.zcdp_from_laplace, laplace_slopes),
    (budgets.zcdp_from_bounded_range, range_slopes),
    (lambda epsilon: zcdp_from_pure(PureDP(epsilon)), discrete_slopes),  # which is randomised response
)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5, 6.0, 15.0])
@pytest.mark.parametrize(("formula", "of_orders"), SLOPES)
def test_a_formula_is_reached_and_no_order_exceeds_it(formula, of_orders, epsilon):
    rho, worst = formula(epsilon).rho, of_orders(epsilon)
    assert np.max(worst) <= rho * (1 + ROUNDING)
    assert worst[0] == pytest.approx(rho, rel=1e-3)
    shared = laplace_slopes(0.6 * epsilon, 0.3 * epsilon, 0.1 * epsilon)  # moves of three numbers
    assert np.all(shared <= laplace_slopes(epsilon) * (1 + ROUNDING))
    assert budgets.zcdp_from_pure_stated(PureDP(epsilon)).rho == pytest.approx(epsilon**2 / 2)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize(("inverse", "exact"), INVERSES)
def test_an_inverse_is_exact_to_1e_12_and_rounded_to_the_safe_side(rho, inverse, exact):
    with mpmath.workdps(500):
        spent = exact(mpmath.mpf(inverse(rho)))
        assert rho * (1 - mpmath.mpf("3e-12")) <= spent <= rho


@pytest.mark.parametrize("power", np.linspace(-8, 8, 33))
def test_formulas_are_exact_to_the_last_bits(power):
    with mpmath.workdps(60):
        for ours, exact in FORMULAS:
            epsilon = float(10**power)
            assert abs(ours(epsilon).rho / exact(mpmath.mpf(epsilon)) - 1) <= 1e-15


@pytest.mark.parametrize(("rho", "delta"), GRID[4:])
def test_epsilon_of_gaussian_noise_exactly_by_theorem_and_by_the_stated_lemma(rho, delta):
    """The theorem is that of Canonne, Kamath and Steinke; M21's lemma overstates ε by 10 to 40 %."""
    budget, stated = ZCDP(rho), rho + 2 * sqrt(rho * log(1 / delta))
    exact = budgets.approx_from_gdp(budgets.gdp_from_gaussian_zcdp(budget), delta).epsilon
    assert exact_gaussian_delta(sqrt(2 * rho), exact) == pytest.approx(delta, rel=1e-5, abs=1e-13)
    assert exact <= approx_from_zcdp(budget, delta).epsilon <= stated
    assert budgets.approx_from_zcdp_stated(budget, delta).epsilon == pytest.approx(stated, abs=LEAST_LOSS)
    more = approx_from_zcdp(ZCDP(rho, delta), 3 * delta)  # its own δ is paid first
    assert more.epsilon == pytest.approx(approx_from_zcdp(budget, 2 * delta).epsilon)


COUNT = Charge("count", "discrete_laplace", 1.0, ZCDP(0.1))  # not at the price of Laplace noise
LAPLACE = Charge("count", "laplace", 1.0, ZCDP(0.1, 1e-6))
REFUSED = (
    *((partial(one, wrong), "expected a finite number above 0")
      for wrong in (0.0, float("nan"), float("inf")) for one, _ in (*FORMULAS, *INVERSES)),
    (partial(budgets.gdp_within_approx, ApproxDP(1.0, 9e-291)), "delta"),
    (partial(budgets.zcdp_within_approx, ApproxDP(1e-100, 1e-300)), "epsilon"),
    (partial(approx_from_zcdp, ZCDP(0.1, 1e-6), 1e-6), "delta"),
    (partial(mechanisms.discrete_laplace, np.zeros(2), COUNT, UnitNoise()), "PureDP"),
    (partial(mechanisms.laplace_scale, LAPLACE), "PureDP"),
)  # fmt: skip


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_has_no_conversion_is_refused_by_name(call, words):
    with pytest.raises(ArgumentError, match=words):
        call()
