"""How n grows with one number, for the card of a claim: a picture on logarithmic axes, and its numbers."""

from collections.abc import Mapping, Sequence
from math import isfinite, log10
from typing import Any, NamedTuple

from workbench.lab.publish.site import dots
from workbench.lab.runner.growth import Growth

WIDTH, HEIGHT, EDGE = 240, 150, 10  # px


class Value(NamedTuple):
    """What was found where the number that moves has one value."""

    at: float
    n: float
    interval: tuple[float, float]
    predicted: float
    stated: float

    @property
    def between(self) -> str:
        """The interval in words."""
        return dots.between(self.interval)


class Mark(NamedTuple):
    """A searched n with its interval, and the n that is stated, in pixels; none where there is none."""

    x: float
    y: float | None
    low: float
    high: float
    expected: float | None


class Grown(NamedTuple):
    """One scaling: what moves, what was found, and how it looks."""

    growth: Growth
    target: str
    values: Sequence[Value]
    marks: Sequence[Mark]

    @property
    def slopes(self) -> str:
        """The slope that was found, beside those that were predicted and stated."""
        record = self.growth.record
        low, high = record["slope_interval"]
        told = {name: float(record[f"slope_{name}"]) for name in ("predicted", "stated")}
        beside = "".join(f", {name} {value:.2f}" for name, value in told.items() if isfinite(value))
        return f"{_slope(record['slope'])} in [{_slope(low)}, {_slope(high)}]{beside}"


def grown(growth: Growth, targets: Mapping[str, str]) -> Grown:
    """Return a scaling as it stands in a card; what was run has a card, too, if it is in the catalog."""
    key = str(growth.record["key"]).split()[0].partition("[")[0].partition("(")[0]
    values = _values(growth.record)
    return Grown(growth, targets.get(key, ""), values, _marks(values, growth.expected))


def _slope(value: Any) -> str:
    return f"{float(value):.2f}" if isfinite(float(value)) else "open"


def _values(record: Mapping[str, Any]) -> list[Value]:
    names = ("values", "n", "intervals", "predicted", "stated")
    return [
        Value(float(at), float(n), (float(ends[0]), float(ends[1])), float(predicted), float(stated))
        for at, n, ends, predicted, stated in zip(*(record[name] for name in names), strict=True)
    ]


def _marks(values: Sequence[Value], expected: Sequence[float]) -> list[Mark]:
    """Return places in a picture whose axes hold every number that is finite and positive."""
    numbers = [n for value in values for n in (value.n, *value.interval)] + list(expected)
    across = _axis([value.at for value in values], EDGE, WIDTH - EDGE)
    up = _axis(numbers, HEIGHT - EDGE, EDGE)
    if across is None or up is None:
        return []
    return [
        Mark(
            _place(value.at, across) or 0.0,
            _place(value.n, up),
            _place(value.interval[0], up) or float(HEIGHT),
            _place(value.interval[1], up) or 0.0,
            _place(wanted, up),
        )
        for value, wanted in zip(values, expected, strict=True)
    ]


Axis = tuple[float, float, float, float]


def _axis(numbers: Sequence[float], first: float, last: float) -> Axis | None:
    logs = [log10(number) for number in numbers if isfinite(number) and number > 0]
    return (min(logs), max(logs), first, last) if logs and min(logs) < max(logs) else None


def _place(number: float, axis: Axis) -> float | None:
    low, high, first, last = axis
    if not isfinite(number) or number <= 0:
        return None
    return round(first + (last - first) * (log10(number) - low) / (high - low), 1)
