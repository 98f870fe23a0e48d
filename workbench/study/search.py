"""The least n at which a wanted share of runs succeeds, with an interval: a sequential search.

    (1) A grid n_k = round(n_0 1.06^k) round the public number n_0, never a measured one. Runs come in blocks,
        each with a stream of its own, addressed by k and the block's number.
    (2) A few runs at n_0 and in steps of 12 places, a factor 2, until q is bracketed.
    (3) Until the cap: a block at the place where the belief of c and s says that a bit less, about, and a bit
        more than q succeed, in turn, and at times one where a step may hide.
    (4) Runs at 1.5 and 2.5 times the n found: if there the share is below q again, the search begins anew
        from there, so that what is found is the *last* crossing; if the share is not shown to be above q, the
        upper end is infinite.
    (5) The interval of `fitted`; or, where errors are told and fall smoothly, that of `crossing_line`.

A dip deeper than about .2 within 2.5 n is found with a power of about .8. One that is narrow, or farther out,
is not. The runs, and so the answer, depend on the seed of their streams alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, exp, floor, inf, log
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from workbench.bounds import smallest
from workbench.errors import ArgumentError, integer_at_least, positive, probability
from workbench.special import bdtr, bdtrc, chdtri, ndtr, ndtri, xlog1py, xlogy
from workbench.special import chdtrc as chi_squared_tail
from workbench.study.measures import bracket_of
from workbench.study.rules import Interval
from workbench.types import Array, frozen, public, reals

if TYPE_CHECKING:
    from workbench.estimators import Estimator
    from workbench.privacy import Budget

# What runs at several n say of the n at which enough of them succeed: a posterior, a fit, an interval.
#
# The share p(n) of successes is modelled in u = (ln n - c)/s: p = q at n = e^c, and s is the width of the
# rise. Curves of five shapes are fitted, so that an interval need not rest on one: with one of them it covers
# a plateau just above q in half of the searches, with all five in 97 of 100 (measured; q = .9).

WIDTHS = np.log(np.geomspace(0.02, 3.0, 24))  # ln s
TYPICAL_WIDTH, SPREAD = log(0.4), 1.0  # prior of ln s while runs are placed
PENALTY = 0.5  # of (ln s - ln .4)² above 0, in the fit: keeps s finite where a curve is flat
PLACES, REACH = 161, 1.6  # values of c, and how far they lie from the middle
NEAR, WIDE = 0.7, 2.0  # runs within max(NEAR, WIDE s) of c are fitted
NOMINAL = 0.6  # of the level: placing runs where they tell most costs the interval about .02 of .05
ROUGH = 0.002  # a fit as bad as this, or worse, is given up
LAPSES = (0.35, 0.75)  # of 1 - q: runs that fail at every n
CLIFF = 0.08  # a rise as steep as this is a step between two places of the grid
EDGE = 1e-9  # no run is certain


@frozen
class Counts:
    """Successes among runs at every n, ascending."""

    n: Array
    hits: Array
    runs: Array

    @classmethod
    def of(cls, errors: Mapping[int, Array], alpha: float) -> "Counts":
        sizes = sorted(errors)
        hits = [(errors[n] <= alpha).sum() for n in sizes]
        return cls(reals(sizes), reals(hits), reals([len(errors[n]) for n in sizes]))

    @cached_property
    def places(self) -> Array:
        return np.log(self.n)

    def within(self, centre: float, reach: float) -> "Counts":
        keep = np.abs(self.places - centre) <= reach
        return Counts(self.n[keep], self.hits[keep], self.runs[keep])

    def beyond(self, n: float) -> tuple[int, int]:
        there = self.n >= n
        return int(self.hits[there].sum()), int(self.runs[there].sum())

    def gap(self, share: float) -> tuple[float, float]:
        """Return the largest n at which few runs succeed, and the first n above it at which enough do."""
        shares = self.hits / self.runs
        few = float(self.n[shares < share / 2].max(initial=self.n[0]))
        enough = self.n[(shares >= share) & (self.n > few)]
        return few, float(enough.min(initial=self.n[-1]))


def curves(u: Array, share: float) -> Array:
    """Return the five curves at u, stacked: every one is `share` at 0.

    A normal distribution's, two with one light tail, and two in which a part of the runs fails at every n.
    """
    light_above = -np.expm1(-np.exp(np.minimum(u + log(-log(1 - share)), 50.0)))
    light_below = np.exp(-np.exp(np.minimum(log(-log(share)) - u, 50.0)))
    tops = [1 - lapse * (1 - share) for lapse in LAPSES]
    lapsing = [top * ndtr(u + ndtri(share / top)) for top in tops]
    return np.stack([ndtr(u + ndtri(share)), light_above, light_below, *lapsing])


def log_likelihood(p: Array, counts: Counts) -> Array:
    sure = np.clip(p, EDGE, 1 - EDGE)
    each = xlogy(counts.hits, sure) + xlog1py(counts.runs - counts.hits, -sure)
    return each.sum(-1)


@frozen
class Belief:
    """What is known of c and s while runs are placed: the posterior means."""

    centre: float
    width: float


def belief(counts: Counts, share: float, low: float, high: float) -> Belief:
    """Return the belief of the normal curve for c within about [low, high], a bracket in ln n."""
    margin = 0.5 * (high - low) + 0.5
    centres = np.linspace(low - margin, high + margin, 81)
    u = (counts.places - centres[:, None, None]) / np.exp(WIDTHS)[:, None]
    weights = log_likelihood(ndtr(u + ndtri(share)), counts)
    weights = weights - ((WIDTHS - TYPICAL_WIDTH) / SPREAD) ** 2 / 2
    mass = np.exp(weights - weights.max())
    mass /= mass.sum()
    return Belief(float(mass.sum(1) @ centres), exp(mass.sum(0) @ WIDTHS))


@frozen
class Fit:
    """The n at which the share is reached, its interval, the width of the rise, whether a curve fits."""

    n: float
    interval: Interval
    width: float
    rough: bool


def fitted(counts: Counts, share: float, level: float, around: Belief, step: float) -> Fit:
    """Return the fit of the best curve to the runs near a belief, with an interval.

    It misses with a chance of `level`, about: the profile likelihood over s and the five curves, cut at the
    quantile of χ² with one degree of freedom, widened where the counts vary more than those of a binomial
    distribution. No cliff is known better than `step`, ln of the ratio of neighbouring n. Where no curve
    fits, the exact bracket (`measures.bracket_of`), which needs monotony alone.
    """
    near = counts.within(around.centre, max(NEAR, WIDE * around.width))
    centres = np.linspace(around.centre - REACH, around.centre + REACH, PLACES)
    u = (near.places - centres[:, None, None]) / np.exp(WIDTHS)[:, None]
    shapes = curves(u, share)
    loss = PENALTY * np.maximum(WIDTHS - TYPICAL_WIDTH, 0.0) ** 2 - log_likelihood(shapes, near)
    best = np.unravel_index(loss.argmin(), loss.shape)
    expected = near.runs * shapes[best]
    spread = expected * (1 - shapes[best])
    told = spread >= 0.5
    excess = (((near.hits - expected) ** 2)[told] / spread[told]).sum()
    freedom = int(told.sum()) - 2
    width = exp(WIDTHS[best[2]])
    if freedom > 0 and chi_squared_tail(freedom, excess) < ROUGH:
        low, high = bracket_of(counts.n, counts.hits, counts.runs, share, level)
        return Fit(exp(centres[best[1]]), (low, high), width, True)
    cut = chdtri(1, NOMINAL * level) * max(1.0, excess / max(freedom, 1))
    profile = loss.min(axis=(0, 2))
    inside = np.flatnonzero(profile <= profile.min() + cut / 2)
    n, low, high = centres[[profile.argmin(), inside[0], inside[-1]]]
    gap = centres[1] - centres[0]
    low = -inf if inside[0] == 0 else low - gap / 2
    high = inf if inside[-1] == len(centres) - 1 else high + gap / 2
    if width < CLIFF:
        low, high = min(low, n - step), max(high, n + step)
    few, enough = counts.gap(share)
    if not ((counts.n > few) & (counts.n < enough)).any():  # a step may hide between these two
        low, high = min(low, log(few)), max(high, log(enough))
    return Fit(exp(n), (exp(low), exp(high)), width, False)


# The n at which a quantile of the error is alpha, from the errors themselves and not only from successes.
#
# Near the answer ln e falls in ln n along a line of slope -b, whatever the law about it. What is found is
# where the line of the q-quantile is at ln alpha, by the least pinball loss; its interval is a bootstrap's.
# It is a fifth narrower than one from successes alone and hardly biased, where the line is one: no step of a
# location, no lattice of errors, no runs without an answer.


SLOPES = np.linspace(0.1, 3.0, 59)  # b
WINDOW = 0.8  # |ln n - ln n*| of the runs that are used
RESAMPLES, NOMINAL_PLACED = 100, 0.45  # of the level: what bootstraps of placed runs lack
FEWEST = 60  # runs
ONE_SD = (0.1587, 0.8413)  # of a normal law, on both sides


def crossing_line(
    errors: Mapping[int, Array], alpha: float, share: float, level: float, around: float, width: float
) -> tuple[float, Interval] | None:
    """Return where the q-quantile of the error is alpha, with its interval; None if errors are no line.

    `around` is the n of a fit of successes (`fitted`), and `width` the width s of the rise.
    """
    sizes = [n for n in sorted(errors) if abs(log(n / around)) <= WINDOW]
    found = np.concatenate([errors[n] for n in sizes]) if sizes else np.zeros(0)
    places = np.repeat([log(n / around) for n in sizes], [len(errors[n]) for n in sizes])
    lost = ~np.isfinite(found) | (found <= 0)
    few = len(found) < FEWEST or len(sizes) < 3 or len(set(found)) < len(found) / 2  # a lattice of errors
    if few or width <= CLIFF or lost.mean() >= (1 - share) / 3:
        return None
    logs = np.log(np.where(lost, max(found[~lost].max(), alpha) * 1e6, found) / alpha)
    rng = np.random.default_rng(len(found))  # resamples alone: fixed, so that equal runs give equal bits
    middle = _crossing(places, logs, share)
    picks = rng.integers(len(logs), size=(RESAMPLES, len(logs)))
    drawn = np.array([_crossing(places[pick], logs[pick], share) for pick in picks])
    if not np.isfinite(middle) or not np.isfinite(drawn).all() or abs(middle) > WINDOW:
        return None
    low, high = np.quantile(drawn, ONE_SD)
    half = (high - low) / 2 * -ndtri(NOMINAL_PLACED * level / 2)
    return around * exp(middle), (around * exp(middle - half), around * exp(middle + half))


def _crossing(places: Array, logs: Array, share: float) -> float:
    level = logs + SLOPES[:, None] * places
    rank = min(int(share * len(logs)), len(logs) - 1)
    heights = np.partition(level, rank, axis=1)[:, rank]
    gaps = level - heights[:, None]
    loss = np.where(gaps > 0, share * gaps, (share - 1) * gaps).sum(1)
    best = loss.argmin()
    return heights[best] / SLOPES[best]


Measure = Callable[[int, int, int, int], Array]
Kind = Literal["found", "rough", "dip", "plateau", "always", "never"]

RATIO, STRIDE, STRIDES = 1.06, 12, 14  # (1), (2)
BRACKETING, BLOCK = 10, 20  # runs
AHEAD, FORWARD, MORE = (1.5, 2.5), 40, 3  # (4)
FALLS, ABOVE, FROM = 0.005, 0.01, 1.16
WITHIN = log(2.0)  # of c, where runs are placed in (3)


@public
class Target:
    """What is searched: the n from which on a share of runs errs by at most alpha."""

    alpha: float  # a run succeeds if its error is at most this
    share: float = 0.9  # wanted share of successes, q
    cap: int = 200  # runs after which placing ends; (4) adds 80 to 200
    level: float = 0.05  # chance that the interval misses
    most: int = 10**9  # the largest n that is tried

    def __post_init__(self) -> None:
        positive(alpha=self.alpha)
        probability(share=self.share, level=self.level)
        integer_at_least(BLOCK, cap=self.cap)
        integer_at_least(1, most=self.most)


@frozen
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
    errors: dict[int, Array] = field(default_factory=dict)

    def rows(self, place: int) -> int:
        return max(1, min(round(self.start * RATIO ** min(place, 800)), self.target.most))

    def place(self, n: float) -> int:
        return round(log(n / self.start) / log(RATIO))

    def draw(self, place: int, runs: int) -> float:
        n = self.rows(place)
        block = self.blocks.get(n, 0)
        self.blocks[n] = block + 1
        found = self.measure(n, place, block, runs)
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
    n, (low, high) = line or (fit.n, fit.interval)
    if last is not None or not _stays_above(runs, fit):
        kind, high = "plateau", inf
    return Found(n, (low, high), kind, runs.total)


def _placed(runs: _Runs, bracket: tuple[int, int]) -> Fit:
    """Return the fit of runs placed in turn where most is learned (3)."""
    q, low, high = runs.target.share, *(log(runs.rows(place)) for place in bracket)

    def known() -> tuple[Counts, Belief]:
        near = runs.counts.within((low + high) / 2, 3 * (high - low) / 2 + 1e-9)
        return near, belief(near, q, low, high)

    for turn in range(ceil((runs.target.cap - 2 * BRACKETING) / BLOCK)):
        runs.draw(_next(runs, known()[1], turn), BLOCK)
    near, around = known()
    return fitted(near, q, runs.target.level, around, log(RATIO))


def _next(runs: _Runs, known: Belief, turn: int) -> int:
    if known.width < CLIFF:
        return runs.place(exp(known.centre)) + (-1, 0, 1)[turn % 3]
    if turn % 4 == 3:
        few, enough = runs.counts.gap(runs.target.share)
        return runs.place((few * enough) ** 0.5)
    q = runs.target.share
    aim = (max(1 - 2.2 * (1 - q), q / 2), q, 1 - 0.4 * (1 - q))[turn % 4]
    gap = known.width * (ndtri(aim) - ndtri(q))
    return runs.place(exp(known.centre + min(max(gap, -WITHIN), WITHIN)))


def _falls_again(runs: _Runs, fit: Fit) -> int | None:
    """Return the place above the fit at which the share is below q again, or None (4)."""
    q = runs.target.share
    for factor in AHEAD:
        place = runs.place(factor * fit.n)
        runs.draw(place, BLOCK)
        while len(here := runs.errors[runs.rows(place)]) < FORWARD:
            runs.draw(place, BLOCK)
        if bdtr((here <= runs.target.alpha).sum(), len(here), q) <= FALLS:
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
    """Return the smallest n whose plan is accepted, or raise the plan's own refusal if that is not of n."""

    def answered(n: int) -> bool:
        if n > MOST:
            estimator.plan(n, d, budget)
        return accepts(estimator, n, d, budget)

    return smallest(answered)


def accepts(estimator: "Estimator[Any]", n: int, d: int, budget: "Budget") -> bool:
    try:
        estimator.plan(n, d, budget)
    except ArgumentError as error:
        if error.argument != "n":
            raise
        return False
    return True
