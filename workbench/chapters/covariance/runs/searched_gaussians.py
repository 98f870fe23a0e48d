"""Runs of M21/UG, of the pure net and of M21's table whose least n is searched: normal rows, random axes."""

from math import inf, log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.covariance import heavy_tails as heavy
from workbench.chapters.covariance.unbounded import FAR, uncertain
from workbench.chapters.covariance.worlds import error_of, geometric
from workbench.estimators.base import Abstention
from workbench.estimators.coinpress import ClippedCovariance, CoinPressCovariance
from workbench.estimators.heavy_tailed import HeavyTailedCovariance
from workbench.estimators.nets import PureNetCovariance
from workbench.estimators.subspaces import Eigenvalues, SubspaceAggregate
from workbench.estimators.unbounded import UnboundedCovariance
from workbench.linalg import spectral_map
from workbench.populations.heavy_tailed import student_hypercontractivity
from workbench.populations.rotated import rotated
from workbench.privacy import ZCDP, ApproxDP, PureDP
from workbench.privacy.budgets import zcdp_within_approx
from workbench.study.run import Row, each_trial

TOLD = 100.0  # the condition number of the table
APPROXIMATE = ApproxDP(1.0, 1e-6)
RHO = zcdp_within_approx(APPROXIMATE).rho
BUDGETS: dict[str, Any] = {"zcdp": ZCDP(RHO), "approximate": APPROXIMATE}


@each_trial
def eigenvalues(
    d: int, n: int, epsilon: float, delta: float, condition: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the largest |ln| of the ratio of an eigenvalue to the truth, over ln √2."""
    values = geometric(d, condition) * np.exp(data.uniform(-20.0, 20.0))
    x = rotated(values, data).sample(n, rng=data)
    found: Any = Eigenvalues(centred=True)(x, budget=ApproxDP(epsilon, delta), rng=noise).value
    if isinstance(found, Abstention):
        return {"error": np.inf}
    with np.errstate(divide="ignore"):
        return {"error": float(np.abs(np.log(found[::-1] / values)).max() / log(sqrt(2)))}


def _voted(
    d: int, k: int, n: int, gap: float, top: float, budget: ApproxDP, data: Generator, noise: Generator
) -> tuple[float, float]:
    """Return a subspace's error over the gap, and λ_{k+1}/λ_1 after the coarse preconditioner made of it."""
    before = geometric(k, top) if k > 1 else np.ones(1)
    law = rotated(np.concatenate([np.full(d - k, gap**2), before]), data)
    known = min(gap * uncertain(data), 1.0)
    found = SubspaceAggregate(k=k, gap=known, centred=True)(
        law.sample(n, rng=data), budget=budget, rng=noise
    ).value
    if isinstance(found, Abstention):
        return np.inf, 0.0
    plane, seen = law.basis[:, d - k :], law.seen_by(np.eye(d) + (known - 1) * found)
    return float(np.linalg.norm(found - plane @ plane.T, 2)) / gap, float(seen[d - k - 1] / seen[-1])


@each_trial
def subspace(
    d: int, n: int, epsilon: float, delta: float, gap: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the error of the first direction over the gap."""
    return {"error": _voted(d, 1, n, gap, 1.0, ApproxDP(epsilon, delta), data, noise)[0]}


@each_trial
def coarse(
    d: int, n: int, epsilon: float, delta: float, gap: float, top: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure γ²/5 over λ_{k+1}/λ_1 after the coarse preconditioner, k = 2: at most 1 wanted.

    γ² = λ_k/λ_1 = 1/`top`.
    """
    spread = _voted(d, 2, n, gap, top, ApproxDP(epsilon, delta), data, noise)[1]
    return {"error": 1 / (5 * top * spread) if spread > 0 else np.inf}


@each_trial
def fine(
    d: int, n: int, epsilon: float, delta: float, spread: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure 1/4 over λ_d/λ_1 after the fine preconditioner: at most 1 wanted.

    Here k = d - 1. The naive estimator is that of `covariance/clipped`; eigenvalues are known to √2.
    """
    law = rotated(spread * geometric(d, 1 / spread), data)
    top, reference = law.values[-1] * uncertain(data), law.values[0] * uncertain(data)
    estimator = ClippedCovariance(upper=2 * top, centred=True)
    z: Any = estimator(law.sample(n, rng=data), budget=ApproxDP(epsilon, delta), rng=noise).value
    seen = law.seen_by(spectral_map(z, lambda values: np.sqrt(reference / np.maximum(values, reference))))
    return {"error": 0.25 * seen[-1] / seen[0] if seen[0] > 0 else np.inf}


@each_trial
def unbounded(d: int, n: int, epsilon: float, delta: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the error at a condition number uniform on the logarithmic scale from 1 to 1e12."""
    law = rotated(geometric(d, 10 ** data.uniform(0.0, 12.0)), data, FAR)
    x, budget = law.sample(n, rng=data), ApproxDP(epsilon, delta)
    return {"error": error_of(law, UnboundedCovariance()(x, budget=budget, rng=noise).value)}


@each_trial
def side(
    estimator: str,
    d: int,
    n: int,
    epsilon: float,
    delta: float,
    upper: float,
    *,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the error of CoinPress, told `upper`, at `TOLD`, or of the other at condition `upper`."""
    told = estimator == "coinpress"
    one: Any = CoinPressCovariance(upper=upper, lower=1.0) if told else UnboundedCovariance()
    law = rotated(geometric(d, TOLD if told else upper), data)
    value = one(law.sample(n, rng=data), budget=ApproxDP(epsilon, delta), rng=noise).value
    return {"error": error_of(law, value)}


@each_trial
def quarter(law: str, budget: str, d: int, n: int, *, data: Generator, noise: Generator) -> Row:
    """Measure the error of one of four estimators at a condition number that only three are told."""
    rows = rotated(geometric(d, TOLD), data, degrees=inf if law == "normal" else heavy.SIZE_LAWS[2])
    value = four(law, budget)(rows.sample(n, rng=data), budget=BUDGETS[budget], rng=noise).value
    return {"error": error_of(rows, value)}


def four(law: str, budget: str) -> Any:
    """Return the estimator of M21's table for normal rows or Student's, under zCDP or (ε, δ)."""
    if law == "student":
        constant = student_hypercontractivity(heavy.SIZE_LAWS[2], 2)
        return HeavyTailedCovariance(
            upper=TOLD, centred=True, moments=2, hypercontractivity=constant, lower=1.0
        )
    return (
        UnboundedCovariance()
        if budget == "approximate"
        else CoinPressCovariance(upper=TOLD, centred=True, lower=1.0)
    )


@each_trial
def pure_net(
    d: int, n: int, epsilon: float, alpha: float, moments: int, *, data: Generator, noise: Generator
) -> Row:
    """Measure the error of the pure net on Student rows at a random covariance between I and 16 I."""
    estimator = PureNetCovariance(
        upper=16.0, centred=True, moments=moments, alpha=alpha,
        hypercontractivity=student_hypercontractivity(8.0, moments), lower=1.0,
    )  # fmt: skip
    law = rotated(np.exp(data.uniform(0.0, log(16.0), d)), data, degrees=8.0)
    return {
        "error": error_of(law, estimator(law.sample(n, rng=data), budget=PureDP(epsilon), rng=noise).value)
    }
