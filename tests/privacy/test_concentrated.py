"""The zCDP of Laplace noise and of bounded ranges: never exceeded by exact divergences, and reached."""

from itertools import pairwise
from math import exp, log, sqrt, tanh

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from workbench.errors import ArgumentError
from workbench.estimators.shared.window_median import WindowMedian
from workbench.privacy import ZCDP, ApproxDP, Charge, PureDP, UnitNoise
from workbench.privacy.concentrated import (
    bounded_range_epsilon,
    laplace_epsilon,
    zcdp_from_bounded_range,
    zcdp_from_laplace,
)
from workbench.privacy.conversions import approx_from_zcdp, zcdp_from_pure
from workbench.privacy.mechanisms import (
    discrete_laplace,
    exponential,
    laplace,
    laplace_scale,
    selection_scale,
)

ORDERS = 1 + np.geomspace(1e-4, 300, 120)
EPSILONS = (0.03, 0.3, 1.0, 2.5, 6.0, 15.0)
RHOS = [10.0**power for power in (-200, -31, -29, -12, -6, -3, -2, -1, -0.5, 0, 0.3, 1, 2, 6, 12, 29, 31)]
ROUNDING = 1e-9  # of the divergences


def of_laplace(epsilon):
    """ρ of Laplace noise in high precision, straight from its formula."""
    return epsilon + mpmath.exp(-epsilon) - 1


def of_range(epsilon):
    """ρ of a range in high precision, straight from its formula."""
    k = epsilon / (1 - mpmath.exp(-epsilon))
    return k - 1 - mpmath.log(k)


def slopes(losses, base, orders=ORDERS):
    """D_α/α for losses ln(dP/dP') of chances `base` under P'."""
    powers = orders[:, None] * losses + np.log(base)
    return np.logaddexp.reduce(powers, axis=1) / (orders - 1) / orders


def laplace_slopes(moves):
    """D_α/α of Laplace vectors of scale 1 whose entries are moved so far, each integral by quadrature."""

    def log_moment(order, x):
        def density(z):
            return exp(-order * abs(z) + (order - 1) * abs(z - x) - (order - 1) * x) / 2

        ends = (-60.0, 0.0, x, x + 60.0)
        parts = (quad(density, a, b, epsabs=0, epsrel=1e-12)[0] for a, b in pairwise(ends))
        return log(sum(parts)) + (order - 1) * x

    return np.array([sum(log_moment(a, x) for x in moves) / (a - 1) / a for a in ORDERS])


def two_points(epsilon):
    """The losses and chances of the worst pair of a range."""
    k = epsilon / -np.expm1(-epsilon)
    losses = np.array([epsilon, 0.0]) - np.log(k)
    top = (1 - np.exp(losses[1])) / (np.exp(losses[0]) - np.exp(losses[1]))
    return losses, np.array([top, 1 - top])


def discrete_slopes(epsilon):
    """D_α/α of discrete Laplace noise that is moved by one step."""
    z = np.arange(-4000, 4001)
    loss, log_base = epsilon * (np.abs(z - 1) - np.abs(z)), -epsilon * np.abs(z - 1)
    return slopes(loss, np.exp(log_base - np.logaddexp.reduce(log_base)) + 1e-300)


def holds(worst, rho):
    """Whether no order exceeds ρ."""
    return bool(np.max(worst) <= rho * (1 + ROUNDING))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_laplace_noise_reaches_its_bound_and_no_order_exceeds_it(epsilon):
    rho, worst = zcdp_from_laplace(epsilon).rho, laplace_slopes([epsilon])
    assert holds(worst, rho)
    assert worst[0] == pytest.approx(rho, rel=1e-3)
    assert rho < zcdp_from_pure(PureDP(epsilon)).rho < epsilon**2 / 2
    shared = laplace_slopes([0.6 * epsilon, 0.3 * epsilon, 0.1 * epsilon])
    assert np.all(shared <= worst * (1 + ROUNDING))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_range_reaches_its_bound_and_no_order_exceeds_it(epsilon):
    rho, worst = zcdp_from_bounded_range(epsilon).rho, slopes(*two_points(epsilon))
    assert holds(worst, rho)
    assert worst[0] == pytest.approx(rho, rel=1e-3)
    assert rho < epsilon**2 / 8


@given(
    st.floats(0.01, 30.0),
    st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(-12.0, 0.0)), min_size=2, max_size=6),
)
def test_no_law_of_a_bounded_range_exceeds_its_bound(epsilon, points):
    places, log_chances = np.array(points).T
    base = np.exp(log_chances) / np.exp(log_chances).sum()
    losses = epsilon * places
    losses -= np.logaddexp.reduce(losses + np.log(base))
    for one in (slopes(losses, base), slopes(-losses, base * np.exp(losses))):
        assert np.max(one) <= zcdp_from_bounded_range(epsilon).rho * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize("rho", [0.1, 2.0])
