"""The sweeps behind the claims and pictures about unbounded Gaussians (M21/UG), at (1, 1e-6).

Rows are normal. `spectra` and `votes` watch the two parts that blocks of rows answer, `fine` the second
preconditioner; `sides` sets estimators side by side as the condition number grows; `sizes` looks for the rows
that an accuracy needs. Every frame and every scale is random, so that nothing lies on a grid by chance.
"""

from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.bounds.m21 import fine_shape, unbounded_shape
from workbench.chapters.covariance.runs.covariances import error_of, geometric
from workbench.estimators.base import Abstention
from workbench.estimators.coinpress import ClippedCovariance, CoinPressCovariance
from workbench.estimators.subspaces import Eigenvalues, SubspaceAggregate
from workbench.estimators.unbounded import UnboundedCovariance
from workbench.linalg import spectral_map
from workbench.populations.rotated import Rotated, rotated
from workbench.privacy import ApproxDP
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, answered, each_trial
from workbench.study.search import fewest_rows
from workbench.types import Array

EPSILON, DELTA = 1.0, 1e-6
BUDGET = ApproxDP(EPSILON, DELTA)
D = 3
CALIBRATIONS = ("paper", "tight")
EIGEN_N, EIGEN_CONDITIONS = 20_000, (1e2, 1e12)
VOTE_N, GAPS, COARSE_GAPS = 6000, (1e-1, 1e-2, 1e-4, 1e-6), (1e-1, 1e-3, 1e-6)
TOP = 4.0  # the spread of the eigenvalues before the gap in `votes`
FINE_SPREADS = (1 / 8, 1 / 32)  # λ_{k+1}/λ_1
FINE_FACTORS = (25.0, 50.0, 100.0, 200.0, 400.0)  # n over the shape
CONDITIONS = (1e2, 1e4, 1e6, 1e8, 1e10, 1e12)
SIDE_N, FAR = 8000, 1000.0
FEW_STEPS, MARGIN = 3, 10.0
SIZE_D, SIZE_ALPHA, SIZE_FACTORS = (2, 3, 4), 0.03, (1.1, 1.8, 3.0, 6.0)  # n over the shape
START_D = (2, 3, 4, 5, 6, 8, 10, 12)


def uncertain(data: Generator) -> float:
    """Return a factor between 1/√2 and √2, which is what M21/UG Theorem 3.1 leaves open."""
    return float(2.0 ** data.uniform(-0.5, 0.5))


