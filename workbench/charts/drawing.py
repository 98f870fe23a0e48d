"""From charts to ink, by matplotlib: `draw` makes a figure, `svg` and `png` its bytes.

matplotlib's constrained layout places the axes; above them stand the title, what is said once of all panels,
and a legend of the names that stand nowhere else. A name stands at the end of its line, apart from others.
"""

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from html import escape
from io import BytesIO
from itertools import product
from math import ceil, isinf, log10
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import colormaps, patheffects
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Annotation
from matplotlib.ticker import MaxNLocator

from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.style import GREY, INK, log_ticks, look, tick_labels, wrapped
from workbench.special import isotonic_regression

PALE = "#e4e4e4"
FAR = 1e100  # beyond it a number is drawn like infinity
MARKED = 60  # points at most of a curve with markers
NAMES = 10  # lines of a panel at most whose names stand at their ends
CHARACTER, LINE = 0.0076, 0.0196  # inches, for each point of its size, that a character and a line take
EDGE = 0.16  # inches between the page and what stands on it
BOXES = 4.1, 3.55, 2.5  # inches that axes are high on a page: alone, in pairs, in rows of three or more
RC: dict[Any, Any] = {
    "svg.hashsalt": "workbench",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": PALE,
    "grid.linewidth": 0.7,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
}
LINES: dict[str, dict[str, Any]] = {
    "theory": {"linewidth": 1.7, "zorder": 3},
    "bound": {"linewidth": 1.4, "zorder": 2},
    "reference": {"linewidth": 1.3, "zorder": 2},
    "truth": {"color": INK, "linewidth": 1.8, "zorder": 5},
    "release": {"linewidth": 1.2, "alpha": 0.45, "zorder": 4},
    "rows": {"linestyle": "", "marker": ".", "markersize": 4.0, "alpha": 0.5, "zorder": 3},
    "bars": {"linewidth": 0.0, "zorder": 3},
    "area": {"linewidth": 1.6, "zorder": 3},
    "kept": {"linewidth": 2.6, "alpha": 0.3, "zorder": 1.5},
    "estimate": {"linewidth": 1.8, "zorder": 4},
}
OFFSETS = {
    "": (0, 0, "center", "center"),
    "above": (0, 9, "center", "bottom"),
    "below": (0, -9, "center", "top"),
    "left": (-9, 0, "right", "center"),
    "right": (9, 0, "left", "center"),
}


HALO = [patheffects.withStroke(linewidth=3.5, foreground="white", alpha=0.9)]


@dataclass(frozen=True)
class Format:
    """A page or a slide: inches, and points of letters; a slide has one height, no title and no notes.

    A picture is shown with 100 px for an inch.
    """

    width: float
    height: float | None
    title: float
    head: float
    label: float
    tick: float
    small: float


PAGE = Format(9.6, None, title=14, head=11, label=11, tick=10, small=9.5)
SLIDE = Format(12.4, 5.85, title=20, head=16.5, label=16, tick=15, small=15.5)


def draw(chart: Chart, form: Format = PAGE) -> Figure:
    across = columns(chart)
    rows, top = ceil(len(chart.panels) / across), _above(chart, form)
    high = form.height or top + rows * max(_tall(panel, form, across) for panel in chart.panels)
    with mpl.rc_context(RC):
        figure, ends = Figure((form.width, high), layout="constrained"), []
        for place, axes in enumerate(figure.subplots(rows, across, squeeze=False).flat):
            if place < len(chart.panels):
                ends.append(_panel(axes, chart, place, form))
            else:
                axes.remove()
        layout: Any = figure.get_layout_engine()
        sides = EDGE / form.width / 2, 0.03 / high
        layout.set(rect=(*sides, 1 - 2 * sides[0], 1 - sides[1] - top / high), w_pad=0.06, h_pad=0.04)
        layout.execute(figure)
        figure.set_layout_engine("none")
        for axes in figure.axes:  # the solver's last bits differ from run to run
            axes.set_position(np.round(axes.get_position(original=True).bounds, 6).tolist())
        _head(figure, chart, form)
        for axes, texts in zip(list(figure.axes), ends, strict=False):
            _part(axes, texts)
    return figure


