"""The rules that reach verdicts.

Every rule is a pure function with three outcomes. REFUTED is reserved for evidence: a true claim is refuted
with probability at most `level`. HOLDS needs evidence, too: the test would have noticed a violation of a
stated size. Everything else is UNDECIDED, and asks for more trials.
"""

from collections.abc import Sequence
from itertools import combinations
from math import fsum, hypot, inf, sqrt
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from workbench.errors import ArgumentError, finite, integer_at_least, positive, probability
from workbench.special import bdtrc, ndtr, stdtrit
from workbench.study.intervals import (
    RESAMPLES,
    Interval,
    Vector,
    bootstrap_interval,
    clopper_pearson,
    local_slope,
)
from workbench.study.verdict import Status, Verdict

POWER = 0.99  # to notice a violation by `factor`, before a claim holds


def at_most(failures: int, trials: int, beta: float, level: float, *, factor: float = 2.0) -> Verdict:
    """Decide 'the failure probability is at most beta' by the exact one-sided binomial test.

    Parameters
    ----------
    failures, trials : int
        Failures among independent trials.
    beta : float
        The claimed bound.
    level : float
        REFUTED iff failures reach the smallest k with P(Bin(trials, beta) >= k) <= level.
    factor : float
        HOLDS iff not refuted, and a failure probability of factor * beta (recorded as `detects`) would have
        been refuted with probability `POWER`.

    Returns
    -------
    Verdict
        Its interval is Clopper-Pearson with `level` on each side: REFUTED iff its lower end reaches beta.

    Notes
    -----
    At the level of one claim (5e-6) and factor 2, beta = 0.1 needs 561 trials and beta = 0.05 needs 1212.
    """
    integer_at_least(0, failures=failures)
    integer_at_least(max(1, failures), trials=trials)
    probability(beta=beta, level=level)
    if not factor > 1:
        raise ArgumentError("factor", factor, "a number above 1")
    k, detects = refuted_from(trials, beta, level), min(1.0, factor * beta)
    power = float(bdtrc(k - 1, trials, detects))
    return Verdict(
        status=Status.REFUTED if failures >= k else Status.HOLDS if power >= POWER else Status.UNDECIDED,
        test="binomial, at most",
        level=level,
        trials=trials,
        estimate=failures / trials,
        interval=clopper_pearson(failures, trials, 2 * level),
        bound=beta,
        detail={"failures": failures, "refuted_from": k, "detects": detects, "power": power},
    )


def refuted_from(trials: int, beta: float, level: float) -> int:
    """Return the smallest k with P(Bin(trials, beta) >= k) <= level; trials + 1 if there is none.

    >>> refuted_from(200, 0.1, 1e-3 / 10)
    38
    """
    tails = bdtrc(np.arange(trials + 1) - 1, trials, beta)  # P(at least k), falling in k
    return int((tails > level).sum())


def alike(groups: Sequence[ArrayLike], level: float, *, factor: float) -> Verdict:
    """Decide 'these independent samples have one mean' by Welch's t-test of every pair.

    Parameters
    ----------
    groups : sequence of arrays
        Samples of positive numbers, two entries or more in each, not all of them equal.
    level : float
        REFUTED iff some pair is further apart than that: a share level / pairs for each of them, with the
        degrees of freedom of the smallest sample alone, fewer than Welch's.
    factor : float
        HOLDS iff not refuted, and a sample of `factor` times the mean and the spread of another (recorded as
        `detects`) would have been refuted with probability `POWER`.

    Returns
    -------
    Verdict
        Its estimate is the largest difference of two means in its standard errors, its bound what refutes.
    """
    samples = [np.asarray(group, np.float64) for group in groups]
    means = [float(sample.mean()) for sample in samples]
    own = [float(sample.std(ddof=1)) / sqrt(len(sample)) for sample in samples]
    pairs = [(a, b, hypot(own[a], own[b])) for a, b in combinations(range(len(samples)), 2)]
    apart = max(abs(means[a] - means[b]) / error for a, b, error in pairs)
    most = float(-stdtrit(min(map(len, samples)) - 1, level / (2 * len(pairs))))
    noticed = min((factor - 1) * min(means[a], means[b]) / (factor * error) for a, b, error in pairs)
    power = float(ndtr(noticed - most))
    return Verdict(
        status=Status.REFUTED if apart > most else Status.HOLDS if power >= POWER else Status.UNDECIDED,
        test="Welch's t, all pairs",
        level=level,
        trials=sum(map(len, samples)),
        estimate=apart,
        interval=(apart, apart),
        bound=most,
        detail={"pairs": len(pairs), "means": means, "detects": factor, "power": power},
    )


