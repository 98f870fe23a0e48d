"""Attacks against estimators on the same rows: the sweeps of the scoreboard and of the crossover.

Rows are as in `runs.prime`; a column for each estimator, by its catalog key, is its error.
"""

from math import sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.robust_and_private.runs.prime import (
    CORRUPTION,
    DELTA,
    PLACES,
    RADIUS,
    corrupted,
    error,
)
from workbench.estimators.clipped import ClippedBoxMean
from workbench.estimators.coinpress import CoinPressMean
from workbench.estimators.prime import FilterMean, PrimeMean
from workbench.estimators.references import EmpiricalMean, FilterNonprivateMean
from workbench.estimators.robust import RobustMean
from workbench.privacy import ApproxDP
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, each_trial
from workbench.types import Array

D, N, EPSILON = 10, 20_000, 1.0
PLAIN = ("mean/clipped-box", "mean/coinpress")
ROBUST = ("mean/filter", "mean/prime", "mean/robust")
FREE = ("mean/empirical", "mean/filter-nonprivate")
FIGHTERS = (*FREE, *PLAIN, *ROBUST)
SHOWN = (
    *("none", "shift-ones", "shift-alternating", "axis-clusters", "five-clusters", "far", "tail-matched"),
    *("inward", "under-threshold", "cancelling", "half-sphere", "tail-swap"),
)
GLOSS = {
    "none": "nobody lies",
    "shift-ones": "cluster, equal signs",
    "shift-alternating": "cluster, signs alternate",
    "axis-clusters": "clusters on all axes",
    "five-clusters": "clusters on five axes",
    "far": "one point, far away",
    "tail-matched": "lengths of clean rows",
    "inward": "farthest rows moved inward",
    "under-threshold": "cluster just unnoticed",
    "cancelling": "clusters that cancel",
    "half-sphere": "half of a sphere",
    "tail-swap": "one tail for the other",
}
FEW = (100, 200, 500, 1000, 2000, 5000, 10_000, 30_000)


def fighters(d: int, corruption: float) -> dict[str, Any]:
    """Return the estimators by catalog key, told the same about the rows."""
    return {
        "mean/empirical": EmpiricalMean(),
        "mean/filter-nonprivate": FilterNonprivateMean(corruption=corruption, sigma=1.0),
        "mean/clipped-box": ClippedBoxMean(radius=RADIUS, sigma=1.0),
        "mean/coinpress": CoinPressMean(radius=RADIUS * sqrt(d), sigma=1.0),
        "mean/filter": FilterMean(radius=RADIUS, corruption=corruption, sigma=1.0),
        "mean/prime": PrimeMean(radius=RADIUS, corruption=corruption, sigma=1.0),
        "mean/robust": RobustMean(radius=RADIUS, corruption=corruption, sigma=1.0),
    }


def distance(name: str, one: Any, x: Array, theta: Array, budget: ApproxDP, noise: Generator) -> float:
    """Return the error of one fighter, with a budget or without."""
    if name in FREE:
        return float(np.linalg.norm(one(x).value - theta))
    return error(one, x, theta, budget, noise)


@each_trial
def fights(
    attack: str,
    n: int,
    corruption: float,
    epsilon: float,
    who: str,
    *,
    d: int = D,
    delta: float = DELTA,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the errors of several estimators on the same corrupted rows."""
    names = FIGHTERS if who == "all" else (*PLAIN, *ROBUST[1:])
    budget, chosen = ApproxDP(epsilon, delta), fighters(d, corruption)
    theta = data.uniform(-PLACES, PLACES, d)
    x = corrupted(data.standard_normal((n, d)), attack, corruption, data) + theta
    return {name: distance(name, chosen[name], x, theta, budget, noise) for name in names}


DUEL = Sweep(
    "lkko21-duel",
    grid(attack=SHOWN, n=N, corruption=CORRUPTION, epsilon=EPSILON, who="all"),
    fights,
    3,
    blocks(6),
)
CROSSOVER = Sweep(
    "lkko21-crossover",
    grid(attack=("none", "shift-ones"), n=FEW, corruption=CORRUPTION, epsilon=EPSILON, who="private"),
    fights,
    20,
    blocks(3),
)
