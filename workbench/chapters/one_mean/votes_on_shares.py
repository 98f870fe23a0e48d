"""The general reduction in the l1 norm: shares of bins by a vote of groups, beside noise on the counts.

Groups are of one row each, and any two of their shares are within 2 of each other: all groups are friends,
whatever the rows, so that what is released beside the shares of the rows is the mask alone, or an abstention.
"""

from functools import partial
from itertools import chain
from math import inf, log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.bounds.search import smallest
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention
from workbench.estimators.populous import Populous
from workbench.privacy import ApproxDP, Charge, PureDP, noise_source
from workbench.privacy.histograms import COUNTS_L1, finite_histogram
from workbench.special import gammaincinv
from workbench.study.claim import Claim
from workbench.study.grids import Block
from workbench.study.measures import between, ratio
from workbench.study.rules import Verdict, beside
from workbench.study.run import Row, each_trial
from workbench.study.scaling import Growth, Move, Statement, bounded, measure
from workbench.types import Array

STATEMENT, COUNTED = "AL22/Rem3.4", "L17/Thm1.1"
INVERSE = {"1/x²": -2.0, "1/√x": -0.5}
CAPS, MORE, CHEAP = {"full": 150}, {"full": 300}, {"full": 400}
MOVES = (
    Move("alpha", (0.4, 0.2, 0.1, 0.05), -1, INVERSE, "k/(αε)"),
    Move("epsilon", (4.0, 2.0, 1.0, 0.5), -1, INVERSE, "(ln(1/δ) + k/α)/ε", {"alpha": 0.2}),
    Move("bins", (2.0, 4.0, 8.0, 16.0), 1, {"k²": 2.0, "√k": 0.5}, "k/(αε)"),
)
DELTA, SHARE = 1e-6, 0.9  # of the runs that succeed
APART = 2.0  # in l1, of the shares of any two groups at most
NEVER = 1e-6  # in the place of the share of pairs of groups that are farther apart: there are none
SILENT, BEYOND = 0.001, 0.099  # chances of an abstention, and of a mask beyond its bound


def shares(rows: Array, bins: int) -> Array:
    """Return which share of the rows is in every bin."""
    return np.bincount(rows[:, 0].astype(np.int64), minlength=bins) / len(rows)


def vote(bins: int) -> Populous:
    """Return the private shares by the general reduction."""
    oracle = partial(shares, bins=bins)
    return Populous(oracle=oracle, size=1, space="l1", limit=APART, dimension=bins, far=NEVER, beta=SILENT)


@each_trial
def votes(bins: int, n: int, epsilon: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the l1 distance from the shares of the rows, infinite for an abstention."""
    rows = data.integers(bins, size=(n, 1)).astype(float)
    value = vote(bins)(rows, budget=ApproxDP(epsilon, DELTA), rng=noise).value
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

    Its mask has the scale b of the plan and an l1 norm of at most b (k + √(2k l) + l), l = ln 1/β, with
    probability 1 - β, β = .099 (`proofs/populous.md`, section 9); it abstains with probability .001.
    """
    level = log(1 / BEYOND)
    return _rows(bins + sqrt(2 * bins * level) + level, bins, epsilon, alpha)


def foreseen(bins: int, epsilon: float, alpha: float) -> int:
    """Return the same if it never abstains: the l1 norm over b is a Gamma variable of shape k."""
    return _rows(float(gammaincinv(bins, SHARE)), bins, epsilon, alpha)


def counted(bins: int, epsilon: float, alpha: float) -> float:
    """Return the n from which counts with Laplace noise of scale 2/ε are within α in 9 of 10 runs."""
    return float(2 * gammaincinv(bins, SHARE) / (epsilon * alpha))


def _rows(reach: float, bins: int, epsilon: float, alpha: float) -> int:
    return smallest(lambda n: _scale(n, bins, epsilon) * reach <= alpha, start=20)


def _scale(n: int, bins: int, epsilon: float) -> float:
    """Return b, infinite where n rows are too few."""
    try:
        made = vote(bins).design(n, 1, ApproxDP(epsilon, DELTA))
    except ArgumentError:
        return inf
    return float(APART / made.narrowness)


def searched(statement: str, key: str, block: Block, stated: Any, predicted: Any, **more: Any) -> Statement:
    """Return a statement about the rows of shares; `stated` and `predicted` are functions of k, ε and α."""
    return Statement(
        statement,
        key,
        {"bins": 4, "epsilon": 2.0, "alpha": 0.1},
        stated,
        block=block,
        predicted=predicted,
        start=lambda stated: stated,
        share=SHARE,
        **more,
    )


VOTED = searched(
    STATEMENT,
    "any oracle [shares in l1]",
    votes,
    foreseen,
    promised,
    caps=CAPS,
    moves=(*MOVES[:2], MOVES[2]._replace(caps=MORE)),  # the promise is nearest where there are many bins
)
DIRECT = searched(COUNTED, "counts [shares in l1]", counts, counted, counted, caps=CHEAP, moves=MOVES)


def counts_need_fewer(*growths: Growth) -> list[Verdict]:
    """Return the rows of the counts over those of the vote, at every setting."""
    half, checks = len(growths) // 2, []
    formula = "2/(αε) times the .9-quantile of a Gamma variable of shape k: noise on counts alone"
    for (scaling, of_votes), (_, of_counts) in zip(growths[:half], growths[half:], strict=True):
        for one, other in zip(of_votes, of_counts, strict=True):
            found = measure(other)
            name = f"rows of the counts over those of the vote, {scaling.variable} = {one.value:g}"
            check = between(name, ratio(found, measure(one)), 0.0, 1 / 3)
            checks.append(beside(check, COUNTED, formula, other.setting.predicted, found))
    return checks


CLAIMS = (
    Claim(
        id="one-mean/votes-on-shares-suffice",
        number="N91",
        sources=(STATEMENT, "AL22/Lem3.6"),
        statement="Searched n with which the general reduction, its oracle the shares of k bins and its space"
        " l1, is within α of the shares of the rows in 9 of 10 runs are at most the one that its vote and the"
        " Laplace mask promise with all constants, and grow as that: α = .4 .. .05, ε = 4 .. .5, k = 2 .. 16,"
        " δ = 1e-6.",
        scalings=VOTED.scalings,
        checks=bounded(),
        kind="ours",
    ),
    Claim(
        id="one-mean/counts-beat-votes",
        number="N92",
        sources=(STATEMENT, COUNTED),
        statement="At each of these settings Laplace noise on counts, under ε alone, needs at most a third of"
        " the rows that the general reduction needs for the same shares: the price of an oracle of which"
        " nothing is known.",
        scalings=lambda: chain(VOTED.scalings(), DIRECT.scalings()),
        checks=counts_need_fewer,
        kind="ours",
    ),
)