def test_a_window_median_under_zcdp_stays_within_rho_and_uses_most_of_it(rho):
    locator = WindowMedian(left=200.0, right=200.0, low=-50.0, high=1.0)
    epsilon, edges = bounded_range_epsilon(rho), np.linspace(-50, 1, 5101)
    middles = (edges[1:] + edges[:-1]) / 2
    laws = []
    for points in (np.array([0.0, 2.0]), np.array([0.0, -100.0])):
        pieces = locator.pieces(points)
        place = np.searchsorted(pieces.edges, middles, side="right") - 1
        log_weight = -epsilon * pieces.penalty[np.clip(place, 0, len(pieces.penalty) - 1)]
        laws.append(log_weight / 2 - np.logaddexp.reduce(log_weight / 2))
    both = (slopes(laws[i] - laws[1 - i], np.exp(laws[1 - i])) for i in (0, 1))
    worst = max(float(np.max(one)) for one in both)
    assert worst <= rho * (1 + ROUNDING)
    assert worst > 0.1 * rho


@pytest.mark.parametrize("epsilon", EPSILONS[1:])
def test_discrete_laplace_noise_is_randomised_response_and_exceeds_the_bound_of_laplace(epsilon):
    worst = discrete_slopes(epsilon)
    assert holds(worst, zcdp_from_pure(PureDP(epsilon)).rho)
    assert worst[0] == pytest.approx(epsilon * tanh(epsilon / 2), rel=1e-3)
    assert not holds(worst, zcdp_from_laplace(epsilon).rho)


@pytest.mark.parametrize(
    ("wrong", "worst"),
    [
        (lambda e: 0.98 * (e + exp(-e) - 1), lambda e: laplace_slopes([e])),
        (lambda e: e * tanh(e / 4), lambda e: laplace_slopes([e])),
        (lambda e: e**2 / 2 - e**3 / 6, lambda e: laplace_slopes([e])),
        (lambda e: 0.98 * float(of_range(e)), lambda e: slopes(*two_points(e))),
        (lambda e: e / 2 * tanh(e / 4) / 1.1, lambda e: slopes(*two_points(e))),
        (lambda e: e**2 / 8 - e**4 / 576, lambda e: slopes(*two_points(e))),
    ],
    ids=["laplace .98", "half of it", "two terms", "range .98", "range as pure", "two terms of the range"],
)
def test_formulas_that_are_too_small_are_found(wrong, worst):
    assert not all(holds(worst(epsilon), wrong(epsilon)) for epsilon in (0.3, 1.0, 2.5))


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize(
    ("inverse", "exact"), [(laplace_epsilon, of_laplace), (bounded_range_epsilon, of_range)]
)
def test_an_inverse_is_exact_to_1e_12_and_rounded_to_the_safe_side(rho, inverse, exact):
    with mpmath.workdps(500):
        spent = exact(mpmath.mpf(inverse(rho)))
        assert rho * (1 - mpmath.mpf("3e-12")) <= spent <= rho


@pytest.mark.parametrize("power", np.linspace(-8, 8, 33))
def test_formulas_are_exact_to_the_last_bits(power):
    epsilon = float(10**power)
    with mpmath.workdps(60):
        for ours, exact in ((zcdp_from_laplace, of_laplace), (zcdp_from_bounded_range, of_range)):
            assert abs(ours(epsilon).rho / exact(mpmath.mpf(epsilon)) - 1) <= 1e-15


def test_known_values():
    assert zcdp_from_laplace(1.0).rho == pytest.approx(exp(-1), rel=1e-15)
    assert zcdp_from_bounded_range(4.0).rho / 2 == pytest.approx(0.835, abs=5e-4)
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        for function in (zcdp_from_laplace, zcdp_from_bounded_range, laplace_epsilon, bounded_range_epsilon):
            with pytest.raises(ArgumentError):
                function(wrong)


# mechanisms


@pytest.mark.parametrize("rho", [0.01, 0.4, 3.0])
def test_laplace_noise_under_zcdp_has_the_scale_of_its_inverse(rho):
    charge = Charge("mean", "laplace", 2.0, ZCDP(rho))
    scale = laplace_scale(charge)
    assert float(of_laplace(mpmath.mpf(2.0 / scale))) == pytest.approx(rho, rel=1e-11)
    assert scale < 2.0 / sqrt(2 * rho)
    assert laplace(np.zeros(3), charge, UnitNoise()) == pytest.approx(scale)
    for delta in (1e-12, 1e-6, 1e-3, 0.1):  # exact hockey stick of Laplace noise: 1 - e^((ε' - ε)/2)
        limit = approx_from_zcdp(ZCDP(rho), delta).epsilon
        assert -np.expm1(min(limit - 2.0 / scale, 0.0) / 2) <= delta


@pytest.mark.parametrize("rho", [0.01, 0.4, 3.0])
def test_a_choice_under_zcdp_has_the_scale_of_its_inverse(rho):
    charge = Charge("choice", "exponential", 0.5, ZCDP(rho))
    scale = selection_scale(charge)
    assert float(of_range(mpmath.mpf(1.0 / scale))) == pytest.approx(rho, rel=1e-11)
    assert scale < 1 / sqrt(8 * rho)
    assert exponential(np.array([0.0, 10.0, 3.0]), charge, UnitNoise()) == 1


def test_integer_noise_is_not_sold_for_the_price_of_laplace_noise():
    with pytest.raises(ArgumentError, match="PureDP"):
        discrete_laplace(np.zeros(2), Charge("count", "discrete_laplace", 1.0, ZCDP(0.1)), UnitNoise())
    for cost in (ZCDP(0.1, 1e-6), ApproxDP(1.0, 1e-6)):
        with pytest.raises(ArgumentError, match="PureDP"):
            laplace_scale(Charge("count", "laplace", 1.0, cost))
