"""What the claims about costs share: repeated runs beside the sample mean, and checks put together.

In every run the mean is uniform on [-radius, radius] or, without a range, at a given place, and the rows are
normal with variance 1. The private mean and the sample mean see the same rows.
"""

from collections.abc import Callable
from math import exp, inf, log

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from workbench.estimators.base import Abstention
from workbench.estimators.intervals import UnboundedMean
from workbench.estimators.two_step import TwoStepMean
from workbench.privacy import ApproxDP, PureDP
from workbench.study.intervals import Interval, Vector, bootstrap_interval, clopper_pearson
from workbench.study.rules import Verdict, compare
from workbench.types import Columns

DELTA = 1e-6

Runner = Callable[[NDArray[np.float64], Generator], float | Abstention]


def two_step(
    n: int, epsilon: float, radius: float, calibration: str, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Run the two-step mean at a point of n, epsilon, radius and calibration, under pure DP."""
    estimator = TwoStepMean(radius=radius, calibration=calibration, sigma=1.0)  # type: ignore[arg-type]
    budget = PureDP(epsilon)
    means = data.uniform(-radius, radius, trials)
    return beside_the_sample_mean(
        lambda x, rng: estimator(x, budget=budget, rng=rng).value, means, n, data, noise
    )


def unbounded(
    n: int, epsilon: float, mean: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Run the tight unbounded mean at a point of n, epsilon and mean, with delta = 1e-6."""
    budget = ApproxDP(epsilon, DELTA)
    estimator, means = UnboundedMean(sigma=1.0), np.full(trials, mean)
    return beside_the_sample_mean(
        lambda x, rng: estimator(x, budget=budget, rng=rng).value, means, n, data, noise
    )


def beside_the_sample_mean(
    run: Runner, means: NDArray[np.float64], n: int, data: Generator, noise: Generator
) -> Columns:
    """Return absolute errors of `run` and of the sample mean (`reference`), and how far they are `apart`."""
    columns = np.full((3, len(means)), inf)
    for i, mean in enumerate(means):
        x = mean + data.standard_normal(n)
        value, sample = run(x, noise), float(x.mean())
        columns[1, i] = abs(sample - mean)
        if not isinstance(value, Abstention):
            columns[0, i], columns[2, i] = abs(value - mean), abs(value - sample)
    error, reference, apart = columns
    return {"error": error, "reference": reference, "apart": apart, "abstained": np.isinf(error)}


def quantile_ratio_interval(a: Vector, b: Vector, q: float, level: float, rng: Generator) -> Interval:
    """Return an interval for the ratio of the q-quantiles of a and b, measured on the same samples.

    Pairs are resampled. Where the quantile of a is infinite its ends are, too, as far as the binomial test
    is sure of it.
    """
    if not np.isfinite(np.quantile(a, q, method="higher")):
        low, _ = clopper_pearson(int(np.isinf(a).sum()), len(a), level)
        return (inf if low > 1 - q else 0.0), inf

    def log_ratio(pairs: Vector) -> float:
        top, bottom = np.quantile(pairs, q, axis=0)
        return float(np.log(top) - np.log(bottom))

    low, high = bootstrap_interval(log_ratio, np.column_stack([a, b]), level, rng)
    return exp(low), exp(high) if high < log(1e300) else inf


def below(
    estimate: float, interval: Interval, bound: float, *, level: float, trials: int, **detail: object
) -> Verdict:
    """Decide 'the truth is at most `bound`', given an interval that misses it with `level`."""
    return Verdict(
        status=compare(interval, -inf, bound),
        test="interval below a bound",
        level=level,
        trials=trials,
        estimate=float(estimate),
        interval=interval,
        bound=bound,
        detail=detail,
    )
