"""One curve: its line, its band, what lies beyond the axes."""

from collections.abc import Set as AbstractSet

import numpy as np
from matplotlib.axes import Axes

from workbench.charts.chart import Panel, Series
from workbench.lab.pictures.axes import FAR
from workbench.lab.pictures.style import line_style, look

Looks = AbstractSet[tuple[str, str, float | None]]
DARK = 0.75  # of the gap between two bars, what a bar takes


def looks(panel: Panel) -> Looks:
    """Return the role and look of every series that has points."""
    return {(one.role, one.colour_key, one.rank) for one in panel.series if tuple(one.x)}


def draw_curve(axes: Axes, series: Series, vertical: tuple[float, float], seen: Looks) -> None:
    """Draw a series between two limits; beside its prediction, a measured curve is markers alone."""
    x, y = np.fromiter(series.x, float), np.fromiter(series.y, float)
    y = np.where(np.abs(y) > FAR, np.copysign(np.inf, y), y)
    style = line_style(series, alone=("estimate", series.colour_key, series.rank) not in seen)
    colour = look(series.colour_key, series.rank).colour
    if series.role == "bars":
        _bars(axes, x, np.clip(y, *vertical), _floor(series, vertical), colour)
        return
    if "marker" in style and ("theory", series.colour_key, series.rank) in seen:
        style["linestyle"] = ""
    axes.plot(x, np.where(np.isfinite(y), y, np.nan), **style)
    if series.role in ("bound", "area"):
        shade = 0.1 if series.role == "bound" else 0.28
        floor = np.full_like(y, vertical[0]) if series.role == "bound" else _floor(series, vertical)
        axes.fill_between(x, floor, y, where=np.isfinite(y), color=colour, alpha=shade, linewidth=0)
    elif series.low is not None and series.high is not None:
        _band(axes, x, series, vertical, colour, joined=bool(style.get("linestyle", "-")))
    beyond = x[np.isposinf(y)]
    if beyond.size:
        face = "white" if look(series.colour_key).hollow else colour
        edge = axes.get_xaxis_transform()
        axes.plot(beyond, np.full_like(beyond, 0.97), "^", transform=edge, ms=7, mfc=face, mec=colour)


def _floor(series: Series, vertical: tuple[float, float]) -> np.ndarray:
    if series.low is not None:
        return np.asarray(np.clip(np.fromiter(series.low, float), *vertical))
    return np.full(len(tuple(series.x)), max(vertical[0], 0.0))


def _bars(axes: Axes, x: np.ndarray, y: np.ndarray, floor: np.ndarray, colour: str) -> None:
    logarithmic = axes.get_xscale() == "log"
    places = np.log(x) if logarithmic else x
    gap = np.min(np.diff(np.unique(places)), initial=np.inf)
    half = 0.5 * DARK * (gap if np.isfinite(gap) else 1.0)
    ends = np.array([places - half, places + half])
    left, right = np.exp(ends) if logarithmic else ends
    axes.bar(
        left, y - floor, right - left, floor, align="edge", color=colour, alpha=0.85, linewidth=0, zorder=3
    )


def _band(
    axes: Axes, x: np.ndarray, series: Series, vertical: tuple[float, float], colour: str, *, joined: bool
) -> None:
    """Draw a band around a line, and intervals around points that no line joins."""
    ends = [np.fromiter(side, float) for side in (series.low or (), series.high or ())]
    known = (ends[0] > 0) | np.isfinite(ends[1]) | (axes.get_yscale() == "linear")
    low, high = (np.clip(end, *vertical) for end in ends)
    if joined:
        axes.fill_between(x, low, high, where=known, color=colour, alpha=0.18, linewidth=0)
    else:
        axes.vlines(x[known], low[known], high[known], color=colour, alpha=0.45, linewidth=3.2, zorder=3.5)
