"""Measured curves with their bands, as the pictures of several chapters draw them."""

from collections.abc import Iterable, Mapping
from typing import Any

from workbench.charts.chart import Series
from workbench.study.measures import BAND, Measure

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
