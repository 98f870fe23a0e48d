"""What CoinPress adds to the plain estimate of the same rows, against n, ρ and d, and the rows it needs."""

from collections.abc import Callable, Iterable
from math import sqrt

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.chapters.many_dimensions.claims import checks, covariance, mean
from workbench.chapters.many_dimensions.claims.checks import Predict
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.charts.chart import Chart, Panel, Series
from workbench.study.intervals import Interval
from workbench.study.measures import at
from workbench.study.sweeps.schema import Point
from workbench.study.sweeps.streams import resampler
from workbench.study.sweeps.sweep import Sweep, run, run_all

BAND, TWO = 0.05, 1.96  # level of the bands, and how many standard errors they reach
MEAN, COVARIANCE = "mean/coinpress", "covariance/coinpress"
NAMES = {"practical": "privacy, mode practical", "proved": "privacy, mode proved"}
LABELS = {"n": "rows n", "rho": "budget ρ", "d": "dimension d"}
SYMBOLS = {"n": "n", "rho": "ρ", "d": "d"}
FINE, RESAMPLES = 9, 800
NOTE = "Dashed: predicted. Bands: 95 % intervals."

Predicted = Callable[[int, float, str], int]


def key(owner: str, mode: str) -> str:
    """Return the look of a mode: filled for practical, hollow for proved."""
    return owner if mode == "practical" else f"{owner}:proved"


def price_of_a_mean(profile: str, seed: int) -> Chart:
    """Return how far CoinPress moves the sample mean against n, ρ and d, and the rows it needs."""
    axes = ((runs.MEAN_N, "n"), (runs.MEAN_RHO, "rho"), (runs.MEAN_D, "d"))
    rng = resampler(seed, "price-of-a-mean")
    panels = [
        _axis(sweep, along, run(sweep, profile, seed=seed), mean.predicted, MEAN) for sweep, along in axes
    ]
    sizes = _sizes(
        run_all((runs.MEAN_SIZES, runs.MEAN_SIZES_FEW), profile, seed=seed),
        runs.MEAN_ROWS,
        runs.mean_rows,
        MEAN,
        rng,
    )
    return Chart(
        "price_of_a_mean",
        "What privacy adds to a mean, beside what sampling costs",
        (*panels, sizes),
        alt="How far CoinPress moves the sample mean falls as 1/n and 1/√ρ and grows with d, in both modes on"
        " the predicted line, and lies below the error of sampling in most places. The rows needed are the"
        " predicted ones, over a factor of ten.",
        how_to_read="The black line is the error that sampling makes anyway, √(d/n); where a curve is below"
        " it, privacy costs less than the sample leaves open. Dashed lines have every constant in them and"
        " fit nothing. An exponent read off such a picture would be wrong: in d the slope here is 0.85 and"
        " becomes 1 only in hundreds of dimensions, as the prediction says. Bottom right, a point on the line"
        " is a setting (d, α) whose 90 % success comes at the predicted n.",
    )


def price_of_a_covariance(profile: str, seed: int) -> Chart:
    """Return how far CoinPress moves the sample covariance, and the rows it needs (covariance-excess)."""
    axes = ((runs.COVARIANCE_N, "n"), (runs.COVARIANCE_RHO, "rho"), (runs.COVARIANCE_D, "d"))
    rng = resampler(seed, "price-of-a-covariance")
    panels = [
        _axis(sweep, along, run(sweep, profile, seed=seed), covariance.predicted, COVARIANCE)
        for sweep, along in axes
    ]
    frame = run_all((runs.COVARIANCE_SIZES, runs.COVARIANCE_SIZES_FEW), profile, seed=seed)
    sizes = _sizes(frame, runs.COVARIANCE_ROWS, runs.covariance_rows, COVARIANCE, rng)
    return Chart(
        "price_of_a_covariance",
        "What privacy adds to a covariance (condition number 100)",
        (*panels, sizes),
        alt="How far CoinPress moves the sample covariance in the norm of Σ falls with n and ρ and grows with"
        " d; in mode practical it is several times below the error of sampling, in mode proved about as"
        " large. All points lie on the predictions, and so do the rows needed.",
        how_to_read="Errors are in the norm of Σ: every axis of the ellipsoid counts alike, however short."
        " The black line is the sample covariance's own error, √(d(d+1)/n). The proved mode cuts no row and"
        " so has to add noise for the farthest of n rows; the practical one cuts many rows on purpose and"
        " undoes the bias for normal rows, which costs a little of their information even without noise.",
    )


