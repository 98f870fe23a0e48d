"""Runs of CoinPress beside the plain estimate of the same rows, and the sweeps behind its costs.

Errors are Euclidean for means of N(θ, I), and in the norm of Σ for covariances of N(0, Σ). "apart" is how far
the private estimate is from the plain one of the same rows, "reference" is the error of the plain one. θ has
a random direction and a random distance of up to `radius` from the centre of the public ball; Σ is rotated at
random, its eigenvalues from 1 to the condition number in equal ratios.
"""

from collections.abc import Mapping
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.many_dimensions.runs import theory
from workbench.estimators.coinpress import CoinPressCovariance, CoinPressMean
from workbench.linalg import second_moment
from workbench.losses import mahalanobis_covariance_error
from workbench.privacy import ZCDP
from workbench.study.grids import Point, Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, each_trial
from workbench.types import Array, Columns

MODES = ("practical", "proved")
RHO, D, N = 0.5, 10, 4000
REACH = 100.0  # radius over √d: a box of this half-width lies in the ball
CONDITION = 100.0
BETA = 0.1  # of an error above alpha, where rows are counted
MEAN_ALPHA, COVARIANCE_ALPHA, COVARIANCE_DIMENSION = 0.2, 0.1, 8  # in the middle of the settings
# d and alpha: n, one for each mode, round which the grid lies. They were predicted; `mean_rows` and
# `covariance_rows` are the predictions that measurements are compared with.
MEAN_ROWS = {
    (5, 0.2): (285, 388),
    (10, 0.2): (480, 603),
    (20, 0.2): (838, 988),
    (40, 0.2): (1510, 1695),
    (10, 0.1): (1678, 1834),
    (10, 0.5): (140, 208),
}
COVARIANCE_ROWS = {
    (4, 0.1): (3372, 7764),
    (8, 0.2): (2617, 9535),
    (8, 0.1): (9791, 16_293),
    (16, 0.2): (8507, 18_137),
}
FEW = 5  # dimensions
FACTORS = (0.82, 0.88, 0.94, 1.0, 1.06, 1.13, 1.22)  # n over the one in the middle


def mean_of(d: int, reach: float, **more: Any) -> CoinPressMean:
    """Return the estimator of a point of d and `reach`, the public radius over √d."""
    return CoinPressMean(radius=reach * sqrt(d), sigma=1.0, **more)


def covariance_of(condition: float, **more: Any) -> CoinPressCovariance:
    """Return the estimator of a point; its public bound is the condition number, the least eigenvalue 1."""
    return CoinPressCovariance(upper=condition, lower=1.0, centred=True, **more)


def normal_rows(n: int, d: int, reach: float, data: Generator) -> tuple[Array, Array]:
    """Return θ and n rows of N(θ, I)."""
    theta = data.standard_normal(d)
    theta *= reach * sqrt(d) * data.random() / np.linalg.norm(theta)
    return theta, data.standard_normal((n, d)) + theta


def rotated(d: int, condition: float, data: Generator) -> Array:
    """Return a covariance with random axes, its eigenvalues from 1 to `condition`."""
    basis = np.linalg.qr(data.standard_normal((d, d)))[0]
    return np.asarray((basis * spectrum(d, condition)) @ basis.T)


def spectrum(d: int, condition: float) -> Array:
    """Return its eigenvalues."""
    return np.geomspace(1.0, condition, d)


def centred_rows(n: int, d: int, condition: float, data: Generator) -> tuple[Array, Array]:
    """Return Σ and n rows of N(0, Σ)."""
    sigma = rotated(d, condition, data)
    return sigma, data.standard_normal((n, d)) @ np.linalg.cholesky(sigma).T


def beside_the_mean(
    estimators: Mapping[Any, CoinPressMean], theta: Array, x: Array, rho: float, noise: Generator
) -> Row:
    """Return the error of the sample mean, and of every estimator its error and how far it is apart."""
    plain = x.mean(axis=0)
    found = {"reference": np.linalg.norm(plain - theta)}
    for name, estimator in estimators.items():
        value: Any = estimator(x, budget=ZCDP(rho), rng=noise).value
        found[f"error {name}"] = np.linalg.norm(value - theta)
        found[f"apart {name}"] = np.linalg.norm(value - plain)
    return found


@each_trial
def means(n: int, d: int, rho: float, reach: float, *, data: Generator, noise: Generator) -> Row:
    """Run both modes on the same rows, at a point of n, d, rho and reach."""
    modes = {mode: mean_of(d, reach, mode=mode) for mode in MODES}
    return beside_the_mean(modes, *normal_rows(n, d, reach, data), rho, noise)


@each_trial
def covariances(n: int, d: int, rho: float, condition: float, *, data: Generator, noise: Generator) -> Row:
    """Run both modes on the same rows, at a point of n, d, rho and condition."""
    sigma, x = centred_rows(n, d, condition, data)
    plain = second_moment(x)
    found = {"reference": mahalanobis_covariance_error(plain, sigma)}
    for mode in MODES:
        value: Any = covariance_of(condition, mode=mode)(x, budget=ZCDP(rho), rng=noise).value
        found[f"error {mode}"] = mahalanobis_covariance_error(value, sigma)
        # far from Σ the plain estimate's own norm would be another: both are measured in that of Σ
        found[f"apart {mode}"] = mahalanobis_covariance_error(sigma + value - plain, sigma)
    return found


