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
from mpmath import mpf
from scipy import stats
from scipy.special import roots_genlaguerre

from tests.estimators.streams import rng
from workbench.contracts.draws import expected_draw, of_rows, wishart_delta
from workbench.contracts.kit import refusal, root_around
from workbench.errors import ArgumentError
from workbench.estimators.populous import mean_designer
from workbench.estimators.votes import NORM_ROUNDING
from workbench.privacy import ZCDP, ApproxDP, Charge, CountingNoise, PureDP, SimulatedNoise, ramps, stable
from workbench.privacy.plan import compose
from workbench.privacy.ramps import ABSOLUTE, BITS, LEAST_DELTA, Pure, ramp
from workbench.privacy.stable import LAPLACE, LOCATED, VOTED, VOTED_LAPLACE, VOTED_NORMAL, WISHART, Shifted

BUDGETS = [ApproxDP(1.0, 1e-6), ApproxDP(0.2, 1e-6), ApproxDP(1.0, 1e-10), ApproxDP(4.0, 1e-3)]
USUAL, LOUD = BUDGETS[0], BUDGETS[3]
SOME = [*(pytest.param(one, marks=pytest.mark.daily) for one in BUDGETS[1:3]), USUAL, LOUD]
ROWS = dict(zip(BUDGETS, (436, 1400, 500, 80), strict=True))
KINDS = (*stable.STABLE, LOCATED, *VOTED)
ENDS = np.array([-inf, *np.linspace(-30.0, 45.0, 7501), inf])
SILENT, BETA = 0.02, 0.1 / 3


def vote_design(budget, kind=VOTED_NORMAL):
    noise = "laplace" if kind == VOTED_LAPLACE else "gaussian"
    return replace(mean_designer(1), kind=noise, joint=True).best(ROWS[budget], budget, BETA)


def charge(budget, kind, d=1, change=0.2):
    size = log(1 / budget.delta) / budget.epsilon
    if kind == stable.LIFTED:
        return lifted(budget)
    if kind in VOTED:
        return vote_design(budget, kind).plan
    if kind == LOCATED:
        return stable.LocatedCharge(
            "test", kind, 1.0, budget, change / size / 4, max(4, int(3 * size)), d, SILENT
        )
    return stable.StableCharge("test", kind, change / size, budget, max(4, int(2 * size)), d, SILENT)


def cells(one, h, scale):
    moved = one.sensitivity / scale
    if one.mechanism == WISHART:
        places = np.exp(ENDS * sqrt(2 * scale)) / 2 / scale
        found = [stats.gamma.cdf(places * exp(-at), 0.5 / scale) for at in (0, one.sensitivity)]
    else:
        family = stats.laplace if one.mechanism in (VOTED_LAPLACE, LAPLACE) else stats.norm
        moved *= one.falls[h - 1] if one.mechanism in VOTED else 1
        # of a location S₀ = 1; scatters 1 and 1 + g, both ways, and locations Δ apart or not
        wide = (1.0, sqrt(1 + one.spread)) if one.mechanism == LOCATED else (1.0,)
        found = [family.cdf(ENDS, at, width) for width, at in product(wide, (0.0, moved))]
    return [np.diff(one) for one in found]


def scale_of(one):
    counting = CountingNoise(SimulatedNoise(rng()))
    run(one, one.most, counting, getattr(one, "d", 1) - (one.mechanism == stable.LIFTED))
    return counting.draws[-1].scale


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
    found = stable.chances(one)
    assert kind not in VOTED or one.falls[-1] < 0.8  # averages move less where more agree
    assert 0.9 <= worst_stick(one, found) <= 1 + 1e-6  # h = 1 beside h = 0 attains it
    assert all(p <= q and p * BITS == int(p * BITS) for p, q in pairwise(found))
    assert found[getattr(one, "usual", -1)] >= 1 - one.silent


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("kind", "d"), [(LAPLACE, 2), (WISHART, 1), (WISHART, 6), (LOCATED, 2), (stable.LIFTED, 3)]
)
@pytest.mark.parametrize("budget", [USUAL, LOUD], ids=str)
def test_the_mask_is_the_narrowest_that_a_ramp_allows(budget, kind, d):
    """The hockey stick of a Wishart mask is tabulated from above: .16 % too wide at (4, .001) and d = 6."""
    one = charge(budget, kind, d, 0.8 if kind == LOCATED else 0.2)
    _, _, least = expected_draw(one, d)
    assert least * (1 - 1e-6) <= scale_of(one) <= least * 1.003


