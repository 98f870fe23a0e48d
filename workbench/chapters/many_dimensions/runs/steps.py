"""Runs of CoinPress with 1, 2, 3, ... steps, of its proved bounds, and of rows on the wrong side.

The authors' program maps rows by X A and results by A⁻¹ Z A⁻¹. A is a product of symmetric matrices and is
not symmetric after two steps, so that what is measured is Aᵀ Σ A while A Σ Aᵀ was made round: the third step
looks at rows that the second one has not prepared. Privacy is not touched: the map of a row depends on
former releases alone.
"""

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.many_dimensions.runs.coinpress import (
    MODES,
    RHO,
    beside_the_mean,
    centred_rows,
    covariance_of,
    mean_of,
    normal_rows,
)
from workbench.estimators.base import Trace
from workbench.estimators.coinpress import CoinPressCovariance, noisy_moment, preconditioned
from workbench.linalg import psd_part, second_moment
from workbench.losses import mahalanobis_covariance_error
from workbench.privacy import ZCDP, Budget, noise_source
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, each_trial
from workbench.types import Array

MOST = 6
STEPS = tuple(range(1, MOST + 1))
MORE = (0, 1, 2, 3)  # steps beyond the default number
HELD = 0.1  # β of the proved bounds
ROUNDING = 1e-9
PLACES = ("centre", "axis", "diagonal", "boundary")


@each_trial
def mean_steps(n: int, d: int, rho: float, reach: float, *, data: Generator, noise: Generator) -> Row:
    """Run every number of steps on the same rows, mode "practical"."""
    estimators = {steps: mean_of(d, reach, steps=steps) for steps in STEPS}
    return beside_the_mean(estimators, *normal_rows(n, d, reach, data), rho, noise)


def errors_in_sigma(
    estimators: Mapping[str, CoinPressCovariance], sigma: Array, x: Array, rho: float, noise: Generator
) -> Row:
    """Return the error of the plain estimate, and of every estimator on the same rows."""
    found = {"reference": mahalanobis_covariance_error(second_moment(x), sigma)}
    for name, estimator in estimators.items():
        value: Any = estimator(x, budget=ZCDP(rho), rng=noise).value
        found[name] = mahalanobis_covariance_error(value, sigma)
    return found


@each_trial
def covariance_steps(
    n: int, d: int, rho: float, condition: float, *, data: Generator, noise: Generator
) -> Row:
    """Run every number of steps in both modes on the same rows."""
    estimators = {
        f"{mode} {steps}": covariance_of(condition, mode=mode, steps=steps)
        for mode in MODES
        for steps in STEPS
    }
    return errors_in_sigma(estimators, *centred_rows(n, d, condition, data), rho, noise)


@each_trial
def orientations(n: int, d: int, rho: float, condition: float, *, data: Generator, noise: Generator) -> Row:
    """Run every number of steps with rows on the right and on the wrong side, the source's constants."""
    sigma, x = centred_rows(n, d, condition, data)
    found = {"reference": mahalanobis_covariance_error(second_moment(x), sigma)}
    for steps in STEPS:
        estimator = covariance_of(condition, steps=steps, calibration="paper")
        right: Any = estimator(x, budget=ZCDP(rho), rng=noise).value
        wrong = authors_orientation(estimator, x, ZCDP(rho), noise)
        found[f"right {steps}"] = mahalanobis_covariance_error(right, sigma)
        found[f"wrong {steps}"] = mahalanobis_covariance_error(wrong, sigma)
    return found


def authors_orientation(
    estimator: CoinPressCovariance, x: Array, budget: Budget, noise: Generator, trace: Trace | None = None
) -> Array:
    """Return the estimate of the wrong order of products: rows X A and the result A⁻¹ Z A⁻¹.

    A trace records what maps a row, Aᵀ, before every step.
    """
    n, d = x.shape
    design, charges = estimator.design(n, d, budget), list(estimator.plan(n, d, budget).charges())
    a, source = np.eye(d) / sqrt(estimator.upper), noise_source(noise)
    bounds = zip(charges, design.clips, (*design.excess, None), design.lower, strict=True)
    for charge, clip, excess, lower in bounds:
        if trace is not None:
            trace.add(preconditioner=a.T)
        # maps rows by the transpose of what it is given
        z = noisy_moment(x, a.T, clip, charge, source, estimator.practical)
        if excess is not None:
            a = preconditioned(z, excess, lower, a)
    inverse = np.linalg.inv(a)
    return np.asarray(inverse @ psd_part(z) @ inverse)


@each_trial
def more_steps(n: int, d: int, rho: float, condition: float, *, data: Generator, noise: Generator) -> Row:
    """Run the default number of steps and up to three more in both modes on the same rows."""
    estimators = {}
    for mode in MODES:
        default = covariance_of(condition, mode=mode)
        count = len(default.design(n, d, ZCDP(rho)).weights)
        for more in MORE:
            one = covariance_of(condition, mode=mode, steps=count + more) if more else default
            estimators[f"{mode} +{more}"] = one
    return errors_in_sigma(estimators, *centred_rows(n, d, condition, data), rho, noise)


