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
from dataclasses import dataclass, replace
from functools import partial
from math import exp, inf, log, sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from workbench.bounds import Shape, smallest
from workbench.bounds.m21 import coinpress_covariance_shape, coinpress_mean_shape
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.curves import measured
from workbench.charts.style import number
from workbench.estimators.coinpress import CoinPressCovariance, CoinPressMean
from workbench.estimators.shared.budgets import step_budgets
from workbench.estimators.shared.moments import winsorised_rms
from workbench.linalg import second_moment
from workbench.losses import mahalanobis_covariance_error
from workbench.privacy import ZCDP, Budget
from workbench.privacy.mechanisms import gaussian_scale
from workbench.special import chdtri, gammaincc, gammaln
from workbench.study.claim import Claim
from workbench.study.grids import Point, Sweep, grid, multiples, resampler
from workbench.study.intervals import bootstrap_interval, local_slope
from workbench.study.measures import BAND, Measure, at, by, paired, rms, success
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict, beside, inside_band, slope_inside
from workbench.study.run import Row, Run, each_trial
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
    low, high = bootstrap_interval(lambda squares: float(squares.mean()), np.square(values), level, rng)
    ends = float(np.sqrt(max(low, 0.0))), float(np.sqrt(high))
    check = inside_band(float(rms(values)), ends, predicted, BAND, level=level, trials=len(values))
    return check.about(name, f"as predicted, within {100 * BAND:.0f} %", n=n)


def slope(
    name: str, xs: Sequence[float], samples: Vector, predicted: Sequence[float], level: float, rng: Generator
) -> Verdict:
    expected = local_slope(xs, predicted)
    check = slope_inside(xs, samples, expected, TOLERANCE, level=level, rng=rng, statistic=rms)
    return check.about(name, "the predicted local slope, within .1")


def ratio(
    name: str, top: Vector, bottom: Vector, low: float, high: float, level: float, rng: Generator, *, n: int
) -> Verdict:
    def log_ratio(pairs: Vector) -> float:
        above, below = np.log(rms(pairs, axis=0))
        return float(above - below)

    pairs = np.column_stack([top, bottom])
    ends = bootstrap_interval(log_ratio, pairs, level, rng)
    interval = exp(ends[0]), exp(ends[1]) if ends[1] < log(1e300) else inf
    found = Measure(exp(log_ratio(pairs)), interval, len(top))
    return paired("ratio of paired root mean squares", name, found, low, high, level, n=n)


# What CoinPress adds to the plain estimate of the same rows, and the rows that an accuracy takes.
#
# M21/prior-CoinPress and M21/sample-covariance, n ≈ d/α² + d/(α√ρ) + √d ln R/√ρ for a mean and d²/α² +
# d²/(α√ρ) + d^(3/2) √ln u/√ρ for a covariance, with every constant (`coinpress`). The pictures move n; the
# claims move n, ρ and d, and count the rows at which 90 % of the runs are within α.


# d and alpha: n, one for each mode, round which the grid lies. They were predicted; `rows_foreseen` is the
# prediction that measurements are compared with.
MEAN_ROWS = {
    (5, 0.2): (285, 388),
    (10, 0.2): (480, 603),
    (20, 0.2): (838, 988),
    (40, 0.2): (1510, 1695),
    (10, 0.1): (1678, 1834),
    (10, 0.5): (140, 208),
}
COVARIANCE_ROWS = {
    (4, 0.1): (3372, 7764),
    (8, 0.2): (2617, 9535),
    (8, 0.1): (9791, 16_293),
    (16, 0.2): (8507, 18_137),
}
FEW = 5  # dimensions: an error in few of them varies more, and takes more trials
FACTORS = (0.82, 0.88, 0.94, 1.0, 1.06, 1.13, 1.22)  # n over the one in the middle
COVARIANCE_D, FINE = 8, 9
CLOSE = 1.1  # to the error of the sample mean, 1000 rows in ten dimensions


# What is run


@each_trial
def means(n: int, d: int, rho: float, reach: float, *, data: Generator, noise: Generator) -> Row:
    """Run both modes on the same rows, at a point of n, d, rho and reach."""
    modes = {mode: mean_of(d, reach, mode=mode) for mode in MODES}
    return beside_the_mean(modes, *normal_rows(n, d, reach, data), rho, noise)


