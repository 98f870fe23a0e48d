"""Neighbours that a stable matrix quantile is attacked with, and what must hold for them, in floats.

`drawn` makes a test, rows and the rows with one replaced, of many kinds; `simple`, `thin` and `tied` few
columns for exact arithmetic (`certified`); `extreme` pairs that are known to use up nearly all of the bounds
of `proofs/matrix_quantile.md`. `lifted` makes a test that lifted rows barely pass.
"""

from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import sanitised
from workbench.estimators.stable_quantile import WIDEST, Influence, LiftedStability, Scaled, Stability

KNEES, FAR = (1.0, 0.7, 0.5, 0.3), 1e60
LOWEST = 60.0  # level of `extreme`


class Attack(NamedTuple):
    """A test and two data sets that differ in their row 0."""

    test: Stability
    first: np.ndarray
    second: np.ndarray


def drawn(rng):
    d, n = int(rng.integers(1, 5)), int(rng.integers(12, 60))
    influence, most = Influence(float(rng.choice(KNEES))), int(rng.integers(1, 5))
    first = sanitised(rows_of(int(rng.integers(9)), n, d, rng))
    second = first.copy()
    first[0], second[0] = replacement(first, rng), replacement(first, rng)
    level = float(most + 1.2 + rng.exponential(0.25) * n / d)
    test = Stability(n, d, influence, level, most, 1 + float(rng.exponential(0.2 * n / d)))
    made = rng.random()
    if made < 0.4:
        test = at_the_edge(test, first, rng)
    elif made < 0.55 and d > 1:
        first, second = near_the_guard(test, first, second, rng)
    return Attack(test, first, second)


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
    slope = slope_of(test, first, most)
    strength = 2.0 if slope is None else max(1.01, (slope - (1 + test.margin) * most) * (1 - 1e-9))
    return Attack(replace(test, strength=strength), first, second)


def extreme(rng):
    """Pairs that use up at least 55/59 of the bound on the trace, and may move h by 1.

    m equal rows on every axis and, on the first, row 0: far, then 0; turned, and stretched. ψ(q) = min(q, 1),
    a level u of 60 or more, m above all levels. On the first axis P_v = m/(v - 1) with the far row, m/v
    without: D = 1/(u - 1). Σ ψ' x xᵀ = m, so that C_t compares u - t with G + t. At the strength at which C_1
    just holds, G - 1 = u - 3, and D uses up (u - 3)/(u - 1); at the one at which C_2 just fails,
    (u - 5)/(u - 1), and h = 1 becomes 2 with the 0.
    """
    d, t, most = int(rng.integers(1, 5)), int(rng.integers(1, 3)), int(rng.integers(2, 5))
    level = LOWEST * (1 + rng.random())
    m = int((level + 2 * most) * rng.uniform(1.1, 2.0)) + 1
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0] * 10.0 ** rng.uniform(-2, 2, d)
    mixing = turn @ np.linalg.qr(rng.standard_normal((d, d)))[0] * 10.0 ** rng.uniform(-20, 20)
    first = np.vstack([1e6 * np.eye(d)[:1], np.repeat(np.eye(d), m, axis=0)]) @ mixing.T
    second = first.copy()
    second[0] = 0.0
    test = Stability(len(first), d, Influence(1.0), level, most, 2.0)
    strength = (slope_of(test, first, t) or inf) - (test.influence.most + test.margin) * t
    return Attack(replace(test, strength=strength * (1 - 1e-9 if t == 1 else 1 + 1e-9)), first, second)


def ends(test, x, t):
    """The rows in units, and the factors of Hi and Lo; None for a level that is not found."""
    scaled = test.scaled(x, t)
    high = test.solver.descend(scaled, scaled.start(), test.low(t))
    return scaled, high, None if high is None else test.solver.descend(scaled, high, test.high(t))


def slope_of(test, x, t):
    """What C_t compares with G + et, None if a level is not found."""
    scaled, high, low = ends(test, x, t)
    return None if low is None else test.slope(scaled, low, high)


