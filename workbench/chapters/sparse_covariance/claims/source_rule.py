"""What p costs Algorithm 1 with the source's own noise and rule: on a fixed block, and on a spread support.

On the block the other coordinates do not vary. On the spread support the entries of rows in the unit ball
shrink as 1/p, and the α that is asked for with them.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.bounds import wx19 as bounds
from workbench.chapters.sparse_covariance.claims.searches import CENTRAL
from workbench.chapters.sparse_covariance.runs.designs import (
    DELTA,
    block,
    diagonal,
    released,
    share_of,
    spectral,
    spread,
)
from workbench.chapters.sparse_covariance.runs.measures import geometric
from workbench.chapters.sparse_covariance.runs.searched import (
    LARGEST_N,
    noise_of,
    run_on,
    spectral_error,
    stated_noise,
)
from workbench.chapters.sparse_covariance.runs.theory import typical_spread
from workbench.estimators.sparse import perturbed
from workbench.privacy import noise_source
from workbench.study import measures
from workbench.study.grids import Sweep, grid
from workbench.study.intervals import local_slope
from workbench.study.measures import at
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict
from workbench.study.run import Row, each_trial
from workbench.study.scaling import Least, Scaling, Setting, grows

ACTIVE, DEGREE, EPSILON = 20, 3, 1.0
BLOCK_P, BLOCK_N = (50, 400), 1_000_000
FLAT, OF_DIAGONAL = 1.5, 0.5

NEEDED_P, TARGET = (25, 50, 100, 200), 0.2
LOGARITHM = 0.12  # the slope of √ln p over these p


@each_trial
def in_block(p: int, n: int, epsilon: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the error of the algorithm, and those of the true diagonal and of the plain release."""
    charge = noise_of("central", p, n, epsilon, DELTA)
    added = perturbed(np.zeros((p, p)), charge, noise_source(noise))
    one = run_on(block(ACTIVE, ACTIVE, DEGREE, n, data), p, n, charge, added, data)
    return {
        "algorithm": spectral_error(one.kept("paper", noise), one.truth),
        "diagonal": spectral((one.truth - diagonal(one.truth))[:ACTIVE, :ACTIVE]),
    }


SOURCE_BLOCK = Sweep(
    "wx19-source-block", grid(p=BLOCK_P, n=BLOCK_N, epsilon=EPSILON), in_block, trials=20, blocks=blocks(20)
)


def source_block_checks(frame: pd.DataFrame) -> list[Verdict]:
    """Return the error at the largest p over that at the smallest, and over that of the true diagonal."""
    level = claim_level(parts=2)
    ends = [geometric(at(frame, p=p)["algorithm"], level) for p in reversed(BLOCK_P)]
    name = f"error at p = {BLOCK_P[-1]} over that at p = {BLOCK_P[0]}, equation (9)"
    checks = [measures.between(name, measures.ratio(*ends), 0.0, FLAT, n=BLOCK_N, bound=FLAT)]
    for p in BLOCK_P:
        rows = at(frame, p=p)
        ratio = geometric(rows["algorithm"] / rows["diagonal"], level)
        name = f"error over that of the true diagonal, equation (9), p = {p}"
        checks.append(measures.between(name, ratio, 0.0, OF_DIAGONAL, n=BLOCK_N, bound=OF_DIAGONAL))
    return checks


@each_trial
def on_spread(p: int, n: int, epsilon: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the relative error of the algorithm on a support that is spread over all coordinates."""
    covariance = spread(p, share_of(p, DEGREE), LARGEST_N, data)
    one = released(covariance, n, epsilon, data, noise, calibration="paper")
    kept = one.kept("paper", noise)
    return {"error": spectral_error(kept, covariance) / spectral(covariance)}


def setting(p: float) -> Setting:
    """Return the setting at p: α is a fifth of a typical truth's norm, γ the variance of a coordinate."""
    norm, trace = typical_spread(int(p), share_of(int(p), DEGREE), LARGEST_N)
    n = bounds.central_rows(TARGET * norm, DEGREE, int(p), EPSILON, DELTA, trace / p)
    entry, noise = TARGET * norm / DEGREE, stated_noise(EPSILON, DELTA)
    predicted = bounds.rows_for_threshold(entry, int(p), noise, trace / p)
    share = noise * 4 * np.sqrt(np.log(p)) / entry / predicted
    point = {"p": int(p), "epsilon": EPSILON}
    return Setting(point, TARGET, round(predicted), stated=n, predicted=predicted, share=float(share))


def scalings() -> Iterator[Scaling]:
    """Return the one scaling, in p: its power is that of √ln p/α, since α falls with p."""
    power = local_slope(NEEDED_P, [setting(p).stated for p in NEEDED_P])
    yield Scaling(
        statement="WX19/Thm2",
        variable="d",
        key=f"{CENTRAL} [paper, spread support]",
        term="s √ln p √ln(1/δ)/(αε), α a share of |Σ|₂",
        values=NEEDED_P,
        setting=setting,
        block=on_spread,
        power=power,
        instead={"√ln p": LOGARITHM, "without a threshold": power + 0.5},
        caps={"full": 200},
    )


def spread_checks(*growths: tuple[Scaling, Sequence[Least]]) -> list[Verdict]:
    """Return what the growth in p is: none where it is not searched."""
    return [grows(*growth) for growth in growths]
