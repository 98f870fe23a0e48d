"""What a picture says, without saying how it is drawn: series in panels in a chart.

A chart is a value: it compares, hashes, and goes to JSON and back. `plots.draw` turns it into ink.

>>> line = Series("measured", (1, 10), (0.5, 0.05))
>>> panel = Panel("Error against n", "n", "error", (line,))
>>> chart = Chart("error", "Private for free", (panel,), alt="The error falls as 1/n.")
>>> Chart.from_json(chart.to_json()) == chart
True
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, get_args

from workbench.charts.canonical_json import numbers
from workbench.charts.heat import Heat, Scale
from workbench.charts.marks import Mark
from workbench.charts.series import Kind, Role, Series
from workbench.errors import ArgumentError, one_of

__all__ = ["Chart", "Heat", "Kind", "Mark", "Panel", "Role", "Scale", "Series"]


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
    marks
        What stands on the plot.
    equal
        Whether one unit is as long across as up: limits are then what is shown at least.
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
    marks: tuple[Mark, ...] = ()
    equal: bool = False

    def __post_init__(self) -> None:
        one_of(get_args(Scale), xscale=self.xscale, yscale=self.yscale)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "series", tuple(self.series))
        object.__setattr__(self, "marks", tuple(self.marks))

    def to_json(self) -> dict[str, object]:
        """Return the JSON form."""
        form = {one.name: getattr(self, one.name) for one in fields(self)}
        heat = {"heat": self.heat.to_json()} if self.heat else {}
        marks = {"marks": [mark.to_json() for mark in self.marks]} if self.marks else {}
        seldom = {name: form.pop(name) for name in ("names", "heat", "marks", "equal")}
        form |= {name: seldom[name] for name in ("names", "equal") if seldom[name]} | heat | marks
        limits = {name: form[name] and numbers(form[name]) for name in ("xlim", "ylim")}
        return form | limits | {"series": [series.to_json() for series in self.series]}

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> "Panel":
        """Return the panel of a JSON form."""
        limits = {name: form[name] and tuple(map(float, form[name])) for name in ("xlim", "ylim")}
        series = tuple(Series(**series) for series in form["series"])
        heat = {"heat": Heat(**form["heat"])} if "heat" in form else {}
        marks = tuple(Mark(**mark) for mark in form.get("marks", ()))
        return cls(**{**form, **limits, **heat, "series": series, "marks": marks})


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
        What a good curve looks like, in at most 45 words: the picture says the rest.
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
