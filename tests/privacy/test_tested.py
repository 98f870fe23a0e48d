"""A tested mask and the steps after it: prices against independent numbers, the draws, and plans."""

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from math import exp, expm1, log, log1p, sqrt

import numpy as np
import pytest
from scipy import stats

from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, ApproxDP, Charge, CountingNoise, SimulatedNoise, compose, stable
from workbench.privacy.secure import inexact_steps
from workbench.privacy.stable import Lift, LiftCharge, room
from workbench.privacy.stable import chances as stable_chances

BUDGETS = [ApproxDP(1.0, 1e-6), ApproxDP(0.2, 1e-6), ApproxDP(3.0, 1e-4)]
SPREAD, SILENT = 0.01, 0.02


def charge(budget, d=3, degrees=40.0, spread=SPREAD):
    most = round(2.4 * log(1 / budget.delta) / budget.epsilon)
    spread = spread * min(1.0, budget.epsilon)
    left = room(budget, spread, degrees, most, SILENT)
    return LiftCharge("lift", "tested_wishart", spread, budget, most, d, SILENT, degrees, left)


@lru_cache
def divergence(order, degrees, spread, rho):
    """Rényi's of Wishart rows of scales e^±g against 1, and of Gaussian steps, by quadrature of gammas."""
    shape, total = degrees / 2, rho * order
    for scale in (exp(spread), exp(-spread)):
        peak = shape / (order / scale + 1 - order)
        grid = np.linspace(1e-9, peak + 12 * peak / sqrt(shape) + 40, 20_001)
        first, second = (stats.gamma.logpdf(grid, shape, scale=one) for one in (scale, 1.0))
        total += log(np.trapezoid(np.exp(order * first + (1 - order) * second), grid)) / (order - 1)
    return total


