"""The orders of a hockey stick: none below the exact law, and none that a better order would beat by much."""

from math import exp, expm1, log, sqrt

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import gamma

from workbench.privacy import ApproxDP, stable
from workbench.privacy import stable as located
from workbench.privacy.stable import renyi

BUDGETS = [ApproxDP(1.0, 1e-6), ApproxDP(0.2, 1e-6), ApproxDP(4.0, 1e-3), ApproxDP(20.0, 1e-5)]
SPREADS = [1e-9, 1e-5, 1e-4, 3e-3]
DEGREES = 12.0


def steps_of(budget):
    """About the ρ at which normal noise has a hockey stick of δ at ε."""
    return budget.epsilon**2 / (4 * log(1 / budget.delta) + 4 * budget.epsilon)


def normal(rho, e):
    """The exact hockey stick of normal laws."""
    mu = sqrt(2 * rho)
    return ndtr(mu / 2 - e / mu) - np.exp(np.minimum(e, 700.0)) * ndtr(-mu / 2 - e / mu)


def whole(spread, rho, e):
    """The exact one of normal steps beside ν normal rows of one column, whose scales are e^g apart."""
    places = gamma.ppf((np.arange(4000) + 0.5) / 4000, DEGREES / 2)
    loss = places * expm1(spread) - spread * DEGREES / 2  # of a density at 1 to that at e^-g
    return max(float(normal(rho, e - side * loss).mean()) for side in (1.0, -1.0))


def best(spread, rho, e):
    """The least bound of any order, of 40,000 of them."""
    orders = 1 + np.geomspace(1e-4, 0.999999 * min(1e7, 1 / expm1(spread)), 40_000)
    divergences = DEGREES * renyi(spread, orders, 2) + rho * orders
    logs = (orders - 1) * (divergences - e + np.log1p(-1 / orders)) - np.log(orders)
    return exp(min(0.0, float(logs.min())))


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_a_stick_is_above_the_exact_law_and_near_the_best_order(budget, spread):
    """Near the best order from 0 on, where a ramp asks for little; above the exact law at every real e."""
    rho = steps_of(budget)
    stick = stable._with_steps(spread, DEGREES, rho, budget)
    for e in np.linspace(-budget.epsilon, 2 * budget.epsilon, 13):
        assert stick(e) >= whole(spread, rho, e) * (1 - 1e-9)
        assert e < 0 or stick(e) <= best(spread, rho, e) * 1.02


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_a_location_among_many_rows_has_the_stick_of_normal_noise(budget):
    """g is next to nothing: the bound is above the exact law, and near that of the best order."""
    ratio = 1 / sqrt(2 * steps_of(budget))
    stick = located._stick(ratio, 1e-9, True, budget)
    for e in np.linspace(-budget.epsilon, 2 * budget.epsilon, 13):
        assert stick(e) >= normal(0.5 / ratio**2, e) * (1 - 1e-9)
        assert e < 0 or stick(e) <= best(1e-9, 0.5 / ratio**2, e) * 1.02


@pytest.mark.parametrize("budget", [BUDGETS[0], *BUDGETS[2:]], ids=str)
def test_the_room_where_rows_are_many_is_that_of_normal_noise(budget):
    """Found beside it by other orders: what 1e-5 costs was a hundredth to two thirds of it."""
    most = max(3, round(2.4 * log(1 / budget.delta) / budget.epsilon))
    found = stable.room(budget, 1e-5, DEGREES, most, 0.02).rho
    assert found == pytest.approx(stable.normal_room(budget, most, 0.02), rel=3e-3)
