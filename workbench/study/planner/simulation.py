"""The n at which a share of runs on synthetic rows is within alpha: a search for each estimator.

Rows are of the estimator's own model, the hardest within its public bounds (`catalog.hardest`). Every block
of runs has streams of its own, so that the answer is the same for any number of workers.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from workbench.catalog.hardest import hardest
from workbench.errors import integer_at_least, probability
from workbench.privacy import Budget
from workbench.study.least_rows import accepts
from workbench.study.planner.estimators import Candidate
from workbench.study.search import BLOCK, Found, Measure, Target, least_n
from workbench.study.success import Vector
from workbench.study.sweeps.streams import Role, point_id, stream
from workbench.study.workers import mapped

NUMBERS = 25 * 10**6  # the most that are drawn for one run
WORK = 2.0  # runs of a search, in runs at the n it begins with, over the cap: steps of 2 and runs beyond


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """How n is searched.

    Parameters
    ----------
    share : float
        Of the runs that are to be within alpha; by default half, as in what is predicted.
    runs : int
        After which a search ends, but for those beyond the answer.
    seed : int
        Public; with the question it decides every number.
    jobs : int
        Searches at a time.
    """

    share: float = 0.5
    runs: int = 200
    seed: int = 1
    jobs: int = 1

    def __post_init__(self) -> None:
        probability(share=self.share)
        integer_at_least(BLOCK, runs=self.runs)
        integer_at_least(0, seed=self.seed)
        integer_at_least(1, jobs=self.jobs)


@dataclass(frozen=True)
class Search:
    """A search that is to be made: of which estimator, at which budget, beginning at n rows."""

    candidate: Candidate
    budget: Budget
    n: int
    alpha: float
    how: Simulation

    @property
    def most(self) -> int:
        """The largest n that is tried."""
        return NUMBERS // self.candidate.d

    @property
    def found(self) -> Found:
        """The n that is found."""
        target = Target(alpha=self.alpha, share=self.how.share, cap=self.how.runs, most=self.most)
        with threadpool_limits(1):
            return least_n(self.measure(), target, self.n)

    @property
    def core_seconds(self) -> float:
        """About what it costs: from one run, the second."""
        measure, n = self.measure(), min(self.n, self.most)
        with threadpool_limits(1):
            measure(n, 0, 0, 1)
            started = time.thread_time()
            measure(n, 0, 0, 1)
        return (time.thread_time() - started) * self.how.runs * WORK

    def measure(self) -> Measure:
        """Return the function that runs the estimator on blocks of samples."""
        one, budget = self.candidate, self.budget
        entry: Any = hardest(one.entry, one.estimator, one.d)
        name = f"{one.entry.key} {one.estimator!r} {one.d} {budget!r} {self.n}"

        def errors(n: int, place: int, block: int, runs: int) -> Vector:
            if not accepts(one.estimator, n, one.d, budget):
                return np.full(runs, inf)
            point = point_id({"place": place})
            data, noise = (
                stream(self.how.seed, role, name, point, block) for role in (Role.DATA, Role.NOISE)
            )
            return np.array([run(n, data, noise) for _ in range(runs)])

        def run(n: int, data: np.random.Generator, noise: np.random.Generator) -> float:
            x = entry.population.sample(n, rng=data)
            return float(entry.error(one.estimator(x, budget=budget, rng=noise).value))

        return errors


def searched(searches: Sequence[Search], announce: Callable[[int, float], None]) -> list[Found]:
    """Return what searches find, in their order, after saying how many they are and what they cost."""
    if not searches:
        return []
    announce(len(searches), sum(search.core_seconds for search in searches))
    return mapped(_found, searches, searches[0].how.jobs)


def _found(search: Search) -> Found:
    return search.found
