"""The sweeps behind the claims and pictures about heavy tails (M21/HT). Rows are Student's t of mean 0.

`layers` takes the naive estimator apart on rows of covariance I, at radii that are fixed multiples of the
best one of `heavy_theory`; `spreads` runs estimators on longer and longer ellipsoids; `steps` watches one
step of preconditioning; `sizes` looks for the rows that an accuracy needs. Grids are placed by formulas
alone.
"""

from math import sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.bounds.m21 import heavy_tailed_shape
from workbench.bounds.search import smallest
from workbench.chapters.covariance.runs.covariances import error_of, geometric, without_privacy
from workbench.chapters.covariance.runs.heavy_theory import CutStudent
from workbench.estimators.heavy_tailed import (
    HeavyTailedCovariance,
    HeavyTailedNaiveCovariance,
    Stage,
    preconditioning_step,
)
from workbench.estimators.shared.budgets import gaussian_total
from workbench.estimators.shared.rows import second_moment_sensitivity, second_moment_within
from workbench.linalg import mapped_back, norms, psd_part
from workbench.populations.heavy_tailed import student_hypercontractivity
from workbench.populations.rotated import Rotated, rotated
from workbench.privacy import ZCDP, Charge, noise_source
from workbench.privacy.mechanisms import symmetric_gaussian
from workbench.study import measures
from workbench.study.grids import Point, Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, each_trial
from workbench.types import Array, Columns

RHO = 0.5
D = 5
DEGREES = {4.2: 2, 6.2: 3, 10.2: 5}  # of freedom: k, the largest whole number of moments pairs below ν/2
LAYER_N, LAYER_ROWS = (3000, 10_000, 30_000), 90_000  # rows of a trial: several samples of n rows
PARTS = ("bias", "noise", "sampling")
FACTORS = tuple(float(factor) for factor in np.geomspace(0.4, 2.5, 11))  # of the best radius
UPPERS = (10.0, 1e2, 1e3, 1e4, 1e5)
SPREAD_N, SPREAD_DEGREES, SPREAD_MOMENTS = 50_000, 10.0, 3
SPREAD_DRAWS = 40  # of the naive noise in a trial
STEP_LOWER, STEP_BETA, STEP_DEGREES, STEP_MOMENTS = 1 / 16, 0.1, 10.0, 3
SIZE_UPPER, SIZE_ALPHA, SHARE = 100.0, 0.1, 2 / 3
SIZE_FACTORS = (0.5, 0.8, 1.3, 2.0, 3.2, 5.0)  # n over the shape of Table 1
SIZE_LAWS = {2: 6.0, 3: 10.0}  # moments: degrees of freedom
SIZE_GOALS = ((0.5, 0.1), (0.05, 0.3))  # ρ and α


