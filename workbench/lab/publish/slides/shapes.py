"""What a chart is on slides: few enough panels and rows for each to be read, as high as there is room."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import compress
from math import ceil

from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.drawing import columns, slides

ABREAST = 3  # panels whose letters can still be read
NAMES = 15  # rows with a name that can still be read


def shapes(chart: Chart) -> Iterator[Chart]:
    """Yield what is drawn on one slide each: a panel, a row of small multiples, or some of the named rows."""
    for one in slides(chart):
        count = len(one.panels)
        across = min(columns(one), ceil(count / ceil(count / ABREAST)))
        for start in range(0, count, across):
            row = one.panels[start : start + across]
            if len(row) == 1 and len(row[0].names) > NAMES:
                yield from (replace(one, panels=(part,)) for part in parted(row[0]))
            else:
                yield replace(one, panels=row)


def parted(panel: Panel) -> list[Panel]:
    """Return a panel with many named rows as several with as few rows as can be read."""
    count = len(panel.names)
    each = ceil(count / ceil(count / NAMES))
    return [_rows(panel, start, min(start + each, count)) for start in range(0, count, each)]


def _rows(panel: Panel, start: int, stop: int) -> Panel:
    series = tuple(one for full in panel.series if (one := _cut(full, start, stop)).x)
    marks = tuple(moved for mark in panel.marks for moved in _moved(mark, start, stop))
    return replace(panel, names=panel.names[start:stop], series=series, marks=marks)


def _moved(mark: Mark, start: int, stop: int) -> Iterator[Mark]:
    """Yield a mark with its rows counted anew, if it is in rows after `start` up to `stop`.

    An upright line stays on every slide, its words in the nearest row.
    """
    rows = [row for row in (mark.y, mark.y2) if row is not None]
    if mark.kind in ("vertical", "span"):
        yield mark if mark.y is None else replace(mark, y=min(max(mark.y - start, 1.0), stop - start))
    elif all(start + 0.5 <= row <= stop + 0.5 for row in rows):
        y, y2 = (None if row is None else row - start for row in (mark.y, mark.y2))
        yield replace(mark, y=y, y2=y2)


def _cut(series: Series, start: int, stop: int) -> Series:
    """Return the points in rows after `start` up to `stop`, counted anew; a line down the rows ends there."""
    x = tuple(series.x)
    if series.role == "reference":
        return replace(series, x=[min(max(place - start, 0.5), stop - start + 0.5) for place in x])
    kept = [start < row <= stop for row in x]
    bands = (series.low, series.high, series.expected)
    low, high, expected = (one and tuple(compress(one, kept)) for one in bands)
    return replace(
        series,
        x=[place - start for place in compress(x, kept)],
        y=tuple(compress(series.y, kept)),
        low=low,
        high=high,
        expected=expected,
    )
