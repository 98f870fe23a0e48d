"""The least of a scale of whole numbers at which an error bound is small enough.

The scale is either n itself or the place of a number in the list of all decimals with three digits. A bound
need be neither monotone nor finite along it. The search doubles and bisects as if it were, asks a fixed grid
around the answer, goes on below it where the grid finds a smaller one, and reports where the grid finds that
more is not enough. A smaller answer between the places it asked can escape it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, isnan
from sys import float_info

from workbench.bounds.search import smallest

FACTORS = (0.5, 0.7, 0.8, 0.9, 0.97, 1.05, 1.2, 1.5, 2, 3, 5, 10, 100, 1000)
STEPS = (-900, -300, -100, -30, -10, 10, 30, 100, 300, 900, 1800)
DIGITS = 900  # decimals with three digits per factor of 10
DECIMALS = 9 * DIGITS  # from 1e-6 to 1e3


class _OutOfReachError(Exception):
    """The last place of the scale is not enough."""


@dataclass(frozen=True)
class Check:
    """How many places around the answer were asked, and those above it at which the bound is too large."""

    places: int
    short_above: tuple[float, ...]


@dataclass
class Scale:
    """An error bound along whole numbers from `start` to `most`, computed once at each."""

    bound: Callable[[int], float]
    start: int
    most: int
    around: Callable[[int], list[int]]
    number: Callable[[int], float] = int
    seen: dict[int, float] = field(default_factory=dict)

    def at(self, place: int) -> float:
        """Return the bound at a place; no number counts as infinite."""
        if place not in self.seen:
            value = self.bound(place)
            self.seen[place] = inf if isnan(value) else value
        return self.seen[place]

    def least(self, alpha: float = float_info.max) -> int | None:
        """Return the first place found with a bound of at most `alpha`, by default a finite one; or None.

        Below the answer the bound is larger than alpha at the place next to it, on the grid around it and
        wherever the doubling went.
        """

        def enough(place: int) -> bool:
            within = self.at(min(place, self.most)) <= alpha
            if place > self.most and not within:
                raise _OutOfReachError
            return within

        try:
            found = smallest(enough, self.start)
        except _OutOfReachError:
            return None
        while lower := [place for place in self._grid(found) if place < found and enough(place)]:
            found = self._between(min(lower), alpha)
        return found

    def _between(self, enough: int, alpha: float) -> int:
        """Return an answer between the last place known to be short of `alpha` and one that is enough."""
        short = max((p for p in self.seen if p < enough and self.seen[p] > alpha), default=self.start - 1)
        while enough - short > 1:
            middle = (short + enough) // 2
            short, enough = (short, middle) if self.at(middle) <= alpha else (middle, enough)
        return enough

    def _grid(self, answer: int) -> list[int]:
        return sorted({place for place in self.around(answer) if self.start <= place <= self.most})

    def best(self) -> tuple[int, float]:
        """Return the place with the smallest bound of those computed, and that bound."""
        return min(self.seen.items(), key=lambda pair: pair[::-1])

    def check(self, answer: int, alpha: float) -> Check:
        """Return a check of the bound for monotony on the grid around an answer."""
        grid = self._grid(answer)
        short = (self.number(place) for place in grid if place > answer and self.at(place) > alpha)
        return Check(len(grid), tuple(short))


def factors(n: int) -> list[int]:
    """Return sizes around n, from a half to a thousand times."""
    return [round(factor * n) for factor in FACTORS]


def steps(place: int) -> list[int]:
    """Return places around one of the decimals, from a tenth to a hundred times."""
    return [place + step for step in STEPS]


def decimal(place: int) -> float:
    """Return the number at a place of the list of decimals with three digits, 1e-6 first.

    >>> [decimal(place) for place in (0, 1, 899, 900, 5400, DECIMALS)]
    [1e-06, 1.01e-06, 9.99e-06, 1e-05, 1.0, 1000.0]
    """
    power, digits = divmod(place, DIGITS)
    return float(f"{100 + digits}e{power - 8}")
