"""Tracing against the means of the catalog: with the noise of a budget, and with next to none of it.

Rows are standard normal, four times as many columns as rows, so that an exact mean names most of its members
(`study.tracing`). A populous mean takes 109 rows at least and has as many columns as rows. The others are in
no table in which an exact mean could be traced: see `OUT_OF_REACH`.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.catalog import CATALOG
from workbench.distributions import Gaussian
from workbench.populations import MultivariateGaussian
from workbench.privacy import ApproxDP, NonPrivate, SimulatedNoise
from workbench.study import measures, tracing
from workbench.study.claim import Claim
from workbench.study.grids import Sweep
from workbench.study.profiles import blocks
from workbench.study.rules import Verdict
from workbench.types import Columns

SEED = 31  # of resampling
BUDGET = ApproxDP(1.0, 1e-6)
WHOLE, HARDLY_ANY = 1.0, 1e-6  # shares of the noise

SMALL, MIDDLE = (16, 64), (128, 128)
PLACES: Mapping[str, tuple[int, int]] = {
    "mean/clipped-box": SMALL,
    "mean/coordinatewise": SMALL,
    "mean/coinpress": SMALL,
    "mean/clipped-heavy": SMALL,
    "mean/filter": SMALL,
    "mean/prime": SMALL,
    "mean/prime-heavy": SMALL,
    "mean/robust": SMALL,
    "mean/robust-heavy": SMALL,
    "mean/populous": MIDDLE,
}
"""Rows and columns for every private mean that can be tried where an exact mean is traced."""

EXACT: Mapping[str, tuple[int, int]] = {"mean/empirical": SMALL, "mean/filter-nonprivate": SMALL}

OUT_OF_REACH: Mapping[str, tuple[int, int]] = {
    "mean/median-of-means": (560, 16),  # 375 rows at least
    "mean/affine": (5000, 2),  # hundreds of rows for every column
    "mean/populous-robust": (1600, 2),  # at most 8 columns
    "mean/tukey": (100, 2),  # at most 3 columns, as the two below
    "mean/resilient": (1000, 2),
    "mean/resilient-heavy": (1000, 2),
}
"""Rows and columns of means of which nobody could be traced, if they were exact; nothing is shown there."""


def traced(
    key: str, n: int, d: int, noise_share: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Trace all members of every release, and return the share of those that are found."""
    estimator = CATALOG[key].estimator
    population = MultivariateGaussian(Gaussian(np.zeros(d), np.eye(d)))
    budget = None if isinstance(CATALOG[key].examples[0].budget, NonPrivate) else BUDGET
    source = tracing.Quieter(SimulatedNoise(noise), noise_share)
    found = [tracing.traced(estimator, population, n, budget, data=data, noise=source) for _ in range(trials)]
    return {"traced": np.array(found)}


EVERY_MEAN = Sweep(
    "what-epsilon-means-every-mean",
    tuple(
        {"key": key, "n": n, "d": d, "noise_share": share}
        for places, shares in ((PLACES, (WHOLE, HARDLY_ANY)), (EXACT, (WHOLE,)))
        for key, (n, d) in places.items()
        for share in shares
    ),
    traced,
    trials=60,
    blocks=blocks(full=8),
)


def members_are_hidden(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks: below the bound with its noise, above it without noise and for exact means."""
    most, checks = tracing.most_traced(BUDGET), []
    for (key, share), some in frame.groupby(["key", "noise_share"], sort=False):
        hidden = share == WHOLE and key not in EXACT
        name = f"{key}, noise times {HARDLY_ANY:g}" if share == HARDLY_ANY else str(key)
        ends = (0.0, most) if hidden else (most, 1.0)
        found = measures.summary(measures.mean, some["traced"], SEED, f"tracing {name}")
        low, high = found.interval
        found = found._replace(interval=(max(low, 0.0), min(high, 1.0)))
        checks.append(measures.between(name, found, *ends, bound=most, n=int(some["n"].iloc[0])))
    return checks


CLAIMS = (
    Claim(
        "what-epsilon-means/every-mean-hides-members",
        "X7",
        ("DSSUV15/tracing",),
        "Of ten private means of the catalog, at (1, 10⁻⁶) and with as many columns as rows or more, a"
        " member's score is among the highest 5 % of strangers' in at most e/20 + 10⁻⁶ = .136 of all cases."
        " With a millionth of the noise it is in more, as it is for exact means.",
        checks=members_are_hidden,
        sweeps=lambda: (EVERY_MEAN,),
        kind="ours",
    ),
)
