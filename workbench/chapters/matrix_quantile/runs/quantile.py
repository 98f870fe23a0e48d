"""The sweeps behind the claims about the matrix quantile, at (1, 1e-6) where nothing else is said.

`pairs` are neighbours that its proof is tested with, in floats; `exact` small data sets of whole numbers, in
exact arithmetic; `successes` runs at the planned number of rows, whatever the covariance.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import log

import numpy as np
from numpy.random import Generator

from workbench import losses
from workbench.chapters.matrix_quantile.runs.bounds import measured
from workbench.chapters.matrix_quantile.runs.pairs import drawn, extreme
from workbench.errors import ArgumentError
from workbench.estimators.matrix_quantile import MatrixQuantileCovariance
from workbench.populations.rotated import rotated
from workbench.populations.spectra import named, shown
from workbench.privacy import ApproxDP
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, each_trial, error_of
from workbench.types import Columns

KEY = "covariance/matrix-quantile"
EPSILON, DELTA, BETA = 1.0, 1e-6, 0.1
BUDGET = ApproxDP(EPSILON, DELTA)
LONGEST = 1e8  # a condition number; from about 1e9 on the guard of floats refuses, which is no answer
NEAR = 0.2  # a relative Frobenius error
DIMENSIONS, NEAR_DIMENSIONS = (1, 2, 5, 10, 20), (1, 2, 5, 10)
FACTOR = 2.7  # times β: what so many runs would notice
PLANNED = {1: 324, 2: 607, 5: 2156, 10: 4070, 20: 8255}
NEAR_PLANNED = {1: 570, 2: 1260, 5: 5300, 10: 13_800}
SHAPE_D, SHAPE_EPSILON = (1, 2, 5, 10, 20), (0.25, 1.0, 4.0)
VALUES, FEW, LEVELS = (0, 1, 2, 3, 5), 5, (Fraction(4, 3), Fraction(2), Fraction(7, 3))
STRENGTHS, MOST = (Fraction(3, 2), Fraction(4)), 2


def pairs(kind: str, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure how far scores are apart, and how much of the bounds on a trace and on its logs is used up."""
    made = drawn if kind == "random" else extreme
    found = [measured(made(data)) for _ in range(trials)]
    return {name: np.array([one[name] for one in found]) for name in ("apart", "h", "trace", "positive")}


def planned(d: int, alpha: float | None, budget: ApproxDP = BUDGET) -> int:
    """Return the fewest rows of mean 0; α is as of the estimator."""
    return MatrixQuantileCovariance(centred=True, alpha=alpha, beta=BETA).fewest(d, budget)


def plans(dimensions: Iterable[int], alpha: float | None, budget: ApproxDP) -> dict[int, int]:
    """Return the fewest rows by dimension, without those for which no number of rows is enough."""
    found = {}
    for d in dimensions:
        with suppress(ArgumentError):
            found[d] = planned(d, alpha, budget)
    return found


def distance(n: int, d: int, budget: ApproxDP) -> float:
    """Return the predicted median of Thompson's distance, for normal rows of any covariance."""
    recipe = MatrixQuantileCovariance(centred=True, beta=BETA).recipe(n, d, budget)[1]
    return recipe.design.error("thompson", 0.5)


@each_trial
def successes(
    d: int, alpha: float, spectrum: str, epsilon: float = EPSILON, delta: float = DELTA, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure the error at the planned number of rows: in Thompson's distance, or relative to Frobenius."""
    goal, budget = alpha or None, ApproxDP(epsilon, delta)
    estimator, n = MatrixQuantileCovariance(centred=True, alpha=goal, beta=BETA), planned(d, goal, budget)
    loss = losses.thompson_error if goal is None else losses.mahalanobis_covariance_error
    values = named(spectrum, d, LONGEST).values
    law = rotated(values * np.exp(data.uniform(-20.0, 20.0)), data)
    value = estimator(law.sample(n, rng=data), budget=budget, rng=noise).value
    return {"error": error_of(value, lambda found: loss(law.in_units(found), np.eye(d)))}


def spectra(d: int) -> tuple[str, ...]:
    """Return the names of the spectra that are gone through in d dimensions."""
    return shown(d, KEY, longest=LONGEST)


def within(alpha: float | None) -> float:
    """Return the error that is a success."""
    return log(2) if alpha is None else alpha


def violations() -> tuple[int, int]:
    """Return how many neighbours of few whole numbers break L2 or L3 in exact arithmetic, of how many.

    One column, ψ(q) = min(q, 1): P_v is a ratio of sums.
    """
    broken = tried = 0
    for rest in combinations_with_replacement(VALUES, FEW - 1):
        for first in VALUES:
            for second in VALUES:
                tried += 1
                one, other = sorted((first, *rest)), sorted((second, *rest))
                broken += not (_interlaced(one, other) and _close(one, other))
    return broken, tried


def _interlaced(one: list[int], other: list[int]) -> bool:
    return all(exact_quantile(one, level + 1) <= exact_quantile(other, level) for level in LEVELS)


def _close(one: list[int], other: list[int]) -> bool:
    level = Fraction(5, 2)
    return all(abs(_score(one, level, g) - _score(other, level, g)) <= 1 for g in STRENGTHS)


def _score(x: list[int], level: Fraction, strength: Fraction) -> int:
    return max((t for t in range(1, MOST + 1) if _holds(x, level, strength, t)), default=0)


def _holds(x: list[int], level: Fraction, strength: Fraction, t: int) -> bool:
    low, high = exact_quantile(x, level + t), exact_quantile(x, level - t + 1)
    return low > 0 and sum(value**2 for value in x if value**2 < low) >= (strength + t) * high


def exact_quantile(x: list[int], level: Fraction) -> Fraction:
    """Return the p at which Σ min(x²/p, 1) is `level`: with k terms 1, the rest add up to level - k."""
    squares = [Fraction(value**2) for value in sorted(x, key=abs)]
    for k in range(len(squares)):
        rest = squares[: len(squares) - k]
        if k < level:
            p = sum(rest, Fraction(0)) / (level - k)
            if p > 0 and all(square <= p for square in rest) and all(s >= p for s in squares[len(rest) :]):
                return p
    return Fraction(0)


PAIRS = Sweep("mq-pairs", grid(kind=("random", "extreme")), pairs, trials=15, blocks=blocks(full=60))
SUCCESS = {
    d: Sweep(f"mq-success-{d}", grid(d=d, alpha=0.0, spectrum=spectra(d)), successes, trials, blocks(full))
    for d, trials, full in ((1, 20, 20), (2, 20, 20), (5, 10, 10), (10, 4, 10), (20, 2, 20))
}
NEARBY = {
    d: Sweep(f"mq-near-{d}", grid(d=d, alpha=NEAR, spectrum=spectra(d)), successes, trials, blocks(full))
    for d, trials, full in ((1, 20, 20), (2, 20, 20), (5, 10, 10), (10, 2, 20))
}
OFTEN = {d: replace(SUCCESS[d], name=f"mq-often-{d}", trials=14, blocks=blocks(20)) for d in (5, 10)}
NEAR_OFTEN = {d: replace(NEARBY[d], name=f"mq-near-often-{d}", trials=14, blocks=blocks(20)) for d in (5,)}
CLAIMED = {1: SUCCESS[1], 2: SUCCESS[2], **OFTEN}
NEAR_CLAIMED = {1: NEARBY[1], 2: NEARBY[2], **NEAR_OFTEN}
