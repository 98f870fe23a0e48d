"""Types that all layers share."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
"""Real numbers: rows of shape (n,) or (n, d), a vector, a matrix."""

Columns: TypeAlias = dict[str, NDArray[Any]]
"""What a block of trials measures: an entry per trial in every column."""

Calibration: TypeAlias = Literal["paper", "tight"]
"""Whose constants a run has: the source's, or ours."""

PerColumn: TypeAlias = float | tuple[float, ...]
"""A public number for every column, or one for each."""

Mode: TypeAlias = Literal["practical", "proved"]
"""Whether coverage is proved; privacy always is."""
