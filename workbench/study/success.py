"""What runs at several n say of the n at which enough of them succeed: a posterior, a fit, an interval.

The share p(n) of successes is modelled in u = (ln n - c)/s: p = q at n = e^c, and s is the width of the
rise. Curves of five shapes are fitted, so that an interval need not rest on one: with one of them it covers
a plateau just above q in half of the searches, with all five in 97 of 100 (measured; q = .9).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

from workbench.special import chdtrc as chi_squared_tail
from workbench.special import chdtri, ndtr, ndtri, xlog1py, xlogy
from workbench.study.intervals import Interval, Vector, bracket_of

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


@dataclass(frozen=True)
class Counts:
    """Successes among runs at every n, ascending."""

    n: Vector
    hits: Vector
    runs: Vector

    @classmethod
    def of(cls, errors: Mapping[int, Vector], alpha: float) -> "Counts":
        sizes = sorted(errors)
        hits = [float((errors[n] <= alpha).sum()) for n in sizes]
        return cls(np.array(sizes, float), np.array(hits), np.array([float(len(errors[n])) for n in sizes]))

    @cached_property
    def places(self) -> Vector:
        return np.log(self.n)

    def within(self, centre: float, reach: float) -> "Counts":
        """Return the counts with ln n no farther than `reach` from a centre."""
        return self._where(np.abs(self.places - centre) <= reach)

    def beyond(self, n: float) -> tuple[int, int]:
        there = self.n >= n
        return int(self.hits[there].sum()), int(self.runs[there].sum())

    def gap(self, share: float) -> tuple[float, float]:
        """Return the largest n at which few runs succeed, and the first n above it at which enough do."""
        shares = self.hits / self.runs
        few = float(self.n[shares < share / 2].max(initial=self.n[0]))
        enough = self.n[(shares >= share) & (self.n > few)]
        return few, float(enough.min(initial=self.n[-1]))

    def _where(self, keep: NDArray[np.bool_]) -> "Counts":
        return Counts(self.n[keep], self.hits[keep], self.runs[keep])


def curves(u: Vector, share: float) -> Vector:
    """Return the five curves at u, stacked: every one is `share` at 0.

    A normal law's, two with one light tail, and two in which a part of the runs fails at every n.
    """
    light_above = -np.expm1(-np.exp(np.minimum(u + log(-log(1 - share)), 50.0)))
    light_below = np.exp(-np.exp(np.minimum(log(-log(share)) - u, 50.0)))
    tops = [1 - lapse * (1 - share) for lapse in LAPSES]
    lapsing = [top * ndtr(u + ndtri(share / top)) for top in tops]
    return np.stack([ndtr(u + ndtri(share)), light_above, light_below, *lapsing])


def log_likelihood(p: Vector, counts: Counts) -> Vector:
    """Return the log-likelihood of shares p, whose last axis is that of the counts."""
    sure = np.clip(p, EDGE, 1 - EDGE)
    each = xlogy(counts.hits, sure) + xlog1py(counts.runs - counts.hits, -sure)
    return np.asarray(each.sum(-1), np.float64)


@dataclass(frozen=True)
class Belief:
    """What is known of c and s while runs are placed: the posterior means, and a half-width of 95 %."""

    centre: float
    width: float
    half: float


def belief(counts: Counts, share: float, low: float, high: float) -> Belief:
    """Return the belief of the normal curve for c within about [low, high], a bracket in ln n."""
    margin = 0.5 * (high - low) + 0.5
    centres = np.linspace(low - margin, high + margin, 81)
    u = (counts.places - centres[:, None, None]) / np.exp(WIDTHS)[:, None]
    weights = log_likelihood(ndtr(u + ndtri(share)), counts)
    weights = weights - ((WIDTHS - TYPICAL_WIDTH) / SPREAD) ** 2 / 2
    mass = np.exp(weights - weights.max())
    mass /= mass.sum()
    over = mass.sum(1)
    middle = float(over @ centres)
    spread = float(over @ (centres - middle) ** 2) ** 0.5
    return Belief(middle, exp(float(mass.sum(0) @ WIDTHS)), 1.96 * spread)


@dataclass(frozen=True)
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
    law. No cliff is known better than `step`, ln of the ratio of neighbouring n. Where no curve fits, the
    exact bracket (`intervals.bracket_of`), which needs monotony alone.
    """
    near = counts.within(around.centre, max(NEAR, WIDE * around.width))
    centres = np.linspace(around.centre - REACH, around.centre + REACH, PLACES)
    u = (near.places - centres[:, None, None]) / np.exp(WIDTHS)[:, None]
    shapes = curves(u, share)
    loss = PENALTY * np.maximum(WIDTHS - TYPICAL_WIDTH, 0.0) ** 2 - log_likelihood(shapes, near)
    best = np.unravel_index(int(loss.argmin()), loss.shape)
    excess, freedom = _misfit(shapes[best], near)
    width = exp(float(WIDTHS[best[2]]))
    if freedom > 0 and chi_squared_tail(freedom, excess) < ROUGH:
        low, high = bracket_of(counts.n, counts.hits, counts.runs, share, level)
        return Fit(exp(float(centres[best[1]])), (low, high), width, True)
    cut = chdtri(1, NOMINAL * level) * max(1.0, excess / max(freedom, 1))
    profile = loss.min(axis=(0, 2))
    n, low, high = _cut(centres, profile, cut / 2)
    if width < CLIFF:
        low, high = min(low, n - step), max(high, n + step)
    few, enough = counts.gap(share)
    if not ((counts.n > few) & (counts.n < enough)).any():  # a step may hide between these two
        low, high = min(low, log(few)), max(high, log(enough))
    return Fit(exp(n), (exp(low), exp(high)), width, False)


def _misfit(p: Vector, counts: Counts) -> tuple[float, int]:
    expected = counts.runs * p
    spread = expected * (1 - p)
    told = spread >= 0.5
    excess = float((((counts.hits - expected) ** 2)[told] / spread[told]).sum())
    return excess, int(told.sum()) - 2


def _cut(places: Vector, profile: Vector, height: float) -> tuple[float, float, float]:
    best = int(profile.argmin())
    inside = np.flatnonzero(profile <= profile[best] + height)
    low, high = (float(places[end]) for end in (inside[0], inside[-1]))
    gap = float(places[1] - places[0])
    return (
        float(places[best]),
        -inf if inside[0] == 0 else low - gap / 2,
        inf if inside[-1] == len(places) - 1 else high + gap / 2,
    )


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


@dataclass(frozen=True)
class Line:
    """Where the line crosses alpha, and the interval."""

    n: float
    interval: Interval


def crossing_line(
    errors: Mapping[int, Vector], alpha: float, share: float, level: float, around: float, width: float
) -> Line | None:
    """Return where the q-quantile of the error is alpha, or None where errors are no line in ln n.

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
    half = float(high - low) / 2 * float(-ndtri(NOMINAL_PLACED * level / 2))
    return Line(around * exp(middle), (around * exp(middle - half), around * exp(middle + half)))


def _crossing(places: Vector, logs: Vector, share: float) -> float:
    level = logs + SLOPES[:, None] * places
    rank = min(int(share * len(logs)), len(logs) - 1)
    heights = np.partition(level, rank, axis=1)[:, rank]
    gaps = level - heights[:, None]
    loss = np.where(gaps > 0, share * gaps, (share - 1) * gaps).sum(1)
    best = int(loss.argmin())
    return float(heights[best] / SLOPES[best])
