"""How n grows with every public number of a statement, as pictures, from verdicts alone."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor, isfinite, log10

from workbench.charts.chart import Chart, Panel, Series
from workbench.lab.runner.growth import Growth

NAME = "sample_complexity"
STATUSES = {"HOLDS": "idea/holds", "UNDECIDED": "idea/open", "REFUTED": "idea/refuted"}
LEAST_DECADES = 1  # to either side of 1


def pictures(found: Sequence[Growth]) -> list[Chart]:
    """Return a chart for every source: searched over expected n, a row for every number of a statement."""
    sources = dict.fromkeys(one.source for one in found)
    return [picture(source, [one for one in found if one.source == source]) for source in sources]


def picture(whose: str, found: Sequence[Growth]) -> Chart:
    """Return one chart of some scalings."""
    return Chart(
        f"{NAME}_{whose.replace(', ', '_')}",
        f"{whose}: searched n over what was expected",
        (_panel(found),),
        alt=f"Dots for searched over expected n, a row for each of {len(found)} numbers of {whose}.",
        how_to_read="Filled: over a prediction, all constants. Hollow: over the statement's n, constants 1.",
    )


def _panel(found: Sequence[Growth]) -> Panel:
    dots = [_dots(place, growth) for place, growth in enumerate(found, 1)]
    first = {series.label: place for place, series in reversed(list(enumerate(dots)))}
    shown = [one if first[one.label] == place else replace(one, label="") for place, one in enumerate(dots)]
    middle = Series("", (0.5, len(found) + 0.5), (1.0, 1.0), role="reference")
    limits = _decades([value for one in dots for value in one.y])
    return Panel(
        "",
        "",
        "n over the expected n",
        (middle, *(one for one in shown if one.x)),
        xscale="linear",
        names=tuple(_names(found)),
        ylim=limits,
    )


def _names(found: Sequence[Growth]) -> list[str]:
    """Return the name of every scaling, with what distinguishes it where there are two of one name."""
    names = [one.name for one in found]
    for more in ([one.variant for one in found], [str(one.record["term"]) for one in found]):
        names = [
            f"{name} ({word})" if names.count(name) > 1 else name
            for name, word in zip(names, more, strict=True)
        ]
    return names


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Return whole decades around 1 that hold the values.

    >>> _decades([0.5, 430.0])
    (0.1, 1000.0)
    """
    ends = [log10(value) for value in values]
    low, high = min(-LEAST_DECADES, *map(floor, ends)), max(LEAST_DECADES, *map(ceil, ends))
    return 10.0**low, 10.0**high


def _dots(place: int, one: Growth) -> Series:
    points = [
        (place, *(float(value) / expected for value in (n, *ends)))
        for n, ends, expected in zip(one.record["n"], one.record["intervals"], one.expected, strict=True)
        if isfinite(float(n))
    ]
    x, y, low, high = zip(*points, strict=True) if points else ((), (), (), ())
    colour = STATUSES[one.status] + ("" if one.predicted else ":paper")
    label = one.status + ("" if one.predicted else ", constants 1")
    return Series(label, x, y, low, high, colour_key=colour)
