"""Measured curves with their bands, as the pictures of several chapters draw them."""

from collections.abc import Mapping

from workbench.charts.chart import Series
from workbench.study.measures import Measure

LEVEL = 0.05  # of the bands
ERROR = "error in the norm of Σ"


def measured(label: str, found: Mapping[float, Measure], key: str) -> Series:
    """Return a measured curve with its band."""
    low, high = zip(*(one.interval for one in found.values()), strict=True)
    return Series(label, found, [one.estimate for one in found.values()], low, high, colour_key=key)
