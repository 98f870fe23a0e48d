"""A cluster as near as it can hide: errors of robust means, and the n from which a filter sees it.

Rows are of covariance I and mean θ, uniform on the cube of side 16 round 0; a share α of them is moved by
`far` times the distance at which a cluster that stays moves the mean by just the error aimed at. Nearer, it
does no harm; farther, it is seen with fewer rows. One cluster along (1, .., 1) is the worst of those tried at
d = 8, α = .05, (1, 1e-6)-DP, n that nine runs of ten need: along (1, .., 1) 40,000 rows for mean/prime and
43,000 for mean/filter, along an axis or a random direction as many within 10 %, two clusters on two axes
32,000 and 38,000, eight on eight 23,000 for both. Nearer than the nearest of `FAR` n falls: for mean/prime at
d = 8, ε = 2, 21,000 at .9, 14,000 at .85, 9,000 at .8, beside 24,000 at .95 and 21,000 at 1.

Every distance has a scaling of its own, with what distinguishes it in brackets behind the key. What is
decided is about the largest n at every value; the detail says whose it is.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import exp, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.bounds import lkko21
from workbench.bounds.search import smallest
from workbench.chapters.robust_and_private.adversaries import PLACES, RADIUS, heavy_rows
from workbench.estimators.prime import FilterMean, PrimeHeavyMean, PrimeMean
from workbench.estimators.references import MEAN, FilterNonprivateMean
from workbench.estimators.robust import RobustMean
from workbench.estimators.shared.budgets import step_budgets
from workbench.privacy import ApproxDP, Budget, GaussianDP
from workbench.study.rules import Verdict
from workbench.study.run import Row, answered, each_trial, error_of
from workbench.study.scaling import Least, Scaling, grows

FAR = (0.95, 1.0, 1.15, 1.4, 2.0)
NEAR, HEAVY = 1.2, 1.5  # the error aimed at, over that of a cluster at the filter's level, and over √α
FINE = 200  # steps of an e-fold in the search for n
WITHOUT_NOISE = GaussianDP(1e6)
Growth = tuple[Scaling, Sequence[Least]]


@dataclass(frozen=True)
class Filter:
    """A mean with a filter: `make(α, passes)` builds it; with `passes` = 0 it takes its own number.

    `level` is C of the excess C α ln(1/α) at which it ends; without a level only the covariance is bounded.
    """

    make: Callable[[float, int], Any]
    level: float | None
    private: bool = True

    def error(self, alpha: float) -> float:
        """Return the error aimed at: 1.2 √C α √(ln 1/α), or 1.5 √α."""
        if self.level is None:
            return HEAVY * lkko21.bounded_covariance_error(alpha)
        return NEAR * sqrt(self.level) * lkko21.sub_gaussian_error(alpha)

    def seen(self, alpha: float, reach: float) -> float:
        """Return what a cluster at this distance makes of the second moment, above what is not looked at."""
        excess = alpha * (1 - alpha) * reach**2
        return excess + (1 - alpha if self.level is None else 0.0)


FILTERS = {
    "mean/filter-nonprivate": Filter(
        lambda share, _: FilterNonprivateMean(corruption=share, calibration="paper", sigma=1.0),
        MEAN,
        private=False,
    ),
    "mean/filter": Filter(
        lambda share, passes: FilterMean(radius=RADIUS, corruption=share, passes=passes or None, sigma=1.0),
        1.0,
    ),
    "mean/prime": Filter(
        lambda share, passes: PrimeMean(radius=RADIUS, corruption=share, passes=passes or None, sigma=1.0),
        1.0,
    ),
    "mean/robust": Filter(lambda share, _: RobustMean(radius=RADIUS, corruption=share, sigma=1.0), 1.0),
    "mean/prime-heavy": Filter(
        lambda share, passes: PrimeHeavyMean(
            radius=RADIUS, corruption=share, passes=passes or None, upper=1.0
        ),
        None,
    ),
}


@each_trial
def errors(
    key: str,
    d: int,
    n: int,
    corruption: float,
    far: float,
    *,
    epsilon: float = 1.0,
    delta: float = 1e-6,
    passes: int = 0,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the error of one filter, with one cluster at `far` times its distance."""
    chosen = FILTERS[key]
    x = data.standard_normal((n, d)) if chosen.level is not None else heavy_rows("student", n, d, data)
    x[: int(corruption * n)] += far * chosen.error(corruption) / corruption / sqrt(d)
    theta, one = data.uniform(-PLACES, PLACES, d), chosen.make(corruption, passes)
    given = {"budget": ApproxDP(epsilon, delta), "rng": noise} if chosen.private else {}
    found = one(x + theta, **given).value
    return answered(error_of(found, lambda mean: np.linalg.norm(mean - theta)))


@cache
def rows_to_see(
    key: str, d: int, corruption: float, budget: Budget, passes: int = 0, reach: float = 0.0
) -> float:
    """Return the n from which the threshold of a private filter is below what a cluster does to it.

    The cluster is at `reach`, or as near as it does harm. All constants are those of the filter's public
    design; a run whose noise is large is not yet right there, one whose noise is small is right before.
    """
    chosen = FILTERS[key]
    seen = chosen.seen(corruption, reach or chosen.error(corruption) / corruption)
    estimator = chosen.make(corruption, passes)

    def enough(step: int) -> bool:
        steps = estimator.tight(_rows(step), d)
        return bool(steps.threshold(step_budgets(budget, steps.shares)[2]) <= seen)

    return float(_rows(smallest(enough, FINE)))


def noise_share(key: str, d: int, corruption: float, budget: Budget, passes: int = 0) -> float:
    """Return 1 - n'/n, n' being the rows to see the cluster with hardly any noise."""
    n, quiet = (rows_to_see(key, d, corruption, one, passes) for one in (budget, WITHOUT_NOISE))
    return 1 - quiet / n


def _rows(step: int) -> int:
    return 20 + round(exp(step / FINE))


def named(key: str, adversary: str) -> str:
    """Return what a scaling calls an estimator under an adversary."""
    return f"{key} [{adversary}]"


def families(growths: Iterable[Growth]) -> Iterator[list[Growth]]:
    """Return the scalings that differ in the adversary alone."""
    found: dict[tuple[str, str, str], list[Growth]] = {}
    for scaling, leasts in growths:
        name = scaling.statement, scaling.variable, f"{_key(scaling)} {scaling.term}"
        found.setdefault(name, []).append((scaling, leasts))
    yield from found.values()


def worst(family: Sequence[Growth]) -> tuple[Scaling, list[Least], list[str]]:
    """Return one scaling for the family, the largest n at every value, and whose it is.

    A search without an upper end counts where it began to succeed.
    """
    first = family[0][0]
    largest, whose = [], []
    for leasts in zip(*(leasts for _, leasts in family), strict=True):
        place = max(range(len(leasts)), key=lambda one: (leasts[one].n, one))
        largest.append(leasts[place])
        whose.append(family[place][0].key.partition("[")[2].rstrip("]"))
    return replace(first, key=_key(first)), largest, whose


def follow_worst(*growths: Growth) -> list[Verdict]:
    """Return a check for every family: how the largest n grows."""
    return [_grows(family) for family in families(growths)]


def _grows(family: Sequence[Growth]) -> Verdict:
    scaling, largest, whose = worst(family)
    found = grows(scaling, largest)
    name = f"{found.id}, {scaling.term}"
    return replace(found, id=name, detail={**found.detail, "worst": whose})


def _key(scaling: Scaling) -> str:
    return scaling.key.partition(" [")[0]
