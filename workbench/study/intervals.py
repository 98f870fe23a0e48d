"""Intervals for what a sweep measured: proportions, statistics of trials, ratios, the n where success begins.

`level` is the probability that an interval misses the truth: at most for `clopper_pearson` and the bracket of
`crossing`, which are exact; about, as for every bootstrap, for the rest.
"""

from collections.abc import Callable
from math import ceil, inf, isfinite, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from workbench.errors import ArgumentError, integer_at_least, probability
from workbench.special import bdtr, bdtrc, betainccinv, betaincinv, isotonic_regression, ndtri, stdtrit

Interval = tuple[float, float]
Vector = NDArray[np.float64]

RESAMPLES = 2000
TAIL = 20  # resamples that must lie beyond a quantile before it is read off and not extrapolated


def clopper_pearson(k: int, n: int, level: float) -> Interval:
    """Return the exact interval for a probability after k successes in n trials, level / 2 on each side.

    >>> low, high = clopper_pearson(0, 100, 0.05)
    >>> low, round(high, 4)  # 1 - 0.025 ** (1 / 100)
    (0.0, 0.0362)
    """
    integer_at_least(0, k=k)
    integer_at_least(max(1, k), n=n)
    probability(level=level)
    low = float(betaincinv(k, n - k + 1, level / 2)) if k > 0 else 0.0
    high = float(betainccinv(k + 1, n - k, level / 2)) if k < n else 1.0
    return low, high


def bootstrap_interval(
    statistic: Callable[[Vector], float],
    values: ArrayLike,
    level: float,
    rng: Generator,
    resamples: int = RESAMPLES,
) -> Interval:
    """Resample the rows of `values`, one a trial, and return an interval for a statistic of them.

    The interval is infinite for fewer than two trials, nan if the statistic is not finite.

    The ends are quantiles of the resampled statistic (an undefined one counts against both ends). Their
    distance from the estimate is multiplied by the quantile of Student's distribution over the normal one,
    times sqrt(m / (m - 1)), for m trials: for a mean this is the t interval. Levels so small that fewer
    than `TAIL` resamples lie beyond a quantile are reached from the last quantile that has them, by the same
    ratio: normal tails, which is a model and not a proof.
    """
    probability(level=level)
    integer_at_least(4 * TAIL, resamples=resamples)
    rows = np.asarray(values, dtype=np.float64)
    if (m := len(rows)) < 2:
        return -inf, inf
    with np.errstate(all="ignore"):
        estimate = statistic(rows)
        draws = [statistic(rows[rng.integers(m, size=m)]) for _ in range(resamples)]
    quantile = -stdtrit(m - 1, level / 2) * sqrt(m / (m - 1))
    return _ends(np.array(draws), estimate, level, quantile)


def _ends(draws: Vector, estimate: float, level: float, quantile: float) -> Interval:
    if not np.isfinite(estimate):
        return nan, nan
    reach = max(level, 2 * TAIL / len(draws))
    beyond = int(reach / 2 * len(draws))  # in each tail
    low = np.sort(np.where(np.isnan(draws), -inf, draws))[beyond]
    high = np.sort(np.where(np.isnan(draws), inf, draws))[-1 - beyond]
    stretch = quantile / -ndtri(reach / 2)
    return float(estimate + stretch * (low - estimate)), float(estimate + stretch * (high - estimate))


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


class Crossing(NamedTuple):
    """The n at which the probability of success reaches a target, if it does not fall with n."""

    # where the monotone fit, interpolated in log n, crosses; nan if the grid does not bracket that
    estimate: float
    # sampling error by the parametric bootstrap, given the interpolation; 0 or inf for an end beyond the
    # grid; if there is no estimate, two grid points (or 0, or inf) around it (`bracket_of`)
    interval: Interval

    @property
    def rows(self) -> int | None:
        return ceil(self.estimate) if isfinite(self.estimate) else None


def crossing(
    ns: ArrayLike,
    successes: ArrayLike,
    trials: ArrayLike,
    target: float,
    *,
    level: float,
    rng: Generator,
    resamples: int = RESAMPLES,
) -> Crossing:
    """Find where the success probability crosses `target` on an increasing grid of n.

    The bootstrap draws from the fit to (successes + 1/2) / (trials + 1): a fit of 0 or 1 still varies.
    """
    n, hits, total = (np.asarray(v, dtype=np.float64) for v in np.broadcast_arrays(ns, successes, trials))
    if n.ndim != 1 or len(n) < 2 or not (n[0] > 0 and (np.diff(n) > 0).all()):
        raise ArgumentError("ns", ns, "at least two positive numbers, increasing")
    if not ((hits >= 0) & (hits <= total) & (total >= 1)).all():
        raise ArgumentError("successes", successes, "between 0 and the number of trials")
    probability(target=target, level=level)
    estimate = _log_crossing(n, hits / total, total, target)
    if not np.isfinite(estimate):
        return Crossing(nan, bracket_of(n, hits, total, target, level))
    fit = isotonic_regression((hits + 0.5) / (total + 1), weights=total).x
    drawn = rng.binomial(total.astype(np.int64), fit, size=(resamples, len(n))) / total
    draws = np.array([_log_crossing(n, share, total, target) for share in drawn])
    low, high = _ends(draws, estimate, level, -ndtri(level / 2))
    return Crossing(float(np.exp(estimate)), (float(np.exp(low)), float(np.exp(high))))


def _log_crossing(n: Vector, shares: Vector, weights: Vector, target: float) -> float:
    fit = isotonic_regression(shares, weights=weights).x
    i = np.searchsorted(fit, target - 1e-12)  # first at or above; pooled means are rounded
    if i == 0 or i == len(n):
        return -inf if i == 0 else inf
    return np.interp(target, fit[i - 1 : i + 1], np.log(n[i - 1 : i + 1]))


def bracket_of(n: Vector, hits: Vector, total: Vector, target: float, level: float) -> Interval:
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


# Quantiles of trials, some of which may have an infinite error, with exact intervals.


def quantile(values: ArrayLike, share: float) -> float:
    """Return the order statistic below which, itself among them, there is this share of the values.

    >>> quantile([3.0, 1.0, 2.0, np.inf], 0.5)
    2.0
    """
    probability(share=share)
    return float(np.quantile(np.asarray(values, np.float64), share, method="inverted_cdf"))


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
