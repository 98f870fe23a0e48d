"""The least n at which a wanted share of runs succeeds, with an interval: a sequential search.

    (1) A grid n_k = round(n_0 1.06^k) round the public number n_0, never a measured one. Runs come in blocks,
        each with a stream of its own, addressed by k and the block's number.
    (2) A few runs at n_0 and in steps of 12 places, a factor 2, until q is bracketed.
    (3) Until the cap, or until the half-width is the goal: a block at the place where the belief of c and s
        (`success`) says that a bit less, about, and a bit more than q succeed, in turn, and at times
        one where a step may hide.
    (4) Runs at 1.5 and 2.5 times the n found: if there the share is below q again, the search begins anew
        from there, so that what is found is the *last* crossing; if the share is not shown to be above q, the
        upper end is infinite.
    (5) The interval of `success.fitted`; or, where errors are told and fall smoothly, the narrower one of
        `error_quantile`.

A dip deeper than about .2 within 2.5 n is found with a power of about .8. One that is narrow, or farther out,
is not. The runs, and so the answer, depend on the seed of their streams alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import ceil, exp, floor, inf, log
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from workbench.bounds.search import smallest
from workbench.errors import ArgumentError, integer_at_least, positive, probability
from workbench.special import bdtr, bdtrc, ndtri
from workbench.study.intervals import Interval, Vector
from workbench.study.success import CLIFF, Belief, Counts, Fit, belief, crossing_line, fitted

if TYPE_CHECKING:
    from workbench.estimators import Estimator
    from workbench.privacy import Budget

Measure: TypeAlias = Callable[[int, int, int, int], Vector]
Kind: TypeAlias = Literal["found", "rough", "dip", "plateau", "always", "never"]

RATIO, STRIDE, STRIDES = 1.06, 12, 14  # (1), (2)
BRACKETING, BLOCK = 10, 20  # runs
AHEAD, FORWARD, MORE = (1.5, 2.5), 40, 3  # (4)
FALLS, ABOVE, FROM = 0.005, 0.01, 1.16
WITHIN = log(2.0)  # of c, where runs are placed in (3)


@dataclass(frozen=True, kw_only=True)
class Target:
    """What is searched: the n from which on a share of runs errs by at most alpha."""

    alpha: float  # a run succeeds if its error is at most this
    share: float = 0.9  # wanted share of successes, q
    cap: int = 200  # runs after which placing ends; (4) adds 80 to 200
    goal: float = 0.0  # Half-width of ln n* at which it ends before; 0 for never
    level: float = 0.05  # Chance that the interval misses
    most: int = 10**9  # the largest n that is tried

    def __post_init__(self) -> None:
        positive(alpha=self.alpha)
        probability(share=self.share, level=self.level)
        integer_at_least(BLOCK, cap=self.cap)
        integer_at_least(1, most=self.most)

    @property
    def aims(self) -> tuple[float, float, float]:
        """The shares at which runs are placed in turn: most is learned a little off q."""
        q = self.share
        return max(1 - 2.2 * (1 - q), q / 2), q, 1 - 0.4 * (1 - q)


@dataclass(frozen=True)
class Found:
    """What a search found.

    `kind`: "found"; "rough" where no curve fits and the interval is an exact bracket; "dip" where the share
    falls below q again and this is the last crossing; "plateau" where it is not shown to stay above; "always"
    where the least n there is is enough; "never" where none up to the largest is.
    """

    n: float
    interval: Interval
    kind: Kind
    runs: int

    @property
    def rows(self) -> int | None:
        return ceil(self.n - 1e-9) if self.n < inf else None


@dataclass
class _Runs:
    """The errors measured so far, by n; blocks are drawn in the order of their numbers at every n."""

    measure: Measure
    target: Target
    start: int
    blocks: dict[int, int] = field(default_factory=dict)
    errors: dict[int, Vector] = field(default_factory=dict)

    def rows(self, place: int) -> int:
        return max(1, min(round(self.start * RATIO ** min(place, 800)), self.target.most))

    def place(self, n: float) -> int:
        return round(log(n / self.start) / log(RATIO))

    def draw(self, place: int, runs: int) -> float:
        n = self.rows(place)
        block = self.blocks.get(n, 0)
        self.blocks[n] = block + 1
        found = np.asarray(self.measure(n, place, block, runs), np.float64)
        self.errors[n] = np.concatenate([self.errors.get(n, np.zeros(0)), found])
        return float((self.errors[n] <= self.target.alpha).mean())

    @property
    def counts(self) -> Counts:
        return Counts.of(self.errors, self.target.alpha)

    @property
    def total(self) -> int:
        return sum(len(errors) for errors in self.errors.values())


def least_n(measure: Measure, target: Target, start: int) -> Found:
    """Return the last n at which the share of successes rises to the wanted one.

    `measure(n, place, block, runs)` returns the errors of so many runs at n, infinite where there is no
    answer or n is refused; the numbers must depend on its arguments alone. `start` is n_0, a public number,
    best within a factor of 4 of the answer.
    """
    integer_at_least(1, start=start)
    runs = _Runs(measure, target, min(start, target.most))
    bracket = _bracketed(runs, 0)
    if isinstance(bracket, Found):
        return bracket
    return _searched(runs, bracket, dips=1)


def _bracketed(runs: _Runs, place: int) -> tuple[int, int] | Found:
    """Return two places with shares below q and not below it (2), or what it means that there are none."""
    q = runs.target.share
    up = runs.draw(place, BRACKETING) < q
    for _ in range(STRIDES):
        there = place + STRIDE if up else place - STRIDE
        if runs.rows(there) == runs.rows(place):
            break
        if (runs.draw(there, BRACKETING) < q) != up:
            return (place, there) if up else (there, place)
        place = there
    if up:
        return Found(inf, (float(runs.rows(place)), inf), "never", runs.total)
    least = float(runs.rows(place))
    return Found(least, (0.0, least), "always", runs.total)


def _searched(runs: _Runs, bracket: tuple[int, int], dips: int) -> Found:
    fit = _placed(runs, bracket)
    last = _falls_again(runs, fit)
    if last is not None and dips:
        again = _bracketed(runs, last)
        if isinstance(again, Found):
            return again
        found = _searched(runs, again, dips - 1)
        return found if found.kind == "plateau" else replace(found, kind="dip")
    kind: Kind = "rough" if fit.rough else "found"
    target, line = runs.target, None
    if last is None and not fit.rough:
        line = crossing_line(runs.errors, target.alpha, target.share, target.level, fit.n, fit.width)
    n, (low, high) = (line.n, line.interval) if line else (fit.n, fit.interval)
    if last is not None or not _stays_above(runs, fit):
        kind, high = "plateau", inf
    return Found(n, (low, high), kind, runs.total)


def _placed(runs: _Runs, bracket: tuple[int, int]) -> Fit:
    """Return the fit of runs placed in turn where most is learned (3)."""
    target = runs.target
    low, high = (log(runs.rows(place)) for place in bracket)
    spent, turn = runs.total, 0
    known = belief(_about(runs, low, high), target.share, low, high)
    while runs.total - spent < target.cap - 2 * BRACKETING and not known.half <= target.goal:
        runs.draw(_next(runs, known, turn), BLOCK)
        known, turn = belief(_about(runs, low, high), target.share, low, high), turn + 1
    return fitted(_about(runs, low, high), target.share, target.level, known, log(RATIO))


def _about(runs: _Runs, low: float, high: float) -> Counts:
    middle, half = (low + high) / 2, (high - low) / 2
    return runs.counts.within(middle, 3 * half + 1e-9)


def _next(runs: _Runs, known: Belief, turn: int) -> int:
    if known.width < CLIFF:
        return runs.place(exp(known.centre)) + (-1, 0, 1)[turn % 3]
    if turn % 4 == 3:
        few, enough = runs.counts.gap(runs.target.share)
        return runs.place((few * enough) ** 0.5)
    aim = runs.target.aims[turn % 4]
    gap = known.width * float(ndtri(aim) - ndtri(runs.target.share))
    return runs.place(exp(known.centre + min(max(gap, -WITHIN), WITHIN)))


def _falls_again(runs: _Runs, fit: Fit) -> int | None:
    """Return the place above the fit at which the share is below q again, or None (4)."""
    q = runs.target.share
    for factor in AHEAD:
        place = runs.place(factor * fit.n)
        while runs.draw(place, BLOCK) >= 0 and len(runs.errors[runs.rows(place)]) < FORWARD:
            pass
        here = runs.errors[runs.rows(place)]
        if bdtr(float((here <= runs.target.alpha).sum()), len(here), q) <= FALLS:
            return place
    return None


def _stays_above(runs: _Runs, fit: Fit) -> bool:
    """Return whether the runs beyond the fit refute a share of at most q (4)."""
    place = runs.place(AHEAD[-1] * fit.n)
    for _ in range(MORE + 1):
        hits, total = runs.counts.beyond(floor(FROM * fit.n))
        if bdtrc(hits - 1, total, runs.target.share) <= ABOVE:
            return True
        runs.draw(place, FORWARD)
    return False


# The fewest rows at which an estimator answers at all: below them its plan refuses.


MOST = 10**12


def fewest_rows(estimator: "Estimator[Any]", d: int, budget: "Budget") -> int:
    """Return the smallest n whose plan is accepted, found by doubling and bisection.

    Raises
    ------
    ArgumentError
        The plan's own, if it refuses for another reason than n, or at 10¹² rows still.
    """

    def answered(n: int) -> bool:
        if n > MOST:
            estimator.plan(n, d, budget)
        return accepts(estimator, n, d, budget)

    return smallest(answered)


def accepts(estimator: "Estimator[Any]", n: int, d: int, budget: "Budget") -> bool:
    """Return whether the plan takes n rows; raise if it refuses anything else."""
    try:
        estimator.plan(n, d, budget)
    except ArgumentError as error:
        if error.argument != "n":
            raise
        return False
    return True


# The chance that a count passes a threshold under truncated Laplace noise: public.


def passing(epsilon: float, bound: float, h: float) -> float:
    """Return P(h + Z > A) for truncated Laplace noise Z on [-A, A] of scale 1/ε.

    >>> passing(1.0, 10.0, 0.0), passing(1.0, 10.0, 10.0), passing(1.0, 10.0, 20.0)
    (0.0, 0.5, 1.0)
    """
    z, mass = bound - h, 2 * (1 - exp(-epsilon * bound))
    tail = max((exp(-epsilon * abs(z)) - exp(-epsilon * bound)) / mass, 0.0)
    return tail if z >= 0 else 1 - tail