@each_trial
def covariances(n: int, d: int, rho: float, condition: float, *, data: Generator, noise: Generator) -> Row:
    sigma, x = centred_rows(n, d, condition, data)
    plain = second_moment(x)
    found = {"reference": mahalanobis_covariance_error(plain, sigma)}
    for mode in MODES:
        value: Any = covariance_of(condition, mode=mode)(x, budget=ZCDP(rho), rng=noise).value
        found[f"error {mode}"] = mahalanobis_covariance_error(value, sigma)
        # far from Σ the plain estimate's own norm would be another: both are measured in that of Σ
        found[f"apart {mode}"] = mahalanobis_covariance_error(sigma + value - plain, sigma)
    return found


@each_trial
def mean_size(
    d: int, alpha: float, mode: Any, n: int, rho: float, reach: float, *, data: Generator, noise: Generator
) -> Row:
    theta, x = normal_rows(n, d, reach, data)
    value: Any = mean_of(d, reach, mode=mode)(x, budget=ZCDP(rho), rng=noise).value
    return {"error": np.linalg.norm(value - theta)}


@each_trial
def covariance_size(
    d: int,
    alpha: float,
    mode: Any,
    n: int,
    rho: float,
    condition: float,
    *,
    data: Generator,
    noise: Generator,
) -> Row:
    sigma, x = centred_rows(n, d, condition, data)
    value: Any = covariance_of(condition, mode=mode)(x, budget=ZCDP(rho), rng=noise).value
    return {"error": mahalanobis_covariance_error(value, sigma)}


@each_trial
def places(n: int, d: int, rho: float, reach: float, place: str, *, data: Generator, noise: Generator) -> Row:
    theta = placed(place, d, reach * sqrt(d), data)
    x = theta + data.standard_normal((n, d))
    return beside_the_mean({mode: mean_of(d, reach, mode=mode) for mode in MODES}, theta, x, rho, noise)


def placed(place: str, d: int, radius: float, data: Generator) -> Array:
    direction = data.standard_normal(d)
    spots: dict[str, Array] = {
        "centre": np.zeros(d),
        "axis": radius / 2 * np.eye(d)[0],
        "diagonal": np.full(d, radius / 2 / sqrt(d)),
        "boundary": radius * direction / np.linalg.norm(direction),
    }
    return spots[place]


def around(
    middle: Mapping[tuple[int, float], tuple[int, int]], few: bool, **told: float
) -> tuple[Point, ...]:
    return tuple(
        {"d": d, "alpha": alpha, "mode": mode, "n": max(2, round(factor * n)), "rho": RHO, **told}
        for (d, alpha), both in middle.items()
        for mode, n in zip(MODES, both, strict=True)
        for factor in FACTORS
        if (d <= FEW) == few
    )


class Kind(NamedTuple):
    """A kind of estimate: the sweeps along n, ρ and d, and of the n that an α takes; what is predicted."""

    axes: dict[str, Sweep]
    sizes: tuple[Sweep, Sweep]
    rows: dict[tuple[int, float], tuple[int, int]]
    predict: Callable[..., Parts]
    told: dict[str, float]
    shape: Callable[[int, float], Shape]
    formulas: tuple[str, str]


def predicted_mean(mode: Any, *, n: int, d: int, rho: float, reach: float) -> Parts:
    """Return the prediction at a point, with every constant."""
    return mean_parts(mean_of(d, reach, mode=mode), n, d, ZCDP(rho))


def predicted_covariance(mode: Any, *, n: int, d: int, rho: float, condition: float) -> Parts:
    return covariance_parts(covariance_of(condition, mode=mode), spectrum(d, condition), n, ZCDP(rho))


