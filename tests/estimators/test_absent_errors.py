"""What rows that are absent at random cost: errors over those of the same estimator on the other rows alone.

Both runs see the same rows, one with a share of them absent in their places. Medians of errors: a run without
an answer is an infinite one.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from workbench import ZCDP, ApproxDP, PureDP
from workbench.catalog import CATALOG
from workbench.distributions import Gaussian
from workbench.estimators import Abstention
from workbench.estimators.shared import noisy_means
from workbench.study.intervals import bootstrap_interval

SHARES, MEAN = (0.1, 0.3), 5.0
PURE, CONCENTRATED, APPROXIMATE = PureDP(1.0), ZCDP(0.5), ApproxDP(1.0, 1e-6)
CASES = [  # key, n, d, budget, parameters, the most that a share of .1 and of .3 may cost
    ("univariate/two-step-mean", 1000, 1, PURE, {"radius": 100.0}, (1.1, 1.1)),
    ("univariate/unbounded-mean", 2000, 1, APPROXIMATE, {}, (1.1, 1.1)),
    ("univariate/clipped-mean", 2000, 1, PURE, {"radius": 10.0}, (1.1, 1.1)),
    ("univariate/median", 2000, 1, PURE, {"radius": 100.0}, (1.1, 1.1)),
    ("mean/clipped-box", 2000, 2, CONCENTRATED, {"radius": 10.0}, (1.1, 1.1)),
    ("mean/coordinatewise", 2000, 2, CONCENTRATED, {"radius": 100.0}, (1.1, 1.1)),
    ("mean/coinpress", 2000, 2, CONCENTRATED, {"radius": 100.0}, (1.1, 1.1)),
    ("covariance/clipped", 4000, 2, CONCENTRATED, {"upper": 4.0}, (1.12, 1.45)),
    ("covariance/clipped", 4000, 2, CONCENTRATED, {"upper": 4.0, "centred": True}, (1.1, 1.1)),
    ("covariance/coinpress", 4000, 2, CONCENTRATED, {"upper": 100.0}, (1.1, 1.25)),
    ("gaussian/unbounded", 12_000, 2, APPROXIMATE, {}, (1.35, 1.1)),
]


def errors(key, n, d, budget, parameters, share, runs):
    """Pairs of errors: with absent rows, and on the others alone."""
    estimator: Any = replace(CATALOG[key].estimator, **parameters)
    found = np.empty((runs, 2))
    for seed in range(runs):
        source = np.random.default_rng((20261123, seed))
        x = source.normal(0.0 if "centred" in parameters else MEAN, 1.0, (n, d) if d > 1 else n)
        there = source.permutation(n) >= round(share * n)
        holed = np.where(there if d == 1 else there[:, None], x, np.nan)
        for place, rows in enumerate((holed, x[there])):
            noise = np.random.default_rng((seed, place))
            found[seed, place] = error(estimator(rows, budget=budget, rng=noise).value)
    return found


def error(value):
    """The error of a mean, a covariance or both; infinite without an answer."""
    if isinstance(value, Abstention):
        return np.inf
    if isinstance(value, Gaussian):
        return float(np.hypot(error(value.mean), error(value.covariance)))
    return float(np.linalg.norm(np.atleast_1d(value - (np.eye(len(value)) if np.ndim(value) == 2 else MEAN))))


def ratio(pairs):
    return float(np.divide(*np.median(pairs, axis=0)))


def refuted(case, number, runs):
    """Whether a share costs more than it may; wrong with probability 1/20,000."""
    *setting, most = case
    pairs = errors(*setting, SHARES[number], runs)
    return bootstrap_interval(ratio, pairs, 1e-4, np.random.default_rng(1))[0] > most[number]


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1], ids=["a tenth", "three tenths"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[4]}")
def test_absent_rows_cost_no_more_than_is_said(case, number):
    """Of 22 tests one fails wrongly once in 800 suites; a ratio of 1.3 times `most` is seen at 1000 runs."""
    assert not refuted(case, number, 200 if case[0] == "gaussian/unbounded" else 1000)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "n"),
    [("mean/populous", 2500), ("covariance/matrix-quantile", 2500), ("covariance/populous", 45_000)],
)
def test_a_tenth_that_is_absent_leaves_votes_without_an_answer(key, n):
    """Where the other rows alone answer: at a chance of .9 each, fewer than 3 of 8 do once in 40,000."""
    absent, others = np.isinf(errors(key, n, 2, APPROXIMATE, {}, 0.1, 8)).T
    assert absent.all()
    assert (~others).sum() >= 3


def test_a_sum_that_is_not_rescaled_costs_more_than_may_be(monkeypatch):
    """What the tests above would notice, in 100 runs: at .3 an answer that is 1.5 off costs 20 times."""
    case = ("univariate/clipped-mean", 500, 1, PURE, {"radius": 10.0}, (1.1, 1.1))
    assert not refuted(case, 1, 100)
    monkeypatch.setattr(noisy_means, "share", lambda *_: 1.0)
    assert refuted(case, 1, 100)
