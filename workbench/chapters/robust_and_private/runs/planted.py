"""What follows from public numbers about means of rows with a planted cluster, and where a filter pays.

A share ξ of the rows N(θ, I) is moved by 1.5 in every coordinate.
"""

from math import sqrt

import numpy as np

from workbench.bounds.search import smallest
from workbench.chapters.robust_and_private.runs.prime import RADIUS
from workbench.estimators.clipped import ClippedBoxMean
from workbench.estimators.robust import RobustMean
from workbench.estimators.shared.predictions import median_beyond
from workbench.populations.corruption.mean import SHIFT
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_scale

DECADE = 100  # steps of the search for rows


def pull(d: int, corruption: float) -> float:
    """Return 1.5 ξ √d, how far the cluster moves the mean of all rows."""
    return SHIFT * corruption * sqrt(d)


def plain_error(n: int, d: int, corruption: float, budget: ApproxDP) -> float:
    """Return the median error of mean/clipped-box: the pull, with sampling and noise on top."""
    noise = gaussian_scale(ClippedBoxMean(radius=RADIUS, sigma=1.0).plan(n, d, budget)["mean"])
    sd = sqrt((1 - corruption) / n + noise**2)
    return median_beyond(np.array([pull(d, int(corruption * n) / n)]), np.ones(1), sd, d)


def rows_to_filter(d: int, corruption: float, budget: ApproxDP) -> int:
    """Return about the n from which mean/robust, by its public rule, pays for a filter."""
    one = RobustMean(radius=RADIUS, corruption=corruption, sigma=1.0)

    def pays(step: int) -> bool:
        return one.filters(round(10 ** (step / DECADE)), d, budget)

    return round(10 ** (smallest(pays, DECADE) / DECADE))
