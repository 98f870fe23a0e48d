"""The design of a vote: group size, thresholds, and the split of (ε, δ), from public numbers.

For n rows in groups of s, k = ⌊n/s⌋, friends at distance L and a vote `parts.votes.vote` that passes with
probability 1 - β when the rows are what they should be:

    (1) L = a quantile 1 - p of the distance of two groups, p = .002 .. .02: the caller's
    (2) Q₀ = 1 - p - 2z √(p/k) - A - (S/ε_t) ln(1/β), z = 3: the share of friends exceeds it but for β
        joint: 1 - p - 2z √(p/k) - (T - 1) S: then h = T, which answers but for β       `privacy.voted`
    (3) a, b on a grid, for the least Δ, the most that one row moves the average
    (4) of all s, p and shares ε_t/ε the one whose mask is narrowest: the largest ε_m/Δ (Laplace,
        Thompson-Laplace; all of δ is the vote's), or μ(ε_m, δ/2)/Δ (Wishart, Gaussian); joint: r/Δ
    (5) joint: of that design with up to half as many counts again, and Δ_h that fall, the largest r

Privacy rests on Δ alone, and Δ on k, a, b, Q₀ and L, with an allowance for rounding (`parts.votes.vote`).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise, takewhile
from math import ceil, log, sqrt
from typing import TypeAlias

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.budgets import vote_and_mask
from workbench.estimators.parts.votes.vote import VOTE, Design, Points, Vote, change, spread, voting
from workbench.privacy import ApproxDP, NoiseSource
from workbench.privacy.mechanisms import truncated_laplace_bound
from workbench.privacy.ramps import LEAST_DELTA
from workbench.privacy.voted import (
    Voted,
    VotedCharge,
    counts,
    largest_ratio,
    voted,
    voted_chances,
    voted_scale,
)
from workbench.types import Array

SHARES = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.68, 0.75, 0.8, 0.85, 0.89, 0.92, 0.95, 0.97, 0.985)  # of r alone
LONGER, LOW = (1.5, 1.2, 1.0), 0.7  # times T, and Q₀ that it is not to take below this
FAR = (0.002, 0.005, 0.01, 0.02)
JOINT = {"gaussian": "voted_gaussian", "laplace": "voted_laplace"}  # mask: the mechanism with its vote in it
ROUNDING, NORM_ROUNDING = 1 + 1e-6, 1 + 1e-3
FEWEST, MOST = 20, 20_000  # groups
LARGEST = 10**12  # rows: with no more than MOST groups a small ε hides them, however large they are
WIDEST = 100.0  # the largest L at which floats tell friends from others

Moves: TypeAlias = Callable[[int, Array, Array, float | Array, float], Array]  # Δ from k, a, b, Q₀ and L
Limits: TypeAlias = Callable[[int], tuple[float, ...]]  # L from s, for each p


@dataclass(frozen=True, kw_only=True)
class PricedDesign(Design):
    """The public numbers of a vote of vectors and its noise, as one mechanism: neither has a share of (ε, δ).

    (1) h = ⌈(M - Q₀k²)/S⌉, from 0 to T: one replaced row moves it by at most 1
    (2) the average with noise, or no answer but with probability p(h)                     `privacy.voted`

    Two neighbouring data sets with h or more have M > Q₀k² + (h - 1)S: their averages are at most Δ_h apart.
    `distance` Δ_1, `ratio` r, `falls` Δ_h/Δ_1, `silent` 1 - p(`usual`). Proof: `proofs/tested_masks.md` 4.
    """

    ratio: float
    falls: tuple[float, ...]
    usual: int
    silent: float

    @property
    def most(self) -> int:
        """T: where all pairs are friends."""
        return len(self.falls)

    @property
    def plan(self) -> VotedCharge:
        """The one charge."""
        common = self.stage + VOTE, JOINT[self.kind], self.distance, self.budget
        law = {name: vars(self)[name] for name in ("ratio", "falls", "usual", "silent")}
        return VotedCharge(*common, **law)

    @property
    def charges(self) -> tuple[VotedCharge]:
        """The one charge."""
        return (self.plan,)

    @property
    def narrowness(self) -> float:
        """The inverse width of the mask."""
        return self.ratio / self.distance

    @property
    def noise_sd(self) -> float:
        """The sd of a normal mask."""
        return voted_scale(self.plan)

    def chance(self, friends: np.ndarray) -> float:
        """Return the probability of an answer."""
        return voted_chances(self.plan)[self.vote.count(friends, self.most)]

    def released(self, points: Points, noise: NoiseSource) -> Array | None:
        """Return the noisy average, or None for no answer."""
        friends = points.friends(self.limit)
        h = self.vote.count(friends, self.most)  # (1)
        average = points.average(self.vote.weights(friends)) if h else points.nothing
        return voted(Voted(h, self.whole(average)), self.plan, noise)  # (2)


@dataclass(frozen=True)
class Designer:
    """The family of designs with one kind of mask, one bound on a row's effect, and one law of groups."""

    kind: str
    moves: Moves
    limits: Limits
    sizes: tuple[int, ...]
    far: tuple[float, ...] = FAR
    joint: bool = False  # vote and mask are one mechanism, if δ has one

    def best(self, n: int, budget: ApproxDP, beta: float) -> Design | None:
        """Return the design of step (4) for n rows, or None if there is none."""
        tried = self._tried(n, budget, beta)
        best = max(tried, key=lambda one: one.narrowness, default=None)
        return self._falling(best) if isinstance(best, PricedDesign) else best

    def enough(self, n: int, budget: ApproxDP, beta: float) -> bool | None:
        """Tell whether n rows have a design; None if not."""
        return next((True for _ in self._tried(n, budget, beta)), None)

    def _tried(self, n: int, budget: ApproxDP, beta: float) -> Iterator[Design]:
        return (one for s in self._sizes(n) for one in self._designs(n // s, s, budget, beta))

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
        for far, limit in zip(self.far, self.limits(size), strict=True):
            if limit <= WIDEST:
                yield from self.of(k, size, 1 - far - 6 * sqrt(far / k), limit, budget, beta)

    def of(
        self, k: int, size: int, friends: float, limit: float, budget: ApproxDP, beta: float
    ) -> Iterator[Design]:
        """Yield designs that answer where a share `friends` of pairs are, but for β."""
        if self.joint and budget.delta >= LEAST_DELTA:
            yield from self._priced(k, size, friends, limit, budget, beta)
            return
        for share in SHARES:
            cost = vote_and_mask(budget, share, self.kind)[0]
            charge = voting(k, VOTE, cost)
            noise = truncated_laplace_bound(charge) + charge.sensitivity / cost.epsilon * log(1 / beta)
            (found,) = self.thresholds(k, [ceil(friends * k * k - noise)], limit)
            if found is not None:
                yield Design(size, limit, *found, self.kind, budget, share)

    def _priced(
        self, k: int, size: int, friends: float, limit: float, budget: ApproxDP, beta: float
    ) -> Iterator[Design]:
        ramps = (counts(budget, JOINT[self.kind], share, beta) for share in RATIOS)
        tried = list(takewhile(lambda one: one[1], ramps))  # nor is there a T for less noise
        quorums = [ceil(friends * k * k) - 1 - 2 * (k - 1) * (most - 1) for _, most in tried]
        for (ratio, most), found in zip(tried, self.thresholds(k, quorums, limit), strict=True):
            if found is not None:
                made = Design(size, limit, *found, self.kind, budget, 1.0)
                yield PricedDesign(**vars(made), ratio=ratio, falls=(1.0,) * most, usual=most, silent=beta)

    def _falling(self, made: PricedDesign) -> PricedDesign:
        """Return step (5): more counts, down to a lower quorum, and less noise."""
        k, limit, moved = made.vote.k, made.limit, made.vote.moved
        full = made.vote.quorum + (made.usual - 1) * moved
        tried = (ceil(longer * made.usual) for longer in LONGER)
        usual = next((one for one in tried if full - (one - 1) * moved >= LOW * k * k), made.usual)
        (found,) = self.thresholds(k, [full - (usual - 1) * moved], limit)
        vote, distance = found or (made.vote, made.distance)
        levels = np.arange(vote.quorum, k * k, moved) / k**2
        apart = self.moves(k, np.array(vote.nobody / k), np.array(vote.everybody / k), levels, limit)
        falls = tuple((apart / apart[0]).tolist())
        start = made.narrowness * distance
        ratio = largest_ratio(made.budget, made.plan.mechanism, falls[:usual], made.silent, start)
        falling = replace(made, vote=vote, distance=distance, falls=falls, usual=usual, ratio=ratio)
        return max(falling, made, key=lambda one: one.narrowness)

    def thresholds(self, k: int, quorums: list[int], limit: float) -> Iterator[tuple[Vote, float] | None]:
        """Yield thresholds and Δ of a vote with each quorum, None where there are none."""
        if not quorums:
            return
        pairs = [_shares(k, quorum) for quorum in quorums]
        a, b = (np.concatenate(side) for side in zip(*pairs, strict=True))
        ends = list(accumulate((len(some) for some, _ in pairs), initial=0))
        levels = np.repeat([quorum / k**2 for quorum in quorums], np.diff(ends))
        moved = self.moves(k, a / k, b / k, levels, limit)
        for quorum, (start, end) in zip(quorums, pairwise(ends), strict=True):
            best = start + int(np.argmin(moved[start:end])) if start < end else None
            yield None if best is None else (Vote(k, int(a[best]), int(b[best]), quorum), float(moved[best]))


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
    return _pairs(lowest, highest)


@lru_cache(maxsize=1024)
def _pairs(lowest: int, highest: int) -> tuple[Array, Array]:
    ends = np.array(sorted({int(lowest + i * ((highest - lowest) / 29)) for i in range(29)} | {highest}))
    first, second = _places(len(ends))
    return ends[first], ends[second]


@lru_cache(maxsize=64)
def _places(count: int) -> tuple[np.ndarray, ...]:
    return np.triu_indices(count, 1)


def covariance_moves(k: int, a: Array, b: Array, quorum: float | Array, limit: float) -> Array:
    """Return the Thompson distance of the averages of covariances, for friends at L = `limit`.

    E is taken at L (1 + 1e-6), for rounding (`proofs/populous.md`, section 6).
    """
    return np.asarray(np.log1p(change(k, a, b, quorum) * spread(k, a, quorum, limit * ROUNDING) / k))


def norm_moves(k: int, a: Array, b: Array, quorum: float | Array, limit: float) -> Array:
    """Return the distance of the averages in a norm, for friends at distance `limit`.

    A thousandth more than it is: points may be 1e8 `limit` away from the origin, where sums are rounded.
    """
    return np.asarray(change(k, a, b, quorum) * 2 * limit / k * NORM_ROUNDING)
