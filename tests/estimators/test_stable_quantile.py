"""A matrix quantile and how stable it is: small cases, bounds in floats, and that each guard is needed."""

from contextlib import contextmanager
from dataclasses import replace
from math import log2
from unittest.mock import patch

import numpy as np
import pytest

from tests.estimators.quantile_pairs import certified, drawn, extreme, measured, simple, thin, tied
from workbench.errors import ArgumentError
from workbench.estimators import stable_quantile
from workbench.estimators.stable_quantile import Influence, Scaled, Solver, Stability, quantile, soft_count

PAIRS = 250


MADE = (drawn, simple, thin, tied, extreme)


KNEES = (1.0, 0.7, 0.3)


def attacks(seed, count=PAIRS):
    """Random neighbours, the same for everyone who asks."""
    return [drawn(np.random.default_rng((seed, number))) for number in range(count)]


@pytest.mark.parametrize("knee", KNEES)
def test_the_influence_is_concave_and_its_slope_is_one_falling_selection(knee):
    influence, q = Influence(knee), np.concatenate([np.linspace(0, 3, 3001), [1.0, knee, 1e300]])
    q.sort()
    value, slope = influence.value(q), influence.slope(q)
    assert value[0] == 0
    assert value[-1] == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(value) >= -1e-15).all()
    assert (np.diff(slope) <= 0).all()
    assert influence.slope(np.array([1.0])) == 0
    assert (np.diff(influence.weight(q)) <= 1e-15).all()
    assert (q[q < 1] * slope[q < 1]).max() <= influence.most * (1 + 1e-15)
    rises = np.diff(value[:-1]) / np.maximum(np.diff(q[:-1]), 1e-300)
    inside = np.diff(q[:-1]) > 1e-6
    assert (rises[inside] <= slope[:-2][inside] + 1e-9).all()
    assert (rises[inside] >= slope[1:-1][inside] - 1e-9).all()


@pytest.mark.parametrize("knee", KNEES)
def test_on_the_line_the_soft_count_passes_the_level_at_the_quantile(knee):
    x = np.random.default_rng(2).standard_normal((40, 1))
    for level in (3.0, 10.0, 20.0):
        p = quantile(x, level, knee).item()
        below, above = soft_count(x, np.array([p * (1 - 1e-6), p * (1 + 1e-6)]), knee)
        assert above <= level <= below


def test_a_fixed_point_that_is_known_exactly():
    x = np.repeat(np.eye(2), 3, axis=0)  # three rows on each axis: ψ = min(q, 1), 3 min(1/p, 1) = v
    assert quantile(x, 2.0) == pytest.approx(1.5 * np.eye(2))
    assert quantile(x, 3.5) is None


def broken(attack):
    """Whether a pair breaks a bound, or a certificate is wrong in exact arithmetic."""
    found = measured(attack)
    if found["apart"] > 1 or found["trace"] > 1 + 1e-6 or found["positive"] > 1 + 1e-6:
        return True
    test = attack.test
    if test.d > 2 or test.influence.knee < 1:
        return False
    return not all(certified(test, attack.first, t) for t in range(1, test.most + 1))