def slides(chart: Chart) -> list[Chart]:
    """Return what a chart is on slides: small multiples together, other panels one by one."""
    if len(chart.panels) == 1 or (multiples(chart) and len(chart.panels) > 2):
        return [chart]
    return [replace(chart, panels=(panel,)) for panel in chart.panels]


def svg(chart: Chart, form: Format = PAGE) -> bytes:
    """Return the chart as SVG, with its words for screen readers; the same bytes on every run."""
    with mpl.rc_context(RC):
        buffer = BytesIO()
        draw(chart, form).savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    opening, middle, rest = buffer.getvalue().partition(b"<svg ")
    attributes, end, body = rest.partition(b">")
    words = f"\n <title>{escape(chart.title)}</title>\n <desc>{escape(chart.alt)}</desc>"
    return opening + middle + b'role="img" ' + attributes + end + words.encode() + body


def png(figure: Figure) -> bytes:
    with mpl.rc_context(RC):
        buffer = BytesIO()
        figure.savefig(buffer, format="png", dpi=150, metadata={"Software": None})
    return buffer.getvalue()


# Where things stand


def columns(chart: Chart) -> int:
    """Return how many panels stand abreast: two, or more of those that are small multiples."""
    count = len(chart.panels)
    if count <= 2 or not multiples(chart):
        return min(2, count)
    return 2 if count == 4 and not chart.panels[0].equal else min(count, 4) if count != 6 else 3


def multiples(chart: Chart) -> bool:
    """Return whether what differs between all panels is what they show, or else what they have along x."""
    axes = {(one.ylabel, one.xscale, one.yscale, one.equal, bool(one.heat)) for one in chart.panels}
    along, ends = {one.xlabel for one in chart.panels}, {one.ylim for one in chart.panels}
    return len(axes) == 1 and (len(along) == 1 or (len(ends) == 1 and None not in ends))


def _title(chart: Chart, form: Format) -> list[str]:
    return [] if form.height else wrapped(chart.title, (form.width - 0.3) / (CHARACTER * form.title * 1.08))


def _words(panel: Panel, form: Format, across: int) -> tuple[list[str], list[str], list[str]]:
    wide = (form.width - 1.3) / across - 0.2
    along = panel.ylabel if panel.names else panel.xlabel
    head = wrapped(panel.title, wide / (CHARACTER * form.head * 1.08))
    inside = wide - CHARACTER * form.label * max(map(len, panel.names), default=0)  # where a note begins
    note = [] if form.height else wrapped(panel.note, inside / (CHARACTER * form.small))
    return head, wrapped(along, wide / (CHARACTER * form.label)), note


def _tall(panel: Panel, form: Format, across: int) -> float:
    head, along, note = (len(lines) for lines in _words(panel, form, across))
    words = LINE * (form.head * head + form.label * along + form.small * note + form.tick)
    box = max(0.34 * len(panel.names) + 0.14, 1.4) if panel.names else BOXES[min(across, 3) - 1]
    if panel.equal:
        box = min(box, (form.width - 1.6) / across - 0.3)
    return box + words + 0.32 + 0.1 * bool(note)


def _legend(chart: Chart) -> dict[str, Series]:
    """Return the first series of each name that stands on no panel."""
    there = {one.label for place in range(len(chart.panels)) for one in _named(chart, place)}
    every = [one for panel in chart.panels for one in panel.series]
    return _firsts([one for one in every if one.label and one.label not in there])


def _firsts(series: list[Series]) -> dict[str, Series]:
    """Return the first series of each name, in the order of the last ones."""
    found = {one.label: one for one in reversed(series)}
    return dict(reversed(found.items()))


def _across(labels: dict[str, Series], form: Format) -> int:
    wide = max((0.65 + CHARACTER * form.label * len(label) for label in labels), default=1.0)
    lines = ceil(len(labels) / max(1, int((form.width - 2 * EDGE) / wide)))
    return ceil(len(labels) / lines) if labels else 1


def _above(chart: Chart, form: Format) -> float:
    labels = _legend(chart)
    titles, entries = len(_title(chart, form)), ceil(len(labels) / _across(labels, form))
    said = bool(key(chart))
    words = LINE * (form.title * titles + form.small * said + form.label * entries)
    return 0.13 + words + 0.08 * bool(entries) + 0.06 * said


