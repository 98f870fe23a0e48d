"""Neighbours that a stable matrix quantile is attacked with, and what must hold for them, in floats.

`drawn` makes a test, rows and the rows with one replaced, of many kinds: far rows, duplicates, rows in a
subspace, columns of very different scale, rows near the guard against thin matrices, strengths at which the
test just holds. `simple`, `thin` and `tied` make few columns, for exact arithmetic (`certified`); `extreme`
makes pairs that are known to use up nearly all of the bounds, which are those of `proofs/matrix_quantile.md`.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import sanitised
from workbench.estimators.stable_quantile import WIDEST, Influence, Scaled, Stability
from workbench.types import Array

KNEES = (1.0, 0.7, 0.5, 0.3)
FAR = 1e60
LOWEST = 60.0  # level of `extreme`


@dataclass(frozen=True)
class Attack:
    """A test and two data sets that differ in their row 0."""

    test: Stability
    first: Array
    second: Array


def drawn(rng: np.random.Generator) -> Attack:
    """Return one attack."""
    d, n = int(rng.integers(1, 5)), int(rng.integers(12, 60))
    influence, most = Influence(float(rng.choice(KNEES))), int(rng.integers(1, 5))
    kind = _KINDS[int(rng.integers(len(_KINDS)))]
    first = sanitised(kind(n, d, rng))
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


def simple(rng: np.random.Generator) -> Attack:
    """Return an attack in one column, ψ(q) = min(q, 1), at a strength that just holds: see `certified`."""
    n, most = int(rng.integers(12, 60)), int(rng.integers(1, 4))
    first = sanitised(rng.standard_normal((n, 1)))
    second = first.copy()
    second[0] = replacement(first, rng)
    test = Stability(n, 1, Influence(1.0), most + 1.5 + rng.uniform(0, 0.4) * n, most, 2.0)
    return Attack(at_the_edge(test, first, rng), first, second)


def thin(rng: np.random.Generator) -> Attack:
    """Return an attack in two columns, ψ(q) = min(q, 1), about as thin as the guard allows, or thinner."""
    n, angle = int(rng.integers(12, 25)), rng.uniform(0, np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    first = (rng.standard_normal((n, 2)) * [1.0, 10.0 ** rng.uniform(-14, -3)]) @ turn.T
    second = first.copy()
    second[0] = replacement(first, rng)
    return Attack(Stability(n, 2, Influence(1.0), 3.0, 1, 1.5), first, second)


def tied(rng: np.random.Generator) -> Attack:
    """Return an attack in which twenty rows are as far as Lo, as nearly as it is known."""
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


def extreme(rng: np.random.Generator) -> Attack:
    """Return an attack that uses up at least 55/59 of the bound on the trace, and may move h by 1.

    m equal rows on every axis and, on the first, row 0: far, then 0; turned, and stretched. ψ(q) = min(q, 1),
    a level u of 60 or more, m above all levels. On the first axis P_v = m/(v - 1) with the far row, m/v
    without: D = 1/(u - 1). Σ ψ' x xᵀ = m, so that C_t compares u - t with G + t. At the strength at which C_1
    just holds, G - 1 = u - 3, and D uses up (u - 3)/(u - 1); at the one at which C_2 just fails,
    (u - 5)/(u - 1), and h = 1 becomes 2 with the 0.
    """
    d, t, most = int(rng.integers(1, 5)), int(rng.integers(1, 3)), int(rng.integers(2, 5))
    level = LOWEST * (1 + rng.random())
    m = int((level + 2 * most) * rng.uniform(1.1, 2.0)) + 1
    axes = np.repeat(np.eye(d), m, axis=0)
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0] * 10.0 ** rng.uniform(-2, 2, d)
    mixing = turn @ np.linalg.qr(rng.standard_normal((d, d)))[0] * 10.0 ** rng.uniform(-20, 20)
    first = np.vstack([1e6 * np.eye(d)[:1], axes]) @ mixing.T
    second = first.copy()
    second[0] = 0.0
    test = Stability(len(first), d, Influence(1.0), level, most, 2.0)
    slope = slope_of(test, first, t) or inf
    strength = slope - (test.influence.most + test.margin) * t
    return Attack(replace(test, strength=strength * (1 - 1e-9 if t == 1 else 1 + 1e-9)), first, second)


def slope_of(test: Stability, x: Array, t: int) -> float | None:
    """Return the slope that C_t compares, None if a level is not found."""
    scaled = Scaled.of(x, test.influence, test.low(t))
    high = test.solver.descend(scaled, scaled.start(), test.low(t))
    low = None if high is None else test.solver.descend(scaled, high, test.high(t))
    return None if high is None or low is None else test.slope(scaled, low, high)


def at_the_edge(test: Stability, x: Array, rng: np.random.Generator) -> Stability:
    """Return the test with the strength at which some C_t just holds, or just fails, for these rows."""
    t = int(rng.integers(1, test.most + 1))
    found = slope_of(test, x, t)
    if found is None:
        return test
    slope = found - (test.influence.most + test.margin) * t
    strength = slope * (1 + float(rng.choice([-1e-12, 0.0, 0.0, 0.0, 1e-12, 1e-6, -1e-6])))
    try:
        return replace(test, strength=strength)
    except ArgumentError:
        return test


def near_the_guard(test: Stability, x: Array, other: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return rows made so thin in one direction that the trace of Q⁻¹ is near what is allowed."""
    d = x.shape[1]
    axes = np.linalg.qr(rng.standard_normal((d, d)))[0]
    widths = np.ones(d)
    for _ in range(3):  # the trace goes like the inverse square of the width
        found = test.holds((x * widths) @ axes.T, 1)
        if found is None:
            break
        trace = float((found[1] ** 2).sum())
        widths[-1] *= np.sqrt(trace / WIDEST * (1 + float(rng.choice([-1e-3, -1e-7, 1e-7, 1e-3, 0.1, -0.1]))))
    return sanitised((x * widths) @ axes.T), sanitised((other * widths) @ axes.T)


