"""What claims and pictures read off their tables: medians, scales, ratios, slopes, and checks of them.

Intervals of several independent numbers are combined by the method of variance estimates recovery: a
difference is off by the root of the sum of the squares of what its parts are off (Zou & Donner 2008).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import exp, inf, log, nan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import ArrayLike

from workbench.errors import positive, probability
from workbench.study.grids import Point, Role, point_id, resampler, stream
from workbench.study.intervals import (
    RESAMPLES,
    Crossing,
    Interval,
    Vector,
    bootstrap_interval,
    clopper_pearson,
    crossing,
    local_slope,
    quantile_interval,
)
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict, at_most, compare

SUMMARY_RESAMPLES = 1000
BAND = 0.15  # tolerance of the models: normal counts, rows beyond the clip left out


class Measure(NamedTuple):
    """A number, its interval and how many trials it rests on."""

    estimate: float
    interval: Interval
    trials: int


def at(frame: pd.DataFrame, **values: object) -> pd.DataFrame:
    keep = np.ones(len(frame), bool)
    for name, value in values.items():
        keep &= (frame[name] == value).to_numpy()
    return frame[keep]


def by(frame: pd.DataFrame, name: str) -> dict[Any, pd.DataFrame]:
    return {value: frame[frame[name] == value] for value in frame[name].unique().tolist()}


def paired_columns(frame: pd.DataFrame, column: str, along: str) -> Vector:
    """Return a column as an array with a row per trial and a column per value of a parameter, in order."""
    table = frame.pivot(index=["block", "trial"], columns=along, values=column)
    return np.asarray(table[list(dict.fromkeys(frame[along]))].to_numpy(), np.float64)


def known(value: float) -> Measure:
    return Measure(value, (value, value), 1)


def mean(values: Vector) -> float:
    return float(values.mean())


def rms(values: ArrayLike, *, axis: int = 0) -> Any:
    return np.sqrt(np.mean(np.square(values), axis=axis))


def median(values: ArrayLike, level: float) -> Measure:
    """Return the median and its exact interval: two order statistics."""
    found = np.asarray(values, np.float64)
    low, high = quantile_interval(found, 0.5, level)
    return Measure(float(np.median(found)), (low if low > -inf else 0.0, high), len(found))


def share(hits: int, trials: int, level: float) -> Measure:
    """Return a share and its exact interval (Clopper-Pearson).

    The interval is right, too, for the average of shares that differ from trial to trial: the tails of a sum
    of independent hits are then lighter than those of the binomial distribution of the same mean (Hoeffding
    1956).
    """
    return Measure(hits / trials, clopper_pearson(hits, trials, level), trials)


def hits(events: ArrayLike, level: float) -> Measure:
    found = np.asarray(events)
    return share(int(found.sum()), len(found), level)


def mean_size(values: ArrayLike, level: float, name: str, seed: int, point: Point) -> Measure:
    """Return the mean absolute value, which is the scale of Laplace noise."""
    rng = stream(seed, Role.BOOTSTRAP, name, point_id(point), 0)
    found = resampled(mean, np.abs(values), level, rng, 500)
    return found._replace(interval=(max(found.interval[0], 0.0), found.interval[1]))


def summary(
    statistic: Callable[[Vector], float], values: ArrayLike, seed: int, name: str, level: float | None = None
) -> Measure:
    return resampled(statistic, values, level or claim_level(), resampler(seed, name), SUMMARY_RESAMPLES)


def resampled(
    statistic: Callable[[Vector], float],
    values: ArrayLike,
    level: float,
    rng: Generator,
    resamples: int = RESAMPLES,
) -> Measure:
    rows = np.asarray(values, np.float64)
    interval = bootstrap_interval(statistic, rows, level, rng, resamples)
    return Measure(float(statistic(rows)), interval, len(rows))


def means(
    groups: Mapping[Any, pd.DataFrame], column: str, seed: int, name: str, level: float | None = None
) -> dict[Any, Measure]:
    """Return the mean of a column for every x, with intervals that share a level unless each has its own."""
    each = level or claim_level(parts=max(len(groups), 1))
    said = {x: f"{name} {x:g}" if isinstance(x, float) else f"{name} {x}" for x in groups}
    return {x: summary(mean, rows[column], seed, said[x], each) for x, rows in groups.items()}


def scaled(measure: Measure, factor: float) -> Measure:
    low, high = measure.interval
    return Measure(factor * measure.estimate, (factor * low, factor * high), measure.trials)


def logarithm(measure: Measure) -> Measure:
    low, high = (log(end) if 0 < end < inf else (inf if end else -inf) for end in measure.interval)
    return Measure(log(measure.estimate), (low, high), measure.trials)


def combination(weights: ArrayLike, measures: Sequence[Measure]) -> Measure:
    weight = np.asarray(weights, np.float64)
    value = np.array([measure.estimate for measure in measures])
    low, high = np.array([measure.interval for measure in measures]).T
    trials = sum(measure.trials for measure in measures)
    if not np.isfinite(value).all():
        return Measure(nan, (-inf, inf), trials)
    down = np.where(weight > 0, value - low, high - value)
    up = np.where(weight > 0, high - value, value - low)
    estimate = float(weight @ value)
    spread = [float(np.linalg.norm(weight * side)) for side in (down, up)]
    return Measure(estimate, (estimate - spread[0], estimate + spread[1]), trials)


def slope(xs: ArrayLike, measures: Sequence[Measure]) -> Measure:
    x = np.asarray(xs, np.float64)
    x = x - x.mean()
    return combination(x / (x @ x), measures)


def ratio(top: Measure, bottom: Measure) -> Measure:
    trials = top.trials + bottom.trials
    if not np.isfinite([top.estimate, bottom.estimate]).all():
        return Measure(nan, (0.0, inf), trials)
    found = combination([1, -1], [logarithm(top), logarithm(bottom)])
    return Measure(exp(found.estimate), (exp(found.interval[0]), exp(found.interval[1])), trials)


def spread(measures: Mapping[Any, Measure]) -> Measure:
    """Return the largest over the smallest of independent measures; their levels add up."""
    pairs = [ratio(a, b) for a in measures.values() for b in measures.values() if a is not b]
    widest = max(pairs, key=lambda pair: pair.estimate)
    low, high = (max(pair.interval[end] for pair in pairs) for end in (0, 1))
    return Measure(widest.estimate, (low, high), sum(m.trials for m in measures.values()))


def success(good: pd.Series, n: pd.Series, share: float, **options: Any) -> Crossing:
    """Return the n from which a share of the runs is good; `options` are those of `intervals.crossing`."""
    hits = good.groupby(n).agg(["sum", "count"])
    return crossing(hits.index, hits["sum"], hits["count"], share, **options)


def rows_needed(good: pd.Series, n: pd.Series, share: float, level: float, rng: Generator) -> Measure:
    """Return the n from which a share of the runs is good; `trials` counts those of one n."""
    found = success(good, n, share, level=level, rng=rng)
    return Measure(found.estimate, found.interval, int(good.groupby(n).count().min()))


def between(
    name: str,
    measure: Measure,
    low: float,
    high: float,
    *,
    n: int | None = None,
    bound: float | None = None,
    level: float | None = None,
    test: str = "interval inside limits",
) -> Verdict:
    """Decide 'the truth lies in [low, high]' for a measure whose interval misses it with the level.

    The level is that of a check of a claim, and the bound that is shown the upper limit, unless given.
    """
    return Verdict(
        status=compare(measure.interval, low, high),
        test=test,
        level=claim_level() if level is None else level,
        n=n,
        trials=measure.trials,
        estimate=measure.estimate,
        interval=measure.interval,
        bound=high if bound is None else bound,
        id=name,
        detail={"allowed": (low, high)},
    )


def certain(name: str, value: float, low: float, high: float, *, bound: float | None = None) -> Verdict:
    """Decide about a number that follows from public ones: nothing is random, and no level is used up."""
    return between(name, known(value), low, high, bound=bound, level=0.0)


def seldom(
    name: str,
    failed: "pd.Series[bool]",
    beta: float,
    statement: str = "",
    *,
    level: float | None = None,
    factor: float = 2.0,
    n: int | None = None,
) -> Verdict:
    """Decide 'it fails with probability at most beta', given which trials failed (see `rules.at_most`)."""
    level = claim_level() if level is None else level
    found = at_most(int(failed.sum()), len(failed), beta, level, factor=factor)
    return found.about(name, statement, n=n)


def near(
    name: str,
    measure: Measure,
    predicted: float,
    statement: str = "",
    *,
    n: int | None = None,
    level: float | None = None,
    band: float = BAND,
) -> Verdict:
    """Decide 'the truth lies within predicted * (1 +- band)', at the level of the interval.

    The band is the declared tolerance of the model behind the prediction, not a sampling error.
    """
    positive(predicted=predicted)
    probability(band=band)
    low, high = predicted * (1 - band), predicted * (1 + band)
    test = "interval inside a band"
    found = between(name, measure, low, high, n=n, bound=predicted, level=level, test=test)
    return replace(found, statement=statement, detail={"band": band, **found.detail})


def slope_inside(
    xs: ArrayLike,
    samples: ArrayLike,
    predicted: float,
    tolerance: float,
    *,
    level: float,
    rng: Generator,
    statistic: Callable[..., Any] = np.median,
) -> Verdict:
    """Decide 'the local log-log slope lies within predicted +- tolerance'.

    `samples`, of shape (trials, points), are summarised by `statistic` at each of the xs; rows are resampled,
    which is right whether or not the points of a row share their data. `predicted` is the `local_slope` of
    the constant-explicit prediction on the same xs, `tolerance` that of the model, and `level` the
    probability that the slope's interval misses.
    """
    positive(tolerance=tolerance)
    slope = resampled(lambda rows: local_slope(xs, statistic(rows, axis=0)), samples, level, rng)
    low, high = predicted - tolerance, predicted + tolerance
    test = "bootstrapped slope inside a band"
    found = between("", slope, low, high, bound=predicted, level=level, test=test)
    return replace(found, detail={**found.detail, "xs": np.asarray(xs).tolist()})


def median_ratio(
    name: str, top: Vector, bottom: Vector, low: float, high: float, level: float, rng: Generator, *, n: int
) -> Verdict:
    """Decide whether the ratio of two medians of the same trials lies in [low, high].

    For errors that are sometimes enormous: a root mean square is then a matter of a few trials.
    """
    found = paired_ratio(np.median, top, bottom, level, rng)
    found = found._replace(estimate=float(np.median(top) / np.median(bottom)))
    return paired("ratio of paired medians", name, found, low, high, level, n=n)


def paired_ratio(
    statistic: Callable[..., Any], top: ArrayLike, bottom: ArrayLike, level: float, rng: Generator
) -> Measure:
    """Return the ratio of a statistic of two columns of the same trials, which are resampled together.

    On the logarithmic scale: exchanging the columns inverts the interval.
    """

    def log_ratio(pairs: Vector) -> float:
        above, below = np.log(statistic(pairs, axis=0))
        return float(above - below)

    with np.errstate(all="ignore"):  # few trials may say nothing: up to infinity
        found = resampled(log_ratio, np.column_stack([top, bottom]), level, rng)
        estimate, low, high = np.exp([found.estimate, *found.interval]).tolist()
    return Measure(estimate, (low, high), found.trials)


def paired(test: str, name: str, found: Measure, low: float, high: float, level: float, *, n: int) -> Verdict:
    """Decide whether a ratio of the same trials lies in [low, high]; the bound shown is the finite one."""
    return between(name, found, low, high, n=n, level=level, test=test, bound=high if high < inf else low)


# Shapes that claims of several chapters read off a table: medians over x, their growth, a check for every x.


LEVEL = 0.05  # of all bands of one curve together


def over(frame: pd.DataFrame, column: str, along: str, level: float = LEVEL) -> dict[float, Measure]:
    """Return the median of a column at all values of a parameter: they share a level."""
    groups = by(frame, along)
    return {value: median(rows[column], level / len(groups)) for value, rows in groups.items()}


def growth(found: Mapping[float, Measure], axis: Iterable[float] | None = None) -> Measure:
    """Return the power of x, or of another axis, with which a measure grows: a slope of logarithms."""
    xs = np.log([*(found if axis is None else axis)])
    return slope(xs, [logarithm(one) for one in found.values()])


def each(name: str, found: Mapping[Any, Measure], low: float, high: float, **more: Any) -> list[Verdict]:
    """Return the check that a measure lies between two limits, for every x."""
    return [between(f"{name}{x:g}", one, low, high, **more) for x, one in found.items()]
