"""Tracing against the means of the catalog: with the noise of a budget, and with next to none of it.

Rows are standard normal, four times as many columns as rows, so that an exact mean names most of its members
(`study.tracing`). A populous mean takes 109 rows at least and has as many columns as rows. The others are in
no table in which an exact mean could be traced: see `OUT_OF_REACH`.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.random import Generator

from workbench.catalog import CATALOG
from workbench.distributions import Gaussian
from workbench.populations import MultivariateGaussian
from workbench.privacy import ApproxDP, NonPrivate, SimulatedNoise
from workbench.study import tracing
from workbench.study.grids import Sweep
from workbench.study.profiles import blocks
from workbench.types import Columns

BUDGET = ApproxDP(1.0, 1e-6)
WHOLE, HARDLY_ANY = 1.0, 1e-6  # shares of the noise

SMALL, MIDDLE = (16, 64), (128, 128)
PLACES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
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
)
"""Rows and columns for every private mean that can be tried where an exact mean is traced."""

EXACT: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"mean/empirical": SMALL, "mean/filter-nonprivate": SMALL}
)

OUT_OF_REACH: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "mean/median-of-means": (560, 16),  # 375 rows at least
        "mean/affine": (5000, 2),  # hundreds of rows for every column
        "mean/populous-robust": (1600, 2),  # at most 8 columns
        "mean/tukey": (100, 2),  # at most 3 columns, as the two below
        "mean/resilient": (1000, 2),
        "mean/resilient-heavy": (1000, 2),
    }
)
"""Rows and columns of means of which nobody could be traced, if they were exact; nothing is shown there."""


def law(d: int) -> MultivariateGaussian:
    """Return the population in d columns."""
    return MultivariateGaussian(Gaussian(np.zeros(d), np.eye(d)))


def traced(
    key: str, n: int, d: int, noise_share: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Trace all members of every release, and return the share of those that are found."""
    estimator, population = CATALOG[key].estimator, law(d)
    budget = None if isinstance(CATALOG[key].examples[0].budget, NonPrivate) else BUDGET
    source = tracing.Quieter(SimulatedNoise(noise), noise_share)
    found = [tracing.traced(estimator, population, n, budget, data=data, noise=source) for _ in range(trials)]
    return {"traced": np.array(found)}


def point(key: str, place: tuple[int, int], noise_share: float) -> dict[str, str | int | float]:
    """Return one point of the sweep."""
    return {"key": key, "n": place[0], "d": place[1], "noise_share": noise_share}


EVERY_MEAN = Sweep(
    "what-epsilon-means-every-mean",
    (
        *(point(key, place, share) for key, place in PLACES.items() for share in (WHOLE, HARDLY_ANY)),
        *(point(key, place, WHOLE) for key, place in EXACT.items()),
    ),
    traced,
    trials=60,
    blocks=blocks(full=8),
)
