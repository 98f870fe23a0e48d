"""Where things are in a picture: fixed places, measured in inches.

The names of curves stand at their ends, in a margin of their own; a legend, where there are too many for
that, above the axes. Neither is ever on the data.
"""

import re
from dataclasses import dataclass, field
from math import ceil, isinf

from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.directions import direct, legend
from workbench.charts.formats import PAGE, Format
from workbench.charts.heat import SHARE
from workbench.charts.words import extent, wrapped

CONSTANTS = re.compile(
    "paper|lecture|source|constants 1"
)  # in a name that says whose constants a hollow marker has


@dataclass(frozen=True)
class Layout:
    """Where things are, in inches, for one chart."""

    form: Format
    columns: int
    rows: int
    legend_rows: int
    legend_columns: int
    title_lines: int
    key: str
    head_lines: int
    note_lines: int
    label_lines: int
    named: int
    plain: bool
    left: float
    gutter: float
    right: float
    directs: tuple[tuple[Series, ...], ...] = field(repr=False, default=())

    @classmethod
    def of(cls, chart: Chart, form: Format = PAGE) -> "Layout":
        """Return the layout of a chart."""
        columns = _columns(chart)
        directs = direct(chart, columns)
        labels = legend(chart, directs)
        wide = form.width - 2 * 0.16
        widest = max((0.65 + form.character(form.label) * extent(label) for label in labels), default=wide)
        across = max(1, min(len(labels), int((wide + 0.05) / widest)))
        margins = [_margin(shown, columns, form) for shown in directs]
        inner = [margins[place] for place in range(len(margins)) if (place + 1) % columns]
        return cls(
            form=form,
            columns=columns,
            rows=ceil(len(chart.panels) / columns),
            legend_rows=ceil(len(labels) / across),
            legend_columns=ceil(len(labels) / ceil(len(labels) / across)) if labels else 1,
            title_lines=len(title(chart, form)),
            key=key(chart),
            head_lines=max(len(head(panel, columns, form)) for panel in chart.panels),
            note_lines=max(len(note(panel, columns, form)) for panel in chart.panels),
            label_lines=max(len(wrapped(panel.xlabel, _most(columns, form))) for panel in chart.panels),
            named=max(len(panel.names) for panel in chart.panels),
            plain=not all(panel.names for panel in chart.panels),
            left=max(form.left, *(_beside(panel, form) for panel in chart.panels[::columns])),
            gutter=max(
                (form.left if _own_axis(chart, columns) else form.gap) + max(inner, default=0.0),
                *(_beside(panel, form) for panel in chart.panels[1::columns] if columns > 1),
                0.0,
            ),
            right=max(form.right, *margins[columns - 1 :: columns], margins[-1]),
            directs=directs,
        )

    @property
    def top(self) -> float:
        """Inches above the first row's panel titles."""
        form = self.form
        titles = 0.12 + form.line(form.title) * self.title_lines if self.title_lines else 0.06
        keys = form.line(form.small) + 0.06 if self.key else 0.0
        return titles + keys + (0.09 + form.line(form.label) * self.legend_rows if self.legend_rows else 0)

    @property
    def head(self) -> float:
        """Inches of a panel's title."""
        return 0.14 + self.form.line(self.form.head) * self.head_lines

    @property
    def foot(self) -> float:
        """Inches below a panel: tick labels, axis label, note."""
        form = self.form
        below = 0.2 + form.line(form.tick) + form.line(form.label) * max(1, self.label_lines)
        return below + (0.1 + form.line(form.small) * self.note_lines if self.note_lines else 0.06)

    @property
    def box(self) -> tuple[float, float]:
        """Width and height of a panel's axes."""
        width = (self.form.width - self.left - self.right - self.gutter * (self.columns - 1)) / self.columns
        rows, curves = self.form.row * (self.named + 0.4), self.form.boxes[min(self.columns, 3) - 1]
        if self.named:
            return width, max(rows, curves) if self.plain else max(rows, 1.4)
        return width, curves

    @property
    def height(self) -> float:
        """Height of the figure."""
        return self.top + self.rows * (self.head + self.box[1] + self.foot)

    def rectangle(self, place: int) -> tuple[float, float, float, float]:
        """Return left, bottom, width, height of a panel's axes as fractions of the figure."""
        row, column = divmod(place, self.columns)
        width, tall = self.box
        left = self.left + column * (width + self.gutter)
        above = self.top + row * (self.head + tall + self.foot) + self.head
        return (
            left / self.form.width,
            1 - (above + tall) / self.height,
            width / self.form.width,
            tall / self.height,
        )


def _columns(chart: Chart) -> int:
    """Return how many panels stand abreast: two, or more of those that are small multiples."""
    count = len(chart.panels)
    if count <= 2 or not multiples(chart):
        return min(2, count)
    return 2 if count == 4 and not chart.panels[0].equal else min(count, 4) if count != 6 else 3


