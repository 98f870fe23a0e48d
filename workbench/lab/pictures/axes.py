"""Limits, ticks and dress of one pair of axes."""

from collections.abc import Iterator, Sequence
from math import floor, log10
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator, NullLocator

from workbench.charts.chart import Panel
from workbench.charts.formats import Format
from workbench.charts.methods import GREY, INK
from workbench.charts.ticks import log_ticks, tick_labels
from workbench.lab.pictures.style import PALE

FAR = 1e100  # beyond it a number is drawn like infinity
Direction = Literal["x", "y"]


def limits(panel: Panel, direction: Direction) -> tuple[float, float]:
    """Return the lowest and highest number shown: the panel's own, or its data with a margin."""
    fixed, scale = getattr(panel, f"{direction}lim"), getattr(panel, f"{direction}scale")
    if fixed is not None:
        return float(fixed[0]), float(fixed[1])
    values = np.fromiter(_values(panel, direction), float)
    values = values[(np.abs(values) <= FAR) & ((values > 0) | (scale == "linear"))]
    if not values.size:
        return (1.0, 10.0) if scale == "log" else (0.0, 1.0)
    return _logarithmic(values) if scale == "log" else _linear(values)


def _values(panel: Panel, direction: Direction) -> Iterator[float]:
    for series in panel.series:
        yield from series.x if direction == "x" else series.y
        if direction == "y" and series.low is not None and series.high is not None:
            yield from series.low
            yield from series.high


def _logarithmic(values: np.ndarray) -> tuple[float, float]:
    low, high = log10(values.min()), log10(values.max())
    margin = 0.06 * (high - low) + (0.02 if high > low else 0.3)
    return 10 ** max(low - margin, -300.0), 10 ** min(high + margin, 300.0)


def _linear(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.06 * (high - low) or 0.5 * max(abs(high), 1.0)
    return low - margin, high + margin


Ends = tuple[float, float]


def widened(panel: Panel, horizontal: Ends, vertical: Ends, box: Ends) -> tuple[Ends, Ends]:
    """Return limits at which a unit is as long across as up, where the panel wants it so; for linear axes."""
    if not panel.equal:
        return horizontal, vertical
    across, up = horizontal[1] - horizontal[0], vertical[1] - vertical[0]
    unit = max(across / box[0], up / box[1])
    return _about(horizontal, unit * box[0] / 2), _about(vertical, unit * box[1] / 2)


def _about(ends: Ends, half: float) -> Ends:
    middle = (ends[0] + ends[1]) / 2
    return middle - half, middle + half


def dress(axes: Axes, panel: Panel, horizontal: Ends, vertical: Ends, *, form: Format, most: int) -> None:
    """Set scales, limits, ticks, labels and grid; cheap when nothing has changed."""
    for direction, ends in (("x", horizontal), ("y", vertical)):
        scale = getattr(panel, f"{direction}scale")
        if getattr(axes, f"get_{direction}scale")() != scale:
            getattr(axes, f"set_{direction}scale")(scale)
        getattr(axes, f"set_{direction}lim")(*ends)
        whole = direction == "x" and scale == "linear" and counts(panel)
        _set_ticks(axes, "x" if direction == "x" else "y", scale, ends, most=most, whole=whole)
    set_labels(axes, panel, form)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(visible=True, color=PALE, linewidth=0.7)
    axes.tick_params(labelsize=form.tick, colors=INK, color=GREY, length=3, width=0.7)


def counts(panel: Panel) -> bool:
    """Return whether x counts: every measured point is at a whole number, or aside by less than a third.

    So are the points of curves that stand side by side. Nothing is counted below three.
    """
    x = np.array([one for series in panel.series if series.role == "estimate" for one in series.x], float)
    return bool(x.size and np.ptp(x) >= 3 and np.all(np.abs(x - np.round(x)) < 0.3))


def _set_ticks(axes: Axes, direction: Direction, scale: str, ends: Ends, *, most: int, whole: bool) -> None:
    axis = axes.xaxis if direction == "x" else axes.yaxis
    if scale == "log" and ends[1] / ends[0] > 4:
        ticks = log_ticks(*ends, most=most)
        set_ticks(axis, ticks, tick_labels(ticks))
    else:
        ticks = list(_round_ticks(*ends, most, whole=whole))
        set_ticks(axis, ticks, _plain(ticks))


def set_ticks(axis: Axis, places: Sequence[float], names: Sequence[str]) -> None:
    """Put ticks at these places and nowhere else, without widening the limits as matplotlib does."""
    axis.set_minor_locator(NullLocator())
    axis.set_major_locator(FixedLocator(places))
    axis.set_major_formatter(FixedFormatter(names))


def set_labels(axes: Axes, panel: Panel, form: Format) -> None:
    """Write the names of both axes."""
    axes.set_xlabel(panel.xlabel, fontsize=form.label, color=INK, labelpad=3)
    axes.set_ylabel(panel.ylabel, fontsize=form.label, color=INK, labelpad=4)


def _round_ticks(low: float, high: float, most: int, *, whole: bool) -> Iterator[float]:
    steps = [1, 2, 5, 10] if whole else [1, 2, 2.5, 5, 10]
    for tick in MaxNLocator(most, steps=steps, integer=whole).tick_values(low, high):
        if low <= tick <= high:
            yield float(tick)


def _plain(ticks: list[float]) -> list[str]:
    largest = max(map(abs, ticks), default=1.0)
    powers = not 1e-3 <= largest < 1e5 and all(tick > 0 for tick in ticks)
    return tick_labels(ticks) if powers else _tidy(ticks)


def _tidy(ticks: list[float]) -> list[str]:
    step = min(np.diff(ticks), default=1.0)
    digits = max(0, 1 - floor(log10(step)))
    plain = [f"{tick:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{tick:g}" for tick in ticks]
    return [text.replace("-", "−") for text in plain]
