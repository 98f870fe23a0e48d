"""A matrix quantile and how stable it is, also of lifted rows: bounds, and that each guard is needed."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import inf, sqrt
from types import SimpleNamespace
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import pytest

from workbench.contracts.kit import lift_gap, location_gap, one_sided
from workbench.errors import ArgumentError
from workbench.estimators import stable_quantile
from workbench.estimators.base import sanitised
from workbench.estimators.stable_quantile import (
    SMALLEST,
    WIDEST,
    Influence,
    Lifted,
    LiftedStability,
    Scaled,
    Solver,
    Stability,
)

# Neighbours that a stable matrix quantile is attacked with, and what must hold for them, in floats.
#
# `drawn` makes a test, rows and the rows with one replaced, of many kinds; `simple`, `thin` and `tied` few
# columns for exact arithmetic (`certified`); `extreme` pairs that are known to use up nearly all of the
# bounds of `proofs/matrix_quantile.md`. `lifted` makes a test that lifted rows barely pass.

KNEES, FAR = (1.0, 0.7, 0.3), 1e60
LOWEST = 60.0  # level of `extreme`


class Attack(NamedTuple):
    """A test and two data sets that differ in their row 0."""

    test: Stability
    first: np.ndarray
    second: np.ndarray


def drawn(rng):
    d, n = int(rng.integers(1, 5)), int(rng.integers(12, 60))
    influence, most = Influence(float(rng.choice(KNEES))), int(rng.integers(1, 5))
    first = sanitised(rows_of(int(rng.integers(7)), n, d, rng))
    second = first.copy()
    first[0], second[0] = replacement(first, rng), replacement(first, rng)
    level = float(most + 1.2 + rng.exponential(0.25) * n / d)
    test = Stability(n, d, influence, level, most, 1 + float(rng.exponential(0.2 * n / d)))
    return Attack(at_the_edge(test, first, rng) if rng.random() < 0.5 else test, first, second)


def simple(rng):
    """One column, ψ(q) = min(q, 1), at a strength that just holds."""
    n, most = int(rng.integers(12, 60)), int(rng.integers(1, 4))
    first = sanitised(rng.standard_normal((n, 1)))
    second = first.copy()
    second[0] = replacement(first, rng)
    test = Stability(n, 1, Influence(1.0), most + 1.5 + rng.uniform(0, 0.4) * n, most, 2.0)
    return Attack(at_the_edge(test, first, rng), first, second)


def thin(rng):
    """Two columns, about as thin as the guard allows, or thinner."""
    n, angle = int(rng.integers(12, 25)), rng.uniform(0, np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    first = (rng.standard_normal((n, 2)) * [1.0, 10.0 ** rng.uniform(-14, -3)]) @ turn.T
    second = first.copy()
    second[0] = replacement(first, rng)
    return Attack(Stability(n, 2, Influence(1.0), 3.0, 1, 1.5), first, second)


def tied(rng):
    """Twenty rows that are as far as Lo, as nearly as it is known."""
    n, most = 40, 2
    crowd = 1 + 10.0 ** rng.uniform(-7, -4.5) * rng.standard_normal(20)
    first = np.concatenate([[FAR], crowd, 0.5 * rng.standard_normal(n - 21)])[:, None]
    second = first.copy()
    second[0] = 0.0
    count = float(np.minimum(first**2, 1).sum())
    test = Stability(n, 1, Influence(1.0), count - most, most, 2.0)
    near = float(rng.choice([-1, 1])) * 10.0 ** rng.uniform(-7, -4)
    test = replace(test, level=count - most * test.spacing + near)
    found = edge(test, first, most)
    strength = 2.0 if found is None else max(1.01, found * (1 - 1e-9))
    return Attack(replace(test, strength=strength), first, second)


def extreme(rng):
    """Pairs that use up at least 55/59 of the bound on the trace, and may move h by 1.

    m equal rows on every axis and, on the first, row 0: far, then 0. ψ(q) = min(q, 1), a level u of 60 or
    more, m above all levels. On the first axis P_v = m/(v - 1) with the far row, m/v without: D = 1/(u - 1).
    Σ ψ' x xᵀ = m, so that C_t compares u - t with G + t. At the strength at which C_1 just holds, G - 1 =
    u - 3, and D uses up (u - 3)/(u - 1); at the one at which C_2 just fails, (u - 5)/(u - 1), and h = 1
    becomes 2 with the 0.
    """
    d, t, most = int(rng.integers(1, 5)), int(rng.integers(1, 3)), int(rng.integers(2, 5))
    level = LOWEST * (1 + rng.random())
    m = int((level + 2 * most) * rng.uniform(1.1, 2.0)) + 1
    first = np.vstack([1e6 * np.eye(d)[:1], np.repeat(np.eye(d), m, axis=0)])
    second = first.copy()
    second[0] = 0.0
    test = Stability(len(first), d, Influence(1.0), level, most, 2.0)
    strength = edge(test, first, t) or inf
    return Attack(replace(test, strength=strength * (1 - 1e-9 if t == 1 else 1 + 1e-9)), first, second)


def ends(test, x, t):
    """The rows in units, and the factors of Hi and Lo; None for a level that is not found."""
    scaled = test.scaled(x, t)
    high = test.solver.descend(scaled, scaled.start(), test.low(t))
    return scaled, high, None if high is None else test.solver.descend(scaled, high, test.high(t))


def edge(test, x, t):
    """The strength at which C_t just holds, None if a level is not found."""
    scaled, high, low = ends(test, x, t)
    if low is None:
        return None
    return test.slope(scaled, low, high) - (test.influence.most + test.margin) * t


def at_the_edge(test, x, rng):
    """The test with the strength at which some C_t just holds, or just fails, for these rows."""
    found = edge(test, x, int(rng.integers(1, test.most + 1)))
    around = 1 + float(rng.choice([-1e-12, 0, 0, 0, 1e-12, 1e-6, -1e-6]))
    try:
        return test if found is None else replace(test, strength=found * around)
    except ArgumentError:
        return test


def rows_of(kind, n, d, rng):
    """Columns of unlike scales, deficient, flat for many, near duplicates, a lattice, crowds, zeros."""
    z, some = rng.standard_normal((n, d)), rng.random((n, 1)) < 0.6
    axes = np.linalg.qr(rng.standard_normal((d, d)))[0]
    match kind:
        case 0:
            return z * 10.0 ** rng.choice([0.0, 3.0, -3.0, 40.0, -40.0, 70.0], d)
        case 1:
            return z[:, 1:] @ axes[1:]
        case 2:
            return np.c_[z[:, 1:], z[:, :1] * np.where(some, 1.0, rng.choice([0.0, 1e-6, 1e-12]))] @ axes
        case 3:
            return z[rng.integers(0, d + 1, n)] * (1 + 1e-9 * rng.standard_normal((n, 1)))
        case 4:
            return np.rint(z)
        case 5:
            return z * np.where(some, 1.0, rng.choice([1e3, 1e60]))
    return z * some


def replacement(x, rng):
    """A replacement of row 0: far, zero, another row or nearly so, of another size, off the others."""
    d, other = x.shape[1], x[int(rng.integers(len(x)))]
    axis = np.linalg.svd(x / np.maximum(np.abs(x).max(), 1e-300))[2][-1]
    choices = (
        FAR * rng.standard_normal(d), np.zeros(d), other, other * (1 + 1e-12), -other,
        other * 10.0 ** rng.uniform(-3, 3), axis * np.abs(x).max(), 1e99 * axis, x[0],
    )  # fmt: skip
    return choices[int(rng.integers(len(choices)))]


# What must hold


def measured(attack):
    """How far the scores are apart, the larger of them, and how much of the two bounds is used up."""
    test, x, other = attack
    with np.errstate(all="ignore"):
        (h, root), (k, another) = test.measure(x), test.measure(other)
        if not (h and k):
            return {"apart": abs(h - k), "h": max(h, k), "trace": 0.0, "positive": 0.0}
        least = common(test, x)
        traces = [(np.linalg.solve(least, one) ** 2).sum() - len(least) for one in (root, another)]
    used = {"trace": max(traces) / test.change, "positive": one_sided(root, another) / test.change}
    return {"apart": abs(h - k), "h": max(h, k), **used}


def common(test, x):
    """A root of P₀ = P_u of the rows without row 0, from above, as exactly as floats allow."""
    rows = x.copy()
    rows[0] = 0.0
    scaled = Scaled.of(rows, test.influence, test.level)
    factor = test.solver.descend(scaled, scaled.start(), test.level)
    assert factor is not None
    for _ in range(20 + test.polishing):
        moment = scaled.moment(test.influence, factor, test.level)
        factor = np.linalg.solve(np.linalg.cholesky(moment), factor)
    return scaled.root(factor)


def certified(test, x, t):
    """Whether certificates and C_t hold in exact arithmetic: one or two columns, ψ(q) = min(q, 1).

    Of Q that is F_v(Q) ≥ (1 - ξ)Q, in one column Q ≥ P_v too.
    """
    scaled, high, low = ends(test, x, t)
    levels = ((high, test.low(t)), (low, test.high(t)))
    known = [(factor, Fraction(level)) for factor, level in levels if factor is not None]
    if not all(_fixed(scaled, test, factor, level) for factor, level in known):
        return False
    if test.d > 1 or low is None:
        return True
    squares = [Fraction(float(value)) ** 2 for value in scaled.rows.ravel()]
    above = all(sum(min(one / _square(q), Fraction(1)) for one in squares) <= level for q, level in known)
    slope = sum(square for square in squares if square < _square(low)) / _square(high)
    holds = test.slope(scaled, low, high) >= test.strength + (test.influence.most + test.margin) * t
    return above and (not holds or slope >= Fraction(test.strength) + t)


def _fixed(scaled, test, factor, level):
    """Whether the eigenvalues of T F_v(Q) Tᵀ are at least 1 - ξ."""
    d, least = len(factor), 1 - Fraction(test.solver.slack + 2 * test.solver.inflation)
    lower = np.vectorize(Fraction, otypes=[object])(factor)
    z = lower @ np.vectorize(Fraction, otypes=[object])(scaled.rows)
    weights = [1 / max(q, Fraction(1)) / level for q in (z * z).sum(axis=0)]
    moment = (z * weights) @ z.T
    excess = [moment[i, i] - least for i in range(d)]
    return min(excess) >= 0 and (d == 1 or excess[0] * excess[1] >= moment[0, 1] ** 2)


def _square(factor):
    return 1 / Fraction(float(factor[0, 0])) ** 2


# Lifted rows

CLOSE, EDGES = (1 - 1e-12, 1 - 1e-9, 1 - 1e-4), ("slope", "scale", "guard")


def lifted(edge, number):
    """Two data sets and a test that the first barely passes at some count; None if it cannot."""
    rng = np.random.default_rng((7, EDGES.index(edge), number))
    d, n, most = int(rng.integers(1, 5)), int(rng.integers(40, 120)), int(rng.integers(2, 6))
    knee = rng.choice([0.3, 0.5, 1.0])
    x, level = rows_of(int(rng.integers(7)), n, d, rng), rng.uniform(0.15, 0.5) * n / (d + 1)
    x = sanitised(x + rng.choice([0.0, 1e3, 1e12]) * np.abs(x).mean(axis=0) * rng.normal(size=d))
    try:
        free = LiftedStability(n, d + 1, Influence(knee), level, most, 1.01, least=1e-12)
        edges = barely(free, x, int(rng.integers(1, most + 1)))
        if edges is None:
            return None
        (strength, least, widest), close = edges, rng.choice(CLOSE)
        loose = 1.02 + (strength - 1.02) * rng.random()
        test = replace(
            free,
            strength=strength * close if edge == "slope" else loose,
            widest=widest / close if edge == "guard" else WIDEST,
            least=least * close if edge == "scale" else least / 2,
        )
    except ArgumentError:
        return None
    other, middle = x.copy(), np.median(x, axis=0)
    i = int(np.argsort(x[:, 0])[(n + 1) // 2 - 1]) if rng.random() < 0.3 else int(rng.integers(n))
    far = rng.choice((0.0, -1.0, 0.3, 3.0, 1e3, 1e8))
    other[i] = np.clip(middle + far * (x[rng.integers(n)] - middle), -1e100, 1e100)
    return x, other, test


def barely(free, x, t):
    """The strength, the scale and the guard that rows pass at t, and no more; None if they do not."""
    scaled, _, low = ends(free, x, t)
    strength = edge(free, x, t) or 0.0
    return None if strength < 1.03 else (strength, scaled.scale(low), 6 * float((low[1:, 1:] ** 2).sum()))


# A matrix quantile and how stable it is, also of lifted rows: bounds, and that each guard is needed.

KINDS = (drawn, simple, thin, tied, extreme)


@pytest.mark.parametrize("knee", KNEES)
def test_the_influence_is_concave_and_its_slope_is_one_falling_selection(knee):
    influence, q = Influence(knee), np.linspace(0, 3, 3001)
    value, slope = influence.value(q), influence.slope(q)
    rises = np.diff(value) / np.diff(q)
    assert ((rises <= slope[:-1] + 1e-9) & (rises >= slope[1:] - 1e-9) & (rises >= -1e-12)).all()
    assert (value[0], influence.slope(np.array([1.0]))) == (0, 0)
    assert value[-1] == pytest.approx(1.0, abs=1e-12)
    assert np.diff(influence.weight(q)).max() <= 1e-15
    assert (q * slope).max() <= influence.most * (1 + 1e-15)


def broken(attack):
    """Whether a pair breaks a bound, or a certificate is wrong in exact arithmetic."""
    found, test = measured(attack), attack.test
    if found["apart"] > 1 or max(found["trace"], found["positive"]) > 1 + 1e-6:
        return True
    if test.d > 2 or test.influence.knee < 1:
        return False
    return not all(certified(test, attack.first, t) for t in range(1, test.most + 1))


@pytest.mark.daily
def test_no_pair_breaks_a_bound():
    """250 pairs of any kind, every fifth one in exact arithmetic."""
    found = []
    for number in range(250):
        kind = KINDS[1 + number // 5 % 4] if number % 5 == 0 else drawn
        attack = kind(np.random.default_rng((2026, number)))
        assert not broken(attack), number
        found.append(measured(attack))
    assert sum(one["h"] > 0 for one in found) > 20
    assert any(one["apart"] == 1 for one in found)


DESCEND, SCALED = Solver.descend, Scaled.of.__func__


def descending(**changed):
    """A descent with other public numbers."""
    return lambda self, *rest: DESCEND(replace(self, **changed), *rest)


def from_below(cls, x, influence, level):
    """Units that are 2⁻⁶ of what they should be: the start is not above."""
    right = SCALED(cls, x, influence, level)
    return Scaled(right.rows * 64.0, right.exponents - 6)


MUTANTS = {
    "no guard": (Solver, "descend", descending(widest=np.inf)),
    "steps": (Solver, "descend", descending(steps=4)),
    "stop": (Solver, "descend", descending(slack=0.5)),
    "units": (Scaled, "of", classmethod(from_below)),
    "no inflation": (stable_quantile, "inflation", lambda n, d, widest: 0.0),
    "no margin": (Stability, "margin", property(lambda self: 0.0)),
    "no spacing": (Stability, "spacing", property(lambda self: 1.0)),
}
SHOWN_BY = {"steps": 136, "no margin": 12}  # tried first: it takes long to find them


@pytest.mark.turns(4)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_guard_that_is_removed_is_found_out(name):
    with patch.object(*MUTANTS[name]):
        assert any(caught(seed) for seed in (SHOWN_BY.get(name, 0), *range(4000)))


def caught(seed):
    """Whether one of five random pairs shows a mistake, or makes the run fail."""
    try:
        return any(broken(kind(np.random.default_rng((5, seed)))) for kind in KINDS)
    except (AssertionError, np.linalg.LinAlgError, ArgumentError):
        return True


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


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_scores_of_neighbours_at_the_edge_differ_by_one(share):
    below = STRENGTH + (3 * share - 1) / 2
    x = np.sqrt(np.concatenate([[1.0], np.full(BELOW, below / BELOW), np.full(TIES, TIED)]))[:, None]
    other = np.vstack([[[0.0]], x[1:]])
    high = (below + 1) / (1 + ABOVE) + TIES
    test = Stability(len(x), 1, Influence(1.0), high - 2, 2, STRENGTH)
    test = replace(test, level=high - 2 * test.spacing)
    assert (test.measure(x)[0], test.measure(other)[0]) == (1, 0)
    assert 2 * share - 2 < edge(test, x, 2) - STRENGTH < 0
    assert edge(test, other, 1) - STRENGTH < share - 1


# Lifted rows

N, LEVEL, PLAIN = 61, 11.0, Influence(1.0)
DESIGNS = [
    (500, 3, 0.5, 90.0, 8, 35.0, 4.5),
    (2000, 2, 1.0, 400.0, 20, 250.0, 4.0),
    (900, 6, 0.3, 60.0, 5, 9.0, 9.0),
]


def lifting(n, d, knee, level, most, strength, least):
    return LiftedStability(n, d, Influence(knee), level, most, strength, least=least)


def test_units_do_not_follow_the_median_of_the_rows_that_are_there():
    """Among 20 absent ones a row moves it from 1 to 0: those at 1024 are 1023 away, or 1024, a unit more."""
    x = np.repeat([0.0, 1.0, 1024.0, np.nan], [20, 1, 20, 20])[:, None]
    y = x.copy()
    y[21] = 0.0
    here, there = Lifted.around(x, PLAIN, LEVEL, 2), Lifted.around(y, PLAIN, LEVEL + 1.001, 1)
    assert (there.exponents <= here.exponents).all()


@pytest.mark.parametrize("design", DESIGNS)
def test_the_bound_is_that_of_the_proof(design):
    """Written anew: what one row moves, what the others pass on, and what floats leave."""
    _, _, knee, level, _, strength, least = design
    test, g, x = lifting(*design), 1 / (strength - 1), lifting(*design).error
    q = np.geomspace(knee / 10, 10, 2_000_001)
    c = (test.influence.value(q) / np.sqrt(q)).max()
    one_row, others = c * sqrt(1 + g) / level, (1 - strength / level) * g / sqrt(knee)
    assert test.exact == pytest.approx((one_row + others) / least, rel=1e-8)
    assert test.shift == pytest.approx(test.exact + sqrt(1 + g) * x / (2 * sqrt(least)), rel=1e-12)
    assert test.change == pytest.approx(g + (1 + g) * x, rel=1e-12)
    assert test.exact < test.shift < 1.002 * test.exact  # rounding and stopping early cost next to nothing
    assert test.change < 1.002 * g


@pytest.mark.parametrize("design", DESIGNS)
def test_levels_are_more_than_one_row_apart(design):
    test = lifting(*design)
    for t in range(1, test.most + 1):
        assert test.low(t) <= test.level < test.high(t) - 1
        assert t == 1 or min(test.low(t - 1) - test.low(t), test.high(t) - test.high(t - 1)) > 1


@pytest.mark.parametrize(("factor", "passes"), [(1 - 1e-6, True), (1 + 1e-6, False)])
def test_a_scale_below_the_least_has_the_count_zero(factor, passes):
    x = np.random.default_rng(1).normal(size=(300, 2))
    free = lifting(300, 3, 1.0, 40.0, 1, 5.0, 1e-6)
    scaled, high = free.scaled(x, 1), free.holds(x, 1)
    scale = scaled.scale(free.solver.descend(scaled, high, free.high(1)))
    test = lifting(300, 3, 1.0, 40.0, 1, 5.0, scale * factor)
    assert (test.lift(x).count == 1) is passes


@pytest.mark.daily
@pytest.mark.parametrize(("edge", "most"), [(edge, 800) for edge in EDGES])
def test_neighbours_at_an_edge_break_no_bound(edge, most):
    """Rows barely pass one of them at some count; a replaced row may undo that. Counts pass up to h.

    Bounds are those of location and scatter, and of the whole matrix.
    """
    moved, stable = 0, 0
    for number in range(most):
        if (pair := lifted(edge, number)) is None:
            continue
        x, y, test = pair
        first, second = test.lift(x), test.lift(y)
        assert abs(first.count - second.count) <= 1, number
        moved += first.count != second.count
        if edge == "slope" and number < 20:
            passed = [test.holds(x, t) is not None for t in range(1, test.most + 1)]
            assert passed == [t <= first.count for t in range(1, test.most + 1)]
        if first.count and second.count:
            assert location_gap(SimpleNamespace(spread=test.change), first, second) <= 2 * test.shift, number
            assert lift_gap(None, first, second) <= test.change, number
            stable += 1
    assert moved > most // 20
    assert stable > most // 10


# Rows far away, a row that moves a median by as much as there is, and a guard that barely passes: at once
#
# Two columns x₁ and x₂ = -x₁, but for 1/64, at 10^12; half of the rows are at -1, the others at 1 and 7.5.
# One row that changes sides moves the lower median of x₁, not that of x₂: the centre of X is off the line
# that rows are on, by 200 of their sds across it, that of X' is not. What a centre has a part in differs
# then.

GUARDS = (*np.geomspace(1 / 16, 0.9, 12), *(1 - np.geomspace(0.03, 1e-4, 5)), 1.0 + 1e-6)


def crowds(turned):
    """Rows in steps of 2^-12, exact at any offset of less than 2^41."""
    number = np.arange(200)
    side = np.where(number < 100 - turned, -1.0, 1.0 + 6.5 * (number % 2))
    across = np.random.default_rng(1).integers(-64, 65, size=200) * 2.0**-12
    return np.c_[side, across - side] + 2.0**40 * np.array([1.0, -1.5])


def test_no_guard_tells_neighbours_apart_by_where_their_medians_are():
    pair, most, found = (crowds(0), crowds(1)), 4, []
    assert (pair[0] != pair[1]).any(axis=1).sum() == 1
    free = LiftedStability(200, 3, PLAIN, 30.0, most, 1.01, least=1e-12)
    edges = zip(*(barely(free, one, most) for one in pair), strict=True)
    strength, least, widest = (kind(one) for kind, one in zip((min, min, max), edges, strict=True))
    for guard in GUARDS:
        shape = PLAIN, 30.0, most, 1.02 + 0.8 * (strength - 1.02), widest * guard
        test = LiftedStability(200, 3, *shape, least=least / 2)
        found.append([test.lift(one).count for one in pair])
    assert max(abs(h - k) for h, k in found) <= 1
    assert (found[0], found[-1]) == ([0, 0], [most, most])


def test_entries_that_are_too_small_count_as_zero_and_no_difference_is_lost():
    """The least differences of all: neighbouring floats at the least entries that count."""
    x = np.full((N, 1), SMALLEST * (1 - 2.0**-53))
    x[:40, 0] = SMALLEST * (1 + 2.0**-52 * np.arange(40))
    rows = Lifted.around(x, PLAIN, LEVEL, 1)
    assert rows.centre == np.sort(x[:40, 0])[N // 2 - (N - 40)]
    assert np.array_equal(rows.rows[1] != 0, x[:, 0] != rows.centre[0])
    assert np.array_equal(Lifted.around(np.where(x < SMALLEST, 0.0, x), PLAIN, LEVEL, 1).rows, rows.rows)


def test_the_unit_of_the_column_of_ones_is_within_the_proved_bound():
    worst = 0.0
    for knee, n, share in product((0.3, 1.0), (20, 61, 1000), np.linspace(0.051, 0.9, 40)):
        ones = Scaled.of(np.ones((n, 1)), Influence(knee), float(share * n))
        worst = max(worst, 4.0 ** int(ones.exponents[0]) * share / Influence(knee).steepest)
    assert 4 < worst <= 16
