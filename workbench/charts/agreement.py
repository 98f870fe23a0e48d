"""Whether what was measured agrees with what was predicted, at parameters for which nothing is committed.

A measured curve may carry the prediction at each of its points and the declared tolerance of the prediction's
model (`Series.expected`, `Series.margin`). All points of a figure are judged at one level together, however
their trials depend on each other: each interval is widened from the level of its band to an equal share of
that level, as those of a normal law on the scale of the logarithm.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite

from workbench.charts.chart import Chart, Series
from workbench.special import ndtri

LEVEL = 1e-3  # that a right prediction is called wrong, a figure
BAND = 0.05  # level of the bands that charts show


@dataclass(frozen=True)
class Agreement:
    """How many points of a figure carry a prediction, and which of them disagree with it."""

    points: int
    outside: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.outside

    def __str__(self) -> str:
        inside = self.points - len(self.outside)
        first = f"; outside: {'; '.join(self.outside[:3])}" if self.outside else ""
        return f"measured agrees with predicted at {inside} of {self.points} points{first}"


def agreement(chart: Chart, level: float = LEVEL) -> Agreement:
    """Return how the measured points of a chart agree with their predictions."""
    judged = [
        (series, place)
        for panel in chart.panels
        for series in panel.series
        for place, expected in enumerate(series.expected or ())
        if isfinite(expected)
    ]
    if not judged:
        return Agreement(0)
    wider = float(ndtri(level / len(judged) / 2) / ndtri(BAND / 2))
    return Agreement(len(judged), tuple(_outside(judged, wider)))


def _outside(judged: list[tuple[Series, int]], wider: float) -> Iterator[str]:
    for series, place in judged:
        low, high = _widened(series, place, wider)
        expected = tuple(series.expected or ())[place]
        if not low / (1 + series.margin) <= expected <= high * (1 + series.margin):
            x, y = tuple(series.x)[place], tuple(series.y)[place]
            yield f"{series.label or series.colour_key} at {x:.4g}: {y:.4g}, predicted {expected:.4g}"


def _widened(series: Series, place: int, wider: float) -> tuple[float, float]:
    """Return the interval of a point at the smaller level; a band without a lower end keeps none."""
    y = tuple(series.y)[place]
    low, high = (tuple(end)[place] if end is not None else y for end in (series.low, series.high))
    if low > 0 and isfinite(y):
        return y * (low / y) ** wider, y * (high / y) ** wider if isfinite(high) else inf
    down = y - wider * (y - low) if isfinite(y) else low
    return down, y + wider * (high - y) if isfinite(high) else inf
