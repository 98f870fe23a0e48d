"""Where things are in a picture: fixed places, measured in inches.

The legend stands above the axes and never on the data.
"""

from dataclasses import dataclass
from math import ceil
from textwrap import wrap

from workbench.charts.chart import Chart, Panel, Series

WIDTH = 7.2  # inches: 720 px at the width the pictures are shown with
LEFT, RIGHT, GUTTER = 0.78, 0.16, 0.72
CHARACTER = 0.071  # inches a character of the legend takes, at most, on average
LINE = 0.21  # inches between two lines of text
TITLE = 62  # characters in a line of the title, which are wider than those of the legend
ROW = 0.3  # inches of a named row


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
    named: int = 0
    plain: bool = True
    left: float = LEFT
    gutter: float = GUTTER

    @classmethod
    def of(cls, chart: Chart) -> "Layout":
        """Return the layout of a chart: two panels abreast, at most."""
        columns = min(2, len(chart.panels))
        labels = legend(chart)
        widest = max((0.6 + CHARACTER * len(label) for label in labels), default=WIDTH)
        across = max(1, min(len(labels), int((WIDTH + 0.05) / widest)))
        return cls(
            columns=columns,
            rows=ceil(len(chart.panels) / columns),
            legend_rows=ceil(len(labels) / across),
            legend_columns=ceil(len(labels) / ceil(len(labels) / across)) if labels else 1,
            title_lines=len(wrap(chart.title, TITLE)),
            head_lines=max(len(head(panel, columns)) for panel in chart.panels),
            note_lines=max(len(note(panel, columns)) for panel in chart.panels),
            named=max(len(panel.names) for panel in chart.panels),
            plain=not all(panel.names for panel in chart.panels),
            left=max(LEFT, *map(_beside, chart.panels[::columns])),
            gutter=max(GUTTER, *map(_beside, chart.panels[1::columns] if columns > 1 else ()), 0.0),
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
        width = (WIDTH - self.left - RIGHT - self.gutter * (self.columns - 1)) / self.columns
        rows, curves = ROW * (self.named + 0.4), 3.1 if self.columns == 1 else 2.45
        if self.named:
            return width, max(rows, curves) if self.plain else rows
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
        return left / WIDTH, 1 - (above + tall) / self.height, width / WIDTH, tall / self.height


def _beside(panel: Panel) -> float:
    """Return the inches that the names of a panel's rows take, left of its axes."""
    names = (*panel.names, *(panel.heat.rows if panel.heat else ()))
    return max((0.25 + CHARACTER * len(name) for name in names), default=0.0)


def legend(chart: Chart) -> dict[str, Series]:
    """Return the series of the legend, the first of each label."""
    shown = [series for panel in chart.panels for series in panel.series if series.label]
    return {
        label: next(s for s in shown if s.label == label) for label in dict.fromkeys(s.label for s in shown)
    }


def head(panel: Panel, columns: int) -> list[str]:
    """Return the lines of a panel's title."""
    return wrap(panel.title, 78 if columns == 1 else 36)


def note(panel: Panel, columns: int) -> list[str]:
    """Return the lines below a panel."""
    whole = 80 if panel.names else 100  # names stand left of the axes, where notes begin
    return wrap(panel.note, whole if columns == 1 else 42)
