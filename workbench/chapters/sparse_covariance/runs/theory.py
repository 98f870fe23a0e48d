"""What follows from public numbers: the rows one setting needs over another, the error of the plain release.

The law of the truth is public to a study: what is said of a typical one is a mean over a few draws.
"""

from functools import cache
from math import hypot, log, nan, sqrt

import numpy as np

from workbench.chapters.sparse_covariance.runs.designs import (
    DELTA,
    Calibration,
    Model,
    block,
    charged,
    spectral,
    spread,
)
from workbench.estimators.shared.predictions import median_noise_norm
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.grids import Role, stream
from workbench.types import Array

P, USUAL = 100, ApproxDP(1.0, DELTA)
DRAWS = 3
DROWNED = 1 / 3  # of the noise: below it, sampling adds less than 6 % to its norm


def off_diagonal_sd(p: int, n: int, budget: ApproxDP, model: Model, calibration: Calibration) -> float:
    """Return the sd of the noise of an entry off the diagonal."""
    charge = charged(p, n, budget, model, calibration)
    return gaussian_scale(charge) / (sqrt(2) if charge.mechanism == "symmetric_gaussian" else 1.0)


def rows_factor(model: Model, p: int, budget: ApproxDP, usual_p: int = P) -> float:
    """Return the n at which entries stand out of the noise, over that at ε = 1, δ = 1e-6 and the usual p.

    Entries of rows in the unit ball shrink as 1/p; a threshold is √ln p times the sd of the noise, which
    falls as 1/n, or as 1/√n in the local model.
    """
    here, usual = (
        off_diagonal_sd(2, 10**6, each, "central", "tight") * columns * sqrt(log(columns))
        for columns, each in ((p, budget), (usual_p, USUAL))
    )
    return here / usual if model == "central" else (here / usual) ** 2


@cache
def typical_spread(p: int, share: float, n: int) -> tuple[float, float]:
    """Return the spectral norm and the trace of a truth whose support is spread over all coordinates."""
    return _typical([spread(p, share, n, _draw(draw)) for draw in range(DRAWS)])


@cache
def typical_block(p: int, active: int, degree: int, n: int) -> tuple[float, float]:
    """Return the spectral norm and the trace of a truth with a fixed active block."""
    return _typical([block(p, active, degree, n, _draw(draw)) for draw in range(DRAWS)])


def _draw(number: int) -> np.random.Generator:
    return stream(0, Role.DATA, "wx19-typical", number, 0)


def _typical(truths: list[Array]) -> tuple[float, float]:
    norms, traces = [spectral(one) for one in truths], [float(np.trace(one)) for one in truths]
    return float(np.mean(norms)), float(np.mean(traces))


def plain_error(
    truth: tuple[float, float],
    p: int,
    n: int,
    budget: ApproxDP,
    model: Model = "central",
    calibration: Calibration = "tight",
) -> float:
    """Return the relative error of the plain release: the norm of its noise, and a little sampling.

    `truth` is its norm and its trace. nan where sampling is no small part: 2 √(|Σ|₂ tr Σ/n) is no prediction,
    but for a truth near the identity.
    """
    norm, trace = truth
    sd = off_diagonal_sd(p, n, budget, model, calibration)
    noise, sampling = sqrt(2) * sd * median_noise_norm(p), 2 * sqrt(norm * trace / n)
    return hypot(noise, sampling) / norm if sampling <= DROWNED * noise else nan
