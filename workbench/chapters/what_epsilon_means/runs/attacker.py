"""An attacker who must say which of two neighbouring data sets a release is about.

False positives: saying "the second" of the first. False negatives: saying "the first" of the second. Where
the release is (ε, δ)-private, every test has β ≥ max(0, 1 - δ - e^ε α, e^(-ε)(1 - δ - α)) (Wasserman & Zhou
2010), so that its advantage, 1 - α - β, is at most (e^ε - 1 + 2δ)/(e^ε + 1).
"""

from math import exp, expm1

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from workbench.chapters.what_epsilon_means.runs.laws import (
    GAUSSIAN,
    LAPLACE,
    MEDIAN,
    Additive,
    Densities,
    Law,
    Middle,
    law,
)
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.types import Array, Columns

FIRST, SECOND = (-0.4, 0.0, 0.4, -1.0), (-0.4, 0.0, 0.4, 1.0)  # rows within ±1: the last one moves
SOUND = (LAPLACE, GAUSSIAN, MEDIAN)
EPSILON, DELTA = 1.0, 1e-2


def most_advantage(epsilon: float, delta: float) -> float:
    """Return the largest advantage against any (ε, δ)-private release.

    >>> round(most_advantage(1.0, 0.0), 4)
    0.4621
    """
    return (expm1(epsilon) + 2 * delta) / (exp(epsilon) + 1)


def fewest_misses(epsilon: float, delta: float, positives: ArrayLike) -> Array:
    """Return the least possible false negatives of a test with these false positives."""
    alpha = np.asarray(positives, np.float64)
    lines = (1 - delta - np.exp(epsilon) * alpha, np.exp(-epsilon) * (1 - delta - alpha), 0.0 * alpha)
    return np.asarray(np.max(lines, axis=0))


def answered(epsilon: float, delta: float) -> Densities:
    """Return the worst release that is (ε, δ)-private: it tells all with probability δ, or a biased coin."""
    true = exp(epsilon) / (1 + exp(epsilon))
    first = np.array([delta, 0.0, (1 - delta) * true, (1 - delta) * (1 - true)])
    return Densities(first, first[[1, 0, 3, 2]], 1.0)


def pair(mechanism: str, epsilon: float, delta: float) -> Densities:
    """Return the exact laws of a mechanism on `FIRST` and `SECOND`, cell by cell."""
    made = law(mechanism, len(FIRST), epsilon, delta, bound=1.0)
    first, second = np.array(FIRST), np.array(SECOND)
    if isinstance(made, Middle):
        edges = np.unique(np.concatenate([made.steps(first)[0], made.steps(second)[0]]))
        middles, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
        one, other = (np.exp(made.log_density(x, middles)) for x in (first, second))
        return Densities(one, other, width)
    assert isinstance(made, Additive)
    reach = 1.0 + 14 * made.scale * (3.0 if made.charge.mechanism == "laplace" else 1.0)
    return Densities.of(made, first, second, np.linspace(-reach, reach, 200_001))


def rounds(
    mechanism: str, epsilon: float, delta: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Play rounds: a coin chooses the data set, the release is drawn, the sign of its log ratio guesses.

    `first` and `second` are the log ratios of a release about either data set.
    """
    made = law(mechanism, len(FIRST), epsilon, delta, bound=1.0)
    sets = np.array(FIRST), np.array(SECOND)
    coins = data.integers(2, size=trials).astype(bool)
    first, second = (_log_ratio(made, sets, made.draw(one, trials, noise)) for one in sets)
    return {"won": (np.where(coins, second, first) > 0) == coins, "first": first, "second": second}


def _log_ratio(made: Law, sets: tuple[Array, Array], outputs: Array) -> Array:
    first, second = (made.log_density(one, outputs) for one in sets)
    return np.asarray(second - first)


ROUNDS = Sweep(
    "what-epsilon-means-rounds",
    grid(mechanism=list(SOUND), epsilon=[EPSILON], delta=[DELTA]),
    rounds,
    trials=2000,
    blocks=blocks(full=10),
)
