"""Where thresholding wins: the matrices of one run, and the map of regimes."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.chapters.sparse_covariance.designs import (
    DELTA,
    USUAL,
    Model,
    P,
    diagonal,
    estimates,
    recall,
    released,
    rows_factor,
    share_of,
    spectral,
    spread,
)
from workbench.chapters.sparse_covariance.designs import Run as Release
from workbench.charts.chart import Chart, Heat, Mark, Panel
from workbench.charts.style import number
from workbench.privacy import ApproxDP
from workbench.study.grids import Role, Sweep, multiples, stream
from workbench.study.measures import at
from workbench.study.profiles import blocks
from workbench.study.run import Row, Run, each_trial
from workbench.types import Array

SHOWN_P, SHOWN_N, SHOWN_DEGREE = 40, 15_000, 3
SHOWN = {
    "truth": "the truth",
    "empirical": "empirical, without privacy",
    "plain": "plain release",
    "noisy diagonal": "noisy diagonal",
    "algorithm": "Algorithm 1, equation (9)",
    "default": "default rule",
}


@cache
def shown_run(p: int, n: int, degree: float, epsilon: float, delta: float, seed: int) -> Release:
    """Return one run of the picture of matrices; the truth depends on p, the degree and the seed alone."""
    data, noise = (stream(seed, role, "wx19-matrices", p, 0) for role in (Role.DATA, Role.NOISE))
    share = min(1.0, share_of(p, degree))
    return released(spread(p, share, n, data), n, epsilon, data, noise, delta=delta)


def matrices(
    run: Run,
    *,
    epsilon: float = 1.0,
    delta: float = DELTA,
    n: int = SHOWN_N,
    p: int = SHOWN_P,
    degree: int = SHOWN_DEGREE,
) -> Chart:
    """Return six matrices of one run, in units of the mean variance; the profile makes no difference."""
    one = shown_run(p, n, degree, epsilon, delta, run.seed)
    found = {"truth": one.truth, **estimates(one, stream(run.seed, Role.NOISE, "wx19-matrices", 1, 0))}
    first, *others = (matrix_panel(label, found[name], one.truth) for name, label in SHOWN.items())
    return Chart(
        "matrices",
        "A threshold removes the noise; the default rule keeps most correlations",
        (first, *(replace(panel, note="") for panel in others)),
        alt="Six coloured matrices. The truth and the empirical one have a clear diagonal and some hundred"
        " coloured entries; in the plain release these are among noise everywhere;"
        " equation (9) keeps only few, the default rule most of them.",
        how_to_read=f"One run: p = {p}, n = {number(n)}, s = {degree}, ε = {number(epsilon)}, δ ="
        f" {number(delta)}."
        " A cell is an entry in units of the mean variance; pale is 0, the diagonal is beyond the colours."
        " Errors are relative.",
    )


def matrix_panel(label: str, matrix: Array, truth: Array, reach: float = 0.4) -> Panel:
    """Return a matrix as colours, with its relative error in the title."""
    error = spectral(matrix - truth) / spectral(truth)
    title = label if matrix is truth else f"{label}: error {number(error, 2)}"
    unit = float(np.diag(truth).mean())
    heat = Heat(
        matrix / unit,
        (-reach, reach),
        emphasis="middle",
        rows=("1", str(len(truth))),
        columns=("1", str(len(truth))),
        bar=None,
    )
    return Panel(title, "column", "row", (), heat=heat, note=f"purple: −{reach:g}, orange: {reach:g}")


MAP_P = (25, 50, 100, 200, 400)
MAP_SHARES = (0.01, 0.03, 0.1, 0.2, 0.5, 1.0)
Region = tuple[str, float, float]  # and its place, as shares of columns and rows
MAP_ROWS = tuple(round(n) for n in np.geomspace(3e3, 3e6, 7))
SPARSE: tuple[Region, ...] = (
    ("diagonal", 0.09, 0.72),
    ("threshold wins", 0.8, 0.4),
    ("zeros", 0.0, 1.0),
)
DENSE: tuple[Region, ...] = (
    ("diagonal", 0.09, 0.35),
    ("threshold wins", 0.75, 0.0),
    ("too dense: loses", 0.74, 0.98),
)


@each_trial
def regime(
    model: Model,
    p: int,
    n: int,
    epsilon: float,
    degree: float,
    share: float,
    *,
    delta: float = DELTA,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the default rule, its rivals, and the share of the support that it finds."""
    wanted = min(1.0, share_of(p, degree) if degree else share)
    one = released(spread(p, wanted, n, data), n, epsilon, data, noise, delta=delta, model=model)
    kept, size = one.thresholded("adaptive-lasso", noise), spectral(one.truth)
    found = {"default": kept.psd, "plain": one.released, "noisy diagonal": diagonal(one.released)}
    ratios = {name: spectral(matrix - one.truth) / size for name, matrix in found.items()}
    return {**ratios, "zero": 1.0, "recall": recall(kept.thresholded, one.truth)}


