"""A check that rows are resilient, and a mean chosen by its distance to trimmed means.  LKKO21 Algorithm 2.

Rows x of shape (n, d), d = 1, 2 or 3; z = x - centre, entries cut to ±(radius + w), w = `width`; v is one of
the public directions and t a point of the grid on [-radius, radius]^d (`parts.nets.direction_net`). k = ⌈3 α
n⌉ rows are trimmed on either side, α = `corruption`. With y_1 ≤ … ≤ y_n, the sorted ⟨v, z_i⟩, rounded to a
public grid, and m = 0 .. k-1:

    (1) W_m = max_v max(y_{n-k+1+m} - y_{k+1-m}, y_{n-k+m} - y_{k-m})
    (2) g = the largest m with W_m ≤ w, or -1                                             sensitivity 1
    (3) go on if g + noise - margin > -1, otherwise no answer                 passes at g = -1: probability δ
    (4) q(t) = -max_v |⟨v, t⟩ - (y_{k+1} + … + y_{n-k})/(n - 2k)|, ⟨v, t⟩ rounded, too
                                                                                  w/(n - 2k) if W_0 ≤ w
    (5) out = centre + t, t with probability ∝ e^{ε q(t) (n-2k)/(2w)}

Propose-test-release: g is how many rows have to be replaced, less one, before the trimmed means may move by
more than w/(n - 2k); the private test of step (3) fails to notice it with probability δ. `check` is the share
of ε or ρ that the test takes. What a net loses is accuracy, by the factor 1/cos of its largest gap.

Departures from the source: it tests R, the resilience of the best (1-2α) n rows, which bounds these widths by
its Lemma H.1 and takes C(n, 2αn) subsets; here the widths themselves are tested, which is all that the
sensitivity needs. Proof: `proofs/resilience.md`, sections 2 to 5.
"""

from dataclasses import dataclass
from math import ceil, inf, sqrt

import numpy as np

from workbench.errors import ArgumentError, Public, positive, probability, real, require_columns
from workbench.estimators.base import Abstention, Trace, in_columns
from workbench.estimators.parts.budgets import divided, rule
from workbench.estimators.parts.foreseen import better_than
from workbench.estimators.parts.nets.direction_net import (
    boxed,
    directions,
    grid,
    grid_size,
    median_on_grid,
    projected,
    require_few_columns,
)
from workbench.estimators.parts.rows import on_both_sides
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, NoiseSource, Plan, Sequential
from workbench.privacy.grid import Integers, OnGrid, step_of, widest
from workbench.privacy.mechanisms import exponential, lower_bound, lower_bound_offset, selection_scale
from workbench.special import ndtr
from workbench.types import Array, PerColumn

CHECK, MEAN = "check", "mean"
LOOKED = 10_000  # numbers of rows that are tried for the fewest
FINE, LARGEST = 30, 60  # bits of w in units of the grid, and of a sum of n rows
CHECK_SHARE = 1 / 3


