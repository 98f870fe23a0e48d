"""A vote and the noise of its average priced together: whole runs' hockey sticks on the line are at most δ.

The sticks are computed here from the laws of releases, cell by cell, not from a bound: of every two counts
with the averages as far apart as they may be, and of hostile neighbours under the designs that ship.
"""

from dataclasses import replace
from itertools import pairwise
from math import exp, inf, log, sqrt, tanh
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import laplace, norm

from workbench.contracts.ramps import NONE, ratio_beside
from workbench.estimators.populous import PopulousMean, mean_designer
from workbench.estimators.votes import NORM_ROUNDING, Points, PricedDesign
from workbench.privacy import ZCDP, ApproxDP, CountingNoise, SimulatedNoise, compose, voted
from workbench.privacy.ramps import BITS
from workbench.privacy.secure import inexact_steps
from workbench.privacy.voted import (
    LAPLACE,
    NORMAL,
    Shifted,
    Voted,
    VotedCharge,
    counts,
    voted_chances,
)

BUDGETS = [ApproxDP(1.0, 1e-6), ApproxDP(0.4, 1e-6), ApproxDP(1.0, 1e-10), ApproxDP(4.0, 1e-3)]
ROWS = {BUDGETS[0]: 436, BUDGETS[1]: 800, BUDGETS[2]: 500, BUDGETS[3]: 80}
ENDS = np.linspace(-30.0, 45.0, 7501)
BETA = 0.1 / 3


def designer(d, joint, kind="gaussian"):
    return replace(mean_designer(d), kind=kind, joint=joint)


def made(budget, kind=NORMAL):
    """The design that ships for rows on the line, or one with Laplace noise."""
    return designer(1, True, "laplace" if kind == LAPLACE else "gaussian").best(ROWS[budget], budget, BETA)


def law(kind, shift):
    """The probability of each cell, for a release in units of the scale of its noise."""
    return np.diff((laplace if kind == LAPLACE else norm).cdf(ENDS, shift))


def drawn(one):
    """The scale of the noise that a run draws, of its kind alone."""
    noise = Mock(uniform=lambda low, high: 0.5)
    voted.voted(Voted(one.most, np.zeros(1)), one, noise)
    right, other = (noise.laplace, noise.gaussian)[:: 1 if one.mechanism == LAPLACE else -1]
    assert not other.called
    return right.call_args.args[2]


def stick(budget, p, q, first, second):
    """At most the hockey stick of runs that answer with probabilities p and q and then draw from two laws."""
    silent = max(0.0, (1 - p) - exp(budget.epsilon) * (1 - q))
    return silent + np.maximum(p * first - exp(budget.epsilon) * q * second, 0).sum()


def worst_of_counts(one, chances, factor=1.0):
    """The largest stick over δ of two counts, the averages as far apart as declared, times a factor."""
    worst, same, ratio = 0.0, law(one.mechanism, 0.0), factor * one.sensitivity / drawn(one)
    for h, p in enumerate(chances):
        for q in {p, chances[min(h + 1, one.most)]}:
            apart = ratio * one.falls[max(h, 1) - 1]
            other = law(one.mechanism, apart) if h else same
            worst = max(worst, stick(one.cost, p, q, same, other), stick(one.cost, q, p, same, other))
    return worst / one.cost.delta


@pytest.mark.parametrize("kind", [NORMAL, LAPLACE])
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_no_two_counts_have_a_larger_hockey_stick_than_delta(budget, kind):
    one = made(budget, kind).plan
    assert one.falls[-1] < 0.8  # averages move less where more agree
    assert 0.9 <= worst_of_counts(one, voted_chances(one)) <= 1 + 1e-6  # h = 1 beside h = 0 attains it


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_a_steeper_ramp_or_a_larger_move_is_found(budget):
    one = made(budget).plan
    chances = voted_chances(one)
    steeper = [0.0, *(min(1.0, chances[1] * exp(1.2 * budget.epsilon * h)) for h in range(one.most))]
    assert worst_of_counts(one, steeper) > 1.05
    assert worst_of_counts(one, chances, 1.05) > 1.05


# Neighbours on the line: every law that a run of one row a group has is known.


