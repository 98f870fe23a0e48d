"""From charts to ink: `draw` makes a figure, `svg` and `png` its bytes.

Everything sits at fixed places measured in inches, the legend above the axes and never on the data, and
a figure handed back to `draw` keeps its axes: a new frame of an explorer costs a few artists only.
"""

from html import escape
from io import BytesIO
from textwrap import wrap
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.layout import TITLE, WIDTH, Layout, head, legend, note
from workbench.lab.pictures.axes import FAR, dress, limits
from workbench.lab.pictures.heat import draw_heat
from workbench.lab.pictures.interval_rows import draw_rows
from workbench.lab.pictures.style import GREY, INK, RC, line_style, look


def draw(chart: Chart, figure: Figure | None = None) -> Figure:
    """Return the chart's figure; a `figure` given is drawn over and keeps its axes."""
    with mpl.rc_context(RC):
        figure = Figure() if figure is None else figure
        layout = Layout.of(chart)
        figure.set_size_inches(WIDTH, layout.height)
        for axes, panel in zip(_axes(figure, chart, layout), chart.panels, strict=True):
            _fill(axes, panel, layout)
        _write_head(figure, chart, layout)
    return figure


def svg(chart: Chart) -> bytes:
    """Return the chart as SVG, with its words for screen readers; the same bytes on every run."""
    with mpl.rc_context(RC):
        buffer = BytesIO()
        draw(chart).savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    opening, middle, rest = buffer.getvalue().partition(b"<svg ")
    attributes, end, body = rest.partition(b">")
    words = f"\n <title>{escape(chart.title)}</title>\n <desc>{escape(chart.alt)}</desc>"
    return opening + middle + b'role="img" ' + attributes + end + words.encode() + body


def png(figure: Figure, dpi: int = 150) -> bytes:
    """Return a drawn figure as PNG, packed lightly: a tenth more bytes, in two thirds of the time."""
    with mpl.rc_context(RC):
        buffer = BytesIO()
        packing = {"compress_level": 3}
        figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None}, pil_kwargs=packing)
    return buffer.getvalue()


def _axes(figure: Figure, chart: Chart, layout: Layout) -> list[Axes]:
    for artist in [*figure.texts, *figure.legends]:
        artist.remove()
    if len(figure.axes) != len(chart.panels):
        figure.clear()
        for place in range(len(chart.panels)):
            figure.add_axes(layout.rectangle(place))
    for place, axes in enumerate(figure.axes):
        axes.set_position(layout.rectangle(place))
        for artist in [*axes.lines, *axes.collections, *axes.texts, *axes.images, *axes.child_axes]:
            artist.remove()
    return list(figure.axes)


def _fill(axes: Axes, panel: Panel, layout: Layout) -> None:
    if panel.heat is not None:
        draw_heat(axes, panel, panel.heat)
    elif panel.names:
        draw_rows(axes, panel)
    else:
        _curves(axes, panel, wide=layout.columns == 1)
    tall = layout.box[1]
    axes.text(
        0, 1 + 0.08 / tall, "\n".join(head(panel, layout.columns)), transform=axes.transAxes,
        va="bottom", ha="left", fontsize=10, fontweight="bold", linespacing=1.15,
    )  # fmt: skip
    small = "\n".join(note(panel, layout.columns))
    axes.text(0, -0.53 / tall, small, transform=axes.transAxes, va="top", fontsize=8.5, color=GREY)


def _curves(axes: Axes, panel: Panel, *, wide: bool) -> None:
    horizontal, vertical = limits(panel, "x"), limits(panel, "y")
    dress(axes, panel, horizontal, vertical, wide=wide)
    for series in panel.series:
        _curve(axes, series, vertical)


def _curve(axes: Axes, series: Series, vertical: tuple[float, float]) -> None:
    x, y = np.fromiter(series.x, float), np.fromiter(series.y, float)
    y = np.where(np.abs(y) > FAR, np.copysign(np.inf, y), y)
    colour = look(series.colour_key).colour
    axes.plot(x, np.where(np.isfinite(y), y, np.nan), **line_style(series))
    if series.role == "bound":
        floor = np.full_like(y, vertical[0])
        axes.fill_between(x, floor, y, where=np.isfinite(y), color=colour, alpha=0.1, linewidth=0)
    if series.low is not None and series.high is not None:
        ends = [np.fromiter(side, float) for side in (series.low, series.high)]
        known = (ends[0] > 0) | np.isfinite(ends[1])
        low, high = (np.clip(end, *vertical) for end in ends)
        axes.fill_between(x, low, high, where=known, color=colour, alpha=0.18, linewidth=0)
    beyond = x[np.isposinf(y)]
    if beyond.size:
        edge = axes.get_xaxis_transform()
        axes.plot(beyond, np.full_like(beyond, 0.97), "^", transform=edge, ms=6, mfc="white", mec=colour)


def _write_head(figure: Figure, chart: Chart, layout: Layout) -> None:
    tall = layout.height
    title = "\n".join(wrap(chart.title, TITLE))
    figure.text(0.16 / WIDTH, 1 - 0.12 / tall, title, va="top", fontsize=12, fontweight="bold", color=INK)
    entries = legend(chart)
    if entries:
        below = 1 - (0.16 + 0.25 * layout.title_lines) / tall
        figure.legend(
            [_handle(series) for series in entries.values()], list(entries),
            loc="upper left", bbox_to_anchor=(0.16 / WIDTH, below), ncols=layout.legend_columns,
            frameon=False, fontsize=9.5, borderpad=0, borderaxespad=0, handlelength=2.4,
            handletextpad=0.6, columnspacing=1.6, labelspacing=0.35,
        )  # fmt: skip


def _handle(series: Series) -> Any:
    line = Line2D([], [], **line_style(series))
    if series.role != "bound":
        return line
    return Patch(color=look(series.colour_key).colour, alpha=0.15, linewidth=0), line
