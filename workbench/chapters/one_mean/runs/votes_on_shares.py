"""The general reduction in the l1 norm: shares of bins by a vote of groups, beside noise on the counts.

Groups are of one row each, and any two answers are within 2 of each other: all groups are friends, whatever
the rows, so that what is released beside the shares of the rows is the mask alone, or no answer.
"""

from functools import partial
from math import inf, log, sqrt

import numpy as np
from numpy.random import Generator

from workbench.bounds.search import smallest
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention
from workbench.estimators.populous import Populous
from workbench.privacy import ApproxDP, Charge, PureDP, noise_source
from workbench.privacy.histograms import COUNTS_L1, finite_histogram
from workbench.special import gammaincinv
from workbench.study.run import Row, each_trial
from workbench.types import Array

DELTA, SHARE = 1e-6, 0.9  # of the runs that succeed
APART = 2.0  # in l1, of the shares of any two groups at most
NEVER = 1e-6  # in the place of the share of pairs of groups that are farther apart: there are none
SILENT, BEYOND = 0.001, 0.099  # of no answer, and of a mask beyond its bound


def shares(rows: Array, bins: int) -> Array:
    """Return which share of the rows is in every bin."""
    return np.bincount(rows[:, 0].astype(np.int64), minlength=bins) / len(rows)


def voted(bins: int) -> Populous:
    """Return the private shares by the general reduction."""
    return Populous(
        oracle=partial(shares, bins=bins),
        size=1,
        space="l1",
        limit=APART,
        dimension=bins,
        far=NEVER,
        beta=SILENT,
    )


@each_trial
def votes(bins: int, n: int, epsilon: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the l1 distance from the shares of the rows, infinite without an answer."""
    rows = data.integers(bins, size=(n, 1)).astype(float)
    value = voted(bins)(rows, budget=ApproxDP(epsilon, DELTA), rng=noise).value
    if isinstance(value, Abstention):
        return {"error": inf, "abstained": True}
    return {"error": float(np.abs(value - shares(rows, bins)).sum()), "abstained": False}


@each_trial
def counts(bins: int, n: int, epsilon: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the same of counts with Laplace noise."""
    charge = Charge("counts", "laplace", COUNTS_L1, PureDP(epsilon))  # not whole: errors are then smooth in n
    keys = data.integers(bins, size=n)
    released = finite_histogram(keys, bins, charge, noise_source(noise))
    return {"error": float(np.abs(released - np.bincount(keys, minlength=bins)).sum()) / n}


def promised(bins: int, epsilon: float, alpha: float) -> int:
    """Return the n from which the reduction is promised to be within α in 9 of 10 runs.

    Its mask has the scale b of the plan and an l1 norm of at most b (k + √(2k l) + l), l = ln 1/β, but with
    probability β = .099 (`proofs/populous.md`, section 9); there is an answer but with probability .001.
    """
    level = log(1 / BEYOND)
    return _rows(bins + sqrt(2 * bins * level) + level, bins, epsilon, alpha)


def foreseen(bins: int, epsilon: float, alpha: float) -> int:
    """Return the same if there always is an answer: the l1 norm over b is a Gamma variable of shape k."""
    return _rows(float(gammaincinv(bins, SHARE)), bins, epsilon, alpha)


def counted(bins: int, epsilon: float, alpha: float) -> float:
    """Return the n from which counts with Laplace noise of scale 2/ε are within α in 9 of 10 runs."""
    return float(2 * gammaincinv(bins, SHARE) / (epsilon * alpha))


def _rows(reach: float, bins: int, epsilon: float, alpha: float) -> int:
    return smallest(lambda n: _scale(n, bins, epsilon) * reach <= alpha, start=20)


def _scale(n: int, bins: int, epsilon: float) -> float:
    """Return b, infinite where n rows are too few."""
    try:
        made = voted(bins).design(n, 1, ApproxDP(epsilon, DELTA))
    except ArgumentError:
        return inf
    return float(APART / made.narrowness)