def layers(
    degrees: float,
    n: int,
    *,
    rho: float = RHO,
    d: int = D,
    trials: int,
    data: Generator,
    noise: Generator,
) -> Columns:
    """Measure bias, noise and sampling error of clipped rows of covariance I, at every factor.

    A trial is the mean bias, and the root mean square of the others, over several samples of n rows.
    """
    law = CutStudent(degrees, d)
    samples = max(1, LAYER_ROWS // n)
    found = [[_layers(law, n, rho, data, noise) for _ in range(samples)] for _ in range(trials)]
    parts = np.array(found).transpose(2, 3, 0, 1)  # part, factor, trial, sample
    sizes = np.stack([parts[0].mean(axis=-1), *np.sqrt((parts[1:] ** 2).mean(axis=-1))])
    return {f"{part} {i}": sizes[place, i] for place, part in enumerate(PARTS) for i in range(len(FACTORS))}


def _layers(law: CutStudent, n: int, rho: float, data: Generator, noise: Generator) -> Array:
    """Return the three errors of one sample, shape (3, factors)."""
    (d, best), source = (law.d, law.best_radius(n, rho)), noise_source(noise)
    rows = Rotated(np.eye(d), np.ones(d), degrees=law.degrees).sample(n, rng=data)
    lengths, found = norms(rows), np.empty((len(PARTS), len(FACTORS)))
    for i, factor in enumerate(FACTORS):
        radius = factor * best
        moment = np.asarray(second_moment_within(rows, radius))
        charge = Charge("covariance", "symmetric_gaussian", second_moment_sensitivity(n, radius), ZCDP(rho))
        noisy = symmetric_gaussian(moment, charge, source)
        expected = (1 - law.bias(radius) / sqrt(d)) * np.eye(d)
        found[0, i] = np.maximum(lengths**2 - radius**2, 0).mean() / sqrt(d)
        found[1:, i] = np.linalg.norm(noisy - moment), np.linalg.norm(moment - expected)
    return found


def naive(
    upper: float, n: int, rho: float = RHO, d: int = D
) -> tuple[HeavyTailedNaiveCovariance, Stage, Charge]:
    """Return the naive estimator with the source's constants, its one stage and its charge."""
    estimator = HeavyTailedNaiveCovariance(
        upper=upper, centred=True, moments=SPREAD_MOMENTS, hypercontractivity=spread_constant(),
        calibration="paper", lower=1.0,
    )  # fmt: skip
    (stage,) = estimator.stages(n, d, ZCDP(rho))
    (charge,) = estimator.plan(n, d, ZCDP(rho)).charges()
    return estimator, stage, charge


def spread_constant() -> float:
    """Return C of the rows of `spreads`."""
    return student_hypercontractivity(SPREAD_DEGREES, SPREAD_MOMENTS)


@each_trial
def spreads(n: int, upper: float, *, rho: float = RHO, d: int = D, data: Generator, noise: Generator) -> Row:
    """Measure naive and preconditioned errors on ellipsoids of this length, private parts apart.

    `naive noise` is that of the noisy matrix before its positive part is taken, over `SPREAD_DRAWS` draws.
    """
    law = rotated(geometric(d, upper), data, degrees=SPREAD_DEGREES)
    x, a = law.sample(n, rng=data), np.eye(d) / sqrt(upper)
    plain, (one_step, stage, charge) = without_privacy(x), naive(upper, n, rho, d)
    moment, source = np.asarray(one_step.moment(x, a, stage)), noise_source(noise)
    noisy = np.array([symmetric_gaussian(moment, charge, source) for _ in range(SPREAD_DRAWS)])
    simple = mapped_back(psd_part(noisy[0]), a)
    preconditioned = HeavyTailedCovariance(
        upper=upper, centred=True, moments=SPREAD_MOMENTS, hypercontractivity=spread_constant(), lower=1.0
    )
    value: Any = preconditioned(x, budget=ZCDP(rho), rng=noise).value
    return {
        "error": law.error(value),
        "private": law.size(value - plain),
        "reference": law.error(plain),
        "naive": law.error(simple),
        "naive private": law.size(simple - plain),
        "naive noise": measures.rms([law.size(upper * (z - moment)) for z in noisy]),
    }


def stepping(calibration: Any) -> HeavyTailedCovariance:
    """Return the estimator of a step on rows that nobody else sees."""
    return HeavyTailedCovariance(
        upper=1.0, lower=STEP_LOWER, centred=True, moments=STEP_MOMENTS, calibration=calibration,
        hypercontractivity=student_hypercontractivity(STEP_DEGREES, STEP_MOMENTS), mode="proved",
    )  # fmt: skip


def step_rows(d: int, calibration: str) -> int:
    """Return the fewest rows from which a step doubles every ℓ ≤ 1/4, with probability .9 by its bound."""
    estimator, mu = stepping(calibration), gaussian_total(ZCDP(RHO))

    def doubles(m: int) -> bool:
        _, band = preconditioning_step(estimator, d, mu, m, 0.25, STEP_BETA)
        return band.next_lower(0.25) >= 0.5

    return smallest(doubles, start=2)


@each_trial
def steps(d: int, calibration: Any, n: int, *, data: Generator, noise: Generator) -> Row:
    """Take one step of preconditioning from spectra that reach from ℓ to 1: where the new spectrum lies."""
    estimator, mu = stepping(calibration), gaussian_total(ZCDP(RHO))
    radius, band = preconditioning_step(estimator, d, mu, n, STEP_LOWER, STEP_BETA)
    stage = Stage(0, n, 1.0, radius, STEP_LOWER, band)
    charge = Charge("step", "symmetric_gaussian", stage.sensitivity, ZCDP(RHO))
    between = np.exp(data.uniform(np.log(STEP_LOWER), 0.0, d - 2))
    law = rotated(np.concatenate([[STEP_LOWER, 1.0], between]), data, degrees=STEP_DEGREES)
    moment = np.asarray(estimator.moment(law.sample(n, rng=data), np.eye(d), stage))
    noisy = symmetric_gaussian(moment, charge, noise_source(noise))
    seen = law.seen_by(band.preconditioned(noisy, STEP_LOWER, np.eye(d)))
    return {"low": seen[0], "high": seen[-1], "promised": band.next_lower(STEP_LOWER)}


@each_trial
def sizes(
    moments: int,
    d: int,
    rho: float,
    alpha: float,
    n: int,
    *,
    upper: float = SIZE_UPPER,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the error of the preconditioned estimator on ellipsoids of this length."""
    degrees = SIZE_LAWS[moments]
    estimator = HeavyTailedCovariance(
        upper=upper, centred=True, moments=moments,
        hypercontractivity=student_hypercontractivity(degrees, moments), lower=1.0,
    )  # fmt: skip
    law = rotated(geometric(d, upper), data, degrees=degrees)
    x = law.sample(n, rng=data)
    error = error_of(law, estimator(x, budget=ZCDP(rho), rng=noise).value)
    return {"error": error, "reference": law.error(without_privacy(x))}


def size_settings(rho: float = RHO, alpha: float = SIZE_ALPHA) -> tuple[dict[str, Any], ...]:
    """Return the settings of `SIZES`, without n: at ρ and α, and at a tenth of ρ for three times α."""
    goals = [(rho / RHO * one, alpha / SIZE_ALPHA * error) for one, error in SIZE_GOALS]
    return tuple(
        {"moments": moments, "d": d, "rho": rho, "alpha": alpha}
        for moments in SIZE_LAWS
        for d in (2, 4, 8)
        for rho, alpha in goals
    )


def size_shape(point: Point, upper: float = SIZE_UPPER) -> float:
    """Return Table 1's n, every constant 1."""
    d, alpha, rho, moments = (point[name] for name in ("d", "alpha", "rho", "moments"))
    return heavy_tailed_shape(d, alpha, rho, moments, upper).total


LAYERS = Sweep("m21-heavy-layers", grid(degrees=list(DEGREES), n=LAYER_N), layers, 10, blocks(10))
SPREADS = Sweep("m21-heavy-spreads", grid(n=SPREAD_N, upper=UPPERS), spreads, 10, blocks(10))
STEPS = Sweep(
    "m21-heavy-steps",
    tuple(
        {"d": d, "calibration": calibration, "n": step_rows(d, calibration)}
        for d in (2, 5)
        for calibration in ("paper", "tight")
    ),
    steps,
    60,
    blocks(10),
)
SIZES = Sweep(
    "m21-heavy-sizes",
    tuple(
        {**setting, "n": round(factor * size_shape(setting))}
        for setting in size_settings()
        for factor in SIZE_FACTORS
    ),
    sizes,
    8,
    blocks(10),
)
