"""A stable matrix quantile: how many rows may be replaced before it could move far.

Rows x of shape (n, d), mean 0; neighbours: replace one row. P_v as in `parts.quantile.levels`, e = sup q
ψ'(q). A level u, a strength G > 1 and a count T are public. For t = 1..T, s a little above 1, ζ a little
above 0:

    (1) Hi ≥ P_{u - (t - 1)s}, Lo ≥ P_{u + ts}, each certified; no if there is none
    (2) C_t: Σ ψ'(xᵀLo⁻¹x) x xᵀ ≥ (G + (e + ζ)t) Hi, in the order of matrices
    (3) h = the largest t with C_t, 0 if none: h moves by at most 1
    (4) f = P_u, from above. If h, h' ≥ 1, there is P₀ with P₀ ≤ f, f' and tr(P₀⁻¹f - I), tr(P₀⁻¹f' - I) ≤ g,
        g = 1/(G - 1) and a little

C_t implies C_{t - 1} for the neighbour, with what is computed, because s and ζ hold what rounding and
stopping early may change. Proof: `proofs/matrix_quantile.md`, sections 2 to 4.
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, log, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.quantile.influence import Influence
from workbench.estimators.parts.quantile.levels import WIDEST, Scaled, Solver, distance, inflation
from workbench.types import Array

STOP = 1e-5  # a level is known to this relative precision, or as well as rounding allows
MOST_SPACING = 2.0  # `highest` is above every level only then


@dataclass(frozen=True)
class Stability:
    """The test for n rows of dimension d; everything is public."""

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
        """Return a level above every one that is used."""
        return self.level + 2 * self.most

    @property
    def contraction(self) -> float:
        """Return κ: one step takes off a share κ of tr P⁻¹(Q - P) where C_t holds."""
        return self.strength / self.highest

    @cached_property
    def solver(self) -> Solver:
        """Return the solver: slack for twice what rounding leaves, and steps enough where C_t holds."""
        lost = inflation(self.n, self.d, self.widest)
        slack = max(self.stop, 4 * lost * self.d / self.contraction)
        return Solver(self.influence, lost, slack, self.steps(8 * self.d * self.widest / slack), self.widest)

    @property
    def stop(self) -> float:
        """Return how well a level is known, if rounding allows."""
        return STOP

    def steps(self, ratio: float) -> int:
        """Return after how many steps tr P⁻¹(Q - P) is smaller by this ratio."""
        return ceil(1.02 * log(ratio) / self.contraction) + 1

    @property
    def spacing(self) -> float:
        """Return s."""
        return 1 + 3 * (self.solver.slack + 2 * self.solver.inflation) * self.highest

    @property
    def margin(self) -> float:
        """Return ζ."""
        return 4 * self.solver.inflation * self.highest

    @cached_property
    def polishing(self) -> int:
        """Return the steps after which f is as near as 1/1000 of 1/(G - 1), but for rounding."""
        return max(0, ceil(log(self._left / self.wanted) / self.contraction))

    @property
    def wanted(self) -> float:
        """Return what the iteration may leave of tr P⁻¹(f - P)."""
        return 1e-3 / (self.strength - 1)

    @property
    def change(self) -> float:
        """Return g of (4): 1/(G - 1), what the iteration leaves, and what rounding of f and its root adds."""
        exact = 1 / (self.strength - 1)
        return exact + (1 + exact) * self.error

    @property
    def error(self) -> float:
        """Return tr P⁻¹(f - P) at most: what the iteration and the rounding of f and its root leave."""
        rounding = (3 / self.contraction + 4) * self.solver.inflation * self.d
        return self._left * (1 - self.contraction) ** self.polishing + rounding

    @property
    def _left(self) -> float:
        """Return tr P⁻¹(Q - P) at most, for a certified Q."""
        slack = self.solver.slack + self.solver.inflation
        return slack * self.d / (self.contraction - slack)

    @property
    def held(self) -> float:
        """Return u/n: if h ≥ 1, a smaller share of rows cannot carry P_u away, however far they lie.

        With k < u + 1 others, anywhere, P_u ≤ ((u + 1)/G) P_v(Y), Y the rest and v = u + 1 - k. More in one
        place may hold P_u up by themselves, and are equally long: no test sees it. `affine_mean.md`, 7.
        """
        return self.level / self.n

    def low(self, t: int) -> float:
        """Return the level of Hi."""
        return self.level - (t - 1) * self.spacing

    def high(self, t: int) -> float:
        """Return the level of Lo."""
        return self.level + t * self.spacing

    def measure(self, x: Array) -> tuple[int, Array]:
        """Return h, and a root of f; the identity where h is 0."""
        h, found = self.count(x)
        return h, np.eye(self.d) if found is None else self.centre(*found)

    def count(self, x: Array) -> tuple[int, tuple[Scaled, Array] | None]:
        """Return h, and the rows in their units with the factor of Hi there, if h is not 0."""
        passed, found = 0, self.holds(x, self.most)
        if found is not None:
            return self.most, found
        failed = self.most
        while failed > passed + 1:
            middle = (passed + failed) // 2
            here = self.holds(x, middle)
            passed, failed, found = (passed, middle, found) if here is None else (middle, failed, here)
        return passed, found

    def holds(self, x: Array, t: int) -> tuple[Scaled, Array] | None:
        """Return rows in their units and the factor of Hi if C_t holds, else None."""
        scaled = self.scaled(x, t)
        high = self.solver.descend(scaled, scaled.start(), self.low(t))  # (1)
        low = None if high is None else self.solver.descend(scaled, high, self.high(t))
        if high is None or low is None:
            return None
        return (scaled, high) if self.accepts(scaled, low, high, t) else None  # (2)

    def accepts(self, scaled: Scaled, low: Array, high: Array, t: int) -> bool:
        """Tell whether C_t holds for Lo and Hi."""
        needed = self.strength + (self.influence.most + self.margin) * t
        return self.slope(scaled, low, high) >= needed

    def scaled(self, x: Array, t: int) -> Scaled:
        """Return the rows in the units of C_t."""
        return Scaled.of(x, self.influence, self.low(t))

    def slope(self, scaled: Scaled, low: Array, high: Array) -> float:
        """Return the largest c with Σ ψ'(xᵀLo⁻¹x) x xᵀ ≥ c Hi."""
        rows = scaled.lengths(high)[0] * np.sqrt(self.influence.slope(scaled.lengths(low)[1]))
        return float(np.linalg.eigvalsh(rows @ rows.T)[0])

    def centre(self, scaled: Scaled, high: Array) -> Array:
        """Return a root of f, from a certified Hi: as many steps more as `change` takes for granted."""
        return scaled.root(self.polished(scaled, high)) * (1 + self.solver.inflation)

    def polished(self, scaled: Scaled, high: Array) -> Array:
        """Return the factor of f."""
        factor = self.solver.descend(scaled, high, self.level)
        assert factor is not None, "C_t holds: a level between Lo and Hi is reached"
        for _ in range(self.polishing):
            moment = self.solver.moment(scaled, factor, self.level)
            factor = self.solver.step(moment, distance(moment), factor)
        return factor


def percent(share: float) -> str:
    """Return a share in tenths of a percent, rounded down.

    >>> percent(0.54 / 11)
    '4.9%'
    """
    return f"{floor(1000 * share + 1e-6) / 10:g}%"


def carried(share: float) -> str:
    """Return which share of far rows cannot carry an answer away.

    >>> carried(0.14)
    'far rows: up to 14% cannot carry the answer away, from public numbers; more in one place may'
    """
    what = f"up to {percent(share)} cannot carry the answer away"
    return f"far rows: {what}, from public numbers; more in one place may"
