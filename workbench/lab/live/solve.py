"""Solve for any one of n, ε, δ and α: handles for the others, and a point that is dragged over their map.

    solve("mean/coinpress", d=5, alpha=0.2)

Every number is the planner's, public arithmetic alone. A picture comes at once from as much of the map as is
known; then the exact number; then a finer map, which is kept.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import ceil, floor, log10, nan
from typing import Any

from workbench.chapters.parameters import ALPHA, EPSILON, N
from workbench.chapters.trade_offs import STARTS, Start, fewest_rows
from workbench.charts.chart import Chart
from workbench.charts.controls import Choice, Slider
from workbench.charts.parameters import Parameter
from workbench.charts.trade_off import Point, TradeChart
from workbench.errors import one_of
from workbench.lab.live.drawing import Drawing, area
from workbench.lab.live.explore import Explorer
from workbench.study.trade_off import TradeMap, TradeOff

DELTA = Parameter("δ", 1e-6, 1e-15, 0.01, "chance that privacy fails", track=(1e-12, 1e-3))
NAMES = {"n": "n", "ε": "epsilon", "δ": "delta", "α": "alpha"}
BREATH = 0.15  # seconds of work between two pictures
REACH = 60  # the map goes so many times below and above the n it starts with
AXES = {"n": "x", "epsilon": "y"}  # the axis along which the point moves freely where this is solved


@dataclass(frozen=True)
class Solution:
    """The view: a point is solved on a map and drawn."""

    map: TradeMap
    found: dict[tuple[object, ...], Point] = field(default_factory=dict)

    def __call__(self, **values: Any) -> Iterator[Chart]:
        """Yield what the map says, the exact solution, and that on finer maps."""
        unknown, key = NAMES[values["unknown"]], tuple(values.values())
        given = {name: values.get(name, 0.0) for name in NAMES.values()}
        chart = TradeChart(self.map, fewest_rows).chart
        if unknown in AXES:
            self.found[key] = point = self._guess(unknown, given)
            yield chart(self.map.known(point.delta), point)
        self.found[key] = point = self._solve(unknown, given)
        yield chart(self.map.known(point.delta), point)
        drawn, level = time.perf_counter(), None
        for level in self.map.refine(point.delta):
            if time.perf_counter() - drawn > BREATH:
                yield chart(level, point)
                drawn, level = time.perf_counter(), None
        if level is not None:
            yield chart(level, point)

    def _guess(self, unknown: str, given: Mapping[str, Any]) -> Point:
        level, alpha = self.map.known(given["delta"]), given["alpha"]
        read = level.n(alpha, given["epsilon"]) if unknown == "n" else level.epsilon(alpha, given["n"])
        return Point(**{**given, unknown: read}, exact=False)

    def _solve(self, unknown: str, given: Mapping[str, Any]) -> Point:
        """Return the exact point; `given` has a number for the unknown too, which is not read."""
        trade = self.map.trade
        others = {name: value for name, value in given.items() if name != unknown}
        if unknown == "alpha":
            error = trade.error(given["n"], given["epsilon"], given["delta"])
            return Point(**others, alpha=error if error < float("inf") else nan)
        start = {} if unknown == "delta" else {"guess": getattr(self._guess(unknown, given), unknown)}
        ask: Any = {"n": trade.rows, "epsilon": trade.epsilon, "delta": trade.delta}[unknown]
        found = ask(**others, **start)
        return Point(**{**others, unknown: nan if found is None else found})


def solve(
    key: str,
    *,
    d: int | None = None,
    settings: Mapping[str, Any] | None = None,
    unknown: str = "n",
    **start: float,
) -> None:
    """Display the explorer of what an estimator trades.

    Parameters
    ----------
    key
        Of the estimator in the catalog.
    d
        Columns; those that its source starts with, unless given.
    settings
        Its public parameters that are not those of the catalog's example.
    unknown
        The name of what is solved at first.
    start
        Where `n`, `epsilon`, `delta` and `alpha` start; n is what the others need unless it is given.

    Raises
    ------
    ArgumentError
        If the estimator predicts and proves nothing, takes no such budget, or a start is not legal.
    """
    solver(key, d=d, settings=settings, unknown=unknown, **start).show()


def solver(
    key: str,
    *,
    d: int | None = None,
    settings: Mapping[str, Any] | None = None,
    unknown: str = "n",
    **start: float,
) -> "Solver":
    """Return that explorer."""
    at = STARTS.get(key, Start())
    for name in start:
        one_of(NAMES.values(), start=name)
    trade = TradeOff(key, d or at.d, settings or {})
    places = {"epsilon": at.epsilon, "delta": at.delta, "alpha": at.alpha} | start
    declared = {"n": N, "epsilon": EPSILON, "delta": DELTA, "alpha": _accuracy(trade, places["alpha"])}
    if not trade.takes_delta:
        declared.pop("delta")
        places["delta"] = 0.0
    n = (
        places.pop("n", None)
        or trade.rows(**places)
        or trade.answers_from(places["epsilon"], places["delta"])
    )
    ends = (10 ** floor(log10(max(n / REACH, 1))), 10 ** ceil(log10(n * REACH)))
    places["n"] = int(n)
    sliders = {name: one.slider(places[name]) for name, one in declared.items()}
    track = sliders["n"]
    sliders["n"] = Slider(*ends, track.value, True, track.label, track.unit, True, (1, 10**12))
    epsilons = sliders["epsilon"].low, sliders["epsilon"].high
    return Solver(Solution(TradeMap(trade, ends, epsilons)), sliders, unknown)


def _accuracy(trade: TradeOff, start: float) -> Parameter:
    """Return α in the unit of an estimator's error, which the picture says, its track round the start."""
    low, high = ALPHA.track or (ALPHA.low, ALPHA.high)
    track = min(low, start / 5), max(high, 5 * start)
    one = trade.candidate
    scaled = "/sigma" in one.meaning or getattr(one.estimator, "sigma", None) == 1
    unit = ALPHA.unit if scaled and one.entry.estimand == "mean" else ""
    return replace(
        ALPHA, low=min(ALPHA.low, track[0]), high=max(ALPHA.high, track[1]), track=track, unit=unit
    )