_MEANS = {"rho": RHO, "reach": REACH}
_COVARIANCES = {"rho": RHO, "condition": CONDITION}
_MANY = {"quick": 1, "full": 62}
MEANS = Kind(
    axes={
        "n": Sweep(
            "m21-mean-n", grid(n=(1000, 2000, 4000, 8000, 16_000), d=D, **_MEANS), means, 50, blocks(10)
        ),
        "rho": Sweep(
            "m21-mean-rho", grid(n=4000, d=D, rho=(0.02, 0.1, 0.5, 2.5), reach=REACH), means, 50, blocks(10)
        ),
        "d": Sweep("m21-mean-d", grid(n=4000, d=(4, 8, 16, 32, 64), **_MEANS), means, 60, blocks(10)),
    },
    sizes=(
        Sweep("m21-mean-sizes", around(MEAN_ROWS, False, reach=REACH), mean_size, 16, _MANY),
        Sweep("m21-mean-sizes-few", around(MEAN_ROWS, True, reach=REACH), mean_size, 40, _MANY),
    ),
    rows=MEAN_ROWS,
    predict=predicted_mean,
    told={"reach": REACH},
    shape=lambda d, alpha: coinpress_mean_shape(d, alpha, RHO, REACH * sqrt(d)),
    formulas=(
        "χ²_d,.9 (1/n + s²) = α²: P(error ≤ α) = .9, s the noise of the last step",
        "d/α² + d/(α√ρ) + √d ln R/√ρ, constants 1",
    ),
)
COVARIANCES = Kind(
    axes={
        "n": Sweep(
            "m21-covariance-n",
            grid(n=(10_000, 20_000, 40_000, 80_000), d=COVARIANCE_D, **_COVARIANCES),
            covariances,
            20,
            blocks(10),
        ),
        "rho": Sweep(
            "m21-covariance-rho",
            grid(n=20_000, d=COVARIANCE_D, rho=(0.1, 0.5, 2.5), condition=CONDITION),
            covariances,
            20,
            blocks(10),
        ),
        "d": Sweep(
            "m21-covariance-d",
            grid(n=30_000, d=(6, 10, 16, 24), **_COVARIANCES),
            covariances,
            5,
            {"quick": 1, "full": 30},
        ),
    },
    sizes=(
        Sweep(
            "m21-covariance-sizes",
            around(COVARIANCE_ROWS, False, condition=CONDITION),
            covariance_size,
            8,
            {"quick": 1, "full": 36},
        ),
        Sweep(
            "m21-covariance-sizes-few",
            around(COVARIANCE_ROWS, True, condition=CONDITION),
            covariance_size,
            8,
            {"quick": 1, "full": 75},
        ),
    ),
    rows=COVARIANCE_ROWS,
    predict=predicted_covariance,
    told={"condition": CONDITION},
    shape=lambda d, alpha: coinpress_covariance_shape(d, alpha, RHO, CONDITION),
    formulas=(
        "predicted rms √(sampling² + privacy²), its .9-quantile = α",
        "d²/α² + d²/(α√ρ) + d^(3/2) √ln u/√ρ, constants 1",
    ),
)


PLACES = ("centre", "axis", "diagonal", "boundary")
WHERE = Sweep("m21-places", grid(n=1000, d=D, place=PLACES, **_MEANS), places, 200, blocks(10))


def rows_foreseen(kind: Kind, d: int, alpha: float, mode: str) -> int:
    return rows_needed(lambda n: kind.predict(mode, n=n, d=d, rho=RHO, **kind.told), alpha, BETA)


# What is shown


def price_of_a_mean(run: Run, *, rho: float = RHO, d: int = D, radius: float = REACH) -> Chart:
    """Return how far CoinPress moves the sample mean against n, beside what sampling costs."""
    return Chart(
        "price_of_a_mean",
        "Privacy adds d/(n√ρ) to the error of a mean: soon less than sampling does",
        (_panel(run, MEANS, MEAN, "error added by privacy (σ)", rho, d, 1.0, reach=radius),),
        alt="How far CoinPress moves the sample mean falls as 1/n, in both modes on the predicted line, and"
        " crosses the error of sampling, which falls as 1/√n.",
        how_to_read="The black line is the error due to sampling, √(d/n). Below it privacy costs less than"
        " sampling does. Predictions have every constant in them; nothing is fitted.",
    )


