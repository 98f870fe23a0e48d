"""What shrinking rows to a ball takes from the mean of normal rows, in expectation."""

import numpy as np

from workbench.types import Array

POINTS, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)  # for the standard normal law
_SHARES: Array = WEIGHTS / WEIGHTS.sum()


def shrinking_bias(d: int, distance: float, clip: float) -> float:
    """Return how far the mean of rows N(μ, I_d), shrunk to the ball of radius `clip`, is from μ.

    μ is this `distance` from the ball's centre; of the rows' d - 1 coordinates across only the mean length
    counts.

    >>> round(shrinking_bias(3, 0.0, 1.0), 2), round(shrinking_bias(1, 1e6, 1e6), 2)
    (0.0, 0.4)
    """
    along = distance + POINTS
    length = np.hypot(along, np.sqrt(d - 1))
    beyond = np.maximum(length - clip, 0.0)
    cosine = np.divide(along, length, out=np.ones_like(along), where=length > 0)
    return abs(float(_SHARES @ (beyond * cosine)))
