"""Curves that pictures of several chapters share: measured beside predicted, ellipses in the plane."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from workbench.charts.chart import Chart, Film, Heat, Mark, Panel, Role, Series
from workbench.charts.style import name, number
from workbench.special import ndtri
from workbench.study.measures import BAND, Measure, median
from workbench.study.sweeps import Run

# what pictures are made of, so that a chapter imports it from here
__all__ = ["Chart", "Film", "Heat", "Mark", "Panel", "Series", "name", "number"]

LEVEL = 0.05  # of the bands
ERROR = "error in the norm of Σ"
RIGHT = 1e-3  # level of `agreement`: how often a right prediction is called wrong, a figure
FAR = 1e12  # times a limit: a number beyond is as good as infinite, and drawn like it
POINTS = 97  # of an ellipse, the first and the last the same


def measured(
    label: str,
    found: Mapping[Any, Measure],
    key: str,
    expected: Iterable[float] | None = None,
    margin: float = BAND,
    **more: Any,
) -> Series:
    """Return a measured curve with its band, and what is predicted at its points; none without runs."""
    low, high = zip(*(one.interval for one in found.values()), strict=True) if found else ((), ())
    y = [one.estimate for one in found.values()]
    return Series(label, found, y, low, high, colour_key=key, expected=expected, margin=margin, **more)


def theory(label: str, x: Iterable[float], y: Iterable[float], key: str, **more: Any) -> Series:
    """Return a predicted curve."""
    return styled("theory", label, x, y, key, **more)


def styled(
    role: Role, label: str, x: Iterable[float], y: Iterable[float], key: str = "", **more: Any
) -> Series:
    """Return a curve that is no estimate: grey unless it has a key."""
    return Series(label, x, y, role=role, colour_key=key, **more)


def text_at(words: str, x: float, y: float, key: str = "") -> Mark:
    """Return words that stand at a place."""
    return Mark(words, x=x, y=y, colour_key=key)


def along(
    found: Mapping[Any, Measure],
    fine: Iterable[float],
    foreseen: Callable[[Any], float],
    key: str,
    *,
    label: str = "",
    line: str = "",
    margin: float = BAND,
    **look: Any,
) -> tuple[Series, Series]:
    """Return a measured curve that knows what is foreseen at its points, and that as a line at finer ones.

    `label` names the curve and `line` the line; `look` are other parameters of both.
    """
    curve, xs = measured(label, found, key, [foreseen(x) for x in found], margin, **look), list(fine)
    return curve, theory(line, xs, [foreseen(x) for x in xs], key, **look)


def predicted(run: Run, x: Iterable[float], y: Iterable[float], key: str) -> tuple[Series, ...]:
    """Return what is predicted of a measured curve, as the line that stands for it where nothing is run."""
    return () if run.simulate else (theory("", x, y, key),)


def beside(
    run: Run, label: str, found: Mapping[Any, Measure], expected: Mapping[Any, float], key: str
) -> tuple[Series, ...]:
    """Return a measured curve that knows what is predicted at its points; without runs the prediction."""
    curve = measured(label, found, key, [expected[x] for x in found])
    return (curve, *predicted(run, expected, expected.values(), key))


def medians(groups: Mapping[Any, pd.DataFrame], column: str) -> dict[Any, Measure]:
    """Return the median of a column, with its interval, at every x."""
    return {x: median(rows[column], LEVEL) for x, rows in groups.items()}


def across(
    label: str, ends: Iterable[float], y: float, key: str = "", *, role: Role = "reference", **more: Any
) -> Series:
    """Return a horizontal line, grey unless it has a key."""
    x = tuple(ends)
    return styled(role, label, x, [y] * len(x), key, **more)


def crossed(x: ArrayLike, line: ArrayLike, floor: ArrayLike) -> tuple[float, float] | None:
    """Return where a falling line last crosses another, in logarithms; None if it ends above or begins below.

    >>> x, y = crossed((1.0, 100.0), (10.0, 0.1), (1.0, 1.0))
    >>> round(x, 9), y
    (10.0, 1.0)
    """
    at, least = np.log(x), np.log(np.broadcast_to(floor, np.shape(x)))
    gap = np.log(line) - least
    above = np.flatnonzero(gap > 0)
    if gap[-1] >= 0 or not len(above) or not isfinite(gap[above[-1]]):
        return None
    k = above[-1]
    share = gap[k] / (gap[k] - gap[k + 1])
    place, height = (float(np.exp(one[k] + share * (one[k + 1] - one[k]))) for one in (at, least))
    return place, height


def covering(usual: tuple[float, float], series: Iterable[Series]) -> tuple[float, float]:
    """Return the usual limits, wider where measured points lie beyond them; for positive numbers.

    >>> covering((0.01, 2.0), [Series("a", (1, 2, 3), (0.05, 7.0, float("inf")))])
    (0.01, 7.7)
    """
    low, high = usual
    points = [y for one in series if one.role == "estimate" for y in one.y]
    shown = [y for y in points if low / FAR < y < high * FAR]
    below = [float(f"{0.9 * y:.2g}") for y in shown if y < low]
    above = [float(f"{1.1 * y:.2g}") for y in shown if y > high]
    return min([low, *below]), max([high, *above])


def ellipse(
    label: str,
    covariance: ArrayLike,
    centre: ArrayLike = (0.0, 0.0),
    *,
    role: Role = "reference",
    colour_key: str = "",
) -> Series:
    """Return the ellipse c + S^{1/2} u, |u| = 1, of a positive semidefinite 2 by 2 matrix, as a closed line.

    >>> line = ellipse("", [[4.0, 0.0], [0.0, 1.0]])
    >>> max(line.x), max(line.y)
    (2.0, 1.0)
    """
    values, basis = np.linalg.eigh(np.asarray(covariance, np.float64))
    root = (basis * np.sqrt(np.maximum(values, 0.0))) @ basis.T
    turns = np.linspace(0.0, 2 * np.pi, POINTS)
    x, y = np.array(centre)[:, None] + root @ np.array([np.cos(turns), np.sin(turns)])
    return Series(label, x, y, role=role, colour_key=colour_key)


def circle(label: str, radius: float, centre: ArrayLike = (0.0, 0.0), **more: Any) -> Series:
    """Return the circle of a radius."""
    return ellipse(label, radius**2 * np.eye(2), centre, **more)


def plane(
    title: str,
    series: Iterable[Series],
    *,
    reach: float,
    centre: tuple[float, float] = (0.0, 0.0),
    names: tuple[str, str] = ("first coordinate", "second coordinate"),
    note: str = "",
    marks: Iterable[Mark] = (),
) -> Panel:
    """Return a panel that shows `reach` to every side of `centre`, with the same unit in both directions."""
    xlim, ylim = ((middle - reach, middle + reach) for middle in centre)
    drawn = tuple(series)
    return Panel(title, *names, drawn, "linear", "linear", note, xlim, ylim, marks=tuple(marks), equal=True)


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


def agreement(chart: Chart, level: float = RIGHT) -> Agreement:
    """Return whether measured points agree with their predictions, where nothing is committed.

    All points of a figure are judged at one level together, however their trials depend on each other: each
    interval is widened from the level of its band to an equal share of that level, as those of a normal
    distribution on the scale of the logarithm.
    """
    points = [
        (one, *point)
        for panel in chart.panels
        for one in panel.series
        for point in zip(
            *(one.x, one.y, one.low or one.y, one.high or one.y, one.expected or ()), strict=False
        )
        if isfinite(point[-1])
    ]
    wider, outside = float(ndtri(level / max(len(points), 1) / 2) / ndtri(LEVEL / 2)), []
    for one, x, y, low, high, expected in points:
        if low > 0 and isfinite(y):
            low, high = y * (low / y) ** wider, y * (high / y) ** wider if isfinite(high) else inf
        else:  # a band without a lower end keeps none
            low = y - wider * (y - low) if isfinite(y) else low
            high = y + wider * (high - y) if isfinite(high) else inf
        if not low / (1 + one.margin) <= expected <= high * (1 + one.margin):
            outside.append(f"{one.label or one.colour_key} at {x:.4g}: {y:.4g}, predicted {expected:.4g}")
    return Agreement(len(points), tuple(outside))
