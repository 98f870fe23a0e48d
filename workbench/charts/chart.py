"""What a picture says, without saying how it is drawn: series in panels in a chart.

A chart is a value: it compares, hashes, and goes to JSON and back. `plots.draw` turns it into ink.

>>> line = Series("measured", (1, 10), (0.5, 0.05))
>>> panel = Panel("Error against n", "n", "error", (line,))
>>> chart = Chart("error", "Private for free", (panel,), alt="The error falls as 1/n.")
>>> Chart.from_json(chart.to_json()) == chart
True
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from workbench.charts.canonical_json import numbers
from workbench.errors import ArgumentError, integer_at_least, one_of

Role = Literal["estimate", "theory", "bound", "reference", "rows", "kept"]
Kind = Literal["number", "count", "fraction"]
Scale = Literal["linear", "log"]


@dataclass(frozen=True)
class Series:
    """One curve.

    Parameters
    ----------
    label
        Its line in the legend; empty for none.
    x, y, low, high
        The points and the band around them; an infinite `y` is drawn as an arrow at the upper edge.
    role
        `estimate` (measured: line, band, and markers unless the points are many), `theory` (dashed), `bound`
        (nothing can lie below: dotted, filled below), `reference` (grey), `rows` (data: dots and no line),
        `kept` (of another picture, pale and beneath the rest).
    colour_key
        Whose curve it is: a catalog key, or `key:variant` for a second version of the same estimator.
    kind
        How `y` is compared with committed numbers: as numbers, as counts, or as fractions of trials.
    trials
        Of how many trials a count or fraction without a band is: its interval is then the binomial one.
    expected
        What is predicted at these very x, for a measured curve; nan where the prediction does not apply.
    margin
        The declared tolerance of the prediction's model, relative (`agreement` judges by both).
    """

    label: str
    x: Iterable[float]
    y: Iterable[float]
    low: Iterable[float] | None = None
    high: Iterable[float] | None = None
    role: Role = "estimate"
    colour_key: str = ""
    kind: Kind = "number"
    trials: int | None = None
    expected: Iterable[float] | None = field(default=None, compare=False, repr=False)
    margin: float = field(default=0.0, compare=False, repr=False)

    def __post_init__(self) -> None:
        one_of(get_args(Role), role=self.role)
        one_of(get_args(Kind), kind=self.kind)
        if self.trials is not None:
            integer_at_least(1, trials=self.trials)
        for name in ("x", "y", "low", "high", "expected"):
            self._own(name)

    def _own(self, name: str) -> None:
        values = getattr(self, name)
        if values is None:
            return
        owned = tuple(map(float, values))
        object.__setattr__(self, name, owned)
        if len(owned) != len(tuple(self.x)):
            raise ArgumentError(name, f"{len(owned)} numbers", f"as many as x has: {len(tuple(self.x))}")

    def to_json(self) -> dict[str, object]:
        """Return the JSON form; numbers keep six significant digits."""
        form = {one.name: getattr(self, one.name) for one in fields(self) if one.compare}
        trials = form.pop("trials")
        form |= {"trials": trials} if trials else {}
        return {name: numbers(value) if isinstance(value, tuple) else value for name, value in form.items()}


@dataclass(frozen=True)
class Heat:
    """A table of numbers that are shown as colours, the first row on top.

    Parameters
    ----------
    values
        The table.
    limits
        The numbers of the first and the last colour; others have the nearest one.
    scale
        Of the colours.
    emphasis
        `high`: the more the brighter; `middle`: the middle of the limits is pale, and either side has a hue.
    rows, columns
        Names, spread evenly from the first to the last.
    written
        Whether every number stands on its colour.
    boundary
        Where a predicted boundary crosses every row: a place among the columns, from 0, nan for none.
    """

    values: Iterable[Iterable[float]]
    limits: tuple[float, float]
    scale: Scale = "linear"
    emphasis: Literal["high", "middle"] = "high"
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    written: bool = False
    boundary: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        one_of(get_args(Scale), scale=self.scale)
        one_of(("high", "middle"), emphasis=self.emphasis)
        owned = tuple(tuple(map(float, row)) for row in self.values)
        if len({len(row) for row in owned}) != 1:
            raise ArgumentError(
                "values", f"rows of {sorted({len(row) for row in owned})}", "rows of one length"
            )
        for name in ("rows", "columns", "limits"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "values", owned)
        object.__setattr__(self, "boundary", tuple(map(float, self.boundary)))
        if len(self.boundary) not in (0, len(owned)):
            raise ArgumentError("boundary", f"{len(self.boundary)} places", f"one of every row: {len(owned)}")

    def to_json(self) -> dict[str, object]:
        """Return the JSON form; numbers keep six significant digits."""
        form = {one.name: getattr(self, one.name) for one in fields(self)}
        boundary = numbers(form.pop("boundary"))
        form |= {"limits": numbers(self.limits), "values": [numbers(row) for row in self.values]}
        return form | ({"boundary": boundary} if boundary else {})


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Parameters
    ----------
    title, xlabel, ylabel, xscale, yscale, series
        What is drawn.
    note
        Small print below.
    xlim, ylim
        What keeps an explorer's axes still.
    names
        Of the places 1, 2, ... that x then counts. Such a panel lies on its side: the names stand one below
        the other, and y runs from left to right.
    heat
        A table of colours in the place of curves.
    """

    title: str
    xlabel: str
    ylabel: str
    series: tuple[Series, ...]
    xscale: Scale = "log"
    yscale: Scale = "log"
    note: str = ""
    xlim: tuple[float, float] | None = None
    ylim: tuple[float, float] | None = None
    names: tuple[str, ...] = ()
    heat: Heat | None = None

    def __post_init__(self) -> None:
        one_of(get_args(Scale), xscale=self.xscale, yscale=self.yscale)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "series", tuple(self.series))

    def to_json(self) -> dict[str, object]:
        """Return the JSON form."""
        form = {one.name: getattr(self, one.name) for one in fields(self)}
        names, heat = form.pop("names"), form.pop("heat")
        form |= ({"names": names} if names else {}) | ({"heat": heat.to_json()} if heat else {})
        limits = {name: form[name] and numbers(form[name]) for name in ("xlim", "ylim")}
        return form | limits | {"series": [series.to_json() for series in self.series]}

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> "Panel":
        """Return the panel of a JSON form."""
        limits = {name: form[name] and tuple(map(float, form[name])) for name in ("xlim", "ylim")}
        series = tuple(Series(**series) for series in form["series"])
        heat = {"heat": Heat(**form["heat"])} if "heat" in form else {}
        return cls(**{**form, **limits, **heat, "series": series})


@dataclass(frozen=True)
class Chart:
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
        What a good curve looks like and what the dashed line is.
    caption
        One sentence with the numbers of this very picture: an explorer's live readout.
    """

    name: str
    title: str
    panels: tuple[Panel, ...]
    alt: str
    how_to_read: str = ""
    caption: str = ""

    def __post_init__(self) -> None:
        if not self.name.replace("_", "").replace("-", "").isalnum():
            raise ArgumentError("name", self.name, "letters, digits, _ and -")
        if not self.alt.strip():
            raise ArgumentError("alt", self.alt, "what the picture shows, in words")
        object.__setattr__(self, "panels", tuple(self.panels))

    def to_json(self) -> dict[str, object]:
        """Return the JSON form."""
        form = {one.name: getattr(self, one.name) for one in fields(self)}
        return form | {"panels": [panel.to_json() for panel in self.panels]}

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> "Chart":
        """Return the chart of a JSON form."""
        return cls(**{**form, "panels": tuple(map(Panel.from_json, form["panels"]))})
