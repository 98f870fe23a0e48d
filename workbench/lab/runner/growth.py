"""How n grows with every public number of a statement, as tables and pictures, from verdicts alone."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Any, NamedTuple

from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.style import METHODS, name, short
from workbench.lab import tables
from workbench.sources import recalled

COLUMNS = (
    "statement", "moves", "estimator", "term", "values", "n", "slope", "predicted", "stated", "share", "rate",
    "verdict",
)  # fmt: skip
GROUPS = {  # column of the overview: what moves
    "d": ("d", "p"),
    "ε or ρ": ("epsilon", "rho"),
    "δ": ("delta",),
    "α": ("alpha",),
    "R, u or κ": ("radius", "condition", "upper", "kappa"),
}
OTHERS = "others"
SYMBOLS = {
    "epsilon": "ε", "delta": "δ", "alpha": "α", "rho": "ρ", "beta": "β", "corruption": "ξ", "radius": "R",
    "upper": "u", "condition": "κ", "degree": "s", "bins": "k",
}  # fmt: skip
SUMMARY = ("statement", "moves", "estimator", "n, least and largest", "slope", "stated", "rate", "verdict")
HEAD = """## How n grows

One number of a statement moves; at each of its values the least n is searched at which a share of the runs
is within α. The slope is that of ln n in the logarithm of the number, or of what stands under "moves", with
its interval at 5 %; beside it that of the prediction with all constants, that of the statement's n, and the
least share of that n, over the values, which the term has. A curved slope's interval holds those from every
value to the next.
The rate is *seen* where n over the statement's n stays flat and the wrong statements nearby are excluded, at
0.025 % for each of at most 200 scalings, so at 5 % for all of them; *seen alone* is so at 5 % for this one,
and undecided. *Slower* and *faster* say how n certainly grows towards many rows: an upper bound is not
contradicted by a slower growth, and not confirmed. *Open* is undecided. *Planned* is nothing that was
searched: n is the least that the estimator's plan accepts, so that exponents are exact, and enough, but no
fewer rows were tried. With "≥" the share was not shown to stay above; "=" is the plan's least n. The formulas
of statements with † are recalled: the text at hand has lost them. Terms keep the letters of their source: in
LKKO21's, α is the share ξ of corrupted rows.
"""
LARGE = 1e5  # from here on a power of ten stands for zeros


class Growth(NamedTuple):
    """One scaling, with the verdict of its check and its claim."""

    claim: str
    status: str
    record: Mapping[str, Any]

    @property
    def statement(self) -> str:
        return str(self.record["statement"])

    @property
    def source(self) -> str:
        return self.statement.partition("/")[0]

    @property
    def symbol(self) -> str:
        """What moves, as formulas write it."""
        return SYMBOLS.get(str(self.record["variable"]), str(self.record["variable"]))

    @property
    def rate(self) -> str:
        """What is seen, and at which level."""
        rate, alone = str(self.record["rate"]), self.record.get("rate_alone")
        if rate == "open" and alone == "seen":
            return "seen alone"
        return f"{rate}, planned" if set(self.record["kinds"]) == {"planned"} else rate

    @property
    def cited(self) -> str:
        """The statement, marked where its formula is recalled."""
        return self.statement + " †" * (self.statement in recalled())

    @property
    def predicted(self) -> bool:
        """Whether every n has a prediction; else it stands beside the statement's, with constants 1."""
        return all(isfinite(float(one)) for one in self.record["predicted"])


def growths(verdicts: Sequence[Mapping[str, Any]]) -> Iterator[Growth]:
    """Yield the scalings in verdicts."""
    for verdict in verdicts:
        detail = verdict.get("detail")
        for check in (detail.get("checks") or [verdict]) if isinstance(detail, Mapping) else ():
            if "scaling" in check["detail"]:
                yield Growth(str(verdict["id"]), str(check["status"]), check["detail"]["scaling"])


def table(found: Sequence[Growth], charts: Sequence[Chart]) -> str:
    """Return the tables below their pictures; empty if there is nothing to say."""
    if not found:
        return ""
    rates = [one.rate for one in found]
    counted = ", ".join(f"{rates.count(rate)} {rate}" for rate in dict.fromkeys(rates))
    shown = "\n".join(f"![{chart.alt}]({chart.name}.svg)" for chart in charts)
    rows = tables.markdown(COLUMNS, [_row(one) for one in found])
    total = f"{len(found)} scalings of {len({one.statement for one in found})} statements: {counted}."
    return f"{HEAD}\n{shown}\n\n{_overview(found)}\n\n{total}\n\n{rows}\n"


