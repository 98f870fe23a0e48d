"""A stable matrix and its mask priced together: whole runs' hockey sticks, by quadrature, are at most δ.

The sticks of real pairs are computed here from the densities of their masks on the line, not from a bound.
"""

from itertools import pairwise
from math import exp, expm1, log
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.stats import gamma, laplace

from workbench.contracts.draws import expected_draw
from workbench.contracts.ramps import largest_pure, largest_rows
from workbench.errors import ArgumentError
from workbench.privacy import ApproxDP, CountingNoise, SimulatedNoise, stable
from workbench.privacy.ramps import BITS, Pure, within
from workbench.privacy.secure import inexact_steps
from workbench.privacy.stable import LAPLACE, WISHART, ChargedRoot, Stable, StableCharge, stable_scale
from workbench.privacy.stable import chances as stable_chances

BUDGETS = [ApproxDP(1.0, 1e-6), ApproxDP(0.2, 1e-6), ApproxDP(1.0, 1e-10), ApproxDP(4.0, 1e-3)]
COUNT, CHANGE = 2.0, 0.2  # of ln(1/δ)/ε, and of its inverse
GRID = np.linspace(-50.0, 50.0, 100_001)


def charge(budget, kind, d=1, change=CHANGE):
    size = log(1 / budget.delta) / budget.epsilon
    return StableCharge("stability", kind, change / size, budget, max(4, int(COUNT * size)), d, 0.02)


def density(one, log_ratio):
    """Of the logarithm of the release, in units of its scale, where the matrix is e^log_ratio."""
    if one.mechanism == LAPLACE:
        rate = 1 / stable_scale(one)
        return laplace.pdf(GRID, log_ratio * rate)
    rows = 1 / stable_scale(one)
    spread = (2 / rows) ** 0.5
    values = np.exp(GRID * spread - log_ratio)
    return gamma.pdf(values, rows / 2, scale=2 / rows) * values * spread


def worst_stick(one, chances):
    """The largest hockey stick of neighbours h, h' on the line, their matrices Δ apart, or not at all."""
    epsilon, step = one.cost.epsilon, GRID[1] - GRID[0]
    laws = [density(one, 0.0), density(one, one.sensitivity)]
    worst = 0.0
    for h, p in enumerate(chances):
        for k in {max(h - 1, 0), h, min(h + 1, len(chances) - 1)}:
            silent = max(0.0, (1 - p) - exp(epsilon) * (1 - chances[k]))
            pairs = [(a, b) for a in laws for b in laws] if h and k else [(laws[0], laws[0])]
            shown = (np.maximum(p * a - exp(epsilon) * chances[k] * b, 0).sum() * step for a, b in pairs)
            worst = max(worst, silent + max(shown))
    return worst


@pytest.mark.parametrize("kind", [LAPLACE, WISHART])
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_no_pair_of_runs_has_a_larger_hockey_stick_than_delta(budget, kind):
    one = charge(budget, kind)
    assert density(one, one.sensitivity).sum() * (GRID[1] - GRID[0]) == pytest.approx(1, abs=1e-6)
    worst = worst_stick(one, stable_chances(one))
    assert 0.9 * budget.delta <= worst <= budget.delta * (1 + 1e-6)  # h = 1 beside h = 0 attains it


@pytest.mark.parametrize("kind", [LAPLACE, WISHART])
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_a_steeper_ramp_is_found(budget, kind):
    one = charge(budget, kind)
    chances = stable_chances(one)
    steeper = [0.0, chances[1], *(min(1.0, p * exp(3 * budget.epsilon)) for p in chances[1:-1])]
    assert worst_stick(one, steeper) > 1.05 * budget.delta


def test_a_mask_that_is_narrower_is_found():
    """One of all of ε, as if the test were free: the hockey sticks of two counts tell."""
    one = charge(BUDGETS[3], LAPLACE)
    wide = StableCharge("stability", LAPLACE, one.sensitivity, ApproxDP(4.0, 1e-3), 40, 1, 0.02)
    assert stable_scale(wide) < 0.8 * stable_scale(one)
    assert worst_stick(wide, stable_chances(one)) > 1.5 * one.cost.delta


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize(("kind", "d"), [(LAPLACE, 1), (LAPLACE, 3), (WISHART, 1), (WISHART, 5)])
def test_a_ramp_rises_to_what_is_wanted_and_every_chance_has_53_bits(budget, kind, d):
    chances = stable_chances(charge(budget, kind, d))
    assert chances[0] == 0
    assert 0 < chances[1] <= budget.delta
    assert all(p <= q for p, q in pairwise(chances))
    assert chances[-1] >= 1 - 0.02
    assert all(p * BITS == int(p * BITS) for p in chances)


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize(("kind", "d"), [(LAPLACE, 2), (WISHART, 1), (WISHART, 6)])
def test_the_mask_is_the_narrowest_that_a_ramp_allows(budget, kind, d):
    one = charge(budget, kind, d)
    _, _, least = expected_draw(one, d)
    assert least * (1 - 1e-6) <= stable_scale(one) <= least * 1.002


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_a_pure_stick_is_that_of_randomised_response_and_above_laplace_noise(epsilon):
    """Two outputs, e^ε' apart both ways, and noise on the line."""
    stick, a = Pure(epsilon), 1 / (1 + exp(-epsilon))
    first, second = np.array([a, 1 - a]), np.array([1 - a, a])
    grid = np.linspace(-40, 40, 400_001) + epsilon / 2
    laws = laplace.pdf(grid), laplace.pdf(grid, epsilon)
    for e in np.linspace(-1.5 * epsilon, 1.5 * epsilon, 31):
        assert np.maximum(first - exp(e) * second, 0).sum() == pytest.approx(
            stick(e), abs=1e-15 * exp(1.5 * epsilon)
        )
        smooth = np.maximum(laws[0] - exp(e) * laws[1], 0).sum() * (grid[1] - grid[0])
        assert smooth <= stick(e) + 1e-6


