"""The planner is right about which mean has the least error, and about how many rows that takes.

Every estimator of a mean that applies runs on normal rows, σ = 1, the mean anywhere within the range.
"""

from dataclasses import asdict, dataclass
from functools import cache
from math import inf
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.chapters.which_one import choice
from workbench.estimators import Abstention
from workbench.study.claim import Claim
from workbench.study.grids import Sweep
from workbench.study.measures import at, between, median, near, ratio
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict
from workbench.types import Columns

DELTA, TRIALS = 1e-6, 250
MORE = 1.15  # times the median error of any other: predictions are models, good to 15 %
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


def errors(
    key: str, n: int, d: int, epsilon: float, radius: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Measure the errors of one estimator within (ε, δ), infinite where it abstains."""
    estimator = choice.trade(key, d, radius).candidate.estimator
    budget = choice.budget(key, n, d, epsilon, DELTA, radius)

    def error() -> float:
        way = data.standard_normal(d)
        mean = radius * data.random() ** (1 / d) * way / np.linalg.norm(way)  # uniform in the ball
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


def names_the_best(*frames: pd.DataFrame) -> list[Verdict]:
    """Return the checks: the named estimator against each other one that answers, at every setting."""
    frame, checks, level = pd.concat(frames), [], claim_level(parts=2)
    for one in SETTINGS:
        there, (best, *others) = at(frame, **asdict(one)), [key for _, key in one.ranked]
        sizes = {key: median(there.loc[there["key"] == key, "error"], level) for key in (best, *others)}
        for key in others:
            name = f"{best} against {key}, d = {one.d}"
            checks.append(between(name, ratio(sizes[best], sizes[key]), 0.0, MORE, n=one.n))
    return checks


def rows_are_enough(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks: at the rows that are named the median error is α, to the model's tolerance."""
    checks = []
    for point in named().points:
        some = at(frame, **point)
        name = f"{point['key']}, d = {point['d']}, ε = {point['epsilon']:g}"
        checks.append(near(name, median(some["error"], claim_level()), ALPHA, n=int(point["n"])))
    return checks


CLAIMS = (
    Claim(
        "which-one/names-the-best",
        "Y1",
        ("proofs/univariate.md", "proofs/gaussian_steps.md"),
        "Of all means for which a range and σ suffice, the one of least predicted error has a median error of"
        " at most 1.15 times that of every other in runs: n = 400 .. 2000, d = 1, 3, 10, ε = .2 .. 1,"
        " R = 10 .. 1000.",
        checks=names_the_best,
        sweeps=compared,
        kind="ours",
    ),
    Claim(
        "which-one/rows-are-enough",
        "Y2",
        ("proofs/univariate.md", "proofs/gaussian_steps.md"),
        "At the fewest rows that the planner names for α = .2, the median error of the estimator it names is"
        " .2 (± 15 %), d = 1, 3, 10.",
        checks=rows_are_enough,
        sweeps=lambda: (named(),),
        kind="ours",
    ),
)
