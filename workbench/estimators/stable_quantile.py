"""A matrix quantile and how stable it is: how many rows may be replaced before it moves.  Derived here.

Rows x of shape (n, d), mean 0; neighbours: replace one row. One row counts once at most, by an influence ψ of
its squared length q, ω(q) = ψ(q)/q:

    ψ(q) = e q/q₁ (q ≤ q₁),   e (1 + ln(q/q₁)) (q₁ ≤ q ≤ 1),   1 (q ≥ 1),    e = 1/(1 + ln(1/q₁))

with one knee q₁ in (0, 1]; q₁ = 1 is min(q, 1). ψ is concave and increases from 0 to 1, ω does not increase,
and ψ' is taken from the right: one selection that does not increase, ψ'(1) = 0, q ψ'(q) ≤ e.

    F_v(P) = (1/v) Σ ω(xᵀP⁻¹x) x xᵀ,    P_v = the largest P > 0 with P ≤ F_v(P), 0 if there is none

In one dimension P_v solves Σ ψ(x²/p) = v. A level u, a strength G > 1 and a count T are public. For t = 1..T,
s a little above 1, ζ a little above 0:

    (1) Hi ≥ P_{u - (t - 1)s}, Lo ≥ P_{u + ts}, each certified; no if there is none
    (2) C_t: Σ ψ'(xᵀLo⁻¹x) x xᵀ ≥ (G + (e + ζ)t) Hi, in the order of matrices
    (3) h = the largest t with C_t, 0 if none: h moves by at most 1
    (4) f = P_u, from above. If h, h' ≥ 1, there is P₀ with P₀ ≤ f, f' and tr(P₀⁻¹f - I), tr(P₀⁻¹f' - I) ≤ g,
        g = 1/(G - 1) and a little

C_t implies C_{t - 1} for the neighbour, with what is computed, because s and ζ hold what rounding and
stopping early may change. A level is found from above, with a certificate, a factor T of Q = (TᵀT)⁻¹ ≥ P_v:

    columns are brought to scale by powers of two, at the level of the start                     `Scaled`
    Q ← F_v(Q), enlarged by what rounding may have lost                                          `inflation`
    until |TF_v(Q)Tᵀ - I| ≤ `slack`: then P_v ≤ Q ≤ P_{v(1 - ξ)}, ξ = slack + inflation
    no answer if tr Q⁻¹ exceeds `widest` in these units, or after `steps` steps

Every constant is public. Proof: `proofs/matrix_quantile.md`, sections 1 to 4.

Lifted rows y = (1, x) of D = d + 1 columns:

    P_v = [[s, s mᵀ], [s m, S + s m mᵀ]]:   a location m, a scatter S > 0, a scale s > 0
    C_t: Σ ψ'(yᵀLo⁻¹y) y yᵀ ≥ (G + (e + ζ)t) Hi, and s(Lo) ≥ s_min

If h, h' ≥ 1, there are P₀ with location m₀, scatter S₀ such that of both data sets S ≥ S₀, tr(S₀⁻¹S - I) ≤ g,
and |m - m₀| ≤ b in the norm of S₀, with g' = 1/(G - 1), c = sup ψ(q)/√q, and x what the iteration and
rounding leave of tr P⁻¹(f - P):

    b = (1/s_min) (c √(1 + g')/u + (1 - G/u) g'/√q₁) + √(1 + g') x/(2 √s_min),      g = g' + (1 + g') x

Floats: the centre is the median o_(h) of every column, and units hold for any centre among the order
statistics h - t - 1 to h + t + 1: those of a neighbour at t - 1 lie within. An absent row is the zero row of
d + 1 columns, not (1, 0), and its entries are 0 among order statistics. A factor T of a quantile Q = (TᵀT)⁻¹
is [[τ, 0], [a, B]]: s = 1/τ², and of its inverse [[r, 0], [l, R]] the location is l/r and R a root of S.
Proof: `proofs/affine_mean.md`, sections 1 to 3 and 5.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, lru_cache
from importlib.resources import files
from math import ceil, floor, log, sqrt
from math import e as EULER
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError, positive
from workbench.estimators.shared.rows import present
from workbench.linalg import MANY, fewest
from workbench.privacy import ApproxDP
from workbench.privacy.stable import Lift
from workbench.special import dsyrk, dtrtri, dtrtrs, gammaln
from workbench.types import Array, Floats, RowMap, frozen, remembered

AT_ONCE = 6144  # rows that are mapped at a time: a multiple of the panels that BLAS adds up in turn
NODES = 4000  # of an integral over the lengths of normal rows
UNIT = 2.0**-53
WIDEST = 2.0**33  # of the trace of Q⁻¹, columns in units of their scale: rotated rows of condition about 1e9
TINY, LARGE = -400, 200  # exponents: smaller entries count as 0; scaled rows beyond it are shortened
FLOOR = -2 * 410  # exponents of squares start here
SMALLEST = 2.0**-340  # entries below it count as 0: differences are then 0 or 2^-392 at least
GUARD = 6  # of `widest`: what |B|² may be is this part of it
STOP = 1e-5  # a level is known to this relative precision, or as well as rounding allows
MOST_SPACING = 2.0  # `highest` is above every level only then
NEAR = 1.01  # how near a number of rows is found

Cell: TypeAlias = dict[str, Any]  # numbers and rows of numbers that say what normal rows do


def quantile(x: Array, level: float, knee: float = 1.0) -> Array | None:
    """Return P_v of rows x of shape (n, d) at v = `level`, None if there is none; without privacy.

    >>> round(quantile(np.array([[1.0], [2.0], [3.0], [4.0]]), 2.0).item(), 6)
    14.0
    """
    n, d = x.shape
    solver = Solver(Influence(knee), inflation(n, d), max(1e-9, 4 * d * inflation(n, d)), 20_000)
    scaled = Scaled.of(x, solver.influence, level)
    factor = solver.descend(scaled, scaled.start(), level)
    if factor is None:
        return None
    root = scaled.root(factor)
    return root @ root.T


def soft_count(x: Array, scale: Array, knee: float = 1.0) -> Array:
    """Return Σ ψ(x²/p) of one column for every p: it falls, and passes v at P_v."""
    influence, squares = Influence(knee), np.asarray(x, np.float64).ravel() ** 2
    return np.array([influence.value(squares / p).sum() for p in np.atleast_1d(scale)])


@frozen
class Influence:
    """ψ with the knee q₁."""

    knee: float

    def __post_init__(self) -> None:
        if not 0 < self.knee <= 1:
            raise ArgumentError("knee", self.knee, "in (0, 1]")

    @property
    def most(self) -> float:
        return 1 / (1 - log(self.knee))

    @property
    def steepest(self) -> float:
        return self.most / self.knee

    def value(self, q: Array) -> Array:
        return q * self.weight(q)

    def weight(self, q: Array) -> Array:
        base = np.maximum(q, self.knee)
        if self.knee == 1.0:
            return 1.0 / base
        top = np.log(np.minimum(base, 1.0) * (1 / self.knee))
        return (self.most + self.most * top) / base

    def slope(self, q: Array) -> Array:
        return np.where(q < 1.0, self.most / np.maximum(q, self.knee), 0.0)


@remembered
def normal_level(influence: Influence, d: int, scale: float) -> float:
    """Return E ψ(χ²_d/scale)/d: at this share of the rows, normal rows have the quantile `scale` times Σ."""
    high = (sqrt(d) + 9.0) ** 2
    root = (np.arange(NODES) + 0.5) * (sqrt(high) / NODES)  # χ² = root², smooth at 0
    density = np.exp((d - 1) * np.log(root) - root**2 / 2 - (d / 2 - 1) * log(2) - gammaln(d / 2))
    mean = (influence.value(np.asarray(root**2 / scale)) * density).sum() / density.sum()
    return float(mean) / d


def inflation(n: int, d: int, widest: float = WIDEST) -> float:
    """Return η: what one step may lose at most, in the order of matrices and in units of Q."""
    return 1.25 * UNIT * (d * d * (4 * sqrt(d) + 2) * sqrt(widest) + 4 * (n + d) * d)


@frozen
class Scaled:
    """Rows in units of their columns, one column of `rows` for each row, and the exponents of the units."""

    rows: Array
    exponents: Array

    @classmethod
    def of(cls, x: Array, influence: Influence, level: float) -> "Scaled":
        """Return rows in units 2^k with Σ min(1, ω(0) x²/4^k) < level: 4^k ≥ the diagonal of P_level."""
        rows = np.array(x.T, np.float64, order="C")
        units = np.array([unit(exponents(column), influence.steepest, level) for column in rows])
        return cls(in_units(rows, units), units)

    def start(self) -> Array:
        """Return the factor T = I/√d of Q = d diag(units²), which is above P_v for every v ≥ the level."""
        return np.eye(len(self.rows)) / sqrt(len(self.rows))

    def moment(self, influence: Influence, factor: Array, level: float) -> Array:
        """Return T F_v(Q) Tᵀ."""

        def weighted(rows: Array) -> Array:
            mapped = factor @ rows
            mapped *= np.sqrt(influence.weight(_squares(mapped)) / level)
            return mapped

        return self._sum(weighted)

    def slope(self, influence: Influence, low: Array, high: Array) -> float:
        """Return the largest c with Σ ψ'(xᵀLo⁻¹x) x xᵀ ≥ c Hi."""
        found = self._sum(lambda rows: (high @ rows) * np.sqrt(influence.slope(_squares(low @ rows))))
        return float(np.linalg.eigvalsh(found)[0])

    def _sum(self, change: RowMap) -> Array:
        # Σ y yᵀ of what a map makes of the rows, a block at a time, with the bits of one product of all
        d, n = self.rows.shape
        if d == 1 or n < 2 * AT_ONCE:
            whole = change(self.rows)
            return whole @ whole.T
        found, starts = np.zeros((d, d), order="F"), range(0, n - AT_ONCE + 1, AT_ONCE)
        for start in starts:
            part = change(self.rows[:, start : n if start == starts[-1] else start + AT_ONCE])
            found = dsyrk(1.0, part.T, 1.0, found, trans=1, lower=1, overwrite_c=1)
        return np.tril(found) + np.tril(found, -1).T

    def scale(self, factor: Array) -> float:  # s of lifted rows
        return float(np.ldexp(1 / factor[0, 0] ** 2, 2 * int(self.exponents[0])))

    def root(self, factor: Array) -> Array:
        return np.ldexp(np.linalg.inv(factor), self.exponents[:, None])


