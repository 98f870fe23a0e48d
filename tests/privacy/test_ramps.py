"""Test and mask priced together: the whole run's hockey sticks, by quadrature, are at most δ.

The sticks of real pairs are computed here from the densities of their masks, not from Rényi's bound.
"""

from itertools import pairwise, product
from math import ceil, exp, expm1, log, sqrt
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.stats import norm

from workbench.errors import ArgumentError
from workbench.privacy import ApproxDP, SimulatedNoise, stable
from workbench.privacy import ramps as module
from workbench.privacy import stable as located
from workbench.privacy import stable as voted
from workbench.privacy.ramps import ABSOLUTE, LEAST_DELTA, Pure, ramp, within
from workbench.privacy.secure import inexact_steps
from workbench.privacy.stable import Located, LocatedCharge, located_normal, located_scale
from workbench.privacy.stable import _of_location as stick_of
from workbench.privacy.stable import chances as located_chances

BUDGETS = [ApproxDP(1.0, 1e-6), ApproxDP(0.2, 1e-6), ApproxDP(1.0, 1e-10), ApproxDP(4.0, 1e-3)]
GRID = np.linspace(-60, 60, 400_001)


def by_bisection_alone(stick, epsilon, left, p, hint):
    """The largest chance that follows p, every question of the bisection asked."""

    def allowed(q):
        return module._allowed(stick, epsilon, left, p, q)

    if allowed(1.0):
        return 1.0, hint
    low, high = p, min(1.0, exp(min(epsilon, module.LARGEST)) * p + left)
    high = 1.0 if allowed(high) else high
    while high > (1 + module.NEAR) * low:
        middle = (low + high) / 2
        low, high = (middle, high) if allowed(middle) else (low, middle)
    found = module._rounded(low)
    return found if found > p and allowed(found) else p, hint


def all_lines(heights, falls, places):
    return np.broadcast_to(np.arange(len(heights)), (len(places), len(heights)))


def some_ramps():
    """The tables and ramps of three kinds of masks at budgets from loud to faint, many that are too loud."""
    for epsilon, delta in ((0.1, 1e-3), (1.0, 1e-6), (6.0, 1e-12)):
        budget = ApproxDP(epsilon, delta)
        for ratio, spread in product((0.8, 3.0, 12.0), (1e-9, 1e-3, 0.1)):
            stick = stick_of(ratio * sqrt(log(1 / delta)) / epsilon, spread * epsilon, spread > 1e-3, budget)
            yield stick, ramp(stick, budget, 30)
        for ratio in (0.3, 0.8, 0.97):
            yield ratio, ramp(Pure(ratio * epsilon), budget, 30)
            falls = 1.0 / np.arange(1, 20)
            for kind in voted.VOTED:
                yield kind, voted._chances(budget, kind, ratio * epsilon, tuple(falls.tolist()))


def test_ramps_and_tables_have_the_bits_of_those_that_look_at_all(monkeypatch):
    found = list(some_ramps())
    monkeypatch.setattr(module, "_next", by_bisection_alone)
    monkeypatch.setattr(module, "_near_lowest", all_lines)
    assert found == list(some_ramps())


def some_ends():
    """What is searched by ramps, for masks of every kind, some of which no noise is enough for."""
    for budget, most in ((ApproxDP(0.3, 1e-6), 90), (ApproxDP(1.0, 1e-6), 27), (ApproxDP(4.0, 1e-10), 12)):
        for line, spread in ((True, 1e-3), (False, 0.02)):
            try:
                yield located._ratio.__wrapped__(budget, spread, most, line, 0.02)
            except ArgumentError as refused:
                yield str(refused)
        yield stable.pure_room.__wrapped__(budget, most, 0.02)
        yield stable.normal_room.__wrapped__(budget, most, 0.02)
        yield stable._degrees.__wrapped__(budget, 0.01, most, 0.02, False)
        yield stable.room.__wrapped__(budget, 1e-3, 20.0, most, 0.02)
        falls = tuple((1.0 / np.arange(1, most)).tolist())
        for kind in voted.VOTED:
            yield voted.largest_ratio.__wrapped__(budget, kind, falls, 0.02, 0.1 * budget.epsilon)


def test_searches_that_guess_end_where_those_that_ask_everything_do(monkeypatch):
    found = list(some_ends())
    assert found == list(some_ends()), "what was found before decides nothing"

    def asking(search, excess, start, like, rises):
        return search(lambda number: excess(number) >= 0)

    stable.normal_room.cache_clear()
    for one in (module, located, stable, voted):
        monkeypatch.setattr(one, "replayed", asking)
    assert found == list(some_ends())
    stable.normal_room.cache_clear()