def _head(figure: Figure, chart: Chart, form: Format) -> None:
    (wide, high), below, labels = figure.get_size_inches(), 0.1, _legend(chart)
    heading: dict[str, Any] = {"fontsize": form.title, "weight": "bold"}
    said: dict[str, Any] = {"fontsize": form.small, "color": GREY}
    for lines, style in ((_title(chart, form), heading), (list(filter(None, [key(chart)])), said)):
        figure.text(EDGE / wide, 1 - below / high, "\n".join(lines), va="top", **style)
        below += LINE * style["fontsize"] * len(lines) + 0.05 * bool(lines)
    if labels:
        handles: list[Any] = []
        for one in labels.values():
            shade = {"bars": 0.85, "area": 0.6, "bound": 0.15}.get(one.role)
            colour = look(one.colour_key, one.rank).colour
            patch = shade and Patch(color=colour, alpha=shade, linewidth=0)
            handles.append(patch or Line2D([], [], **_style(one)))
        figure.legend(
            handles, list(labels), loc="upper left", bbox_to_anchor=(EDGE / wide, 1 - below / high),
            ncols=_across(labels, form), frameon=False, fontsize=form.label, borderpad=0, borderaxespad=0,
            handlelength=2.2, columnspacing=1.6,
        )  # fmt: skip


def key(chart: Chart) -> str:
    """Return what is said once of all panels: what pale lines, hollow markers, arrows and bands are.

    A hollow marker's own name may say whose constants it has. Bands are intervals, unless a note says what
    they are ("bands: the middle half").
    """
    series = [one for panel in chart.panels for one in panel.series if tuple(one.x)]
    found = [one for one in series if one.role == "estimate"]
    looks = {(one.colour_key, one.rank) for one in found}
    hollow = [one.label for one in found if one.colour_key.endswith(":paper")]
    own_words = any(re.search("paper|lecture|source|constants 1|original", label) for label in hollow)
    told = any(re.search(r"\b[Bb]a(nd|r)s: ", panel.note) for panel in chart.panels)
    theory = [(one.colour_key, one.rank) for one in series if one.role == "theory"]
    said = {
        "thin line: predicted": not looks.isdisjoint(theory),
        "hollow: the paper's constants": hollow and not own_words,
        "arrow: beyond the axes": any(isinf(y) and y > 0 for one in found for y in one.y),
        "band: 95 % interval": any(one.low is not None for one in found) and not told,
    }
    text = "; ".join(words for words, holds in said.items() if holds)
    return text[:1].upper() + text[1:]


# Panels


def _panel(axes: Axes, chart: Chart, place: int, form: Format) -> list[tuple[Annotation, Series]]:
    """Draw a panel; return the names at the ends of its lines."""
    panel, across = chart.panels[place], columns(chart)
    head, along, note = _words(panel, form, across)
    alike = place % across and _alike(panel, chart.panels[place - 1])
    axes.set_title("\n".join(head), loc="left", fontsize=form.head, fontweight="bold", pad=7)
    axes.set_xlabel("\n".join(along), fontsize=form.label)
    axes.set_ylabel("" if alike or panel.names else panel.ylabel, fontsize=form.label)
    axes.tick_params(labelsize=form.tick, length=3, width=0.7, labelleft=not alike or panel.equal)
    if panel.heat is not None:
        _heat(axes, panel, form)
    else:
        _ticked(axes, panel, most=8 if across == 1 or panel.names else 5)
        looks = {(one.role, one.colour_key, one.rank) for one in panel.series if tuple(one.x)}
        for series in panel.series:
            if panel.names:
                _row(axes, series)
            else:
                _curve(axes, series, looks)
    for mark in panel.marks:
        _mark(axes, mark, form)
    below = -(form.tick + form.label * 1.25 * len(along) + 16)
    _say(axes, note, (0, 0), (0, below), xycoords="axes fraction", va="top", fontsize=form.small, color=GREY)
    ends = []
    for one in _named(chart, place):
        colour = INK if one.role == "truth" else look(one.colour_key, one.rank).colour
        style: dict[str, Any] = {"color": colour, "fontsize": form.label, "va": "center"}
        if one.label_at is None:  # right of the axes, for `_part`
            lines = wrapped(one.label, 20 if across == 1 else 14)
            ends.append((_say(axes, lines, (1, 0.5), (9, 0), xycoords="axes fraction", **style), one))
        else:
            text = _say(axes, [one.label], one.label_at, ha="center", path_effects=HALO, zorder=8, **style)
            text.set_in_layout(_near(axes, *one.label_at))
    return ends


