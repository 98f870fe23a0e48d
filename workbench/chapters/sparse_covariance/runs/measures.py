"""What the claims about WX19 read off their tables: geometric means, and the n at which a curve crosses."""

from collections.abc import Callable, Mapping, Sequence
from math import exp, inf, log, nan, sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from workbench.special import stdtrit
from workbench.study.grids import Role, stream
from workbench.study.intervals import Interval, bootstrap_interval
from workbench.study.measures import Measure
from workbench.study.rules import Verdict, compare
from workbench.types import Array

LARGEST = 700.0  # powers of e beyond it are infinite


def geometric(values: ArrayLike, level: float) -> Measure:
    """Return the geometric mean of independent positive values, with the t interval of its logarithm."""
    logs = np.log(np.asarray(values, np.float64))
    middle, m = float(logs.mean()), len(logs)
    if m < 2:
        return Measure(exp(middle), (0.0, inf), m)
    reach = float(-stdtrit(m - 1, level / 2)) * float(logs.std(ddof=1)) / sqrt(m)
    return exponential(Measure(middle, (middle - reach, middle + reach), m))


def arithmetic(values: ArrayLike, level: float) -> Measure:
    """Return the mean of independent values with its t interval."""
    found = np.asarray(values, np.float64)
    middle, m = float(found.mean()), len(found)
    reach = float(-stdtrit(m - 1, level / 2)) * float(found.std(ddof=1)) / sqrt(m) if m > 1 else inf
    return Measure(middle, (middle - reach, middle + reach), m)


def recall(kept: Array, truth: Array) -> float:
    """Return the share of the true support off the diagonal that is kept."""
    away = (truth != 0) & ~np.eye(len(truth), dtype=bool)
    return float((kept[away] != 0).mean()) if away.any() else 1.0


def f1(kept: Array, truth: Array) -> float:
    """Return the harmonic mean of precision and recall of the support off the diagonal."""
    above = np.triu_indices(len(truth), 1)
    found, true = kept[above] != 0, truth[above] != 0
    total = int(found.sum() + true.sum())
    return float(2 * (found & true).sum() / total) if total else 1.0


def trials(frame: pd.DataFrame, along: str, column: str) -> Array:
    """Return a column as an array with a row per trial and a column per value of a parameter, in order."""
    table = frame.pivot(index=["block", "trial"], columns=along, values=column)
    return np.asarray(table[list(dict.fromkeys(frame[along]))].to_numpy(), np.float64)


def crossing(ns: Sequence[float], curve: ArrayLike, target: float, *, falling: bool = True) -> float:
    """Return log n where a curve last passes the target, interpolated in log n; nan if it does not."""
    y = np.asarray(curve, np.float64) - target
    reached = y <= 0 if falling else y >= 0
    if reached.all() or not reached[-1]:
        return nan
    i = int(np.flatnonzero(~reached)[-1])
    share = y[i] / (y[i] - y[i + 1])
    return float(log(ns[i]) + share * (log(ns[i + 1]) - log(ns[i])))


def bootstrapped(
    statistic: Callable[[Array], float], rows: Array, level: float, name: str, seed: int
) -> Measure:
    """Return a statistic of trials, one row each, with its interval."""
    rng = stream(seed, Role.BOOTSTRAP, name, 0, 0)
    estimate, interval = statistic(rows), bootstrap_interval(statistic, rows, level, rng, 500)
    return Measure(estimate, interval if np.isfinite(estimate) else (-inf, inf), len(rows))


def exponential(measure: Measure) -> Measure:
    """Return the measure of e to this power."""
    low, high = (inf if end > LARGEST else exp(end) for end in measure.interval)
    return Measure(exp(measure.estimate), (low, high), measure.trials)


def computed(
    name: str, values: ArrayLike, limits: Interval, *, statement: str = "", detail: Mapping[str, object] = {}
) -> Verdict:
    """Decide 'every number lies within limits' where the numbers are computed and not sampled."""
    found = np.asarray(values, np.float64)
    span = float(found.min()), float(found.max())
    inside = limits[0] <= span[0] and span[1] <= limits[1]
    worst = span[1] if limits[0] == -inf or inside or span[1] > limits[1] else span[0]
    return Verdict(
        status=compare((worst, worst), *limits),
        test="largest and smallest value over a grid",
        level=0.0,
        trials=found.size,
        estimate=worst,
        interval=span,
        bound=limits[1],
        detail=dict(detail),
    ).about(name, statement or "within the limits everywhere")