def charge(budget, most=40, spread=1 / 300, d=1):
    most = max(4, int(most / budget.epsilon * log(1 / budget.delta) / 14))
    return LocatedCharge("location", "located_normal", 1.0, budget, spread / most * 40, most, d, 0.02)


def sticks_of_runs(one, chances):
    """Every hockey stick of neighbours h, h' on the line: shifted by Δ, scatters a factor of 1 + g apart.

    S₀ = 1; the scatters are 1 and 1 + g, both ways, and the locations Δ apart, or not at all.
    """
    sigma, (epsilon, _) = located_scale(one), (one.cost.epsilon, one.cost.delta)
    masks = [(mean, sqrt(scatter)) for scatter in (1.0, 1 + one.spread) for mean in (0.0, one.sensitivity)]
    laws = [norm.pdf(GRID, mean / sigma, width) for mean, width in masks]  # in units of σ
    step = GRID[1] - GRID[0]
    for h, p in enumerate(chances):
        for k in {max(h - 1, 0), h, min(h + 1, len(chances) - 1)}:
            silent = max(0.0, (1 - p) - exp(epsilon) * (1 - chances[k]))
            for first in laws if h and k else laws[:1]:
                for second in laws if h and k else laws[:1]:
                    shown = np.maximum(p * first - exp(epsilon) * chances[k] * second, 0).sum() * step
                    yield (h, k), silent + shown


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_no_pair_of_runs_has_a_larger_hockey_stick_than_delta(budget):
    one = charge(budget)
    worst = max(stick for _, stick in sticks_of_runs(one, located_chances(one)))
    assert 0.9 * budget.delta <= worst <= budget.delta * (1 + 1e-6)  # h = 1 beside h = 0 attains it


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_a_steeper_ramp_is_found(budget):
    one = charge(budget)
    chances = located_chances(one)
    steeper = [0.0, chances[1], *(min(1.0, p * exp(3 * budget.epsilon)) for p in chances[1:-1])]
    assert max(stick for _, stick in sticks_of_runs(one, steeper)) > 1.05 * budget.delta


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_a_ramp_rises_to_what_is_wanted_and_keeps_its_conditions(budget):
    one = charge(budget)
    chances = located_chances(one)
    stick = stick_of(located_scale(one) / one.sensitivity, one.spread, True, budget)
    assert chances[0] == 0
    assert 0 < chances[1] <= budget.delta
    assert all(p <= q for p, q in pairwise(chances))
    assert chances[-1] >= 1 - one.silent
    assert within(stick, budget, chances)
    assert all(p * module.BITS == int(p * module.BITS) for p in chances)


@pytest.mark.parametrize("place", [1, 5, 20])
def test_a_chance_that_is_larger_breaks_a_condition(place):
    one = charge(BUDGETS[0])
    chances = list(located_chances(one))
    stick = stick_of(located_scale(one) / one.sensitivity, one.spread, True, one.cost)
    chances[place] *= 1.01
    assert not within(stick, one.cost, chances)


def test_a_tabulated_stick_is_above_the_exact_one():
    """Of normal laws a known distance apart, at every e of a fine grid (their stick has a closed form)."""
    ratio = 9.0
    stick = stick_of(ratio, 1e-12, True, ApproxDP(1.0, 1e-6))
    for e in np.linspace(-4.0, 4.0, 801):
        mu = 1 / ratio
        exact = norm.cdf(mu / 2 - e / mu) - exp(e) * norm.cdf(-mu / 2 - e / mu)
        assert exact <= stick(e) * (1 + 1e-9) + 1e-300


def test_the_joint_price_is_below_basic_composition():
    """(ε_t, δ/2) for a truncated Laplace test and (ε - ε_t, δ/2) for a normal mask, at the best split."""
    budget, most = ApproxDP(1.0, 1e-6), 30
    joint = located_scale(LocatedCharge("location", "located_normal", 1.0, budget, 1e-9, most, 2, 0.02))
    split = []
    for share in np.linspace(0.3, 0.95, 66):
        needed = (log(1 + expm1(share) / budget.delta) + log(1 / (2 * 0.02))) / share
        if needed <= most:
            split.append(normal_scale(1 - share, budget.delta / 2))
    assert joint < 0.66 * min(split)


