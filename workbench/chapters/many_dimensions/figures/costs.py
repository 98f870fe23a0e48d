"""What CoinPress adds to the plain estimate of the same rows, against n, ρ and d, and the rows it needs."""

from math import sqrt

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.chapters.many_dimensions.claims import checks
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.chapters.many_dimensions.runs.means import HALF_WIDTH
from workbench.chapters.many_dimensions.runs.prices import Price, covariance_price, mean_price
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.study.intervals import Interval
from workbench.study.measures import Measure, at, by
from workbench.study.run import Run
from workbench.study.sweeps.grids import Sweep
from workbench.study.sweeps.schema import Point
from workbench.study.sweeps.streams import resampler

TWO = 1.96  # how many standard errors a band reaches
MEAN, COVARIANCE = "mean/coinpress", "covariance/coinpress"
NAMES = {"practical": "privacy, mode practical", "proved": "privacy, mode proved"}
LABELS = {"n": "rows n", "rho": "budget ρ", "d": "dimension d"}
SYMBOLS = {"n": "n", "rho": "ρ", "d": "d"}
FINE, RESAMPLES = 9, 800
NOTE = "Dashed: predicted. Bands: 95 % intervals."


def key(owner: str, mode: str) -> str:
    """Return the look of a mode: filled for practical, hollow for proved."""
    return owner if mode == "practical" else f"{owner}:proved"


def price_of_a_mean(
    run: Run,
    *,
    rho: float = runs.RHO,
    alpha: float = runs.MEAN_ALPHA,
    d: int = runs.D,
    radius: float = HALF_WIDTH,
) -> Chart:
    """Return how far CoinPress moves the sample mean against n, ρ and d, and the rows it needs."""
    price, rng = mean_price(rho, alpha, d, radius), resampler(run.seed, "price-of-a-mean")
    slope = (
        " in d the slope here is 0.85 and becomes 1 only in hundreds of dimensions, as the prediction says."
    )
    usual = (rho, d, radius) == (runs.RHO, runs.D, HALF_WIDTH)
    return Chart(
        "price_of_a_mean",
        "What privacy adds to a mean, beside what sampling costs",
        (*(_axis(run, price, along, MEAN) for along in price.axes), _sizes(run, price, MEAN, rng)),
        alt="How far CoinPress moves the sample mean falls as 1/n and 1/√ρ and grows with d, in both modes on"
        " the predicted line, and lies below the error of sampling in most places. The rows needed are the"
        " predicted ones, over a factor of ten.",
        how_to_read="The black line is the error that sampling makes anyway, √(d/n); where a curve is below"
        " it, privacy costs less than the sample leaves open. Dashed lines have every constant in them and"
        f" fit nothing. An exponent read off such a picture would be wrong{':' + slope if usual else '.'}"
        " Bottom right, a point on the line is a setting (d, α) whose 90 % success comes at the predicted n.",
    )


def price_of_a_covariance(
    run: Run,
    *,
    rho: float = runs.RHO,
    alpha: float = runs.COVARIANCE_ALPHA,
    d: int = runs.COVARIANCE_DIMENSION,
    condition: float = runs.CONDITION,
) -> Chart:
    """Return how far CoinPress moves the sample covariance, and the rows it needs (covariance-excess)."""
    price, rng = covariance_price(rho, alpha, d, condition), resampler(run.seed, "price-of-a-covariance")
    usual = (rho, d, condition) == (runs.RHO, runs.COVARIANCE_DIMENSION, runs.CONDITION)
    sizes = " it is several times below the error of sampling, in mode proved about as large."
    return Chart(
        "price_of_a_covariance",
        f"What privacy adds to a covariance (condition number {condition:g})",
        (*(_axis(run, price, along, COVARIANCE) for along in price.axes),
         _sizes(run, price, COVARIANCE, rng)),
        alt="How far CoinPress moves the sample covariance in the norm of Σ falls with n and ρ and grows with"
        f" d; in mode practical{sizes if usual else ' less than in mode proved.'} All points lie on the"
        " predictions, and so do the rows needed.",
        how_to_read="Errors are in the norm of Σ: every axis of the ellipsoid counts alike, however short."
        " The black line is the sample covariance's own error, √(d(d+1)/n). The proved mode cuts no row and"
        " so has to add noise for the farthest of n rows; the practical one cuts many rows on purpose and"
        " undoes the bias for normal rows, which costs a little of their information even without noise.",
    )  # fmt: skip


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


def _axis(run: Run, price: Price, along: str, owner: str) -> Panel:
    sweep = price.along(along)
    points = {float(point[along]): point for point in sweep.points}
    fine = [_between(sweep, along, x) for x in np.geomspace(min(points), max(points), FINE)]
    groups, curves = by(run.table(sweep), along), []
    for mode in reversed(runs.MODES):
        found = {x: size(rows[f"apart {mode}"].to_numpy()) for x, rows in groups.items()}
        look = key(owner, mode)
        expected = [price.predict(mode, **points[x]).privacy for x in found]
        curves.append(measured(NAMES[mode], found, look, expected))
        line = [price.predict(mode, **point).privacy for point in fine]
        curves.append(Series("", [float(p[along]) for p in fine], line, role="theory", colour_key=look))
    plain = [float(checks.rms(rows["reference"].to_numpy())) for rows in groups.values()]
    curves.append(Series("sampling", groups, plain, role="reference", colour_key="non-private"))
    fixed = ", ".join(
        f"{symbol} = {float(sweep.points[0][name]):g}" for name, symbol in SYMBOLS.items() if name != along
    )
    return Panel(fixed, LABELS[along], "root mean square", tuple(curves))


def _between(sweep: Sweep, along: str, value: float) -> Point:
    return {**sweep.points[0], along: float(value) if along == "rho" else round(value)}


def _sizes(run: Run, price: Price, owner: str, rng: Generator) -> Panel:
    """Return the n at which the error is at most α in 90 % of runs, against the n that is predicted."""
    places, curves = price.settings(), []
    frame = run.table(*price.searches(places))
    for place, mode in enumerate(runs.MODES):
        groups = {both[place]: at(frame, d=d, alpha=alpha, mode=mode)
                  for (d, alpha), both in places.items()}  # fmt: skip
        found = {n: _needed(rows, rng) for n, rows in groups.items() if len(rows)}
        one = measured("", dict(sorted(found.items())), key(owner, mode), sorted(found), kind="count")
        curves.append(one)
    foreseen = [n for both in places.values() for n in both]
    ends = (min(foreseen) * 0.8, max(foreseen) * 1.25)
    curves.append(Series("measured as predicted", ends, ends, role="theory"))
    title = f"rows for an error of α in 90 % of runs, ρ = {price.rho:g}"
    return Panel(title, "predicted n", "measured n", tuple(curves), xlim=ends, ylim=ends, note=NOTE)


def _needed(rows: pd.DataFrame, rng: Generator) -> Measure:
    found = checks.needed(rows, float(rows["alpha"].iloc[0]), 1 - runs.BETA, LEVEL, rng, RESAMPLES)
    return Measure(found.estimate, found.interval, len(rows))