class Solver(Explorer):
    """An explorer one of whose handles is moved by the others, and two by a point on the picture."""

    def __init__(self, solution: Solution, sliders: dict[str, Slider], unknown: str) -> None:
        symbols = {name: symbol for symbol, name in NAMES.items() if name in sliders}
        one_of(symbols, unknown=unknown)
        unknowns = Choice([*symbols.values()], symbols[unknown], "solve for")
        self.solution, self.settling = solution, False
        trade = solution.map.trade
        alt = f"What {trade.key} trades between rows, privacy and accuracy"
        super().__init__(solution, alt, {"unknown": unknowns, **sliders})
        self.box.remove_class("workbench-explorer")
        self.box.add_class("workbench-solver")
        self.picture.ends = [*solution.map.epsilons, *solution.map.sizes]
        self.picture.stops = [list(sliders[name].stops) for name in ("epsilon", "n")]
        self.picture.observe(self._dragged, names="point")
        self._lock()

    @property
    def values(self) -> dict[str, object]:
        """What the controls stand at; what is solved has no value of its own."""
        return {**super().values, self.unknown: None}

    @property
    def unknown(self) -> str:
        """The name of what is solved."""
        return NAMES[self.widgets["unknown"].value]

    def position(self, values: Mapping[str, object]) -> str:
        """Return where the controls stand."""
        known = {name: value for name, value in values.items() if value is not None}
        return super().position(known)

    def _moved(self, name: str, change: object) -> None:
        if self.settling:
            return
        if name == "unknown":
            self._lock()
        super()._moved(name, change)

    def _lock(self) -> None:
        """Leave the solved handle to the others."""
        for name in NAMES.values():
            if name in self.widgets:
                self.widgets[name].fixed = name == self.unknown
        self.picture.free = AXES.get(self.unknown, "xy")

    def _dragged(self, change: Mapping[str, Any]) -> None:
        """Move the handles to where the point was dragged."""
        if self.settling:
            return
        for name, value in zip(("epsilon", "n"), change["new"], strict=True):
            if not self.widgets[name].fixed:
                self.widgets[name].value = value

    def _put(self, frame: Drawing) -> None:
        super()._put(frame)
        point = self.solution.found.get(tuple(self.values.values()))
        if point is None or frame.chart is None:
            return
        self.settling = True
        self._settle(point, self.kept.beneath(frame.chart) if self.kept else frame.chart)
        self.settling = False

    def _settle(self, point: Point, chart: Chart) -> None:
        """Show the solution on its handle, and put the point of the picture there."""
        self.picture.area = area(chart)
        if not point.solved:
            return
        value = getattr(point, self.unknown)
        self.widgets[self.unknown].value = round(value) if self.unknown == "n" else float(f"{value:.3g}")
        self.grow(self.unknown)
        self.picture.point = [point.epsilon, point.n]
