"""Critical values for rows of which a share is absent, where a private count tells about how many.

    (1) p/n = the noisy share of rows that are there, drawn with the mean (`parts.rescaled`)
    (2) where it is 1: the critical value at the level of the pivot of a run on n rows
    (3) else a = a share that is absent at most, with chance 1 - .05 level: 1 - p/n and a quantile of the
        noise of (1), rounded up to 2 %
    (4) the critical value at .95 level of the pivot of a run on n rows, of which a n are absent at random

Fewer rows vary more, so that (4) covers where less than a is absent. It needs rows that are absent at random;
(2) is too narrow by half of what noise hides. Proof: `proofs/univariate.md`, section 9.
"""

from math import ceil, inf

import numpy as np

from workbench.estimators.parts.locate.laplace_normal import noise_quantile
from workbench.estimators.parts.rescaled import LEAST, charge_of_share
from workbench.estimators.parts.rows import own_stream
from workbench.estimators.parts.scale.pivots import Simulate, critical_value
from workbench.privacy import NoiseSource, Plan
from workbench.types import Array

PART, GRID = 0.05, 50  # of the level for (3); one over what shares are rounded to


def absent_at_most(there: float, n: int, plan: Plan, level: float) -> float:
    """Return a of step (3)."""
    margin = noise_quantile(charge_of_share(plan["mean"], n), 2 * PART * level)
    return ceil(GRID * (1 - there + margin) * (1 - 1e-12)) / GRID


def counted_value(
    name: str, n: int, simulate: Simulate, level: float, draws: int, plan: Plan, there: float
) -> float:
    """Return the critical value of a run with this plan and noisy share; infinite where few may be there."""
    if there == 1:
        return critical_value(name, n, simulate, level, draws)  # (2)
    absent = absent_at_most(there, n, plan, level)  # (3)
    if absent > 1 - LEAST:
        return inf

    def with_holes(z: Array, noise: NoiseSource) -> float | None:
        z[own_stream(noise).permutation(n)[: ceil(absent * n)]] = np.nan
        return simulate(z, noise)

    return critical_value(f"{name}, {absent:g} absent", n, with_holes, (1 - PART) * level, draws)  # (4)