def price_of_a_covariance(
    run: Run, *, rho: float = RHO, d: int = COVARIANCE_D, condition: float = CONDITION
) -> Chart:
    """Return how far CoinPress moves the sample covariance against n (covariance-excess)."""
    label = "error added by privacy (norm of Σ)"
    return Chart(
        "price_of_a_covariance",
        "Practical bounds make a covariance private for free, proved ones later",
        (_panel(run, COVARIANCES, COVARIANCE, label, rho, d, 1.5, condition=condition),),
        alt="How far CoinPress moves the sample covariance in the norm of Σ falls with n; in mode practical"
        " it is several times below the error of sampling, in mode proved about as large. All points lie on"
        " the predictions.",
        how_to_read="In the norm of Σ every axis of the ellipsoid counts alike, however short. The black line"
        " is the sample covariance's own error, √(d(d+1)/n). Proved bounds clip no row, and add noise for"
        " the farthest of n.",
    )


def _panel(
    run: Run, kind: Kind, owner: str, ylabel: str, rho: float, d: int, power: float, **told: float
) -> Panel:
    ((name, value),) = told.items()
    usual = kind.axes["n"]
    sweep = at_numbers(usual, rho, d, power, **{name: [value] * len(usual.points)})
    points = {float(point["n"]): point for point in sweep.points}
    groups, curves, marks = by(run.table(sweep), "n"), list[Series](), list[Mark]()
    xs = [float(round(n)) for n in np.geomspace(0.25 * min(points), max(points), FINE)]
    fine = [{**sweep.points[0], "n": int(n)} for n in xs]
    floor = [kind.predict("practical", **point).sampling for point in fine]
    for mode in reversed(MODES):
        found = {n: size(rows[f"apart {mode}"].to_numpy()) for n, rows in groups.items()}
        expected = [kind.predict(mode, **points[n]).privacy for n in found]
        curves.append(measured("", found, owner, expected, **shade(mode)))
        line = [kind.predict(mode, **point).privacy for point in fine]
        curves.append(Series(NAMES[mode], xs, line, role="theory", colour_key=owner, **shade(mode)))
        marks += _free(xs, line, floor)
    curves.append(Series("sampling", xs, floor, role="reference", colour_key=PLAIN))
    title = f"ρ = {number(rho)}, d = {number(float(d))}"
    return Panel(title, "number of rows n", ylabel, tuple(curves), marks=tuple(marks))


def _free(xs: Sequence[float], line: Sequence[float], floor: Sequence[float]) -> list[Mark]:
    apart = np.log(line) - np.log(floor)
    if not apart[0] > 0 > apart[-1]:
        return []
    place = float(np.interp(0.0, -apart, np.log(xs)))
    n, level = float(np.exp(place)), float(np.exp(np.interp(place, np.log(xs), np.log(floor))))
    right, above = (xs[-1] / xs[0]) ** 0.16, (max(line) / min(line)) ** 0.06
    words = f"free beyond {number(float(f'{n:.2g}'))} rows"
    return [Mark("", "point", n, level), Mark(words, x=right * n, y=above * level, colour_key="idea/total")]


# What is claimed


def excess(kind: Kind, name: str, *frames: pd.DataFrame, seed: int) -> list[Verdict]:
    count = sum(3 * len(sweep.points) + len(MODES) for sweep in kind.axes.values())
    level = claim_level(parts=count + len(MODES) * len(kind.rows))
    rng, found = resampler(seed, name), list[Verdict]()
    for along, frame in zip(kind.axes, frames, strict=False):
        found += along_axis(kind, along, frame, level, rng)
    return [*found, *rows_checks(kind, pd.concat(frames[3:], ignore_index=True), level, rng)]


def along_axis(kind: Kind, along: str, frame: pd.DataFrame, level: float, rng: Generator) -> list[Verdict]:
    found, points = [], kind.axes[along].points
    for point in points:
        rows, where, n = at(frame, **{along: point[along]}), f"{along} = {point[along]:g}", point["n"]
        for mode in MODES:
            values, expected = column(rows, f"apart {mode}"), kind.predict(mode, **point).privacy
            found.append(part(f"privacy, {mode}, {where}", values, expected, level, rng, n=n))
        sampling = kind.predict("practical", **point).sampling
        found.append(part(f"sampling, {where}", column(rows, "reference"), sampling, level, rng, n=n))
    xs = [float(point[along]) for point in points]
    for mode in MODES:
        samples = columns(frame, f"apart {mode}", along)
        expectations = [kind.predict(mode, **point).privacy for point in points]
        found.append(slope(f"slope in {along}, {mode}", xs, samples, expectations, level, rng))
    return found


