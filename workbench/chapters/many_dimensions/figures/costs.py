"""What CoinPress adds to the plain estimate of the same rows, against n, ρ and d, and the rows it needs.

The main picture is against n; against ρ and d, and the n of successes, are pictures of their own.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.chapters.many_dimensions.claims import checks
from workbench.chapters.many_dimensions.figures.looks import COVARIANCE, MEAN, PLAIN, shade
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.chapters.many_dimensions.runs.means import HALF_WIDTH
from workbench.chapters.many_dimensions.runs.prices import Price, covariance_price, mean_price
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.words import number
from workbench.study.grids import Point, Sweep, resampler
from workbench.study.intervals import Interval
from workbench.study.measures import Measure, at, by, scaled
from workbench.study.run import Run

TWO = 1.96  # how many standard errors a band reaches
NAMES = {"practical": "practical bounds", "proved": "proved bounds"}
LABELS = {"n": "rows n", "rho": "budget ρ", "d": "dimension d"}
SYMBOLS = {"n": "n", "rho": "ρ", "d": "d"}
FINE, RESAMPLES = 9, 800
APART = "added by privacy"


def price_of_a_mean(run: Run, *, rho: float = runs.RHO, d: int = runs.D, radius: float = HALF_WIDTH) -> Chart:
    """Return how far CoinPress moves the sample mean against n, beside what sampling costs."""
    price = mean_price(rho, runs.MEAN_ALPHA, d, radius)
    return Chart(
        "price_of_a_mean",
        "Privacy moves a mean by d/(n√ρ): soon less than sampling does",
        (_axis(run, price, "n", MEAN, f"{APART} (σ)", free=True),),
        alt="How far CoinPress moves the sample mean falls as 1/n, in both modes on the predicted line, and"
        " crosses the error of sampling, which falls as 1/√n.",
        how_to_read="The black line is the error due to sampling, √(d/n). Below it privacy costs less than"
        " sampling does. Predictions have every constant in them; nothing is fitted.",
    )


def price_of_a_mean_elsewhere(
    run: Run, *, rho: float = runs.RHO, d: int = runs.D, radius: float = HALF_WIDTH
) -> Chart:
    """Return how far CoinPress moves the sample mean against ρ and against d."""
    price = mean_price(rho, runs.MEAN_ALPHA, d, radius)
    usual = (rho, d, radius) == (runs.RHO, runs.D, HALF_WIDTH)
    slope = " In d the slope here is 0.85 and becomes 1 only in hundreds of dimensions, as predicted."
    return Chart(
        "price_of_a_mean_elsewhere",
        "Privacy's part of a mean falls as 1/√ρ and grows nearly as d",
        tuple(_axis(run, price, along, MEAN, f"{APART} (σ)") for along in ("rho", "d")),
        alt="How far CoinPress moves the sample mean falls as 1/√ρ and grows with d, in both modes on the"
        " predicted line.",
        how_to_read="As in the picture against n, with another number moving. An exponent read off such a"
        f" picture would be wrong.{slope * usual}",
    )


def price_of_a_covariance(
    run: Run,
    *,
    rho: float = runs.RHO,
    d: int = runs.COVARIANCE_DIMENSION,
    condition: float = runs.CONDITION,
) -> Chart:
    """Return how far CoinPress moves the sample covariance against n (covariance-excess)."""
    price = covariance_price(rho, runs.COVARIANCE_ALPHA, d, condition)
    return Chart(
        "price_of_a_covariance",
        "Practical bounds make a covariance private for free, proved ones later",
        (_axis(run, price, "n", COVARIANCE, f"{APART} (norm of Σ)", free=True),),
        alt="How far CoinPress moves the sample covariance in the norm of Σ falls with n;"
        " in mode practical it is several times below the error of sampling, in mode proved about as large."
        " All points lie on the"
        " predictions.",
        how_to_read="In the norm of Σ every axis of the ellipsoid counts alike, however short. The black line"
        " is the sample covariance's own error, √(d(d+1)/n). Proved bounds clip no row, and add noise for"
        " the farthest of n.",
    )


def price_of_a_covariance_elsewhere(
    run: Run,
    *,
    rho: float = runs.RHO,
    d: int = runs.COVARIANCE_DIMENSION,
    condition: float = runs.CONDITION,
) -> Chart:
    """Return how far CoinPress moves the sample covariance against ρ and against d."""
    price = covariance_price(rho, runs.COVARIANCE_ALPHA, d, condition)
    return Chart(
        "price_of_a_covariance_elsewhere",
        "Privacy's part of a covariance falls with ρ and grows nearly as d²",
        tuple(_axis(run, price, along, COVARIANCE, f"{APART} (norm of Σ)") for along in ("rho", "d")),
        alt="How far CoinPress moves the sample covariance falls with ρ and grows with d, in both modes on"
        " the predicted line.",
        how_to_read="As in the picture against n, with another number moving. The practical mode clips many"
        " rows on purpose and undoes the bias for normal rows, which costs a little even without noise.",
    )


def rows_as_predicted(
    run: Run,
    *,
    rho: float = runs.RHO,
    alpha: float = runs.MEAN_ALPHA,
    d: int = runs.D,
    radius: float = HALF_WIDTH,
    condition: float = runs.CONDITION,
) -> Chart:
    """Return the n at which nine runs of ten err by at most α, over the predicted one."""
    fewer = max(1, round(d * runs.COVARIANCE_DIMENSION / runs.D))
    half = alpha * runs.COVARIANCE_ALPHA / runs.MEAN_ALPHA
    prices = {
        f"mean, d about {d}, α about {number(alpha)}": (mean_price(rho, alpha, d, radius), MEAN),
        f"covariance, d about {fewer}, α about {number(half)}": (
            covariance_price(rho, half, fewer, condition),
            COVARIANCE,
        ),
    }
    rng = resampler(run.seed, "rows-as-predicted")
    return Chart(
        "rows_as_predicted",
        "The rows that an accuracy takes are the predicted ones, to a tenth",
        tuple(_sizes(run, *price, title, rng) for title, price in prices.items()),
        alt="The measured n over the predicted n is 1 within a tenth, for means and covariances, over a"
        " factor of ten in n.",
        how_to_read="Each marker is a setting (d, α): the n at which nine runs of ten err by at most α, over"
        " the n that is predicted before a row is read. At 1 the prediction is right.",
    )


def rms_band(values: checks.Vector) -> Interval:
    """Return the ends of a band around a root mean square, two standard errors of the mean square away."""
    squares = np.square(values)
    reach = TWO * float(squares.std(ddof=1)) / sqrt(len(squares))
    return sqrt(max(float(squares.mean()) - reach, 0.0)), sqrt(float(squares.mean()) + reach)


def size(values: checks.Vector) -> Measure:
    """Return a root mean square with its band."""
    return Measure(float(checks.rms(values)), rms_band(values), len(values))


def ratio_band(top: checks.Vector, bottom: checks.Vector) -> Measure:
    """Return the ratio of two root mean squares of the same trials and its band, to first order."""
    above, below = np.square(top), np.square(bottom)
    share = float(above.mean() / below.mean())
    reach = TWO * float((above - share * below).std(ddof=1)) / (sqrt(len(above)) * float(below.mean()))
    return Measure(sqrt(share), (sqrt(max(share - reach, 0.0)), sqrt(share + reach)), len(above))


def _axis(run: Run, price: Price, along: str, owner: str, ylabel: str, *, free: bool = False) -> Panel:
    """Return both modes against one number; with `free`, where the practical one meets sampling."""
    sweep = price.along(along)
    points = {float(point[along]): point for point in sweep.points}
    reach = (0.25 if free else 1.0) * min(points), max(points)
    fine = [_between(sweep, along, x) for x in np.geomspace(*reach, FINE)]
    groups, curves, marks = by(run.table(sweep), along), [], []
    for mode in reversed(runs.MODES):
        found = {x: size(rows[f"apart {mode}"].to_numpy()) for x, rows in groups.items()}
        expected = [price.predict(mode, **points[x]).privacy for x in found]
        curves.append(measured("", found, owner, expected, **shade(mode)))
        line = [price.predict(mode, **point).privacy for point in fine]
        xs = [float(p[along]) for p in fine]
        curves.append(Series(NAMES[mode], xs, line, role="theory", colour_key=owner, **shade(mode)))
        marks += _free(xs, line, _floor(price, fine)) if free else []
    curves.append(Series("sampling", xs, _floor(price, fine), role="reference", colour_key=PLAIN))
    fixed = ", ".join(
        f"{symbol} = {number(float(sweep.points[0][name]))}"
        for name, symbol in SYMBOLS.items()
        if name != along
    )
    return Panel(fixed, LABELS[along], ylabel, tuple(curves), marks=tuple(marks))


def _floor(price: Price, points: Sequence[Point]) -> list[float]:
    """Return the predicted error due to sampling."""
    return [price.predict("practical", **point).sampling for point in points]


def _free(xs: Sequence[float], line: Sequence[float], floor: Sequence[float]) -> list[Mark]:
    """Return the ring and the words of the crossing of privacy and sampling, if it is in the picture."""
    apart = np.log(line) - np.log(floor)
    if not apart[0] > 0 > apart[-1]:
        return []
    place = float(np.interp(0.0, -apart, np.log(xs)))
    n, level = float(np.exp(place)), float(np.exp(np.interp(place, np.log(xs), np.log(floor))))
    right, above = (xs[-1] / xs[0]) ** 0.16, (max(line) / min(line)) ** 0.06
    words = f"free beyond {number(float(f'{n:.2g}'))} rows"
    return [Mark("", "point", n, level), Mark(words, x=right * n, y=above * level, colour_key="idea/total")]


def _between(sweep: Sweep, along: str, value: float) -> Point:
    return {**sweep.points[0], along: float(value) if along == "rho" else round(value)}


def _sizes(run: Run, price: Price, owner: str, title: str, rng: Generator) -> Panel:
    """Return the n at which the error is at most α in 90 % of runs, over the n that is predicted."""
    places, curves = price.settings(), []
    frame = run.table(*price.searches(places))
    for place, mode in enumerate(runs.MODES):
        groups = {both[place]: at(frame, d=d, alpha=alpha, mode=mode)
                  for (d, alpha), both in places.items()}  # fmt: skip
        found = {n: scaled(_needed(rows, rng), 1 / n) for n, rows in sorted(groups.items()) if len(rows)}
        ones = [1.0] * len(found)
        curves.append(measured(NAMES[mode], found, owner, ones, joined=False, **shade(mode)))
    foreseen = [n for both in places.values() for n in both]
    ends = (min(foreseen) * 0.8, max(foreseen) * 1.25)
    curves.append(Series("as predicted", ends, (1, 1), role="reference", colour_key=PLAIN))
    return Panel(title, "predicted n", "measured / predicted n", tuple(curves), yscale="linear",
                 xlim=ends, ylim=(0.85, 1.15))  # fmt: skip


def _needed(rows: pd.DataFrame, rng: Generator) -> Measure:
    found = checks.needed(rows, float(rows["alpha"].iloc[0]), 1 - runs.BETA, LEVEL, rng, RESAMPLES)
    return Measure(found.estimate, found.interval, len(rows))
