"""How n grows with every public number of a statement, as tables, from verdicts alone."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf, isfinite
from typing import Any, NamedTuple

from workbench.charts.chart import Chart
from workbench.charts.style import short
from workbench.lab import tables
from workbench.sources import recalled

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
        """The statement's id."""
        return str(self.record["statement"])

    @property
    def source(self) -> str:
        """The source of the statement."""
        return self.statement.partition("/")[0]

    @property
    def name(self) -> str:
        """The statement without its source, and what moves."""
        return f"{self.statement.partition('/')[2]}, {self.symbol}"

    @property
    def symbol(self) -> str:
        """What moves, as formulas write it."""
        name = str(self.record["variable"])
        return SYMBOLS.get(name, name)

    @property
    def variant(self) -> str:
        """What stands behind the key, the part or the law that was run; else the key."""
        key, _, part = str(self.record["key"]).partition(" ")
        return part.strip("[()]").replace(") (", ", ") or key

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
    def group(self) -> str:
        """The column of the overview."""
        return next((group for group, names in GROUPS.items() if self.record["variable"] in names), OTHERS)

    @property
    def moved(self) -> str:
        """What moves, where the column does not say it."""
        return f"{self.symbol}: " if self.group == OTHERS else ""

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


def table(found: Sequence[Growth], charts: Sequence[Chart]) -> str:
    """Return the tables below their pictures; empty if there is nothing to say."""
    if not found:
        return ""
    rates = [one.rate for one in found]
    counted = ", ".join(f"{rates.count(rate)} {rate}" for rate in dict.fromkeys(rates))
    shown = "\n".join(f"![{chart.alt}]({chart.name}.svg)" for chart in charts)
    rows = tables.markdown(COLUMNS, [_row(one) for one in found])
    total = f"{len(found)} scalings of {len({one.statement for one in found})} statements: {counted}."
    return f"{HEAD}\n{shown}\n\n{overview(found)}\n\n{total}\n\n{rows}\n"


def overview(found: Sequence[Growth]) -> str:
    """Return a table of statements and what moves: the rate and the slope of every scaling."""
    cells: dict[str, dict[str, list[str]]] = {}
    for one in found:
        row = cells.setdefault(one.cited, {name: [] for name in (*GROUPS, OTHERS)})
        row[one.group].append(f"{one.moved}{one.rate}, {_slope(one.record['slope'])}")
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
        one.cited,
        f"ln {one.symbol}" if record["logarithm"] else one.symbol,
        str(record["key"]),
        str(record["term"]),
        ", ".join(f"{float(value):g}" for value in record["values"]),
        ", ".join(map(_rows, record["n"], record["intervals"])),
        f"{_slope(record['slope'])} [{', '.join(map(_slope, record['slope_interval']))}]",
        _slope(record["slope_predicted"]),
        _slope(record["slope_stated"]),
        _share(record["shares"]),
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


def _share(values: Sequence[Any]) -> str:
    """Return the least of some shares, or a dash where one is unknown.

    >>> [_share([0.95, 0.812]), _share([0.95, "nan"])]
    ['81 %', '–']
    """
    least = min(map(float, values)) if all(isfinite(float(value)) for value in values) else inf
    return f"{100 * least:.0f} %" if isfinite(least) else "–"
