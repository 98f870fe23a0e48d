"""Rows that get no answer, or not the one that was wanted."""

from math import inf, isnan, nan

import pandas as pd

from workbench.chapters.matrix_quantile.figures.pictures import OURS, PLAIN
from workbench.chapters.matrix_quantile.runs import beside as sweeps
from workbench.chapters.matrix_quantile.runs.quantile import BUDGET, DELTA, EPSILON, planned
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Scale, Series
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.intervals import clopper_pearson
from workbench.study.measures import Measure
from workbench.study.run import Run
from workbench.study.sweeps.budgets import at_budget
from workbench.study.sweeps.sweep import Sweep

SECOND = f"{OURS}:second"
WORST = 3e7  # condition numbers shown


def abstains(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, d: int = sweeps.HOSTILE_D[1]
) -> Chart:
    """Return how often there is an answer, and its condition number, for rows that are not normal."""
    budget = ApproxDP(epsilon, delta)
    far, heavy = (run.table(_hostile(sweep, budget, d)) for sweep in (sweeps.FAR, sweeps.HEAVY))
    usual = (budget, d) == (BUDGET, sweeps.HOSTILE_D[1])
    places = " (a fifth at d = 2, a tenth at d = 5)" * usual
    names = ("share of far rows", "degrees of freedom")
    return Chart(
        "abstains",
        "Where there is no answer, at the planned rows",
        (
            _answered("some rows in one far place", names[0], far, "share"),
            _answered("heavy tails", names[1], heavy, "degrees"),
            _conditions("of the answers", names[0], far, "share"),
            _conditions("of the answers", names[1], heavy, "degrees"),
        ),
        alt="Above, the share of answers falls from one to none as more rows are far away, sooner for"
        f" d = {d}, and"
        " rises again when they are many; it rises with the degrees of freedom. Below, answers have a"
        " condition below 4 until the far rows are many, then a very large one; that of the sample covariance"
        " is large from the first far row on.",
        how_to_read="Above, how often there is an answer; below, how good the answers are, and the sample"
        " covariance without privacy beside them. A few far rows change nothing: each counts once. With more"
        " of them, or heavy tails, the rows hold Pᵤ up less firmly than normal ones would, and the plan's"
        " noise would not hide a row any more: no answer is then the only private one. It is not a"
        " detector of"
        f" outliers. Where far rows in one place outnumber the level u{places}, they"
        " hold the quantile up by themselves; it can be stable again, is answered for then, and is long"
        " in their"
        " direction.",
    )


def _hostile(sweep: Sweep, budget: ApproxDP, d: int) -> Sweep:
    """Return the sweep at a budget, with d in the place of the larger of its dimensions."""
    small, large = sweeps.HOSTILE_D
    points = [{**one, "d": d if one["d"] == large else small} for one in sweep.points]
    if d == small:
        points = points[: len(points) // 2]
    usual, here = planned(large, None) * large**2, planned(d, None, budget) * d**2
    return at_budget(sweep, budget, points, work=here / usual)


def _share(found: pd.Series) -> Measure:
    hits, trials = int(found.sum()), len(found)
    return Measure(hits / trials, clopper_pearson(hits, trials, LEVEL), trials)


def _answered(title: str, name: str, frame: pd.DataFrame, along: str) -> Panel:
    series = [
        measured(f"d = {d:g}", {at: _share(rows["condition"] < inf) for at, rows in groups.items()}, key)
        for d, key, groups in _groups(frame, along)
    ]
    low = 0.0 if along == "share" else 2.5
    scale: Scale = "linear" if along == "share" else "log"
    limits = None if low else (-0.01, 0.31)
    return Panel(title, name, "share of answers", tuple(series), scale, "linear", ylim=(-0.05, 1.05),
                 xlim=limits)  # fmt: skip


def _groups(frame: pd.DataFrame, along: str) -> list[tuple[int, str, dict[float, pd.DataFrame]]]:
    return [
        (d, key, measures.by(measures.at(frame, d=d), along))
        for d, key in zip(sorted({*frame["d"]}), (OURS, SECOND), strict=False)
    ]


def _conditions(title: str, name: str, frame: pd.DataFrame, along: str) -> Panel:
    series = []
    for d, key, groups in _groups(frame, along):
        found = {at: rows["condition"][rows["condition"] < inf] for at, rows in groups.items()}
        medians = {at: float(one.median()) if len(one) else nan for at, one in found.items()}
        series += _pieces(f"d = {d:g}", medians, key)
        plain = {at: float(rows["plain"].median()) for at, rows in groups.items()}
        label = "sample covariance, no privacy" if key == OURS else ""
        series.append(Series(label, plain, plain.values(), role="reference", colour_key=PLAIN))
    ends = (0.0, sweeps.SHARES[-1]) if along == "share" else (sweeps.DEGREES[0], sweeps.DEGREES[-1])
    series.append(Series("promised: 4", ends, (4.0, 4.0), role="reference"))
    linear = along == "share"
    return Panel(title, name, "condition after whitening", tuple(series), "linear" if linear else "log",
                 ylim=(1.0, WORST if linear else 10.0), xlim=(-0.01, 0.31) if linear else None)  # fmt: skip


def _pieces(label: str, values: dict[float, float], key: str) -> list[Series]:
    """Return a curve in pieces, without the places that have no value."""
    pieces: list[dict[float, float]] = [{}]
    for at, value in values.items():
        if isnan(value):
            pieces.append({})
        else:
            pieces[-1][at] = value
    kept = [one for one in pieces if one]
    return [Series(label, one, one.values(), colour_key=key) for one in kept]