def table(trials: int, *names: str) -> Columns:
    """Return empty columns of a block."""
    return {name: np.full(trials, np.inf) for name in names}


@lru_cache(maxsize=256)
def mean_rows(d: int, alpha: float, mode: Any, rho: float = RHO, reach: float = REACH) -> int:
    """Return the predicted n at which the mean errs by at most alpha with probability .9."""
    estimator = mean_of(d, reach, mode=mode)
    return theory.rows_needed(lambda n: theory.mean_parts(estimator, n, d, ZCDP(rho)), alpha, BETA)


@lru_cache(maxsize=256)
def covariance_rows(d: int, alpha: float, mode: Any, rho: float = RHO, condition: float = CONDITION) -> int:
    """Return the predicted n at which the covariance errs by at most alpha with probability .9."""
    estimator, axes = covariance_of(condition, mode=mode), spectrum(d, condition)
    return theory.rows_needed(lambda n: theory.covariance_parts(estimator, axes, n, ZCDP(rho)), alpha, BETA)


def more_rows(rho: float, times: float, power: float = 1.0) -> float:
    """Return by what the rows grow at which steps do as much, d by `times`; at most twice, as the work.

    The noise of a step is of size d^power/(n√ρ) beside the ball or the frame: power 1 for a mean, 3/2 for a
    covariance (the third terms of M21's formulas, and noise that is as large).
    """
    return min(2.0, max(0.5, float(times**power) * sqrt(RHO / rho)))


@each_trial
def mean_size(
    d: int, alpha: float, mode: Any, n: int, rho: float, reach: float, *, data: Generator, noise: Generator
) -> Row:
    """Run one mode, at a point that has a mode."""
    theta, x = normal_rows(n, d, reach, data)
    value: Any = mean_of(d, reach, mode=mode)(x, budget=ZCDP(rho), rng=noise).value
    return {"error": np.linalg.norm(value - theta)}


@each_trial
def covariance_size(
    d: int,
    alpha: float,
    mode: Any,
    n: int,
    rho: float,
    condition: float,
    *,
    data: Generator,
    noise: Generator,
) -> Row:
    """Run one mode, at a point that has a mode."""
    sigma, x = centred_rows(n, d, condition, data)
    value: Any = covariance_of(condition, mode=mode)(x, budget=ZCDP(rho), rng=noise).value
    return {"error": mahalanobis_covariance_error(value, sigma)}


def around(middle: Mapping[tuple[int, float], tuple[int, int]], **more: float) -> tuple[Point, ...]:
    """Return points of d, alpha, mode and n, n around the one in the middle; a covariance takes two rows."""
    return tuple(
        {"d": d, "alpha": alpha, "mode": mode, "n": rows, **more}
        for (d, alpha), both in middle.items()
        for mode, n in zip(MODES, both, strict=True)
        for rows in dict.fromkeys(max(2, round(factor * n)) for factor in FACTORS)
    )


MEAN_N = Sweep(
    "m21-mean-n", grid(n=(1000, 2000, 4000, 8000, 16_000), d=D, rho=RHO, reach=REACH), means, 50, blocks(10)
)
MEAN_RHO = Sweep(
    "m21-mean-rho", grid(n=N, d=D, rho=(0.02, 0.1, 0.5, 2.5), reach=REACH), means, 50, blocks(10)
)
MEAN_D = Sweep("m21-mean-d", grid(n=N, d=(4, 8, 16, 32, 64), rho=RHO, reach=REACH), means, 60, blocks(10))
COVARIANCE_N = Sweep(
    "m21-covariance-n",
    grid(n=(10_000, 20_000, 40_000, 80_000), d=8, rho=RHO, condition=CONDITION),
    covariances,
    20,
    blocks(10),
)
COVARIANCE_RHO = Sweep(
    "m21-covariance-rho",
    grid(n=20_000, d=8, rho=(0.1, 0.5, 2.5), condition=CONDITION),
    covariances,
    20,
    blocks(10),
)
COVARIANCE_D = Sweep(
    "m21-covariance-d",
    grid(n=30_000, d=(6, 10, 16, 24), rho=RHO, condition=CONDITION),
    covariances,
    5,
    {"quick": 1, "ci": 7, "full": 30, "deep": 120},
)
MEAN_POINTS = around(MEAN_ROWS, rho=RHO, reach=REACH)
COVARIANCE_POINTS = around(COVARIANCE_ROWS, rho=RHO, condition=CONDITION)
MANY = {"quick": 1, "ci": 15, "full": 62, "deep": 250}
MEAN_SIZES = Sweep(
    "m21-mean-sizes", tuple(point for point in MEAN_POINTS if point["d"] > FEW), mean_size, 16, MANY
)
MEAN_SIZES_FEW = Sweep(
    "m21-mean-sizes-few",  # an error in few dimensions varies more, and takes more trials
    tuple(point for point in MEAN_POINTS if point["d"] <= FEW),
    mean_size,
    40,
    MANY,
)
COVARIANCE_SIZES = Sweep(
    "m21-covariance-sizes",
    tuple(point for point in COVARIANCE_POINTS if point["d"] > FEW),
    covariance_size,
    8,
    {"quick": 1, "ci": 9, "full": 36, "deep": 144},
)
COVARIANCE_SIZES_FEW = Sweep(
    "m21-covariance-sizes-few",
    tuple(point for point in COVARIANCE_POINTS if point["d"] <= FEW),
    covariance_size,
    8,
    {"quick": 1, "ci": 18, "full": 75, "deep": 300},
)
