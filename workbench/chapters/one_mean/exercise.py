"""What judges a reader's own mean of one column: neighbours for an audit, and hidden worlds.

Rows are normal with standard deviation 1, their mean anywhere within `RADIUS` of 0.
"""

import numpy as np
from numpy.random import Generator

from workbench.study.audit import Pair
from workbench.types import Array

RADIUS, N = 100.0, 1000
HALF = RADIUS / 2 * np.ones(5)
PAIRS = (
    Pair("the middle row moves", HALF * [-1, -1, -1, 1, 1], HALF * [-1, -1, 1, 1, 1]),
    Pair("one row leaves the rest", HALF, HALF * [1, 1, 1, 1, -1]),
)


def world(rng: Generator) -> tuple[Array, float]:
    """Draw a column, and its mean."""
    mean = float(rng.uniform(-RADIUS, RADIUS))
    return rng.normal(mean, 1.0, size=N), mean
