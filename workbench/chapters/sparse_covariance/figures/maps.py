"""The maps of regimes: where thresholding wins, what it finds, and where local noise leaves nothing."""

import numpy as np
import pandas as pd

from workbench.chapters.sparse_covariance.figures.regimes import SHOWN_DEGREE
from workbench.chapters.sparse_covariance.runs import figures as study
from workbench.chapters.sparse_covariance.runs import theory
from workbench.chapters.sparse_covariance.runs.designs import DELTA
from workbench.charts.chart import Chart, Heat, Mark, Panel
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.study.measures import at
from workbench.study.run import Run
from workbench.types import Array

BEST = (0.2, 5.0)  # errors over that of the best rival
BARS = {
    "ratio": "error over the best rival's",
    "recall": "share of pairs found",
    "default": "relative error",
}
HALF = 0.5  # of the support
Region = tuple[str, float, float]  # and its place, as shares of columns and rows
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


def regime_map(
    run: Run,
    *,
    epsilon: float = 1.0,
    delta: float = DELTA,
    p: int = theory.P,
    degree: int = SHOWN_DEGREE,
) -> Chart:
    """Return where thresholding wins, where it returns the diagonal, or truth is dense."""
    frame = _regimes(run, epsilon, delta, p, degree)
    sparse, dense = at(frame, model="central", degree=degree), at(frame, model="central", degree=0)
    return Chart(
        "regime_map",
        "A threshold wins where rows are many and the truth is sparse",
        (
            _map(f"s = {degree} correlated columns each", sparse, "p", "ratio", BEST, SPARSE),
            _map(f"p = {p} columns", dense, "share", "ratio", BEST, DENSE),
        ),
        alt="Two tables as colours. Thresholding wins to the right of a line that moves to larger n as p"
        " grows, and loses where half of all pairs or more are correlated. To the left of the line it finds"
        " no support.",
        how_to_read="Colour: the error of the default rule over that of its best rival, the plain release,"
        " the"
        " noisy diagonal or zeros. White line: from here on it finds half of the correlated pairs."
        f" ε = {number(epsilon)}, δ = {number(delta)}.",
    )


def regime_further(
    run: Run,
    *,
    epsilon: float = 1.0,
    delta: float = DELTA,
    p: int = theory.P,
    degree: int = SHOWN_DEGREE,
) -> Chart:
    """Return the share of the support that is found, and the error in the local model."""
    frame = _regimes(run, epsilon, delta, p, degree)
    central, local = (at(frame, model=model, degree=degree) for model in study.MODELS)
    return Chart(
        "regime_further",
        "With local noise, zeros are better up to millions of users",
        (
            _map(f"a curator: share of pairs found, s = {degree}", central, "p", "recall", (0.0, 1.0)),
            _map(f"local noise: relative error, s = {degree}", local, "p", "default", (0.02, 50.0)),
        ),
        alt="Two tables as colours. With a curator the support is found from some n on that grows with p."
        " Locally the error is above 1, that of zeros, up to a million users, and below a half from 10⁹ on.",
        how_to_read="Left, where nothing of the support is found, the default rule returns the noisy"
        " diagonal."
        f" Right, zeros have error 1. ε = {number(epsilon)}, δ = {number(delta)}.",
    )


def _regimes(run: Run, epsilon: float, delta: float, p: int, degree: int) -> pd.DataFrame:
    """Return the runs of the map, with the error over that of the best rival."""
    points = study.regime_points(p, degree, ApproxDP(epsilon, delta))
    frame = run.table(study.REGIMES.moved(points, delta=delta))
    best = frame[["plain", "noisy diagonal", "zero"]].min(axis=1)
    return frame.assign(ratio=frame["default"] / best)


def _map(
    title: str, frame: pd.DataFrame, along: str, value: str, limits: tuple[float, float],
    regions: tuple[Region, ...] = (),
) -> Panel:  # fmt: skip
    xlabel = "users n" if value == "default" else "rows n"
    ylabel = "columns p" if along == "p" else "share of correlated pairs"
    if not len(frame):
        return Panel(title, xlabel, ylabel, ())
    frame = frame.assign(log=np.log(np.maximum(frame[value], 1e-9)))
    table = frame.pivot_table(index=along, columns="n", values=value if value == "recall" else "log")
    heat = Heat(
        table.to_numpy() if value == "recall" else np.exp(table.to_numpy()),
        limits,
        scale="linear" if value == "recall" else "log",
        emphasis="high" if value == "recall" else "middle",
        rows=tuple(f"{name:g}" for name in table.index),
        columns=tuple(number(float(n), 1) for n in table.columns[::2]),
        written=not regions,
        boundary=_found(frame, along) if regions else (),
        bar=BARS[value],
    )
    low, wide = len(table) - 1, len(table.columns) - 1
    marks = [Mark(name, x=x * wide, y=y * low, colour_key="non-private") for name, x, y in regions]
    note = "White line: from here on half of the pairs are found." if heat.boundary else ""
    return Panel(title, xlabel, ylabel, (), heat=heat, note=note, marks=tuple(marks))


def _found(frame: pd.DataFrame, along: str) -> tuple[float, ...]:
    """Return for every row where among the columns half of the support is found; nan for nowhere."""
    table = frame.pivot_table(index=along, columns="n", values="recall").to_numpy()
    return tuple(_crossing(row - HALF) for row in table)


def _crossing(above: Array) -> float:
    """Return the place at which a row of numbers last turns from negative to positive."""
    turns = np.flatnonzero((above[:-1] < 0) & (above[1:] >= 0))
    if not len(turns):
        return float("nan")
    i = int(turns[-1])
    return float(i + above[i] / (above[i] - above[i + 1]))
