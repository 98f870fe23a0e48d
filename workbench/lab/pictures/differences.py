"""When two JSON contents are the same: words exactly, numbers by the rule of `tolerance`.

>>> differ({"n": 100, "estimate": 0.50001}, {"n": 100, "estimate": 0.5}, Tolerance())
[]
>>> differ({"status": "HOLDS"}, {"status": "REFUTED"}, Tolerance())
["status: 'HOLDS', committed 'REFUTED'"]
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, NamedTuple

from workbench.lab.pictures.tolerance import CLAIMS, PLACES, Point, Tolerance, binomial

MOST = 20  # lines reported per file
CURVES = ("y", "low", "high")
SEARCHED = "searched n"  # in the name of a test: a flipped run changes which runs come after it
EVIDENCE = ("estimate", "interval")
ALLOWED = {"x": PLACES, "claim": CLAIMS}
Curve = Mapping[str, Any]


class Difference(NamedTuple):
    """A number or word that is not as committed, and the run that could explain it, if one could."""

    line: str
    run: tuple[str, Hashable] | None = None


def differ(ours: object, theirs: object, tolerance: Tolerance) -> list[str]:
    """Return the differences that no flipped run explains, each with its place, at most twenty."""
    found = list(_Walk(tolerance).walk("", ours, theirs))
    runs = {difference.run for difference in found if difference.run}
    few = {kind for kind, most in ALLOWED.items() if sum(run[0] == kind for run in runs) <= most}
    lines = [difference.line for difference in found if not (difference.run and difference.run[0] in few)]
    return lines if len(lines) <= MOST else [*lines[:MOST], "... and more"]


@dataclass(frozen=True)
class _Walk:
    """One walk over two contents; `log` names the curves' entries that stand on a logarithmic axis."""

    tolerance: Tolerance
    log: tuple[str, ...] = ()

    def walk(self, place: str, ours: object, theirs: object, scale: float = 0.0) -> Iterator[Difference]:
        if isinstance(ours, dict) and isinstance(theirs, dict):
            yield from self._records(place, ours, theirs)
        elif isinstance(ours, list) and isinstance(theirs, list):
            yield from self._lists(place, ours, theirs, scale)
        elif _number(ours) and _number(theirs):
            if not self.tolerance.rounds(_float(ours), _float(theirs), scale):
                yield _difference(place, ours, theirs)
        elif ours != theirs:
            yield _difference(place, ours, theirs)

    def _records(self, place: str, ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[Difference]:
        label = ours.get("label") or ours.get("id")
        place = f"{place} {label!r}" if label else place
        inner = replace(self, log=_logarithmic(theirs)) if "yscale" in theirs else self
        special, found = inner._special(place, ours, theirs)
        yield from found
        for key in sorted((ours.keys() | theirs.keys()) - set(special)):
            scale = 0.0 if key in self.log else _scale(theirs, key)
            yield from inner.walk(f"{place} {key}".strip(), ours.get(key), theirs.get(key), scale)

    def _special(
        self, place: str, ours: dict[str, Any], theirs: dict[str, Any]
    ) -> tuple[tuple[str, ...], Iterator[Difference]]:
        """Return the entries that are compared together, and how they differ."""
        if _is_curve(ours) and _is_curve(theirs):
            return CURVES, self._curve(place, ours, theirs)
        if set(EVIDENCE) <= ours.keys() & theirs.keys():
            return EVIDENCE, self._evidence(place, ours, theirs)
        return (), iter(())

    def _lists(self, place: str, ours: list[Any], theirs: list[Any], scale: float) -> Iterator[Difference]:
        if len(ours) != len(theirs):
            yield Difference(f"{place}: {len(ours)} entries, committed {len(theirs)}")
            return
        for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from self.walk(f"{place}[{index}]", one, other, scale)

    def _curve(self, place: str, ours: Curve, theirs: Curve) -> Iterator[Difference]:
        """Yield how y and the band differ, point by point: a flipped run moves the three together."""
        lengths = {len(curve[name]) for curve in (ours, theirs) for name in CURVES if curve[name] is not None}
        if len(lengths) > 1 or any((ours[name] is None) != (theirs[name] is None) for name in CURVES):
            yield Difference(f"{place}: {_shape(ours)}, committed {_shape(theirs)}")
            return
        scales = {
            name: 0.0 if "y" in self.log else _largest(theirs[name])
            for name in CURVES
            if theirs[name] is not None
        }
        for index in range(len(theirs["y"])):
            wrong = [name for name, scale in scales.items() if self._moved(ours, theirs, name, index, scale)]
            run = self._run(ours, theirs, index) if wrong else None
            for name in wrong:
                yield _difference(f"{place} {name}[{index}]", ours[name][index], theirs[name][index], run)

    def _moved(self, ours: Curve, theirs: Curve, name: str, index: int, scale: float) -> bool:
        pair = _float(ours[name][index]), _float(theirs[name][index])
        return not self.tolerance.rounds(*pair, scale, str(theirs.get("kind")))

    def _run(self, ours: Curve, theirs: Curve, index: int) -> tuple[str, Hashable] | None:
        """Name the run that may have moved a point, if it is simulated and stays in its interval."""
        simulated = theirs["role"] == "estimate"
        flips = simulated and self.tolerance.flips(_point(ours, index), _point(theirs, index))
        return ("x", _float(theirs["x"][index])) if flips else None

    def _evidence(self, place: str, ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[Difference]:
        """Yield how a verdict's estimate and interval differ, which a flipped run moves together."""
        one, other = _measured(ours), _measured(theirs)
        scale = _largest([other.y, *(other.interval or ())])
        searched = SEARCHED in str(theirs.get("test"))
        alike = self.tolerance.searches_alike if searched else self.tolerance.decides_alike
        run = ("claim", theirs.get("id")) if alike(one, other) else None
        for name in EVIDENCE:
            pairs = zip(_several(ours[name]), _several(theirs[name]), strict=True)
            if not all(self.tolerance.rounds(_float(a), _float(b), scale) for a, b in pairs):
                yield _difference(f"{place} {name}", ours[name], theirs[name], run)


def _logarithmic(panel: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(axis for axis in ("x", "y") if panel.get(f"{axis}scale") == "log")


def _is_curve(record: Curve) -> bool:
    return "role" in record and {"x", *CURVES} <= record.keys()


def _shape(curve: Curve) -> str:
    parts = [f"{len(curve[name])} of {name}" for name in CURVES if curve[name] is not None]
    return " and ".join(parts)


def _point(curve: Curve, index: int) -> Point:
    """Return a point of a curve, with the binomial interval if it has no band and is of known trials."""
    y, trials = _float(curve["y"][index]), curve.get("trials")
    if curve["low"] is not None and curve["high"] is not None:
        return Point(y, (_float(curve["low"][index]), _float(curve["high"][index])))
    return Point(y, binomial(y, str(curve.get("kind")), int(trials)) if trials else None)


def _measured(verdict: Mapping[str, Any]) -> Point:
    low, high = map(_float, verdict["interval"])
    return Point(_float(verdict["estimate"]), (low, high))


def _scale(record: Mapping[str, Any], key: str) -> float:
    """Return the scale of an entry: its largest number; of a heat map's table its colours' limits, too."""
    if "limits" not in record:
        return _largest(record.get(key))
    return 0.0 if record.get("scale") == "log" else _largest([record.get(key), record["limits"]])


def _largest(value: object) -> float:
    """Return the largest finite magnitude among a number, a list or a table of numbers; else 0."""
    if isinstance(value, list):
        return max(map(_largest, value), default=0.0)
    return abs(_float(value)) if _number(value) and isfinite(_float(value)) else 0.0


def _several(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _float(value: object) -> float:
    return float(str(value))


def _difference(
    place: str, ours: object, theirs: object, run: tuple[str, Hashable] | None = None
) -> Difference:
    return Difference(f"{place}: {_brief(ours)}, committed {_brief(theirs)}", run)


def _brief(value: object) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
