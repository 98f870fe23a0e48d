"""Runs of CoinPress that keep the frames of a covariance: how round they are before every step."""

import numpy as np
from numpy.random import Generator

from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.estimators.base import Trace
from workbench.privacy import ZCDP
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, each_trial


@each_trial
def frame_bounds(n: int, d: int, rho: float, condition: float, *, data: Generator, noise: Generator) -> Row:
    """Record the extreme eigenvalues of A Σ Aᵀ before every step, both modes."""
    sigma, x = runs.centred_rows(n, d, condition, data)
    found = {}
    for mode in runs.MODES:
        trace = Trace()
        runs.covariance_of(condition, mode=mode)(x, budget=ZCDP(rho), rng=noise, trace=trace)
        for place, a in enumerate(trace.records["preconditioner"]):
            values = np.linalg.eigvalsh(a @ sigma @ a.T)  # type: ignore[attr-defined, operator]
            found[f"{mode} low {place}"], found[f"{mode} high {place}"] = values[[0, -1]]
    return found


def steps_taken(n: int, d: int, rho: float, condition: float) -> dict[str, int]:
    """Return the default number of steps of each mode."""
    return {
        mode: len(runs.covariance_of(condition, mode=mode).design(n, d, ZCDP(rho)).weights)
        for mode in runs.MODES
    }


BOUNDS = Sweep(
    "m21-frame-bounds", grid(n=20_000, d=10, rho=runs.RHO, condition=1e4), frame_bounds, 10, blocks(10)
)
