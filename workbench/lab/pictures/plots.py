"""From charts to ink: `draw` makes a figure, `svg` and `png` its bytes.

Everything sits at fixed places measured in inches, names at the ends of their lines or in a legend above the
axes, and a figure handed back to `draw` keeps its axes: a new frame of an explorer costs a few artists only.
"""

from dataclasses import replace
from html import escape
from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.directions import legend
from workbench.charts.formats import PAGE, SLIDE, Format
from workbench.charts.layout import Layout, head, multiples, note, title, writes_axis
from workbench.charts.methods import GREY, INK
from workbench.charts.words import wrapped
from workbench.lab.pictures.axes import dress, limits, widened
from workbench.lab.pictures.curves import draw_curve, looks
from workbench.lab.pictures.heat import draw_heat
from workbench.lab.pictures.interval_rows import draw_rows
from workbench.lab.pictures.labels import write_labels
from workbench.lab.pictures.marks import draw_marks
from workbench.lab.pictures.style import RC, line_style, look


def draw(chart: Chart, figure: Figure | None = None, form: Format = PAGE) -> Figure:
    """Return the chart's figure; a `figure` given is drawn over and keeps its axes."""
    with mpl.rc_context(RC):
        figure = Figure() if figure is None else figure
        layout = Layout.of(chart, form)
        figure.set_size_inches(form.width, layout.height)
        for place, axes in enumerate(_axes(figure, chart, layout)):
            _fill(axes, chart, place, layout)
        _write_head(figure, chart, layout)
    return figure


def slides(chart: Chart) -> list[Chart]:
    """Return what a chart is on slides: small multiples together, other panels one by one."""
    if len(chart.panels) == 1 or (multiples(chart) and len(chart.panels) > 2):
        return [chart]
    return [replace(chart, panels=(panel,)) for panel in chart.panels]


def svg(chart: Chart, form: Format = PAGE, panel: int | None = None) -> bytes:
    """Return the chart as SVG, with its words for screen readers; the same bytes on every run.

    Parameters
    ----------
    form
        `PAGE`, or `SLIDE` for the picture of a slide, without title.
    panel
        Of `slides(chart)`, the one to draw; all of a page.
    """
    if panel is not None:
        chart = slides(chart)[panel]
    with mpl.rc_context(RC):
        buffer = BytesIO()
        draw(chart, form=form).savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
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
        for artist in [
            *axes.lines,
            *axes.collections,
            *axes.texts,
            *axes.images,
            *axes.patches,
            *axes.child_axes,
        ]:
            artist.remove()
    return list(figure.axes)


def _fill(axes: Axes, chart: Chart, place: int, layout: Layout) -> None:
    panel, form = chart.panels[place], layout.form
    panel = replace(panel, xlabel="\n".join(wrapped(panel.xlabel, _room(layout))))
    shown = panel if writes_axis(chart, place, layout.columns) else replace(panel, ylabel="")
    if panel.heat is not None:
        draw_heat(axes, shown, panel.heat, form)
    elif panel.names:
        draw_rows(axes, shown, form)
    else:
        _curves(axes, shown, layout)
    draw_marks(axes, shown, layout)
    write_labels(axes, layout.directs[place], layout)
    tall = layout.box[1]
    axes.text(
        0, 1 + 0.09 / tall, "\n".join(head(panel, layout.columns, form)), transform=axes.transAxes,
        va="bottom", ha="left", fontsize=form.head, fontweight="bold", linespacing=1.15,
    )  # fmt: skip
    small = "\n".join(note(panel, layout.columns, form))
    below = -(layout.foot - 0.04 - form.line(form.small) * layout.note_lines) / tall
    axes.text(0, below, small, transform=axes.transAxes, va="top", fontsize=form.small, color=GREY)


def _room(layout: Layout) -> int:
    return int((layout.box[0] + 0.6) / layout.form.character(layout.form.label))


def _curves(axes: Axes, panel: Panel, layout: Layout) -> None:
    horizontal, vertical = widened(panel, limits(panel, "x"), limits(panel, "y"), layout.box)
    dress(axes, panel, horizontal, vertical, form=layout.form, most=8 if layout.columns == 1 else 5)
    axes.tick_params(labelleft=bool(panel.ylabel) or panel.equal)
    seen = looks(panel)
    for series in panel.series:
        draw_curve(axes, series, vertical, seen)


def _write_head(figure: Figure, chart: Chart, layout: Layout) -> None:
    form, tall = layout.form, layout.height
    edge = 0.16 / form.width
    lines = title(chart, form)
    figure.text(
        edge, 1 - 0.12 / tall, "\n".join(lines), va="top", fontsize=form.title, fontweight="bold", color=INK
    )
    below = 0.12 + form.line(form.title) * len(lines) if lines else 0.06
    if layout.key:
        figure.text(edge, 1 - below / tall, layout.key, va="top", fontsize=form.small, color=GREY)
        below += form.line(form.small) + 0.06
    entries = legend(chart, layout.directs)
    if entries:
        figure.legend(
            [_handle(series) for series in entries.values()], list(entries),
            loc="upper left", bbox_to_anchor=(edge, 1 - (below + 0.04) / tall), ncols=layout.legend_columns,
            frameon=False, fontsize=form.label, borderpad=0, borderaxespad=0, handlelength=2.2,
            handletextpad=0.6, columnspacing=1.6, labelspacing=0.3,
        )  # fmt: skip


def _handle(series: Series) -> Any:
    if series.role in ("bars", "area"):
        shade = 0.85 if series.role == "bars" else 0.6
        return Patch(color=look(series.colour_key, series.rank).colour, alpha=shade, linewidth=0)
    line = Line2D([], [], **line_style(series))
    if series.role != "bound":
        return line
    return Patch(color=look(series.colour_key, series.rank).colour, alpha=0.15, linewidth=0), line


__all__ = ["PAGE", "SLIDE", "draw", "png", "slides", "svg"]
