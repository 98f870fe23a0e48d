"""What a picture says, without saying how it is drawn: series and marks in panels in a chart.

A chart is a value: it compares, hashes, and goes to JSON and back. `drawing.draw` turns it into ink, and
`explore.mjs` into a picture on a page.

>>> line = Series("measured", (1, 10), (0.5, 0.05))
>>> panel = Panel("Error against n", "n", "error", (line,))
>>> chart = Chart("error", "Private for free", (panel,), alt="The error falls as 1/n.")
>>> Chart.from_json(chart.to_json()) == chart
True
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, get_args

from workbench.charts.canonical_json import number
from workbench.errors import ArgumentError, one_of

Role = Literal["estimate", "theory", "bound", "reference", "truth", "release", "rows", "bars", "area", "kept"]
Kind = Literal["number", "count"]
Scale = Literal["linear", "log"]
Sort = Literal["point", "region", "vertical", "horizontal", "span", "arrow"]
Side = Literal["", "above", "below", "left", "right"]
NEEDS: dict[str, tuple[str, ...]] = {
    "point": ("x", "y"),
    "region": ("x", "y"),
    "vertical": ("x",),
    "horizontal": ("y",),
    "span": ("x", "x2"),
    "arrow": ("x", "y", "x2", "y2"),
}
PLACES = ("x", "y", "x2", "y2")


class Value:
    """A part of a chart that goes to JSON, without those of its `seldom` fields that are as usual."""

    seldom: ClassVar[tuple[str, ...]] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; numbers of a list keep six significant digits."""
        every = fields(self)  # type: ignore[arg-type]
        form = {one.name: getattr(self, one.name) for one in every if one.compare}
        usual = {one.name: one.default for one in every if one.name in self.seldom}
        return {name: _form(one) for name, one in form.items() if name not in usual or one != usual[name]}

    def _own(self, name: str, kind: Any) -> None:
        object.__setattr__(self, name, kind(getattr(self, name)))


def _form(value: Any) -> Any:
    if isinstance(value, Value):
        return value.to_json()
    if isinstance(value, tuple):
        return [number(one) if isinstance(one, int | float) else _form(one) for one in value]
    return value


def _floats(values: Iterable[Any]) -> tuple[float, ...]:
    return tuple(map(float, values))


