"""The slope of ln n* in the logarithm of a public number, with its interval, and that of a formula.

Least squares weighted by the intervals of the n*, which are taken as normal in ln n. Where the points are too
far from a line for that, the interval is widened by as much as they are (Birge's factor) and Student's
quantile, and the slope is called curved: it then says how n grew over these values, and no law.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, log, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from workbench.special import chdtrc as chi_squared_tail
from workbench.special import ndtri, stdtrit
from workbench.study.intervals import Interval, Vector

CURVED = 0.05  # the level at which a line is refuted
MOST = 4.0  # Student's quantile is taken at most as large a multiple of the normal one


@dataclass(frozen=True)
class Slope:
    """A slope, its standard error, and the misfit of the line with its degrees of freedom."""

    estimate: float
    error: float
    misfit: float
    freedom: int

    @property
    def curved(self) -> bool:
        """Whether a line is refuted."""
        return self.freedom > 0 and float(chi_squared_tail(self.freedom, self.misfit)) < CURVED

    def interval(self, level: float) -> Interval:
        """Return the interval that misses with the level, for normal errors of ln n*."""
        normal = float(-ndtri(level / 2))
        reach = normal * self.error
        if self.curved:
            student = min(float(-stdtrit(self.freedom, level / 2)), MOST * normal)
            reach = student * self.error * sqrt(self.misfit / self.freedom)
        return self.estimate - reach, self.estimate + reach


def slope(xs: ArrayLike, ys: ArrayLike, errors: ArrayLike) -> Slope:
    """Return the slope of ln y against ln x; `errors` are the standard errors of ln y.

    >>> found = slope([1, 2, 4, 8], [10, 20, 40, 80], [0.1] * 4)
    >>> round(found.estimate, 9), found.curved
    (1.0, False)
    """
    x, y, e = (np.asarray(values, np.float64) for values in (np.log(xs), np.log(ys), errors))
    if len(x) < 2:
        return Slope(nan, inf, 0.0, 0)
    weight = e**-2.0
    along = x - weight @ x / weight.sum()
    square = float(weight @ along**2)
    estimate = float((weight * along) @ y) / square
    rest = y - weight @ y / weight.sum() - estimate * along
    return Slope(estimate, square**-0.5, float(weight @ rest**2), len(x) - 2)


def standard_errors(intervals: Sequence[Interval], level: float) -> Vector:
    """Return the standard errors of ln n of which these are the intervals at a level; inf for an open end."""
    return np.array([_half(*interval) for interval in intervals]) / float(-ndtri(level / 2))


def _half(low: float, high: float) -> float:
    return log(high / low) / 2 if low > 0 and isfinite(high) else inf
