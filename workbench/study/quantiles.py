"""Quantiles of trials, some of which may have an infinite error, with exact intervals."""

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from workbench.errors import probability
from workbench.special import bdtr
from workbench.study.intervals import Interval


def quantile(values: ArrayLike, share: float) -> float:
    """Return the order statistic below which, itself among them, there is this share of the values.

    >>> quantile([3.0, 1.0, 2.0, np.inf], 0.5)
    2.0
    """
    probability(share=share)
    return float(np.quantile(np.asarray(values, np.float64), share, method="inverted_cdf"))


def quantile_interval(values: ArrayLike, share: float, level: float) -> Interval:
    """Return the exact interval for a quantile: two order statistics, level / 2 on each side.

    The end is infinite where there are too few values for one.

    >>> quantile_interval(range(1, 101), 0.5, 0.05)
    (40.0, 61.0)
    """
    probability(share=share, level=level)
    ordered = np.sort(np.asarray(values, np.float64))
    trials = len(ordered)
    below, above = (int((bdtr(np.arange(trials), trials, p) < level / 2).sum()) for p in (share, 1 - share))
    low = float(ordered[below - 1]) if below else -inf
    return low, float(ordered[-above]) if above else inf
