"""Figure 1 of LKKO21 in the source's own design: a million rows, and no range known to the plain mean.

Rows are N(0, I), and of a share ξ of them every coordinate is 1.5 larger. The plain mean finds its box by
Algorithm 5 on half of the budget; PRIME has the constants of the source, and ours.
"""

from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.robust_and_private.runs.prime import CORRUPTION, DELTA, EPSILON, RADIUS, error
from workbench.estimators.clipped import ClippedBoxMean
from workbench.estimators.histograms import BoxRange
from workbench.estimators.prime import PrimeMean
from workbench.estimators.release import Abstention
from workbench.estimators.robust import RobustMean
from workbench.privacy import ApproxDP
from workbench.study.grids import Sweep, grid
from workbench.study.run import Row, each_trial
from workbench.study.search import accepts
from workbench.types import Array

N, SHIFT, TRIALS = 1_000_000, 1.5, 10
DIMENSIONS = (1, 10, 20, 30, 40, 50, 75, 100)
EPSILONS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
BLOCKS = {"deep": TRIALS}


def range_then_mean(x: Array, budget: ApproxDP, noise: Generator) -> float:
    """Return how far from 0 the mean is of rows cut at the box that half of the budget finds."""
    half = ApproxDP(budget.epsilon / 2, budget.delta / 2)
    box = BoxRange(calibration="paper", sigma=1.0)(x, budget=half, rng=noise).value
    if isinstance(box, Abstention):
        return np.inf
    plain: Any = ClippedBoxMean(radius=float(box.half_widths[0]), sigma=1.0)
    return error(plain, x - box.centre, -box.centre, half, noise)


@each_trial
def errors(
    n: int,
    d: int,
    corruption: float,
    epsilon: float,
    *,
    delta: float = DELTA,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure both calibrations of PRIME, our robust mean and the source's plain mean on the same rows."""
    x, budget, origin = data.standard_normal((n, d)), ApproxDP(epsilon, delta), np.zeros(d)
    clean = float(np.linalg.norm(x.mean(axis=0)))
    x[: int(corruption * n)] += SHIFT
    robust: dict[str, Any] = {
        "paper": PrimeMean(radius=RADIUS, corruption=corruption, calibration="paper", sigma=1.0),
        "tight": PrimeMean(radius=RADIUS, corruption=corruption, sigma=1.0),
        "robust": RobustMean(radius=RADIUS, corruption=corruption, sigma=1.0),
    }
    found = {
        name: error(one, x, origin, budget, noise) if accepts(one, n, d, budget) else np.inf
        for name, one in robust.items()
    }
    return {"clean": clean, "plain": range_then_mean(x, budget, noise), **found}


AGAINST_D = Sweep(
    "lkko21-source-d", grid(n=N, d=DIMENSIONS, corruption=CORRUPTION, epsilon=EPSILON), errors, 1, BLOCKS
)
AGAINST_EPSILON = Sweep(
    "lkko21-source-epsilon", grid(n=N, d=10, corruption=0.1, epsilon=EPSILONS), errors, 1, BLOCKS
)
