"""Errors of the robust means of exponential time, and of private ranges, with a share of the rows elsewhere.

A failure probability ζ is measured without rare events: a run is `runs` releases on fresh rows, and its error
is the largest of theirs. Half of such runs are good where ζ = 1 - 2^(-1/runs).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.bounds import lkko21
from workbench.chapters.robust_and_private.adversaries import heavy_rows
from workbench.estimators.base import Abstention
from workbench.estimators.histograms import BallRange, BoxRange
from workbench.estimators.tukey import ResilientHeavyMean, ResilientMean, TukeyMean
from workbench.privacy import ApproxDP, Budget, PureDP
from workbench.study.run import Row, each_trial
from workbench.types import Array

ELSEWHERE = 20.0  # where corrupted rows are for a range: in no bin of clean ones


@dataclass(frozen=True)
class Net:
    """A robust mean on a net: `make(α, R, step)` builds it, `error(α)` is the error aimed at.

    `places` are the distances of the cluster, in standard deviations, or over 1/√α for heavy tails. A median
    asks on which side rows are: at 1, 1.5, 3, 6 and 20 the same runs are good, and one place stands for all.
    """

    make: Callable[[float, float, float], Any]
    error: Callable[[float], float]
    places: tuple[float, ...]
    heavy: bool = False

    def rows(self, n: int, d: int, alpha: float, place: float, data: Generator) -> Array:
        """Return rows of mean 0 with a cluster along (1, .., 1)."""
        x = heavy_rows("student", n, d, data) if self.heavy else data.standard_normal((n, d))
        x[: int(alpha * n)] = place / sqrt(d) / (sqrt(alpha) if self.heavy else 1.0)
        return x


NETS: Mapping[str, Net] = {
    "mean/resilient": Net(
        lambda alpha, radius, step: ResilientMean(radius=radius, corruption=alpha, step=step, sigma=1.0),
        lambda alpha: 2 * lkko21.sub_gaussian_error(alpha),
        (1.5, 2.0, 3.0, 6.0, 20.0),
    ),
    "mean/resilient-heavy": Net(
        lambda alpha, radius, step: ResilientHeavyMean(radius=radius, corruption=alpha, step=step, sigma=1.0),
        lambda alpha: 1.5 * lkko21.bounded_covariance_error(alpha),
        (0.5, 1.0, 2.0, 4.0, 8.0),
        heavy=True,
    ),
    "mean/tukey": Net(
        lambda alpha, radius, step: TukeyMean(radius=radius, step=step, sigma=1.0),
        lambda alpha: 2 * alpha,
        (6.0,),
    ),
}


@each_trial
def errors(
    key: str,
    d: int,
    n: int,
    corruption: float,
    place: float,
    epsilon: float,
    delta: float,
    radius: float,
    step: float,
    runs: int,
    *,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the largest error of so many releases; `delta` = 0 for a pure budget."""
    net, budget = NETS[key], budget_of(epsilon, delta)
    one = net.make(corruption, radius, step)
    found = []
    for _ in range(runs):
        theta = data.uniform(-radius / 2, radius / 2, d)
        value = one(net.rows(n, d, corruption, place, data) + theta, budget=budget, rng=noise).value
        found.append(inf if isinstance(value, Abstention) else float(np.linalg.norm(value - theta)))
    return {"error": max(found), "abstained": max(found) == inf}


def budget_of(epsilon: float, delta: float) -> Budget:
    """Return the budget."""
    return ApproxDP(epsilon, delta) if delta else PureDP(epsilon)


@each_trial
def ranges(
    key: str,
    d: int,
    n: int,
    corruption: float,
    epsilon: float,
    delta: float,
    runs: int,
    *,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure by how much too many clean rows lie outside, in the worst of so many releases; 0 if none do.

    The means are on an edge of a bin in every coordinate. A box has to hold all clean rows, a ball all but a
    share `corruption` of them.
    """
    heavy = key == "range/ball"
    one = BallRange(corruption=corruption, upper=1.0) if heavy else BoxRange(calibration="paper", sigma=1.0)
    allowed, bad, worst = corruption if heavy else 0.0, int(corruption * n), 0.0
    for _ in range(runs):
        x = heavy_rows("student", n, d, data) if heavy else data.standard_normal((n, d))
        x[:bad] = ELSEWHERE
        region = one(x, budget=ApproxDP(epsilon, delta), rng=noise).value
        lost = inf if isinstance(region, Abstention) else 1 - float(region.contains(x[bad:]).mean())
        worst = max(worst, lost - allowed)
    return {"error": max(worst, 0.0), "abstained": worst == inf}
