"""Shaving excesses off the tails of rows, the most harmful first, under a cap.

Given weights w, a look at the rows yields excesses, each with what its removal gains: how far the weighted
sum of what is looked at moves inwards.

    (1) drop excesses whose removal would take more than the cap 2.5 ξn + 3 √(ξn) in all
    (2) of the others apply those that gain at least half of the best; where several meet, the least factor
    (3) stop if that takes more than 1.2 times the cap, or if nothing is left to do

With far clusters clean rows look like an excess of the other tail: (2) leaves them alone until those are
gone.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from workbench.estimators.parts.oracles.tail_excess import Excess
from workbench.types import Array

ROUNDS, HALF, OVER = 40, 0.5, 1.2


@dataclass(frozen=True)
class Shave:
    """An excess, the weight that its removal takes, and what that gains."""

    excess: Excess
    lost: float
    gain: float

    @classmethod
    def of(cls, excess: Excess, weights: Array, outwards: Array) -> "Shave":
        """Return the shave of rows that lie this far out, in the direction of the tail."""
        lost = excess.removed(weights)
        return cls(excess, float(lost.sum()), float(lost @ outwards[excess.rows]))


def removable(n: int, corruption: float) -> float:
    """Return how much of n rows' weight may be removed."""
    return 2.5 * corruption * n + 3 * sqrt(corruption * n)


def shaved(weights: Array, corruption: float, look: Callable[[Array], Iterable[Shave]]) -> Array:
    """Return the weights that (1) to (3) leave."""
    n = len(weights)
    cap = removable(n, corruption)
    for _ in range(ROUNDS):
        left = cap - (n - float(weights.sum()))
        shaves = [shave for shave in look(weights) if shave.lost <= left]  # (1)
        if not shaves:
            break
        factors = _factors(shaves, n)  # (2)
        if n - float((weights * factors).sum()) > OVER * cap:  # (3)
            break
        weights = weights * factors
    return weights


def _factors(shaves: list[Shave], n: int) -> Array:
    factors, best = np.ones(n), max(shave.gain for shave in shaves)
    for shave in shaves:
        if shave.gain >= HALF * best:
            rows = shave.excess.rows
            factors[rows] = np.minimum(factors[rows], shave.excess.factors)
    return factors
