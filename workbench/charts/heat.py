"""A table of numbers that are shown as colours."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Literal, get_args

from workbench.charts.canonical_json import numbers
from workbench.errors import ArgumentError, one_of

Scale = Literal["linear", "log"]
SHARE = "share of runs"  # as a bar says it


@dataclass(frozen=True)
class Heat:
    """A table of numbers that are shown as colours, the first row on top.

    Parameters
    ----------
    values
        The table; nan for a cell without a number, which is grey.
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
    bar
        What the colours are, in words at their bar; None for no bar, where words say it in the cells.
    """

    values: Iterable[Iterable[float]]
    limits: tuple[float, float]
    scale: Scale = "linear"
    emphasis: Literal["high", "middle"] = "high"
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    written: bool = False
    boundary: tuple[float, ...] = ()
    bar: str | None = ""

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
        bar = form.pop("bar")
        return form | ({"boundary": boundary} if boundary else {}) | ({"bar": bar} if bar != "" else {})
