"""The clipped mean around a given centre, in the centred form, of whole numbers."""

import numpy as np

from workbench.estimators.base import Trace
from workbench.estimators.parts.integers import mean_in_box
from workbench.privacy.grid import OnGrid
from workbench.types import Array


def clipped_mean(x: Array, centre: float, clip: float) -> OnGrid:
    """Return mean(clip(x - centre, ±clip))."""
    return mean_in_box(x, lambda rows: rows - centre if centre else rows, clip)


def sensitivity(n: int, clip: float) -> float:
    """Return 2 clip/n, the most that one replaced row moves `clipped_mean` for a given centre."""
    return 2 * clip / n


def record_clipping(trace: Trace | None, x: Array, centre: float, clip: float) -> None:
    """Tell a trace how large a share of the rows lies beyond the clip."""
    if trace is not None:
        trace.add(clipped_share=float((np.abs(x - centre) > clip).mean()))