def normal_scale(epsilon, delta):
    low, high = 1e-3, 10.0  # of μ
    for _ in range(100):
        mu = (low + high) / 2
        over = norm.cdf(mu / 2 - epsilon / mu) - exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu) > delta
        low, high = (low, mu) if over else (mu, high)
    return 1 / low


def test_a_run_answers_as_often_as_its_ramp_says():
    one, noise = charge(BUDGETS[0], d=2), SimulatedNoise(np.random.default_rng(1))
    count = next(h for h, p in enumerate(located_chances(one)) if p > 0.3)
    found = Located(count, np.zeros(2), np.zeros(2), np.eye(2))
    answers = sum(located_normal(found, one, noise) is not None for _ in range(4000))
    p = located_chances(one)[count]
    assert abs(answers - 4000 * p) < 5 * sqrt(4000 * p * (1 - p))  # once in two million


def test_noise_reaches_past_the_rounding_of_a_far_centre():
    """Spacings there are 2: a location that is rounded before noise is added is always 0 from the centre."""
    one, noise = charge(BUDGETS[0], d=1), SimulatedNoise(np.random.default_rng(1))
    found = Located(one.most, np.array([1e16]), np.array([0.95]), np.array([[1e-2]]))
    shown = [located.located_normal(found, one, noise) for _ in range(60)]
    assert {float(out[0] - 1e16) for out in shown if out is not None} == {0.0, 2.0}


def test_a_ramp_starts_at_zero():
    chances = module.ramp(lambda e: 0.0, BUDGETS[0], 5)
    assert chances[0] == 0
    assert 0 < chances[1] <= BUDGETS[0].delta


def test_no_answer_where_the_count_is_zero_whatever_is_drawn():
    one, found = charge(BUDGETS[0], d=2), Located(0, np.zeros(2), np.zeros(2), np.eye(2))
    least = Mock(uniform=lambda low, high: 0.0, gaussian=lambda value, *_: value)
    assert located_normal(found, one, least) is None


def test_what_is_drawn_does_not_depend_on_the_count():
    one, after = charge(BUDGETS[0], d=3), set()
    for count in (0, 1, one.most):
        rng = np.random.default_rng(5)
        located_normal(Located(count, np.zeros(3), np.zeros(3), np.eye(3)), one, SimulatedNoise(rng))
        after.add(float(rng.random()))
    assert len(after) == 1


def test_its_noise_has_no_exact_law():
    assert inexact_steps(None, charge(BUDGETS[0])) == ["location"]


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_a_tabulated_stick_falls(budget):
    one = charge(budget)
    stick = stick_of(located_scale(one), one.spread, True, budget)
    heights = [stick(e) for e in np.linspace(-9, 9, 7001) * budget.epsilon]
    assert all(p >= q * (1 - 1e-9) for p, q in pairwise(heights))


@pytest.mark.parametrize("delta", [1e-14, 1e-20])
def test_a_delta_that_floats_cannot_check_is_refused(delta):
    with pytest.raises(ArgumentError, match=r"delta = .*: expected at least 1e-13"):
        ramp(lambda e: 0.0, ApproxDP(1.0, delta), 5)


def test_a_budget_whose_exponential_is_no_float_has_a_ramp():
    assert ramp(lambda e: 0.0, ApproxDP(1e4, 1e-6), 3)[-1] == 1.0


def test_too_large_a_spread_is_refused():
    with pytest.raises(ArgumentError, match="spread"):
        located_scale(LocatedCharge("location", "located_normal", 1.0, ApproxDP(1.0, 1e-6), 0.6, 40, 2, 0.02))


def test_no_rounding_of_a_large_epsilon_lets_a_chance_follow():
    """Its floats are as far apart as a small δ: no pure stick between two of them is taken for the lower."""
    rng, worst = np.random.default_rng(1), 0.0
    for _ in range(20_000):
        epsilon, p = rng.uniform(64.0, 512.0), rng.uniform(0.2, 0.6)
        rise, unit = log((q := p * rng.uniform(1.2, 1.6)) / p), np.spacing(epsilon)
        beyond = ceil(LEAST_DELTA / unit)
        delta = beyond * unit * (1 + 1e-6) + ABSOLUTE
        stick = Pure(epsilon - rise + beyond * unit)
        if module._allowed(stick, epsilon, delta - ABSOLUTE, p, q):
            shown = -q * expm1((epsilon - stick.epsilon) - rise)  # the first difference is exact
            worst = max(worst, shown / delta)
    assert 0.5 < worst <= 1
