"""When two JSON contents are the same: words exactly, numbers and counts within a tolerance.

>>> differ({"n": 100, "estimate": 0.50001}, {"n": 100, "estimate": 0.5}, Tolerance())
[]
>>> differ({"status": "HOLDS"}, {"status": "REFUTED"}, Tolerance())
["status: 'HOLDS', committed 'REFUTED'"]
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import isfinite

MOST = 20  # lines reported per file
CURVES = ("y", "low", "high")
EVIDENCE = ("estimate", "interval")


@dataclass(frozen=True)
class Tolerance:
    """How far a number may be from its committed value.

    Parameters
    ----------
    relative
        For plain numbers, relative to the larger of the two.
    absolute
        For plain numbers near zero, relative to the largest of their series.
    counts
        For counts of trials, relative, and never below one.
    fractions
        For fractions of trials, absolute: a trial or two may fall on the other side elsewhere.
    measured
        For a verdict's estimate and the ends of its interval, in widths of that interval.
    """

    relative: float = 1e-3
    absolute: float = 1e-6
    counts: float = 0.01
    fractions: float = 0.01
    measured: float = 0.25

    def allows(self, ours: float, theirs: float, kind: str = "number", scale: float = 0.0) -> bool:
        """Return whether the two numbers count as the same."""
        if not (isfinite(ours) and isfinite(theirs)):
            return repr(ours) == repr(theirs)
        size = max(abs(ours), abs(theirs))
        slack = {
            "number": self.relative * size + self.absolute * scale,
            "count": max(1.0, self.counts * size),
            "fraction": self.fractions,
            "measured": self.relative * size + self.measured * scale,
        }
        return abs(ours - theirs) <= slack[kind]


def differ(ours: object, theirs: object, tolerance: Tolerance) -> list[str]:
    """Return the differences, each with its place, at most twenty."""
    lines = list(islice(_walk("", ours, theirs, tolerance), MOST + 1))
    return lines if len(lines) <= MOST else [*lines[:MOST], "... and more"]


def _walk(place: str, ours: object, theirs: object, tolerance: Tolerance) -> Iterator[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        yield from _records(place, ours, theirs, tolerance)
    elif isinstance(ours, list) and isinstance(theirs, list):
        yield from _lists(place, ours, theirs, tolerance)
    elif _number(ours) and _number(theirs):
        if not tolerance.allows(_float(ours), _float(theirs)):
            yield _line(place, ours, theirs)
    elif ours != theirs:
        yield _line(place, ours, theirs)


def _records(
    place: str, ours: dict[str, object], theirs: dict[str, object], tolerance: Tolerance
) -> Iterator[str]:
    kind, label = ours.get("kind"), ours.get("label") or ours.get("id")
    place = f"{place} {label!r}" if label else place
    for key in sorted(ours.keys() | theirs.keys()):
        here = f"{place} {key}".strip()
        one, other = ours.get(key), theirs.get(key)
        if key in CURVES and isinstance(one, list) and isinstance(other, list):
            yield from _curve(here, one, other, str(kind), _largest(other), tolerance)
        elif key in EVIDENCE and "interval" in theirs:
            width = _width(theirs["interval"])
            yield from _curve(here, _several(one), _several(other), "measured", width, tolerance)
        else:
            yield from _walk(here, one, other, tolerance)


def _lists(place: str, ours: list[object], theirs: list[object], tolerance: Tolerance) -> Iterator[str]:
    if len(ours) != len(theirs):
        yield f"{place}: {len(ours)} entries, committed {len(theirs)}"
        return
    for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        yield from _walk(f"{place}[{index}]", one, other, tolerance)


def _curve(
    place: str, ours: list[object], theirs: list[object], kind: str, scale: float, tolerance: Tolerance
) -> Iterator[str]:
    if len(ours) != len(theirs):
        yield f"{place}: {len(ours)} points, committed {len(theirs)}"
        return
    for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        if not tolerance.allows(_float(one), _float(other), kind, scale):
            yield _line(f"{place}[{index}]", one, other)


def _largest(values: list[object]) -> float:
    return max((abs(_float(value)) for value in values if isfinite(_float(value))), default=0.0)


def _width(interval: object) -> float:
    low, high = _several(interval)
    width = _float(high) - _float(low)
    return width if isfinite(width) else 0.0


def _several(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _float(value: object) -> float:
    return float(str(value))


def _line(place: str, ours: object, theirs: object) -> str:
    return f"{place}: {_brief(ours)}, committed {_brief(theirs)}"


def _brief(value: object) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