def _squares(columns: Array) -> Array:
    return np.einsum("ij,ij->j", columns, columns)


def exponents(columns: Array) -> NDArray[np.int32]:
    """Return e with |x| < 2^e of every entry; the lowest for one that counts as 0."""
    return np.where(np.abs(columns) < 2.0**TINY, FLOOR, np.frexp(columns)[1])


def in_units(rows: Array, units: NDArray[np.int_]) -> Array:
    """Bring one column for each row to units 2^k, in place; a row far beyond them has its direction alone."""
    for start in range(0, rows.shape[1], AT_ONCE):
        block = rows[:, start : start + AT_ONCE]
        powers = exponents(block)
        far = np.maximum((powers - units[:, None]).max(axis=0) - LARGE, 0)
        block[:] = np.where(powers == FLOOR, 0.0, np.ldexp(block, -units[:, None] - far))
    return rows


def unit(powers: NDArray[np.int32], steepest: float, level: float) -> int:
    """Return the least k with Σ min(1, ω(0) 4^(e - k)) < level, e the exponents of the entries."""
    counts = np.bincount(powers - FLOOR)
    counts[0] = 0
    used = np.flatnonzero(counts)
    if not len(used):
        return FLOOR
    low, high = -1, int(used[-1]) + 1 + ceil(log(steepest * max(counts.sum() / level, 1.0), 4))
    while high > low + 1:
        middle = (low + high) // 2
        total = (counts[used] * np.minimum(1.0, steepest * 4.0 ** np.minimum(used - middle, 0))).sum()
        low, high = (low, middle) if total < level else (middle, high)
    return high + FLOOR


