"""What the low bits of x + Lap(1) say about x.

A float in [1/2, 1) is a multiple of 2^-53, one in [1/4, 1/2) of 2^-54, and so on. For x = 1 and |out| < 1/2
the noise is at least 1/2 in size, so that out is a multiple of 2^-53. For x = 0 the output is the noise
itself: that in [2^-(j+1), 2^-j) is a multiple of 2^-53 with probability 2^-j only.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.charts.chart import Chart, Panel, Series
from workbench.privacy import Charge, PureDP, SimulatedNoise
from workbench.privacy.mechanisms import discrete_laplace, laplace
from workbench.study import measures
from workbench.study.audit import last_bit
from workbench.study.claim import Claim
from workbench.study.grids import Sweep, grid
from workbench.study.measures import at, between, share
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict
from workbench.study.run import Run
from workbench.types import Array, Columns

ONE_FLOAT, ON_A_GRID = "float noise", "noise on a grid"
UNIT = 2.0**-53
STEP = 2.0**-10  # of the grid
NEAR = 0.5
SHOWN = 16  # floats next to each other
BITS = 0.02  # of the share that betrays x = 0: fair last bits are a model
RARE = 2e-3  # what is called never, of outputs


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


def floats(_run: Run) -> Chart:
    """Return which floats near 0.3 are x + Lap(1) for x = 0, and which for x = 1."""
    every: Array = np.float64(0.3) + (UNIT / 2) * np.arange(
        SHOWN, dtype=np.float64
    )  # floats in [1/4, 1/2) are multiples of 2^-54
    places, shared = np.arange(SHOWN, dtype=float), last_bit(every) >= -53
    rows = (("either", 1, shared, "idea/data"), ("only if x = 0", 1, ~shared, "idea/wrong"))
    series = [
        Series(label, np.full(int(of.sum()), row), places[of], joined=False, colour_key=key)
        for label, row, of, key in (*rows, ("", 2, shared, "idea/data"))
    ]
    panel = Panel(
        f"{SHOWN} floats next to each other, from 0.3 on", "", "float, steps of 2⁻⁵⁴ from 0.3", tuple(series),
        "linear", "linear", ylim=(-1.0, float(SHOWN)), names=("if x = 0", "if x = 1"),
        note="The output x + Lap(1) near 0.3: if x = 1 it is a multiple of 2⁻⁵³.",
    )  # fmt: skip
    return Chart(
        "floats",
        f"{100 * predicted():.0f} % of all float outputs prove that x = 0: their last bits say so",
        (panel,),
        alt="Two rows of ticks, the floats that follow 0.3. If x = 0, the output may be any of them; if"
        " x = 1, only every other one.",
        how_to_read="Each marker is a float that can be the output. One that only x = 0 can give betrays it"
        " with certainty: an event that no ε allows. Noise on a grid gives the same floats for both.",
    )


def floats_leak(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks: how often float noise betrays x = 0, and that nothing else betrays anything."""
    betrayed = at(frame, kind=ONE_FLOAT, x=0.0)["betrays"].astype(bool)
    found = share(int(betrayed.sum()), len(betrayed), claim_level())
    middle = predicted()
    checks = [between("float noise, x = 0", found, middle - BITS, middle + BITS, bound=middle)]
    for kind, x in ((ONE_FLOAT, 1.0), (ON_A_GRID, 0.0), (ON_A_GRID, 1.0)):
        other = at(frame, kind=kind, x=x)["betrays"].astype(bool)
        checks.append(measures.seldom(f"{kind}, x = {x:g}", other, RARE, factor=4.0))
    return checks


CLAIMS = (
    Claim(
        "what-epsilon-means/floats-leak",
        "X4",
        ("Mironov12/floats",),
        "x + Lap(1) in floats lies within 1/2 of 0 and is no multiple of 2^-53 with probability .272 (± .02)"
        " for x = 0 and never for x = 1; on a grid of 2^-10 with whole-number noise never for either.",
        checks=floats_leak,
        sweeps=lambda: (OUTPUTS,),
        kind="ours",
    ),
)
