"""The critical value of the pivot (out - mean)/sigma of a mean without a range, by simulation."""

from workbench.estimators.base import Abstention
from workbench.estimators.parts.locate.window_mean import WindowMean
from workbench.estimators.parts.scale.pivots import critical_value
from workbench.privacy import Budget, NoiseSource
from workbench.types import Array


def pivotal_width(recipe: WindowMean, n: int, budget: Budget, level: float, draws: int) -> float:
    """Return the half-width of an interval round the mean of n normal rows of standard deviation 1."""

    def pivot(z: Array, noise: NoiseSource) -> float | None:
        value = recipe.estimate(z, budget, noise)
        return None if isinstance(value, Abstention) else abs(value)

    counted = "" if recipe.missing == "neutral" else "counted "
    return critical_value(f"{counted}interval {budget!r}", n, pivot, level, draws)