def compare(interval: Interval, low: float, high: float) -> Status:
    """Return HOLDS if the whole interval lies in [low, high], REFUTED if none of it does, else UNDECIDED.

    >>> [str(compare(interval, 0, 1)) for interval in [(0.2, 0.3), (1.1, 1.4), (0.9, 1.1)]]
    ['HOLDS', 'REFUTED', 'UNDECIDED']
    """
    if interval[0] > interval[1]:
        raise ArgumentError("interval", interval, "a lower and an upper end")
    if low <= interval[0] and interval[1] <= high:
        return Status.HOLDS
    return Status.REFUTED if interval[1] < low or interval[0] > high else Status.UNDECIDED


def inside_band(
    estimate: float, interval: Interval, predicted: float, band: float, *, level: float, trials: int
) -> Verdict:
    """Decide 'the truth lies within predicted * (1 +- band)', given an interval that misses it with `level`.

    The band is the declared tolerance of the model behind the prediction, not a sampling error.
    """
    positive(predicted=predicted)
    probability(band=band, level=level)
    low, high = predicted * (1 - band), predicted * (1 + band)
    return Verdict(
        status=compare(interval, low, high),
        test="interval inside a band",
        level=level,
        trials=trials,
        estimate=float(estimate),
        interval=interval,
        bound=predicted,
        detail={"band": band, "allowed": (low, high)},
    )


class Statistic(Protocol):
    """Summarises the trials of every point: a function such as `numpy.median`."""

    def __call__(self, values: Any, /, *, axis: int) -> Any:
        """Return one number per column for axis = 0."""


def slope_inside(
    xs: ArrayLike,
    samples: ArrayLike,
    predicted: float,
    tolerance: float,
    *,
    level: float,
    rng: Generator,
    statistic: Statistic = np.median,
    clusters: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    upper_bound: bool = False,
) -> Verdict:
    """Decide 'the local log-log slope lies within predicted +- tolerance'.

    Parameters
    ----------
    xs : array of shape (points,)
        The varied parameter.
    samples : array of shape (trials, points)
        Measurements; rows are resampled, which is right whether or not the points of a row share their data.
    predicted : float
        `local_slope` of the constant-explicit prediction on the same xs.
    tolerance : float
        Declared tolerance of the model.
    level : float
        Probability that the slope's interval misses.
    rng : Generator
        Draws the resamples.
    statistic : callable
        Summary of a point's trials.
    clusters : array of shape (trials,), optional
        Labels of trials that share data.
    resamples : int
        How many.
    upper_bound : bool
        The claim is an upper bound: any slope below predicted + tolerance is right.
    """
    finite(predicted=predicted)
    positive(tolerance=tolerance)
    rows = np.asarray(samples, dtype=np.float64)

    def slope(values: Vector) -> float:
        return local_slope(xs, statistic(values, axis=0))

    interval = bootstrap_interval(slope, rows, level, rng, resamples, clusters=clusters)
    low, high = -inf if upper_bound else predicted - tolerance, predicted + tolerance
    return Verdict(
        status=compare(interval, low, high),
        test="bootstrapped slope inside a band",
        level=level,
        trials=len(rows),
        estimate=slope(rows),
        interval=interval,
        bound=predicted,
        detail={"allowed": (low, high), "xs": np.asarray(xs).tolist()},
    )


def combine(verdicts: Sequence[Verdict], trials: int | None = None) -> Verdict:
    """Decide a claim made of several checks: all must hold, one refutation refutes; the levels add up.

    The estimate, interval and bound shown are those of the first check that decides; all stand in the
    detail. `trials` is the number of distinct ones where checks share them; by default they are added up.
    """
    if not verdicts:
        raise ArgumentError("verdicts", verdicts, "at least one verdict")
    statuses, sizes = {verdict.status for verdict in verdicts}, {verdict.n for verdict in verdicts}
    status = next((s for s in (Status.REFUTED, Status.UNDECIDED) if s in statuses), Status.HOLDS)
    shown = next(verdict for verdict in verdicts if verdict.status == status)
    named = f"{shown.id} ({shown.test})" if shown.id else shown.test
    return Verdict(
        status=status,
        test=f"all of {len(verdicts)} checks; shown: {named}",
        level=fsum(verdict.level for verdict in verdicts),
        n=sizes.pop() if len(sizes) == 1 else shown.n,
        trials=sum(verdict.trials for verdict in verdicts) if trials is None else trials,
        estimate=shown.estimate,
        interval=shown.interval,
        bound=shown.bound,
        detail={"checks": [dict(vars(verdict)) for verdict in verdicts]},
    )
