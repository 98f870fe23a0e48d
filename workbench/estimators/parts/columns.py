"""Lengths of errors whose coordinates differ, and what a parameter says of one column.

`centre`, `radius` and `sigma` may be one number for every column, or a tuple of one for each. A public number
for each column is a public map of each row by itself: x_ij -> (x_ij - centre_j)/unit_j takes neighbours to
neighbours, whatever the numbers are. Proof: `proofs/gaussian_steps.md`, section 1.
"""

from math import inf, log, sqrt
from typing import Any

from workbench.estimators.parts.foreseen import median_of_mean
from workbench.types import Array


def of_column(value: Any, j: int) -> Any:
    """Return a parameter of one column, as it is where it holds for all of them."""
    return value[j] if isinstance(value, tuple) else value


def length(values: Array) -> float:
    """Return √(Σ v²): √d v, to the last bit, where all of them are v."""
    top = float(values.max())
    return sqrt(float(((values / top) ** 2).sum())) * top if top < inf else inf


def tail_of(sds: Array, beta: float) -> float:
    """Return what the length of independent N(0, s_j²) exceeds with probability at most beta.

    √(Σ v + 2 √(Σ v² L) + 2 L max v), v = s², L = ln(1/beta) (Laurent & Massart 2000); of equal ones it is
    `linalg.tail` times s.
    """
    top, far = float(sds.max()), log(1 / beta)
    shares = (sds / top) ** 2
    return sqrt(float(shares.sum()) + 2 * sqrt(float((shares**2).sum()) * far) + 2 * far) * top


def median_of(variances: Array) -> float:
    """Return the median length of independent N(0, v_j), by the χ² of the same mean and variance."""
    top = float(variances.max())
    shares = variances / top
    total = float(shares.sum())
    return median_of_mean(sqrt(total * top), total**2 / float((shares**2).sum()))
