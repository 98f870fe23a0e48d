"""What judges a reader's own mean of many columns: neighbours for an audit, and hidden worlds.

Rows are standard normal about a mean at distance 1 from the origin.
"""

import numpy as np
from numpy.random import Generator

from workbench.study.audit import Pair
from workbench.types import Array

N, D, REACH = 200, 8, 6.0
CORNERS, AXIS = REACH * np.ones((4, D)), REACH * np.eye(4, D)
LAST = np.array([[1.0], [1.0], [1.0], [-1.0]])  # one row changes its sign
PAIRS = (
    Pair("from corner to corner", CORNERS, CORNERS * LAST),
    Pair("along an axis", AXIS, AXIS * LAST),
)


def world(rng: Generator) -> tuple[Array, Array]:
    """Draw rows, and their mean."""
    mean = rng.standard_normal(D)
    mean /= np.linalg.norm(mean)
    return mean + rng.standard_normal((N, D)), mean
