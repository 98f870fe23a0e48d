"""What stands on a plot (`charts.marks`)."""

from typing import Any

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes

from workbench.charts.chart import Mark, Panel
from workbench.charts.layout import Layout
from workbench.charts.methods import GREY, INK
from workbench.charts.words import wrapped
from workbench.lab.pictures.style import ink_on, look

HALO = [patheffects.withStroke(linewidth=3, foreground="white", alpha=0.85)]
LINES = 24  # characters in a line
OFFSETS = {
    "above": (0, 9, "center", "bottom"),
    "below": (0, -9, "center", "top"),
    "left": (-9, 0, "right", "center"),
    "right": (9, 0, "left", "center"),
}


def draw_marks(axes: Axes, panel: Panel, layout: Layout) -> None:
    """Draw the marks of a panel above its curves."""
    for mark in panel.marks:
        _DRAWN[mark.kind](axes, mark, layout)


def _words(axes: Axes, mark: Mark, layout: Layout, at: tuple[float, float], side: str, **more: Any) -> None:
    across, up, ha, va = OFFSETS.get(side, (0, 0, "center", "center"))
    options = {"ha": ha, "va": va, "xycoords": "data", "textcoords": "offset points"} | more
    colour, halo = _on_cell(axes, at) if axes.images else (_colour(mark), HALO)
    axes.annotate(
        "\n".join(wrapped(mark.text, LINES)), at, (across, up), color=colour, zorder=9,
        fontsize=layout.form.tick, path_effects=halo, annotation_clip=False, linespacing=1.1, **options,
    )  # fmt: skip


def _on_cell(axes: Axes, at: tuple[float, float]) -> tuple[str, list[patheffects.withStroke]]:
    """Return the colour of words on a cell of a table, and their halo in the cell's own colour."""
    image = axes.images[0]
    values, (column, row) = np.asarray(image.get_array()), (round(at[0]), round(at[1]))
    if not (0 <= row < values.shape[0] and 0 <= column < values.shape[1]):
        return INK, []
    red, green, blue, _ = np.ravel(image.cmap(image.norm(values[row, column]))).tolist()
    cell = (red, green, blue)
    return ink_on(cell), [patheffects.withStroke(linewidth=4, foreground=cell)]


def _point(axes: Axes, mark: Mark, layout: Layout) -> None:
    x, y = _at(mark)
    axes.plot([x], [y], "o", ms=10, mfc="none", mec=_colour(mark), mew=1.5, zorder=8)
    _words(axes, mark, layout, (x, y), mark.side or _roomy(axes, x, y))


def _region(axes: Axes, mark: Mark, layout: Layout) -> None:
    _words(axes, mark, layout, _at(mark), "", fontstyle="italic")


def _vertical(axes: Axes, mark: Mark, layout: Layout) -> None:
    x = mark.x or 0.0
    axes.axvline(x, color=_colour(mark), linewidth=1.1, zorder=1.9)
    side = mark.side or ("right" if _share(axes, x, None)[0] < 0.7 else "left")
    if mark.y is None:
        _words(axes, mark, layout, (x, 0.985), side, xycoords=axes.get_xaxis_transform(), va="top")
    else:
        _words(axes, mark, layout, (x, mark.y), side)


def _horizontal(axes: Axes, mark: Mark, layout: Layout) -> None:
    y = mark.y or 0.0
    axes.axhline(y, color=_colour(mark), linewidth=1.1, zorder=1.9)
    side = mark.side or "above"
    if mark.x is None:
        where = {"xycoords": axes.get_yaxis_transform(), "ha": "left"}
        _words(axes, mark, layout, (0.015, y), side, **where)
    else:
        _words(axes, mark, layout, (mark.x, y), side)


def _span(axes: Axes, mark: Mark, layout: Layout) -> None:
    x, x2 = mark.x or 0.0, mark.x2 or 0.0
    axes.axvspan(x, x2, color=_colour(mark), alpha=0.13, linewidth=0, zorder=0.5)
    ends = [min(max(_share(axes, one, None)[0], 0.0), 1.0) for one in (x, x2)]
    where: dict[str, Any] = {"xycoords": "axes fraction", "va": "top"}
    up = 0.97 if mark.y is None else _share(axes, None, mark.y)[1]
    _words(axes, mark, layout, (sum(ends) / 2, up), "", **where)


def _arrow(axes: Axes, mark: Mark, layout: Layout) -> None:
    ends = (_at(mark), (mark.x2 or 0.0, mark.y2 or 0.0))
    style = {"arrowstyle": "<|-|>", "color": _colour(mark), "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", ends[0], ends[1], arrowprops=style, zorder=8, annotation_clip=False)
    shares = [_share(axes, *end) for end in ends]
    middle = ((shares[0][0] + shares[1][0]) / 2, (shares[0][1] + shares[1][1]) / 2)
    level = abs(shares[0][0] - shares[1][0]) > abs(shares[0][1] - shares[1][1])
    _words(axes, mark, layout, middle, mark.side or ("above" if level else "right"), xycoords="axes fraction")


def _leader(axes: Axes, mark: Mark, layout: Layout) -> None:
    line = {"arrowstyle": "-", "color": _colour(mark), "linewidth": 0.8, "shrinkA": 1, "shrinkB": 4}
    named = (mark.x2 or 0.0, mark.y2 or 0.0)
    axes.annotate(
        "\n".join(wrapped(mark.text, LINES)), named, _at(mark), color=_colour(mark), zorder=9, ha="center",
        va="center", fontsize=layout.form.tick, path_effects=HALO, annotation_clip=False, arrowprops=line,
    )  # fmt: skip


_DRAWN = {
    "point": _point,
    "region": _region,
    "vertical": _vertical,
    "horizontal": _horizontal,
    "span": _span,
    "arrow": _arrow,
    "leader": _leader,
}


def _at(mark: Mark) -> tuple[float, float]:
    return mark.x or 0.0, mark.y or 0.0


def _colour(mark: Mark) -> str:
    if mark.colour_key:
        return look(mark.colour_key).colour
    return INK if mark.kind in ("point", "arrow") else GREY


def _share(axes: Axes, x: float | None, y: float | None) -> tuple[float, float]:
    """Return a place as shares of the axes."""
    left, low = axes.get_xlim()[0], axes.get_ylim()[0]
    place = axes.transData.transform((left if x is None else x, low if y is None else y))
    across, up = axes.transAxes.inverted().transform(place)
    return float(across), float(up)


def _roomy(axes: Axes, x: float, y: float) -> str:
    across, _ = _share(axes, x, y)
    return "right" if across < 0.6 else "left"
