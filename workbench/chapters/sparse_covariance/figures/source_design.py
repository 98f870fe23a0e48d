"""Figures 1 to 4 of WX19 in the source's own design, beside ours.

What looks like an error that hardly depends on p and ε is that of the true diagonal, in either model.
"""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd

from workbench.chapters.sparse_covariance.figures.figures import (
    NAMES,
    PLACES,
    curve,
    panel,
    reference,
    setting_panel,
)
from workbench.chapters.sparse_covariance.runs import figures as study
from workbench.chapters.sparse_covariance.runs import source_design as sweeps
from workbench.chapters.sparse_covariance.runs.designs import REFERENCES, Model
from workbench.charts.chart import Chart, Panel
from workbench.study.measures import at
from workbench.study.run import Run

WHERE = {"share": "sparsity ratio {values}", "p": "p = {values}", "epsilon": "ε = {values}"}


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


def _figure(run: Run, number: int, model: Model, w: int) -> Chart:
    chosen = study.Settings()
    theirs = run.table(sweeps.SOURCE_DESIGN[model])
    ours = run.table(replace(study.FIGURES[model], blocks=sweeps.BLOCKS))
    panels = [
        one
        for setting in chosen.base
        for one in (
            _panel(theirs, setting, model, w, chosen),
            setting_panel(run, ours, setting, model, w, chosen),
        )
    ]
    return Chart(
        f"source_figure_{number}",
        f"Figure {number}, two designs: {'Algorithm 1' if model == 'central' else 'Algorithm 2'}, {NAMES[w]}",
        tuple(panels),
        alt="Three rows of two panels of relative error against n, all logarithmic. On the left, in the"
        " source's design, the algorithm lies near the line of the true diagonal up to many rows, whatever ε;"
        " on the right, in ours, curves part.",
        how_to_read="Left: λ = 50 and c = 200, rows far outside the unit ball, noise as for unit rows,"
        " nothing clipped: what the source runs, and not private. Right: the same settings in our design,"
        " rows in the unit ball. Markers: the algorithm as printed, for the four values of each panel in"
        " their order; lines without markers: references at the base values. Where the markers lie on the"
        " amber line, the error of the true diagonal, an output of the diagonal alone would make the same"
        " figure; only below it are correlations found. Runs on the right are drawn in law, conditional on"
        " no row being clipped.",
    )


def _panel(frame: pd.DataFrame, setting: str, model: Model, w: int, chosen: study.Settings) -> Panel:
    base, values = chosen.base[setting], chosen.values[setting]
    curves = [
        curve(at(frame, **{**base, setting: value}), "algorithm", w, f"{place} value", str(number))
        for number, (place, value) in enumerate(zip(PLACES, values, strict=True))
    ]
    rows = at(frame, **base)
    lines = [reference(rows, f"{name}, w = {w}", name, "n") for name in REFERENCES]
    said = WHERE[setting].format(values=", ".join(f"{value:g}" for value in values))
    return panel(f"source's design: {said}", [*curves, *lines], model, w)