@dataclass(frozen=True)
class Mark(Value):
    """Words on a plot, in the units of its axes; on a table of colours, in columns and rows from 0.

    Parameters
    ----------
    text
        The words; empty for a mere line, ring or arrow.
    kind
        `point` (a ring at x, y), `region` (words alone at x, y), `vertical` (a line at x),
        `horizontal` (a line at y), `span` (shaded from x to x2), `arrow` (from x, y to x2, y2, both heads).
    x, y, x2, y2
        Where; y of a vertical line or a span, and x of a horizontal one, say where its words stand.
    side
        On which side of a place or an arrow its words stand; empty for the side with more room, words alone
        in the middle.
    colour_key
        As of a series; grey without.
    """

    text: str
    kind: Sort = "region"
    x: float | None = None
    y: float | None = None
    x2: float | None = None
    y2: float | None = None
    side: Side = ""
    colour_key: str = ""
    seldom = (*PLACES, "side", "colour_key")

    def __post_init__(self) -> None:
        one_of(get_args(Sort), kind=self.kind)
        one_of(get_args(Side), side=self.side)
        for name in PLACES:
            if getattr(self, name) is not None:
                self._own(name, float)
            elif name in NEEDS[self.kind]:
                needs = f"a number: a {self.kind} needs {', '.join(NEEDS[self.kind])}"
                raise ArgumentError(name, None, needs)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, without what is not given."""
        return {name: number(one) if name in PLACES else one for name, one in super().to_json().items()}


@dataclass(frozen=True)
class Heat(Value):
    """A table of numbers that are shown as colours, the first row on top.

    Parameters
    ----------
    values
        The table; nan for a cell without a number, which is grey.
    limits, scale
        The numbers of the first and the last colour, and the scale between them.
    emphasis
        `high`: the more the brighter; `middle`: the middle of the limits is pale, and either side has a hue.
    rows, columns
        Names, spread evenly from the first to the last.
    written
        Whether every number stands on its colour.
    bar
        What the colours are, in words at their bar; None for no bar.
    """

    values: Iterable[Iterable[float]]
    limits: tuple[float, float]
    scale: Scale = "linear"
    emphasis: Literal["high", "middle"] = "high"
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    written: bool = False
    bar: str | None = ""
    seldom = ("bar",)

    def __post_init__(self) -> None:
        one_of(get_args(Scale), scale=self.scale)
        one_of(("high", "middle"), emphasis=self.emphasis)
        for name in ("rows", "columns", "limits"):
            self._own(name, tuple)
        self._own("values", lambda table: tuple(map(_floats, table)))
        if len(widths := {len(tuple(row)) for row in self.values}) != 1:
            raise ArgumentError("values", f"rows of {sorted(widths)}", "rows of one length")


@dataclass(frozen=True)
class Series(Value):
    """One curve.

    Parameters
    ----------
    label
        Its name, at its end or in the legend; empty for none.
    x, y, low, high
        The points and the band around them; an infinite `y` is drawn as an arrow at the upper edge.
    role
        `estimate` (measured: line, band, and markers unless the points are many), `theory` (predicted: a
        thin pale line beneath what was measured), `bound` (nothing can lie below: filled below), `reference`
        (grey unless it has a key), `truth` (black), `release` (one of many, translucent), `rows` (data: dots
        and no line), `bars` (from `low`, or the axis, to y), `area` (filled down to `low`, or the axis),
        `kept` (of another picture, pale and beneath the rest).
    colour_key
        Whose curve it is: a key of `style.METHODS`, or `key:paper` for the same method with the constants
        of its source.
    kind
        How `y` is compared with committed numbers: as numbers, or as counts.
    rank
        Where an ordered parameter stands between its least value, 0, and its largest, 1: a shade on a ramp.
    joined
        Whether a line joins the points; not where x counts categories.
    label_at
        Where its name stands, in the units of the axes, if not at its end.
    expected, margin
        What is predicted at these very x (nan where nothing is), and the declared relative tolerance of the
        prediction's model: `curves.agreement` judges by both. Not drawn, nor in the JSON.
    """

    label: str
    x: Iterable[float]
    y: Iterable[float]
    low: Iterable[float] | None = None
    high: Iterable[float] | None = None
    role: Role = "estimate"
    colour_key: str = ""
    kind: Kind = "number"
    rank: float | None = None
    joined: bool = True
    label_at: tuple[float, float] | None = None
    expected: Iterable[float] | None = field(default=None, compare=False, repr=False)
    margin: float = field(default=0.0, compare=False, repr=False)
    seldom = ("rank", "joined", "label_at")

    def __post_init__(self) -> None:
        one_of(get_args(Role), role=self.role)
        one_of(get_args(Kind), kind=self.kind)
        if self.rank is not None and not 0 <= self.rank <= 1:
            raise ArgumentError("rank", self.rank, "a number between 0 and 1")
        if self.label_at is not None:
            self._own("label_at", _floats)
        for name in ("x", "y", "low", "high", "expected"):
            if getattr(self, name) is not None:
                self._own(name, _floats)
                if (count := len(getattr(self, name))) != len(tuple(self.x)):
                    many = f"as many as x has: {len(tuple(self.x))}"
                    raise ArgumentError(name, f"{count} numbers", many)


@dataclass(frozen=True)
class Panel(Value):
    """One pair of axes, with a small `note` below; limits keep an explorer's axes still.

    Parameters
    ----------
    names
        Of the places 1, 2, ... that x then counts. Such a panel lies on its side: the names stand one below
        the other, and y runs from left to right.
    heat
        A table of colours; series are then white lines on it, in columns and rows from 0.
    equal
        Whether one unit is as long across as up: limits are then what is shown at least.
    """

    title: str
    xlabel: str
    ylabel: str
    series: Sequence[Series]
    xscale: Scale = "log"
    yscale: Scale = "log"
    note: str = ""
    xlim: tuple[float, float] | None = None
    ylim: tuple[float, float] | None = None
    names: Sequence[str] = ()
    heat: Heat | None = None
    marks: Sequence[Mark] = ()
    equal: bool = False
    seldom = ("names", "heat", "marks", "equal")

    def __post_init__(self) -> None:
        one_of(get_args(Scale), xscale=self.xscale, yscale=self.yscale)
        for name in ("names", "series", "marks"):
            self._own(name, tuple)
        for name in ("xlim", "ylim"):
            if getattr(self, name) is not None:
                self._own(name, _floats)

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> "Panel":
        """Return the panel of a JSON form."""
        parts: dict[str, Any] = {"series": [Series(**one) for one in form["series"]]}
        parts["marks"] = [Mark(**one) for one in form.get("marks", ())]
        if "heat" in form:
            parts["heat"] = Heat(**form["heat"])
        return cls(**{**form, **parts})


@dataclass(frozen=True)
class Chart(Value):
    """One figure.

    Parameters
    ----------
    name
        The stem of its files.
    title, panels
        What is drawn.
    alt
        What it shows, in words, for those who do not see it.
    how_to_read
        What a good curve looks like, in at most 45 words: the picture says the rest.
    caption
        One sentence with the numbers of this very picture: an explorer's live readout.
    """

    name: str
    title: str
    panels: Sequence[Panel]
    alt: str
    how_to_read: str = ""
    caption: str = ""

    def __post_init__(self) -> None:
        if not self.name.replace("_", "").replace("-", "").isalnum():
            raise ArgumentError("name", self.name, "letters, digits, _ and -")
        if not self.alt.strip():
            raise ArgumentError("alt", self.alt, "what the picture shows, in words")
        self._own("panels", tuple)

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> "Chart":
        """Return the chart of a JSON form."""
        return cls(**{**form, "panels": tuple(map(Panel.from_json, form["panels"]))})


@dataclass(frozen=True)
class Film:
    """Frames that an explorer steps through, what happens and its panel, with `shared` beneath each panel."""

    name: str
    title: str
    frames: tuple[tuple[str, Panel], ...]
    alt: str
    how_to_read: str = ""
    shared: tuple[Series, ...] = ()

    def chart(self, frame: int) -> Chart:
        """Return a frame, from 1, as a picture with its sentence as caption."""
        one_of(range(1, len(self.frames) + 1), frame=frame)
        words, panel = self.frames[frame - 1]
        panel = replace(panel, series=(*self.shared, *panel.series))
        return Chart(self.name, self.title, (panel,), self.alt, self.how_to_read, words)