@frozen
class Solver:
    influence: Influence
    inflation: float
    slack: float
    steps: int
    widest: float = WIDEST
    least: float | None = None  # the scale of lifted rows, and a guard that does not depend on their centre

    def descend(self, scaled: Scaled, factor: Array, level: float) -> Array | None:
        """Return the factor of a certified Q for `level`, from a factor of one above P_level, or None."""
        for _ in range(self.steps):
            moment = scaled.moment(self.influence, factor, level)
            away = distance(moment)
            if away <= self.slack:
                return factor
            try:
                factor = self.step(moment, away, factor)
            except np.linalg.LinAlgError:
                return None
            if not self.allowed(scaled, factor):
                return None
        return None

    def allowed(self, scaled: Scaled, factor: Array) -> bool:
        if self.least is None:
            return bool((factor * factor).sum() <= self.widest)
        within = bool((factor[1:, 1:] ** 2).sum() <= self.widest / GUARD)
        return within and scaled.scale(factor) >= self.least

    def step(self, moment: Array, away: float, factor: Array) -> Array:
        """Return the factor of F_v(Q), enlarged, from T F_v(Q) Tᵀ and its distance to I."""
        lost = self.inflation * (1 + away) ** 1.5
        lower = np.linalg.cholesky(moment + lost * _identity(len(factor)))
        solved, singular = dtrtrs(lower, factor, lower=1)  # scipy's solve_triangular takes ten times as long
        if singular:
            raise np.linalg.LinAlgError("a step is singular")
        return solved