# Draws


def run(one, count, noise, d=2, size=1.0):
    if one.mechanism in VOTED:
        return stable.voted(stable.Voted(count, np.full(d, size)), one, noise)
    lift = stable.Lift(count, np.zeros(d), np.full(d, size), np.eye(d), 1.5)
    if one.mechanism == LOCATED:
        return stable.located_normal(lift, one, noise)
    if one.mechanism == stable.LIFTED:
        return stable.masked_lift(lift, one, noise)
    return stable.stable_mask(stable.Stable(count, size * np.eye(d)), one, noise)


class Least(SimulatedNoise):
    def uniform(self, low, high):
        return 0.0


@pytest.mark.parametrize("kind", [*KINDS, stable.LIFTED])
def test_no_answer_where_the_count_is_zero_whatever_is_drawn(kind):
    one = charge(USUAL, kind, 2)
    assert run(one, 0, Least(rng())) is None
    assert run(one, 1, Least(rng())) is not None


@pytest.mark.parametrize("kind", [*KINDS, stable.LIFTED])
def test_what_is_drawn_depends_neither_on_the_count_nor_on_the_value(kind):
    one, found = charge(USUAL, kind, 2), []
    for count, size in ((0, 1.0), (1, 1e9), (one.most, 7.0)):
        source = rng(5)
        counting = CountingNoise(SimulatedNoise(source))
        run(one, count, counting, size=size)
        found.append((counting.draws, float(source.random())))
    assert found[0] == found[1] == found[2]


def test_without_an_answer_the_identity_is_masked():
    """Exact noise takes as long as its root asks for: that of the rows is not looked at."""
    noise = Mock(uniform=lambda low, high: 1.0 - 2**-53)
    run(charge(USUAL, WISHART, 2), 3, noise, size=5.0)
    assert np.asarray(noise.wishart.call_args.args[0]).tolist() == np.eye(2).tolist()


def test_noise_reaches_past_the_rounding_of_a_far_centre():
    """Spacings there are 2: a location that is rounded before noise is added is always 0 from the centre."""
    one, noise = charge(USUAL, LOCATED), SimulatedNoise(rng())
    found = stable.Lift(one.most, np.array([1e16]), np.array([0.95]), np.array([[1e-2]]), 1.5)
    shown = [stable.located_normal(found, one, noise) for _ in range(60)]
    assert {float(out[0] - 1e16) for out in shown if out is not None} == {0.0, 2.0}


# Steps after the mask


def lifted(budget, d=3, degrees=40.0):
    most = round(2.4 * log(1 / budget.delta) / budget.epsilon)
    spread = 0.01 * min(1.0, budget.epsilon)
    left = stable.room(budget, spread, degrees, most, SILENT)
    return stable.LiftCharge("lift", stable.LIFTED, spread, budget, most, d, SILENT, degrees, left)


def test_what_is_shown_of_a_lift_is_the_masked_matrix_itself():
    """Q = L M Lᵀ with the same draw, and its parts read off by subtraction."""
    one, noise = lifted(USUAL), SimulatedNoise(rng(3))
    lift = stable.Lift(one.most, np.zeros(2), np.array([0.25, 0.5]), np.array([[2.0, 0.0], [1.0, 1e-3]]), 1.5)
    centre, found = stable.masked_lift(lift, one, SimulatedNoise(rng(3)))
    noise.uniform(0.0, 1.0)
    q = noise.wishart(root_around(lift, lift.centre), one.sensitivity, 1 / one.degrees)
    assert centre == pytest.approx(q[1:, 0] / q[0, 0], rel=1e-12)
    assert found @ found.T == pytest.approx(q[1:, 1:] - np.outer(q[1:, 0], q[0, 1:]) / q[0, 0], rel=1e-8)


