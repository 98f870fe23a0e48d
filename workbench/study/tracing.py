"""Tracing: what a released mean says about whose rows it was made of.

    (1) n rows z of a population with mean μ and covariance Σ = RRᵀ, and strangers, rows that are in no table
    (2) out = what is released on the n rows; no answer gives everybody the score 0
    (3) the score of a row is ⟨R⁻¹(z - μ), R⁻¹(out - μ)⟩; a member is traced if it is among the highest
        `LEVEL` of itself and all strangers; a coin decides between equal scores

A stranger would be traced with probability LEVEL, exactly, whatever the distribution: it is one of
exchangeable rows. Put it into the table in a member's place and that is a neighbour on which the same event
is "a member is traced". So (ε, δ) allows members a share of at most e^ε LEVEL + δ, and every other currency
what `most_traced` says. It is concave in the level, so that it holds of averages over tables, too.

For the exact mean of normal rows the score of a member is d/n higher, and the sd of all is about √(d/n): the
share is Φ(√(d/n) + Φ⁻¹(LEVEL)). Every column is one more chance to see a member, so the same attack is the
easier the more columns and the fewer rows there are, while what a budget allows depends on neither. A share
means something only beside that of the exact mean of as many rows and columns, and that of the same estimator
with next to no noise (`Quieter`): where they are low, too, nobody can be traced, and nothing is shown.

A stranger is as far from a member as two rows are on average, not as far as rows can be: with the noise of a
Gaussian mechanism for rows on a sphere a member reaches Φ(μ/2 + Φ⁻¹(LEVEL)) of Φ(μ + Φ⁻¹(LEVEL)), which are
allowed. Half of the noise stays unnoticed, a third does not. `audit` has no such handicap: it chooses rows.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from workbench.estimators import Abstention, Estimator
from workbench.populations import Population
from workbench.privacy import Budget, CountingNoise, NoiseSource
from workbench.study.audit import excess
from workbench.types import Array

LEVEL, STRANGERS = 0.05, 199
HALVINGS = 60


class Quieter(CountingNoise):
    """A noise source that adds a share of the noise it is asked for: a mistake, put in on purpose."""

    def __init__(self, source: NoiseSource, share: float) -> None:
        super().__init__(source)
        self.share = share

    def __getattr__(self, kind: str) -> Callable[..., Any]:
        drawn = getattr(self.source, kind)

        def quieter(value: ArrayLike, sensitivity: float, scale: float, *rest: float, **named: Any) -> Any:
            return drawn(value, sensitivity, self.share * scale, *rest, **named)

        return quieter


def traced(
    estimator: Estimator[Any],
    population: Population,
    n: int,
    budget: Budget | None,
    *,
    data: Generator,
    noise: NoiseSource,
) -> float:
    rows = population.sample(n + STRANGERS, rng=data)  # (1)
    value = estimator(rows[:n], budget=budget, rng=noise).value  # type: ignore[arg-type]  # (2)
    mean, root = population.mean, np.linalg.cholesky(population.covariance)  # type: ignore[attr-defined]
    aim = np.zeros(len(mean)) if isinstance(value, Abstention) else np.linalg.solve(root, value - mean)
    scores = np.linalg.solve(root, (rows - mean).T).T @ aim  # (3)
    return float(among_highest(scores[:n], scores[n:], data).mean())


def among_highest(members: Array, strangers: Array, rng: Generator) -> Array:
    """Return which members are among the highest LEVEL of themselves and all strangers."""
    places = round(LEVEL * (len(strangers) + 1))
    above = (strangers > members[:, None]).sum(axis=1)
    equal = (strangers == members[:, None]).sum(axis=1)
    return above + rng.integers(equal + 1) < places


def most_traced(budget: Budget) -> float:
    """Return the largest share of members that a budget allows where strangers are traced with `LEVEL`."""
    low, high = LEVEL, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        beyond = max(excess(budget, middle, LEVEL), excess(budget, 1 - LEVEL, 1 - middle))
        low, high = (low, middle) if beyond > 0 else (middle, high)
    return high