def distance(moment: Array) -> float:
    return float(np.linalg.norm(moment - _identity(len(moment))))


@lru_cache(maxsize=64)
def _identity(d: int) -> Array:
    found = np.eye(d)
    found.flags.writeable = False
    return found


@frozen
class Stability:
    """Steps (1) to (4) for n rows of dimension d; everything is public."""

    n: int
    d: int
    influence: Influence
    level: float
    most: int
    strength: float
    widest: float = WIDEST

    def __post_init__(self) -> None:
        if not self.strength > 1:
            raise ArgumentError("strength", self.strength, "above 1")
        if not self.low(self.most) > 1:
            raise ArgumentError(
                "level", self.level, f"above {self.most}, the count of the test, and to spare"
            )
        far = (1 + sqrt(self.d) + self.n / self.low(self.most)) ** 1.5
        lost = max(200 * self.solver.inflation * far, 40 * self.solver.slack)
        if not (lost < self.contraction and self.spacing <= MOST_SPACING):
            raise ArgumentError("n", self.n, "fewer rows for this level and strength: rounding would count")

    @property
    def highest(self) -> float:
        return self.level + 2 * self.most  # above every level that is used

    @property
    def contraction(self) -> float:
        return self.strength / self.highest  # κ: a step takes off this share of tr P⁻¹(Q - P) if C_t holds

    @cached_property
    def solver(self) -> Solver:
        lost = inflation(self.n, self.d, self.widest)
        slack = max(self.stop, 4 * lost * self.d / self.contraction)
        return Solver(self.influence, lost, slack, self.steps(8 * self.d * self.widest / slack), self.widest)

    @property
    def stop(self) -> float:
        return STOP

    def steps(self, ratio: float) -> int:
        """Return after how many steps tr P⁻¹(Q - P) is smaller by this ratio."""
        return ceil(1.02 * log(ratio) / self.contraction) + 1

    @property
    def spacing(self) -> float:
        return 1 + 3 * (self.solver.slack + 2 * self.solver.inflation) * self.highest  # s of (1)

    @property
    def margin(self) -> float:
        return 4 * self.solver.inflation * self.highest  # ζ

    @cached_property
    def polishing(self) -> int:
        return max(0, ceil(log(self._left / self.wanted) / self.contraction))

    @property
    def wanted(self) -> float:
        return 1e-3 / (self.strength - 1)

    @property
    def change(self) -> float:
        """G of (4): 1/(G - 1), what the iteration leaves, and what rounding of f and its root adds."""
        exact = 1 / (self.strength - 1)
        return exact + (1 + exact) * self.error

    @property
    def error(self) -> float:
        """Tr P⁻¹(f - P) at most: what the iteration and the rounding of f and its root leave."""
        rounding = (3 / self.contraction + 4) * self.solver.inflation * self.d
        return self._left * (1 - self.contraction) ** self.polishing + rounding

    @property
    def _left(self) -> float:
        # tr P⁻¹(Q - P) at most, for a certified Q
        slack = self.solver.slack + self.solver.inflation
        return slack * self.d / (self.contraction - slack)

    @property
    def held(self) -> float:
        """u/n: if h ≥ 1, a smaller share of rows cannot carry P_u away, however far (`affine_mean.md`, 7)."""
        return self.level / self.n

    def low(self, t: int) -> float:
        return self.level - (t - 1) * self.spacing

    def high(self, t: int) -> float:
        return self.level + t * self.spacing

    def measure(self, x: Array) -> tuple[int, Array]:
        """Return h, and a root of f; the identity where h is 0."""
        h, high = self.count(x)  # (3)
        if high is None:
            return h, np.eye(self.d)
        scaled = self.scaled(x, h)
        return h, scaled.root(self.polished(scaled, high)) * (1 + self.solver.inflation)  # (4)

    def count(self, x: Array) -> tuple[int, Array | None]:
        """Return h, and the factor of Hi there, if h is not 0."""
        passed, found = 0, self.holds(x, self.most)
        if found is not None:
            return self.most, found
        failed = self.most
        while failed > passed + 1:
            middle = (passed + failed) // 2
            here = self.holds(x, middle)
            passed, failed, found = (passed, middle, found) if here is None else (middle, failed, here)
        return passed, found

    def holds(self, x: Array, t: int) -> Array | None:
        """Return the factor of Hi if C_t holds, else None."""
        scaled = self.scaled(x, t)
        high = self.solver.descend(scaled, scaled.start(), self.low(t))  # (1)
        low = None if high is None else self.solver.descend(scaled, high, self.high(t))
        return high if high is not None and low is not None and self.accepts(scaled, low, high, t) else None

    def accepts(self, scaled: Scaled, low: Array, high: Array, t: int) -> bool:
        needed = self.strength + (self.influence.most + self.margin) * t
        return self.slope(scaled, low, high) >= needed  # (2)

    def scaled(self, x: Array, t: int) -> Scaled:
        return Scaled.of(x, self.influence, self.low(t))

    def slope(self, scaled: Scaled, low: Array, high: Array) -> float:
        return scaled.slope(self.influence, low, high)

    def polished(self, scaled: Scaled, high: Array) -> Array:
        """Return the factor of f, from a certified Hi: as many steps more as `change` takes for granted."""
        factor = self.solver.descend(scaled, high, self.level)
        assert factor is not None, "C_t holds: a level between Lo and Hi is reached"
        for _ in range(self.polishing):
            moment = scaled.moment(self.influence, factor, self.level)
            factor = self.solver.step(moment, distance(moment), factor)
        return factor