@dataclass(frozen=True, kw_only=True)
class TrimmedNet(Public):
    """The recipe for public numbers in one unit; `width` is w."""

    radius: float
    width: float
    corruption: float
    centre: PerColumn
    step: float
    check: float

    def _validate(self) -> None:
        positive(width=self.width)
        probability(check=self.check)

    @property
    def box(self) -> float:
        """The bound at which entries of rows are cut."""
        return self.radius + self.width

    def trim(self, n: int) -> int:
        """Return k, or raise if nothing would be left between the tails."""
        if n - 2 * self._tail(n) < 1:
            enough = ceil(3 / (1 - 6 * self.corruption))  # some fewer may do
            more = next((m for m in range(n, n + LOOKED) if m - 2 * self._tail(m) >= 1), enough)
            raise ArgumentError("n", n, f"at least {more}: the {2 * self._tail(n)} in the tails are trimmed")
        return self._tail(n)

    def _tail(self, n: int) -> int:
        return ceil(3 * self.corruption * n * (1 - 1e-12))

    def sensitivity(self, n: int, d: int) -> float:
        """Return w/(n - 2k)."""
        return self.width / (n - 2 * self.trim(n))

    def unit(self, n: int, d: int) -> float:
        """Return the step of the grid: sums of n rows are whole numbers of 64 bits."""
        return max(step_of(self.width, FINE), step_of(n * sqrt(d) * self.box, LARGEST))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of steps (3) and (5)."""
        require_few_columns(n, d)
        require_columns(d, centre=self.centre)
        require_delta(budget)
        grid_size(d, self.radius, self.step)
        check, choice = divided(budget, self.check)
        charges = (
            Charge(CHECK, "lower_bound", 1.0, check),
            Charge(MEAN, "exponential", self.sensitivity(n, d), choice),
        )
        return Sequential(rule(budget), charges)

    def predicted_error(self, n: int, d: int, budget: Budget, sigma: float) -> float:
        """Return the median of |out - mean|/sigma for normal rows; infinite where most runs give no answer.

        k - n Φ(-w/(2 sigma)) rows are more than the test asks for; the mean is between candidates.
        """
        plan = self.plan(n, d, budget)
        margin = min(self.trim(n) - 1.0, self.trim(n) - n * float(ndtr(-self.width / (2 * sigma))))
        if not margin + lower_bound_offset(plan[CHECK]) > -1:
            return inf
        scale, unit = selection_scale(plan[MEAN]), 1 / sigma
        expected = median_on_grid(
            d, unit * self.radius, unit * self.step, 1 / sqrt(n), lambda apart: -sigma * apart / scale
        )
        return better_than(sqrt(d) * self.radius / sigma, expected)

    def draw(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None) -> Array | Abstention:
        """Return a candidate, or no answer."""
        n, d = x.shape
        plan, unit, left = self.plan(n, d, budget), self.unit(n, d), n - 2 * self.trim(n)
        middle = in_columns(self.centre, d)
        z, far = boxed(x, middle, self.box), sqrt(d) * self.box
        widths, sums = trimmed(z, self.trim(n), unit, far)  # (1)
        margin = int(np.searchsorted(widths, widest(self.width, unit), side="right")) - 1  # (2)
        if trace is not None:
            trace.add(margin=margin, widths=widths * unit, means=sums * (unit / left))
        if not lower_bound(margin, plan[CHECK], noise) > -1:  # (3)
            return Abstention(CHECK)
        points = grid(d, self.radius, self.step)
        scores = OnGrid(-distances(points, sums, left, unit), unit / left)
        chosen = exponential(scores, plan[MEAN], noise)  # (4), (5)
        return np.asarray(middle + points[chosen])


def trimmed(z: Array, k: int, unit: float, far: float) -> tuple[Integers, Integers]:
    """Return W_0 .. W_{k-1} and the trimmed sums, k rows off on either side of every direction, in units.

    Absent rows are at either end in turn.
    """
    n, d = z.shape
    widths, sums = np.zeros(k, np.int64), []
    for v in directions(d):
        y = np.sort(whole(on_both_sides(projected(z, v), far), unit))
        np.maximum(widths, y[n - k :] - y[k:0:-1], out=widths)
        np.maximum(widths, y[n - k - 1 : n - 1] - y[k - 1 :: -1], out=widths)
        sums.append(y[k : n - k].sum())
    return widths, np.array(sums)


def distances(points: Array, sums: Integers, left: int, unit: float) -> Integers:
    """Return max_v |(n - 2k)⟨v, t⟩ - trimmed sum| for every point t, in units; n - 2k rows are left."""
    worst = np.zeros(len(points), np.int64)
    for v, total in zip(directions(points.shape[1]), sums, strict=True):
        np.maximum(worst, np.abs(left * in_units(points, v, unit) - total), out=worst)
    return worst


def in_units(rows: Array, direction: Array, unit: float) -> Integers:
    """Return ⟨v, row⟩ of every row, rounded to whole numbers of a unit."""
    return whole(projected(rows, direction), unit)


def whole(values: Array, unit: float) -> Integers:
    """Return numbers rounded to whole ones of a unit."""
    return np.asarray(np.rint(values / unit).astype(np.int64))


def require_corruption(corruption: float) -> None:
    """Raise unless some rows are trimmed, and some are left."""
    if not (real(corruption) and 0 < corruption < 1 / 6):
        raise ArgumentError("corruption", corruption, "a number strictly between 0 and 1/6")


def require_delta(budget: Budget) -> None:
    """Raise unless the budget has a δ for the test."""
    match budget:
        case ZCDP(_, delta) if delta > 0:
            return
        case ApproxDP(_, delta) if 0 < delta <= 0.5:
            return
    raise ArgumentError("budget", budget, "ZCDP with delta > 0, or ApproxDP with delta > 0, at most 1/2")
