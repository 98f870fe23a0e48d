"""One curve of a picture, and how it is meant."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from workbench.charts.canonical_json import numbers
from workbench.errors import ArgumentError, integer_at_least, one_of

Role = Literal["estimate", "theory", "bound", "reference", "truth", "release", "rows", "bars", "area", "kept"]
Kind = Literal["number", "count", "fraction"]
USUAL: dict[str, Any] = {"trials": None, "rank": None, "joined": True, "label_at": None}  # not written


@dataclass(frozen=True)
class Series:
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
        Whose curve it is: a key of `methods.METHODS`, or `key:paper` for the same method with the constants
        of its source.
    kind
        How `y` is compared with committed numbers: as numbers, as counts, or as fractions of trials.
    trials
        Of how many trials a count or fraction without a band is: its interval is then the binomial one.
    rank
        Where an ordered parameter stands between its least value, 0, and its largest, 1: a shade on a ramp.
    joined
        Whether a line joins the points; not where x counts categories.
    label_at
        Where its name stands, in the units of the axes, if not at its end.
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
    rank: float | None = None
    joined: bool = True
    label_at: tuple[float, float] | None = None
    expected: Iterable[float] | None = field(default=None, compare=False, repr=False)
    margin: float = field(default=0.0, compare=False, repr=False)

    def __post_init__(self) -> None:
        one_of(get_args(Role), role=self.role)
        one_of(get_args(Kind), kind=self.kind)
        if self.trials is not None:
            integer_at_least(1, trials=self.trials)
        if self.rank is not None and not 0 <= self.rank <= 1:
            raise ArgumentError("rank", self.rank, "a number between 0 and 1")
        for name in ("x", "y", "low", "high", "expected"):
            self._own(name)
        if self.label_at is not None:
            across, up = map(float, self.label_at)
            object.__setattr__(self, "label_at", (across, up))

    def _own(self, name: str) -> None:
        values = getattr(self, name)
        if values is None:
            return
        owned = tuple(map(float, values))
        object.__setattr__(self, name, owned)
        if len(owned) != len(tuple(self.x)):
            raise ArgumentError(name, f"{len(owned)} numbers", f"as many as x has: {len(tuple(self.x))}")

    def to_json(self) -> dict[str, object]:
        """Return the JSON form; numbers keep six significant digits, what is as usual is left out."""
        form = {one.name: getattr(self, one.name) for one in fields(self) if one.compare}
        form = {name: value for name, value in form.items() if name not in USUAL or value != USUAL[name]}
        return {name: numbers(value) if isinstance(value, tuple) else value for name, value in form.items()}
