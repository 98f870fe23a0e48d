"""All plotted numbers of a grid of runs in one tidy table, as CSV and as JSON.

One row for every point of every curve. Where a figure does not use a parameter, or is the same at all of its
values, the parameter is blank and the points stand once.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

from workbench.charts import canonical_json
from workbench.charts.chart import Panel, Series
from workbench.lab.figures import NUMBERS
from workbench.lab.runner.grids import Member, Multiple, chart

PLOTTED = ("notebook", "figure", "panel", "series", "role", "x", "y", "low", "high")
TEXT = Path(NUMBERS).with_suffix(".csv").name
Row = list[Any]


def write(home: Path, runs: Sequence[Member], multiples: Sequence[Multiple]) -> tuple[Path, Path]:
    """Write the table of a grid into the notebook's folder.

    Returns
    -------
    tuple of Path
        The CSV, in which infinity is `inf` and what is unknown is blank; and the JSON, an object of `columns`
        and `data`, which pandas reads with `orient="split"`.
    """
    recorded = [
        name for one in multiples for content in one.contents().values() for name in one.used(content)
    ]
    parameters = list(dict.fromkeys([*runs[0].variant.start, *recorded]))
    header, rows = [*PLOTTED, "profile", *parameters], list(_rows(multiples, parameters))
    with (home / TEXT).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerows([header, *rows])
    canonical_json.write(home / NUMBERS, {"columns": header, "data": rows})
    return home / TEXT, home / NUMBERS


def _rows(multiples: Sequence[Multiple], parameters: Sequence[str]) -> Iterator[Row]:
    for multiple in multiples:
        for at, content in multiple.contents().items():
            known = multiple.used(content)
            behind = [content["parameters"].get("profile"), *(known.get(name) for name in parameters)]
            before = [multiple.members[at].variant.notebook.stem, multiple.name]
            yield from ([*before, *row, *behind] for row in _plotted(content))


def _plotted(content: Mapping[str, Any]) -> Iterator[Row]:
    """Yield panel, series, role, x, y, low and high of every point; panels are counted from 1."""
    for place, panel in enumerate(chart(content).panels, 1):
        yield from ([place, *row] for row in _colours(panel))
        for series in panel.series:
            name = series.label or series.colour_key
            yield from ([place, name, series.role, *map(_number, point)] for point in _points(series))


def _points(series: Series) -> Iterator[tuple[float | None, ...]]:
    ends = [repeat(None) if end is None else end for end in (series.low, series.high)]
    return zip(series.x, series.y, *ends, strict=False)


def _colours(panel: Panel) -> Iterator[Row]:
    """Yield the numbers of a table of colours: a row of it is a series, and x counts its columns from 1."""
    for place, values in enumerate(panel.heat.values if panel.heat else (), 1):
        for x, value in enumerate(values, 1):
            yield [f"row {place}", "colour", x, _number(value), None, None]


def _number(value: float | None) -> float | str | None:
    return None if value is None else canonical_json.number(value)