@pytest.mark.daily
def test_no_pair_breaks_a_bound():
    found = [measured(attack) for attack in attacks(1)]
    assert not any(broken(attack) for attack in attacks(1))
    exact = [
        made(np.random.default_rng((2, number))) for number in range(PAIRS // 5) for made in (simple, thin)
    ]
    assert not any(broken(attack) for attack in exact)
    assert sum(one["h"] > 0 for one in found) > 20
    assert sum(one["apart"] == 1 for one in found) > 0
    assert max(one["trace"] for one in found) > 0.5


def test_extreme_pairs_use_up_nearly_all_of_both_bounds():
    """A bound that is a tenth smaller would be broken; and some of these pairs move h."""
    found = [measured(extreme(np.random.default_rng((3, number)))) for number in range(20)]
    for name in ("trace", "positive"):
        assert min(one[name] for one in found) > 0.9
        assert max(one[name] for one in found) <= 1 + 1e-6
    assert any(one["apart"] == 1 for one in found)


def never_far(self, scaled, factor, level):
    """A descent without the guard against thin matrices."""
    return DESCEND(replace(self, widest=np.inf), scaled, factor, level)


def few_steps(self, scaled, factor, level):
    """A descent that gives up early."""
    return DESCEND(Solver(self.influence, self.inflation, self.slack, 4), scaled, factor, level)


def rough(self, scaled, factor, level):
    """A descent that takes the first matrix for certified."""
    return DESCEND(Solver(self.influence, self.inflation, 0.5, self.steps), scaled, factor, level)


def from_below(cls, x, influence, level):
    """Units that are 2⁻⁶ of what they should be: the start is not above."""
    made = SCALED(cls, x, influence, level)
    return Scaled(made.rows * 64.0, made.exponents - 6)


def from_the_left(self, q):
    """The other selection of ψ'."""
    return np.where(q <= 1.0, self.most / np.maximum(q, self.knee), 0.0)


def forgiving(self, scaled, low, high):
    """A test without what a row may take away: e t is added back."""
    return SLOPE(self, scaled, low, high) + self.influence.most * self.most


DESCEND, SCALED, SLOPE = Solver.descend, Scaled.of.__func__, Stability.slope


MUTANTS = {
    "no guard": (Solver, "descend", never_far),
    "steps": (Solver, "descend", few_steps),
    "stop": (Solver, "descend", rough),
    "units": (Scaled, "of", classmethod(from_below)),
    "no inflation": (stable_quantile, "inflation", lambda n, d, widest: 0.0),
    "no margin": (Stability, "margin", property(lambda self: 0.0)),
    "no spacing": (Stability, "spacing", property(lambda self: 1.0)),
    "no loss": (Stability, "slope", forgiving),
    "one level": (Stability, "high", lambda self, t: self.level),
    "change": (Stability, "change", property(lambda self: 0.9 / (self.strength - 1))),
}


SHOWN_BY = {"steps": 76, "one level": 137, "no margin": 12}  # tried first: it takes long to find them


@contextmanager
def mutated(name):
    """The package with one guard removed."""
    owner, attribute, wrong = MUTANTS[name]
    with patch.object(owner, attribute, wrong):
        yield


@pytest.mark.parametrize("name", MUTANTS)
def test_a_guard_that_is_removed_is_found_out(name):
    with mutated(name):
        assert any(caught(seed) for seed in (SHOWN_BY.get(name, 0), *range(4000)))


def caught(seed):
    """Whether one of five random pairs shows a mistake, or makes the run fail."""
    try:
        return any(broken(made(np.random.default_rng((5, seed)))) for made in MADE)
    except (AssertionError, np.linalg.LinAlgError, ArgumentError):
        return True


@pytest.mark.parametrize(("n", "d", "share", "strength"), [(332, 1, 0.3, 5.0), (5088, 5, 0.1, 240.0),
                                                           (12_800, 10, 0.06, 420.0), (8064, 20, 0.03, 120.0),
                                                           (8064, 20, 0.03, 0.98 * 300)])  # fmt: skip
def test_the_change_holds_what_the_steps_and_the_root_may_lose(n, d, share, strength):
    made = Stability(n, d, Influence(0.5), share * n, 27, strength)
    eta, kappa = made.solver.inflation, made.contraction
    tau = made._left
    for _ in range(made.polishing):  # proofs/matrix_quantile.md, 4.6
        tau = (1 - kappa) * tau + 2.1 * eta * (d + tau)
    tau += ((1 + eta) ** 4 - 1) * (d + tau)
    exact = 1 / (made.strength - 1)
    assert exact + (1 + exact) * tau <= made.change <= 1.01 * exact


def test_a_slack_that_is_not_far_below_the_contraction_is_refused():
    with pytest.raises(ArgumentError, match="fewer rows"):
        Stability(10**6, 1, Influence(1.0), 10**5, 5, 30.0)


def test_levels_that_rounding_spaces_too_far_apart_are_refused():
    made = Stability(10_000, 20, Influence(0.5), 260.0, 40, 180.0, 2.0**44)
    assert 1.5 < made.spacing < 2
    with pytest.raises(ArgumentError, match="fewer rows"):
        replace(made, widest=2.0**46)


CHUNKS, EACH, CLOSE = 20, 1000, 1 + 1e-6


OTHERS = (simple, thin, tied, extreme)  # every fifth pair is one of these


@pytest.fixture
def moments(monkeypatch):
    """How many times rows were mapped so far, in a list of one number."""
    right, seen = Solver.moment, [0]

    def counted(self, scaled, factor, level):
        seen[0] += 1
        return right(self, scaled, factor, level)

    monkeypatch.setattr(Solver, "moment", counted)
    return seen


def attack(number):
    """The pair of this number."""
    made = OTHERS[number // 5 % len(OTHERS)] if number % 5 == 0 else drawn
    return made(np.random.default_rng((2026, number)))


def most_moments(test):
    """What `measured` needs at most: two searches for h, both centres, and P₀."""
    steps = test.solver.steps + 1
    search = (log2(test.most) + 2) * 2 * steps + steps + test.polishing
    return 2 * search + steps + 20 + test.polishing


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_thousand_neighbours_break_no_bound(chunk, moments):
    stable = moved = 0
    for number in range(chunk * EACH, (chunk + 1) * EACH):
        pair = attack(number)
        moments[0] = 0
        found = measured(pair)
        assert found["apart"] <= 1, number
        assert found["trace"] <= CLOSE, number
        assert found["positive"] <= CLOSE, number
        assert moments[0] <= most_moments(pair.test), number
        stable += found["h"] > 0
        moved += found["apart"] == 1
    assert stable > EACH // 10
    assert moved > 10


# Neighbours at the edge of the test: each step of t costs all of e
#
# On the line, with ψ(q) = min(q, 1), e = 1, `TIES` rows have the square c a little above 1. The squares of
# the rows of X below them sum to S, and one row has the square 1: Lo of t = 2 lies between it and c, so that
# the sum of slopes is S + 1, and Hi is just above c. In X' that row is 0: Lo of t = 1 is where it was, the
# sum is S. A test that takes off a share f of e for each t
#
#     passes X at t = 2 if S + 1 ≥ (G + 2f) Hi    and    fails X' at t = 1 if S < (G + f) Hi'.
#
# Both hold for S = G + (3f - 1)/2 where f < 1, so that h = 2 and h' = 0.

TIES, BELOW, STRENGTH = 300, 5, 2.0


TIED, ABOVE = 1.011, 0.0025  # c, and how far Lo is above 1


def neighbours(share):
    """The test, X, and X' for a loss of `share` of e."""
    below = STRENGTH + (3 * share - 1) / 2
    squares = np.concatenate([[1.0], np.full(BELOW, below / BELOW), np.full(TIES, TIED)])
    x = np.sqrt(squares)[:, None]
    other = x.copy()
    other[0] = 0.0
    high = (below + 1) / (1 + ABOVE) + TIES
    near = Stability(len(x), 1, Influence(1.0), high - 2, 2, STRENGTH)
    return replace(near, level=high - 2 * near.spacing), x, other


def slope(test, x, t):
    """What C_t compares with G + et: the sum of the slopes at Lo, in units of Hi."""
    scaled = Scaled.of(x, test.influence, test.low(t))
    high = test.solver.descend(scaled, scaled.start(), test.low(t))
    return test.slope(scaled, test.solver.descend(scaled, high, test.high(t)), high)


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_scores_of_neighbours_at_the_edge_differ_by_one(share):
    test, x, other = neighbours(share)
    h, k = test.measure(x)[0], test.measure(other)[0]
    assert (h, k) == (1, 0)
    assert abs(h - k) <= 1


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_less_than_the_whole_loss_would_let_them_differ_by_two(share):
    test, x, other = neighbours(share)
    assert STRENGTH + 2 * share < slope(test, x, 2) < STRENGTH + 2
    assert 0 < slope(test, other, 1) < STRENGTH + share
