"""What CoinPress adds to the plain estimate of the same rows, and the rows that an accuracy takes.

M21/prior-CoinPress and M21/sample-covariance, n ≈ d/α² + d/(α√ρ) + √d ln R/√ρ for a mean and
d²/α² + d²/(α√ρ) + d^(3/2) √ln u/√ρ for a covariance, with every constant (`coinpress`). The pictures move n;
the claims move n, ρ and d, and count the rows at which 90 % of the runs are within α.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.bounds.m21 import coinpress_covariance_shape, coinpress_mean_shape
from workbench.bounds.shape import Shape
from workbench.chapters.many_dimensions.coinpress import (
    BETA,
    CONDITION,
    COVARIANCE,
    MEAN,
    MODES,
    NAMES,
    PLAIN,
    REACH,
    RHO,
    SOURCE,
    D,
    Parts,
    at_numbers,
    beside_the_mean,
    centred_rows,
    column,
    columns,
    covariance_of,
    covariance_parts,
    mean_of,
    mean_parts,
    normal_rows,
    part,
    ratio,
    rows_needed,
    shade,
    size,
    slope,
    spectrum,
)
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.curves import measured
from workbench.charts.style import number
from workbench.linalg import second_moment
from workbench.losses import mahalanobis_covariance_error
from workbench.privacy import ZCDP
from workbench.study.claim import Claim
from workbench.study.grids import Point, Sweep, grid, resampler
from workbench.study.measures import BAND, at, by, rms, success
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict, beside, inside_band
from workbench.study.run import Row, Run, each_trial
from workbench.types import Array

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
_MANY = {"quick": 1, "ci": 15, "full": 62, "deep": 250}
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
            {"quick": 1, "ci": 7, "full": 30, "deep": 120},
        ),
    },
    sizes=(
        Sweep(
            "m21-covariance-sizes",
            around(COVARIANCE_ROWS, False, condition=CONDITION),
            covariance_size,
            8,
            {"quick": 1, "ci": 9, "full": 36, "deep": 144},
        ),
        Sweep(
            "m21-covariance-sizes-few",
            around(COVARIANCE_ROWS, True, condition=CONDITION),
            covariance_size,
            8,
            {"quick": 1, "ci": 18, "full": 75, "deep": 300},
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
        alt="How far CoinPress moves the sample covariance in the norm of Σ falls with n;"
        " in mode practical it is several times below the error of sampling, in mode proved about as large."
        " All points lie on the"
        " predictions.",
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
    """Return the checks: both parts of the error along n, ρ and d, the slopes, and the rows for an α."""
    count = sum(3 * len(sweep.points) + len(MODES) for sweep in kind.axes.values())
    level = claim_level(parts=count + len(MODES) * len(kind.rows))
    rng, found = resampler(seed, name), list[Verdict]()
    for along, frame in zip(kind.axes, frames, strict=False):
        found += along_axis(kind, along, frame, level, rng)
    return [*found, *rows_checks(kind, pd.concat(frames[3:], ignore_index=True), level, rng)]


def along_axis(kind: Kind, along: str, frame: pd.DataFrame, level: float, rng: Generator) -> list[Verdict]:
    """Return the checks of one axis: both parts at every point, and the slopes of the private one."""
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
    """Return the ratio to the sample mean at every place; that of mode "proved" is reported."""
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
        "CoinPress moves the sample covariance, in the norm of Σ, by its last step's noise in the"
        " predicted frame (practical: by what winsorising and its noise cost), and sampling errs by"
        " √(d(d+1)/n), both within 15 %: n = 1e4 .. 8e4, ρ = .1 .. 2.5, d = 6 .. 24, condition number 100;"
        " local slopes within .1 of the predicted ones; rows for an error of α in 90 % of runs within 15 %"
        " of the prediction.",
        sweeps=lambda: (*COVARIANCES.axes.values(), *COVARIANCES.sizes),
        checks=partial(excess, COVARIANCES, "m21-covariance-excess"),
        kind="ours",
    ),
    Claim(
        "many-dimensions/near-sample-mean",
        "M21.3",
        (SOURCE,),
        "d = 10, n = 1000, ρ = .5, R = 100√d, practical: the error is at most 1.1 times that of the"
        " sample mean, for means at the centre of the ball, on an axis, on the diagonal and on the"
        " boundary.",
        sweeps=lambda: (WHERE,),
        checks=lambda frame, seed: place_checks(
            frame, claim_level(parts=len(PLACES)), resampler(seed, "m21-places")
        ),
        kind="ours",
    ),
)
