"""Rows that get no answer, or not the one that was wanted."""

from math import inf

import numpy as np
import pandas as pd

from workbench.chapters.matrix_quantile.runs import beside as sweeps
from workbench.chapters.matrix_quantile.runs.quantile import DELTA, EPSILON, planned
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.grids import Sweep
from workbench.study.run import Run
from workbench.study.sweeps import at_budget

RIGHT, WRONG, SILENT = "idea/right", "idea/wrong", "idea/silent"
PROMISED = 4.0  # a condition number after whitening
PLANE = sweeps.HOSTILE_D[0]


def abstains(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, d: int = sweeps.HOSTILE_D[1]
) -> Chart:
    """Return how often rows that are not normal get an answer, and a right one."""
    title = "Far rows stop the answers; at 20 % they make wrong ones"
    return _chart("abstains", title, run, ApproxDP(epsilon, delta), d)


def abstains_in_the_plane(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return how often rows of two columns that are not normal get an answer."""
    title = "In two columns more rows may be far before the answers stop"
    return _chart("abstains_in_the_plane", title, run, ApproxDP(epsilon, delta), PLANE)


def _chart(name: str, title: str, run: Run, budget: ApproxDP, d: int) -> Chart:
    other = sweeps.HOSTILE_D[1] if d == PLANE else d
    far, heavy = (
        measures.at(run.table(_hostile(sweep, budget, other)), d=d) for sweep in (sweeps.FAR, sweeps.HEAVY)
    )
    shares = {f"{number(100 * share)} % far": measures.at(far, share=share) for share in sweeps.SHARES}
    tails = {f"ν = {degrees:g}": measures.at(heavy, degrees=degrees) for degrees in sweeps.DEGREES}
    return Chart(
        name,
        title,
        (
            _bars(f"rows in one far place, d = {d}", "share of far rows", shares),
            _bars(f"heavy tails: ν degrees of freedom, d = {d}", "degrees of freedom", tails),
        ),
        alt="Stacked bars of answers as promised, other answers, and no answer. With few far rows nearly all"
        " are as promised, with more there is none, with very many there are wrong ones. With heavy tails"
        " there is no answer, with light ones nearly always a right one.",
        how_to_read="Right: a condition number of at most 4 after whitening. A few far rows change nothing."
        " More hold the quantile up less firmly than the plan assumes: no answer. Wrong answers point at far"
        " rows that hold it up alone.",
    )


def _hostile(sweep: Sweep, budget: ApproxDP, d: int) -> Sweep:
    """Return the sweep at a budget, with d in the place of the larger of its dimensions."""
    small, large = sweeps.HOSTILE_D
    points = [{**one, "d": d if one["d"] == large else small} for one in sweep.points]
    if d == small:
        points = points[: len(points) // 2]
    usual, here = planned(large, None) * large**2, planned(d, None, budget) * d**2
    return at_budget(sweep, budget, points, work=here / usual)


def _bars(title: str, name: str, groups: dict[str, pd.DataFrame]) -> Panel:
    """Return a row for every set of rows: its shares of right answers, of wrong ones, and of none."""
    series = []
    if all(map(len, groups.values())):
        answered = np.array([float((rows["condition"] < inf).mean()) for rows in groups.values()])
        right = np.array([float((rows["condition"] <= PROMISED).mean()) for rows in groups.values()])
        trials = min(map(len, groups.values()))
        edges = (np.zeros(len(groups)), right, answered, np.ones(len(groups)))
        places = range(1, len(groups) + 1)
        series = [
            Series(label, places, high, low, high, "bars", key, kind="fraction", trials=trials)
            for label, key, low, high in zip(
                ("right", "wrong", "no answer"), (RIGHT, WRONG, SILENT), edges[:-1], edges[1:], strict=True
            )
        ]
    return Panel(title, name, "share of runs", tuple(series), "linear", "linear", ylim=(0.0, 1.0),
                 names=tuple(groups))  # fmt: skip
