"""The sweep behind the claim about a whole Gaussian learned by a matrix quantile, at (1, 1e-6).

Rows of a law with a density lie 1000 standard deviations away along random axes; n is a multiple of the
learner's own start.
"""

from functools import lru_cache

import numpy as np
from numpy.random import Generator

from workbench.distributions import Gaussian
from workbench.estimators.populous import PopulousGaussian
from workbench.populations.rotated import rotated
from workbench.privacy import ApproxDP
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, each_trial, error_of
from workbench.study.search import fewest_rows
from workbench.types import Array

BUDGET, FAR = ApproxDP(1.0, 1e-6), 1000.0
LEARNER = PopulousGaussian(covariance="matrix-quantile", degenerate=False)
DIMENSIONS, CONDITIONS = (2, 5, 10, 20), (1.0, 1e6, 1e12)
START, MORE = 1.05, (2.0, 4.0, 16.0)  # times the fewest rows
LONG = 1e6  # the condition number at more rows
POINTS, DRAWN = 2**14, 59  # normal rows that a total variation is averaged over, and their seed
TRIALS = {2: (40, 10), 5: (20, 10), 10: (5, 20), 20: (2, 20)}  # of a block; blocks of the full profile


@lru_cache(maxsize=16)
def start(d: int) -> int:
    """Return the fewest rows that the learner takes: public."""
    return fewest_rows(LEARNER, d, BUDGET)


def rows(d: int, share: float) -> int:
    """Return so many times the fewest rows."""
    return int(share * start(d))


def more(d: int) -> tuple[float, ...]:
    """Return the further multiples of the fewest rows; none where a run is dear."""
    return MORE if d < 20 else ()


def predicted(d: int, share: float) -> float:
    """Return the total variation that public numbers foresee."""
    return LEARNER.recipe(rows(d, share), d, BUDGET).squared_error.total_variation


@each_trial
def learned(d: int, condition: float, share: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the total variation between the law and what is learned of it, infinite for no answer."""
    law = rotated(np.geomspace(1.0, condition, d), data, FAR)
    value = LEARNER(law.sample(rows(d, share), rng=data), budget=BUDGET, rng=noise).value

    def loss(found: Gaussian) -> float:
        off = law.whitening.T @ (found.mean - law.mean)
        return total_variation(off, law.in_units(found.covariance))

    return {"error": error_of(value, loss)}


def total_variation(mean: Array, covariance: Array) -> float:
    """Return TV between N(mean, covariance) and N(0, I): the mean of max(0, 1 - p/φ) over fixed normal rows.

    To about 2 %, or .001; 1 where the first law is singular.
    """
    values, axes = np.linalg.eigh(covariance)
    if not values[0] > 0:
        return 1.0
    z = np.random.default_rng(DRAWN).standard_normal((POINTS, len(mean)))
    log_ratio = (z**2 - (z - axes.T @ mean) ** 2 / values - np.log(values)).sum(axis=1) / 2
    return float(np.maximum(0.0, -np.expm1(log_ratio)).mean())


LEARNED = {
    d: Sweep(
        f"mq-learned-{d}",
        grid(d=d, condition=CONDITIONS, share=START)
        + grid(d=d, condition=LONG, share=MORE if d < 20 else ()),
        learned,
        trials,
        blocks(full),
    )
    for d, (trials, full) in TRIALS.items()
}
