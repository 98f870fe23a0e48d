"""A filter in the units of the data: what `mean/filter`, `mean/prime` and `mean/prime-heavy` share."""

from dataclasses import dataclass

import numpy as np

from workbench.errors import ArgumentError, finite, integer_at_least, one_of, positive, probability, real
from workbench.estimators.base import Abstention, Trace, standardised
from workbench.estimators.parts.filters.boosting import split_plan, split_run
from workbench.estimators.parts.filters.recipe import FilterRecipe
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array

WIDEST = 1e4  # radius in standard units: a finite histogram has as many bins for every coordinate


@dataclass(frozen=True)
class FilterInUnits:
    """A recipe in standard units, the place and unit of the data, and in how many parts rows are split."""

    recipe: FilterRecipe
    centre: float
    unit: float
    splits: int

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the plan of one run for every part."""
        integer_at_least(2 * self.splits, n=n)
        return split_plan(lambda rows: self.recipe.plan(rows, d, budget), n, self.splits)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None
    ) -> Array | Abstention:
        """Return the private mean of sanitised rows."""
        z = standardised(x, self.centre, self.unit)
        n, d = x.shape
        plan = self.plan(n, d, budget)
        mean = split_run(z, plan, self.splits, lambda rows, part: self.recipe.run(rows, part, noise, trace))
        return mean if isinstance(mean, Abstention) else np.asarray(self.centre + self.unit * mean)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error for clean rows in standard units, of one part if there are several."""
        return self.recipe.predicted_error(n // self.splits, d, budget)


def require_filter(core: FilterInUnits, radius: float, most: float) -> None:
    """Raise unless the parameters make a filter; the share of corrupted rows is below `most`."""
    recipe = core.recipe
    positive(radius=radius)
    finite(centre=core.centre)
    if radius > WIDEST * core.unit:
        raise ArgumentError("radius", radius, f"at most {WIDEST:g} standard deviations")
    one_of(("paper", "tight"), calibration=recipe.calibration)
    if not (real(recipe.corruption) and 0 <= recipe.corruption < most):
        raise ArgumentError("corruption", recipe.corruption, f"a number from 0 to below {most:g}")
    if recipe.corruption == 0 and (recipe.heavy or recipe.calibration == "paper"):
        raise ArgumentError("corruption", recipe.corruption, 'above 0, but for light tails and "tight"')
    if recipe.level is not None:
        positive(level=recipe.level)
    if recipe.passes is not None:
        integer_at_least(1, passes=recipe.passes)
    integer_at_least(1, splits=core.splits)
    probability(beta=recipe.beta)
