"""The critical value of the pivot (out - mean)/sigma of a mean without a range, by simulation."""

from workbench.estimators.base import Abstention
from workbench.estimators.parts.locate.window_mean import WindowMean
from workbench.estimators.parts.scale.counted_pivots import counted_value
from workbench.privacy import Budget, NoiseSource
from workbench.types import Array

MEAN = WindowMean(None)


def pivotal_width(n: int, budget: Budget, level: float, draws: int, there: float = 1.0) -> float:
    """Return the half-width of an interval round the mean of normal rows of standard deviation 1.

    There are n of them, of which a noisy share is there.
    """

    def pivot(z: Array, noise: NoiseSource) -> float | None:
        value = MEAN.estimate(z, budget, noise)
        return None if isinstance(value, Abstention) else abs(value)

    return counted_value(f"interval {budget!r}", n, pivot, level, draws, MEAN.plan(n, budget), there)
