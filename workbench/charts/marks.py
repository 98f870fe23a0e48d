"""What stands on a plot: the name of a crossing, a region, a limit or a distance."""

from dataclasses import dataclass, fields
from typing import Literal, get_args

from workbench.charts.canonical_json import number
from workbench.errors import ArgumentError, one_of

Sort = Literal["point", "region", "vertical", "horizontal", "span", "arrow", "leader"]
Side = Literal["", "above", "below", "left", "right"]
PLACES = ("x", "y", "x2", "y2")
NEEDS = {
    "point": ("x", "y"),
    "region": ("x", "y"),
    "vertical": ("x",),
    "horizontal": ("y",),
    "span": ("x", "x2"),
    "arrow": ("x", "y", "x2", "y2"),
    "leader": ("x", "y", "x2", "y2"),
}


@dataclass(frozen=True)
class Mark:
    """Words on a plot, in the units of its axes; on a table of colours, in columns and rows from 0.

    Parameters
    ----------
    text
        The words; empty for a mere line, ring or arrow.
    kind
        `point` (a ring at x, y), `region` (words alone, centred at x, y), `vertical` (a line at x),
        `horizontal` (a line at y), `span` (shaded from x to x2), `arrow` (from x, y to x2, y2, both heads),
        `leader` (words at x, y with a thin line to what they name, at x2, y2).
    x, y, x2, y2
        Where; y of a vertical line or a span, and x of a horizontal one, say where its words stand.
    side
        On which side of a point or an arrow its words stand; empty for the side with more room.
    colour_key
        As of a series; grey without.

    >>> Mark("no answer", "span", x=1, x2=10).to_json()
    {'text': 'no answer', 'kind': 'span', 'x': 1.0, 'x2': 10.0}
    """

    text: str
    kind: Sort = "region"
    x: float | None = None
    y: float | None = None
    x2: float | None = None
    y2: float | None = None
    side: Side = ""
    colour_key: str = ""

    def __post_init__(self) -> None:
        one_of(get_args(Sort), kind=self.kind)
        one_of(get_args(Side), side=self.side)
        for name in PLACES:
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, float(value))
            elif name in NEEDS[self.kind]:
                raise ArgumentError(
                    name, None, f"a number: a {self.kind} needs {', '.join(NEEDS[self.kind])}"
                )

    def to_json(self) -> dict[str, object]:
        """Return the JSON form, without what is not given."""
        form = {one.name: getattr(self, one.name) for one in fields(self)}
        given = {name: value for name, value in form.items() if value not in ("", None)}
        given = {"text": self.text} | given
        return {name: number(value) if name in PLACES else value for name, value in given.items()}
