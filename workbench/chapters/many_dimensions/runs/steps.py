"""Runs of CoinPress with 1, 2, 3, ... steps, of its proved bounds, and of rows on the wrong side.

The authors' program maps rows by X A and results by A⁻¹ Z A⁻¹. A is a product of symmetric matrices and is
not symmetric after two steps, so that what is measured is Aᵀ Σ A while A Σ Aᵀ was made round: the third step
looks at rows that the second one has not prepared. Privacy is not touched: the map of a row depends on
former releases alone.
"""

from math import sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.many_dimensions.runs.coinpress import (
    MODES,
    RHO,
    centred_rows,
    columns_of,
    covariance_of,
    mean_of,
    normal_rows,
    table,
)
from workbench.estimators.base import Trace
from workbench.estimators.covariance.coinpress import CoinPressCovariance, noisy_moment, preconditioned
from workbench.linalg import psd_part, second_moment
from workbench.losses import mahalanobis_covariance_error
from workbench.privacy import ZCDP, Budget, noise_source
from workbench.study.profiles import blocks
from workbench.study.sweeps.sweep import Sweep, grid
from workbench.types import Array, Columns

MOST = 6
STEPS = tuple(range(1, MOST + 1))
MORE = (0, 1, 2, 3)  # steps beyond the default number
HELD = 0.1  # β of the proved bounds
ROUNDING = 1e-9
PLACES = ("centre", "axis", "diagonal", "boundary")


