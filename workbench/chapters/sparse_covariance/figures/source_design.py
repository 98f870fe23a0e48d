"""Figures 1 to 4 of WX19 in the source's own design, beside ours.

What looks like an error that hardly depends on p and ε is that of the true diagonal, in either model.
"""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd

from workbench.chapters.sparse_covariance.figures.figures import (
    LOCAL,
    PAPER,
    at_base,
    curve,
    panel,
    reference,
)
from workbench.chapters.sparse_covariance.runs import figures as study
from workbench.chapters.sparse_covariance.runs import source_design as sweeps
from workbench.chapters.sparse_covariance.runs.designs import REFERENCES, Model
from workbench.charts.chart import Chart, Panel
from workbench.charts.words import number
from workbench.study.measures import at
from workbench.study.run import Run

NORMS = {2: "relative error", 1: "relative error in column sums"}
TITLES = {
    1: "In the source's design the output is a diagonal up to 10⁵ rows",
    2: "In column sums too, the source's design gives a diagonal up to 10⁵ rows",
    3: "In the source's design local noise leaves a diagonal up to 10⁷ users",
    4: "In column sums too, local noise leaves a diagonal up to 10⁷ users",
}


def source_figure_1(run: Run) -> Chart:
    """Return the central model, w = 2."""
    return _figure(run, 1, "central", 2)


def source_figure_2(run: Run) -> Chart:
    """Return the central model, w = 1."""
    return _figure(run, 2, "central", 1)


def source_figure_3(run: Run) -> Chart:
    """Return the local model, w = 2."""
    return _figure(run, 3, "local", 2)


def source_figure_4(run: Run) -> Chart:
    """Return the local model, w = 1."""
    return _figure(run, 4, "local", 1)


DEEP: tuple[Callable[[Run], Chart], ...] = (
    source_figure_1,
    source_figure_2,
    source_figure_3,
    source_figure_4,
)


def _figure(run: Run, place: int, model: Model, w: int) -> Chart:
    chosen = study.Settings()
    theirs = run.table(sweeps.SOURCE_DESIGN[model])
    ours = run.table(replace(study.FIGURES[model], blocks=sweeps.BLOCKS))
    return Chart(
        f"source_figure_{place}",
        TITLES[place],
        (
            _panel(theirs, "the source's design, by ε", model, w, chosen),
            _panel(ours, "rows in the unit ball, by ε", model, w, chosen, again=True),
        ),
        alt="Two panels of relative error against n, all logarithmic. On the left, in the source's design,"
        " the"
        " algorithm lies near the line of the true diagonal up to many rows, whatever ε; on the right, in"
        " ours,"
        " curves part.",
        how_to_read="Left, rows far outside the unit ball with noise as for unit rows, nothing clipped: what"
        " the"
        " source runs, and not private. On the line of the true diagonal an output of the diagonal alone"
        " would"
        " make the same figure.",
    )


def _panel(
    frame: pd.DataFrame, title: str, model: Model, w: int, chosen: study.Settings, *, again: bool = False
) -> Panel:
    base, values = chosen.base["epsilon"], chosen.values["epsilon"]
    look = PAPER if model == "central" else LOCAL[PAPER]
    curves = [
        replace(
            curve(at(frame, **{**base, "epsilon": value}), "algorithm", w, number(value), look),
            rank=rank / (len(values) - 1),
        )
        for rank, value in enumerate(values)
    ]
    if model == "central" and not again:  # all end in one point
        *others, last = curves
        span = f"{number(values[0])} to {number(values[-1])}"
        curves = [*(replace(one, label="") for one in others), replace(last, label=span)]
    rows = at(frame, **base)
    lines = [reference(rows, f"{name}, w = {w}", name, "n") for name in REFERENCES]
    note = at_base("epsilon", chosen)
    return replace(panel(title, curves, lines, model, note, again=again), ylabel=NORMS[w])
