"""What claims and pictures read off their tables: medians, scales, ratios, slopes, and checks of them.

The level of an interval is the probability that it misses the truth: at most for those of shares, quantiles
and the bracket of a crossing, which are exact; about, as for every bootstrap, for the rest. Intervals of
several independent numbers are combined by the method of variance estimates recovery: a difference is off by
the root of the sum of the squares of what its parts are off (Zou & Donner 2008).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import exp, inf, log, nan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from workbench.errors import integer_at_least, positive, probability
from workbench.special import bdtr, bdtrc, isotonic_regression, ndtri, stdtrit
from workbench.study.rules import (
    CHECK_LEVEL,
    Interval,
    Verdict,
    at_most,
    claim_level,
    clopper_pearson,
    compare,
)
from workbench.study.sweeps import Point, Role, point_id, resampler, stream
from workbench.types import Array, reals

if TYPE_CHECKING:
    import pandas as pd

RESAMPLES, SUMMARY_RESAMPLES = 2000, 1000
TAIL = 20  # resamples that must lie beyond a quantile before it is read off and not extrapolated
BAND = 0.15  # tolerance of the models: normal counts, rows beyond the clip left out


class Measure(NamedTuple):
    """A number, its interval and how many trials it rests on."""

    estimate: float
    interval: Interval
    trials: int


def at(frame: "pd.DataFrame", **values: object) -> "pd.DataFrame":
    keep = np.ones(len(frame), bool)
    for name, value in values.items():
        keep &= (frame[name] == value).to_numpy()
    return frame[keep]


def by(frame: "pd.DataFrame", name: str) -> "dict[Any, pd.DataFrame]":
    return {value: frame[frame[name] == value] for value in frame[name].unique().tolist()}


def paired_columns(frame: "pd.DataFrame", column: str, along: str) -> Array:
    """Return a column as an array with a row per trial and a column per value of a parameter, in order."""
    table = frame.pivot(index=["block", "trial"], columns=along, values=column)
    return reals(table[list(dict.fromkeys(frame[along]))].to_numpy())


def known(value: float) -> Measure:
    return Measure(value, (value, value), 1)


def mean(values: Array) -> float:
    return float(values.mean())


def rms(values: ArrayLike, *, axis: int = 0) -> Any:
    return np.sqrt(np.mean(np.square(values), axis=axis))


def median(values: ArrayLike, level: float = CHECK_LEVEL) -> Measure:
    """Return the median and its exact interval: two order statistics."""
    found = reals(values)
    low, high = quantile_interval(found, 0.5, level)
    return Measure(float(np.median(found)), (low if low > -inf else 0.0, high), len(found))


def quantile(values: ArrayLike, share: float) -> float:
    """Return the order statistic below which, itself among them, there is this share of the values.

    >>> quantile([3.0, 1.0, 2.0, np.inf], 0.5)
    2.0
    """
    probability(share=share)
    return float(np.quantile(reals(values), share, method="inverted_cdf"))


def quantile_interval(values: ArrayLike, share: float, level: float) -> Interval:
    """Return the exact interval for a quantile: two order statistics, level / 2 on each side.

    The end is infinite where there are too few values for one.

    >>> quantile_interval(range(1, 101), 0.5, 0.05)
    (40.0, 61.0)
    """
    probability(share=share, level=level)
    ordered = np.sort(values)
    trials = len(ordered)
    below, above = (int((bdtr(np.arange(trials), trials, p) < level / 2).sum()) for p in (share, 1 - share))
    low = float(ordered[below - 1]) if below else -inf
    return low, float(ordered[-above]) if above else inf


def share(hits: int, trials: int, level: float) -> Measure:
    """Return a share and its exact interval (Clopper-Pearson).

    The interval is right, too, for the average of shares that differ from trial to trial: the tails of a sum
    of independent hits are then lighter than those of the binomial distribution of the same mean (Hoeffding
    1956).
    """
    return Measure(hits / trials, clopper_pearson(hits, trials, level), trials)


def hits(events: ArrayLike, level: float = CHECK_LEVEL) -> Measure:
    found = np.asarray(events)
    return share(int(found.sum()), len(found), level)


def mean_size(values: ArrayLike, level: float, name: str, seed: int, point: Point) -> Measure:
    """Return the mean absolute value, which is the scale of Laplace noise."""
    rng = stream(seed, Role.BOOTSTRAP, name, point_id(point))
    found = resampled(mean, np.abs(values), level, rng, 500)
    return found._replace(interval=(max(found.interval[0], 0.0), found.interval[1]))


def summary(
    statistic: Callable[[Array], float], values: ArrayLike, seed: int, name: str, level: float = CHECK_LEVEL
) -> Measure:
    return resampled(statistic, values, level, resampler(seed, name), SUMMARY_RESAMPLES)


def resampled(
    statistic: Callable[[Array], float],
    values: ArrayLike,
    level: float,
    rng: Generator,
    resamples: int = RESAMPLES,
) -> Measure:
    """Return a statistic of the rows of `values`, one a trial, with the interval that resampling them gives.

    The interval is infinite for fewer than two trials, nan if the statistic is not finite.

    The ends are quantiles of the resampled statistic (an undefined one counts against both ends). Their
    distance from the estimate is multiplied by the quantile of Student's distribution over the normal one,
    times sqrt(m / (m - 1)), for m trials: for a mean this is the t interval. Levels so small that fewer
    than `TAIL` resamples lie beyond a quantile are reached from the last quantile that has them, by the same
    ratio: normal tails, which is a model and not a proof.
    """
    probability(level=level)
    integer_at_least(4 * TAIL, resamples=resamples)
    rows = reals(values)
    m = len(rows)
    with np.errstate(all="ignore"):
        estimate = float(statistic(rows))
        if m < 2:
            return Measure(estimate, (-inf, inf), m)
        draws = [statistic(rows[rng.integers(m, size=m)]) for _ in range(resamples)]
    quantile = -stdtrit(m - 1, level / 2) * sqrt(m / (m - 1))
    return Measure(estimate, _ends(np.array(draws), estimate, level, quantile), m)


def _ends(draws: Array, estimate: float, level: float, quantile: float) -> Interval:
    if not np.isfinite(estimate):
        return nan, nan
    reach = max(level, 2 * TAIL / len(draws))
    beyond = int(reach / 2 * len(draws))  # in each tail
    low = np.sort(np.where(np.isnan(draws), -inf, draws))[beyond]
    high = np.sort(np.where(np.isnan(draws), inf, draws))[-1 - beyond]
    stretch = quantile / -ndtri(reach / 2)
    return float(estimate + stretch * (low - estimate)), float(estimate + stretch * (high - estimate))


def means(
    groups: "Mapping[Any, pd.DataFrame]", column: str, seed: int, name: str, level: float | None = None
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
    weight = reals(weights)
    value = np.array([measure.estimate for measure in measures])
    low, high = np.array([measure.interval for measure in measures]).T
    trials = sum(measure.trials for measure in measures)
    if not np.isfinite(value).all():
        return Measure(nan, (-inf, inf), trials)
    down = np.where(weight > 0, value - low, high - value)
    up = np.where(weight > 0, high - value, value - low)
    estimate = float(weight @ value)
    below, above = (float(np.linalg.norm(weight * side)) for side in (down, up))
    return Measure(estimate, (estimate - below, estimate + above), trials)


def slope(xs: ArrayLike, measures: Sequence[Measure]) -> Measure:
    x = reals(xs)
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


# The n from which a share of the runs succeeds, if that does not fall with n.


def rows_needed(good: Any, n: Any, share: float, level: float, rng: Generator) -> Measure:
    """Return the n from which a share of the runs is good; `trials` counts those of one n."""
    hits = good.groupby(n).agg(["sum", "count"])
    return crossing(hits.index, hits["sum"], hits["count"], share, level=level, rng=rng)


def crossing(
    ns: ArrayLike,
    successes: ArrayLike,
    trials: ArrayLike,
    target: float,
    *,
    level: float,
    rng: Generator,
    resamples: int = RESAMPLES,
) -> Measure:
    """Find where the success probability crosses `target` on an increasing grid of n.

    The estimate is where the monotone fit, interpolated in log n, crosses; nan if the grid does not bracket
    that. The interval is the sampling error by the parametric bootstrap, given the interpolation, with 0 or
    inf for an end beyond the grid; without an estimate two grid points (or 0, or inf) around it
    (`bracket_of`).

    The bootstrap draws from the fit to (successes + 1/2) / (trials + 1): a fit of 0 or 1 still varies.
    """
    n, hits, total = (reals(v) for v in np.broadcast_arrays(ns, successes, trials))
    estimate = _log_crossing(n, hits / total, total, target)
    trials = int(total.min())
    if not np.isfinite(estimate):
        return Measure(nan, bracket_of(n, hits, total, target, level), trials)
    fit = isotonic_regression((hits + 0.5) / (total + 1), weights=total).x
    drawn = rng.binomial(total.astype(np.int64), fit, size=(resamples, len(n))) / total
    draws = np.array([_log_crossing(n, share, total, target) for share in drawn])
    low, high = _ends(draws, estimate, level, -ndtri(level / 2))
    return Measure(float(np.exp(estimate)), (float(np.exp(low)), float(np.exp(high))), trials)


def _log_crossing(n: Array, shares: Array, weights: Array, target: float) -> float:
    fit = isotonic_regression(shares, weights=weights).x
    i = np.searchsorted(fit, target - 1e-12)  # first at or above; pooled means are rounded
    if i == 0 or i == len(n):
        return -inf if i == 0 else inf
    return np.interp(target, fit[i - 1 : i + 1], np.log(n[i - 1 : i + 1]))


def bracket_of(n: Array, hits: Array, total: Array, target: float, level: float) -> Interval:
    """Refute 'at the target' upwards from the smallest n, and 'below the target' downwards from the largest.

    This is exact at `level`, and assumes only that the share does not fall. The hypotheses are nested:
    testing in this order, up to the first that stands, needs no correction.
    """
    whole = total.astype(np.int64)
    below = bdtr(hits, whole, target) <= level / 2
    above = bdtrc(hits - 1, whole, target) <= level / 2
    rejected_below, rejected_above = np.cumprod(below).sum(), np.cumprod(above[::-1]).sum()
    low = n[rejected_below - 1] if rejected_below else 0.0
    high = n[len(n) - rejected_above] if rejected_above else inf
    return float(low), float(high)


# Checks of measures.


def between(
    name: str,
    measure: Measure,
    low: float,
    high: float,
    *,
    n: int | None = None,
    bound: float | None = None,
    level: float = CHECK_LEVEL,
    test: str = "interval inside limits",
) -> Verdict:
    """Decide 'the truth lies in [low, high]' for a measure whose interval misses it with the level.

    The level is that of a check of a claim, and the bound that is shown the upper limit, unless given.
    """
    return Verdict(
        status=compare(measure.interval, low, high),
        test=test,
        level=level,
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
    level: float = CHECK_LEVEL,
    factor: float = 2.0,
    n: int | None = None,
) -> Verdict:
    """Decide 'it fails with probability at most beta', given which trials failed (see `rules.at_most`)."""
    found = at_most(int(failed.sum()), len(failed), beta, level, factor=factor)
    return found.about(name, statement, n=n)


def near(
    name: str,
    measure: Measure,
    predicted: float,
    statement: str = "",
    *,
    n: int | None = None,
    level: float = CHECK_LEVEL,
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


def local_slope(xs: ArrayLike, ys: ArrayLike) -> float:
    """Return the least-squares slope of log y against log x.

    A prediction must pass through the same function on the same x: that is its local slope, which need not be
    the exponent of its leading term.

    >>> round(local_slope([10, 100, 1000], [3, 0.3, 0.03]), 12)
    -1.0
    """
    with np.errstate(all="ignore"):
        x, y = np.log(xs), np.log(ys)
        x = x - x.mean()
        return float(x @ y / (x @ x))


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
    name: str, top: Array, bottom: Array, low: float, high: float, level: float, rng: Generator, *, n: int
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

    def log_ratio(pairs: Array) -> float:
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


def over(frame: "pd.DataFrame", column: str, along: str, level: float = LEVEL) -> dict[float, Measure]:
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