@frozen
class Lifted(Scaled):
    """Rows (1, x - centre) in units of their columns."""

    centre: Array

    @classmethod
    def around(cls, x: Array, influence: Influence, level: float, t: int) -> "Lifted":
        """Return the rows of x, shape (n, d), in units for `level` that hold for every centre of t."""
        there, middle = present(x), (len(x) + 1) // 2 - 1
        places = [middle - t - 1, middle, middle + t + 1]
        rows, centre = np.empty((x.shape[1] + 1, len(x))), np.empty(x.shape[1])
        rows[0], rows[1:] = there, x.T
        units = [unit(exponents(rows[0]), influence.steepest, level)]
        for column, entry in enumerate(rows[1:]):
            entry[~(there & (np.abs(entry) >= SMALLEST))] = 0.0
            low, centre[column], high = np.partition(entry, places)[places]
            reach = np.maximum(np.abs(entry - low), np.abs(entry - high))
            units.append(unit(exponents(there * reach), influence.steepest, level))
            entry -= centre[column]
            entry *= there
        return cls(in_units(rows, np.array(units)), np.array(units), centre)

    def parts(self, factor: Array) -> tuple[Array, Array]:
        inverse, _ = dtrtri(factor, lower=1)
        first, units = int(self.exponents[0]), self.exponents[1:]
        shift = np.ldexp(inverse[1:, 0] / inverse[0, 0], units - first)
        return shift, np.ldexp(np.tril(inverse[1:, 1:]), units[:, None])


@frozen
class LiftedStability(Stability):
    """Step (1) for n rows of d - 1 columns, lifted to d; everything is public."""

    least: float = 0.0

    def __post_init__(self) -> None:
        positive(least=self.least)
        if self.n < 2 * (self.most + 2):
            raise ArgumentError("n", self.n, f"at least {2 * (self.most + 2)} for a count of {self.most}")
        super().__post_init__()

    @cached_property
    def solver(self) -> Solver:
        usual, low_bound = super().solver, max(1.0, self.level - 2 * self.most)  # below every level in use
        largest = 16 * self.influence.steepest * self.n / low_bound
        ratio = 8 * self.d * self.widest * (1 + self.d * largest / self.least) / usual.slack
        return replace(usual, steps=self.steps(ratio), least=self.least)

    @property
    def stop(self) -> float:
        """Well enough for levels about one row apart, however many rows."""
        return min(super().stop, 0.1 / self.highest)

    def scaled(self, x: Array, t: int) -> Lifted:
        return Lifted.around(x, self.influence, self.low(t), t)

    def accepts(self, scaled: Scaled, low: Array, high: Array, t: int) -> bool:
        return scaled.scale(low) >= self.least and super().accepts(scaled, low, high, t)

    @property
    def wanted(self) -> float:
        """What the iteration may leave of tr P⁻¹(f - P): little of either bound."""
        return min(super().wanted, 2e-3 * sqrt(self.least) * self.exact)

    @property
    def exact(self) -> float:
        strong, level = 1 / (self.strength - 1), self.level
        place = EULER * self.influence.knee  # c = sup ψ(q)/√q is 1, or the value at e q₁
        steepest = max(1.0, 2 * self.influence.most / sqrt(place)) if place < 1 else 1.0
        direct = steepest * sqrt(1 + strong) / level
        passed_on = max(0.0, 1 - self.strength / level) * strong / sqrt(self.influence.knee)
        return (direct + passed_on) / self.least

    @property
    def shift(self) -> float:
        """b: how far m is from m₀ at most, in the norm of S₀."""
        strong = 1 / (self.strength - 1)
        return self.exact + sqrt(1 + strong) * self.error / (2 * sqrt(self.least))

    def lift(self, x: Array) -> Lift:
        h, high = self.count(x)
        if high is None:
            return Lift(h, np.zeros(self.d - 1), np.zeros(self.d - 1), np.eye(self.d - 1), 1.0)
        scaled = self.scaled(x, h)
        factor, wider = self.polished(scaled, high), 1 + self.solver.inflation
        shift, root = scaled.parts(factor)
        return Lift(h, scaled.centre, shift, root * wider, sqrt(scaled.scale(factor)) * wider)


