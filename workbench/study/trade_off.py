"""What one estimator trades: any one of n, ε, δ and the error from the others, and the map of them.

The error is the predicted one, a median, or the proved bound where nothing is predicted. Every number is
public arithmetic, and those of a map are computed once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from math import inf, isfinite, isnan, log, nan
from typing import Any

import numpy as np

from workbench.bounds import smallest
from workbench.catalog import lookup
from workbench.errors import ArgumentError, probability
from workbench.privacy import ApproxDP, Budget, PureDP
from workbench.study.planner import DECIMALS, DIGITS, Candidate, Question, candidates, decimal
from workbench.study.search import MOST
from workbench.types import Array, frozen

DECADES = 14  # of δ, from 1e-15 on
FREE = 100.0  # an ε at which privacy costs next to nothing
HALF = 2**0.5  # the error is so much larger where noise is half of its square


@frozen
class TradeOff:
    """The trade-off of one estimator of the catalog."""

    key: str  # of the estimator
    d: int | None = None  # columns; None for the fewest that it takes
    # its public parameters that are not those of the catalog's example
    settings: Mapping[str, Any] = field(default_factory=dict)
    beta: float = 0.1  # the chance with which a proved bound may be exceeded; of a prediction it is a half
    seen: dict[tuple[int, float, float], tuple[float, Budget]] = field(
        default_factory=dict, init=False, compare=False
    )
    first: dict[tuple[float, float], int] = field(default_factory=dict, init=False, compare=False)

    @cached_property
    def candidate(self) -> Candidate:
        """The estimator, asked for what it predicts, or for what is proved where it predicts nothing."""
        probability(beta=self.beta)
        question = Question(
            subject=lookup(self.key).key, d=self.d, budget=PureDP(1.0), settings=self.settings
        )
        (proved,) = candidates(question)
        predicted = replace(proved, kind="predicted")
        found = predicted if predicted.asked else proved
        if found.asked is None:
            raise ArgumentError("key", self.key, "an estimator with a predicted error or a proved bound")
        return found

    @property
    def missed(self) -> float:
        return 0.5 if self.candidate.kind == "predicted" else self.beta

    @property
    def takes_delta(self) -> bool:
        return self._taken(ApproxDP(1.0, 1e-6))

    def _taken(self, budget: Budget) -> bool:
        try:
            self.candidate.fewest(budget)
        except ArgumentError:
            return False
        return True

    @cached_property
    def _offers(self) -> list[Callable[[float, float], Budget]]:
        found: list[Callable[[float, float], Budget]] = [ApproxDP] if self.takes_delta else []
        if self._taken(PureDP(1.0)):
            found.insert(0, lambda epsilon, _: PureDP(epsilon))
        if not found:  # which says why
            exact = any(isinstance(budget, PureDP) for budget in self.candidate.entry.budgets)
            self.candidate.fewest(PureDP(1.0) if exact else ApproxDP(1.0, 1e-6))
        return found

    def error(self, n: int, epsilon: float, delta: float) -> float:
        """Return the error at n rows; infinite where there is no answer, or none that tells anything."""
        return self.best(n, epsilon, delta)[0]

    def best(self, n: int, epsilon: float, delta: float) -> tuple[float, Budget]:
        place = n, epsilon, delta
        if place not in self.seen:
            budgets = [offer(epsilon, delta) for offer in self._offers]
            found = [(self._error(n, budget), budget) for budget in budgets]
            self.seen[place] = min(found, key=lambda pair: pair[0])
        return self.seen[place]

    def _error(self, n: int, budget: Budget) -> float:
        try:
            found = self.candidate.bound(n, budget, self.missed)
        except (ArgumentError, OverflowError):
            return inf
        return inf if isnan(found) else found

    def answers_from(self, epsilon: float, delta: float) -> int:
        place = epsilon, delta
        if place not in self.first:
            budgets = (offer(epsilon, delta) for offer in self._offers)
            self.first[place] = min(map(self.candidate.fewest, budgets))
        return self.first[place]

    def rows(self, alpha: float, epsilon: float, delta: float, guess: float = nan) -> int | None:
        """Return the least n with an error of at most alpha; None if there is none.

        As the next two it takes the error as falling, and begins at a guess; the number is the planner's.
        """
        try:
            start = self.answers_from(epsilon, delta)
        except ArgumentError:  # a trillion rows are too few
            return None
        guess = round(guess) if isfinite(guess) else start
        return least(lambda n: self.error(n, epsilon, delta) <= alpha, start, MOST, guess)

    def epsilon(self, alpha: float, n: int, delta: float) -> float | None:
        """Return the least ε of three digits, up to 1000, with an error of at most alpha, or None."""
        found = least(lambda place: self.error(n, decimal(place), delta) <= alpha, 0, DECIMALS, 6 * DIGITS)
        return None if found is None else decimal(found)

    def delta(self, alpha: float, n: int, epsilon: float) -> float | None:
        """Return the least δ of three digits, from 1e-15 on, with an error of at most alpha, or None."""
        most = DECADES * DIGITS - 1
        found = least(lambda place: self.error(n, epsilon, decimal(place, -15)) <= alpha, 0, most, 9 * DIGITS)
        return None if found is None else decimal(found, -15)

    def errors(self, sizes: Sequence[int], epsilons: Sequence[float], delta: float) -> Array:
        return np.array([[self.error(n, epsilon, delta) for epsilon in epsilons] for n in sizes])

    def balance(self, errors: Array, sizes: Sequence[int], delta: float) -> Array:
        """Return for every column of a map the n from which noise is less than half of the squared error.

        It is the first or the last n of the map where that is so everywhere or nowhere.
        """
        free = self.errors(sizes, [FREE], delta)
        known = np.isfinite(errors) & np.isfinite(free)
        ratio = np.divide(errors, free, out=np.full_like(errors, inf), where=known)
        nowhere = np.where(ratio[-1] <= HALF, sizes[0], sizes[-1])
        found = contour(ratio, sizes, HALF)
        return np.where(np.isnan(found), nowhere, found)


def least(enough: Callable[[int], bool], start: int, most: int, guess: int) -> int | None:
    """Return the least of the whole numbers from `start` to `most` that is enough; None if none is.

    Asked least often where the guess is near: by steps that grow away from it, then by halves.

    >>> least(lambda n: n >= 497, 2, 10**12, 500), least(lambda n: n >= 497, 2, 400, 300)
    (497, None)
    """
    low, step = min(max(guess, start), most), 1
    while low > start and enough(low):
        low, step = max(low - step, start), 4 * step
    found = smallest(lambda n: n > most or enough(n), low)
    return None if found > most else found


def contour(errors: Array, sizes: Sequence[float], alpha: float) -> Array:
    """Return for every column the n at which an error falls to alpha, between sizes on straight logarithms.

    It is nan where the error is nowhere so small, or everywhere.

    >>> contour(np.array([[2.0, np.inf], [0.5, 3.0]]), [10, 1000], 1.0)
    array([100.,  nan])
    """
    return np.array([_crossing(column, sizes, alpha) for column in errors.T])


def _crossing(column: Array, sizes: Sequence[float], alpha: float) -> float:
    within = np.flatnonzero(column <= alpha)
    if not within.size or within[0] == 0:
        return nan
    after = within[0]
    above, below = column[after - 1 : after + 1].tolist()
    if not isfinite(above) or below == 0:
        return sizes[after]
    share = log(above / alpha) / log(above / below)
    return sizes[after - 1] * (sizes[after] / sizes[after - 1]) ** share
