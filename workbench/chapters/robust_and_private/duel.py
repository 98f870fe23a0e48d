"""Attacks against estimators on the same rows: the scoreboard, and a hidden world for a reader's own mean.

A column for each estimator, by its catalog key, is its error.
"""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.chapters.robust_and_private.adversaries import (
    CORRUPTION,
    DELTA,
    PLACES,
    RADIUS,
    corrupted,
    error,
    limit,
)
from workbench.charts.chart import Chart, Heat, Mark, Panel
from workbench.charts.style import number
from workbench.estimators.clipped import ClippedBoxMean
from workbench.estimators.coinpress import CoinPressMean
from workbench.estimators.prime import FilterMean, PrimeMean
from workbench.estimators.references import EmpiricalMean, FilterNonprivateMean
from workbench.estimators.robust import RobustMean
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.grids import Role, Sweep, grid, point_id, stream
from workbench.study.profiles import blocks
from workbench.study.run import Row, Run, each_trial
from workbench.types import Array

D, N, EPSILON = 10, 20_000, 1.0
PLAIN = ("mean/clipped-box", "mean/coinpress")
ROBUST = ("mean/filter", "mean/prime", "mean/robust")
FREE = ("mean/empirical", "mean/filter-nonprivate")
FIGHTERS = (*FREE, *PLAIN, *ROBUST)
GLOSS = {
    "none": "no corrupted rows",
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
SHOWN = tuple(GLOSS)
BOARD = ("none", "shift-ones", "far", "under-threshold", "inward", "tail-swap")  # of the scoreboard
COLUMNS = {
    "mean/empirical": "sample\nmean",
    "mean/filter-nonprivate": "filter",
    "mean/clipped-box": "clipped\nmean",
    "mean/coinpress": "CoinPress",
    "mean/filter": "private\nfilter",
    "mean/prime": "PRIME",
    "mean/robust": "row-by-row\nfilter",
}
BORDERS = (1.5, 3.5)
MOST = 100.0  # over the limit: more is written as this
Mine = Callable[[Array, int, np.random.Generator], object]


def fighters(d: int, corruption: float) -> dict[str, Any]:
    """Return the estimators by catalog key, given the same about the rows."""
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
    grid(attack=BOARD, n=N, corruption=CORRUPTION, epsilon=EPSILON, who="all"),
    fights,
    3,
    blocks(6),
)


def scoreboard(
    run: Run,
    *,
    corruption: float = CORRUPTION,
    epsilon: float = EPSILON,
    delta: float = DELTA,
    n: int = N,
    d: int = D,
) -> Chart:
    """Return the median error of every estimator under six attacks, over ξ √ln(1/ξ)."""
    points = grid(attack=BOARD, n=n, corruption=corruption, epsilon=epsilon, who="all")
    frame = run.table(DUEL.moved(points, d=d, delta=delta))
    tables = [measures.at(frame, attack=attack) for attack in BOARD]
    table = [
        [min(MOST, float(rows[name].median()) / limit(corruption)) for name in FIGHTERS] for rows in tables
    ]
    heat = Heat(
        table,
        (0.1, 10.0),
        scale="log",
        emphasis="middle",
        written=True,
        rows=tuple(GLOSS[name] for name in BOARD),
        columns=tuple(COLUMNS[name] for name in FIGHTERS),
    )
    marks = [Mark(" ", "vertical", x=x, y=0.0) for x in BORDERS]
    groups = "no privacy, then private, then private and robust"
    names, note = (groups, "median error over ξ √ln(1/ξ)", "attack"), "100 stands for 100 and more."
    return Chart(
        "scoreboard",
        "Two attacks defeat every mean, filters withstand most others",
        (Panel(*names, (), heat=heat, marks=tuple(marks), note=note),),
        alt="A table of colours, one row for each of six attacks and one column for each estimator."
        " Means that do not filter are at 2 to 3 under one planted cluster, and two of them far above that"
        " under a far point mass; the robust ones are below 1 but for a hidden cluster, which two of them"
        " miss, and for rows moved inward and swapped tails, where all columns are above 1.",
        how_to_read="Below 1, purple: the error is below ξ √ln(1/ξ). Above 1, brown: the adversary wins. What"
        " makes rows narrower, or leaves their covariance alone, gets past every filter."
        f" ξ = {number(corruption)}, n = {number(n)}, d = {d}, ε = {number(epsilon)}, δ = {number(delta)}.",
    )


def hidden_world(
    mine: Mine, *, corruption: float = CORRUPTION, n: int = 2000, trials: int = 100, seed: int = 17
) -> pd.DataFrame:
    """Return the median error of a mean of one column under every attack, and whether it is small enough.

    Parameters
    ----------
    mine
        `mine(x, trials, rng)` returns so many private means of the column x.
    corruption
        Share of the rows that the adversary replaces.
    n, trials
        Rows; runs for every attack.
    seed
        Of rows, hidden mean, adversary and noise.

    Returns
    -------
    DataFrame
        A row for each attack: `error`, and `stands`, which says whether it is at most twice ξ √(ln 1/ξ).
    """
    errors = {}
    for attack in SHOWN:
        data, noise = (
            stream(seed, role, "hidden world", point_id({"attack": attack}), 0)
            for role in (Role.DATA, Role.NOISE)
        )
        hidden = data.uniform(-PLACES, PLACES)
        x = corrupted(data.standard_normal((n, 1)), attack, corruption, data)[:, 0] + hidden
        errors[attack] = float(np.median(np.abs(np.asarray(mine(x, trials, noise)) - hidden)))
    made = pd.DataFrame({"error": pd.Series(errors)})
    return made.assign(stands=made["error"] <= 2 * limit(corruption))
