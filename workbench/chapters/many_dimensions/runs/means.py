"""Runs of private means in d dimensions side by side: on normal rows, and on rows that are skewed.

"reference" is the error of the sample mean. The mean is uniform in a box of public half-width.
"""

from collections.abc import Mapping
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.many_dimensions.runs.theory import Parts, mean_parts
from workbench.estimators import Estimator
from workbench.estimators.clipped import ClippedBoxMean, CoordinatewiseMean, shared
from workbench.estimators.coinpress import CoinPressMean
from workbench.estimators.heavy_tailed import ClippedHeavyMean
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, each_trial, error_of
from workbench.types import Array

EPSILON, DELTA, HALF_WIDTH = 1.0, 1e-6, 100.0
N, D, SKEW_D = 2000, 20, 10
COUNTS, DIMENSIONS = (500, 1000, 2000, 4000, 8000, 16_000), (1, 2, 4, 8, 16, 32, 64)
BOX, BALL, HEAVY = "mean/clipped-box", "mean/coinpress", "mean/clipped-heavy"
COORDINATES, PROVED = "mean/coordinatewise", f"{BALL}:proved"
FOUND = 0.01  # chance of a wrong place up to which the predictions for runs that find the mean are compared
SHAPE = 0.25  # of the gamma law of every coordinate: kurtosis 3 + 6/SHAPE, skewness 2/√SHAPE
LAWS = {"normal": 3.0, "skewed": 3.0 + 6 / SHAPE}  # with C, E<v, X>⁴ ≤ C |v|⁴


def estimators(d: int, half_width: float) -> dict[str, Estimator[Any]]:
    """Return every method for normal rows, their mean known to lie in a box of this half-width."""
    radius = half_width * sqrt(d)  # of the ball round the box
    return {
        BOX: ClippedBoxMean(radius=half_width, sigma=1.0),
        COORDINATES: CoordinatewiseMean(sigma=1.0),
        HEAVY: ClippedHeavyMean(radius=radius, upper=1.0),
        PROVED: CoinPressMean(radius=radius, mode="proved", sigma=1.0),
        BALL: CoinPressMean(radius=radius, sigma=1.0),
    }


def predicted(key: str, estimator: Any, n: int, d: int, budget: ApproxDP) -> Parts:
    """Return the prediction for one method: sampling error, and what privacy adds."""
    if key == COORDINATES:
        law = estimator.steps(0).design(n, shared(budget, d))
        rms = float(law.rms) if law.failure < 0.5 / d else inf
        return Parts(sqrt(d / n), sqrt(d) * sqrt(max(rms**2 - 1 / n, 0.0)), d)
    if isinstance(estimator, CoinPressMean):
        return mean_parts(estimator, n, d, budget)
    charges = list(estimator.plan(n, d, budget).charges())
    return Parts(sqrt(d / n), sqrt(d) * gaussian_scale(charges[-1]), d)


def found(key: str, estimator: Any, n: int, d: int, budget: ApproxDP) -> bool:
    """Return whether nearly all runs find the mean, so far as public numbers tell."""
    if key == COORDINATES:
        return bool(d * estimator.steps(0).design(n, shared(budget, d)).failure <= FOUND)
    return True


def distances(
    methods: Mapping[str, Estimator[Any]], x: Array, theta: Array, budget: ApproxDP, noise: Generator
) -> Row:
    """Return the error of every method, infinite where it does not answer, and of the sample mean."""
    found: dict[str, Any] = {"reference": np.linalg.norm(x.mean(axis=0) - theta)}
    for key, estimator in methods.items():
        value = estimator(x, budget=budget, rng=noise).value
        found[key] = error_of(value, lambda mean: np.linalg.norm(mean - theta))
    return found


@each_trial
def side_by_side(
    n: int,
    d: int,
    half_width: float,
    epsilon: float,
    *,
    delta: float = DELTA,
    data: Generator,
    noise: Generator,
) -> Row:
    """Run every method on the same normal rows."""
    theta = data.uniform(-half_width, half_width, d)
    x = data.standard_normal((n, d))
    x += theta
    return distances(estimators(d, half_width), x, theta, ApproxDP(epsilon, delta), noise)


def rows_of(law: str, n: int, d: int, data: Generator) -> Array:
    """Return rows of mean 0 and covariance I: normal, or independent skewed coordinates."""
    if law == "normal":
        return data.standard_normal((n, d))
    return np.asarray((data.gamma(SHAPE, size=(n, d)) - SHAPE) / sqrt(SHAPE))


@each_trial
def laws(
    n: int,
    d: int,
    epsilon: float,
    law: str,
    *,
    delta: float = DELTA,
    half_width: float = HALF_WIDTH,
    data: Generator,
    noise: Generator,
) -> Row:
    """Run the mean for normal rows and the mean for bounded moments on the same rows."""
    radius = half_width * sqrt(d)
    methods: dict[str, Estimator[Any]] = {
        BALL: CoinPressMean(radius=radius, sigma=1.0),
        HEAVY: ClippedHeavyMean(radius=radius, hypercontractivity=LAWS[law], upper=1.0),
    }
    theta = data.uniform(-half_width, half_width, d)
    return distances(methods, rows_of(law, n, d, data) + theta, theta, ApproxDP(epsilon, delta), noise)


AGAINST_D = Sweep(
    "m21-means-d",
    grid(n=N, d=DIMENSIONS, half_width=HALF_WIDTH, epsilon=EPSILON),
    side_by_side,
    10,
    blocks(10),
)
AGAINST_N = Sweep(
    "m21-means-n",
    grid(n=COUNTS, d=D, half_width=HALF_WIDTH, epsilon=EPSILON),
    side_by_side,
    10,
    blocks(10),
)
SKEWED = Sweep(
    "m21-skewed-rows",
    grid(n=(1000, 3000, 10_000, 30_000, 100_000), d=SKEW_D, epsilon=EPSILON, law=tuple(LAWS)),
    laws,
    7,
    {"quick": 1, "ci": 4, "full": 14, "deep": 56},
)