def _normal(n: int, d: int, rng: np.random.Generator) -> Array:
    scales = 10.0 ** rng.choice([0.0, 3.0, -3.0, 40.0, -40.0, 70.0], d)
    return np.asarray(rng.standard_normal((n, d)) * scales)


def _heavy(n: int, d: int, rng: np.random.Generator) -> Array:
    return np.asarray(rng.standard_normal((n, d)) / np.abs(rng.standard_normal((n, 1))) ** 3)


def _duplicates(n: int, d: int, rng: np.random.Generator) -> Array:
    few = rng.standard_normal((d + 1, d))
    return few[rng.integers(0, d + 1, n)] * (1 + 1e-9 * rng.standard_normal((n, 1)))


def _deficient(n: int, d: int, rng: np.random.Generator) -> Array:
    rows = rng.standard_normal((n, d))
    rows[:, -1] *= np.where(rng.random(n) < rng.uniform(0, 0.6), 1.0, float(rng.choice([0.0, 1e-6, 1e-12])))
    return np.asarray(rows @ np.linalg.qr(rng.standard_normal((d, d)))[0].T)


def _lattice(n: int, d: int, rng: np.random.Generator) -> Array:
    return np.asarray(rng.integers(-2, 3, (n, d)), np.float64)


def _crowds(n: int, d: int, rng: np.random.Generator) -> Array:
    far = np.where(rng.random((n, 1)) < 0.3, float(rng.choice([1e3, 1e60])), 1.0)
    return np.asarray(rng.standard_normal((n, d)) * far)


def _zeros(n: int, d: int, rng: np.random.Generator) -> Array:
    return np.asarray(rng.standard_normal((n, d)) * (rng.random((n, 1)) < 0.6))


def _flat(n: int, d: int, rng: np.random.Generator) -> Array:
    axes = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return np.asarray(rng.standard_normal((n, d))[:, 1:] @ axes[1:])


_KINDS = (_normal, _normal, _flat, _heavy, _duplicates, _deficient, _lattice, _crowds, _zeros)


def replacement(x: Array, rng: np.random.Generator) -> Array:
    """Return a replacement of row 0: far, zero, another row or nearly so, of another size, off the others."""
    d, other = x.shape[1], x[int(rng.integers(len(x)))]
    axis = np.linalg.svd(x / np.maximum(np.abs(x).max(), 1e-300))[2][-1]
    choices = (
        FAR * rng.standard_normal(d), np.zeros(d), other, other * (1 + 1e-12), -other,
        other * 10.0 ** rng.uniform(-3, 3), axis * np.abs(x).max(), 1e99 * axis, x[0],
    )  # fmt: skip
    return np.asarray(choices[int(rng.integers(len(choices)))])


