"""Runs of M21/HT whose least n is searched, at any dimension, budget and accuracy.

Rows of Algorithm 1 are normal but for a few, just beyond the radius at which rows are zeroed, as many as
their moments allow: where the cut takes most. Other rows are Student's t along random axes.
"""

from inspect import Parameter, signature
from math import log, log1p, prod, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.covariance import heavy_tails as heavy
from workbench.chapters.covariance.worlds import error_of, geometric
from workbench.errors import ArgumentError
from workbench.estimators.heavy_tailed import (
    HeavyTailedCovariance,
    Moments,
    preconditioning_step,
    zeroed_beyond,
)
from workbench.estimators.shared.budgets import gaussian_total
from workbench.estimators.shared.rows import second_moment_sensitivity
from workbench.linalg import psd_part, second_moment
from workbench.populations.heavy_tailed import student_hypercontractivity
from workbench.populations.rotated import rotated
from workbench.privacy import ZCDP, Charge, noise_source
from workbench.privacy.mechanisms import symmetric_gaussian
from workbench.study.grids import Block
from workbench.study.run import Row, each_trial
from workbench.types import Array, Columns

TIMES = 2.0  # the moment that is bounded, over that of normal rows
BEYOND = 1.001  # of a row that is zeroed, over the radius


def normal_moment(k: int) -> float:
    """Return (2k - 1)!!, the constant of normal rows."""
    return float(prod(range(1, 2 * k, 2)))


def spiked(n: int, d: int, k: int, radius: float, data: Generator) -> Array:
    """Return rows of covariance I of which a share lies just beyond the radius, as large as C allows.

    C is `TIMES` that of normal rows. A row r u, u uniform on the sphere, has ⟨v, r u⟩^{2k} of the mean
    r^{2k} (2k - 1)!!/(d (d + 2) .. (d + 2k - 2)).
    """
    r = BEYOND * radius
    share = (TIMES - 1) * prod(d + 2 * i for i in range(k)) / r ** (2 * k)
    if share * r**2 >= d:
        raise ArgumentError("radius", radius, f"larger, with {k} moments in {d} dimensions")
    x = data.standard_normal((n, d))
    far = data.random(n) < share
    x[~far] *= sqrt((1 - share * r**2 / d) / (1 - share))
    x[far] *= r / np.linalg.norm(x[far], axis=1, keepdims=True)
    return x


def _cut_moment(x: Array, radius: float, rho: float, noise: Generator) -> Array:
    """Return the noisy second moment of rows zeroed beyond the radius (M21/HT Algorithm 1)."""
    charge = Charge("covariance", "symmetric_gaussian", second_moment_sensitivity(len(x), radius), ZCDP(rho))
    return symmetric_gaussian(second_moment(zeroed_beyond(x, radius)), charge, noise_source(noise))


@each_trial
def naive_spectral(
    d: int, n: int, rho: float, alpha: float, moments: int, *, data: Generator, noise: Generator
) -> Row:
    """Measure the spectral error with the radius that makes the bias at most alpha/2."""
    constant = Moments(moments, TIMES * normal_moment(moments))
    radius = constant.radius(d, alpha / 2, zeroed=True)
    found = psd_part(_cut_moment(spiked(n, d, moments, radius, data), radius, rho, noise))
    return {"error": np.linalg.norm(found - np.eye(d), 2)}


@each_trial
def naive_mahalanobis(
    d: int,
    n: int,
    rho: float,
    alpha: float,
    moments: int,
    upper: float,
    *,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the error in the norm of Σ = I, likewise, where Σ ≤ `upper` I is all that is known."""
    constant = Moments(moments, TIMES * normal_moment(moments))
    radius = sqrt(upper) * constant.radius(d, alpha / (2 * sqrt(d)), zeroed=True)
    found = psd_part(_cut_moment(spiked(n, d, moments, radius, data), radius, rho, noise))
    return {"error": np.linalg.norm(found - np.eye(d))}


@each_trial
def doubling(d: int, n: int, rho: float, *, data: Generator, noise: Generator) -> Row:
    """Measure how far a step is from doubling ℓ: the larger of 2ℓ/λ_d and λ_1 afterwards; 1 wanted."""
    step = heavy.stepping("paper"), d, gaussian_total(ZCDP(rho)), n, heavy.STEP_LOWER, heavy.STEP_BETA
    radius, band = preconditioning_step(*step)
    between = np.exp(data.uniform(np.log(heavy.STEP_LOWER), 0.0, d - 2))
    law = rotated(np.append(between, [heavy.STEP_LOWER, 1.0]), data, degrees=heavy.STEP_DEGREES)
    noisy = _cut_moment(law.sample(n, rng=data), radius, rho, noise)
    seen = law.seen_by(band.preconditioned(noisy, heavy.STEP_LOWER, np.eye(d)))
    return {"error": max(2 * heavy.STEP_LOWER / seen[0], seen[-1])}


@each_trial
def heavy_tailed(
    d: int, n: int, rho: float, moments: int, upper: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the error of the preconditioned estimator on Student rows, an ellipsoid of this length."""
    degrees = heavy.SIZE_LAWS[moments]
    estimator = HeavyTailedCovariance(
        upper=upper, centred=True, moments=moments,
        hypercontractivity=student_hypercontractivity(degrees, moments), lower=1.0,
    )  # fmt: skip
    law = rotated(geometric(d, upper), data, degrees=degrees)
    return {"error": error_of(law, estimator(law.sample(n, rng=data), budget=ZCDP(rho), rng=noise).value)}


def of_several(block: Block) -> Block:
    """Return the block of the largest error of g runs, g = ln 2/ln(1/(1 - beta)) but for rounding.

    It is at most α in half of the cases if and only if a run fails with probability 1 - 2^(-1/g).
    """

    def several(*, beta: float, trials: int, **given: Any) -> Columns:
        count = together(beta)
        errors = np.asarray(block(trials=trials * count, **given)["error"])
        return {"error": errors.reshape(trials, count).max(axis=1)}

    one = signature(block)
    more = Parameter("beta", Parameter.KEYWORD_ONLY, annotation=float)
    named: Any = several
    named.__signature__ = one.replace(parameters=[*one.parameters.values(), more])
    named.__name__ = named.__qualname__ = f"{block.__name__}_of_several"
    return several


def together(beta: float) -> int:
    """Return g."""
    return max(1, round(-log(2) / log1p(-beta)))


naive_spectral_of_several = of_several(naive_spectral)
naive_mahalanobis_of_several = of_several(naive_mahalanobis)
doubling_of_several = of_several(doubling)
BETAS = tuple(1 - 2.0 ** (-1 / count) for count in (1, 2, 4, 8))
