"""The picture of a trade-off: n against ε, lines of equal error, regions, and one point."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite, nan

import numpy as np

from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.methods import METHODS
from workbench.charts.parameters import brief
from workbench.study.trade_off import Level, Numbers, TradeMap, TradeOff, contour

FACTORS = (1 / 4, 1 / 2, 2, 4)  # of alpha, of the other lines
Limit = Callable[[TradeOff, float, float, float], float]
HOW_TO_READ = (
    "On a line the error α is the same. Where lines are steep, noise is most of it and a smaller ε is paid "
    "with rows; where they are flat, sampling is, and privacy is free."
)


@dataclass(frozen=True)
class Point:
    """Where a trade-off stands; nan for what nothing solves, and not exact while that is read off the map."""

    n: float
    epsilon: float
    delta: float
    alpha: float
    exact: bool = True

    @property
    def solved(self) -> bool:
        """Whether there is a solution."""
        return all(isfinite(value) for value in (self.n, self.epsilon, self.delta, self.alpha))


@dataclass(frozen=True)
class TradeChart:
    """The chart of one map."""

    map: TradeMap
    limit: Limit

    def chart(self, level: Level, point: Point) -> Chart:
        """Return the chart of a point on as much of the map as is known."""
        trade = self.map.trade
        regions, nobody = self._regions(level, point), self._nobody(point)
        series = [*regions.values(), *nobody, *_contours(level, point)]
        if point.solved:
            series.append(Series("", (point.epsilon,), (point.n,), colour_key="idea/point"))
        marks = [_name(label, region) for label, region in regions.items()]
        marks += [Mark("impossible", x=tuple(one.x)[6], y=0.6 * tuple(one.y)[6]) for one in nobody]
        error = trade.candidate.meaning.partition(";")[0].replace("`", "")
        panel = Panel(
            f"α: {error}",
            "ε",
            "n, rows",
            tuple(series),
            xlim=self.map.epsilons,
            ylim=self.map.sizes,
            marks=tuple(marks),
        )
        return Chart(
            "trade_off",
            f"Rows, privacy and accuracy: {METHODS[trade.key].name}",
            (panel,),
            alt="Lines of equal error over ε and n, and the regions where noise or sampling is most of it.",
            how_to_read=HOW_TO_READ,
            caption=f"{self.sentence(point)} {self.region(point)}".strip(),
        )

    def sentence(self, point: Point) -> str:
        """Return what was solved in words."""
        if not point.solved:
            return "Nothing within reach is enough." if point.exact else "The first number is on its way."
        trade, about = self.map.trade, "" if point.exact else "about "
        budget = (
            f"({brief(point.epsilon)}, {brief(point.delta)})" if point.delta else f"ε = {point.epsilon:.3g}"
        )
        return (
            f"d = {trade.candidate.d}, α = {point.alpha:.3g} in {_share(trade)} at {budget}: "
            f"{about}{point.n:,.0f} rows."
        )

    def region(self, point: Point) -> str:
        """Return in words which region the point is in."""
        if not point.solved:
            return ""
        trade, n, place = self.map.trade, round(point.n), (point.epsilon, point.delta)
        if n < self.limit(trade, point.alpha, *place):
            return "No estimator does that."
        if not isfinite(trade.error(n, *place)):
            return "It gives no answer there, or none that tells anything."
        private = trade.noisy(n, *place)
        what = "noise: privacy" if private else "sampling: the sample"
        return f"Most of its squared error is {what} limits it."

    def _nobody(self, point: Point) -> list[Series]:
        """Return what no estimator can do, if that is known."""
        fine = np.geomspace(*self.map.epsilons, 41)
        least = [self.limit(self.map.trade, point.alpha, epsilon, point.delta) for epsilon in fine]
        known = isfinite(point.alpha) and np.isfinite(least).any()
        return [Series("", fine, least, role="bound", colour_key="idea/limit")] if known else []

    def _regions(self, level: Level, point: Point) -> dict[str, Series]:
        """Return where there is no answer, and where noise and sampling limit it."""
        epsilons, (low, high) = np.array(level.epsilons), self.map.sizes
        silent = self._silent(level, point.delta)
        balance = self.map.trade.balance(level.errors, level.sizes, point.delta)
        balance = np.fmax(balance, silent)
        parts = {
            "no answer": _band(epsilons, np.full_like(silent, low), silent, "idea/silent"),
            "privacy limits": _band(epsilons, silent, balance, "idea/noise"),
            "sampling limits": _band(epsilons, balance, np.full_like(silent, high), "idea/bias"),
        }
        return {label: part for label, part in parts.items() if part}

    def _silent(self, level: Level, delta: float) -> Numbers:
        """Return for every column about the least n with an answer that tells something; nan if unknown.

        It is between two sizes of the grid, and where answers begin if that is between them.
        """
        answers = np.isfinite(level.errors)
        first, ends = answers.argmax(axis=0), np.array(level.sizes, float)
        known = np.asarray(~np.isnan(level.errors).all(axis=0))
        begins = [
            float(self.map.trade.answers_from(epsilon, delta)) if here else nan
            for epsilon, here in zip(level.epsilons, known, strict=True)
        ]
        least = np.clip(begins, ends[np.maximum(first - 1, 0)], ends[first])
        return np.where(known, np.where(answers.any(axis=0), least, ends[-1]), nan)


def _share(trade: TradeOff) -> str:
    if trade.candidate.kind == "predicted":
        return "half of the runs"
    return f"at least {brief(10 * (1 - trade.beta))} of 10 runs"


def _contours(level: Level, point: Point) -> list[Series]:
    """Return the line of a point's error, and the lines of smaller and larger ones."""
    alpha = point.alpha
    if not isfinite(alpha):
        return []
    lines = [_line(f"α = {factor * alpha:.3g}", level, factor * alpha, "reference", "") for factor in FACTORS]
    own = _line(f"α = {alpha:.3g}", level, alpha, "theory", "non-private")
    return [*lines, _through(point, own)]


def _through(point: Point, line: Series) -> Series:
    """Return a line of the map that goes through the point, which is on it."""
    if not (point.solved and point.exact):
        return line
    places = {**dict(zip(line.x, line.y, strict=True)), point.epsilon: point.n}
    return replace(line, x=sorted(places), y=[places[x] for x in sorted(places)])


def _line(label: str, level: Level, alpha: float, role: str, colour: str) -> Series:
    sizes = contour(level.errors, level.sizes, alpha)
    return Series(label, level.epsilons, sizes, role=role, colour_key=colour)  # type: ignore[arg-type]


def _name(label: str, region: Series) -> Mark:
    """Return the name of a region in its middle, where it is widest."""
    x, low, high = (np.array(tuple(side or ())) for side in (region.x, region.low, region.high))
    place = max(range(len(x)), key=lambda k: (0 < k < len(x) - 1, high[k] / low[k]))
    middle = float(np.sqrt(low[place] * high[place]))
    return Mark(label, "region", x=x[place], y=middle, colour_key=region.colour_key)


def _band(x: Numbers, low: Numbers, high: Numbers, colour: str) -> Series | None:
    """Return a region between two lines, without a line of its own; None if it is empty."""
    known = np.isfinite(low) & np.isfinite(high)
    if not (known & (high > low)).any():
        return None
    middle = np.full(known.sum(), nan)
    return Series("", x[known], middle, low[known], high[known], role="reference", colour_key=colour)
