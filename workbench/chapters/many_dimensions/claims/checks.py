"""The checks that the claims about CoinPress are made of: sizes of parts, slopes, ratios, rows needed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import exp, inf, log

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from workbench.bounds.shape import Shape
from workbench.chapters.many_dimensions.runs.theory import Parts
from workbench.study.intervals import RESAMPLES, Crossing, Interval, bootstrap_interval, local_slope
from workbench.study.measures import BAND as BAND
from workbench.study.measures import Measure, at, paired, success
from workbench.study.measures import rms as rms
from workbench.study.rules import Verdict, beside, inside_band, slope_inside

Vector = NDArray[np.float64]
Predict = Callable[..., Parts]

TOLERANCE = 0.1  # of local slopes
SOURCE = "M21/prior-CoinPress"


def rms_interval(values: Vector, level: float, rng: Generator) -> Interval:
    """Return an interval for the root mean square of the trials."""
    low, high = bootstrap_interval(lambda squares: float(squares.mean()), np.square(values), level, rng)
    return float(np.sqrt(max(low, 0.0))), float(np.sqrt(high))


def part(name: str, values: Vector, predicted: float, level: float, rng: Generator, *, n: int) -> Verdict:
    """Decide whether the root mean square is within the band of its prediction."""
    interval = rms_interval(values, level, rng)
    check = inside_band(float(rms(values)), interval, predicted, BAND, level=level, trials=len(values))
    return check.about(name, f"as predicted, within {100 * BAND:.0f} %", n=n)


def slope(
    name: str, xs: Sequence[float], samples: Vector, predicted: Sequence[float], level: float, rng: Generator
) -> Verdict:
    """Decide whether the slope of root mean squares, columns of `samples`, is that of the predictions."""
    expected = local_slope(xs, predicted)
    check = slope_inside(xs, samples, expected, TOLERANCE, level=level, rng=rng, statistic=rms)
    return check.about(name, "the predicted local slope, within .1")


def ratio_interval(top: Vector, bottom: Vector, level: float, rng: Generator) -> tuple[float, Interval]:
    """Return the ratio of two root mean squares of the same trials, with its interval."""

    def log_ratio(pairs: Vector) -> float:
        above, below = np.log(rms(pairs, axis=0))
        return float(above - below)

    pairs = np.column_stack([top, bottom])
    low, high = bootstrap_interval(log_ratio, pairs, level, rng)
    return exp(log_ratio(pairs)), (exp(low), exp(high) if high < log(1e300) else inf)


def ratio(
    name: str, top: Vector, bottom: Vector, low: float, high: float, level: float, rng: Generator, *, n: int
) -> Verdict:
    """Decide whether the ratio of two root mean squares of the same trials lies in [low, high]."""
    found = Measure(*ratio_interval(top, bottom, level, rng), len(top))
    return paired("ratio of paired root mean squares", name, found, low, high, level, n=n)


def needed(
    frame: pd.DataFrame,
    alpha: float,
    target: float,
    level: float,
    rng: Generator,
    resamples: int = RESAMPLES,
) -> Crossing:
    """Return the n at which a share `target` of the runs errs by at most alpha."""
    good = frame["error"] <= alpha
    return success(good, frame["n"], target, level=level, rng=rng, resamples=resamples)


def rows(
    name: str,
    found: Crossing,
    predicted: int,
    shape: Shape,
    formulas: tuple[str, str],
    level: float,
    trials: int,
) -> Verdict:
    """Decide whether the rows needed are as predicted; beside them stand the prediction and a shape.

    The first formula is that of the prediction, with every constant; the second that of the shape.
    """
    check = inside_band(found.estimate, found.interval, predicted, BAND, level=level, trials=trials)
    check = check.about(name, f"as predicted, within {100 * BAND:.0f} %", n=found.rows)
    for formula, n in zip(formulas, (predicted, shape.total), strict=True):
        check = beside(check, SOURCE, formula, n, found)
    return check


def column(frame: pd.DataFrame, name: str, **where: object) -> Vector:
    """Return a column of the runs at these parameters."""
    return np.asarray(at(frame, **where)[name].to_numpy(), np.float64)


def columns(frame: pd.DataFrame, name: str, along: str) -> Vector:
    """Return a column as an array of one column for every value of a parameter, in the grid's order."""
    values = list(dict.fromkeys(frame[along]))
    return np.column_stack([column(frame, name, **{along: value}) for value in values])


def noted(check: Verdict, **numbers: float) -> Verdict:
    """Return the check with numbers that are reported and decide nothing."""
    return replace(check, detail={**check.detail, **numbers})