def test_plans_hold_steps_within_the_room_and_no_more():
    one = lifted(USUAL)
    step = Charge("moment", "symmetric_gaussian", 0.1, ZCDP(one.room.rho * 0.9))
    over = replace(step, cost=ZCDP(one.room.rho * 1.1))
    assert [part.step for part in replace(one, rest=(step,)).charges()] == ["lift", "moment"]
    assert compose(replace(one, rest=(step,))) == USUAL
    other = replace(step, mechanism="exponential")  # ρ-zCDP, but no normal noise that the ramp is priced with
    for wrong in ({"rest": (over,)}, {"rest": (step, step)}, {"rest": (other,)}, {"degrees": 2.0}):
        assert refusal(replace, one, **wrong)
    with pytest.raises(ArgumentError, match="charge"):
        stable.chances(replace(one, room=ZCDP(1.0)))


# Hockey sticks


STICKS = (
    (Pure, lambda s, e: max(0.0, 1 - exp(e), (exp(s) - exp(e)) / (1 + exp(s)))),
    (Shifted, lambda s, e: stats.norm.cdf(s / 2 - e / s) - exp(e) * stats.norm.cdf(-s / 2 - e / s)),
)


@pytest.mark.parametrize(("kind", "stick"), STICKS)
@pytest.mark.parametrize("size", [0.05, 0.3, 2.0, 40.0])
def test_a_stick_is_that_of_randomised_response_or_of_shifted_normal_distributions(kind, stick, size):
    for e in np.linspace(-1.5 * size, 1.5 * size, 31):
        assert -1e-12 <= kind(size)(e) - stick(size, e) <= 1e-6
    assert Pure(1e4)(0.0) == Pure(1e4)(-2e4) == 1.0


DEGREES = 12.0


def whole(spread, rho, e):
    places, weights = roots_genlaguerre(100, DEGREES / 2 - 1)
    loss = places * expm1(spread) - spread * DEGREES / 2  # of a density at 1 to that at e^-g
    steps = np.vectorize(Shifted(sqrt(2 * rho)))
    return max(steps(e - side * loss) @ weights for side in (1.0, -1.0)) / weights.sum()


def best(spread, rho, e):
    orders = 1 + np.geomspace(1e-4, 0.999999 * min(1e7, 1 / expm1(spread)), 40_000)
    divergences = DEGREES * stable.renyi(spread, orders, 2) + rho * orders
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
        assert located(e) >= Shifted(sqrt(2 * rho))(e) * (1 - 1e-9)
        assert e < 0 or located(e) <= best(1e-9, rho, e) * 1.02
    heights = [made(e) for e in np.linspace(-9, 9, 2001) * budget.epsilon]
    assert all(p >= q * (1 - 1e-9) for p, q in pairwise(heights))


@pytest.mark.parametrize(("degrees", "spread"), [(8.0, 0.05), (12.0, 0.02), (50.0, 0.02), (9000.0, 0.0015)])
@pytest.mark.parametrize("line", [False, True])
def test_the_stick_of_rows_is_that_of_the_worst_pair_and_never_below_it(degrees, spread, line):
    made, exact = stable._of_rows(degrees, spread, line, USUAL), of_rows(spread, 2 - line, 0.0, degrees)
    tried = stable._orders(spread, line, USUAL)
    for e in np.linspace(-1.0, 1.5, 26):
        right = exact(e)
        assert right * (1 - 1e-7) <= made(e) <= right * 1.02 + 3 * ramps.UNSEEN * USUAL.delta
        assert right <= ramps.from_renyi(tried[0], degrees * tried[1], 1.0)(e)


def test_two_gamma_variables_of_less_than_one_are_priced_otherwise():
    """The proof needs z² Var ≤ κ, which fails below κ = 1: Rényi's divergence is the price there."""
    kinds = [type(stable._of_rows(rows, 0.02, False, USUAL)) for rows in (1.9, 2.0, 9e4, 1.1e5)]
    assert kinds == [ramps.Tabulated, ramps.Convex, ramps.Convex, ramps.Tabulated]


@pytest.mark.parametrize("rows", [2.0, 3.0, 60.0, 2e3, 1e5, 1e8])
def test_tails_of_gamma_variables_are_known_as_well_as_rounding_up_covers(rows):
    """Beside Kummer's series of the lower tail."""
    with mpmath.workdps(40):
        shape = mpf(rows) / 2
        for z in (-7, -4.6, -4.4, -1, 1, 4.4, 4.6, 8):
            if (place := mpf(float(shape + z * mpmath.sqrt(shape)))) > 0:
                factor = mpmath.exp(shape * mpmath.log(place) - place - mpmath.loggamma(shape + 1))
                right = factor * mpmath.hyp1f1(1, shape + 1, place, maxterms=10**6)
                tail, right = (stable._below, right) if z < 0 else (stable._above, 1 - right)
                found = tail((rows, 0.0), np.array(2 * float(place)))
                assert abs(float(found) / right - 1) <= (ramps.HIGHER - 1) / 100


