"""Many quantiles of a column at once, on a range or without one.  Ours, of two known parts.

Rows x of shape (n,). Neighbours: replace one row. A row with an entry that is missing is in no gap and does
not count: the answers are the quantiles of the others. With z = (x - centre)/sigma, capped at ±1e15:

    (1) y = z on [-radius/sigma, radius/sigma]; without a radius, y = asinh(z) on ±asinh(1e15)
    (2) with a grid, z is rounded to it and moved by up to half its step, at random
    (3) knots, some or all of the levels, and the tree in which they are drawn: `parts.locate.knots`
    (4) level by level, the knots of every node of the tree: `parts.locate.cutting`
    (5) the other levels between them in proportion; out = centre + sigma z(y), rounded to the grid

A node draws its knots together by the exponential mechanism (JointExp of Gillenwater, Joseph & Kulesza 2021);
nodes in the gaps that former draws leave are those of Kaplan, Schnapp & Stemmer (2022), at any fan-out and
with shares of all points, so that a level costs its ε once under replace-one. Proof: `proofs/quantiles.md`.
"""

import itertools
from dataclasses import dataclass
from math import asinh

import numpy as np

from workbench.errors import ArgumentError, positive, probability
from workbench.estimators.base import (
    FARTHEST,
    Trace,
    Univariate,
    require_rows,
    standard_radius,
    standardised,
)
from workbench.estimators.parts.budgets import require_selection, rule
from workbench.estimators.parts.locate.cutting import Cutting
from workbench.estimators.parts.locate.knots import Knots, knots
from workbench.estimators.parts.locate.knots_error import Foresight
from workbench.estimators.parts.rows import own_stream
from workbench.privacy import Budget, Charge, NoiseSource, Plan, Sequential
from workbench.types import Array

MOST = 1000  # levels


@dataclass(frozen=True, kw_only=True)
class Quantiles(Univariate[Array]):
    """Private quantiles of one column, many at once, on a known range or anywhere (ours).

    Accurate in rank for any rows: the share of rows below an answer is near its level. The error bound is
    for normal rows, without a radius with a mean within 1e6 sigma of `centre`.
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP, or ZCDP with delta = 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    answers are the quantiles of the other rows.

    Parameters
    ----------
    levels : tuple of float, default (0.25, 0.5, 0.75)
        Increasing, between 0 and 1: 0.5 is the median.
    radius : float or None, default None
        The rows lie within it of `centre`, others count as the nearer end. None: anywhere on the line.
    centre : float, default 0.0
        Middle of the range; without a radius, where the rows are to within orders of magnitude.
    sigma : float
        Without a radius, the spread of the rows to within orders of magnitude; with one, a unit.
    grid : float or None, default None
        The rows are whole numbers of this step, counted from centre - radius; so are the answers.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import PureDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=2000)
    >>> release = Quantiles(sigma=1.0)(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> [bool(abs(value - wanted) < 0.2) for value, wanted in zip(release.value, (2.33, 3.0, 3.67))]
    [True, True, True]
    """

    levels: tuple[float, ...] = (0.25, 0.5, 0.75)
    radius: float | None = None
    centre: float = 0.0
    sigma: float
    grid: float | None = None

    def _validate(self) -> None:
        _require_levels(self.levels)
        if self.radius is not None:
            standard_radius(self.radius, self.sigma)
        if self.grid is not None:
            positive(grid=self.grid)
            if self.radius is None or not self.radius / 2**40 <= self.grid <= self.radius:
                raise ArgumentError("grid", self.grid, "a step from 1e-12 of the radius to the radius")

    @property
    def reach(self) -> float:
        """Half the length of what is cut, in the unit of y, without half a step of the grid."""
        return asinh(FARTHEST) if self.radius is None else standard_radius(self.radius, self.sigma)

    @property
    def step(self) -> float:
        """The step of the grid in the unit of y, or 0."""
        return 0.0 if self.grid is None else self.grid / self.sigma

    def design(self, n: int, budget: Budget) -> Knots:
        """Return the knots and their tree (3)."""
        require_selection(budget)
        return knots(self.levels, n, budget, self.radius is not None, self.grid is not None)

    def cutting(self, n: int, budget: Budget) -> Cutting:
        """Return the mechanism of step (4)."""
        design, reach = self.design(n, budget), self.reach + self.step / 2
        return Cutting(-reach, reach, tuple(self.levels[one] for one in design.numbers), design.tree)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of step (4), one for each level of the tree."""
        require_rows(n, d)
        depth = len(self.design(n, budget).tree)
        costs: tuple[Budget, ...] = budget.split(*[1.0] * depth)
        charges = (Charge(f"level {one}", "cuts", 1.0, cost) for one, cost in enumerate(costs, start=1))
        return Sequential(rule(budget), tuple(charges))

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the private quantiles of rows of which absent ones are NaN."""
        n, cutting = len(x), self.cutting(len(x), budget)
        y = self.points(x, noise)
        drawn = cutting.draw(y, list(self.plan(n, 1, budget).charges()), noise)  # (4)
        return self.answers(np.interp(self.levels, cutting.levels, drawn))

    def points(self, x: Array, noise: NoiseSource) -> Array:
        """Return y of every row by itself, NaN of an absent one."""
        z = standardised(x, self.centre, self.sigma)
        if self.radius is None:
            return np.arcsinh(z)  # (1)
        if not self.step:
            return np.clip(z, -self.reach, self.reach)
        return self.on_grid(z) + self.step * (own_stream(noise).random(len(z)) - 0.5)  # (2)

    def on_grid(self, z: Array) -> Array:
        """Return the nearest point of the grid within the range."""
        last = (2 * self.reach) // self.step
        return np.clip(np.rint((z + self.reach) / self.step), 0, last) * self.step - self.reach

    def answers(self, y: Array) -> Array:
        """Return the values of places, in the unit of the data (5)."""
        y = np.maximum.accumulate(y)  # (5)
        z = np.sinh(y) if self.radius is None else self.on_grid(y) if self.step else y
        return np.asarray(self.centre + self.sigma * z)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of the largest |out - quantile| over the levels for normal rows."""
        require_rows(n, d)
        return self.sigma * (self.foresight(n, budget).predicted() + 1.5 * self.step)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a proved bound on the largest |out - quantile| for normal rows."""
        probability(beta=beta)
        require_rows(n, d)
        return self.sigma * (self.foresight(n, budget).bound(beta) + 1.5 * self.step)

    def foresight(self, n: int, budget: Budget) -> Foresight:
        """Return what is known of the errors beforehand."""
        plan, anywhere = self.plan(n, 1, budget), self.radius is None
        return Foresight(self.cutting(n, budget), self.levels, n, plan, anywhere)


def _require_levels(levels: tuple[float, ...]) -> None:
    inside = all(0 < level < 1 for level in levels)
    if not (0 < len(levels) <= MOST and inside and all(a < b for a, b in itertools.pairwise(levels))):
        raise ArgumentError("levels", levels, f"1 to {MOST} increasing numbers between 0 and 1")