def regime_points(p: int, degree: int, budget: ApproxDP) -> tuple[dict[str, Any], ...]:
    """Return five p round this one, then shares of all pairs at this one."""
    rows = multiples(MAP_ROWS, rows_factor("central", p, budget))
    sparse = [(one, degree, 0.0) for one in multiples(MAP_P, p / P)]
    dense = [(p, 0, share) for share in MAP_SHARES]
    return tuple(
        {"model": "central", "p": one, "n": n, "epsilon": budget.epsilon, "degree": s, "share": share}
        for one, s, share in (*sparse, *dense)
        for n in rows
    )


REGIMES = Sweep("wx19-regimes", regime_points(P, 3, USUAL), regime, trials=1, blocks=blocks(8), in_law=True)


def regime_map(
    run: Run,
    *,
    epsilon: float = 1.0,
    delta: float = DELTA,
    p: int = P,
    degree: int = SHOWN_DEGREE,
) -> Chart:
    """Return where thresholding wins, where it returns the diagonal, or truth is dense."""
    frame = run.table(REGIMES.moved(regime_points(p, degree, ApproxDP(epsilon, delta)), delta=delta))
    frame = frame.assign(ratio=frame["default"] / frame[["plain", "noisy diagonal", "zero"]].min(axis=1))
    sparse, dense = at(frame, degree=degree), at(frame, degree=0)
    return Chart(
        "regime_map",
        "A threshold wins where rows are many and the truth is sparse",
        (
            _map(f"s = {degree} correlated columns each", sparse, "p", "columns p", SPARSE),
            _map(f"p = {p} columns", dense, "share", "share of correlated pairs", DENSE),
        ),
        alt="Two tables as colours. Thresholding wins to the right of a line that moves to larger n as p"
        " grows, and loses where half of all pairs or more are correlated. To the left of the line it finds"
        " no support.",
        how_to_read="Colour: the error of the default rule over that of its best rival, the plain release,"
        " the noisy diagonal or zeros. White line: from here on it finds half of the correlated pairs."
        f" ε = {number(epsilon)}, δ = {number(delta)}.",
    )


def _map(title: str, frame: pd.DataFrame, along: str, ylabel: str, regions: tuple[Region, ...]) -> Panel:
    """Return geometric means of the ratio as colours, and the line from which half of the pairs are found."""
    if not len(frame):
        return Panel(title, "rows n", ylabel, ())
    logs = frame.assign(log=np.log(np.maximum(frame["ratio"], 1e-9)))
    table = logs.pivot_table(index=along, columns="n", values="log")
    found = logs.pivot_table(index=along, columns="n", values="recall").to_numpy()
    heat = Heat(
        np.exp(table.to_numpy()),
        (0.2, 5.0),
        scale="log",
        emphasis="middle",
        rows=tuple(f"{name:g}" for name in table.index),
        columns=tuple(number(float(n), 1) for n in table.columns[::2]),
        boundary=tuple(crosses(row - 0.5) for row in found),
        bar="error over the best rival's",
    )
    low, wide = len(table) - 1, len(table.columns) - 1
    marks = tuple(Mark(name, x=x * wide, y=y * low, colour_key="non-private") for name, x, y in regions)
    note = "White line: from here on half of the pairs are found."
    return Panel(title, "rows n", ylabel, (), heat=heat, note=note, marks=marks)


def crosses(above: Array) -> float:
    """Return the place at which a row of numbers last turns from negative to positive; nan for nowhere.

    >>> crosses(np.array([-0.5, -0.1, 0.1, 0.3]))
    1.5
    """
    turns = np.flatnonzero((above[:-1] < 0) & (above[1:] >= 0))
    if not len(turns):
        return float("nan")
    i = int(turns[-1])
    return float(i + above[i] / (above[i] - above[i + 1]))
