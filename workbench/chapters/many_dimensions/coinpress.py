"""What the topics about CoinPress share: rows, runs beside the plain estimate, and the errors to expect.

Errors are Euclidean for means of N(θ, I), and in the norm of Σ for covariances of N(0, Σ). "apart" is how far
the private estimate is from the plain one of the same rows, "reference" is the error of the plain one. θ has
a random direction and a random distance of up to the radius from the centre of the public ball; Σ is rotated
at random, its eigenvalues from 1 to the condition number in equal ratios.

Predictions have every constant in them and are root mean squares, sampling and privacy apart.

Mean, rows N(θ, I). The last step adds noise of sd s and shrinks rows z = x - c to a ball of radius B. For
|c - θ| small beside B the shrinking takes z (1 - B/|z|)₊ from each row: (1/n) E(|z| - B)₊² in squares, and
κ (c - θ) on average, κ = E[1 - (1 - 1/d) B/|z|; |z| > B]. c has noise of sd s' and the sampling error:

    privacy² = d s² + E(|z| - B)₊²/n + κ² d (1/n + s'²),        sampling² = d/n

Covariance, rows N(0, Σ). Where the noise of a step is small, its U is T + e I, so that the eigenvalues of
T = A Σ Aᵀ follow λ ← λ/max(λ + e, f). Symmetric noise of sd s on the diagonal, in units of Σ:

    privacy² = s² (Σ_i 1/λ_i² + Σ_{i<j} 1/(λ_i λ_j)),           sampling² = d (d + 1)/n

A last step that winsorises has the rms error that `shared.moments` predicts for
white rows; of this the part that is no sampling error, uncorrelated with it because the plain estimate is
efficient.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log, sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from workbench.bounds.search import smallest
from workbench.charts.style import number
from workbench.estimators.coinpress import CoinPressCovariance, CoinPressMean
from workbench.estimators.shared.budgets import step_budgets
from workbench.estimators.shared.moments import winsorised_rms
from workbench.linalg import second_moment
from workbench.losses import mahalanobis_covariance_error
from workbench.privacy import ZCDP, Budget
from workbench.privacy.mechanisms import gaussian_scale
from workbench.special import chdtri, gammaincc, gammaln
from workbench.study.grids import Sweep, multiples
from workbench.study.intervals import bootstrap_interval, local_slope
from workbench.study.measures import BAND, Measure, at, paired, rms
from workbench.study.rules import Verdict, inside_band, slope_inside
from workbench.study.run import Row
from workbench.types import Array

Vector = NDArray[np.float64]

SOURCE = "M21/prior-CoinPress"
MODES = ("practical", "proved")
EPSILON, DELTA, RHO, D = 1.0, 1e-6, 0.5, 10
REACH = 100.0  # radius over √d: a box of this half-width lies in the ball
CONDITION = 100.0
BETA = 0.1  # of an error above alpha, where rows are counted
TOLERANCE = 0.1  # of local slopes
ROUND = 0.5  # shortest over longest axis of a frame in which rows pass for white

MEAN, COVARIANCE, PLAIN = "mean/coinpress", "covariance/coinpress", "non-private"
NAMES = {"practical": "practical bounds", "proved": "proved bounds"}
SHADES = {"proved": 0.12, "practical": 0.72}  # the darker trusts more
LONG, SHORT = 0.75, 0.2  # of the axes of an ellipsoid
SHOWN = 300  # rows drawn in the plane


def shade(mode: str) -> dict[str, Any]:
    """Return the shade of a mode, as parameters of a series."""
    return {"rank": SHADES[mode]}


def words(epsilon: float, delta: float) -> str:
    """Return a budget as titles write it.

    >>> words(0.5, 1e-9)
    'ε = 0.5, δ = 10⁻⁹'
    """
    return f"ε = {number(epsilon)}, δ = {number(delta)}"


# What is run


def mean_of(d: int, reach: float, **more: Any) -> CoinPressMean:
    return CoinPressMean(radius=reach * sqrt(d), sigma=1.0, **more)


def covariance_of(condition: float, **more: Any) -> CoinPressCovariance:
    """Return the estimator of a point; its public bound is the condition number, the least eigenvalue 1."""
    return CoinPressCovariance(upper=condition, lower=1.0, centred=True, **more)


def normal_rows(n: int, d: int, reach: float, data: Generator) -> tuple[Array, Array]:
    """Return θ and n rows of N(θ, I)."""
    theta = data.standard_normal(d)
    theta *= reach * sqrt(d) * data.random() / np.linalg.norm(theta)
    return theta, data.standard_normal((n, d)) + theta


def spectrum(d: int, condition: float) -> Array:
    """Return eigenvalues from 1 to `condition`, in equal ratios."""
    return np.geomspace(1.0, condition, d)


def centred_rows(n: int, d: int, condition: float, data: Generator) -> tuple[Array, Array]:
    basis = np.linalg.qr(data.standard_normal((d, d)))[0]
    sigma = np.asarray((basis * spectrum(d, condition)) @ basis.T)
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


def errors_in_sigma(
    estimators: Mapping[str, CoinPressCovariance], sigma: Array, x: Array, rho: float, noise: Generator
) -> Row:
    """Return the error of the plain estimate, and of every estimator on the same rows."""
    found = {"reference": mahalanobis_covariance_error(second_moment(x), sigma)}
    for name, estimator in estimators.items():
        value: Any = estimator(x, budget=ZCDP(rho), rng=noise).value
        found[name] = mahalanobis_covariance_error(value, sigma)
    return found


def at_numbers(sweep: Sweep, rho: float, d: int, power: float, **told: Iterable[float]) -> Sweep:
    """Return a sweep at other numbers, its rows as many as the steps need to do as much, at most twice.

    The noise of a step is of size d^power/(n√ρ) beside the ball or the frame: power 1 for a mean, 3/2 for a
    covariance (the third terms of M21's formulas, and noise that is as large). What is told, the range or the
    condition number, has a value for each point.
    """
    ((name, values),) = told.items()
    more = float((d / sweep.points[0]["d"]) ** power) * sqrt(RHO / rho)
    return sweep.moved(
        {"n": n, "d": d, "rho": rho, name: float(value)}
        for point, value in zip(sweep.points, values, strict=True)
        for n in multiples([point["n"]], min(2.0, max(0.5, more)))
    )


# What is predicted


@dataclass(frozen=True)
class Parts:
    """Root mean squares of the sampling error and of what privacy moves, and the dimension of both.

    >>> Parts(3.0, 4.0, 1).total
    5.0
    """

    sampling: float
    privacy: float
    freedom: int

    @property
    def total(self) -> float:
        return sqrt(self.sampling**2 + self.privacy**2)

    def quantile(self, beta: float) -> float:
        """Return the upper β-quantile of the error, if it is round and normal."""
        return self.total * sqrt(float(chdtri(self.freedom, beta)) / self.freedom)


def mean_parts(estimator: CoinPressMean, n: int, d: int, budget: Budget) -> Parts:
    """Return the prediction for rows N(θ, I)."""
    clip = estimator.design(n, d, budget).clips[-1]
    *before, last = (gaussian_scale(charge) for charge in estimator.plan(n, d, budget).charges())
    taken, slope = beyond(d, clip)
    shrunk = taken / n + slope**2 * d * (1 / n + before[-1] ** 2) if before else 0.0
    return Parts(sqrt(d / n), sqrt(d * last**2 + shrunk), d)


def beyond(d: int, clip: float) -> tuple[float, float]:
    share, first, second, inverse = (_moment(d, clip, power) for power in (0, 1, 2, -1))
    return second - 2 * clip * first + clip**2 * share, share - (1 - 1 / d) * clip * inverse


def _moment(d: int, clip: float, power: int) -> float:
    a = (d + power) / 2
    if a == 0:  # d = 1, 1/|z|: its factor in κ is 0
        return 0.0
    return float(np.exp(power / 2 * np.log(2) + gammaln(a) - gammaln(d / 2)) * gammaincc(a, clip**2 / 2))


def frames(estimator: CoinPressCovariance, axes: ArrayLike, n: int, budget: Budget) -> list[Vector]:
    """Return the predicted eigenvalues of A Σ Aᵀ before every step, for Σ with these eigenvalues."""
    values = np.asarray(axes, np.float64) / estimator.upper
    design = estimator.design(n, len(values), budget)
    found = [values]
    for excess, floor in zip(design.excess, design.floors, strict=True):
        found.append(found[-1] / np.maximum(found[-1] + excess, floor))
    return found


def covariance_parts(estimator: CoinPressCovariance, axes: ArrayLike, n: int, budget: Budget) -> Parts:
    """Return the prediction in units of Σ, for n rows of mean 0 (`centred`)."""
    inverse = 1 / frames(estimator, axes, n, budget)[-1]
    d = len(inverse)
    sampling = d * (d + 1) / n
    if estimator.winsorises:
        cost = step_budgets(budget, estimator.design(n, d, budget).weights)[-1]
        squared = winsorised_rms(n, d, cost) ** 2 - sampling
    else:
        sd = gaussian_scale(list(estimator.plan(n, d, budget).charges())[-1])
        squared = sd**2 * float((inverse**2).sum() + inverse.sum() ** 2) / 2
    return Parts(sqrt(sampling), sqrt(squared), d * (d + 1) // 2)


def rows_needed(parts: Callable[[int], Parts], alpha: float, beta: float) -> int:
    """Return the smallest n whose predicted error exceeds alpha with probability at most beta."""
    return smallest(lambda n: parts(n).quantile(beta) <= alpha, start=2)


# What is drawn and decided of root mean squares


def size(values: Vector) -> Measure:
    """Return a root mean square with its band, to first order."""
    squares = np.square(values)
    middle, reach = float(squares.mean()), 1.96 * float(squares.std(ddof=1)) / sqrt(len(values))
    return Measure(float(rms(values)), (sqrt(max(middle - reach, 0.0)), sqrt(middle + reach)), len(values))


def column(frame: pd.DataFrame, name: str, **where: object) -> Vector:
    """Return a column of the runs at these parameters."""
    return np.asarray(at(frame, **where)[name].to_numpy(), np.float64)


def columns(frame: pd.DataFrame, name: str, along: str) -> Vector:
    values = list(dict.fromkeys(frame[along]))
    return np.column_stack([column(frame, name, **{along: value}) for value in values])


def part(name: str, values: Vector, predicted: float, level: float, rng: Generator, *, n: int) -> Verdict:
    """Decide whether the root mean square is within the band of its prediction."""
    low, high = bootstrap_interval(lambda squares: float(squares.mean()), np.square(values), level, rng)
    ends = float(np.sqrt(max(low, 0.0))), float(np.sqrt(high))
    check = inside_band(float(rms(values)), ends, predicted, BAND, level=level, trials=len(values))
    return check.about(name, f"as predicted, within {100 * BAND:.0f} %", n=n)


def slope(
    name: str, xs: Sequence[float], samples: Vector, predicted: Sequence[float], level: float, rng: Generator
) -> Verdict:
    """Decide whether the slope of root mean squares, columns of `samples`, is that of the predictions."""
    expected = local_slope(xs, predicted)
    check = slope_inside(xs, samples, expected, TOLERANCE, level=level, rng=rng, statistic=rms)
    return check.about(name, "the predicted local slope, within .1")


def ratio(
    name: str, top: Vector, bottom: Vector, low: float, high: float, level: float, rng: Generator, *, n: int
) -> Verdict:
    """Decide whether the ratio of two root mean squares of the same trials lies in [low, high]."""

    def log_ratio(pairs: Vector) -> float:
        above, below = np.log(rms(pairs, axis=0))
        return float(above - below)

    pairs = np.column_stack([top, bottom])
    ends = bootstrap_interval(log_ratio, pairs, level, rng)
    interval = exp(ends[0]), exp(ends[1]) if ends[1] < log(1e300) else inf
    found = Measure(exp(log_ratio(pairs)), interval, len(top))
    return paired("ratio of paired root mean squares", name, found, low, high, level, n=n)
