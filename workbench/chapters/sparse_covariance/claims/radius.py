"""The claim about rows of unknown norm: the private radius beside the best fixed one.

WX19's second open problem. Rows are real rows here, since clipping is what is studied.
"""

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.chapters.sparse_covariance.runs.designs import DELTA, share_of, spectral, spread
from workbench.chapters.sparse_covariance.runs.measures import geometric
from workbench.estimators.sparse import ThresholdedCovariance
from workbench.linalg import norms
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import Sweep, grid
from workbench.study.measures import at
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict
from workbench.study.run import Row, each_trial

SCALES = (1e-3, 1.0, 1e4)
QUANTILES = (0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
WORSE = 1.6
N, P, DEGREE = 20_000, 50, 3


@each_trial
def radii(
    scale: float,
    n: int,
    p: int,
    epsilon: float,
    degree: float,
    *,
    delta: float = DELTA,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the errors with the private radius, and with fixed ones at quantiles of the norms."""
    budget = ApproxDP(epsilon, delta)
    covariance = spread(p, share_of(p, degree), n, data)
    root = np.linalg.cholesky(covariance)
    x = scale * data.standard_normal((n, p)) @ root.T
    fixed = dict(zip(QUANTILES, np.quantile(norms(x), QUANTILES), strict=True))
    choices = {"private": None, **{f"q = {q:g}": float(radius) for q, radius in fixed.items()}}
    truth, source = scale**2 * covariance, SimulatedNoise(noise)
    found = {
        name: ThresholdedCovariance(radius=radius).estimate(x, budget, source).psd
        for name, radius in choices.items()
    }
    return {name: spectral(matrix - truth) / spectral(truth) for name, matrix in found.items()}


RADIUS = Sweep(
    "wx19-unknown-radius",
    grid(scale=SCALES, n=N, p=P, epsilon=1.0, degree=DEGREE),
    radii,
    trials=5,
    blocks=blocks(10),
)


def radius_checks(frame: pd.DataFrame) -> list[Verdict]:
    """Return, at every scale, the error of the private radius over that of the best fixed one."""
    checks = []
    for scale in SCALES:
        rows = at(frame, scale=scale)
        best = min((f"q = {q:g}" for q in QUANTILES), key=lambda name: float(np.log(rows[name]).mean()))
        ratio = geometric(rows["private"] / rows[best], claim_level(parts=len(SCALES)))
        name = f"private radius over the best fixed one ({best}), scale {scale:g}"
        checks.append(measures.between(name, ratio, 0.0, WORSE, n=20_000))
    return checks


CLAIMS = (
    Claim(
        "sparse-covariance/unknown-radius",
        "S15",
        ("WX19/open2",),
        "With the radius unknown, on data of scale 1e-3, 1 and 1e4 (n = 2e4, p = 50, ε = 1), the error is"
        " at most 1.6 times that with the best of six fixed radii at quantiles of the true norms.",
        sweeps=lambda: (RADIUS,),
        checks=radius_checks,
        kind="ours",
    ),
)
