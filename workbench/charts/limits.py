"""The limits of an axis: those of a picture at its usual numbers, as far as they reach elsewhere."""

from collections.abc import Iterable
from math import isfinite

from workbench.charts.chart import Series

FAR = 1e12  # times a limit: a number beyond is as good as infinite, and drawn like it


def covering(usual: tuple[float, float], series: Iterable[Series]) -> tuple[float, float]:
    """Return the usual limits, wider where measured points lie beyond them; for positive numbers.

    >>> covering((0.01, 2.0), [Series("a", (1, 2, 3), (0.05, 7.0, float("inf")))])
    (0.01, 7.7)
    """
    low, high = usual
    points = [y for one in series if one.role == "estimate" for y in one.y if isfinite(y) and y > 0]
    shown = [y for y in points if low / FAR < y < high * FAR]
    below = [_short(0.9 * y) for y in shown if y < low]
    above = [_short(1.1 * y) for y in shown if y > high]
    return min([low, *below]), max([high, *above])


def _short(limit: float) -> float:
    return float(f"{limit:.2g}")
