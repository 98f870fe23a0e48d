"""Runs of every estimator of a mean that applies, on the same rows: normal, σ = 1, the mean anywhere."""

from dataclasses import asdict, dataclass
from functools import cache
from math import inf
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.which_one import choice
from workbench.estimators import Abstention
from workbench.study.grids import Sweep
from workbench.study.profiles import blocks
from workbench.types import Array, Columns

DELTA = 1e-6
TRIALS = 250
SLOW = ("mean/populous", "mean/median-of-means")


@dataclass(frozen=True)
class Setting:
    """A reader's table and what is known of it: rows, columns, ε, and the radius of the range."""

    n: int
    d: int
    epsilon: float
    radius: float

    @property
    def ranked(self) -> list[tuple[float, str]]:
        """The predicted errors and the keys, the least first."""
        return choice.ranked(self.n, self.d, self.epsilon, DELTA, self.radius)


SETTINGS = (
    Setting(500, 1, 0.5, 1000.0),
    Setting(800, 3, 0.5, 10.0),
    Setting(400, 3, 0.2, 10.0),
    Setting(2000, 10, 1.0, 100.0),
)
"""One column; three where column by column is named; three where it cannot answer; ten."""

ALPHA = 0.2
QUESTIONS = ((1, 0.5, 1000.0), (3, 0.5, 10.0), (3, 1.0, 10.0), (10, 1.0, 100.0))
"""d, ε and R at which the fewest rows for `ALPHA` are asked for."""


def place(d: int, radius: float, data: Generator) -> Array:
    """Return a mean that is uniform in the ball of the radius."""
    way = data.standard_normal(d)
    found: Array = radius * data.random() ** (1 / d) * way / np.linalg.norm(way)
    return found


def errors(
    key: str, n: int, d: int, epsilon: float, radius: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Measure the errors of one estimator within (ε, δ), infinite where it abstains."""
    estimator = choice.trade(key, d, radius).candidate.estimator
    budget = choice.budget(key, n, d, epsilon, DELTA, radius)

    def error() -> float:
        mean = place(d, radius, data)
        x = mean + data.standard_normal((n, d))
        value: Any = estimator(x if d > 1 else x[:, 0], budget=budget, rng=noise).value
        return inf if isinstance(value, Abstention) else float(np.linalg.norm(value - mean))

    return {"error": np.array([error() for _ in range(trials)])}


@cache
def compared() -> tuple[Sweep, Sweep]:
    """Return the runs of all that are predicted to answer at every setting; those that take long apart."""
    points = [{"key": key, **asdict(one)} for one in SETTINGS for _, key in one.ranked]
    quick = tuple(point for point in points if point["key"] not in SLOW)
    slow = tuple(point for point in points if point["key"] in SLOW)
    return (
        Sweep("which-one-compared", quick, errors, TRIALS, blocks(full=24)),
        Sweep("which-one-compared-slow", slow, errors, TRIALS // 5, blocks(full=10)),
    )


@cache
def named() -> Sweep:
    """Return the runs of the estimator that needs the fewest rows, at just these."""
    points = []
    for d, epsilon, radius in QUESTIONS:
        n, key = choice.fewest(ALPHA, d, epsilon, DELTA, radius)
        points.append({"key": key, **asdict(Setting(n, d, epsilon, radius))})
    return Sweep("which-one-named", tuple(points), errors, TRIALS, blocks(full=24))