def mean_steps(
    n: int, d: int, rho: float, reach: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Run every number of steps on the same rows, mode "practical"."""
    budget, found = ZCDP(rho), table(trials, "reference", *columns_of(STEPS))
    for trial, (theta, x) in enumerate(normal_rows(n, d, reach, trials, data)):
        plain = x.mean(axis=0)
        found["reference"][trial] = np.linalg.norm(plain - theta)
        for steps in STEPS:
            value: Any = mean_of(d, reach, steps=steps)(x, budget=budget, rng=noise).value
            found[f"error {steps}"][trial] = np.linalg.norm(value - theta)
            found[f"apart {steps}"][trial] = np.linalg.norm(value - plain)
    return found


def covariance_steps(
    n: int, d: int, rho: float, condition: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Run every number of steps in both modes on the same rows."""
    budget = ZCDP(rho)
    found = table(trials, "reference", *(f"{mode} {steps}" for mode in MODES for steps in STEPS))
    for trial, (sigma, x) in enumerate(centred_rows(n, d, condition, trials, data)):
        found["reference"][trial] = mahalanobis_covariance_error(second_moment(x), sigma)
        for mode in MODES:
            for steps in STEPS:
                value: Any = covariance_of(condition, mode=mode, steps=steps)(
                    x, budget=budget, rng=noise
                ).value
                found[f"{mode} {steps}"][trial] = mahalanobis_covariance_error(value, sigma)
    return found


def orientations(
    n: int, d: int, rho: float, condition: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Run every number of steps with rows on the right and on the wrong side, the source's constants."""
    budget = ZCDP(rho)
    found = table(trials, "reference", *(f"{side} {steps}" for side in ("right", "wrong") for steps in STEPS))
    for trial, (sigma, x) in enumerate(centred_rows(n, d, condition, trials, data)):
        found["reference"][trial] = mahalanobis_covariance_error(second_moment(x), sigma)
        for steps in STEPS:
            estimator = covariance_of(condition, steps=steps, calibration="paper")
            right: Any = estimator(x, budget=budget, rng=noise).value
            wrong = authors_orientation(estimator, x, budget, noise)
            found[f"right {steps}"][trial] = mahalanobis_covariance_error(right, sigma)
            found[f"wrong {steps}"][trial] = mahalanobis_covariance_error(wrong, sigma)
    return found


def authors_orientation(estimator: CoinPressCovariance, x: Array, budget: Budget, noise: Generator) -> Array:
    """Return the estimate of the wrong order of products: rows X A and the result A⁻¹ Z A⁻¹."""
    n, d = x.shape
    design, charges = estimator.design(n, d, budget), list(estimator.plan(n, d, budget).charges())
    a, source = np.eye(d) / sqrt(estimator.upper), noise_source(noise)
    bounds = zip(charges, design.clips, (*design.excess, None), design.lower, strict=True)
    for charge, clip, excess, lower in bounds:
        z = noisy_moment(x, a.T, clip, charge, source)  # maps rows by the transpose of what it is given
        if excess is not None:
            a = preconditioned(z, excess, lower, a)
    inverse = np.linalg.inv(a)
    return np.asarray(inverse @ psd_part(z) @ inverse)


def more_steps(
    n: int, d: int, rho: float, condition: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Run the default number of steps and up to three more in both modes on the same rows."""
    budget = ZCDP(rho)
    found = table(trials, "reference", *(f"{mode} +{more}" for mode in MODES for more in MORE))
    counts = {mode: len(covariance_of(condition, mode=mode).design(n, d, budget).weights) for mode in MODES}
    for trial, (sigma, x) in enumerate(centred_rows(n, d, condition, trials, data)):
        found["reference"][trial] = mahalanobis_covariance_error(second_moment(x), sigma)
        for mode, count in counts.items():
            for more in MORE:
                estimator = covariance_of(condition, mode=mode, steps=count + more if more else None)
                value: Any = estimator(x, budget=budget, rng=noise).value
                found[f"{mode} +{more}"][trial] = mahalanobis_covariance_error(value, sigma)
    return found


def places(
    n: int, d: int, rho: float, reach: float, place: str, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Run both modes for a mean at a stated place of the public ball."""
    budget = ZCDP(rho)
    found = table(trials, "reference", *columns_of(MODES))
    for trial in range(trials):
        theta = _placed(place, d, reach * sqrt(d), data)
        x = theta + data.standard_normal((n, d))
        plain = x.mean(axis=0)
        found["reference"][trial] = np.linalg.norm(plain - theta)
        for mode in MODES:
            value: Any = mean_of(d, reach, mode=mode)(x, budget=budget, rng=noise).value
            found[f"error {mode}"][trial] = np.linalg.norm(value - theta)
            found[f"apart {mode}"][trial] = np.linalg.norm(value - plain)
    return found


def _placed(place: str, d: int, radius: float, data: Generator) -> Array:
    direction = data.standard_normal(d)
    spots: dict[str, Array] = {
        "centre": np.zeros(d),
        "axis": radius / 2 * np.eye(d)[0],
        "diagonal": np.full(d, radius / 2 / sqrt(d)),
        "boundary": radius * direction / np.linalg.norm(direction),
    }
    return spots[place]


def frames_held(
    n: int, d: int, rho: float, condition: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Record whether ℓ I ≤ A Σ Aᵀ ≤ I before every step, mode "proved"."""
    budget, found = ZCDP(rho), {"held": np.zeros(trials)}
    estimator = covariance_of(condition, mode="proved", beta=HELD)
    for trial, (sigma, x) in enumerate(centred_rows(n, d, condition, trials, data)):
        trace = Trace()
        estimator(x, budget=budget, rng=noise, trace=trace)
        records = zip(trace.records["preconditioner"], trace.records["lower"], strict=True)
        found["held"][trial] = all(sandwiched(a, sigma, lower) for a, lower in records)
    return found


def sandwiched(a: Any, sigma: Array, lower: Any) -> bool:
    """Return whether ℓ I ≤ A Σ Aᵀ ≤ I."""
    values = np.linalg.eigvalsh(a @ sigma @ a.T)
    return bool(lower * (1 - ROUNDING) <= values[0] and values[-1] <= 1 + ROUNDING)


def balls_held(
    n: int, d: int, rho: float, reach: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Record whether the last radius holds the mean, mode "proved"."""
    budget, found = ZCDP(rho), {"held": np.zeros(trials)}
    estimator = mean_of(d, reach, mode="proved", beta=HELD)
    radius = estimator.error_bound(n, d, budget, HELD)
    for trial, (theta, x) in enumerate(normal_rows(n, d, reach, trials, data)):
        value: Any = estimator(x, budget=budget, rng=noise).value
        found["held"][trial] = np.linalg.norm(value - theta) <= radius
    return found


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
