"""What rows that are absent at random cost: errors over those of the same estimator on the other rows alone.

Both runs see the same rows, one with a share of them absent in their places. Medians of errors: a run without
an answer is an infinite one. `python -m tests.estimators.test_absent_errors` prints the table.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from workbench import ZCDP, ApproxDP, PureDP
from workbench.catalog import CATALOG
from workbench.distributions import Gaussian
from workbench.estimators import Abstention
from workbench.privacy import Budget
from workbench.study.intervals import bootstrap_interval

SHARES, LEVEL, MEAN = (0.1, 0.3), 1e-4, 5.0
PURE, CONCENTRATED, APPROXIMATE = PureDP(1.0), ZCDP(0.5), ApproxDP(1.0, 1e-6)


@dataclass(frozen=True)
class Case:
    """An estimator, its rows, and the most that a share of .1 and of .3 may cost."""

    key: str
    n: int
    d: int
    budget: Budget
    most: tuple[float, float]
    parameters: tuple[tuple[str, Any], ...] = ()
    runs: int = 1000

    def __str__(self) -> str:
        counted = " counted" if ("missing", "counted") in self.parameters else ""
        return f"{self.key}{counted} n={self.n} d={self.d}"


RANGE, BOUND, COUNT = ("radius", 100.0), ("upper", 4.0), ("missing", "counted")
CASES = (
    Case("univariate/two-step-mean", 1000, 1, PURE, (9, 9), (RANGE,)),
    Case("univariate/two-step-mean", 1000, 1, PURE, (9, 9), (RANGE, COUNT)),
    Case("univariate/two-step-mean", 5000, 1, PURE, (9, 9), (RANGE,)),
    Case("univariate/two-step-mean", 5000, 1, PURE, (9, 9), (RANGE, COUNT)),
    Case("univariate/unbounded-mean", 2000, 1, APPROXIMATE, (9, 9)),
    Case("univariate/unbounded-mean", 2000, 1, APPROXIMATE, (9, 9), (COUNT,)),
    Case("univariate/clipped-mean", 2000, 1, PURE, (9, 9), (("radius", 10.0), COUNT)),
    Case("univariate/median", 2000, 1, PURE, (9, 9), (RANGE,)),
    Case("mean/clipped-box", 2000, 2, CONCENTRATED, (9, 9), (("radius", 10.0), COUNT)),
    Case("mean/coordinatewise", 2000, 2, CONCENTRATED, (9, 9), (RANGE, COUNT)),
    Case("mean/coinpress", 2000, 2, CONCENTRATED, (9, 9), (RANGE, COUNT)),
    Case("mean/populous", 5000, 2, APPROXIMATE, (9, 9)),
    Case("covariance/clipped", 4000, 2, CONCENTRATED, (9, 9), (BOUND, COUNT)),
    Case("covariance/clipped", 4000, 2, CONCENTRATED, (9, 9), (BOUND, COUNT, ("centred", True))),
    Case("covariance/coinpress", 4000, 2, CONCENTRATED, (9, 9), (("upper", 100.0), COUNT)),
    Case("covariance/populous", 10_000, 2, APPROXIMATE, (9, 9), runs=200),
    Case("covariance/matrix-quantile", 2500, 2, APPROXIMATE, (9, 9), runs=200),
    Case("gaussian/unbounded", 12_000, 2, APPROXIMATE, (9, 9), runs=200),
)


def errors(case: Case, share: float, runs: int) -> np.ndarray:
    """Pairs of errors: with absent rows, and on the others alone."""
    estimator: Any = replace(CATALOG[case.key].estimator, **dict(case.parameters))
    found = np.empty((runs, 2))
    for seed in range(runs):
        rng = np.random.default_rng((20261123, seed))
        centre = 0.0 if ("centred", True) in case.parameters else MEAN
        x = rng.normal(centre, 1.0, (case.n, case.d) if case.d > 1 else case.n)
        there = rng.permutation(case.n) >= round(share * case.n)
        holed = np.where(there if case.d == 1 else there[:, None], x, np.nan)
        for place, rows in enumerate((holed, x[there])):
            noise = np.random.default_rng((seed, place))
            found[seed, place] = error(estimator(rows, budget=case.budget, rng=noise).value)
    return found


def error(value: Any) -> float:
    """The error of a mean, a covariance or both; infinite without an answer."""
    if isinstance(value, Abstention):
        return np.inf
    if isinstance(value, Gaussian):
        return float(np.hypot(error(value.mean), error(value.covariance)))
    truth = np.eye(len(value)) if np.ndim(value) == 2 else MEAN
    return float(np.linalg.norm(np.atleast_1d(value - truth)))


def ratio(pairs: np.ndarray) -> float:
    """The ratio of medians."""
    with_holes, others = np.median(pairs, axis=0)
    return float(with_holes / others)


if __name__ == "__main__":
    import sys
    from time import process_time

    for case in CASES:
        if len(sys.argv) > 1 and sys.argv[1] not in str(case):
            continue
        start = process_time()
        pairs = [errors(case, share, case.runs) for share in SHARES]
        with np.errstate(all="ignore"):
            rms = [float(np.sqrt((one**2).mean(0) @ [1, 0] / ((one**2).mean(0) @ [0, 1]))) for one in pairs]
        ends = [bootstrap_interval(ratio, one, 0.05, np.random.default_rng(1), 400) for one in pairs]
        lost = [np.isinf(one).mean(axis=0).round(3).tolist() for one in pairs]
        print(case, *(f"{ratio(a):.3f} ({b[0]:.2f}-{b[1]:.2f}) rms {c:.2f} no answer {e};"
                      for a, b, c, e in zip(pairs, ends, rms, lost)), f"{process_time() - start:.0f} s", flush=True)
