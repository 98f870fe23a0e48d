"""The clipped mean around a given centre, in the centred form, of whole numbers."""

from math import hypot

import numpy as np

from workbench.estimators.base import Trace
from workbench.estimators.parts.integers import mean_in_box
from workbench.privacy.grid import OnGrid
from workbench.types import Array


def clipped_mean(x: Array, centre: float, clip: float, counted: bool = False) -> OnGrid:
    """Return mean(clip(x - centre, ±clip)); counted, and how many of x are there."""
    return mean_in_box(x, lambda rows: rows - centre if centre else rows, clip, counted)


def sensitivity(n: int, clip: float) -> float:
    """Return 2 clip/n, the most that one replaced row moves `clipped_mean` for a given centre."""
    return 2 * clip / n


def clipped_off(beyond: float) -> float:
    """Return the most that E (X - t)₊ may be for X of sd at most 1, t this far beyond its mean (Scarf 1958).

    (x - t)₊ ≤ (x - t + r)²/(4r), r = √(1 + t²), for a mean of 0.
    """
    return (hypot(1.0, beyond) - beyond) / 2


def other_rows(bias: float) -> str:
    """Return in words how far from the mean of rows that are not normal a clipped one may be."""
    return f"other distributions of standard deviation sigma: up to {bias:.3g} more, however many rows"


def record_clipping(trace: Trace | None, x: Array, centre: float, clip: float) -> None:
    """Tell a trace how large a share of the rows lies beyond the clip."""
    if trace is not None:
        trace.add(clipped_share=float((np.abs(x - centre) > clip).mean()))
