"""The grammar of a figure: what a reader may rely on in every picture.

A hue is a method, a hollow marker a paper's constants, a ramp an ordered parameter; names stand on the
picture, numbers are written in one way, the title says what was found and the picture, not the caption,
explains it. `faults` lists what a chart breaks of that.
"""

import re
from collections.abc import Iterator

from workbench.catalog import CATALOG
from workbench.charts.chart import Chart, Panel
from workbench.charts.layout import multiples
from workbench.charts.methods import METHODS

TITLE, CAPTION, NOTE, MARK = 14, 45, 25, 12  # words at most
NAMES = 8  # in a legend, at most
PANELS = 2  # of a figure that is not of small multiples
RAW = {
    "a number as a computer writes it": re.compile(r"\d[eE][-+]?\d"),
    "an underscore outside of mathematics": re.compile(r"_"),
    "a number without its zero": re.compile(r"(?<![\d.\w])\.\d"),
    "thousands that do not stand apart": re.compile(r"(?<![\d.\w])\d{5,}|\d,\d{3}"),
    "'dashed'": re.compile(r"\bdash(ed|es)?\b", re.I),
}
COUNTED = re.compile(r"^(Figure|Table|Lemma|Theorem) \d", re.I)
VARIANTS = ("", "paper")


def faults(chart: Chart) -> list[str]:
    """Return what a chart breaks of the grammar, one line each; none for a good one."""
    return [*_words(chart), *_panels(chart), *_looks(chart)]


def _words(chart: Chart) -> Iterator[str]:
    if COUNTED.match(chart.title):
        yield f"title {chart.title!r} is the number of a figure and not what was found"
    yield from _long("title", chart.title, TITLE)
    yield from _long("how_to_read", chart.how_to_read, CAPTION)
    for panel in chart.panels:
        yield from _long("note", panel.note, NOTE)
        for mark in panel.marks:
            yield from _long("mark", mark.text, MARK)
    for text in dict.fromkeys(_texts(chart)):
        yield from _raw(text)


def _long(what: str, text: str, most: int) -> Iterator[str]:
    count = len(text.split())
    if count > most:
        yield f"{what} of {count} words, at most {most}: {text!r}"


def _texts(chart: Chart) -> Iterator[str]:
    """Yield every text that stands on the picture or below it."""
    yield from (chart.title, chart.how_to_read)
    for panel in chart.panels:
        yield from (panel.title, panel.xlabel, panel.ylabel, panel.note, *panel.names)
        yield from (series.label for series in panel.series)
        yield from (mark.text for mark in panel.marks)
        yield from (*panel.heat.rows, *panel.heat.columns) if panel.heat else ()


def _raw(text: str) -> Iterator[str]:
    plain = re.sub(r"\$[^$]*\$", "", text)
    for what, pattern in RAW.items():
        if pattern.search(plain):
            yield f"{what}: {text!r}"
    yield from (f"the catalog's key {key}: {text!r}" for key in CATALOG if key in plain)


def _panels(chart: Chart) -> Iterator[str]:
    if len(chart.panels) > PANELS and not multiples(chart):
        yield f"{len(chart.panels)} panels on different axes, at most {PANELS}"
    for panel in chart.panels:
        yield from _panel(panel)


def _panel(panel: Panel) -> Iterator[str]:
    labels = {one.label for one in panel.series if one.label}
    if len(labels) > NAMES:
        yield f"{len(labels)} names in the panel {panel.title!r}, at most {NAMES}"
    if not panel.ylabel:
        yield f"the panel {panel.title!r} has no label of its values"
    if not (panel.xlabel or panel.names):
        yield f"the panel {panel.title!r} has no label of x"


def _looks(chart: Chart) -> Iterator[str]:
    series = [one for panel in chart.panels for one in panel.series]
    for key in dict.fromkeys(one.colour_key for one in series):
        owner, _, variant = key.partition(":")
        if owner not in METHODS:
            yield f"the colour key {key!r} is not in the table of methods"
        if variant not in VARIANTS:
            yield f"the variant of {key!r} is not the paper's"
    ranks = {(one.colour_key, one.rank) for one in series if one.rank is not None}
    for key in {key for key, _ in ranks}:
        if len([rank for other, rank in ranks if other == key]) < 2:
            yield f"a ramp of one shade: {key!r}"
    yield from _twins(chart)


def _twins(chart: Chart) -> Iterator[str]:
    """Yield different methods of one panel that are drawn alike."""
    for panel in chart.panels:
        seen: dict[tuple[str, str, bool], str] = {}
        for one in panel.series:
            if one.role == "estimate" and one.rank is None and one.colour_key.partition(":")[0] in METHODS:
                owner, _, variant = one.colour_key.partition(":")
                look = (METHODS[owner].hue, METHODS[owner].marker, bool(variant))
                if seen.setdefault(look, owner) != owner:
                    yield f"{seen[look]} and {owner} are drawn alike in the panel {panel.title!r}"
