"""Critical values for rows of which a share is absent, where a private count tells about how many.

    (1) p/n = the noisy share of rows that are there, drawn with the mean (`parts.rescaled`)
    (2) a = a share that is absent at most, with chance 1 - .05 level: 1 - p/n and a quantile of the noise of
        (1), rounded up to 2 %
    (3) the critical value at .95 level of the pivot of a run on n rows, of which a n are absent at random

Fewer rows vary more, so that (3) covers where less than a is absent. It needs rows that are absent at random.
Proof: `proofs/univariate.md`, section 9.
"""

from collections.abc import Callable
from math import ceil, inf

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.locate.laplace_normal import noise_quantile
from workbench.estimators.parts.rescaled import LEAST, Missing, charge_of_share
from workbench.estimators.parts.rows import own_stream
from workbench.estimators.parts.scale.pivots import Simulate, critical_value
from workbench.privacy import NoiseSource, Plan
from workbench.types import Array, Calibration

SURE, GRID = 0.05, 50  # of the level for (2); one over what shares are rounded to


def require_tight(missing: Missing, calibration: Calibration) -> None:
    """Raise if an interval of the source's is asked to count: its width is for n rows."""
    if missing == "counted" and calibration == "paper":
        raise ArgumentError("missing", missing, '"neutral" with calibration = "paper"')


def absent_at_most(there: float, n: int, plan: Plan, level: float) -> float:
    """Return a of step (2); 1 where location is all, and nothing tells."""
    margin = lost_at_most(n, plan, SURE * level)
    return ceil(GRID * (1 - there + margin) * (1 - 1e-12)) / GRID if margin < inf else 1.0


def lost_at_most(n: int, plan: Plan, chance: float) -> float:
    """Return what noise takes from the share of (1) but with this chance; infinite where location is all."""
    means = [charge for charge in plan.charges() if charge.step == "mean"]
    return noise_quantile(charge_of_share(means[0], n), min(2 * chance, 1.0)) if means else inf


def widest(critical: Callable[[float], float], n: int, plan: Plan, chance: float) -> float:
    """Return the largest critical value of a noisy share of n rows that are there, but with `chance`."""
    lost = lost_at_most(n, plan, chance)
    if lost > 1 - LEAST:
        return inf
    return max(critical(1 - step / GRID) for step in range(ceil(GRID * lost) + 1))


def counted_value(name: str, n: int, simulate: Simulate, level: float, draws: int, absent: float) -> float:
    """Return the critical value of step (3); infinite where hardly any row may be there."""
    if absent > 1 - LEAST:
        return inf

    def with_holes(z: Array, noise: NoiseSource) -> float | None:
        z[own_stream(noise).permutation(n)[: ceil(absent * n)]] = np.nan
        return simulate(z, noise)

    return critical_value(f"{name}, {absent:g} absent", n, with_holes, (1 - SURE) * level, draws)
