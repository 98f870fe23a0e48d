"""How n grows with every public number of a statement, as a table and as a picture, from verdicts alone."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, inf, isfinite, log10
from typing import Any, NamedTuple

from workbench.charts.chart import Chart, Panel, Series
from workbench.lab import tables

NAME = "sample_complexity"
COLUMNS = (
    "statement",
    "moves",
    "estimator",
    "term",
    "values",
    "n",
    "slope",
    "predicted",
    "stated",
    "share",
    "rate",
    "verdict",
)
GROUPS = {  # column of the overview: what moves
    "d": ("d", "p"),
    "ε or ρ": ("epsilon", "rho"),
    "δ": ("delta",),
    "α": ("alpha",),
    "R, u or κ": ("radius", "condition", "upper", "kappa"),
}
OTHERS = "others"
SUMMARY = ("statement", "moves", "estimator", "n, least and largest", "slope", "stated", "rate", "verdict")
HEAD = """## How n grows

One number of a statement moves; at each of its values the least n is searched at which a share of the runs
is within α. The slope is that of ln n in the logarithm of the number, or of what stands under "moves", with
its interval at 5 %; beside it that of the prediction with all constants, that of the statement's n, and the
least share of that n, over the values, which the term has.
The rate is *seen* where n over the statement's n stays flat and the wrong statements nearby are excluded;
*slower* and *faster* say how n certainly grows towards many rows; *open* is undecided. With "≥" the share was
not shown to stay above.
"""
STATUSES = {"HOLDS": "2", "UNDECIDED": "3", "REFUTED": "1"}  # colours
LEAST_DECADES = 2  # to either side of 1


class Growth(NamedTuple):
    """One scaling, with the verdict of its check and its claim."""

    claim: str
    status: str
    record: Mapping[str, Any]

    @property
    def statement(self) -> str:
        """The statement's id."""
        return str(self.record["statement"])

    @property
    def source(self) -> str:
        """The source of the statement."""
        return self.statement.partition("/")[0]

    @property
    def name(self) -> str:
        """The statement without its source, and what moves."""
        return f"{self.statement.partition('/')[2]}, {self.record['variable']}"

    @property
    def group(self) -> str:
        """The column of the overview."""
        return next((group for group, names in GROUPS.items() if self.record["variable"] in names), OTHERS)

    @property
    def moved(self) -> str:
        """What moves, where the column does not say it."""
        return f"{self.record['variable']}: " if self.group == OTHERS else ""

    @property
    def expected(self) -> list[float]:
        """What n stands beside: predictions where there are any, else the statement's with constants 1."""
        told = [float(one) for one in self.record["predicted"]]
        return told if self.predicted else [float(one) for one in self.record["stated"]]

    @property
    def predicted(self) -> bool:
        """Whether every n has a prediction."""
        return all(isfinite(float(one)) for one in self.record["predicted"])


def growths(verdicts: Sequence[Mapping[str, Any]]) -> Iterator[Growth]:
    """Yield the scalings in verdicts."""
    for verdict in verdicts:
        for check in _checks(verdict):
            if "scaling" in check["detail"]:
                yield Growth(str(verdict["id"]), str(check["status"]), check["detail"]["scaling"])


