"""Which primitive operations an entry cannot avoid, keyed by entry.

A floor is a lower bound for the algorithm as its module states it, with its noise: reading the rows once into
an owned copy and checking them; the sort, count or product that the statistic is made of; one draw for every
random number that the mechanism asks for. Passes that could be merged into one are counted once. What is not
listed (arithmetic on the way, the plan, memory for intermediate arrays) is what a ratio above 1 shows.
"""

from collections.abc import Callable
from math import ceil
from types import MappingProxyType
from typing import Any

from workbench.catalog import Example, addition
from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, Budget
from workbench.study.bench import floors_multivariate, floors_votes
from workbench.study.bench.floors_multivariate import located
from workbench.study.bench.primitives import Floor, bincount, copy, exponential, log, normal, scan, sort
from workbench.study.siblings import home

MINIMAL = "lambda estimator, budget, n, d: (scan(n, d), normal(d))"
POPULATED = 16  # bins that normal rows fill, with a width of one standard deviation


def floor(key: str, example: Example, n: int, d: int) -> Floor:
    """Return the primitives of one call of an example on n rows of d columns."""
    require_floor(key)
    own = addition(key)
    found = own.require("floor") if own else FLOORS[key]
    return (*read(n, d), *found(example.estimator, example.budget, n, d))


def require_floor(key: str) -> None:
    """Raise, saying where it is to be added, unless a key has a floor."""
    if own := addition(key):
        own.require("floor")
    elif key not in FLOORS:
        raise ArgumentError("key", key, f"a floor: add it to FLOORS in {home(key, FLOORS)}: {MINIMAL}")


def read(n: int, d: int) -> Floor:
    """Return the operations of reading: an owned copy of the rows, every entry checked."""
    return copy(n, d), scan(n, d)


def _clipped_mean(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    return scan(n), normal(1)


def _mean(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    return (*_location(estimator, budget, n, d), scan(n), normal(1))


def _location(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return a window median, or the source's histogram."""
    if estimator.calibration == "tight":
        return located(n)
    return _histogram(estimator, budget, n, d)


def _median(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    return located(n)


def _quantiles(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return a sort, and for every cut of every level the weights of all pieces and their sums."""
    tree = estimator.cutting(n, budget).tree
    cuts = sum(max(len(segment.chosen) for segment in level) for level in tree)
    return (sort(n), *(log(n), scan(n)) * cuts)


def _histogram(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    radius = getattr(estimator, "radius", None)
    if radius is None:
        return _stable_histogram(budget, n)
    bins = ceil(2 * radius / estimator.sigma)
    return bincount(n, bins), exponential(bins)


def _stable_histogram(budget: Budget, n: int) -> Floor:
    """Return counts of populated bins, and noise for n of them: two draws each if it is discrete."""
    noise = normal(n) if isinstance(budget, ZCDP) else exponential(2 * n)
    return bincount(n, POPULATED), noise


def _scale(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    pairs = n // 2
    if estimator.calibration == "tight":
        return (log(pairs), *located(pairs), scan(n), normal(1))
    if getattr(estimator, "lower", None) is None:
        return scan(n), *_stable_histogram(budget, pairs)
    return scan(n), bincount(pairs, POPULATED)


def _interval_unknown_variance(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    parts = _scale(estimator, budget, n, d) + _mean(estimator, budget, n, d)
    return parts if estimator.calibration == "tight" else (*parts, scan(n // 2), normal(1))


def _interval_mean(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    radii = (log(n), *located(n), *located(n))
    return (log(n // 2), *located(n // 2), *located(n), *radii, scan(n), scan(n), normal(2))


FLOORS: MappingProxyType[str, Callable[[Any, Budget, int, int], Floor]] = MappingProxyType(
    {
        "univariate/clipped-mean": _clipped_mean,
        "univariate/two-step-mean": _mean,
        "univariate/unbounded-mean": _mean,
        "univariate/median": _median,
        "univariate/quantiles": _quantiles,
        "univariate/histogram-location": _histogram,
        "univariate/stable-location": _histogram,
        "univariate/scale": _scale,
        "univariate/interval": _mean,
        "univariate/interval-unknown-variance": _interval_unknown_variance,
        "univariate/interval-mean": _interval_mean,
        **floors_multivariate.FLOORS,
        **floors_votes.FLOORS,
    }
)
