"""One method at one budget on rows of one law: a block of its errors, and what it says of them itself."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.random import Generator

from workbench.estimators.release import Predicted
from workbench.populations import Population
from workbench.privacy import Budget
from workbench.study.comparing.judge import Judge
from workbench.study.comparing.own_function import OwnFunction, is_estimator
from workbench.study.least_rows import accepts
from workbench.types import Columns


@dataclass(frozen=True)
class Contest:
    """One method at one budget on rows of one law; known by its digest."""

    digest: str
    function: OwnFunction = field(repr=False)
    population: Population = field(repr=False)
    budget: Budget | None = field(repr=False)
    judge: Judge = field(repr=False)

    def accepts(self, n: int) -> bool:
        """Return whether the method takes n rows; a function takes any."""
        method = self.function.method
        if not is_estimator(method) or self.budget is None:
            return True
        return accepts(method, n, self.population.d or 1, self.budget)

    def errors(self, n: int, trials: int, data: Generator, noise: Generator) -> Iterator[float]:
        """Yield the error of every trial, infinite where there is no answer."""
        for _ in range(trials):
            rows = self.population.sample(n, rng=data)
            yield self.judge.error(self.function.answer(rows, noise, self.budget))

    def predicted(self, n: int) -> float:
        """Return the median error that the method states for n rows, infinite where it states none."""
        method = self.function.method
        if not (self.judge.stated and isinstance(method, Predicted) and self.budget and self.accepts(n)):
            return inf
        with np.errstate(all="ignore"):
            return float(method.predicted_error(n, self.population.d or 1, self.budget))


def measured(contest: Contest, n: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure a block of trials."""
    if contest.accepts(n):
        errors = np.array(list(contest.errors(n, trials, data, noise)))
    else:
        errors = np.full(trials, inf)
    return {"error": errors, "abstained": np.isinf(errors)}
