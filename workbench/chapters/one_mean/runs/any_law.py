"""The distributions of the interval for any law, and its runs: what a column may be, with its mean and sd."""

from collections.abc import Callable
from dataclasses import dataclass
from math import e, exp, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.estimators.interval_mean import IntervalMean
from workbench.losses import interval_loss
from workbench.privacy import ApproxDP
from workbench.special import ndtr
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.types import Array, Columns

EPSILON, DELTA, LEVEL = 1.0, 1e-6, 0.05
ROWS, RUNS = (2000, 10_000), 1200  # the number of runs under the profile full
USUAL = 1.959963984540054  # sds of a mean that the usual interval reaches


@dataclass(frozen=True)
class Law:
    """How rows are drawn, their mean and their standard deviation."""

    draw: Callable[[Generator, int], Array]
    mean: float
    sd: float


def _rounded_sd(sigma: float, step: float) -> float:
    """Return the standard deviation of normal rows that are rounded."""
    edges = (np.arange(0, np.ceil(40 * sigma / step)) + 0.5) * step / sigma
    places = step * np.arange(1, len(edges))
    return sqrt(float(2 * np.sum(places**2 * np.diff(ndtr(edges)))))


def _zero_inflated(rng: Generator, n: int) -> Array:
    return np.where(rng.random(n) < 0.05, np.exp(rng.standard_normal(n)), 0.0)


LAWS = {
    "normal": Law(lambda rng, n: rng.standard_normal(n), 0.0, 1.0),
    "rounded to .1": Law(lambda rng, n: np.round(rng.standard_normal(n), 1), 0.0, _rounded_sd(1.0, 0.1)),
    "integers of sd 1": Law(lambda rng, n: np.rint(rng.standard_normal(n)), 0.0, _rounded_sd(1.0, 1.0)),
    "integers of sd .5": Law(lambda rng, n: np.rint(rng.standard_normal(n) / 2), 0.0, _rounded_sd(0.5, 1.0)),
    "uniform": Law(lambda rng, n: rng.random(n), 0.5, sqrt(1 / 12)),
    "t, 3 degrees": Law(lambda rng, n: rng.standard_t(3, n), 0.0, sqrt(3)),
    "Laplace": Law(lambda rng, n: rng.laplace(size=n), 0.0, sqrt(2)),
    "exponential": Law(lambda rng, n: rng.standard_exponential(n), 1.0, 1.0),
    "log-normal": Law(lambda rng, n: np.exp(rng.standard_normal(n)), exp(0.5), sqrt((e - 1) * e)),
    "Poisson(3)": Law(lambda rng, n: rng.poisson(3.0, n).astype(float), 3.0, sqrt(3)),
    "coin flips": Law(lambda rng, n: rng.integers(2, size=n).astype(float), 0.5, 0.5),
    "rare events (.1)": Law(lambda rng, n: (rng.random(n) < 0.1).astype(float), 0.1, 0.3),
    "rare events (.01)": Law(lambda rng, n: (rng.random(n) < 0.01).astype(float), 0.01, sqrt(0.0099)),
    "rare events (.001)": Law(lambda rng, n: (rng.random(n) < 0.001).astype(float), 0.001, sqrt(0.000999)),
    "Poisson(.01)": Law(lambda rng, n: rng.poisson(0.01, n).astype(float), 0.01, 0.1),
    "Poisson(1)": Law(lambda rng, n: rng.poisson(1.0, n).astype(float), 1.0, 1.0),
    "zero-inflated log-normal": Law(_zero_inflated, 0.05 * exp(0.5), sqrt(0.05 * e**2 - 0.0025 * e)),
    "two values near 1e6": Law(lambda rng, n: 1e6 + 2 * rng.integers(2, size=n).astype(float), 1e6 + 1, 1.0),
    "constant": Law(lambda rng, n: np.full(n, 40.0), 40.0, 0.0),
}


def intervals(law: str, n: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Run the interval on rows of a law; widths are over that of the usual interval."""
    estimator: Any = IntervalMean(level=LEVEL)
    budget, of = ApproxDP(EPSILON, DELTA), LAWS[law]
    covered, width = np.zeros(trials, bool), np.empty(trials)
    for i in range(trials):
        release = estimator(of.draw(data, n), budget=budget, rng=noise)
        covered[i], width[i] = interval_loss(release.value, of.mean)
    return {"covered": covered, "width": width / (2 * USUAL * (of.sd or 1.0) / sqrt(n))}


COVERED = Sweep(
    "one-mean-any-law",
    grid(law=list(LAWS), n=list(ROWS)),
    intervals,
    trials=100,
    blocks=blocks(RUNS // 100),
)