def _alike(here: Panel, before: Panel) -> bool:
    """Return whether a panel need not say what its vertical axis is, as the one to its left has the same."""
    if here.names:
        return False
    if here.heat:
        return (here.ylabel, here.heat.rows) == (before.ylabel, before.heat and before.heat.rows)
    same = (here.ylabel, here.yscale, here.ylim) == (before.ylabel, before.yscale, before.ylim)
    return same and here.ylim is not None


def limits(panel: Panel, direction: str) -> tuple[float, float]:
    """Return the lowest and highest number shown: the panel's own, or its data with a margin."""
    if (fixed := getattr(panel, f"{direction}lim")) is not None:
        return float(fixed[0]), float(fixed[1])
    log = getattr(panel, f"{direction}scale") == "log"
    sides = ("x",) if direction == "x" else ("y", "low", "high")
    parts = [getattr(one, side) for one in panel.series for side in sides]
    values = np.array([value for part in parts for value in part or ()])
    values = values[(np.abs(values) <= FAR) & ((values > 0) | (not log))]
    if not values.size:
        return (1.0, 10.0) if log else (0.0, 1.0)
    low, high = (log10(end) if log else float(end) for end in (values.min(), values.max()))
    margin = 0.06 * (high - low) + (0.02 if high > low else 0.3) * log
    margin = margin or 0.5 * max(abs(high), 1.0)
    return (10 ** (low - margin), 10 ** (high + margin)) if log else (low - margin, high + margin)


def _ticked(axes: Axes, panel: Panel, *, most: int) -> None:
    """Set scales, limits and ticks; named rows stand one below the other, and their y runs to the right."""
    across, up = ("y", "x") if panel.names else ("x", "y")
    x = np.array([one for series in panel.series if series.role == "estimate" for one in series.x], float)
    # x counts where every measured point is at a whole number, or aside by less than a third
    counts = x.size and np.ptp(x) >= 3 and np.all(np.abs(x - np.round(x)) < 0.3)
    for direction, of in (("x", across), ("y", up)):
        axis, ends, scale = getattr(axes, f"{direction}axis"), limits(panel, of), getattr(panel, f"{of}scale")
        if panel.names and direction == "y":
            axes.set_ylim(len(panel.names) + 0.5, 0.5)
            axes.set_yticks(range(1, len(panel.names) + 1), panel.names)
            continue
        getattr(axes, f"set_{direction}scale")(scale)
        whole = bool(direction == "x" and scale == "linear" and counts)
        if scale == "log" and ends[1] / ends[0] > 4:
            ticks = log_ticks(*ends, most=most)
        else:
            steps = [1, 2, 5, 10] if whole else [1, 2, 2.5, 5, 10]
            found = map(float, MaxNLocator(most, steps=steps, integer=whole).tick_values(*ends))
            ticks = [one for one in found if ends[0] <= one <= ends[1]]
        axis.set_ticks(ticks, tick_labels(ticks))
        axis.set_ticks([], minor=True)
        getattr(axes, f"set_{direction}lim")(*ends)
    if panel.equal:
        axes.set_aspect("equal", adjustable="box")


def _style(one: Series, *, pale: bool = False) -> dict[str, Any]:
    colour, marker, hollow = look(one.colour_key, one.rank)
    line = {"color": colour} | LINES[one.role] | ({"alpha": 0.5} if pale else {})
    if one.role != "estimate" or len(tuple(one.x)) > MARKED:
        return line
    face = "white" if hollow else colour
    marks = {"marker": marker, "markersize": 6.5, "markerfacecolor": face, "markeredgewidth": 1.4}
    return line | marks | ({} if one.joined else {"linestyle": ""})