def _checks(verdict: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    detail = verdict.get("detail")
    if isinstance(detail, Mapping):
        parts = detail.get("checks", ())
        yield from parts if parts else [verdict]


def table(found: Sequence[Growth]) -> str:
    """Return the table, and how many cells say what; empty if there is nothing to say."""
    if not found:
        return ""
    rates = [str(one.record["rate"]) for one in found]
    counted = ", ".join(f"{rates.count(rate)} {rate}" for rate in dict.fromkeys(rates))
    shown = "\n".join(f"![{chart.alt}]({chart.name}.svg)" for chart in pictures(found))
    rows = tables.markdown(COLUMNS, [_row(one) for one in found])
    total = f"{len(found)} scalings of {len({one.statement for one in found})} statements: {counted}."
    return f"{HEAD}\n{shown}\n\n{overview(found)}\n\n{total}\n\n{rows}\n"


def overview(found: Sequence[Growth]) -> str:
    """Return a table of statements and what moves: the rate and the slope of every scaling."""
    cells: dict[str, dict[str, list[str]]] = {}
    for one in found:
        row = cells.setdefault(one.statement, {name: [] for name in (*GROUPS, OTHERS)})
        row[one.group].append(f"{one.moved}{one.record['rate']}, {_slope(one.record['slope'])}")
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
    return [
        str(record["statement"]),
        f"ln {record['variable']}" if record["logarithm"] else str(record["variable"]),
        str(record["key"]),
        str(record["term"]),
        ", ".join(f"{float(value):g}" for value in record["values"]),
        ", ".join(map(_rows, record["n"], record["intervals"])),
        f"{_slope(record['slope'])} [{', '.join(map(_slope, record['slope_interval']))}]",
        _slope(record["slope_predicted"]),
        _slope(record["slope_stated"]),
        _share(record["shares"]),
        str(record["rate"]) + (", curved" if record["curved"] else ""),
        one.status,
    ]


def _rows(n: Any, ends: Sequence[Any]) -> str:
    """Return an n in words, with a sign where an end of its interval is open.

    >>> [_rows(41.92, (40, 43)), _rows(4851.3, (4000, "inf")), _rows(8, (0, 8)), _rows("inf", (900, "inf"))]
    ['41.9', '≥ 4850', '≤ 8', '> 900']
    """
    low, high = map(float, ends)
    if not isfinite(float(n)):
        return f"> {low:.3g}"
    sign = "≤ " if low == 0 else "≥ " if not isfinite(high) else ""
    return f"{sign}{float(f'{float(n):.3g}'):.12g}"


def _slope(value: Any) -> str:
    return f"{float(value):.2f}" if isfinite(float(value)) else "–"


def _share(values: Sequence[Any]) -> str:
    """Return the least of some shares, or a dash where one is unknown.

    >>> [_share([0.95, 0.812]), _share([0.95, "nan"])]
    ['81 %', '–']
    """
    least = min(map(float, values)) if all(isfinite(float(value)) for value in values) else inf
    return f"{100 * least:.0f} %" if isfinite(least) else "–"


def pictures(found: Sequence[Growth]) -> list[Chart]:
    """Return a chart for every source: searched over expected n, a row for every number of a statement."""
    sources = dict.fromkeys(one.source for one in found)
    return [_picture(source, [one for one in found if one.source == source]) for source in sources]


def _picture(source: str, found: Sequence[Growth]) -> Chart:
    return Chart(
        f"{NAME}_{source}",
        f"{source}: searched n over what was expected",
        (_panel(found),),
        alt=f"Dots for searched over expected n, a row for each of {len(found)} numbers of {source}.",
        how_to_read="Filled: over a prediction, all constants. Hollow: over the statement's n, constants 1.",
    )


def _panel(found: Sequence[Growth]) -> Panel:
    series = [_dots(status, predicted, found) for predicted in (True, False) for status in STATUSES]
    one = Series("", (0.5, len(found) + 0.5), (1.0, 1.0), role="reference")
    names = tuple(growth.name for growth in found)
    shown = (one, *(dots for dots in series if dots.x))
    limits = _decades([value for dots in series for value in dots.y])
    return Panel("", "", "n over the expected n", shown, xscale="linear", names=names, ylim=limits)


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Return whole decades around 1 that hold the values.

    >>> _decades([0.5, 430.0])
    (0.01, 1000.0)
    """
    ends = [log10(value) for value in values]
    low, high = min(-LEAST_DECADES, *map(floor, ends)), max(LEAST_DECADES, *map(ceil, ends))
    return 10.0**low, 10.0**high


def _dots(status: str, predicted: bool, found: Sequence[Growth]) -> Series:
    points = [
        (place, *(float(value) / expected for value in (n, *ends)))
        for place, one in enumerate(found, 1)
        if (one.status, one.predicted) == (status, predicted)
        for n, ends, expected in zip(one.record["n"], one.record["intervals"], one.expected, strict=True)
        if isfinite(float(n))
    ]
    x, y, low, high = zip(*points, strict=True) if points else ((), (), (), ())
    colour = STATUSES[status] + ("" if predicted else ":constants 1")
    beside = "" if predicted else ", constants 1"
    return Series(f"{status}{beside}", x, y, low, high, colour_key=colour)
