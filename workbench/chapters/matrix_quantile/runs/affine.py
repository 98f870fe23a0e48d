"""Runs of what a lifted quantile gives: the mean of any Gaussian, and a whole Gaussian.

Rows are along random axes, their eigenvalues in equal ratios up to a condition number, or by the name of a
spectrum; their mean is so many standard deviations away, in a random direction. Errors are in the norm of Σ,
or total variation; no answer is an infinite one.
"""

from collections.abc import Callable
from functools import lru_cache
from math import inf, log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.matrix_quantile.runs.learner import total_variation
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators.affine import AffineMean, LiftedGaussian
from workbench.estimators.coinpress import CoinPressMean
from workbench.populations.rotated import Rotated, rotated
from workbench.populations.spectra import named, shown
from workbench.privacy import ApproxDP
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, answered, each_trial, error_of
from workbench.study.search import fewest_rows

MEAN, LAW = "mean/affine", "gaussian/lifted"
COINPRESS = "mean/coinpress"  # has to be told Σ
BETA = 0.1
BUDGET = ApproxDP(1.0, 1e-6)
ESTIMATORS: dict[str, Any] = {
    MEAN: AffineMean(beta=BETA),
    LAW: LiftedGaussian(beta=BETA),
}
LONGEST = 1e8  # a condition number; a little beyond it the guard of floats refuses, which is no answer
FARTHEST = 1e9  # standard deviations
ROWS = {MEAN: 2.0, LAW: 1.5}  # times the fewest, for any spectrum
TOLD = 10.0  # standard deviations times √d, which CoinPress is told
CLOSE = 1.1  # of the ends between which a predicted n is a power of α


def mean_loss(law: Rotated, found: Any) -> float:
    """Return |found - mean| in the norm of Σ."""
    return law.mean_error(found)


def law_loss(law: Rotated, found: Gaussian) -> float:
    """Return the total variation between the law and what is found."""
    off = law.whitening.T @ (found.mean - law.mean)
    return total_variation(off, law.in_units(found.covariance))


LOSSES: dict[str, Callable[[Rotated, Any], float]] = {MEAN: mean_loss, LAW: law_loss}


def _run(key: str, law: Rotated, n: int, budget: ApproxDP, data: Generator, noise: Generator) -> Row:
    value = ESTIMATORS[key](law.sample(n, rng=data), budget=budget, rng=noise).value
    return answered(error_of(value, lambda found: LOSSES[key](law, found)))


@each_trial
def released(
    key: str,
    d: int,
    n: int,
    epsilon: float,
    delta: float,
    condition: float,
    offset: float,
    *,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the error of one of the two at a condition number and an offset."""
    law = rotated(np.geomspace(1.0, condition, d), data, offset)
    return _run(key, law, n, ApproxDP(epsilon, delta), data, noise)


@each_trial
def whitened(
    key: str, d: int, n: int, epsilon: float, delta: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the error of one that is told Σ, so that rows are white, and perhaps a ball with the mean."""
    direction = data.standard_normal(d)
    mean = TOLD * sqrt(d) * direction / np.linalg.norm(direction)
    x = mean + data.standard_normal((n, d))
    value = told(key, d)(x, budget=ApproxDP(epsilon, delta), rng=noise).value
    return answered(error_of(value, lambda found: float(np.linalg.norm(found - mean))))


def told(key: str, d: int) -> Any:
    """Return an estimator as it is told of a mean."""
    return CoinPressMean(radius=TOLD * sqrt(d), sigma=1.0) if key == COINPRESS else ESTIMATORS[key]


@each_trial
def anywhere(key: str, d: int, spectrum: str, *, data: Generator, noise: Generator) -> Row:
    """Measure the error at some multiple of the fewest rows, the mean up to `FARTHEST` away."""
    offset = float(np.exp(data.uniform(0.0, log(FARTHEST))))
    law = named(spectrum, d, LONGEST).law(data, far=offset)
    return _run(key, law, rows(key, d), BUDGET, data, noise)


@lru_cache(maxsize=64)
def rows(key: str, d: int) -> int:
    """Return the rows at which any spectrum is tried: public."""
    return round(ROWS[key] * fewest(key, d, BUDGET))


def spectra(key: str, d: int) -> tuple[str, ...]:
    """Return the names of the spectra that are gone through in d dimensions."""
    return shown(d, key, longest=LONGEST)


@lru_cache(maxsize=256)
def fewest(key: str, d: int, budget: ApproxDP) -> int:
    """Return the fewest rows that are not refused."""
    one = told(key, d)
    return int(fewest_rows(one, d, budget) if key == COINPRESS else one.fewest(d, budget))


@lru_cache(maxsize=4096)
def expected(key: str, n: int, d: int, budget: ApproxDP) -> float:
    """Return the predicted median of the error for normal rows, infinite where n rows are refused."""
    try:
        if key == LAW:
            return float(ESTIMATORS[key].recipe(n, d, budget).design.squared_error.total_variation)
        return float(told(key, d).predicted_error(n, d, budget))
    except ArgumentError:
        return inf


@lru_cache(maxsize=256)
def predicted(key: str, d: int, alpha: float, epsilon: float, delta: float) -> int:
    """Return the fewest rows whose predicted median, given an answer, is at most α: public."""
    budget = ApproxDP(epsilon, delta)
    low: int = fewest(key, d, budget)
    high = low

    def error(n: int) -> float:
        return expected(key, n, d, budget)

    while error(high) > alpha:
        low, high = high, 2 * high
    while high > CLOSE * low:
        middle = round(sqrt(low * high))
        low, high = (low, middle) if error(middle) <= alpha else (middle, high)
    if low == high:
        return high
    part = log(error(low) / alpha) / log(error(low) / error(high))
    return round(float(low * (high / low) ** part))


ANYWHERE = {
    (key, d): Sweep(
        f"affine-anywhere-{key}-{d}", grid(key=key, d=d, spectrum=spectra(key, d)), anywhere, 7, blocks(20)
    )
    for key, d in ((MEAN, 5), (LAW, 5))
}
