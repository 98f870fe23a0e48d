"""The filters of LKKO21 in standard units, with the source's queries or with one release for each pass.

    kind          U                             rows that may go      rows are
    directions    the top eigenvector           2 a n a pass          light-tailed   Algorithms 1, 6 to 8
    matrices      exp of matrices, scaled       2 a n a pass          light-tailed   Algorithms 9 to 13
    heavy         exp of matrices, scaled       all                   of Σ ≤ I       Algorithms 3, 15 to 17

A row y of the data is (y - centre)/unit in standard units. With `splits` = k above 1, part p is the rows p,
p + k, p + 2k, .., fixed by their numbers:

    (1) one run on each part, at the whole budget: a replaced row lies in one part, so that the whole costs
        what one part costs
    (2) out = the answer of least median distance to all answers; parts without an answer do not count

If each answer is within η of the mean with probability .9, more than half of them are with probability
1 - e^(-k/3) or so, and out is within 3η (LKKO21 Remark 1 and the boosting of its Section 3). Proof:
`proofs/prime.md`, section 5.

"tight": `parts.filters.run`, any number of Gaussian steps of fixed cost. "paper": the range by `range/box`
with the source's constants or by `range/ball`, rows clipped to it, `parts.filters.paper_run`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, log, sqrt
from typing import Literal

import numpy as np

from workbench.errors import ArgumentError, integer_at_least, positive, real, require_columns
from workbench.estimators.base import Abstention, Trace, in_columns, require_matrix, standardised
from workbench.estimators.parts.budgets import step_budgets, steps_plan
from workbench.estimators.parts.filters.design import FilterDesign, Score
from workbench.estimators.parts.filters.paper import Directions, Region, Rounds, divided
from workbench.estimators.parts.filters.paper_run import Queries, Rules, by_directions, by_matrices
from workbench.estimators.parts.filters.run import filtered_mean
from workbench.estimators.parts.foreseen import better_than
from workbench.estimators.parts.locate.stable_centres import (
    BALL_WIDTH,
    BOX_WIDTH,
    StableCentres,
    ball_reach,
    box_reach,
)
from workbench.estimators.parts.rows import present
from workbench.privacy import (
    ApproxDP,
    Budget,
    Charge,
    Converted,
    Interleaved,
    NoiseSource,
    Parallel,
    Plan,
    Sequential,
)
from workbench.types import Array, Calibration, PerColumn

Kind = Literal["directions", "matrices", "heavy"]
TIGHT_LEVEL = {"directions": 1.0, "matrices": 1.0, "heavy": 1.1}
PAPER_LEVEL = {"directions": 2.0, "matrices": 2.0, "heavy": 1.5}
TIGHT_PASSES = 8
WIDEST = 1e4  # radius in standard units: a finite histogram has as many bins for every coordinate


@dataclass(frozen=True)
class FilterRecipe:
    """Public parameters; None stands for the calibration's own number."""

    kind: Kind
    calibration: Calibration
    corruption: float
    radius: float
    level: float | None
    passes: int | None
    beta: float
    centre: PerColumn
    unit: float
    splits: int

    def check(self, most: float) -> None:
        """Raise unless the parameters make a filter; the share of corrupted rows is below `most`."""
        if self.radius > WIDEST * self.unit:
            raise ArgumentError("radius", self.radius, f"at most {WIDEST:g} standard deviations")
        if not (real(self.corruption) and 0 <= self.corruption < most):
            raise ArgumentError("corruption", self.corruption, f"a number from 0 to below {most:g}")
        if self.corruption == 0 and (self.heavy or self.calibration == "paper"):
            raise ArgumentError("corruption", self.corruption, 'above 0, but for light tails and "tight"')
        if self.level is not None:
            positive(level=self.level)
        if self.passes is not None:
            integer_at_least(1, passes=self.passes)
        integer_at_least(1, splits=self.splits)

    @property
    def reach(self) -> float:
        """R, the radius in standard units."""
        return self.radius / self.unit

    @property
    def heavy(self) -> bool:
        """Whether only a covariance is known."""
        return self.kind == "heavy"

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the plan of one run for every part of n rows."""
        integer_at_least(2 * self.splits, n=n)
        require_columns(d, centre=self.centre)
        if self.splits == 1:
            return self.part_plan(n, d, budget)
        sizes = (len(range(p, n, self.splits)) for p in range(self.splits))
        plans = (self.part_plan(size, d, budget) for size in sizes)
        return Parallel(tuple(renamed(plan, f"part {p}: ") for p, plan in enumerate(plans, start=1)))

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None
    ) -> Array | Abstention:
        """Return the private mean of sanitised rows."""
        n, d = x.shape
        middle = in_columns(self.centre, d)
        z = standardised(x, middle, self.unit)
        mean = self.split_run(z, self.plan(n, d, budget), noise, trace)
        return mean if isinstance(mean, Abstention) else np.asarray(middle + self.unit * mean)

    def split_run(self, x: Array, plan: Plan, noise: NoiseSource, trace: Trace | None) -> Array | Abstention:
        """Return the answer of step (2), from rows in standard units."""
        if self.splits == 1:
            return self.run(x, plan, noise, trace)
        assert isinstance(plan, Parallel)
        splits = self.splits
        parts = ((np.ascontiguousarray(x[p::splits]), plan.parts[p]) for p in range(splits))
        answers = [self.run(rows, part, noise, trace) for rows, part in parts]  # (1)
        found = [answer for answer in answers if not isinstance(answer, Abstention)]
        return central(found) if found else answers[0]  # (2)

    def part_plan(self, n: int, d: int, budget: Budget) -> Plan:
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
        y, rules = region.whole(z - centre), self.rules(n, d)
        queries = Queries(y, rules, charges, noise, shrink, present(z))
        by_rank_one = self.kind == "directions"
        found = by_directions(queries, rounds, trace) if by_rank_one else by_matrices(queries, trace)
        return found if isinstance(found, Abstention) else np.asarray(centre + found)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error for clean rows of one part, in units; infinite for "paper", from R on."""
        self.plan(n, d, budget)
        n //= self.splits
        charges = self.part_plan(n, d, budget).charges()
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
        return StableCentres(BALL_WIDTH, "tight") if self.heavy else StableCentres(BOX_WIDTH, "paper")

    def region(self, n: int, d: int) -> Region:
        """Return the set to which the rows are clipped."""
        if self.heavy:
            return Region(True, ball_reach(d, sqrt(d) * float((1 / self.corruption) ** 0.5)), d)
        return Region(False, box_reach(n, d, self.beta), d)

    def rules(self, n: int, d: int) -> Rules:
        """Return the public numbers of a run with the source's queries."""
        region, constant = self.region(n, d), PAPER_LEVEL[self.kind] if self.level is None else self.level
        a = self.corruption
        stop = constant if self.heavy else constant * a * log(1 / a)
        base, tail = (0.0, None) if self.heavy else (1.0, ceil(2 * a * n))
        turns = self.turns(n, d)
        return Rules(region.diameter, region.step, base, stop, constant, tail, *turns, region.clipped)

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


def renamed(plan: Plan, prefix: str) -> Plan:
    """Return the plan with a word before the name of every step."""
    match plan:
        case Charge():
            return replace(plan, step=prefix + plan.step)
        case Converted():
            return Converted(renamed(plan.part, prefix), plan.budget)
        case Interleaved():
            return Interleaved(renamed(plan.whole, prefix), tuple(prefix + step for step in plan.order))
        case Parallel():
            return Parallel(tuple(renamed(part, prefix) for part in plan.parts))
        case Sequential():
            return Sequential(plan.rule, tuple(renamed(part, prefix) for part in plan.parts))


def central(answers: Sequence[Array]) -> Array:
    """Return the answer of least median distance to all of them.

    >>> central([np.zeros(2), np.ones(2) / 10, np.full(2, 1e6)]).tolist()
    [0.0, 0.0]
    """
    points = np.array(answers)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    return np.asarray(points[np.argmin(np.median(apart, axis=1))])