def at_the_edge(test, x, rng):
    """The test with the strength at which some C_t just holds, or just fails, for these rows."""
    t = int(rng.integers(1, test.most + 1))
    if (found := slope_of(test, x, t)) is None:
        return test
    slope = found - (test.influence.most + test.margin) * t
    try:
        return replace(test, strength=slope * (1 + float(rng.choice([-1e-12, 0, 0, 0, 1e-12, 1e-6, -1e-6]))))
    except ArgumentError:
        return test


def near_the_guard(test, x, other, rng):
    """Rows made so thin in one direction that the trace of Q⁻¹ is near what is allowed."""
    d = x.shape[1]
    axes, widths = np.linalg.qr(rng.standard_normal((d, d)))[0], np.ones(d)
    for _ in range(3):  # the trace goes like the inverse square of the width
        found = test.holds((x * widths) @ axes.T, 1)
        if found is None:
            break
        trace = float((found**2).sum())
        widths[-1] *= np.sqrt(trace / WIDEST * (1 + float(rng.choice([-1e-3, -1e-7, 1e-7, 1e-3, 0.1, -0.1]))))
    return sanitised((x * widths) @ axes.T), sanitised((other * widths) @ axes.T)


def rows_of(kind, n, d, rng):
    """Columns of very different scale, flat, heavy, duplicates, deficient, a lattice, crowds, zeros."""
    if kind <= 1:
        scales = 10.0 ** rng.choice([0.0, 3.0, -3.0, 40.0, -40.0, 70.0], d)
        return rng.standard_normal((n, d)) * scales
    if kind == 2:
        axes = np.linalg.qr(rng.standard_normal((d, d)))[0]
        return rng.standard_normal((n, d))[:, 1:] @ axes[1:]
    if kind == 4:
        few = rng.standard_normal((d + 1, d))
        return few[rng.integers(0, d + 1, n)] * (1 + 1e-9 * rng.standard_normal((n, 1)))
    if kind == 6:
        return rng.integers(-2, 3, (n, d)).astype(float)
    if kind == 7:
        far = np.where(rng.random((n, 1)) < 0.3, float(rng.choice([1e3, 1e60])), 1.0)
        return rng.standard_normal((n, d)) * far
    z = rng.standard_normal((n, d))
    if kind == 3:
        return z / np.abs(rng.standard_normal((n, 1))) ** 3
    if kind == 5:
        there = rng.random(n) < rng.uniform(0, 0.6)
        z[:, -1] *= np.where(there, 1.0, float(rng.choice([0.0, 1e-6, 1e-12])))
        return z @ np.linalg.qr(rng.standard_normal((d, d)))[0].T
    return z * (rng.random((n, 1)) < 0.6)


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
        logs = 2 * np.log(np.linalg.svd(np.linalg.solve(root, another), compute_uv=False))
    split = max(np.maximum(logs, 0).sum(), np.maximum(-logs, 0).sum())
    used = {"trace": max(traces) / test.change, "positive": split / test.change}
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
    x, level = of_any_shape(rng, n, d), rng.uniform(0.15, 0.5) * n / (d + 1)
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


def of_any_shape(rng, n, d):
    """Rows of one of six kinds, at most 10^12 sds away."""
    kind, z = rng.integers(6), rng.normal(size=(n, d))
    z = rng.choice([-1.0, 1.0], size=(n, d)) if kind == 1 else np.round(z, 1) if kind == 2 else z
    z = np.exp(z) if kind == 3 else z
    if kind == 4:
        z[: n // 10] *= 10.0 ** rng.integers(1, 60)
    if kind == 5:
        z[rng.integers(n, size=n // 3)] = z[0]
    shape = rng.normal(size=(d, d)) * 10.0 ** rng.uniform(-4, 4, size=d)
    return z @ shape.T + rng.choice([0.0, 1e3, 1e12]) * np.abs(shape).max() * rng.normal(size=d)


def barely(free, x, t):
    """The strength, the scale and the guard that rows pass at t, and no more; None if they do not."""
    scaled, high, low = ends(free, x, t)
    if low is None:
        return None
    strength = free.slope(scaled, low, high) - (free.influence.most + free.margin) * t
    return None if strength < 1.03 else (strength, scaled.scale(low), 6 * float((low[1:, 1:] ** 2).sum()))
