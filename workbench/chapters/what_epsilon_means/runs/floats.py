"""What the low bits of x + Lap(1) say about x.

A float in [1/2, 1) is a multiple of 2^-53, one in [1/4, 1/2) of 2^-54, and so on. For x = 1 and |out| < 1/2
the noise is at least 1/2 in size, so that out is a multiple of 2^-53. For x = 0 the output is the noise
itself: that in [2^-(j+1), 2^-j) is a multiple of 2^-53 with probability 2^-j only.
"""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from workbench.privacy import Charge, PureDP, SimulatedNoise
from workbench.privacy.mechanisms import discrete_laplace, laplace
from workbench.study.audit import last_bit
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.types import Array, Columns

ONE_FLOAT, ON_A_GRID = "float noise", "noise on a grid"
UNIT = 2.0**-53
STEP = 2.0**-10  # of the grid
NEAR = 0.5


def float_noise(x: Array, trials: int, rng: Generator) -> Array:
    """Return x + Lap(1), the sum over x: ε = 1 for a row in [0, 1], in real numbers."""
    charge = Charge("sum", "laplace", 1.0, PureDP(1.0))
    return laplace(np.full(trials, x.sum()), charge, SimulatedNoise(rng))


def grid_noise(x: Array, trials: int, rng: Generator) -> Array:
    """Return the same on multiples of 2^-10: x is rounded to it, the noise is a number of steps."""
    steps = np.round(np.clip(x.sum(), 0.0, 1.0) / STEP)
    charge = Charge("sum", "discrete_laplace", 1 / STEP, PureDP(1.0))
    return STEP * discrete_laplace(np.full(trials, steps), charge, SimulatedNoise(rng))


NOISES: dict[str, Callable[[Array, int, Generator], Array]] = {
    ONE_FLOAT: float_noise,
    ON_A_GRID: grid_noise,
}


def betrays(outputs: Array) -> Array:
    """Return which outputs lie within 1/2 of 0 and are no multiples of 2^-53."""
    return np.asarray((np.abs(outputs) < NEAR) & (last_bit(outputs) < -53))


def predicted() -> float:
    """Return the probability of such an output for x = 0, if the last bits of the noise are fair coins."""
    j = np.arange(1, 60)
    return float(((np.exp(-(2.0 ** -(j + 1))) - np.exp(-(2.0**-j))) * (1 - 2.0**-j)).sum())


def outputs(kind: str, x: float, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Draw outputs; `last` is the exponent of the last bit."""
    found = NOISES[kind](np.array([x]), trials, noise)
    return {"betrays": betrays(found), "last": last_bit(found), "near": np.abs(found) < NEAR}


OUTPUTS = Sweep(
    "what-epsilon-means-floats",
    grid(kind=list(NOISES), x=[0.0, 1.0]),
    outputs,
    trials=5000,
    blocks=blocks(full=40),
)