def crowd(found, rng):
    """Points at one place, some at the rim of its friends, some far, about as many as a vote stands."""
    k, limit, places = found.vote.k, found.limit, np.zeros(found.vote.k)
    stood = k * (1 - sqrt(found.vote.quorum) / k)
    rim, far = rng.integers(0, k // 4), min(k // 2, int(stood * rng.choice([1.0, rng.uniform(0, 1.1)])))
    places[:rim] = rng.choice([-1.0, 1.0]) * limit * rng.uniform(0.5, 1.2, rim)
    places[k - far :] = limit * (5 + 3 * np.arange(far))
    return rng.permutation(places)


def released(points, found):
    """The count, and the average in units of the noise."""
    group = Points(points[:, None], found.limit)
    friends = group.friends(found.limit)
    h = found.vote.count(friends, found.most)
    return h, group.average(found.vote.weights(friends))[0] / drawn(found.plan) if h else 0.0


def worst_of_neighbours(found, count=60):
    """The largest stick over δ of hostile neighbours, the counts that differed, the largest gap."""
    rng, chances = np.random.default_rng(1), voted_chances(found.plan)
    worst, tipped, moved = 0.0, set(), 0.0
    for _ in range(count):
        points = crowd(found, rng)
        other = points.copy()
        leaves = rng.choice([np.argmin(np.abs(points)), rng.integers(len(points))])
        other[leaves] = rng.choice([-1e3, -1.0, 0.0, 1.0, 1e3]) * found.limit
        (h, at), (k, there) = released(points, found), released(other, found)
        assert abs(h - k) <= 1
        tipped |= {(h, k)} if h != k else set()
        apart = abs(there - at) if h and k else 0.0
        moved = max(moved, apart / (found.ratio * found.falls[max(min(h, k), 1) - 1]))
        first, second = law(NORMAL, 0.0), law(NORMAL, apart)
        for p, q in ((chances[h], chances[k]), (chances[k], chances[h])):
            worst = max(worst, stick(found.budget, p, q, first, second) / found.budget.delta)
    return worst, tipped, moved


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_no_hostile_neighbours_have_a_larger_hockey_stick_than_delta(budget):
    worst, tipped, moved = worst_of_neighbours(made(budget))
    assert worst <= 1 + 1e-6
    assert len(tipped) >= 3
    assert 0.05 < moved <= 1


def test_the_count_moves_by_one_and_is_cut_at_both_ends():
    vote, rng, seen = made(BUDGETS[3]).vote, np.random.default_rng(2), set()
    for total in range(vote.quorum - 3 * vote.moved, vote.quorum + 9 * vote.moved, 7):
        first = vote.count(np.array([total]), 6)
        for step in (-vote.moved, int(rng.integers(-vote.moved, vote.moved + 1)), vote.moved):
            assert abs(first - vote.count(np.array([total + step]), 6)) <= 1
        seen.add(first)
    assert seen == set(range(7))
    assert vote.count(np.array([vote.quorum]), 6) == 0
    assert vote.count(np.array([vote.quorum + 1]), 6) == 1


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize("kind", [NORMAL, LAPLACE])
def test_a_ramp_rises_to_what_is_wanted_and_every_chance_has_53_bits(budget, kind):
    one = made(budget, kind).plan
    chances = voted_chances(one)
    assert chances[0] == 0
    assert 0 < chances[1] <= budget.delta
    assert all(p <= q and p * BITS == int(p * BITS) for p, q in pairwise(chances))
    assert chances[one.usual] >= 1 - one.silent
    assert chances[-1] > 0.999  # where rows agree more than they need to
    assert ratio_beside(one) == one.ratio


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_averages_may_move_as_far_as_the_quorum_of_their_count_allows(budget):
    found = made(budget)
    vote, k = found.vote, found.vote.k
    for h in (1, found.most // 2, found.most):
        level = replace(vote, quorum=vote.quorum + (h - 1) * 2 * (k - 1))
        moves = 2 * found.limit * level.change / k * NORM_ROUNDING
        assert found.distance * found.falls[h - 1] == pytest.approx(moves, rel=1e-12)


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_the_noise_is_nearly_the_least_that_the_ramp_allows(budget):
    found = made(budget)
    more = replace(found.plan, ratio=found.ratio * 1.012)
    assert ratio_beside(found.plan) == found.ratio
    assert ratio_beside(more) == NONE


@pytest.mark.parametrize(("n", "share"), [(163, 0.2), (436, 0.4), (1090, 0.5), (4360, 0.65)])
@pytest.mark.parametrize("d", [2, 10])
def test_one_price_leaves_less_noise_than_two(n, share, d):
    apart, together = (designer(d, joint).best(n, BUDGETS[0], BETA) for joint in (False, True))
    assert isinstance(together, PricedDesign)
    assert together.noise_sd < share * apart.noise_sd


def test_the_plan_is_one_charge_of_the_whole_budget():
    estimator = PopulousMean(sigma=1.0)
    plan = estimator.plan(500, 3, BUDGETS[0])
    assert isinstance(plan, VotedCharge)
    assert compose(plan) == BUDGETS[0]
    assert plan["vote"].mechanism == "voted_gaussian"
    assert inexact_steps(estimator, plan) == []
    source = PopulousMean(calibration="paper", sigma=1.0).plan(10**7, 3, ApproxDP(20.0, 1e-3))
    assert [one.mechanism for one in source.charges()] == ["truncated_laplace", "gaussian"]


def test_no_answer_where_the_count_is_zero_whatever_is_drawn():
    one = made(BUDGETS[0]).plan
    least = Mock(uniform=lambda low, high: 0.0, gaussian=lambda value, *_: np.asarray(value))
    assert voted.voted(Voted(0, np.zeros(1)), one, least) is None
    assert voted.voted(Voted(1, np.zeros(1)), one, least) is not None


def test_what_is_drawn_does_not_depend_on_the_count():
    one, after, draws = made(BUDGETS[0]).plan, set(), []
    for count in (0, 1, one.most):
        rng = np.random.default_rng(5)
        counting = CountingNoise(SimulatedNoise(rng))
        voted.voted(Voted(count, np.ones(3)), one, counting)
        draws.append(counting.draws)
        after.add(float(rng.random()))
    assert len(after) == 1
    assert draws[0] == draws[1] == draws[2]


def test_a_run_answers_as_often_as_its_ramp_says():
    one, noise = made(BUDGETS[0]).plan, SimulatedNoise(np.random.default_rng(1))
    chances = voted_chances(one)
    count = next(h for h, p in enumerate(chances) if p > 0.3)
    answers = sum(voted.voted(Voted(count, np.zeros(2)), one, noise) is not None for _ in range(2000))
    p = chances[count]
    assert abs(answers - 2000 * p) < 5 * (2000 * p * (1 - p)) ** 0.5  # once in two million


@pytest.mark.parametrize("ratio", [0.05, 0.3, 2.0, 40.0])
def test_the_stick_of_shifted_normal_laws_is_their_integral(ratio):
    ends = np.linspace(-12.0, 12.0 + ratio, 40_001)
    first, second = (np.diff(norm.cdf(ends, at)) for at in (0.0, ratio))
    for e in np.linspace(-3 * ratio, 3 * ratio, 13):
        found = np.maximum(first - exp(e) * second, 0).sum()
        assert found <= Shifted(ratio)(e) + 1e-12
        assert found >= Shifted(ratio)(e) - 1e-6


def test_a_delta_above_a_half_asks_for_few_counts_at_any_epsilon():
    for epsilon in (1.0, 0.01, 1e-4):
        ratio, most = counts(ApproxDP(epsilon, 0.6), NORMAL, 0.5, BETA)
        assert ratio > 0
        assert 1 <= most <= 3


def test_noise_that_is_too_little_is_hardly_ever_shown():
    one = made(BUDGETS[0]).plan
    loud = replace(one, ratio=9.0)
    assert voted_chances(loud)[-1] < 1e-5


# Why the friendly mean has none: it is a step among many, which add up in zCDP.

ORDERS = 1 + np.geomspace(1e-2, 1e4, 200)


def concentrated(p, q, rho, mask):
    """Whether answers with probabilities p and q, with a mask of mask·α, cost at most ρα at every order."""

    def moments(first, second):
        shown = ORDERS * log(first) + (1 - ORDERS) * log(second) + (ORDERS - 1) * mask * ORDERS
        return np.logaddexp(shown, ORDERS * np.log1p(-first) + (1 - ORDERS) * np.log1p(-second))

    return (np.maximum(moments(p, q), moments(q, p)) <= (ORDERS - 1) * rho * ORDERS).all()


def longest_of(rho, mask, delta, silent):
    """The fewest counts of a ramp of zCDP, every chance the largest that may follow."""
    chance, count = delta, 1
    while chance < 1 - silent:
        low, high = chance, 1 - silent
        if not concentrated(chance, high, rho, mask):
            for _ in range(25):
                middle = sqrt(low * high)
                low, high = (middle, high) if concentrated(chance, middle, rho, mask) else (low, middle)
            high = low
        chance, count = high, count + 1
    return count


@pytest.mark.parametrize("rho", [0.5, 0.1])
def test_a_ramp_of_zcdp_is_hardly_shorter_than_a_normal_test_beside_a_mask(rho):
    """Its counts are those of a test with half of ρ, less a sixth; under (ε, δ) more than half are saved."""
    apart = (ndtri(1 - 1e-6) + ndtri(0.98)) / sqrt(rho)
    assert 0.8 * apart <= longest_of(rho, rho / 2, 1e-6, 0.02) <= apart


@pytest.mark.parametrize("rho", [0.5, 0.1, 0.02])
def test_a_ramp_that_is_counted_in_zcdp_has_far_more_noise(rho):
    """At the ε with ε tanh(ε/2) = ρ, beside a normal test and normal noise of half of ρ each."""
    epsilon = sqrt(2 * rho)
    while epsilon * tanh(epsilon / 2) < rho:
        epsilon *= 1.001
    ratio, most = counts(ApproxDP(epsilon, 1e-6), NORMAL, 0.9, 0.02)
    assert most > 3 * (ndtri(1 - 1e-6) + ndtri(0.98)) / sqrt(rho)
    assert 1 / ratio > 2.5 / sqrt(ZCDP(rho).rho)
    assert most < inf