def _sides(one: Series, ends: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of every interval, within the axes; y, or the axis, where none is."""
    y = np.array(one.y)
    low = y if one.low is None else np.array(one.low)
    high = y if one.high is None else np.array(one.high)
    if one.role in ("bars", "area", "bound"):
        ground = ends[0] if one.role == "bound" else max(ends[0], 0.0)
        low, high = np.full_like(y, ground) if one.low is None else low, y
    return np.clip(low, *ends), np.clip(high, *ends)


def _curve(axes: Axes, one: Series, looks: AbstractSet[tuple[Any, ...]]) -> None:
    """Draw a series; beside its prediction a measured one is markers alone, and beside those that is pale."""
    x, y = np.array(one.x), np.array(one.y)
    y = np.where(np.abs(y) > FAR, np.copysign(np.inf, y), y)
    own, (low, high) = (one.colour_key, one.rank), _sides(one, axes.get_ylim())
    colour = look(*own).colour
    style = _style(one, pale=one.role == "theory" and ("estimate", *own) in looks)
    if "marker" in style and ("theory", *own) in looks:
        style["linestyle"] = ""
    if one.role == "bars":
        log = axes.get_xscale() == "log"
        places = np.log(x) if log else x
        half = 0.375 * np.min(np.diff(np.unique(places)), initial=np.inf)
        half = half if np.isfinite(half) else 0.375
        left, right = (np.exp(end) if log else end for end in (places - half, places + half))
        axes.bar(left, high - low, right - left, low, align="edge", color=colour, alpha=0.85, lw=0, zorder=3)
        return
    axes.plot(x, np.where(np.isfinite(y), y, np.nan), **style)
    filled = dict[str, Any](color=colour, lw=0)
    if one.role in ("bound", "area"):
        opacity = 0.1 if one.role == "bound" else 0.28
        axes.fill_between(x, low, y, where=np.isfinite(y), alpha=opacity, **filled)
    elif one.low is not None and one.high is not None:
        known = (np.array(one.low) > 0) | np.isfinite(np.array(one.high)) | (axes.get_yscale() == "linear")
        if style.get("linestyle") == "":
            line: dict[str, Any] = {"color": colour, "alpha": 0.45, "linewidth": 3.2, "zorder": 3.5}
            axes.vlines(x[known], low[known], high[known], **line)
        else:
            axes.fill_between(x, low, high, where=known, alpha=0.18, **filled)
    beyond = x[np.isposinf(y)]
    edge = _edge(one) | {"transform": axes.get_xaxis_transform(), "ms": 7}
    axes.plot(beyond, np.full_like(beyond, 0.97), "^", **edge)


def _edge(one: Series) -> dict[str, Any]:
    colour, _, hollow = look(one.colour_key, one.rank)
    return {"mfc": "white" if hollow else colour, "mec": colour}


def _row(axes: Axes, one: Series) -> None:
    """Draw a series of named rows: a marker on a bar from low to high, with an arrow at an edge beyond."""
    place, value, ends = np.array(one.x), np.array(one.y), axes.get_xlim()
    colour, (low, high) = look(one.colour_key, one.rank).colour, _sides(one, ends)
    if one.role not in ("bars", "estimate"):
        axes.plot(value, place, **_style(one))
        return
    if one.role == "bars" or one.low is not None:
        opacity = 0.85 if one.role == "bars" else 0.22
        axes.barh(place, high - low, 0.6, low, color=colour, alpha=opacity, lw=0, zorder=3)
    if one.role == "bars":
        return
    shown = (value >= ends[0]) & (value <= ends[1])
    axes.plot(value[shown], place[shown], **_style(one) | {"linestyle": "none"})
    least, most = (np.array(one.y if side is None else side) for side in (one.low, one.high))
    edge = _edge(one) | {"transform": axes.get_yaxis_transform(), "ms": 6}
    for far, at, marker in (
        (np.fmin(value, least) < ends[0], 0.015, "<"),
        (np.fmax(value, most) > ends[1], 0.985, ">"),
    ):
        axes.plot(np.full_like(place[far], at), place[far], marker, **edge)


def _heat(axes: Axes, panel: Panel, form: Format) -> None:
    heat: Any = panel.heat
    values, (low, high) = np.array(heat.values, float), heat.limits
    norm = (LogNorm if heat.scale == "log" else Normalize)(low, high, clip=True)
    shades = colormaps[{"high": "cividis", "middle": "PuOr_r"}[heat.emphasis]].with_extremes(bad="0.82")
    image = axes.imshow(values, norm=norm, cmap=shades, aspect="auto", interpolation="nearest")
    for axis, names, count in zip(
        (axes.yaxis, axes.xaxis), (heat.rows, heat.columns), values.shape, strict=True
    ):
        axis.set_ticks(np.linspace(0, count - 1, len(names)).tolist(), names)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    if heat.bar is not None:
        middle = (low * high) ** 0.5 if heat.scale == "log" else (low + high) / 2
        figure: Any = axes.figure
        bar = figure.colorbar(image, ax=axes, aspect=30, pad=0.02, ticks=[low, middle, high])
        bar.ax.set_yticks([low, middle, high], [f"{one:.2g}" for one in (low, middle, high)])
        bar.ax.set_yticks([], minor=True)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=form.small, length=2, width=0.7)
        bar.set_label(heat.bar, fontsize=form.small)
    for line, (wide, colour) in product(panel.series, ((4.0, INK), (1.8, "white"))):
        axes.plot(list(line.x), list(line.y), color=colour, linewidth=wide, zorder=2)
    for (row, column), value in np.ndenumerate(values) if heat.written else ():
        said = f"{value:.2f}"[: 4 if value < 10 else 3].rstrip(".") if value < 100 else f"{value:.0f}"
        ink, halo = _on_cell(axes, column, row)
        centred: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": form.small}
        axes.text(column, row, said, color=ink, path_effects=halo, **centred)


def _on_cell(axes: Axes, column: float, row: float) -> tuple[str, list[Any]]:
    """Return the colour of words on a cell of a table, and their halo in the cell's own colour."""
    image = axes.images[0]
    values = np.asarray(image.get_array())
    if not (0 <= round(row) < values.shape[0] and 0 <= round(column) < values.shape[1]):
        return INK, []
    red, green, blue, _ = np.ravel(image.cmap(image.norm(values[round(row), round(column)]))).tolist()
    light = 0.3 * red + 0.59 * green + 0.11 * blue > 0.45
    return INK if light else "white", [patheffects.withStroke(linewidth=4, foreground=(red, green, blue))]


# Words on a panel


def _mark(axes: Axes, mark: Mark, form: Format) -> None:
    x, y, x2, y2 = (0.0 if one is None else one for one in (mark.x, mark.y, mark.x2, mark.y2))
    free, inked = mark.kind in ("point", "region", "arrow"), mark.kind in ("point", "arrow")
    colour = look(mark.colour_key).colour if mark.colour_key else INK if inked else GREY
    low, bottom = axes.get_xlim()[0], axes.get_ylim()[0]
    at, side, more = (x, y), mark.side, dict[str, Any]()
    if mark.kind == "point":
        axes.plot([x], [y], "o", ms=10, mfc="none", mec=colour, mew=1.5, zorder=8)
        side = side or ("right" if _shares(axes, x, y)[0] < 0.6 else "left")
    elif mark.kind == "region":
        more = {"fontstyle": "italic"}
    elif mark.kind == "vertical":
        axes.axvline(x, color=colour, linewidth=1.1, zorder=1.9)
        side = side or ("right" if _shares(axes, x, bottom)[0] < 0.7 else "left")
        if mark.y is None:
            at, more = (x, 0.985), {"xycoords": axes.get_xaxis_transform(), "va": "top"}
    elif mark.kind == "horizontal":
        axes.axhline(y, color=colour, linewidth=1.1, zorder=1.9)
        side = side or "above"
        if mark.x is None:
            at, more = (0.015, y), {"xycoords": axes.get_yaxis_transform(), "ha": "left"}
    elif mark.kind == "span":
        axes.axvspan(x, x2, color=colour, alpha=0.13, linewidth=0, zorder=0.5)
        left, right = (_shares(axes, end, bottom)[0] for end in np.clip([x, x2], *axes.get_xlim()))
        at, side = ((left + right) / 2, 0.97 if mark.y is None else _shares(axes, low, y)[1]), ""
        more = {"xycoords": "axes fraction", "va": "top"}
    else:
        ends = np.array([_shares(axes, x, y), _shares(axes, x2, y2)])
        across, up = np.abs(ends[0] - ends[1])
        at, side = tuple(ends.mean(axis=0)), side or ("above" if across > up else "right")
        more = {"xycoords": "axes fraction"}
        line = {"arrowstyle": "<|-|>", "color": colour, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (x2, y2), (x, y), arrowprops=line, zorder=8, annotation_clip=False)
    across, up, ha, va = OFFSETS[side]
    ink, halo = _on_cell(axes, *at) if axes.images else (colour, HALO)
    style = {"color": ink, "path_effects": halo, "ha": ha, "va": va, "fontsize": form.tick, "zorder": 9}
    text = _say(axes, wrapped(mark.text, 24), at, (across, up), **style | more)
    text.set_in_layout(not free or _near(axes, x, y))


def _shares(axes: Axes, x: Any, y: Any) -> np.ndarray:
    """Return places on a panel as shares of it, from its lower left."""
    data = axes.transData.transform(np.stack([x, y], axis=-1))
    return axes.transAxes.inverted().transform(data)


def _near(axes: Axes, x: float, y: float) -> bool:
    """Return whether a place is on a panel, or so near that the layout may make room for its words."""
    return bool((np.abs(_shares(axes, x, y) - 0.5) < 0.7).all())


def _named(chart: Chart, place: int) -> list[Series]:
    """Return the series of a panel whose names stand on it.

    They do unless there are too many, or dots and bars among them: those of a legend. A name that two
    neighbours share is written at the right one.
    """

    def own(panel: Panel) -> list[Series]:
        first = _firsts([one for one in panel.series if one.label and tuple(one.x)]).values()
        dots = any(one.role in ("rows", "bars", "kept") and one.label_at is None for one in first)
        placed = dots or len(first) > NAMES or panel.names or panel.heat
        return [one for one in first if not placed or one.label_at is not None]

    beside = chart.panels[place + 1 : place + 2] if (place + 1) % columns(chart) else ()
    known = [
        (one.label, one.colour_key, one.rank) for panel in beside for one in own(panel) if not one.label_at
    ]
    shown = own(chart.panels[place])
    return [one for one in shown if one.label_at or (one.label, one.colour_key, one.rank) not in known]


def _say(axes: Axes, lines: list[str], at: Any, offset: Any = (0, 0), **style: Any) -> Annotation:
    given: dict[str, Any] = {"xycoords": "data", "linespacing": 1.1} | style
    return axes.annotate(
        "\n".join(lines), at, offset, textcoords="offset points", annotation_clip=False, **given
    )


def _part(axes: Axes, ends: list[tuple[Annotation, Series]]) -> None:
    """Move names to the ends of their lines, apart from one another, with a line to each."""
    axes.apply_aspect()
    if not ends:
        return
    box = axes.get_window_extent()
    found = sorted(((*_end(axes, one), text) for text, one in ends), key=lambda one: one[1])
    high = np.array([(text.get_window_extent().height + 3) / box.height for *_, text in found])
    high *= min(1.0, 1.08 / high.sum())  # nearer one another where they have no room
    above = np.cumsum(high) - (high + high[0]) / 2  # the lowest name, where all touch
    nearest = isotonic_regression([up for _, up, _ in found] - above).x
    least, most = high[0] / 2 - 0.04, 1.04 - (above + high / 2)[-1]
    for at, (across, up, text) in zip(np.clip(nearest, least, most) + above, found, strict=True):
        text.xy = (1, at)
        if across < 0.985 or abs(at - up) > 0.02:
            far = across < 0.9
            line: dict[str, Any] = {"color": text.get_color(), "alpha": 0.6 if far else 0.35, "lw": 0.9}
            line |= {"linestyle": ":" if far else "-", "transform": axes.transAxes, "zorder": 1.8}
            axes.plot([across, 1 + 5.8 / box.width], [up, at], clip_on=False, **line)


def _end(axes: Axes, series: Series) -> tuple[float, float]:
    """Return where a line ends within the axes, as shares of them; for a closed one, where it is highest."""
    x, y = np.array(series.x), np.array(series.y)
    with np.errstate(all="ignore"):
        points = _shares(axes, x, y)
    points[np.isposinf(y), 1] = 0.97
    inside = np.isfinite(points).all(axis=1) & (np.abs(points[:, 0] - 0.5) <= 0.501)
    level = inside & (np.abs(points[:, 1] - 0.5) <= 0.501)
    seen = points[level if level.any() else inside]
    across, up = seen[np.argmax(seen[:, 0])] if len(seen) else (1.0, 0.5)
    return float(across), float(np.clip(up, 0.0, 1.0))