# Ramps, and the searches for their noise


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
        if ramps.Rise(pure, ApproxDP(epsilon, delta)).allows(p, q):
            shown = -q * expm1((epsilon - pure.epsilon) - rise)  # the first difference is exact
            worst = max(worst, shown / delta)
    assert 0.5 < worst <= 1


# Votes: neighbours on the line


def test_the_count_moves_by_one_and_is_cut_at_both_ends():
    vote = vote_design(LOUD).vote
    totals = np.arange(vote.quorum - 3 * vote.moved, vote.quorum + 9 * vote.moved)
    counts = np.array([vote.count(np.array([total]), 6) for total in totals])
    assert (np.abs(counts[vote.moved :] - counts[: -vote.moved]) <= 1).all()
    assert (np.diff(counts) >= 0).all()
    assert {*counts.tolist()} == {*range(7)}
    assert counts[np.searchsorted(totals, vote.quorum) :][:2].tolist() == [0, 1]


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


@pytest.mark.turns(4)
@pytest.mark.parametrize(("d", "distance"), [(1, 0.5), (3, 0.3)])
def test_exact_delta_is_that_of_draws_and_of_an_integral_and_vertices_are_worst(d, distance):
    """Of square masks within six standard errors of draws, where a wrong δ is twenty of them off."""
    corners = [np.array([1.0] * j + [-1.0] * (d - j)) for j in range(d + 1)]
    kept = [
        np.maximum(1 - np.exp(0.5 - square_losses(np.exp(distance * signs), d, 0.3)), 0.0)
        for signs in (*corners, *rng(6).uniform(-1, 1, (3, d)))
    ]
    means = np.mean(kept, axis=1)
    bound, wide = stable.square_delta(distance, 0.3, d, 0.5), 6 * np.std(kept, axis=1) / sqrt(400_000)
    assert bound == pytest.approx(means[: d + 1].max(), abs=wide[means[: d + 1].argmax()])
    assert bound > 20 * wide.max()
    assert (means <= bound + wide).all()
    exact = wishart_delta(distance, 25, d, COST)
    assert exact <= stable.wishart_delta(distance, 25, d, COST.epsilon) <= exact * (1 + 1e-4)


FAR = stable.LocatedCharge("location", LOCATED, 1.0, USUAL, 0.6, 40, 2, SILENT)
REFUSED = (
    *((getattr(stable, f"{kind}_scale"), (Charge("mask", kind, moved, cost), d), words)
      for kind, moved, cost, d, words in (
          ("thompson_laplace", 0.01, PureDP(1.0), 5, "^d = .* at most 4"),
          ("thompson_laplace", 0.5, PureDP(1.0), 3, "^sens.* below 0.25"),
          ("wishart", 0.1, PureDP(1.0), 3, "^cost = "),
          ("wishart", 9.0, COST, 3, "^sens.* at most 0.0"),
          ("square", log1p(0.5), COST, 3, "^sens.* below 0.00.* for Lemma 5.1"))),
    (stable.stable_scale, (charge(USUAL, WISHART, d=5, change=3.0),), "^sensitivity = .* smaller"),
    (stable.stable_scale, (charge(USUAL, LAPLACE, d=3, change=30.0),), "^sensitivity = .* below 0"),
    (stable.located_scale, (FAR,), "^spread = 0.6: expected at most 0.5"),
    (stable.room, (USUAL, 0.01, 1e6, 40, SILENT), "^degrees = "),
    (stable.room, (USUAL, 0.6, 8.0, 40, SILENT), "^degrees = "),
)  # fmt: skip


@pytest.mark.parametrize(("scale", "given", "words"), REFUSED)
def test_a_mask_that_cannot_be_calibrated_is_refused(scale, given, words):
    """What would do is named where a formula or a short search has it."""
    with pytest.raises(ArgumentError, match=words):
        scale(*given)
