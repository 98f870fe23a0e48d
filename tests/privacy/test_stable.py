"""Masks, and tests of stability at one price with their noise: whole runs' hockey sticks are at most δ.

The sticks are computed from the distributions of releases on the line, cell by cell, not from a bound.
"""

from dataclasses import replace
from itertools import pairwise, product
from math import ceil, exp, expm1, inf, log, log1p, sqrt
from unittest.mock import Mock

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, roots_genlaguerre

from tests.estimators.streams import rng
from workbench.contracts.draws import expected_draw
from workbench.contracts.ramps import _moved
from workbench.errors import ArgumentError
from workbench.estimators.populous import mean_designer
from workbench.estimators.votes import NORM_ROUNDING, Points
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    Charge,
    CountingNoise,
    PureDP,
    SimulatedNoise,
    compose,
    ramps,
    stable,
)
from workbench.privacy.ramps import ABSOLUTE, BITS, LEAST_DELTA, Pure, ramp
from workbench.privacy.stable import (
    LAPLACE,
    LOCATED,
    STABLE,
    VOTED,
    VOTED_LAPLACE,
    VOTED_NORMAL,
    WISHART,
    ChargedRoot,
    Lift,
    LiftCharge,
    Located,
    LocatedCharge,
    Shifted,
    Stable,
    StableCharge,
    Voted,
    located_scale,
    renyi,
    room,
    stable_scale,
)

BUDGETS = [ApproxDP(1.0, 1e-6), ApproxDP(0.2, 1e-6), ApproxDP(1.0, 1e-10), ApproxDP(4.0, 1e-3)]
USUAL, LOUD = BUDGETS[0], BUDGETS[3]
SOME = [*(pytest.param(one, marks=pytest.mark.daily) for one in BUDGETS[1:3]), USUAL, LOUD]
ROWS = {BUDGETS[0]: 436, BUDGETS[1]: 1400, BUDGETS[2]: 500, BUDGETS[3]: 80}
KINDS = (*STABLE, LOCATED, *VOTED)
ENDS = np.array([-inf, *np.linspace(-30.0, 45.0, 7501), inf])
SILENT, BETA = 0.02, 0.1 / 3


def vote_design(budget, kind=VOTED_NORMAL):
    noise = "laplace" if kind == VOTED_LAPLACE else "gaussian"
    return replace(mean_designer(1), kind=noise, joint=True).best(ROWS[budget], budget, BETA)


def charge(budget, kind, d=1, change=0.2):
    size = log(1 / budget.delta) / budget.epsilon
    if kind in VOTED:
        return vote_design(budget, kind).plan
    if kind == LOCATED:
        return LocatedCharge("test", kind, 1.0, budget, change / size / 4, max(4, int(3 * size)), d, SILENT)
    return StableCharge("test", kind, change / size, budget, max(4, int(2 * size)), d, SILENT)


def noise_drawn(one):
    noise = Mock(uniform=lambda low, high: 0.5)
    stable.voted(Voted(one.most, np.zeros(1)), one, noise)
    right, other = (noise.laplace, noise.gaussian)[:: 1 if one.mechanism == VOTED_LAPLACE else -1]
    assert not other.called
    return right.call_args.args[2]


def cells(one, h, scale):
    if one.mechanism in VOTED:
        family = stats.laplace if one.mechanism == VOTED_LAPLACE else stats.norm
        places = (0.0, one.sensitivity * one.falls[h - 1] / scale)
        found = [family.cdf(ENDS, at) for at in places]
    elif one.mechanism == LOCATED:  # S₀ = 1; scatters 1 and 1 + g, both ways, and locations Δ apart or not
        wide = product((1.0, sqrt(1 + one.spread)), (0.0, one.sensitivity / scale))
        found = [stats.norm.cdf(ENDS, at, width) for width, at in wide]
    elif one.mechanism == LAPLACE:
        found = [stats.laplace.cdf(ENDS, at / scale) for at in (0.0, one.sensitivity)]
    else:
        logs = [ENDS * sqrt(2 * scale) - at for at in (0.0, one.sensitivity)]
        found = [stats.gamma.cdf(np.exp(at), 0.5 / scale, scale=2 * scale) for at in logs]
    return [np.diff(one) for one in found]


def scale_of(one):
    if one.mechanism in VOTED:
        return noise_drawn(one)
    return located_scale(one) if one.mechanism == LOCATED else stable_scale(one)