@each_trial
def spectra(n: int, calibration: Any, condition: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the smallest and the largest ratio of an eigenvalue to the truth."""
    values = geometric(D, condition) * np.exp(data.uniform(-20.0, 20.0))
    x = rotated(values, data).sample(n, rng=data)
    found = Eigenvalues(centred=True, calibration=calibration)(x, budget=BUDGET, rng=noise).value
    if isinstance(found, Abstention):
        return {"low": 0.0, "high": np.inf}
    ratios = found[::-1] / values
    return {"low": ratios.min(), "high": ratios.max()}


@each_trial
def votes(
    n: int,
    k: int,
    gap: float,
    *,
    epsilon: float = EPSILON,
    delta: float = DELTA,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure a subspace's error over the gap, and λ_{k+1}/λ_1 after the coarse preconditioner made of it.

    The eigenvalues before the gap spread over a factor of 4, those after it are equal; the gap is known to
    √2.
    """
    law = rotated(np.concatenate([np.full(D - k, gap**2), geometric(k, TOP) if k > 1 else [1.0]]), data)
    known = min(gap * uncertain(data), 1.0)
    estimator = SubspaceAggregate(k=k, gap=known, centred=True)
    found = estimator(law.sample(n, rng=data), budget=ApproxDP(epsilon, delta), rng=noise).value
    if isinstance(found, Abstention):
        return {"over": np.inf, "spread": 0.0}
    top, seen = law.basis[:, D - k :], law.seen_by(np.eye(D) + (known - 1) * found)
    return {"over": np.linalg.norm(found - top @ top.T, 2) / gap, "spread": seen[D - k - 1] / seen[-1]}


@each_trial
def fine(spread: float, n: int, *, data: Generator, noise: Generator) -> Row:
    """Measure λ_d/λ_1 after the fine preconditioner: a noisy covariance, flattened above λ_d.

    Here k = d - 1. The naive estimator is that of `covariance/clipped`; eigenvalues are known to √2.
    """
    law = rotated(spread * geometric(D, 1 / spread), data)
    top, reference = law.values[-1] * uncertain(data), law.values[0] * uncertain(data)
    estimator = ClippedCovariance(upper=2 * top, centred=True)
    z: Any = estimator(law.sample(n, rng=data), budget=BUDGET, rng=noise).value
    seen = law.seen_by(_flattened(z, reference))
    return {"ratio": seen[0] / seen[-1]}


def _flattened(z: Array, reference: float) -> Array:
    return spectral_map(z, lambda values: np.sqrt(reference / np.maximum(values, reference)))


def fine_rows(spread: float) -> float:
    """Return the n of M21/UG Theorem 5.2, constant 1."""
    return fine_shape(D, EPSILON, float(np.sqrt(spread)))


@each_trial
def sides(
    n: int,
    condition: float,
    *,
    epsilon: float = EPSILON,
    delta: float = DELTA,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure errors on the same rows, mean 1000 sd away: unbounded, CoinPress, one step, none.

    All but the unbounded one are told ten times the largest eigenvalue, and that the smallest is 1. `three
    steps` is CoinPress with no more than three, `source` CoinPress with the constants of its source.
    """
    right = MARGIN * condition
    told: dict[str, Any] = {
        "coinpress": CoinPressCovariance(upper=right, lower=1.0),
        "three steps": CoinPressCovariance(upper=right, steps=FEW_STEPS, lower=1.0),
        "source": CoinPressCovariance(upper=right, calibration="paper", lower=1.0),
        "clipped": ClippedCovariance(upper=right),
    }
    law = rotated(geometric(D, condition), data, FAR)
    return beside_the_sample(law, n, ApproxDP(epsilon, delta), data, noise, **told)


def beside_the_sample(
    law: Rotated, n: int, budget: ApproxDP, data: Generator, noise: Generator, **others: Any
) -> Row:
    """Return the errors of the unbounded covariance, of others, and of the sample one (`reference`)."""
    x = law.sample(n, rng=data)
    estimators = {"error": UnboundedCovariance(), **others}
    found = {name: error_of(law, one(x, budget=budget, rng=noise).value) for name, one in estimators.items()}
    return answered(reference=law.sample_error(x), **found)


def coinpress_steps(condition: float, n: int = SIDE_N, budget: ApproxDP = BUDGET) -> int:
    """Return the number of steps that CoinPress takes in `sides`: public."""
    estimator = CoinPressCovariance(upper=MARGIN * condition, lower=1.0)
    return len(list(estimator.plan(n, D, budget).charges()))


@each_trial
def sizes(
    d: int,
    n: int,
    *,
    epsilon: float = EPSILON,
    delta: float = DELTA,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the error at a condition number that is uniform on the logarithmic scale from 1 to 1e12."""
    law = rotated(geometric(d, 10 ** data.uniform(0.0, 12.0)), data, FAR)
    return beside_the_sample(law, n, ApproxDP(epsilon, delta), data, noise)


def start(d: int, calibration: Any = "tight", budget: ApproxDP = BUDGET) -> int:
    """Return the fewest rows at which the unbounded covariance answers: public."""
    return fewest_rows(UnboundedCovariance(calibration=calibration), d, budget)


def size_shape(d: int, alpha: float = SIZE_ALPHA, epsilon: float = EPSILON) -> float:
    """Return Table 1's n, every constant 1."""
    return unbounded_shape(d, alpha, epsilon).total


EIGENVALUES = Sweep(
    "m21-unbounded-eigenvalues",
    grid(n=EIGEN_N, calibration=CALIBRATIONS, condition=EIGEN_CONDITIONS),
    spectra,
    60,
    blocks(10),
)
VOTES = Sweep("m21-unbounded-votes", grid(n=VOTE_N, k=1, gap=GAPS), votes, 40, blocks(10))
COARSE = Sweep("m21-unbounded-coarse", grid(n=VOTE_N, k=2, gap=COARSE_GAPS), votes, 60, blocks(10))
FINE = Sweep(
    "m21-unbounded-fine",
    tuple(
        {"spread": spread, "n": round(factor * fine_rows(spread))}
        for spread in FINE_SPREADS
        for factor in FINE_FACTORS
    ),
    fine,
    30,
    blocks(10),
)
SIDES = Sweep("m21-unbounded-sides", grid(n=SIDE_N, condition=CONDITIONS), sides, 8, blocks(10))
SIZES = Sweep(
    "m21-unbounded-sizes",
    tuple({"d": d, "n": round(factor * size_shape(d))} for d in SIZE_D for factor in SIZE_FACTORS),
    sizes,
    6,
    blocks(10),
)