def rms_band(values: checks.Vector) -> Interval:
    """Return the ends of a band around a root mean square, two standard errors of the mean square away."""
    squares = np.square(values)
    reach = TWO * float(squares.std(ddof=1)) / sqrt(len(squares))
    return sqrt(max(float(squares.mean()) - reach, 0.0)), sqrt(float(squares.mean()) + reach)


def ratio_band(top: checks.Vector, bottom: checks.Vector) -> tuple[float, Interval]:
    """Return the ratio of two root mean squares of the same trials and its band, to first order."""
    above, below = np.square(top), np.square(bottom)
    share = float(above.mean() / below.mean())
    reach = TWO * float((above - share * below).std(ddof=1)) / (sqrt(len(above)) * float(below.mean()))
    return sqrt(share), (sqrt(max(share - reach, 0.0)), sqrt(share + reach))


def _axis(sweep: Sweep, along: str, frame: pd.DataFrame, predict: Predict, owner: str) -> Panel:
    points = sweep.points
    xs = [float(point[along]) for point in points]
    fine = [_between(points[0], along, x) for x in np.geomspace(xs[0], xs[-1], FINE)]
    curves = []
    for mode in reversed(runs.MODES):
        values = [checks.column(frame, f"apart {mode}", **{along: x}) for x in xs]
        low, high = zip(*map(rms_band, values), strict=True)
        look = key(owner, mode)
        curves.append(Series(NAMES[mode], xs, map(checks.rms, values), low, high, colour_key=look))
        expected = [predict(mode, **point).privacy for point in fine]
        curves.append(Series("", [float(p[along]) for p in fine], expected, role="theory", colour_key=look))
    plain = [checks.rms(checks.column(frame, "reference", **{along: x})) for x in xs]
    curves.append(Series("sampling", xs, plain, role="reference", colour_key="non-private"))
    fixed = ", ".join(
        f"{SYMBOLS[name]} = {float(points[0][name]):g}" for name in ("n", "rho", "d") if name != along
    )
    return Panel(fixed, LABELS[along], "root mean square", tuple(curves))


def _between(point: Point, along: str, value: float) -> Point:
    return {**point, along: float(value) if along == "rho" else round(value)}


def _sizes(
    frame: pd.DataFrame,
    settings: Iterable[tuple[int, float]],
    predicted: Predicted,
    owner: str,
    rng: Generator,
) -> Panel:
    curves = []
    for mode in runs.MODES:
        found = {}
        for d, alpha in settings:
            rows = at(frame, d=d, alpha=alpha, mode=mode)
            found[predicted(d, alpha, mode)] = checks.needed(rows, alpha, 1 - runs.BETA, BAND, rng, RESAMPLES)
        xs = sorted(found)
        low, high = zip(*(found[x].interval for x in xs), strict=True)
        estimates = [found[x].estimate for x in xs]
        look = key(owner, mode)
        curves.append(Series("", xs, estimates, low, high, colour_key=look, kind="count"))
    ends = (min(min(c.x) for c in curves) * 0.8, max(max(c.x) for c in curves) * 1.25)
    curves.append(Series("measured as predicted", ends, ends, role="theory"))
    title = f"rows for an error of α in 90 % of runs, ρ = {runs.RHO:g}"
    return Panel(title, "predicted n", "measured n", tuple(curves), xlim=ends, ylim=ends, note=NOTE)