def test_a_pure_stick_of_any_size_is_finite():
    assert Pure(1e4)(0.0) == 1.0
    assert Pure(1e4)(-2e4) == 1.0


def test_the_joint_price_beats_basic_composition():
    """A truncated Laplace test of (ε_t, δ) and a mask of ε - ε_t, for the same count."""
    budget, most = ApproxDP(1.0, 1e-6), 27
    one = StableCharge("stability", LAPLACE, 0.05, budget, most, 2, 0.02)

    def needed(share):
        return (log(1 + expm1(share) / (2 * budget.delta)) + log(1 / 0.04)) / share

    basic = max(1 - share for share in np.linspace(0.05, 1, 951) if needed(share) <= most)
    assert largest_pure(one) > 1.15 * basic
    assert 1 / stable_scale(one) > 1.15 * basic / 0.05


def test_a_run_answers_as_often_as_its_ramp_says():
    one, noise = charge(BUDGETS[0], LAPLACE, d=2), SimulatedNoise(np.random.default_rng(1))
    chances = stable_chances(one)
    count = next(h for h, p in enumerate(chances) if p > 0.3)
    answers = sum(stable.stable_mask(Stable(count, np.eye(2)), one, noise) is not None for _ in range(2000))
    p = chances[count]
    assert abs(answers - 2000 * p) < 5 * (2000 * p * (1 - p)) ** 0.5  # once in two million


def test_no_answer_where_the_count_is_zero_whatever_is_drawn():
    one = charge(BUDGETS[0], WISHART, d=2)
    least = Mock(uniform=lambda low, high: 0.0, wishart=lambda value, *_: np.asarray(value))
    assert stable.stable_mask(Stable(0, np.eye(2)), one, least) is None
    assert stable.stable_mask(Stable(1, np.eye(2)), one, least) is not None


@pytest.mark.parametrize("kind", [LAPLACE, WISHART])
def test_what_is_drawn_does_not_depend_on_the_count_or_on_the_matrix(kind):
    one, after, draws = charge(BUDGETS[0], kind, d=3), set(), []
    for count, root in ((0, np.eye(3)), (1, np.diag([1e9, 1.0, 1e-9])), (one.most, 7 * np.eye(3))):
        rng = np.random.default_rng(5)
        counting = CountingNoise(SimulatedNoise(rng))
        stable.stable_mask(Stable(count, root), one, counting)
        draws.append(counting.draws)
        after.add(float(rng.random()))
    assert len(after) == 1
    assert draws[0] == draws[1] == draws[2]


def test_without_an_answer_the_identity_is_masked():
    """Exact noise takes as long as its root asks for: that of the rows is not looked at."""
    one, seen = charge(BUDGETS[0], WISHART, d=2), []

    def wishart(value, *_):
        seen.append(np.asarray(value).tolist())
        return np.eye(2)

    noise = Mock(uniform=lambda low, high: 1.0 - 2**-53, wishart=wishart)
    stable.stable_mask(Stable(3, ChargedRoot(5 * np.eye(2))), one, noise)
    assert seen == [np.eye(2).tolist()]


def test_its_noise_is_exact_where_the_root_is_charged_for():
    one = charge(BUDGETS[0], WISHART, d=2)
    assert inexact_steps(Mock(charged_roots=True), one) == []
    assert inexact_steps(Mock(charged_roots=False), one) == ["stability"]


def test_a_charge_without_a_mask_is_refused():
    with pytest.raises(ArgumentError, match="sensitivity"):
        stable_scale(charge(BUDGETS[0], WISHART, d=5, change=3.0))
    with pytest.raises(ArgumentError, match="at most 4"):
        stable_scale(charge(BUDGETS[0], LAPLACE, d=5))


def test_a_ramp_of_a_mask_keeps_its_conditions():
    one = charge(BUDGETS[0], LAPLACE, d=2)
    chances = list(stable_chances(one))
    epsilon = one.sensitivity / stable_scale(one)
    assert within(Pure(epsilon), one.cost, chances)
    chances[9] *= 1.001
    assert not within(Pure(epsilon), one.cost, chances)


def test_few_orders_are_nearly_as_good_as_many():
    one = charge(BUDGETS[0], WISHART, d=6)
    assert 0.998 * largest_rows(one) <= 1 / stable_scale(one) <= largest_rows(one) * (1 + 1e-6)