def worst_stick(one, given):
    epsilon, worst, scale = one.cost.epsilon, 0.0, scale_of(one)
    for h, p in enumerate(given):
        found = {at: cells(one, at, scale) for at in {max(h, 1), max(h - 1, 1)}}
        for k in {max(h - 1, 0), h, min(h + 1, len(given) - 1)}:
            silent = max(0.0, (1 - p) - exp(epsilon) * (1 - given[k]))
            some = found[max(min(h, k), 1)] if h and k else found[1][:1]
            shown = (np.maximum(p * a - exp(epsilon) * given[k] * b, 0).sum() for a in some for b in some)
            worst = max(worst, silent + max(shown))
    return worst / one.cost.delta


@pytest.mark.turns(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("budget", SOME, ids=str)
def test_no_pair_of_runs_has_a_larger_hockey_stick_than_delta(budget, kind):
    one = charge(budget, kind)
    assert kind not in VOTED or one.falls[-1] < 0.8  # averages move less where more agree
    assert 0.9 <= worst_stick(one, stable.chances(one)) <= 1 + 1e-6  # h = 1 beside h = 0 attains it


@pytest.mark.turns(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_a_ramp_rises_to_what_is_wanted_and_every_chance_has_53_bits(budget, kind):
    one = charge(budget, kind)
    found = stable.chances(one)
    assert found[0] == 0
    assert 0 < found[1] <= budget.delta
    assert all(p <= q and p * BITS == int(p * BITS) for p, q in pairwise(found))
    assert found[getattr(one, "usual", -1)] >= 1 - one.silent


@pytest.mark.turns(4)
@pytest.mark.parametrize(("kind", "d"), [(LAPLACE, 2), (WISHART, 1), (WISHART, 6)])
@pytest.mark.parametrize("budget", [USUAL, LOUD], ids=str)
def test_the_mask_is_the_narrowest_that_a_ramp_allows(budget, kind, d):
    """The hockey stick of a Wishart mask is tabulated from above: .16 % too wide at (4, .001) and d = 6."""
    one = charge(budget, kind, d)
    _, _, least = expected_draw(one, d)
    assert least * (1 - 1e-6) <= scale_of(one) <= least * 1.002


# Draws


def run(one, count, noise, d=2, size=1.0):
    if one.mechanism in VOTED:
        return stable.voted(Voted(count, np.full(d, size)), one, noise)
    if one.mechanism == LOCATED:
        return stable.located_normal(Located(count, np.zeros(d), np.full(d, size), np.eye(d)), one, noise)
    if one.mechanism == stable.LIFTED:
        lift = Lift(count, np.zeros(d), np.full(d, size), np.eye(d), 1.5)
        return stable.masked_lift(lift, one, noise)
    return stable.stable_mask(Stable(count, size * np.eye(d)), one, noise)


class Least(SimulatedNoise):
    def uniform(self, low, high):
        return 0.0


@pytest.mark.parametrize("kind", [*KINDS, stable.LIFTED])
def test_no_answer_where_the_count_is_zero_whatever_is_drawn(kind):
    one = lifted(USUAL) if kind == stable.LIFTED else charge(USUAL, kind, 2)
    assert run(one, 0, Least(rng())) is None
    assert run(one, 1, Least(rng())) is not None


@pytest.mark.parametrize("kind", [*KINDS, stable.LIFTED])
def test_what_is_drawn_depends_neither_on_the_count_nor_on_the_value(kind):
    one, found = lifted(USUAL) if kind == stable.LIFTED else charge(USUAL, kind, 2), []
    for count, size in ((0, 1.0), (1, 1e9), (one.most, 7.0)):
        source = rng(5)
        counting = CountingNoise(SimulatedNoise(source))
        run(one, count, counting, size=size)
        found.append((counting.draws, float(source.random())))
    assert found[0] == found[1] == found[2]


def test_without_an_answer_the_identity_is_masked():
    """Exact noise takes as long as its root asks for: that of the rows is not looked at."""
    one, noise = charge(USUAL, WISHART, 2), Mock(uniform=lambda low, high: 1.0 - 2**-53)
    stable.stable_mask(Stable(3, ChargedRoot(5 * np.eye(2))), one, noise)
    assert np.asarray(noise.wishart.call_args.args[0]).tolist() == np.eye(2).tolist()


def test_noise_reaches_past_the_rounding_of_a_far_centre():
    """Spacings there are 2: a location that is rounded before noise is added is always 0 from the centre."""
    one, noise = charge(USUAL, LOCATED), SimulatedNoise(rng())
    found = Located(one.most, np.array([1e16]), np.array([0.95]), np.array([[1e-2]]))
    shown = [stable.located_normal(found, one, noise) for _ in range(60)]
    assert {float(out[0] - 1e16) for out in shown if out is not None} == {0.0, 2.0}


# Steps after the mask


def lifted(budget, d=3, degrees=40.0):
    most = round(2.4 * log(1 / budget.delta) / budget.epsilon)
    spread = 0.01 * min(1.0, budget.epsilon)
    left = room(budget, spread, degrees, most, SILENT)
    return LiftCharge("lift", stable.LIFTED, spread, budget, most, d, SILENT, degrees, left)


@pytest.mark.turns(4)
@pytest.mark.parametrize("budget", BUDGETS[:2], ids=str)
def test_the_whole_is_within_the_budget_by_independent_divergences(budget):
    """A few steps of the ramp, (a) to (c) written anew."""
    one = lifted(budget)
    found, epsilon, delta = stable.chances(one), budget.epsilon, budget.delta
    stick = _moved(one.sensitivity, True, one.room.rho)(one.degrees)
    assert found[0] == 0.0
    assert found[1] <= delta
    assert stick(epsilon) <= delta
    for p, q in list(pairwise(found[1:]))[:: max(1, len(found) // 6)]:
        rise = log(q / p)
        assert q * stick(epsilon - rise) <= delta
        assert max(0.0, (1 - p) - exp(epsilon) * (1 - q)) + p * stick(epsilon + rise) <= delta
    more = replace(one, room=ZCDP(one.room.rho * 1.01))  # the room is used up
    assert stable.chances(more)[-1] < 1 - SILENT <= found[-1]


def test_a_lift_of_the_largest_count_is_shown():
    """It is silent but for .02: 40 of 400 runs are 11 sds beyond that; at the count 0 all are."""
    one, noise = lifted(USUAL), SimulatedNoise(rng())
    assert sum(run(one, one.most, noise) is not None for _ in range(400)) > 360
    assert all(run(one, 0, noise) is None for _ in range(400))


def test_what_is_shown_of_a_lift_is_the_masked_matrix_itself():
    """Q = L M Lᵀ with the same draw, and its parts read off by subtraction."""
    one, root = lifted(USUAL), np.array([[2.0, 0.0], [1.0, 1e-3]])
    lift, noise = Lift(one.most, np.zeros(2), np.array([0.25, 0.5]), root, 1.5), SimulatedNoise(rng(3))
    counting = CountingNoise(SimulatedNoise(rng(3)))
    centre, found = stable.masked_lift(lift, one, counting)
    assert [(draw.kind, draw.scale) for draw in counting.draws] == [("wishart", 1 / one.degrees)]
    noise.uniform(0.0, 1.0)
    mask = noise.wishart(np.eye(3), one.sensitivity, 1 / one.degrees)
    whole = np.zeros((3, 3))
    whole[0, 0], whole[1:, 0], whole[1:, 1:] = lift.height, lift.shift * lift.height, lift.root
    q = whole @ mask @ whole.T
    assert centre == pytest.approx(q[1:, 0] / q[0, 0], rel=1e-12)
    assert found @ found.T == pytest.approx(q[1:, 1:] - np.outer(q[1:, 0], q[0, 1:]) / q[0, 0], rel=1e-8)


def refused(one, **wrong):
    try:
        replace(one, **wrong)
    except ArgumentError:
        return True
    return False


def test_plans_hold_steps_within_the_room_and_no_more():
    one = lifted(USUAL)
    step, over = (
        Charge("moment", "symmetric_gaussian", 0.1, ZCDP(one.room.rho * share)) for share in (0.9, 1.1)
    )
    assert [part.step for part in replace(one, rest=(step,)).charges()] == ["lift", "moment"]
    assert compose(replace(one, rest=(step,))) == USUAL
    other = replace(step, mechanism="exponential")  # ρ-zCDP, but no normal noise that the ramp is priced with
    for wrong in ({"rest": (over,)}, {"rest": (step, step)}, {"rest": (other,)}, {"degrees": 2.0}):
        assert refused(one, **wrong)
    with pytest.raises(ArgumentError, match="charge"):
        stable.chances(replace(one, room=ZCDP(1.0)))


# Hockey sticks


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_a_pure_stick_is_that_of_randomised_response(epsilon):
    found, a = Pure(epsilon), 1 / (1 + exp(-epsilon))
    first, second = np.array([a, 1 - a]), np.array([1 - a, a])
    for e in np.linspace(-1.5 * epsilon, 1.5 * epsilon, 31):
        shown = np.maximum(first - exp(e) * second, 0).sum()
        assert shown == pytest.approx(found(e), abs=1e-15 * exp(1.5 * epsilon))
    assert Pure(1e4)(0.0) == Pure(1e4)(-2e4) == 1.0


@pytest.mark.parametrize("ratio", [0.05, 0.3, 2.0, 40.0])
def test_the_stick_of_shifted_normal_distributions_is_their_integral(ratio):
    ends = np.linspace(-12.0, 12.0 + ratio, 40_001)
    first, second = (np.diff(stats.norm.cdf(ends, at)) for at in (0.0, ratio))
    for e in np.linspace(-3 * ratio, 3 * ratio, 13):
        found = np.maximum(first - exp(e) * second, 0).sum()
        assert -1e-12 <= Shifted(ratio)(e) - found <= 1e-6


DEGREES = 12.0


def normal(rho, e):
    mu = sqrt(2 * rho)
    return ndtr(mu / 2 - e / mu) - np.exp(np.minimum(e, 700.0)) * ndtr(-mu / 2 - e / mu)


def whole(spread, rho, e):
    places, weights = roots_genlaguerre(100, DEGREES / 2 - 1)
    loss = places * expm1(spread) - spread * DEGREES / 2  # of a density at 1 to that at e^-g
    return max(float(normal(rho, e - side * loss) @ weights / weights.sum()) for side in (1.0, -1.0))


def best(spread, rho, e):
    orders = 1 + np.geomspace(1e-4, 0.999999 * min(1e7, 1 / expm1(spread)), 40_000)
    divergences = DEGREES * renyi(spread, orders, 2) + rho * orders
    logs = (orders - 1) * (divergences - e + np.log1p(-1 / orders)) - np.log(orders)
    return exp(min(0.0, float(logs.min())))


@pytest.mark.turns(6)
@pytest.mark.parametrize("spread", [1e-9, 1e-5, 1e-4, 3e-3])
@pytest.mark.parametrize("budget", [*BUDGETS, ApproxDP(20.0, 1e-5)], ids=str)
def test_a_stick_is_above_the_exact_one_and_near_the_best_order(budget, spread):
    """Near the best order from 0 on, where a ramp asks for little; above the exact one at every real e."""
    rho = budget.epsilon**2 / (4 * log(1 / budget.delta) + 4 * budget.epsilon)
    made, unseen = stable._of_rows(DEGREES, spread, False, budget, rho), 3 * ramps.UNSEEN * budget.delta
    located = stable._of_location(1 / sqrt(2 * rho), 1e-9, True, budget)  # hardly any g: normal noise
    for e in np.linspace(-budget.epsilon, 2 * budget.epsilon, 13):
        assert made(e) >= whole(spread, rho, e) * (1 - 1e-9)
        assert e < 0 or made(e) <= best(spread, rho, e) * 1.02 + unseen
        assert located(e) >= normal(rho, e) * (1 - 1e-9)
        assert e < 0 or located(e) <= best(1e-9, rho, e) * 1.02
    heights = [made(e) for e in np.linspace(-9, 9, 2001) * budget.epsilon]
    assert all(p >= q * (1 - 1e-9) for p, q in pairwise(heights))


PAIRS = [(8.0, 0.05), (12.0, 0.02), (50.0, 0.02), (9000.0, 0.0015)]


@pytest.mark.parametrize(("degrees", "spread"), PAIRS)
@pytest.mark.parametrize("line", [False, True])
def test_the_stick_of_rows_is_that_of_the_worst_pair_and_never_below_it(degrees, spread, line):
    made, exact = stable._of_rows(degrees, spread, line, USUAL), _moved(spread, not line)(degrees)
    tried = stable._orders(spread, line, USUAL)
    for e in np.linspace(-1.0, 1.5, 26):
        right = exact(e)
        assert right * (1 - 1e-7) <= made(e) <= right * 1.02 + 3 * ramps.UNSEEN * USUAL.delta
        assert right <= ramps.from_renyi(tried[0], degrees * tried[1], 1.0)(e)


def test_no_spectrum_of_the_same_sums_has_a_larger_stick():
    """Of a Wishart mask of d rows or more, each way: draws of its loss, six standard errors."""
    source, spread = rng(8), 0.3
    for d, degrees in ((2, 4.0), (3, 8.0), (5, 12.0)):
        made = stable._of_rows(degrees, spread, False, USUAL)
        for _ in range(4):
            signs = source.permutation([1.0, -1.0, *source.choice([-1.0, 1.0], d - 2)])
            parts = source.dirichlet(np.ones(d))
            sums = np.where(signs > 0, parts[signs > 0].sum(), parts[signs < 0].sum())
            losses = wishart_losses(np.exp(signs * parts / sums * spread), d, degrees)
            for e in (0.0, 0.5, 1.0):
                kept = np.maximum(1 - np.exp(e - losses), 0.0)
                assert kept.mean() <= made(e) + 6 * kept.std() / sqrt(len(kept))


def tilted_variance(shape, z):
    at = (np.arange(200_000) + 0.5) / 200_000
    logs = (shape - 1) * np.log(at * (1 - at)) + z * at
    weights = np.exp(logs - logs.max())
    mean = (weights @ at) / weights.sum()
    return weights @ (at - mean) ** 2 / weights.sum()


def test_two_gamma_variables_of_less_than_one_are_priced_otherwise():
    """The proof needs z² Var ≤ κ, which fails below κ = 1: Rényi's divergence is the price there."""
    for z in (0.5, 3.0, 8.0, 30.0):
        assert all(z * z * tilted_variance(shape, z) <= shape for shape in (1.0, 1.5, 6.0, 50.0))
    assert 36 * tilted_variance(0.5, 6.0) > 0.6
    kinds = [type(stable._of_rows(rows, 0.02, False, USUAL)) for rows in (1.9, 2.0, 9e4, 1.1e5)]
    assert kinds == [ramps.Tabulated, ramps.Convex, ramps.Convex, ramps.Tabulated]


@pytest.mark.parametrize("rows", [2.0, 3.0, 60.0, 2e3, 1e5, 1e8])
def test_tails_of_gamma_variables_are_known_as_well_as_rounding_up_covers(rows):
    """Beside sums of a finer precision."""
    with mpmath.workdps(30):
        compare_tails(rows)


def compare_tails(rows):
    shape = mpmath.mpf(rows) / 2
    for z in (-7, -4.6, -4.4, -1, 1, 4.4, 4.6, 8):
        place = float(shape + z * mpmath.sqrt(shape))
        if place > 0:
            scale = mpmath.sqrt(shape)
            log_of = (shape - 1) * mpmath.log(place) - place - mpmath.loggamma(shape)

            def density(t, place=place, log_of=log_of, scale=scale):
                ratio = t * scale / place
                return mpmath.exp(log_of + (shape - 1) * mpmath.log1p(ratio) - t * scale) * scale

            low = max(-12, -place / scale * (1 - mpmath.mpf(10) ** -20))
            ends = [low, *(end for end in (-3, 0) if end > low)] if z < 0 else [0, 3, 12, 40]
            right = mpmath.quad(density, ends)
            found = float((stable._below if z < 0 else stable._above)((rows, 0.0), np.array(2 * place)))
            assert found == pytest.approx(float(right), rel=(ramps.HIGHER - 1) / 100)


# Ramps, and the searches for their noise


def by_bisection_alone(stick, epsilon, left, p, hint):
    def allowed(q):
        return ramps._allowed(stick, epsilon, left, p, q)

    if allowed(1.0):
        return 1.0, hint
    low, high = p, min(1.0, exp(min(epsilon, ramps.LARGEST)) * p + left)
    high = 1.0 if allowed(high) else high
    while high > (1 + ramps.NEAR) * low:
        middle = (low + high) / 2
        low, high = (middle, high) if allowed(middle) else (low, middle)
    found = ramps._rounded(low)
    return found if found > p and allowed(found) else p, hint


def some_ramps():
    for epsilon, delta in ((0.1, 1e-3), (1.0, 1e-6), (6.0, 1e-12)):
        budget = ApproxDP(epsilon, delta)
        for ratio, spread in product((0.8, 3.0, 12.0), (1e-9, 1e-3, 0.1)):
            at = ratio * sqrt(log(1 / delta)) / epsilon
            made = stable._of_location(at, spread * epsilon, spread > 1e-3, budget)
            yield made, ramp(made, budget, 30)
        for ratio in (0.3, 0.8, 0.97):
            yield ratio, ramp(Pure(ratio * epsilon), budget, 30)
            for kind in (Pure, Shifted):
                sticks = [kind(ratio * epsilon / h) for h in range(1, 20)]
                yield kind, ramps.falling_ramp(sticks, budget)


def test_ramps_and_tables_have_the_bits_of_those_that_look_at_all(monkeypatch):
    found = list(some_ramps())
    monkeypatch.setattr(ramps, "_next", by_bisection_alone)
    monkeypatch.setattr(ramps, "_near_lowest", lambda heights, _, places: np.broadcast_to(
        np.arange(len(heights)), (len(places), len(heights))))  # fmt: skip
    assert found == list(some_ramps())


def some_ends():
    for budget, most in ((ApproxDP(0.3, 1e-6), 90), (ApproxDP(1.0, 1e-6), 27), (ApproxDP(4.0, 1e-10), 12)):
        for line, spread in ((True, 1e-3), (False, 0.02)):
            try:
                yield stable._ratio.__wrapped__(budget, spread, most, line, 0.02)
            except ArgumentError as refused:
                yield str(refused)
        yield stable.pure_room.__wrapped__(budget, most, 0.02)
        yield stable.normal_room.__wrapped__(budget, most, 0.02)
        yield stable._degrees.__wrapped__(budget, 0.01, most, 0.02, False)
        yield stable.room.__wrapped__(budget, 1e-3, 20.0, most, 0.02)
        falls = tuple((1.0 / np.arange(1, most)).tolist())
        for kind in VOTED:
            yield stable.largest_ratio.__wrapped__(budget, kind, falls, 0.02, 0.1 * budget.epsilon)


@pytest.mark.turns(4)
def test_searches_that_guess_end_where_those_that_ask_everything_do(monkeypatch):
    found = list(some_ends())
    assert found == list(some_ends()), "what was found before decides nothing"

    def asking(search, excess, start, like, rises):
        return search(lambda number: excess(number) >= 0)

    stable.normal_room.cache_clear()
    for one in (ramps, stable):
        monkeypatch.setattr(one, "replayed", asking)
    assert found == list(some_ends())
    stable.normal_room.cache_clear()


def test_ramps_of_no_noise_at_all():
    found = ramp(lambda e: 0.0, USUAL, 5)
    assert found[0] == 0
    assert 0 < found[1] <= USUAL.delta
    assert ramp(lambda e: 0.0, ApproxDP(1e4, 1e-6), 3)[-1] == 1.0  # of an ε with no exponential
    for delta in (1e-14, 1e-20):  # that floats cannot check
        with pytest.raises(ArgumentError, match=r"delta = .*: expected at least 1e-13"):
            ramp(lambda e: 0.0, ApproxDP(1.0, delta), 5)


def test_no_rounding_of_a_large_epsilon_lets_a_chance_follow():
    """Its floats are as far apart as a small δ: no pure stick between two of them is taken for the lower."""
    source, worst = rng(), 0.0
    for _ in range(20_000):
        epsilon, p = source.uniform(64.0, 512.0), source.uniform(0.2, 0.6)
        rise, unit = log((q := p * source.uniform(1.2, 1.6)) / p), np.spacing(epsilon)
        beyond = ceil(LEAST_DELTA / unit)
        delta = beyond * unit * (1 + 1e-6) + ABSOLUTE
        pure = Pure(epsilon - rise + beyond * unit)
        if ramps._allowed(pure, epsilon, delta - ABSOLUTE, p, q):
            shown = -q * expm1((epsilon - pure.epsilon) - rise)  # the first difference is exact
            worst = max(worst, shown / delta)
    assert 0.5 < worst <= 1


# Votes: neighbours on the line


def released(points, found):
    group = Points(points[:, None], found.limit)
    friends = group.friends(found.limit)
    h = found.vote.count(friends, found.most)
    return h, group.average(found.vote.weights(friends))[0] if h else 0.0


def test_the_count_moves_by_one_and_is_cut_at_both_ends():
    vote, source, seen = vote_design(LOUD).vote, rng(2), set()
    for total in range(vote.quorum - 3 * vote.moved, vote.quorum + 9 * vote.moved, 7):
        first = vote.count(np.array([total]), 6)
        for step in (-vote.moved, int(source.integers(-vote.moved, vote.moved + 1)), vote.moved):
            assert abs(first - vote.count(np.array([total + step]), 6)) <= 1
        seen.add(first)
    assert seen == set(range(7))
    assert vote.count(np.array([vote.quorum]), 6) == 0
    assert vote.count(np.array([vote.quorum + 1]), 6) == 1


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_averages_may_move_as_far_as_the_quorum_of_their_count_allows(budget):
    found = vote_design(budget)
    vote, k = found.vote, found.vote.k
    for h in (1, found.most // 2, found.most):
        level = replace(vote, quorum=vote.quorum + (h - 1) * 2 * (k - 1))
        moves = 2 * found.limit * level.change / k * NORM_ROUNDING
        assert found.distance * found.falls[h - 1] == pytest.approx(moves, rel=1e-12)


# Masks by themselves

COST = ApproxDP(0.5, 5e-7)


def square_losses(ratios, d, noise):
    g = rng(3).standard_normal((400_000, d, d))
    centred = (np.sqrt(ratios)[:, None] * (np.eye(d) + noise * g) - np.eye(d)) / noise
    return (centred**2 - g**2).sum(axis=(1, 2)) / 2 - d / 2 * np.log(ratios).sum()


def wishart_losses(ratios, d, rows):
    squares = rng(4).chisquare(rows, (400_000, d))
    return (-rows / 2 * np.log(ratios) + (ratios - 1) / 2 * squares).sum(axis=1)


MASKS = ((square_losses, stable.square_delta, 0.3), (wishart_losses, stable.wishart_delta, 25))


@pytest.mark.turns(4)
@pytest.mark.parametrize(("losses", "delta", "scale"), MASKS)
@pytest.mark.parametrize(("d", "distance"), [(1, 0.5), (3, 0.3)])
def test_exact_delta_is_that_of_draws_and_vertices_are_worst(losses, delta, scale, d, distance):
    corners = [np.array([1.0] * j + [-1.0] * (d - j)) for j in range(d + 1)]
    means = []
    for signs in (*corners, *rng(6).uniform(-1, 1, (3, d))):
        kept = np.maximum(1 - np.exp(0.5 - losses(np.exp(distance * signs), d, scale)), 0.0)
        means.append((kept.mean(), 6 * kept.std() / sqrt(len(kept))))
    worst, wide = max(means[: d + 1])
    bound = delta(distance, scale, d, 0.5)
    assert bound == pytest.approx(worst, abs=wide)
    assert worst > 20 * wide  # a wrong δ would be seen
    assert all(mean <= bound + wide for mean, wide in means)


def mask(kind, size, cost):
    return Charge("mask", kind, size, cost)


FAR = LocatedCharge("location", LOCATED, 1.0, USUAL, 0.6, 40, 2, SILENT)
REFUSED = (
    (stable.thompson_laplace_scale, (mask("thompson_laplace", 0.01, PureDP(1.0)), 5), "^d = .* at most 4"),
    (stable.thompson_laplace_scale, (mask("thompson_laplace", 0.5, PureDP(1.0)), 3), "^sens.* below 0.25"),
    (stable.wishart_scale, (mask("wishart", 0.1, PureDP(1.0)), 3), "^cost = "),
    (stable.wishart_scale, (mask("wishart", 9.0, COST), 3), "^sens.* at most 0.0"),
    (stable.square_scale, (mask("square", log1p(0.5), COST), 3), "^sens.* below 0.00.* for Lemma 5.1"),
    (stable_scale, (charge(USUAL, WISHART, d=5, change=3.0),), "^sensitivity = .* smaller"),
    (stable_scale, (charge(USUAL, LAPLACE, d=3, change=30.0),), "^sensitivity = .* below 0"),
    (stable_scale, (charge(USUAL, LAPLACE, d=5),), "^d = "),
    (located_scale, (FAR,), "^spread = 0.6: expected at most 0.5"),
    (room, (USUAL, 0.01, 1e6, 40, SILENT), "^degrees = "),
    (room, (USUAL, 0.6, 8.0, 40, SILENT), "^degrees = "),
)


@pytest.mark.parametrize(("scale", "given", "words"), REFUSED)
def test_a_mask_that_cannot_be_calibrated_is_refused(scale, given, words):
    """What would do is named where a formula or a short search has it."""
    with pytest.raises(ArgumentError, match=words):
        scale(*given)
