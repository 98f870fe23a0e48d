"""Measured curves with their bands, as the pictures of several chapters draw them."""

from collections.abc import Iterable, Mapping
from typing import Any

from workbench.charts.chart import Series
from workbench.study.measures import BAND, Measure
from workbench.study.run import Run

LEVEL = 0.05  # of the bands
ERROR = "error in the norm of Σ"


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


def predicted(run: Run, x: Iterable[float], y: Iterable[float], key: str) -> tuple[Series, ...]:
    """Return what is predicted of a measured curve, as the line that stands for it where nothing is run."""
    return () if run.simulate else (Series("", x, y, role="theory", colour_key=key),)
