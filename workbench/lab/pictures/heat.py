"""A panel of colours: a table of numbers, its first row on top, and a bar that says what the colours mean."""

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize

from workbench.charts.chart import Heat, Panel
from workbench.charts.formats import Format
from workbench.charts.methods import GREY, INK
from workbench.lab.pictures.axes import set_labels, set_ticks
from workbench.lab.pictures.style import ink_on

MAPS = {"high": "cividis", "middle": "PuOr_r"}  # both are told apart by the colour-blind
NOTHING = "0.82"  # the colour of a cell without a number
ROOM, GAP, BAR = 0.5, 0.07, 0.1  # inches: of the panel for bar and ticks, before the bar, of the bar
WORDS = 0.25  # inches more where the bar has a name
WIDE, TALL, APART = 3.6, 0.14, 0.07  # of a number: characters, half its rows, columns to a boundary


def draw_heat(axes: Axes, panel: Panel, heat: Heat, form: Format) -> None:
    """Draw a panel that has a table into its axes."""
    norm = (LogNorm if heat.scale == "log" else Normalize)(*heat.limits, clip=True)
    values = np.array(heat.values, float)
    axes.set_xscale("linear")
    axes.set_yscale("linear")
    shades = colormaps[MAPS[heat.emphasis]].with_extremes(bad=NOTHING)
    axes.imshow(values, norm=norm, cmap=shades, aspect="auto", interpolation="nearest")
    _name(axes, panel, heat, values.shape, form)
    if heat.bar is not None:
        _bar(axes, heat, norm, form)
    if heat.boundary:
        _bound(axes, heat.boundary)
    if heat.written:
        _write(axes, heat, norm, form)


def _name(axes: Axes, panel: Panel, heat: Heat, shape: tuple[int, ...], form: Format) -> None:
    for axis, names, count in ((axes.xaxis, heat.columns, shape[1]), (axes.yaxis, heat.rows, shape[0])):
        places = np.linspace(0, count - 1, len(names)).tolist()
        set_ticks(axis, places, names)
    set_labels(axes, panel, form)
    axes.grid(visible=False)
    axes.tick_params(labelsize=form.tick, colors=INK, color=GREY, length=0)


def _write(axes: Axes, heat: Heat, norm: Normalize, form: Format) -> None:
    """Write the numbers, clear of a boundary; where there is one, the colours alone say all and nothing."""
    values = np.array(heat.values, float)
    room = axes.get_position().width * form.width / values.shape[1]
    size = form.label if form.character(form.label) * 6 < room else form.small - 1
    half = 0.5 * form.character(size) * WIDE / room
    for (row, column), value in np.ndenumerate(values):
        if heat.boundary and value in heat.limits:
            continue
        axes.text(
            column + _aside(heat.boundary, row, column, half),
            row,
            _short(value),
            ha="center",
            va="center",
            fontsize=size,
            color=ink_on(colormaps[MAPS[heat.emphasis]](norm(value))),
        )


def _aside(boundary: tuple[float, ...], row: int, column: int, half: float) -> float:
    """Return how far from the middle of its cell a number of this half-width stands clear of a boundary."""
    rows = np.arange(len(boundary))
    near = np.interp(np.linspace(row - TALL, row + TALL, 9), rows, boundary) - column if boundary else rows
    clear = half + APART
    if not boundary or near.min() > clear or near.max() < -clear:
        return 0.0
    left, right = float(near.min()) - clear, float(near.max()) + clear
    return right if abs(right) < abs(left) else left


def _short(value: float) -> str:
    return f"{value:.2f}"[: 4 if value < 10 else 3].rstrip(".") if value < 100 else f"{value:.0f}"


def _bound(axes: Axes, places: tuple[float, ...]) -> None:
    """Draw the boundary from row to row, light within dark, so that it stands out on every colour."""
    rows = np.arange(len(places))
    for colour, wide in ((INK, 4.0), ("white", 1.8)):
        axes.plot(places, rows, color=colour, linewidth=wide, zorder=2, clip_on=True)


def _bar(axes: Axes, heat: Heat, norm: Normalize, form: Format) -> None:
    place = axes.get_position()
    wide = place.width - (ROOM + WORDS * bool(heat.bar)) / form.width
    axes.set_position((place.x0, place.y0, wide, place.height))
    bar = axes.inset_axes((1 + GAP / form.width / wide, 0.0, BAR / form.width / wide, 1.0))
    ticks = _ticks(heat)
    shades = norm.inverse(np.linspace(1, 0, 64))[:, None]
    bar.imshow(shades, norm=norm, cmap=MAPS[heat.emphasis], aspect="auto")
    bar.set_xticks([])
    bar.yaxis.tick_right()
    bar.set_yticks([63 * (1 - float(norm(tick))) for tick in ticks], [f"{tick:.3g}" for tick in ticks])
    bar.yaxis.set_label_position("right")
    bar.set_ylabel(heat.bar or "", fontsize=form.small, color=INK, labelpad=3)
    bar.tick_params(labelsize=form.small, colors=INK, color=GREY, length=2, width=0.7)


def _ticks(heat: Heat) -> list[float]:
    low, high = heat.limits
    middle = (low * high) ** 0.5 if heat.scale == "log" else (low + high) / 2
    return [low, float(f"{middle:.12g}"), high]
