"""The design of a vote: group size, thresholds, and the split of (ε, δ), from public numbers.

For n rows in groups of s, k = ⌊n/s⌋, friends at distance L and a vote `parts.votes.vote` that passes with
probability 1 - β when the rows are what they should be:

    (1) L = a quantile 1 - p of the distance of two groups, p = .002 .. .02: the caller's
    (2) Q₀ = 1 - p - 2z √(p/k) - A - (S/ε_t) ln(1/β), z = 3: the share of friends exceeds it but for β
    (3) a, b on a grid, for the least Δ, the most that one row moves the average
    (4) of all s, p and shares ε_t/ε the one whose mask is narrowest: the largest ε_m/Δ (Laplace,
        Thompson-Laplace; all of δ is the vote's), or μ(ε_m, δ/2)/Δ (Wishart, Gaussian)

Privacy rests on Δ alone, and Δ on k, a, b, Q₀ and L, with an allowance for rounding (`parts.votes.vote`).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import TypeAlias

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.budgets import vote_and_mask
from workbench.estimators.parts.votes.vote import VOTE, Design, Vote, voting
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import truncated_laplace_bound
from workbench.types import Array

SHARES = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
FAR = (0.002, 0.005, 0.01, 0.02)
FEWEST, MOST = 20, 20_000  # groups
LARGEST = 10**12  # rows: with no more than MOST groups a small ε hides them, however large they are
WIDEST = 100.0  # the largest L at which floats tell friends from others

Moves: TypeAlias = Callable[[int, Array, Array, float, float], Array]  # Δ from k, a, b, Q₀ and L
Limits: TypeAlias = Callable[[int], tuple[float, ...]]  # L from s, for each p


@dataclass(frozen=True)
class Designer:
    """The family of designs with one kind of mask, one bound on a row's effect, and one law of groups."""

    kind: str
    moves: Moves
    limits: Limits
    sizes: tuple[int, ...]
    far: tuple[float, ...] = FAR

    def best(self, n: int, budget: ApproxDP, beta: float) -> Design | None:
        """Return the design of step (4) for n rows, or None if there is none."""
        tried = (one for s in self._sizes(n) for one in self._designs(n // s, s, budget, beta))
        return max(tried, key=lambda one: one.narrowness, default=None)

    def _sizes(self, n: int) -> list[int]:
        """Return the sizes that make few groups enough to be compared with each other."""
        fitting = [s for s in self.sizes if FEWEST <= n // s <= MOST]
        if fitting or n // self.sizes[-1] <= MOST:
            return fitting
        size = self.sizes[-1]
        while n // size > MOST:
            size *= 2
        return [size]

    def _designs(self, k: int, size: int, budget: ApproxDP, beta: float) -> Iterator[Design]:
        for share in SHARES:
            cost = vote_and_mask(budget, share, self.kind)[0]
            for far, limit in zip(self.far, self.limits(size), strict=True):
                if limit > WIDEST:
                    continue
                found = self.thresholds(k, 1 - far - 6 * sqrt(far / k), limit, cost, beta)
                if found is not None:
                    yield Design(size, limit, *found, self.kind, budget, share)

    def thresholds(
        self, k: int, friends: float, limit: float, cost: ApproxDP, beta: float
    ) -> tuple[Vote, float] | None:
        """Return thresholds and Δ of a vote that passes where a share `friends` of pairs are, but for β."""
        charge = voting(k, VOTE, cost)
        noise = truncated_laplace_bound(charge) + charge.sensitivity / cost.epsilon * log(1 / beta)
        quorum = ceil(friends * k * k - noise)
        a, b = _shares(k, quorum)
        if not len(a):
            return None
        moved = self.moves(k, a / k, b / k, quorum / k**2, limit)
        best = int(np.argmin(moved))
        return Vote(k, int(a[best]), int(b[best]), quorum), float(moved[best])


def fewest(design: Callable[[int], object], start: int, within: float = 1.0) -> int:
    """Return the fewest rows that `design` does not refuse, to a factor `within`, or more than LARGEST.

    Rows below half of `start` are not looked at.
    """

    def found(n: int) -> bool:
        try:
            return design(n) is not None
        except ArgumentError:
            return False

    low, high = start // 2, start
    while high <= LARGEST and not found(high):
        low, high = high, 2 * high
    while LARGEST >= high > within * low + 1:
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def in_units(factors: Iterable[float], unit: float) -> tuple[int, ...]:
    """Return whole group sizes in proportion to a unit."""
    return tuple(sorted({ceil(factor * unit) for factor in factors}))


def _shares(k: int, quorum: int) -> tuple[Array, Array]:
    """Return pairs a < b of whole numbers of friends that a vote may have."""
    lowest, highest = k // 2 + 1, quorum // k - 1
    if quorum >= k * k or highest <= lowest:
        return np.zeros(0), np.zeros(0)
    ends = np.unique(np.linspace(lowest, highest, 30).astype(int))
    first, second = np.triu_indices(len(ends), 1)
    return ends[first], ends[second]
