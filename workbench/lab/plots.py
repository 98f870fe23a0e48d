"""From charts to ink: `draw` makes a figure, `svg` and `png` its bytes.

Everything sits at fixed places measured in inches, the legend above the axes and never on the data, and
a figure handed back to `draw` keeps its axes: a new frame of an explorer costs a few artists only.
"""

from dataclasses import dataclass
from html import escape
from io import BytesIO
from math import ceil
from textwrap import wrap
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from workbench.lab.axes import FAR, dress, limits
from workbench.lab.charts import Chart, Panel, Series
from workbench.lab.style import GREY, INK, RC, line_style, look

WIDTH = 7.2  # inches: 720 px at the width the pictures are shown with
LEFT, RIGHT, GUTTER = 0.78, 0.16, 0.72
CHARACTER = 0.071  # inches a character of the legend takes, at most, on average
LINE = 0.21  # inches between two lines of text
TITLE = 62  # characters in a line of the title, which are wider than those of the legend


@dataclass(frozen=True)
class Layout:
    """Where things are, in inches, for one chart."""

    columns: int
    rows: int
    legend_rows: int
    legend_columns: int
    title_lines: int
    head_lines: int
    note_lines: int

    @classmethod
    def of(cls, chart: Chart) -> "Layout":
        """Return the layout of a chart: two panels abreast, at most."""
        columns = min(2, len(chart.panels))
        labels = _legend(chart)
        widest = max((0.6 + CHARACTER * len(label) for label in labels), default=WIDTH)
        across = max(1, min(len(labels), int((WIDTH + 0.05) / widest)))
        return cls(
            columns=columns,
            rows=ceil(len(chart.panels) / columns),
            legend_rows=ceil(len(labels) / across),
            legend_columns=ceil(len(labels) / ceil(len(labels) / across)) if labels else 1,
            title_lines=len(wrap(chart.title, TITLE)),
            head_lines=max(len(_head(panel, columns)) for panel in chart.panels),
            note_lines=max(len(_note(panel, columns)) for panel in chart.panels),
        )

    @property
    def top(self) -> float:
        """Inches above the first row's panel titles."""
        return 0.12 + 0.25 * self.title_lines + (0.09 + LINE * self.legend_rows if self.legend_rows else 0)

    @property
    def head(self) -> float:
        """Inches of a panel's title."""
        return 0.1 + LINE * self.head_lines

    @property
    def foot(self) -> float:
        """Inches below a panel: tick labels, axis label, note."""
        return 0.56 + (0.04 + 0.17 * self.note_lines if self.note_lines else 0)

    @property
    def box(self) -> tuple[float, float]:
        """Width and height of a panel's axes."""
        width = (WIDTH - LEFT - RIGHT - GUTTER * (self.columns - 1)) / self.columns
        return width, 3.1 if self.columns == 1 else 2.45

    @property
    def height(self) -> float:
        """Height of the figure."""
        return self.top + self.rows * (self.head + self.box[1] + self.foot)

    def rectangle(self, place: int) -> tuple[float, float, float, float]:
        """Return left, bottom, width, height of a panel's axes as fractions of the figure."""
        row, column = divmod(place, self.columns)
        width, tall = self.box
        left = LEFT + column * (width + GUTTER)
        above = self.top + row * (self.head + tall + self.foot) + self.head
        return left / WIDTH, 1 - (above + tall) / self.height, width / WIDTH, tall / self.height


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
    """Return a drawn figure as PNG."""
    with mpl.rc_context(RC):
        buffer = BytesIO()
        figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
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
        for artist in [*axes.lines, *axes.collections, *axes.texts]:
            artist.remove()
    return list(figure.axes)


def _fill(axes: Axes, panel: Panel, layout: Layout) -> None:
    horizontal, vertical = limits(panel, "x"), limits(panel, "y")
    dress(axes, panel, horizontal, vertical, wide=layout.columns == 1)
    for series in panel.series:
        _curve(axes, series, vertical)
    tall = layout.box[1]
    axes.text(
        0, 1 + 0.08 / tall, "\n".join(_head(panel, layout.columns)), transform=axes.transAxes,
        va="bottom", ha="left", fontsize=10, fontweight="bold", linespacing=1.15,
    )  # fmt: skip
    note = "\n".join(_note(panel, layout.columns))
    axes.text(0, -0.53 / tall, note, transform=axes.transAxes, va="top", fontsize=8.5, color=GREY)


def _curve(axes: Axes, series: Series, vertical: tuple[float, float]) -> None:
    x, y = np.fromiter(series.x, float), np.fromiter(series.y, float)
    y = np.where(np.abs(y) > FAR, np.copysign(np.inf, y), y)
    colour = look(series.colour_key).colour
    axes.plot(x, np.where(np.isfinite(y), y, np.nan), **line_style(series))
    if series.role == "bound":
        floor = np.full_like(y, vertical[0])
        axes.fill_between(x, floor, y, where=np.isfinite(y), color=colour, alpha=0.1, linewidth=0)
    if series.low is not None and series.high is not None:
        low, high = (np.clip(np.fromiter(side, float), *vertical) for side in (series.low, series.high))
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
    beyond = x[np.isposinf(y)]
    if beyond.size:
        edge = axes.get_xaxis_transform()
        axes.plot(beyond, np.full_like(beyond, 0.97), "^", transform=edge, ms=6, mfc="white", mec=colour)


def _write_head(figure: Figure, chart: Chart, layout: Layout) -> None:
    tall = layout.height
    title = "\n".join(wrap(chart.title, TITLE))
    figure.text(0.16 / WIDTH, 1 - 0.12 / tall, title, va="top", fontsize=12, fontweight="bold", color=INK)
    entries = _legend(chart)
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


def _legend(chart: Chart) -> dict[str, Series]:
    shown = [series for panel in chart.panels for series in panel.series if series.label]
    return {
        label: next(s for s in shown if s.label == label) for label in dict.fromkeys(s.label for s in shown)
    }


def _head(panel: Panel, columns: int) -> list[str]:
    return wrap(panel.title, 78 if columns == 1 else 36)


def _note(panel: Panel, columns: int) -> list[str]:
    return wrap(panel.note, 100 if columns == 1 else 42)
