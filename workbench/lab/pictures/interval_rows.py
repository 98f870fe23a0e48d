"""A panel on its side: named rows, one below the other, and their values from left to right.

A measured series is a marker at its y in the middle of its row, on a bar from low to high, with an arrow at
an edge that either lies beyond; a reference is a line down all rows that its x spans.
"""

from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes

from workbench.charts.chart import Panel, Series
from workbench.charts.formats import Format
from workbench.lab.pictures.axes import dress, limits, set_ticks
from workbench.lab.pictures.style import line_style, look

HALF = 0.3  # of the height of a bar, in rows


def draw_rows(axes: Axes, panel: Panel, form: Format) -> None:
    """Draw a panel that has names into its axes."""
    across, down = limits(panel, "y"), (len(panel.names) + 0.5, 0.5)
    turned = replace(panel, xlabel=panel.ylabel, ylabel="", xscale=panel.yscale, yscale="linear", names=())
    dress(axes, turned, across, down, form=form, most=8)
    set_ticks(axes.yaxis, range(1, len(panel.names) + 1), panel.names)
    for series in panel.series:
        _row(axes, series, across)


def _row(axes: Axes, series: Series, across: tuple[float, float]) -> None:
    place, value = np.fromiter(series.x, float), np.fromiter(series.y, float)
    colour = look(series.colour_key, series.rank).colour
    if series.role == "bars":
        start = (
            np.full_like(value, max(across[0], 0.0)) if series.low is None else np.fromiter(series.low, float)
        )
        start, end = np.clip(start, *across), np.clip(value, *across)
        axes.barh(place, end - start, 2 * HALF, start, color=colour, alpha=0.85, linewidth=0, zorder=3)
        return
    if series.role != "estimate":
        axes.plot(value, place, **line_style(series))
        return
    if series.low is not None and series.high is not None:
        ends = np.clip([np.fromiter(side, float) for side in (series.low, series.high)], *across)
        for middle, low, high in zip(place, *ends, strict=True):
            bar = (middle - HALF, middle + HALF)
            axes.fill_betweenx(bar, low, high, color=colour, alpha=0.22, linewidth=0)
    shown = (value >= across[0]) & (value <= across[1])
    axes.plot(value[shown], place[shown], **line_style(series) | {"linestyle": "none"})
    face = "white" if look(series.colour_key).hollow else colour
    edge = axes.get_yaxis_transform()
    least, most = (value if side is None else np.fromiter(side, float) for side in (series.low, series.high))
    below, above = np.fmin(value, least) < across[0], np.fmax(value, most) > across[1]
    for outside, where, marker in ((below, 0.015, "<"), (above, 0.985, ">")):
        if np.any(outside):
            edges = np.full_like(place[outside], where)
            axes.plot(edges, place[outside], marker, transform=edge, ms=6, mfc=face, mec=colour)
