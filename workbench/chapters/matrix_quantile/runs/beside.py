"""The sweeps that set the matrix quantile beside other estimators, and beside rows that are not normal.

All at (1, 1e-6), mean 0. `told` looks for the rows that CoinPress needs when it is told that eigenvalues lie
between 1 and 1e4; `conditions` measures both on the same rows; `hostile` counts answers, and what they are
worth, where some rows lie far away on one line, or all have heavy tails.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.covariance.worlds import geometric
from workbench.chapters.matrix_quantile.runs.quantile import BETA, BUDGET, DELTA, DIMENSIONS, EPSILON, planned
from workbench.estimators.base import Abstention
from workbench.estimators.coinpress import CoinPressCovariance
from workbench.estimators.matrix_quantile import MatrixQuantileCovariance
from workbench.estimators.populous import PopulousCovariance, Preconditioner
from workbench.estimators.unbounded import UnboundedCovariance
from workbench.populations.rotated import Rotated, rotated
from workbench.privacy import ApproxDP
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, each_trial
from workbench.study.search import fewest_rows
from workbench.types import Array

TOLD = 1e4  # what CoinPress is told: eigenvalues between 1 and this
ROWS = {
    1: (360, 420, 480, 560, 680),
    2: (640, 760, 900, 1080, 1300),
    5: (1350, 1600, 1900, 2300, 2800),
    10: (2700, 3200, 4000, 5000, 6000, 7200),
    20: (5600, 6400, 7200, 8200),
}
CONDITION_D, CONDITION_N, CONDITION_GRID = 5, 3500, (1.0, 1e2, 1e4, 1e6, 1e8, 1e10)
HOSTILE_D, AWAY = (2, 5), 1000.0  # standard deviations
SHARES = (0.0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3)
DEGREES = (3.0, 5.0, 10.0, 20.0, 40.0)
OTHERS: dict[str, Any] = {
    "spectral/preconditioner": Preconditioner(centred=True, beta=BETA),
    "covariance/populous": PopulousCovariance(centred=True, beta=BETA),
    "covariance/unbounded": UnboundedCovariance(centred=True),
}


@lru_cache(maxsize=64)
def fewest(key: str, d: int, budget: ApproxDP = BUDGET) -> int:
    """Return the fewest rows of mean 0 at which another estimator answers at all: public."""
    return fewest_rows(OTHERS[key], d, budget)


def seen(found: object, law: Rotated) -> Array:
    """Return the eigenvalues of an estimate in units of Σ, ascending; nan for no answer.

    The estimate is rounded by about d u of its norm, u the float unit, and the shortest axis of Σ magnifies
    that. What is no larger is 0, as in the estimate before rounding, whose negative part was cut off.
    """
    d = len(law.values)
    if isinstance(found, Abstention):
        return np.full(d, np.nan)
    matrix = np.asarray(found)
    values = np.linalg.eigvalsh(law.in_units(matrix))
    lost = d * np.finfo(float).eps * np.linalg.norm(matrix) / law.values.min()
    return np.where(np.abs(values) <= lost, 0.0, values)


def distances(values: Array) -> tuple[float, float]:
    """Return Thompson's distance from I and Frobenius's; infinite for no answer or a singular one."""
    if np.isnan(values).any():
        return np.inf, np.inf
    thompson = float(np.abs(np.log(values)).max()) if values[0] > 0 else np.inf
    return thompson, float(np.linalg.norm(values - 1))


@each_trial
def told(
    d: int, n: int, epsilon: float = EPSILON, delta: float = DELTA, *, data: Generator, noise: Generator
) -> Row:
    """Measure both errors of CoinPress, told where the eigenvalues of a covariance lie, which is as long.

    n = 0 stands for the rows that the matrix quantile plans.
    """
    law = rotated(geometric(d, TOLD), data)
    budget = ApproxDP(epsilon, delta)
    x = law.sample(n or planned(d, None, budget), rng=data)
    value = CoinPressCovariance(upper=TOLD, centred=True, lower=1.0)(x, budget=budget, rng=noise).value
    return dict(zip(("fourfold", "near"), distances(seen(value, law)), strict=True))


@each_trial
def conditions(
    condition: float, d: int = CONDITION_D, n: int = CONDITION_N,
    epsilon: float = EPSILON, delta: float = DELTA, *, data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure Thompson's distance on the same rows: told nothing, told 1 and 1e4, told the truth.

    The largest eigenvalue is 1e4, the smallest goes down.
    """
    estimators: dict[str, Any] = {
        "quantile": MatrixQuantileCovariance(centred=True, beta=BETA),
        "told": CoinPressCovariance(upper=TOLD, centred=True, lower=1.0),
        "truth": CoinPressCovariance(upper=TOLD, lower=TOLD / max(condition, 2.0), centred=True),
    }
    law, budget = rotated(TOLD / condition * geometric(d, condition), data), ApproxDP(epsilon, delta)
    x = law.sample(n, rng=data)
    values = {name: one(x, budget=budget, rng=noise).value for name, one in estimators.items()}
    return {name: distances(seen(value, law))[0] for name, value in values.items()}


@each_trial
def hostile(
    d: int, share: float, degrees: float, epsilon: float = EPSILON, delta: float = DELTA, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure the condition number after whitening, infinite for no answer, and that of the rows' moment."""
    budget = ApproxDP(epsilon, delta)
    n, law = planned(d, None, budget), rotated(geometric(d, TOLD), data)
    x = spoilt(law, n, share, degrees, data)
    value = MatrixQuantileCovariance(centred=True, beta=BETA)(x, budget=budget, rng=noise).value
    released, plain = seen(value, law), seen(x.T @ x / n, law)
    condition = released[-1] / released[0]
    return {"condition": np.inf if np.isnan(condition) else condition, "plain": plain[-1] / plain[0]}


def spoilt(law: Rotated, n: int, share: float, degrees: float, data: Generator) -> Array:
    """Return rows with these degrees of freedom (0: normal), a share of them in one place far away."""
    x = replace(law, degrees=degrees or np.inf).sample(n, rng=data)
    direction = data.standard_normal(len(law.values))
    away = law.basis @ (np.sqrt(law.values) * direction * (AWAY / np.linalg.norm(direction)))
    x[: round(share * n)] = away
    return x


TOLD_ROWS = {
    d: Sweep(f"mq-told-{d}", grid(d=d, n=ROWS[d]), told, trials, blocks(20))
    for d, trials in ((1, 10), (2, 10), (5, 4), (10, 2), (20, 1))
}
TOLD_PLANNED = {
    d: Sweep(f"mq-told-planned-{d}", grid(d=d, n=0), told, trials, blocks(20))
    for d, trials in zip(DIMENSIONS, (10, 10, 8, 8, 8), strict=True)
}
CONDITIONS = Sweep("mq-conditions", grid(condition=CONDITION_GRID), conditions, 3, blocks(20))
FAR = Sweep("mq-far", grid(d=HOSTILE_D, share=SHARES, degrees=0.0), hostile, 5, blocks(20))
HEAVY = Sweep("mq-heavy", grid(d=HOSTILE_D, share=0.0, degrees=DEGREES), hostile, 5, blocks(20))
SPOILT = Sweep("mq-spoilt", grid(d=5, share=[0.01, 0.05, 0.2], degrees=0.0), hostile, 15, blocks(20))
TAILED = Sweep("mq-tailed", grid(d=5, share=0.0, degrees=DEGREES[0]), hostile, 15, blocks(20))
