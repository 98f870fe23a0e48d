"""What the topics on covariances share: distributions in the plane, errors in units of Σ, one run."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from workbench.charts.chart import Mark
from workbench.estimators.base import Abstention, Trace
from workbench.estimators.heavy_tailed import HeavyTailedCovariance, HeavyTailedNaiveCovariance
from workbench.linalg import second_moment
from workbench.populations.heavy_tailed import student_hypercontractivity
from workbench.populations.rotated import Rotated
from workbench.privacy import ZCDP
from workbench.types import Array

NAIVE, PRECONDITIONED, PLAIN = "covariance/heavy-tailed-naive", "covariance/heavy-tailed", "non-private"
DEGREES, MOMENTS, TILT = 10.0, 3, 0.5


def error_of(law: Rotated, estimate: object) -> float:
    """Return |S - Σ|_Σ, infinite for no answer."""
    return inf if isinstance(estimate, Abstention) else law.error(np.asarray(estimate))


def geometric(d: int, condition: float) -> Array:
    """Return d eigenvalues from 1 to the condition number, equal ratios apart."""
    return np.geomspace(1.0, condition, d)


def without_privacy(rows: Array) -> Array:
    """Return the sample covariance of rows whose mean is known to be 0."""
    return second_moment(rows)


def tilted(upper: float, degrees: float = inf) -> Rotated:
    """Return a law in the plane with eigenvalues 1 and `upper`, its long axis tilted."""
    cos, sin = np.cos(TILT), np.sin(TILT)
    return Rotated(np.array([[-sin, cos], [cos, sin]]), np.array([1.0, upper]), degrees=degrees)


def pair(upper: float) -> tuple[HeavyTailedNaiveCovariance, HeavyTailedCovariance]:
    """Return the naive and the preconditioned estimator that know the bound."""
    known: dict[str, Any] = {
        "upper": upper,
        "lower": 1.0,
        "centred": True,
        "moments": MOMENTS,
        "hypercontractivity": student_hypercontractivity(DEGREES, MOMENTS),
    }
    return HeavyTailedNaiveCovariance(**known), HeavyTailedCovariance(**known)


@dataclass(frozen=True)
class Steps:
    """What happened in one run: the maps A of every step and the public bounds ℓ."""

    maps: tuple[Array, ...]
    lowers: tuple[float, ...]
    value: Array


def followed(estimator: HeavyTailedCovariance, x: Array, noise: np.random.Generator, rho: float) -> Steps:
    """Run the preconditioned estimator and keep its frames."""
    trace = Trace()
    value: Any = estimator(x, budget=ZCDP(rho), rng=noise, trace=trace).value
    maps: Any = trace.records["preconditioner"]
    lowers: Any = trace.records["lower"]
    return Steps(tuple(maps), tuple(lowers), value)


def estimate_zero(d: int, x: float | None = None) -> Mark:
    """Return the line at the error of the estimate 0, √d, with its words at x."""
    return Mark("above: worse than the estimate 0", "horizontal", x=x, y=d**0.5)
