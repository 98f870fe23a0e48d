"""The adversaries of the duel, drawn in the plane: the rows that each of them replaces, and by what."""

import numpy as np

from workbench.chapters.robust_and_private.figures.rows import BAD, taken
from workbench.chapters.robust_and_private.runs import duel as study
from workbench.chapters.robust_and_private.runs.prime import corrupted
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.ellipses import plane
from workbench.charts.words import number
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

ROWS, SHARE, FARTHEST = 400, 0.1, 1e3
READING = (
    f"Each adversary replaces {number(100 * SHARE)} % of {ROWS} rows. Grey: clean rows. Orange: its own."
    " Below: how far it moves the mean of all rows."
)


def attacks_far(run: Run) -> Chart:
    """Return the adversaries that put rows outside of the cloud."""
    names = ("axis-clusters", "five-clusters", "cancelling", "far")
    return _chart(
        run,
        names,
        12.0,
        "attacks_far",
        "Rows far from all others pull hard and are easy to see",
        "Red points outside of a grey cloud: at the top and on the right, twice; on two opposite sides; and"
        " far beyond the picture.",
    )


def attacks_near(run: Run) -> Chart:
    """Return the adversaries that put rows at the edge of the cloud."""
    names = ("shift-ones", "shift-alternating", "half-sphere", "under-threshold")
    return _chart(
        run,
        names,
        5.0,
        "attacks_near",
        "At the edge of the cloud only their number betrays them",
        "Red points at the edge of a grey cloud: to the upper right, to the lower right, on half of a circle,"
        " and to the upper right again, nearer.",
    )


def attacks_hidden(run: Run) -> Chart:
    """Return the adversaries whose rows look like clean ones, and clean rows."""
    names = ("none", "tail-matched", "inward", "tail-swap")
    return _chart(
        run,
        names,
        5.0,
        "attacks_hidden",
        "Rows that look like everybody else's still move the mean",
        "A grey cloud; the same with red points in two directions within it; with red points at its centre"
        " and its upper right edge cut off; with its lower left edge cut off and red on the upper right.",
    )


def _chart(run: Run, names: tuple[str, ...], reach: float, name: str, title: str, alt: str) -> Chart:
    panels = tuple(_panel(run, one, reach) for one in names)
    return Chart(name, title, panels, alt=alt, how_to_read=READING)


def _panel(run: Run, name: str, reach: float) -> Panel:
    data = stream(run.seed, Role.DATA, "robust-attacks", 0, 0)
    x = data.standard_normal((ROWS, 2))
    y = corrupted(x, name, SHARE, data)
    bad = taken(x, y)
    moved = float(np.linalg.norm((y - x).mean(axis=0)))
    series = [_dots(y[~bad], "idea/data"), *([_dots(y[bad], BAD)] if bad.any() else [])]
    marks = [Mark(f"mean moves {number(moved, 2)} σ", x=0.0, y=-0.9 * reach)]
    if np.abs(y).max() > FARTHEST:
        marks.append(Mark("10⁶ away", x=0.5 * reach, y=0.9 * reach, colour_key=BAD))
    return plane(study.GLOSS[name], series, reach=reach, names=("first column", "second column"), marks=marks)


def _dots(rows: Array, key: str) -> Series:
    return Series("", rows[:, 0], rows[:, 1], role="rows", colour_key=key)