# What must hold


def measured(attack: Attack) -> dict[str, float]:
    """Return how far the scores are apart, the larger of them, and how much of the two bounds is used up."""
    test, x, other = attack.test, attack.first, attack.second
    with np.errstate(all="ignore"):
        (h, root), (k, another) = test.measure(x), test.measure(other)
        apart = float(abs(h - k))
        if not (h and k):
            return {"apart": apart, "h": max(h, k), "trace": 0.0, "positive": 0.0}
        least = common(test, x)
        traces = [_trace(least, one) for one in (root, another)]
        values = np.linalg.svd(np.linalg.solve(root, another), compute_uv=False)
        logs = 2 * np.log(values)
    split = max(np.maximum(logs, 0).sum(), np.maximum(-logs, 0).sum())
    used = {"trace": max(traces) / test.change, "positive": float(split) / test.change}
    return {"apart": apart, "h": max(h, k), **used}


def common(test: Stability, x: Array) -> Array:
    """Return a root of P₀ = P_u of the rows without row 0, from above, as exactly as floats allow."""
    rows = x.copy()
    rows[0] = 0.0
    scaled = Scaled.of(rows, test.influence, test.level)
    factor = test.solver.descend(scaled, scaled.start(), test.level)
    assert factor is not None
    for _ in range(20 + test.polishing):
        moment = test.solver.moment(scaled, factor, test.level)
        factor = np.linalg.solve(np.linalg.cholesky(moment), factor)
    return scaled.root(factor)


def _trace(least: Array, root: Array) -> float:
    return float((np.linalg.solve(least, root) ** 2).sum() - len(least))


def certified(test: Stability, x: Array, t: int) -> bool:
    """Return whether certificates and C_t hold in exact arithmetic: one or two columns, ψ(q) = min(q, 1).

    Of Q that is F_v(Q) ≥ (1 - ξ)Q, in one column Q ≥ P_v too.
    """
    scaled = Scaled.of(x, test.influence, test.low(t))
    high = test.solver.descend(scaled, scaled.start(), test.low(t))
    low = None if high is None else test.solver.descend(scaled, high, test.high(t))
    levels = ((high, test.low(t)), (low, test.high(t)))
    known = [(factor, Fraction(level)) for factor, level in levels if factor is not None]
    if not all(_fixed(scaled, test, factor, level) for factor, level in known):
        return False
    if test.d > 1 or high is None or low is None:
        return True
    squares = [Fraction(float(value)) ** 2 for value in scaled.rows.ravel()]
    above = all(
        sum(min(square / _square(one), Fraction(1)) for square in squares) <= level for one, level in known
    )
    slope = sum(square for square in squares if square < _square(low)) / _square(high)
    holds = test.slope(scaled, low, high) >= test.strength + (test.influence.most + test.margin) * t
    return above and (not holds or slope >= Fraction(test.strength) + t)


def _fixed(scaled: Scaled, test: Stability, factor: Array, level: Fraction) -> bool:
    """Return whether F_v(Q) ≥ (1 - ξ)Q: the eigenvalues of T F_v(Q) Tᵀ are at least 1 - ξ."""
    d, least = len(factor), 1 - Fraction(test.solver.slack + 2 * test.solver.inflation)
    lower = [[Fraction(float(value)) for value in row] for row in factor]
    moment = [[Fraction(0)] * d for _ in range(d)]
    for row in scaled.rows.T:
        z = [
            sum((a * Fraction(float(b)) for a, b in zip(one, row, strict=True)), Fraction(0)) for one in lower
        ]
        q = sum((value * value for value in z), Fraction(0))
        weight = 1 / max(q, Fraction(1)) / level
        for i in range(d):
            for j in range(d):
                moment[i][j] += weight * z[i] * z[j]
    excess = [moment[i][i] - least for i in range(d)]
    return min(excess) >= 0 and (d == 1 or excess[0] * excess[1] >= moment[0][1] ** 2)


def _square(factor: Array) -> Fraction:
    return 1 / Fraction(float(factor[0, 0])) ** 2