def percent(share: float) -> str:
    """Return a share in tenths of a percent, rounded down.

    >>> percent(0.54 / 11)
    '4.9%'
    """
    return f"{floor(1000 * share + 1e-6) / 10:g}%"


def carried(share: float) -> str:
    what = f"up to {percent(share)} cannot carry the release away"
    return f"far rows: {what}, from public numbers; more at one point may"


def levels_around(
    scaled: Scaled, influence: Influence, level: float, ratios: Floats
) -> tuple[Array, list[Array], Array] | None:
    # the factor at a level, those above it at every ratio, and for every pair of levels the slope over n
    solver, factors, here = Solver(influence, 1e-9, 1e-4, 400), [], scaled.start()
    for one in (*(level * (1 - r) for r in ratios[:0:-1]), *(level * (1 + r) for r in ratios)):
        found = solver.descend(scaled, here, one)
        if found is None:
            return None
        factors.append(here := found)
    middle, n = len(ratios) - 1, scaled.rows.shape[1]
    pairs = zip(factors[middle::-1], factors[middle:], strict=True)
    slopes = np.array([scaled.slope(influence, low, high) / n for high, low in pairs])
    return factors[middle], factors[middle:], slopes


def rounded(values: Array, digits: int) -> float | list[float]:
    if values.ndim:
        return [round(one, digits) for one in values.tolist()]
    return round(float(values), digits)


def means_and_spreads(values: Array, n: int, digits: int) -> tuple[float | list[float], ...]:
    return rounded(values.mean(axis=0), digits), rounded(values.std(axis=0, ddof=1) * sqrt(n), digits)


@lru_cache(maxsize=2)
def kept_cells(file: str) -> dict[str, Any]:
    path = files(__package__) / file
    return dict(json.loads(path.read_text("utf-8"))) if path.is_file() else {}


def counts(budget: ApproxDP, multiples: Floats) -> list[int]:
    return sorted({max(2, ceil(one * log(1 / budget.delta) / budget.epsilon)) for one in multiples})


def between(n: int, cell: Callable[[int], Cell], lowest: int, highest: int) -> Cell:
    """Return the cell of n rows, linear in 1/√n between powers of 4.

    Above the powers from `lowest` to `highest`, and below, it goes on from the nearest two of them.
    """
    power = min(max(floor(log(max(n, 1), 4)), lowest), highest)
    low, high = cell(power), cell(power + 1)
    part = (1 / sqrt(n) - 2.0**-power) / (2.0 ** -(power + 1) - 2.0**-power)
    pairs = {name: (np.asarray(one), np.asarray(high[name])) for name, one in low.items()}
    return {name: (first + part * (second - first)).tolist() for name, (first, second) in pairs.items()}


def write(file: str, table: dict[str, Any]) -> None:
    lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in table.items())
    with open(str(files(__package__) / file), "w", encoding="utf-8") as out:
        out.write("{\n" + ",\n".join(lines) + "\n}\n")


def fewest_that(works: Callable[[int], bool], start: int, refusal: ArgumentError) -> int:
    """Return the fewest rows, to 1 %, that work, from half of `start` on; raise where none of 10¹² do."""
    found = fewest(lambda n: works(n) or None, start, NEAR)
    if found > MANY:
        raise refusal
    return found
