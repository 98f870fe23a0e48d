"""The filters of LKKO21 in standard units, with the source's queries or with one release for each pass.

    kind          U                             rows that may go      rows are
    directions    the top eigenvector           2 a n a pass          light-tailed   Algorithms 1, 6 to 8
    matrices      exp of matrices, scaled       2 a n a pass          light-tailed   Algorithms 9 to 13
    heavy         exp of matrices, scaled       all                   of Σ ≤ I       Algorithms 3, 15 to 17

"tight": `parts.filters.run`, any number of Gaussian steps of fixed cost. "paper": the range by `range/box`
with the source's constants or by `range/ball`, rows clipped to it, `parts.filters.paper_run`.
"""

from dataclasses import dataclass
from math import ceil, inf, log, sqrt
from typing import Literal

import numpy as np

from workbench.errors import integer_at_least
from workbench.estimators.base import Abstention, Trace, require_matrix
from workbench.estimators.parts.budgets import step_budgets, steps_plan
from workbench.estimators.parts.filters.design import FilterDesign, Score
from workbench.estimators.parts.filters.paper import Directions, Rounds, divided
from workbench.estimators.parts.filters.paper_run import Queries, Rules, by_directions, by_matrices
from workbench.estimators.parts.filters.run import filtered_mean
from workbench.estimators.parts.foreseen import better_than
from workbench.estimators.parts.locate.stable_centres import StableCentres
from workbench.estimators.parts.rows import within_ball
from workbench.estimators.range.ball import BallRange
from workbench.estimators.range.box import BoxRange
from workbench.privacy import ApproxDP, Budget, NoiseSource, Plan, Sequential
from workbench.types import Array

Kind = Literal["directions", "matrices", "heavy"]
TIGHT_LEVEL = {"directions": 1.0, "matrices": 1.0, "heavy": 1.1}
PAPER_LEVEL = {"directions": 2.0, "matrices": 2.0, "heavy": 1.5}
TIGHT_PASSES = 8


@dataclass(frozen=True)
class Region:
    """A ball or a cube round 0: its radius, or half its side, and its dimension."""

    ball: bool
    reach: float
    d: int

    @property
    def diameter(self) -> float:
        """D, up to the rounding of a clipped row."""
        return 2 * self.reach * (1.0 if self.ball else sqrt(self.d)) * (1 + 1e-12)

    def clipped(self, rows: Array) -> Array:
        """Return the nearest points of the set."""
        if not self.ball:
            return np.clip(rows, -self.reach, self.reach)
        return within_ball(np.atleast_2d(rows), self.reach).reshape(rows.shape)


@dataclass(frozen=True)
class FilterRecipe:
    """Public parameters in standard units; None stands for the calibration's own number."""

    kind: Kind
    calibration: Literal["paper", "tight"]
    corruption: float
    reach: float
    level: float | None
    passes: int | None
    beta: float

    @property
    def heavy(self) -> bool:
        """Whether only a covariance is known."""
        return self.kind == "heavy"

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the plan of one run on n rows."""
        require_matrix(n, d)
        if self.calibration == "tight":
            design = self.design(n, d)
            return steps_plan(budget, design.charges(step_budgets(budget, design.shares)))
        first, rest = divided(budget)
        queries = self.queries(n, d, rest)
        integer_at_least(queries.fewest, n=n)
        return Sequential("basic", (self.centres.plan(n, d, first), queries.plan()))

    def run(self, z: Array, plan: Plan, noise: NoiseSource, trace: Trace | None) -> Array | Abstention:
        """Return the mean of rows in standard units."""
        n, d = z.shape
        if self.calibration == "tight":
            return filtered_mean(z, self.design(n, d), list(plan.charges()), noise, trace)
        assert isinstance(plan, Sequential)
        epochs, rounds = self.turns(n, d)
        shrink = iter([noise.uniform(0.0, 1.0) for _ in range(epochs * rounds)])
        centre = self.centres.draw(z, plan.parts[0], noise)
        if isinstance(centre, Abstention):
            return centre
        region = self.region(n, d)
        charges = plan.parts[1].charges()
        queries = Queries(region.clipped(z - centre), self.rules(n, d), charges, noise, shrink)
        by_rank_one = self.kind == "directions"
        found = by_directions(queries, rounds, trace) if by_rank_one else by_matrices(queries, trace)
        return found if isinstance(found, Abstention) else np.asarray(centre + found)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error for clean rows in standard units; infinite for "paper", from R on."""
        charges = self.plan(n, d, budget).charges()
        if self.calibration == "paper":
            return inf
        run = self.design(n, d).clean_run([charge.cost for charge in charges])
        return better_than(self.reach, run.median_error())

    def design(self, n: int, d: int) -> FilterDesign:
        """Return the public numbers of a tight run."""
        level = TIGHT_LEVEL[self.kind] if self.level is None else self.level
        score: Score = "top" if self.kind == "directions" else "softmax"
        passes = self.passes or TIGHT_PASSES
        return FilterDesign(n, d, self.corruption, self.reach, level, passes, score, self.beta, self.heavy)

    @property
    def centres(self) -> StableCentres:
        """The histograms of the range."""
        return StableCentres(4.0, "tight") if self.heavy else StableCentres(2.0, "paper")

    def region(self, n: int, d: int) -> Region:
        """Return the set to which the rows are clipped."""
        if self.heavy:
            return Region(True, BallRange(corruption=self.corruption).outer_radius(d), d)
        return Region(False, BoxRange(beta=self.beta, calibration="paper").half_width(n, d), d)

    def rules(self, n: int, d: int) -> Rules:
        """Return the public numbers of a run with the source's queries."""
        region, constant = self.region(n, d), PAPER_LEVEL[self.kind] if self.level is None else self.level
        a = self.corruption
        stop = constant if self.heavy else constant * a * log(1 / a)
        base, tail = (0.0, None) if self.heavy else (1.0, ceil(2 * a * n))
        return Rules(region.diameter, base, stop, constant, tail, *self.turns(n, d), region.clipped)

    def turns(self, n: int, d: int) -> tuple[int, int]:
        """Return T₁ = ⌊ln D⌋ and T₂ = ⌊ln d⌋, at least 1; or 1 and T = ⌈D²/ln(1/a)⌉ for single directions."""
        diameter = self.region(n, d).diameter
        if self.kind == "directions":
            return 1, self.passes or ceil(diameter**2 / log(1 / self.corruption))
        return max(1, int(log(diameter))), self.passes or max(1, int(log(d)))

    def queries(self, n: int, d: int, budget: ApproxDP) -> Rounds | Directions:
        """Return the queries of the source."""
        diameter, (epochs, rounds) = self.region(n, d).diameter, self.turns(n, d)
        if self.kind == "directions":
            return Directions(n, diameter, rounds, budget)
        return Rounds(n, diameter, epochs, rounds, budget)