def rows_checks(kind: Kind, frame: pd.DataFrame, level: float, rng: Generator) -> list[Verdict]:
    """Return the checks of the n at which the error is at most alpha in 90 % of runs.

    The first formula beside it is that of the prediction, with every constant; the second that of the shape.
    """
    found = []
    for d, alpha in kind.rows:
        for mode in MODES:
            rows, predicted = at(frame, d=d, alpha=alpha, mode=mode), rows_foreseen(kind, d, alpha, mode)
            needed = success(rows["error"] <= alpha, rows["n"], 1 - BETA, level=level, rng=rng)
            check = inside_band(
                needed.estimate, needed.interval, predicted, BAND, level=level, trials=len(rows)
            )
            name = f"rows, {mode}, d = {d}, α = {alpha:g}"
            check = check.about(name, f"as predicted, within {100 * BAND:.0f} %", n=needed.rows)
            for formula, n in zip(kind.formulas, (predicted, kind.shape(d, alpha).total), strict=True):
                check = beside(check, SOURCE, formula, n, needed)
            found.append(check)
    return found


def place_checks(frame: pd.DataFrame, level: float, rng: Generator) -> list[Verdict]:
    found = []
    for place in PLACES:
        rows, n = at(frame, place=place), int(frame["n"].iloc[0])
        plain, error = column(rows, "reference"), column(rows, "error practical")
        check = ratio(f"over the sample mean, {place}", error, plain, 0.0, CLOSE, level, rng, n=n)
        proved = float(rms(column(rows, "error proved")) / rms(plain))
        found.append(replace(check, detail={**check.detail, "proved": proved}))
    return found


CLAIMS = (
    Claim(
        "many-dimensions/mean-excess",
        "G7",
        (SOURCE, "M21/sample-covariance"),
        "CoinPress moves the sample mean by √d times the noise of its last step (practical: and by what"
        " clipping takes) and sampling errs by √(d/n), both within 15 %: n = 1000 .. 16000, ρ = .02 .."
        " 2.5, d = 4 .. 64, R = 100√d; local slopes within .1 of the predicted ones; rows for an error of"
        " α in 90 % of runs within 15 % of the prediction.",
        sweeps=lambda: (*MEANS.axes.values(), *MEANS.sizes),
        checks=partial(excess, MEANS, "m21-mean-excess"),
        kind="ours",
    ),
    Claim(
        "many-dimensions/covariance-excess",
        "G9",
        (SOURCE, "M21/sample-covariance"),
        "CoinPress moves the sample covariance, in the norm of Σ, by its last step's noise in the predicted"
        " frame (practical: by what winsorising and its noise cost), and sampling errs by √(d(d+1)/n), both"
        " within 15 %: n = 1e4 .. 8e4, ρ = .1 .. 2.5, d = 6 .. 24, condition number 100; local slopes within"
        " .1 of the predicted ones; rows for an error of α in 90 % of runs within 15 % of the prediction.",
        sweeps=lambda: (*COVARIANCES.axes.values(), *COVARIANCES.sizes),
        checks=partial(excess, COVARIANCES, "m21-covariance-excess"),
        kind="ours",
    ),
    Claim(
        "many-dimensions/near-sample-mean",
        "M21.3",
        (SOURCE,),
        "d = 10, n = 1000, ρ = .5, R = 100√d, practical: the error is at most 1.1 times that of the sample"
        " mean, for means at the centre of the ball, on an axis, on the diagonal and on the boundary.",
        sweeps=lambda: (WHERE,),
        checks=lambda frame, seed: place_checks(
            frame, claim_level(parts=len(PLACES)), resampler(seed, "m21-places")
        ),
        kind="ours",
    ),
)