def _overview(found: Sequence[Growth]) -> str:
    """Return a table of statements and what moves: the rate and the slope of every scaling."""
    cells: dict[str, dict[str, list[str]]] = {}
    for one in found:
        row = cells.setdefault(one.cited, {name: [] for name in (*GROUPS, OTHERS)})
        moved = one.record["variable"]
        group = next((group for group, names in GROUPS.items() if moved in names), OTHERS)
        what = f"{one.symbol}: " if group == OTHERS else ""
        row[group].append(f"{what}{one.rate}, {_slope(one.record['slope'])}")
    rows = [[name, *("; ".join(cell) or "–" for cell in row.values())] for name, row in cells.items()]
    return tables.markdown(("statement", *GROUPS, OTHERS), rows)


def summary(one: Growth) -> list[str]:
    """Return a row of the table that a notebook shows."""
    name, moves, key, _, _, _, slope, _, stated, _, rate, status = _row(one)
    ends = zip(one.record["n"], one.record["intervals"], strict=True)
    least, *_, most = sorted(ends, key=lambda found: float(found[0]))
    return [name, moves, key, f"{_rows(*least)}, {_rows(*most)}", slope, stated, rate, status]


def _row(one: Growth) -> list[str]:
    record = one.record
    shares = [float(share) for share in record["shares"]]
    return [
        one.cited,
        f"ln {one.symbol}" if record["logarithm"] else one.symbol,
        str(record["key"]),
        str(record["term"]),
        ", ".join(f"{float(value):g}" for value in record["values"]),
        ", ".join(map(_rows, record["n"], record["intervals"])),
        f"{_slope(record['slope'])} [{', '.join(map(_slope, record['slope_interval']))}]",
        _slope(record["slope_predicted"]),
        _slope(record["slope_stated"]),
        f"{100 * min(shares):.0f} %" if all(map(isfinite, shares)) else "–",
        one.rate + (", curved" if record["curved"] else ""),
        one.status,
    ]


def _rows(n: Any, ends: Sequence[Any]) -> str:
    """Return an n in words, with a sign where an end of its interval is open.

    >>> [_rows(41.92, (40, 43)), _rows(4851.3, (4000, "inf")), _rows(8, (0, 8)), _rows("inf", (9e7, "inf"))]
    ['41.9', '≥ 4850', '≤ 8', '> 9·10⁷']
    >>> _rows(312, (312, 312))
    '= 312'
    """
    low, high = map(float, ends)
    if not isfinite(float(n)):
        return f"> {_digits(low)}"
    sign = "≤ " if low == 0 else "≥ " if not isfinite(high) else "= " * (low == high)
    return f"{sign}{_digits(float(n))}"


def _digits(n: float) -> str:
    rounded = float(f"{n:.3g}")
    return short(rounded) if rounded >= LARGE else f"{rounded:g}"


def _slope(value: Any) -> str:
    return f"{float(value):.2f}" if isfinite(float(value)) else "–"


# Pictures: the n that was searched over the n that is expected, a row for every number of a statement.

NAME = "sample_complexity"
MOST = 18  # rows of a picture
STATUSES = {  # hue, what the legend says, and the title of those that do not hold
    "HOLDS": ("idea/holds", "grows as stated", ""),
    "NOT CONTRADICTED": ("idea/second", "grows more slowly: not contradicted", "more slowly"),
    "UNDECIDED": ("idea/open", "open", "open"),
    "REFUTED": ("idea/refuted", "does not grow as stated", "not"),
}
KINDS = {True: "Filled: over the prediction.", False: "Hollow: over the formula with constants 1."}
COLOURS = "Colour: growth in it; grey: open, slope uncertain or fewer rows refused."
SPACED = re.compile(r"\b(Thm|Lem|Rem|Prop|Cor|Eq|Table|Fig|Alg)(?=[A-Z\d])")
POWER = re.compile(r"\^([\d.]+)")


