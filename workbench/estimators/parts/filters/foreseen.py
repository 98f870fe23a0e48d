"""The error of a filtered mean of clean rows, from public numbers: is it located, and what noise is left.

(1) the fullest of K bins of noisy counts is one of the two next to the mean: if there only n p rows are in
each of them, p = Φ(1) - Φ(0) for bins of one standard deviation, the chance is
P(max of 2 N(0, 1) + n p/σ > max of K - 2)^d
(2) recentring leaves noise; rows that lie beyond the last ball from there are shrunk (`expected_shift`)
(3) clean rows pass, so that all that is not spent by then is spent on the mean
"""

from dataclasses import dataclass
from math import hypot, inf, sqrt

import numpy as np
from scipy.special import ndtr

from workbench.estimators.parts.expected_shift import shrinking_bias
from workbench.estimators.parts.foreseen import median_norm_found

_GRID = np.linspace(-9.0, 9.0, 2001)  # of the largest of several normal values


def located(ahead: float, bins: int, d: int) -> float:
    """Return the chance of (1): `ahead` is n p/σ.

    >>> located(20.0, 10, 3) > 0.999, round(located(0.0, 4, 1), 3)
    (True, 0.5)
    """
    best = np.diff(ndtr(_GRID) ** 2)
    middle = (_GRID[1:] + _GRID[:-1]) / 2
    return float(best @ ndtr(middle + ahead) ** max(bins - 2, 0)) ** d


@dataclass(frozen=True)
class CleanRun:
    """What (1) to (3) need: n, d, the lead and its bins, where the ball is, and the last noise.

    `apart` is the rms distance of the last ball's centre from the mean, `noise` the sd of a coordinate of the
    mean's noise; in standard deviations.
    """

    n: int
    d: int
    ahead: float
    bins: int
    apart: float
    radius: float
    noise: float

    def median_error(self) -> float:
        """Return the median distance from the mean; infinite where it is more likely missed than found."""
        failure = 1 - located(self.ahead, self.bins, self.d)
        if failure >= 0.5:
            return inf
        rms = hypot(
            shrinking_bias(self.d, self.apart, self.radius), sqrt(self.d * (1 / self.n + self.noise**2))
        )
        return rms / sqrt(self.d) * median_norm_found(self.d, failure)