@each_trial
def places(n: int, d: int, rho: float, reach: float, place: str, *, data: Generator, noise: Generator) -> Row:
    """Run both modes for a mean at a stated place of the public ball."""
    theta = _placed(place, d, reach * sqrt(d), data)
    x = theta + data.standard_normal((n, d))
    return beside_the_mean({mode: mean_of(d, reach, mode=mode) for mode in MODES}, theta, x, rho, noise)


def _placed(place: str, d: int, radius: float, data: Generator) -> Array:
    direction = data.standard_normal(d)
    spots: dict[str, Array] = {
        "centre": np.zeros(d),
        "axis": radius / 2 * np.eye(d)[0],
        "diagonal": np.full(d, radius / 2 / sqrt(d)),
        "boundary": radius * direction / np.linalg.norm(direction),
    }
    return spots[place]


@each_trial
def frames_held(n: int, d: int, rho: float, condition: float, *, data: Generator, noise: Generator) -> Row:
    """Record whether ℓ I ≤ A Σ Aᵀ ≤ I before every step, mode "proved"."""
    sigma, x = centred_rows(n, d, condition, data)
    trace = Trace()
    covariance_of(condition, mode="proved", beta=HELD)(x, budget=ZCDP(rho), rng=noise, trace=trace)
    records = zip(trace.records["preconditioner"], trace.records["lower"], strict=True)
    return {"held": float(all(sandwiched(a, sigma, lower) for a, lower in records))}


def sandwiched(a: Any, sigma: Array, lower: Any) -> bool:
    """Return whether ℓ I ≤ A Σ Aᵀ ≤ I."""
    values = np.linalg.eigvalsh(a @ sigma @ a.T)
    return bool(lower * (1 - ROUNDING) <= values[0] and values[-1] <= 1 + ROUNDING)


@each_trial
def balls_held(n: int, d: int, rho: float, reach: float, *, data: Generator, noise: Generator) -> Row:
    """Record whether the last radius holds the mean, mode "proved"."""
    estimator, (theta, x) = mean_of(d, reach, mode="proved", beta=HELD), normal_rows(n, d, reach, data)
    value: Any = estimator(x, budget=ZCDP(rho), rng=noise).value
    return {"held": float(np.linalg.norm(value - theta) <= estimator.error_bound(n, d, ZCDP(rho), HELD))}


@each_trial
def over_the_ball(d: int, n: int, proved: int, *, data: Generator, noise: Generator) -> Row:
    """Measure the error of mode "proved" on n rows over the bound that it proves at `proved` rows."""
    estimator, (theta, x) = mean_of(d, 100.0, mode="proved", beta=HELD), normal_rows(n, d, 100.0, data)
    value: Any = estimator(x, budget=ZCDP(RHO), rng=noise).value
    return {"error": np.linalg.norm(value - theta) / estimator.error_bound(proved, d, ZCDP(RHO), HELD)}


@each_trial
def over_the_bound(d: int, n: int, proved: int, *, data: Generator, noise: Generator) -> Row:
    """Measure the same of a covariance of condition number 100."""
    estimator, (sigma, x) = covariance_of(1e2, mode="proved", beta=HELD), centred_rows(n, d, 1e2, data)
    value: Any = estimator(x, budget=ZCDP(RHO), rng=noise).value
    bound = estimator.error_bound(proved, d, ZCDP(RHO), HELD)
    return {"error": mahalanobis_covariance_error(value, sigma) / bound}


REACHES = (10.0, 30.0, 100.0, 300.0, 1000.0)
MEAN_STEPS = Sweep("m21-mean-steps", grid(n=1000, d=10, rho=RHO, reach=REACHES), mean_steps, 50, blocks(10))
COVARIANCE_STEPS = Sweep(
    "m21-covariance-steps", grid(n=20_000, d=10, rho=RHO, condition=1e3), covariance_steps, 10, blocks(10)
)
ORIENTATIONS = Sweep(
    "m21-orientations", grid(n=20_000, d=10, rho=RHO, condition=1e3), orientations, 10, blocks(10)
)
CONDITIONS = Sweep(
    "m21-conditions",
    grid(n=100_000, d=10, rho=RHO, condition=(1e2, 1e4, 1e6)),
    more_steps,
    2,
    {"quick": 1, "ci": 5, "full": 50, "deep": 200},
)
WHERE = Sweep("m21-places", grid(n=1000, d=10, rho=RHO, reach=100.0, place=PLACES), places, 200, blocks(10))
FRAMES = Sweep(
    "m21-frames-held",
    tuple(
        {"n": n, "d": d, "rho": RHO, "condition": condition}
        for n, d, condition in ((5000, 2, 1e2), (20_000, 4, 1e4), (20_000, 10, 1e3))
    ),
    frames_held,
    20,
    {"quick": 1, "ci": 9, "full": 35, "deep": 140},
)
BALLS = Sweep("m21-balls-held", grid(n=2000, d=(2, 10), rho=RHO, reach=100.0), balls_held, 100, blocks(10))
