"""What is searched of the private histograms: how far counts of n rows are off, as shares of n.

A failure probability β is moved by repetition: if of r independent histograms all are within α in 9 of 10
runs, each of them fails with probability 1 - .9^(1/r).
"""

import numpy as np
from numpy.random import Generator

from workbench.privacy import ApproxDP, Charge, PureDP, noise_source
from workbench.privacy.histograms import COUNTS_L1, finite_histogram, stability_charge, stability_histogram
from workbench.study.run import Row, each_trial

SHARE = 0.9  # of runs that succeed, all repetitions at once


def beta_of(repeats: int) -> float:
    """Return the failure probability of one histogram if all succeed in `SHARE` of runs.

    >>> round(beta_of(1), 6), round(beta_of(100), 6)
    (0.1, 0.001053)
    """
    return float(1 - SHARE ** (1 / repeats))


@each_trial
def finite_shares(
    bins: int, repeats: int, n: int, epsilon: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the largest error of a share, over all bins of independent histograms of n rows each."""
    charge = Charge("histogram", "laplace", COUNTS_L1, PureDP(epsilon))
    keys = data.integers(bins, size=(repeats, n)) + bins * np.arange(repeats)[:, None]
    counts = np.bincount(keys.ravel(), minlength=bins * repeats)
    released = finite_histogram(keys.ravel(), bins * repeats, charge, noise_source(noise))
    return {"error": float(np.abs(released - counts).max()) / n}


@each_trial
def stable_shares(
    alpha: float, repeats: int, n: int, epsilon: float, delta: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the same over all bins of the line, where each populated bin has just above α n rows.

    No rows are harder: a bin with fewer may be dropped, and one with more is dropped less often.
    """
    rows = int(alpha * n) + 1
    keys = np.repeat(np.arange(repeats * max(n // rows, 1)), rows)
    charge = stability_charge("histogram", ApproxDP(epsilon, delta))
    released = stability_histogram(keys, charge, noise_source(noise))
    kept = max((abs(count - rows) for count in released.values()), default=0.0)
    return {"error": (kept if len(released) == len(keys) // rows else rows) / n}