def pictures(found: Sequence[Growth]) -> list[Chart]:
    """Return charts for every source, as many as its rows ask for, about as long as each other."""
    charts = []
    for source in dict.fromkeys(one.source for one in found):
        own = _in_order([one for one in found if one.source == source])
        count = ceil(len(own) / MOST)
        ends = [len(own) * part // count for part in range(count + 1)]
        for part, (start, end) in enumerate(pairwise(ends), 1):
            chart = picture(source, own[start:end])
            if count > 1:
                title = f"{_title(source, own)} ({part} of {count})"
                chart = replace(chart, name=chart.name + f"_{part}" * (part > 1), title=title)
            charts.append(chart)
    return charts


def picture(whose: str, found: Sequence[Growth]) -> Chart:
    """Return one chart of some scalings."""
    found = _in_order(found)
    dots = [_dots(place, growth) for place, growth in enumerate(found, 1)]
    labels = [one.label for one in dots]
    shown = [
        replace(one, label=one.label * (labels.index(one.label) == place)) for place, one in enumerate(dots)
    ]
    ends = [log10(value) for one in dots for value in one.y]
    panel = Panel(
        "",
        "",
        "rows needed, over the rows expected",
        (
            Series("as many as expected", (0.5, len(found) + 0.5), (1.0, 1.0), role="reference"),
            *(one for one in shown if one.x),
        ),
        xscale="linear",
        names=tuple(_names(found)),
        ylim=(10.0 ** min(-1, *map(floor, ends)), 10.0 ** max(1, *map(ceil, ends))),
        note=" ".join(
            [*(words for kind, words in KINDS.items() if kind in {one.predicted for one in found}), COLOURS]
        ),
    )
    return Chart(
        f"{NAME}_{whose.replace(', ', '_')}",
        _title(whose, found),
        (panel,),
        alt=f"Dots for searched over expected n, a row for each of {len(found)} numbers of {whose}.",
        how_to_read="A dot is the n that was searched at one value of the number, or the plan's least n where"
        " that is enough, over the n expected there: a prediction with all constants (filled) or the"
        " statement's n with constants 1 (hollow)."
        " Colours say whether a row's slope excludes half a power to either side. A band to the edge has no"
        " end.",
    )


def _in_order(found: Sequence[Growth]) -> list[Growth]:
    return sorted(found, key=lambda one: not one.predicted)


def _dots(place: int, one: Growth) -> Series:
    said = [float(n) for n in one.record["predicted" if one.predicted else "stated"]]
    points = [
        (place, *(float(value) / expected for value in (n, *ends)))
        for n, ends, expected in zip(one.record["n"], one.record["intervals"], said, strict=True)
        if isfinite(float(n))
    ]
    x, y, low, high = zip(*points, strict=True) if points else ((), (), (), ())
    hue, label, _ = STATUSES[one.status]
    if not one.predicted:
        hue, label = f"{hue}:paper", f"{label}, formula with constants 1"
    return Series(label, x, y, low, high, colour_key=hue)


def _names(found: Sequence[Growth]) -> list[str]:
    """Return the name of every scaling, with what distinguishes it where there are two of one name."""
    names = [_said(one) for one in found]
    formulas = [POWER.sub(r"$^{\1}$", str(one.record["term"])) for one in found]
    for more in (list(map(_variant, found)), formulas):
        told = list(zip(names, more, strict=True))
        words = {said: {word for other, word in told if other == said} for said in names}
        names = [_with(said, word) if word and len(words[said]) > 1 else said for said, word in told]
    return names


def _with(said: str, word: str) -> str:
    return f"{said[:-1]}, {word})" if said.endswith(")") else f"{said} ({word})"


def _said(one: Growth) -> str:
    """Return what was run, what moves, and the statement if it has a number."""
    whole, statement = str(one.record["key"]), one.statement.partition("/")[2]
    key = whole.partition(" ")[0] if "/" in whole else whole
    numbered = SPACED.sub(r"\1 ", f" ({statement})") if any(map(str.isdigit, statement)) else ""
    return f"{name(key) if key in METHODS else key}: {one.symbol}{numbered}"


def _variant(one: Growth) -> str:
    """Return what stands behind the key of a scaling, the part or the law that was run; else the key."""
    key, _, part = str(one.record["key"]).partition(" ")
    found = part.strip("[()]").replace(") (", ", ") or key
    return "" if found in METHODS else found.replace("zcdp", "zCDP")


def _title(whose: str, found: Sequence[Growth]) -> str:
    """Return what became of how many rates of a source."""
    counts = Counter(one.status for one in found)
    if set(counts) == {"HOLDS"}:
        return f"{whose}: in all {len(found)} rows n grows as stated"
    others = [
        f"{counts[status]} {words}" for status, (*_, words) in STATUSES.items() if words and counts[status]
    ]
    return f"{whose}: n grows as stated in {counts['HOLDS']} of {len(found)} rows, {', '.join(others)}"
