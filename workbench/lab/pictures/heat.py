"""A panel of colours: a table of numbers, its first row on top, and a bar that says what the colours mean."""

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize

from workbench.charts.chart import Heat, Panel
from workbench.charts.layout import WIDTH
from workbench.lab.pictures.axes import set_labels, set_ticks
from workbench.lab.pictures.style import GREY, INK

MAPS = {"high": "cividis", "middle": "PuOr_r"}  # both are told apart by the colour-blind
ROOM, GAP, BAR = 0.5, 0.07, 0.1  # inches: of the panel for bar and ticks, before the bar, of the bar
DARK = 0.45  # luminance below which words on a colour are white


def draw_heat(axes: Axes, panel: Panel, heat: Heat) -> None:
    """Draw a panel that has a table into its axes."""
    norm = (LogNorm if heat.scale == "log" else Normalize)(*heat.limits, clip=True)
    values = np.array(heat.values, float)
    axes.set_xscale("linear")
    axes.set_yscale("linear")
    axes.imshow(values, norm=norm, cmap=MAPS[heat.emphasis], aspect="auto", interpolation="nearest")
    _name(axes, panel, heat, values.shape)
    if heat.written:
        _write(axes, values, norm, MAPS[heat.emphasis])
    if heat.boundary:
        _bound(axes, heat.boundary)
    _bar(axes, heat, norm)


def _name(axes: Axes, panel: Panel, heat: Heat, shape: tuple[int, ...]) -> None:
    for axis, names, count in ((axes.xaxis, heat.columns, shape[1]), (axes.yaxis, heat.rows, shape[0])):
        places = np.linspace(0, count - 1, len(names)).tolist()
        set_ticks(axis, places, names)
    set_labels(axes, panel)
    axes.grid(visible=False)
    axes.tick_params(labelsize=9, colors=INK, color=GREY, length=0)


def _write(axes: Axes, values: np.ndarray, norm: Normalize, name: str) -> None:
    for (row, column), value in np.ndenumerate(values):
        red, green, blue, _ = colormaps[name](norm(value))
        dark = 0.3 * red + 0.59 * green + 0.11 * blue < DARK
        axes.text(
            column, row, _short(value), ha="center", va="center", fontsize=7.5, color="white" if dark else INK
        )


def _short(value: float) -> str:
    return f"{value:.2f}"[: 4 if value < 10 else 3].rstrip(".") if value < 100 else f"{value:.0f}"


def _bound(axes: Axes, places: tuple[float, ...]) -> None:
    """Draw the boundary from row to row, light within dark, so that it stands out on every colour."""
    rows = np.arange(len(places))
    for colour, wide in ((INK, 4.0), ("white", 1.8)):
        axes.plot(places, rows, "o-", color=colour, linewidth=wide, markersize=wide + 1, clip_on=True)


def _bar(axes: Axes, heat: Heat, norm: Normalize) -> None:
    place = axes.get_position()
    wide = place.width - ROOM / WIDTH
    axes.set_position((place.x0, place.y0, wide, place.height))
    bar = axes.inset_axes((1 + GAP / WIDTH / wide, 0.0, BAR / WIDTH / wide, 1.0))
    ticks = _ticks(heat)
    shades = norm.inverse(np.linspace(1, 0, 64))[:, None]
    bar.imshow(shades, norm=norm, cmap=MAPS[heat.emphasis], aspect="auto")
    bar.set_xticks([])
    bar.yaxis.tick_right()
    bar.set_yticks([63 * (1 - float(norm(tick))) for tick in ticks], [f"{tick:g}" for tick in ticks])
    bar.tick_params(labelsize=8, colors=INK, color=GREY, length=2, width=0.7)


def _ticks(heat: Heat) -> list[float]:
    low, high = heat.limits
    middle = (low * high) ** 0.5 if heat.scale == "log" else (low + high) / 2
    return [low, float(f"{middle:.12g}"), high]
