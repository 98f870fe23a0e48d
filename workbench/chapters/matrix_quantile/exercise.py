"""What judges a reader's own private variance of one column: worlds whose unit it is not told."""

from math import log

import numpy as np

from workbench.study.audit import Mechanism
from workbench.types import Array

UNIT = 2.8021  # P_v of standard normal rows at v = 0.3 n and ψ(q) = min(q, 1)
ROWS, SPREAD = 1000, 12.0


def world(rng: np.random.Generator) -> tuple[Array, float]:
    """Return normal rows of mean 0, and the logarithm of their variance: between 1e-12 and 1e12."""
    power = log(10.0) * float(rng.uniform(-SPREAD, SPREAD))
    return np.exp(power / 2) * rng.standard_normal(ROWS), power


def in_logs(mine: Mechanism) -> Mechanism:
    """Return what releases the logarithm of a variance: nan, no answer, where that is not above 0."""

    def logarithm(x: Array, trials: int, rng: np.random.Generator) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(np.log(np.asarray(mine(x, trials, rng), np.float64)))

    return logarithm
