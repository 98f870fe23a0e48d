"""How n grows with every public number of a statement, as pictures, from verdicts alone."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor, isfinite, log10

from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.style import METHODS, name
from workbench.lab.runner.growth import Growth

NAME = "sample_complexity"
STATUSES = {
    "HOLDS": "idea/holds",
    "NOT CONTRADICTED": "idea/second",
    "UNDECIDED": "idea/open",
    "REFUTED": "idea/refuted",
}
LEAST_DECADES = 1  # to either side of 1
SPACED = re.compile(r"\b(Thm|Lem|Rem|Prop|Cor|Eq|Table|Fig|Alg)(?=[A-Z\d])")
EXACT, LEVEL = "Filled: over the prediction.", "Hollow: over the formula with constants 1."
COLOURS = "Colour: growth in it; grey: open, slope uncertain or fewer rows refused."
KINDS = ((EXACT, True), (LEVEL, False))
GROWTHS = {
    "HOLDS": "grows as stated",
    "NOT CONTRADICTED": "grows more slowly: not contradicted",
    "UNDECIDED": "open",
    "REFUTED": "does not grow as stated",
}
OTHERS = {"NOT CONTRADICTED": "more slowly", "UNDECIDED": "open", "REFUTED": "not"}
MOST = 18  # rows of a picture
POWER = re.compile(r"\^([\d.]+)")


def pictures(found: Sequence[Growth]) -> list[Chart]:
    """Return charts for every source: searched over expected n, a row for every number of a statement."""
    sources = dict.fromkeys(one.source for one in found)
    return [
        chart
        for source in sources
        for chart in _parts(source, [one for one in found if one.source == source])
    ]


def _parts(source: str, found: Sequence[Growth]) -> list[Chart]:
    """Return the charts of a source: as many as rows ask for, about as long as each other."""
    found = sorted(found, key=lambda one: not one.predicted)
    count = ceil(len(found) / MOST)
    if count == 1:
        return [picture(source, found)]
    ends = [len(found) * part // count for part in range(count + 1)]
    return [
        replace(
            picture(source, found[ends[part - 1] : ends[part]]),
            name=f"{NAME}_{source}" + f"_{part}" * (part > 1),
            title=f"{_title(source, found)} ({part} of {count})",
        )
        for part in range(1, count + 1)
    ]


def picture(whose: str, found: Sequence[Growth]) -> Chart:
    """Return one chart of some scalings: those with a prediction first."""
    found = sorted(found, key=lambda one: not one.predicted)
    return Chart(
        f"{NAME}_{whose.replace(', ', '_')}",
        _title(whose, found),
        (_panel(found),),
        alt=f"Dots for searched over expected n, a row for each of {len(found)} numbers of {whose}.",
        how_to_read="A dot is the n that was searched at one value of the number, or the plan's least n where"
        " that is enough, over the n expected there: a prediction with all constants (filled) or the"
        " statement's n with constants 1 (hollow)."
        " Colours say whether a row's slope excludes half a power to either side. A band to the edge has no"
        " end.",
    )


def _panel(found: Sequence[Growth]) -> Panel:
    dots = [_dots(place, growth) for place, growth in enumerate(found, 1)]
    first = {series.label: place for place, series in reversed(list(enumerate(dots)))}
    shown = [one if first[one.label] == place else replace(one, label="") for place, one in enumerate(dots)]
    middle = Series("as many as expected", (0.5, len(found) + 0.5), (1.0, 1.0), role="reference")
    limits = _decades([value for one in dots for value in one.y])
    return Panel(
        "",
        "",
        "rows needed, over the rows expected",
        (middle, *(one for one in shown if one.x)),
        xscale="linear",
        names=tuple(_names(found)),
        ylim=limits,
        note=" ".join([*(words for words, which in KINDS if _has(found, which)), COLOURS]),
    )


def _has(found: Sequence[Growth], predicted: bool) -> bool:
    return any(one.predicted == predicted for one in found)


def _names(found: Sequence[Growth]) -> list[str]:
    """Return the name of every scaling, with what distinguishes it where there are two of one name."""
    names = [_said(one) for one in found]
    for more in ([_variant(one) for one in found], [_formula(one) for one in found]):
        told = list(zip(names, more, strict=True))
        words = {said: {word for other, word in told if other == said} for said in names}
        names = [_with(said, word) if word and len(words[said]) > 1 else said for said, word in told]
    return names


def _with(said: str, word: str) -> str:
    """Return a name with one more word in its brackets."""
    return f"{said[:-1]}, {word})" if said.endswith(")") else f"{said} ({word})"


def _said(one: Growth) -> str:
    """Return what was run, what moves, and the statement if it has a number."""
    whole, statement = str(one.record["key"]), one.statement.partition("/")[2]
    key = whole.partition(" ")[0] if "/" in whole else whole
    numbered = SPACED.sub(r"\1 ", f" ({statement})") if any(map(str.isdigit, statement)) else ""
    return f"{name(key) if key in METHODS else key}: {one.symbol}{numbered}"


def _variant(one: Growth) -> str:
    """Return what is special to a scaling, an estimator by its name."""
    return "" if one.variant in METHODS else one.variant.replace("zcdp", "zCDP")


def _formula(one: Growth) -> str:
    """Return the term of a scaling with its powers raised."""
    return POWER.sub(r"$^{\1}$", str(one.record["term"]))


def _title(whose: str, found: Sequence[Growth]) -> str:
    """Return what became of how many rates of a source."""
    counts = Counter(one.status for one in found)
    if set(counts) == {"HOLDS"}:
        return f"{whose}: in all {len(found)} rows n grows as stated"
    others = [f"{counts[status]} {words}" for status, words in OTHERS.items() if counts[status]]
    return f"{whose}: n grows as stated in {counts['HOLDS']} of {len(found)} rows, {', '.join(others)}"


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
    label = GROWTHS[one.status] + ("" if one.predicted else ", formula with constants 1")
    return Series(label, x, y, low, high, colour_key=colour)