def multiples(chart: Chart) -> bool:
    """Return whether what differs between all panels is what they show, or else what they have along x."""
    axes = {(one.ylabel, one.xscale, one.yscale, one.equal, bool(one.heat)) for one in chart.panels}
    along, limits = {one.xlabel for one in chart.panels}, {one.ylim for one in chart.panels}
    return len(axes) == 1 and (len(along) == 1 or (len(limits) == 1 and None not in limits))


def _own_axis(chart: Chart, columns: int) -> bool:
    """Return whether panels that are not the first of their row have an axis of their own."""
    return any(writes_axis(chart, place, columns) for place in range(len(chart.panels)) if place % columns)


def writes_axis(chart: Chart, place: int, columns: int) -> bool:
    """Return whether a panel says what its vertical axis is; it need not beside one that has the same.

    Pairs of panels whose limits differ need both.
    """
    if place % columns == 0:
        return True
    here, before = chart.panels[place], chart.panels[place - 1]
    if here.names:
        return True  # on its side: what it writes stands below
    if here.heat:
        return (here.ylabel, here.heat.rows) != (before.ylabel, before.heat and before.heat.rows)
    same = (here.ylabel, here.yscale, here.ylim) == (before.ylabel, before.yscale, before.ylim)
    return not (same and here.ylim is not None)


def _beside(panel: Panel, form: Format) -> float:
    """Return the inches that the names of a panel's rows take, left of its axes."""
    names = (*panel.names, *(panel.heat.rows if panel.heat else ()))
    more = 0.25 + (0.25 if panel.heat and panel.ylabel else 0.0)
    return max((more + form.character(form.tick) * extent(name) for name in names), default=0.0)


def _margin(shown: tuple[Series, ...], columns: int, form: Format) -> float:
    """Return the inches that names take at the ends of their lines."""
    lines = [line for one in shown if one.label_at is None for line in beside_end(one, columns)]
    return max(
        (0.22 + form.character(form.label) * (extent(line) + _broader(line)) for line in lines), default=0.0
    )


def _broader(line: str) -> float:
    """Return how many average characters a line is wider for its broad letters, which few have two of."""
    return 0.35 * max(0, len(re.findall("[mwMW]", line)) - 1)


def beside_end(series: Series, columns: int) -> list[str]:
    """Return the lines of a name at the end of its curve."""
    return wrapped(series.label, 20 if columns == 1 else 14)


def _most(columns: int, form: Format) -> int:
    """Return how many characters of a label go into a line below a panel."""
    return int((form.width - 1.2) / columns / form.character(form.label)) - 2


def title(chart: Chart, form: Format = PAGE) -> list[str]:
    """Return the lines of a picture's title."""
    return (
        wrapped(chart.title, int((form.width - 0.3) / form.character(form.title * 1.08)))
        if form.titled
        else []
    )


def key(chart: Chart) -> str:
    """Return what is said once of all panels: what pale lines, hollow markers, arrows and bands are.

    A hollow marker's own name may say whose constants it has. Bands are intervals, unless a note says what
    they are ("bands: the middle half").
    """
    series = [one for panel in chart.panels for one in panel.series if tuple(one.x)]
    measured = [one for one in series if one.role == "estimate"]
    looks = {(one.colour_key, one.rank) for one in measured}
    said = []
    if any(one.role == "theory" and (one.colour_key, one.rank) in looks for one in series):
        said.append("thin line: predicted")
    hollow = [one for one in measured if one.colour_key.endswith(":paper")]
    if hollow and not any(CONSTANTS.search(one.label) for one in hollow):
        said.append("hollow: the paper's constants")
    bounded = [panel for panel in chart.panels if panel.heat and panel.heat.boundary]
    if untold := [panel.heat for panel in bounded if "hite line: " not in panel.note]:
        half = all(heat and heat.bar == SHARE for heat in untold)
        said.append(f"white line: {'half of the runs are predicted to succeed' if half else 'predicted'}")
    if any(isinf(y) and y > 0 for one in measured for y in one.y):
        said.append("arrow: beyond the axes")
    told = any(re.search(r"\b[Bb]a(nd|r)s: ", panel.note) for panel in chart.panels)
    if any(one.low is not None for one in measured) and not told:
        said.append("band: 95 % interval")
    text = "; ".join(said)
    return text[:1].upper() + text[1:]


def head(panel: Panel, columns: int, form: Format = PAGE) -> list[str]:
    """Return the lines of a panel's title."""
    room = (form.width - 1.3) / columns - 0.3
    return wrapped(panel.title, int(room / form.character(form.head * 1.08)))


def note(panel: Panel, columns: int, form: Format = PAGE) -> list[str]:
    """Return the lines below a panel."""
    room = (form.width - max(1.3, _beside(panel, form))) / columns - 0.2
    return wrapped(panel.note, int(room / form.character(form.small))) if form.titled else []