def stick(one, e):
    """The hockey stick at e by those divergences."""
    orders = 1 + np.geomspace(0.3, min(300.0, 0.7 / expm1(one.sensitivity)), 150)
    bounds = [
        (order - 1) * (divergence(order, one.degrees, one.sensitivity, one.room.rho) - e)
        + (order - 1) * log1p(-1 / order)
        - log(order)
        for order in orders
    ]
    return exp(min(0.0, *bounds))


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_the_whole_is_within_the_budget_by_independent_divergences(budget):
    """A few steps of the ramp, (a) to (c) written anew; a grid of orders costs 3 % at most."""
    one = charge(budget)
    chances, epsilon, delta = stable_chances(one), budget.epsilon, budget.delta
    assert chances[0] == 0.0
    assert chances[1] <= delta
    assert chances[-1] >= 1 - SILENT
    assert stick(one, epsilon) <= 1.03 * delta
    for p, q in list(pairwise(chances[1:]))[:: max(1, len(chances) // 6)]:
        rise = log(q / p)
        assert q * stick(one, epsilon - rise) <= 1.03 * delta
        assert max(0.0, (1 - p) - exp(epsilon) * (1 - q)) + p * stick(one, epsilon + rise) <= 1.03 * delta


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_the_room_is_used_up(budget):
    """1 % more for the steps, and a run whose count is T answers too rarely."""
    one = charge(budget)
    more = replace(one, room=ZCDP(one.room.rho * 1.01))
    assert stable_chances(more)[-1] < 1 - SILENT <= stable_chances(one)[-1]


LIFT = Lift(9, np.array([1e9, -3.0]), np.array([0.25, 0.5]), np.array([[2.0, 0.0], [1.0, 1e-3]]), 1.5)


def drawn(lift, one, seed=0):
    return stable.masked_lift(lift, one, SimulatedNoise(np.random.default_rng(seed)))


def test_the_count_zero_never_answers_and_the_largest_does():
    """A run of the largest count is silent but for .02: 40 of 400 runs are 11 sds beyond that."""
    one = charge(BUDGETS[0])
    none, most = (replace(LIFT, count=count) for count in (0, one.most))
    assert all(drawn(none, one, seed) is None for seed in range(400))
    assert sum(drawn(most, one, seed) is not None for seed in range(400)) > 360


def test_a_run_without_an_answer_draws_as_much():
    one = charge(BUDGETS[0])
    kept = [CountingNoise(SimulatedNoise(np.random.default_rng(1))) for _ in range(2)]
    stable.masked_lift(replace(LIFT, count=0), one, kept[0])
    stable.masked_lift(replace(LIFT, count=one.most), one, kept[1])
    assert kept[0].draws == kept[1].draws


def test_what_is_shown_is_the_masked_matrix_itself():
    """Q = L M Lᵀ with the same draw, and its parts read off by subtraction."""
    one, lift = charge(BUDGETS[0]), replace(LIFT, centre=np.zeros(2), count=charge(BUDGETS[0]).most)
    centre, root = drawn(lift, one, 3)
    noise = SimulatedNoise(np.random.default_rng(3))
    noise.uniform(0.0, 1.0)
    mask = noise.wishart(np.eye(3), one.sensitivity, 1 / one.degrees)
    whole = np.zeros((3, 3))
    whole[0, 0], whole[1:, 0], whole[1:, 1:] = lift.height, lift.shift * lift.height, lift.root
    q = whole @ mask @ whole.T
    assert centre == pytest.approx(q[1:, 0] / q[0, 0], rel=1e-12)
    assert root @ root.T == pytest.approx(q[1:, 1:] - np.outer(q[1:, 0], q[0, 1:]) / q[0, 0], rel=1e-8)


def test_the_location_has_the_noise_of_its_mask():
    """Variance of Rb/(ar): R Rᵀ E[1/a]/(ν r²), E[1/a] = ν/(ν - 2); 5 sds of that of 4000 draws: 11 %."""
    one = charge(BUDGETS[0])
    lift = replace(LIFT, count=one.most, centre=np.zeros(2), root=np.eye(2))
    found = [run for seed in range(4000) if (run := drawn(lift, one, seed)) is not None]
    moved = np.array([centre - lift.shift for centre, _ in found])
    scatter = np.mean([root @ root.T for _, root in found], axis=0)
    expected = 1 / (one.degrees - 2) / lift.height**2
    assert moved.var(axis=0) == pytest.approx([expected] * 2, rel=0.12)
    assert scatter == pytest.approx(np.eye(2) * (one.degrees - 1) / one.degrees, rel=0.05, abs=0.03)


def test_noise_is_drawn_from_the_charge():
    one, noise = charge(BUDGETS[0]), CountingNoise(SimulatedNoise(np.random.default_rng(1)))
    stable.masked_lift(LIFT, one, noise)
    assert [(draw.kind, draw.scale) for draw in noise.draws] == [("wishart", 1 / one.degrees)]


def test_plans_hold_steps_within_the_room_and_no_more():
    one = charge(BUDGETS[0])
    step, rest = Charge("moment", "symmetric_gaussian", 0.1, ZCDP(one.room.rho * 0.9)), one.room.rho * 0.1
    last = Charge("count", "gaussian", 0.1, ZCDP(rest))
    plan = replace(one, rest=(step, last))
    assert compose(plan) == BUDGETS[0]
    assert [charge.step for charge in plan.charges()] == ["lift", "moment", "count"]
    assert plan["count"] == last
    for rest in ((step, step), (replace(step, cost=ZCDP(1e-9, 1e-9)),)):
        assert refused(one, rest)
    assert not refused(one, (step,))


def refused(one, rest):
    try:
        replace(one, rest=rest)
    except ArgumentError:
        return True
    return False


def test_what_no_room_is_left_for_is_refused():
    with pytest.raises(ArgumentError, match="degrees"):
        room(BUDGETS[0], SPREAD, 1e6, 40, SILENT)
    with pytest.raises(ArgumentError, match="degrees"):
        room(BUDGETS[0], 0.6, 8.0, 40, SILENT)
    with pytest.raises(ArgumentError, match="degrees"):
        replace(charge(BUDGETS[0]), degrees=2.0)
    with pytest.raises(ArgumentError, match="charge"):
        stable_chances(replace(charge(BUDGETS[0]), room=ZCDP(1.0)))


def test_there_is_no_exact_noise_for_it():
    step = Charge("moment", "gaussian", 1.0, ZCDP(1e-9))
    assert inexact_steps(object(), replace(charge(BUDGETS[0]), rest=(step,))) == ["lift"]
