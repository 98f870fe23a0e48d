"""Private places on the line: the window-median mechanism, one for ranks, and where they are drawn.

For the p points y_i that are there, of n, widths `left` and `right`, a stretch τ, and a position t of a
public lattice:

    A(t) = #{y_i - τ > t},  B(t) = #{y_i + τ > t},  O(t) = #{y_i with t outside [y_i - right, y_i + left)},
    m(t) = max(A(t) - p/2, p/2 - B(t), p/2 - ⌊p/2⌋, O(t))      sensitivity 1 under replace-one

    with a range:      probability ∝ e^(-ε m(t)/2) on [low, high)
    without a range:   the same on {t : O(t) ≤ p - 1}, and a bottom of weight B e^(-ε (p - 1)/2),
                       B = (the most points that a window holds) (1 - δ)/δ

The depth gives the precision of a private median, the window term doubles the penalty of a place far from
the data. Within τ of the median the depth is the median's, so that ties are found: without a stretch all
places in the window of n equal points are alike. With a range: ε-DP, and of a log-likelihood ratio of range
ε, whose zCDP is that of `zcdp_from_bounded_range`. Without: (ε, δ)-DP, and that zCDP with δ.

`RankWindow`, a position that about `rank` points lie beyond: every point, beyond the range taken at its end,
stands for the stretch [y - right, y + left). With A(t) points whose stretch begins after t, B(t) whose
stretch does not end by t:

    m(t) = max(0, A(t) - rank, rank - B(t))         sensitivity 1 under replace-one

It is 0 on the whole stretch of the point of that rank, ties or not: a position is off by m or more with
probability at most (length of the range)/(left + right) e^(-ε m/2), whatever the data, if `rank` points are
there. An absent one (NaN) is in neither count.

A draw chooses a piece of equal score, by whole numbers, then a point of it. The lattice's step is a power of
two, 2^-100 of a public length or the least float: a float that is not tiny lies on it as it is, whatever its
size, and so does the sum of two such floats, rounded to a float.

Where a position is, for designs (`location_law`) and proved (`located_within`): by Dvoretzky, Kiefer,
Wolfowitz and Massart the sample's distribution function is within D ≥ 1/(4n) of F everywhere, so the score
divided by n is within 2D of the population's. On that event

    P(|t - median| > h) ≤ (length · e^(-εn(g(h) - 2D)/2) + M e^(-εn/2)) / max_r (r e^(-εn(g(r) + 2D)/2)),

with g the population's score, `length` that of the range, which r is at most, or of all non-empty windows
together, and M the weight of the bottom (0 with a range). A bottom counts as an infinite error.

Proof: `proofs/univariate.md`, section 1. No source states either mechanism.
"""

from fractions import Fraction
from functools import cache, cached_property, lru_cache
from math import ceil, exp, inf, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from workbench.errors import ArgumentError, few, positive, real
from workbench.estimators.base import FARTHEST
from workbench.estimators.shared.budgets import require_selection
from workbench.estimators.shared.noisy_means import FAR
from workbench.estimators.shared.rows import present, row_blocks
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, NoiseSource, PureDP
from workbench.privacy.budgets import LARGEST_GROUP, bounded_range_epsilon
from workbench.privacy.grid import Band, Integers, Later, OnGrid, step_of
from workbench.privacy.mechanisms import exponential
from workbench.special import brentq, chndtr, ndtr
from workbench.types import Array, Counts, Mask, RowMap, frozen, public, remembered

BITS = 100  # of the public length; what rounds points to the lattice moves them by 2^-101 of it
LEAST = 2.0**-1074
EVERYTHING = 4 * FARTHEST  # a window of this width holds every point
MANY, SHARE = 8192, 0.6  # points from which a band may be enough, and the largest share of them in it
TRIES, SOME = 2, 100  # bands, and points that tell where the median is
LIKELY = 12.0  # minus the log of the chance that it is not, or so
ABOVE = 1 + 2.0**-40  # times a length: no rounding makes it less
REPRESENTATIVES = 300  # equally likely sizes that stand for a law
_SIZES = np.geomspace(1e-9, 60.0, 1200)
_OFFSETS = np.concatenate([-_SIZES[::-1], _SIZES])
_LOG_STEP = np.log(np.abs(_OFFSETS)) + log(log(_SIZES[1] / _SIZES[0]))  # du = |u| d ln|u|
_RADII = np.geomspace(1e-6, 60.0, 3000)


def step_for(length: float) -> float:
    return max(step_of(length, BITS), LEAST)


def rounded(places: Array, step: float) -> Array:
    with np.errstate(over="ignore"):
        near, found = np.abs(places) < 2.0**53 * step, np.rint(places / step)
        found *= step
    return np.where(near, found, places)


def place(number: int, step: float) -> float:
    return float(Fraction(number) * Fraction(step))


class Lengths(OnGrid):
    """How many points of the lattice lie in [e_j, e_{j+1}) for sorted edges on it, and further weights.

    As floats, lengths and further weights in the unit of the edges; as whole numbers only where asked for.
    An edge is a float, so that a length is one difference of two, rounded once.
    """

    near = True

    edges: Array
    void: np.ndarray
    further: tuple[int, ...]

    def __init__(self, edges: Array, void: np.ndarray, step: float, *further: int) -> None:
        for name, value in (("edges", edges), ("void", void), ("unit", step), ("further", further)):
            object.__setattr__(self, name, value)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        lengths = np.diff(self.edges)
        lengths[self.void] = 0.0
        return np.append(lengths, [place(weight, self.unit) for weight in self.further])

    @cached_property
    def counts(self) -> Integers:
        lengths = np.diff(numbers(self.edges, self.unit))
        lengths[self.void] = 0
        return np.array([*lengths, *self.further], object)


def numbers(places: Array, step: float) -> Integers:
    shares, exponents = np.frexp(places)
    shifts = (exponents - 53 - (np.frexp(step)[1] - 1)).tolist()
    whole = np.ldexp(shares, 53).astype(np.int64).tolist()
    shifted = [one << by if by >= 0 else one >> -by for one, by in zip(whole, shifts, strict=True)]
    return np.array(shifted, object)


@frozen
class Pieces:
    """A piecewise constant score: on [edges[j], edges[j+1]) it is -twice[j]/2, unless the piece is void.

    `points` is p.
    """

    edges: Array
    twice: Integers
    void: np.ndarray
    points: int

    @property
    def penalty(self) -> Array:
        return self.twice / 2

    def log_length(self) -> Array:
        lengths = np.diff(self.edges)
        lengths[self.void] = 0.0
        return np.log(lengths, out=np.full(len(lengths), -inf), where=lengths > 0)


@public
class WindowMedian:
    """The mechanism for given widths and stretch and, if `low` and `high` are given, a range of positions.

    Points must lie within ±1e15; a point at -inf is left of every position and outside every window. One that
    is absent, NaN, is no point: p of n are. With a range a row may touch several points.
    """

    left: float
    right: float
    low: float | None = None
    high: float | None = None
    stretch: float = 0.0
    touched: int = 1

    def __post_init__(self) -> None:
        positive(left=self.left, right=self.right)
        if not (real(self.stretch) and self.stretch >= 0):
            raise ArgumentError("stretch", self.stretch, "a finite number, at least 0")
        if (self.low is None) != (self.high is None):
            raise ArgumentError("high", self.high, "a number if and only if low is one")
        few(LARGEST_GROUP, touched=self.touched)
        if self.low is None and self.touched != 1:
            raise ArgumentError("touched", self.touched, "1 without a range")
        if self.low is not None and self.high is not None:
            positive(**{"high - low": self.high - self.low})
            if max(-self.low, self.high) > FARTHEST:
                raise ArgumentError("(low, high)", (self.low, self.high), "a range within ±1e15")

    @property
    def range(self) -> tuple[float, float]:
        """The ends of the range, or of all that points can reach."""
        return (-EVERYTHING, EVERYTHING) if self.low is None or self.high is None else (self.low, self.high)

    @property
    def length(self) -> float | None:
        return None if self.low is None else self.range[1] - self.range[0]

    def charge(self, step: str, cost: Budget) -> Charge:
        """Return the charge of one draw; the score has sensitivity 1 in a point."""
        if self.low is not None:
            require_selection(cost)
        elif not isinstance(cost, ApproxDP | ZCDP) or not cost.delta > 0:
            raise ArgumentError("budget", cost, "ApproxDP or ZCDP with delta > 0")
        return Charge(step, "window_median", float(self.touched), cost)

    def of_a_point(self, cost: Budget) -> Budget:
        """Return what the replacement of one point costs where that of a row costs `cost`."""
        return cost if self.touched == 1 else PureDP(selection_epsilon(cost) / self.touched)

    @cached_property
    def step(self) -> float:
        window = min(self.left + self.right, 2 * EVERYTHING)  # ends that are cut off are on the lattice
        return step_for(window if self.length is None else min(window, self.length))

    @cached_property
    def widths(self) -> list[float]:
        return rounded(np.array([self.left, self.right, self.stretch]), self.step).tolist()

    @cached_property
    def reach(self) -> list[float]:
        """The ends of the range on the lattice."""
        return rounded(np.array(self.range), self.step).tolist()

    @property
    def window(self) -> float:
        """A bound on the length of a point's window: both its ends are rounded to floats."""
        furthest = min(FARTHEST + max(self.left, self.right), EVERYTHING)
        return self.left + self.right + float(np.spacing(furthest))

    def pieces(self, points: Array) -> Pieces:
        """Return the score as 3n ± 1 pieces, a number that does not depend on the data; not private."""
        n, p, points = len(points), int(present(points).sum()), np.sort(rounded(points, self.step))
        left, right, stretch = self.widths
        inside, none = np.isfinite(points).astype(np.int8), np.zeros(n, np.int8)
        points[p:] = EVERYTHING  # the last ones: events at which nothing happens
        # the depth is that of points whose lower half is moved by -τ, the upper one by τ
        middles = np.where(np.arange(n) < p // 2, points - stretch, points + stretch)
        events = np.concatenate([points - right, middles, points + left])
        np.clip(events, -EVERYTHING, EVERYTHING, out=events)  # finite lengths
        order = np.argsort(events, kind="stable")
        edges = events[order]
        in_window = np.cumsum(np.concatenate([inside, none, -inside])[order], dtype=np.int64)
        to_left = np.cumsum((n <= order) & (order < n + p), dtype=np.int64)
        if self.low is not None:
            low, high = self.reach
            edges = np.concatenate([[low], np.clip(edges, low, high, out=edges), [high]])
            in_window, to_left = np.append(0, in_window), np.append(0, to_left)
            void = np.zeros(len(in_window), bool)
        else:
            in_window, to_left = in_window[:-1], to_left[:-1]
            void = in_window == 0
        twice = np.abs(p - 2 * to_left)
        np.maximum(twice, 2 * (p - in_window), out=twice)
        return Pieces(edges, twice, void, p)

    def draw(self, points: Array, charge: Charge, noise: NoiseSource) -> float | None:
        charge = self.charge(charge.step, charge.cost)
        score = Charge(charge.step, "exponential", charge.sensitivity, PureDP(selection_epsilon(charge.cost)))
        pieces, cost = cache(lambda: self.pieces(points)), self.of_a_point(charge.cost)
        near = self.near(points, cost)
        scores: Any
        weights: Any
        if near is None:
            scores, weights = self.choices(pieces(), cost)
        else:  # the same, of which a source may look at the band alone
            whole = cache(lambda: self.choices(pieces(), cost))
            band = near.band(self, cost, len(points))
            scores, weights = (
                Later(lambda: whole()[0], band.size, band),
                Later(lambda: whole()[1], band.size),
            )
        chosen = exponential(scores, score, noise, weights)
        if self.low is None and chosen == scores.shape[0] - 1:
            return None
        at: Any = [] if near is None else np.flatnonzero(near.numbers == chosen)
        ends = near.edges[at[0] :] if near is not None and len(at) else pieces().edges[chosen:]
        first, end = numbers(ends[:2], self.step)
        return place(first + noise.below(end - first), self.step)

    def near(self, points: Array, cost: Budget) -> "Near | None":
        """Return the pieces that are likely to be drawn, None where all have to be looked at."""
        n, epsilon = len(points), selection_epsilon(cost)
        if n < MANY:
            return None
        length = self.window if self.length is None else self.length
        far = LIKELY + log(1 + length / self.window) + log(3 * n) + log(1 + epsilon * n)
        worse = min(max(2 * far / epsilon, 1.0), float(n))
        if 2 * worse > SHARE * n:
            return None
        values = rounded(points, self.step)
        p = n - int(np.count_nonzero(np.isnan(values)))
        some = np.sort(values[:: n // SOME | 1])  # an odd step: every tenth row may be absent
        middle = some[(len(some) - np.count_nonzero(np.isnan(some))) // 2]
        inside = (values <= middle + self.right) & ~(values <= middle - self.left)
        outside = p - int(np.count_nonzero(inside))  # about as many have not the median in their window
        for _ in range(TRIES):
            found = near_pieces(self, values, p, ceil(worse) + outside)
            if found is None or found.void.all():
                break
            best = int(found.twice[~found.void].min())
            lengths = np.diff(found.edges)[~found.void & (found.twice <= best + 4 / epsilon)]
            far = LIKELY + log(length / float(lengths.sum())) + log(3 * n)
            worse, outside = min(max(2 * far / epsilon, 1.0), float(n)), best // 2 + 1
            if min(found.others) >= best + 2 * worse:
                return found
        return None

    def choices(self, pieces: Pieces, cost: Budget) -> tuple[OnGrid, Lengths]:
        if self.low is not None:
            return OnGrid(-pieces.twice, 0.5), Lengths(pieces.edges, pieces.void, self.step)
        scores = -np.append(pieces.twice, 2 * (pieces.points - 1))
        return OnGrid(scores, 0.5), Lengths(pieces.edges, pieces.void, self.step, self.bottom(cost))

    def bottom(self, cost: Budget) -> int:
        delta = Fraction(getattr(cost, "delta", 0.0))
        return ceil(Fraction(self.window) / Fraction(self.step) * (1 - delta) / delta)

    def log_measure(self, cost: Budget) -> float:
        """Return the log of the length of the range or, without one, of M, which acts as its length.

        M is what the bottom weighs at a score of -n, in the unit of the points.
        """
        if self.length is not None:
            return log(self.length)
        return log(self.bottom(cost)) + log(self.step) + selection_epsilon(cost) / 2


@frozen
class Near:
    """The non-empty pieces that begin in a band round the middle, as `Pieces`; their numbers among all.

    Pieces on either side of the band have twice a score of at least `others`.
    """

    numbers: NDArray[np.intp]
    edges: Array
    twice: Counts
    void: Mask
    points: int
    others: tuple[int, int]

    def band(self, locator: WindowMedian, cost: Budget, n: int) -> Band:
        twice, numbers = self.twice, self.numbers
        further: tuple[int, ...] = ()
        if locator.low is None:
            size, longest, further = 3 * n, locator.window, (locator.bottom(cost),)
            beside = longest * n, longest * n
            twice, numbers = np.append(twice, 2 * (self.points - 1)), np.append(numbers, size - 1)
        else:
            (low, high), size = locator.reach, 3 * n + 1
            longest, beside = high - low, (float(self.edges[0] - low), float(high - self.edges[-1]))
        weights = Lengths(self.edges, self.void, locator.step, *further)
        highest, (first, second) = (-self.others[0], -self.others[1]), (one * ABOVE for one in beside)
        return Band(
            numbers, -twice, 0.5, weights, size, len(self.twice), highest, longest * ABOVE, (first, second)
        )


def near_pieces(locator: WindowMedian, values: Array, p: int, aside: int) -> Near | None:
    """Return the pieces that begin between two points `aside` ranks from the middle: no sort of all n.

    `values`, p of them not absent, are on the lattice; their order changes. A piece that is not empty has as
    number how many ends of pieces are no farther right than where it begins. None where the band does not lie
    among points, or windows are as narrow as roundings there.
    """
    n, first, last = len(values), p // 2 - aside, p // 2 + aside
    if first < 0 or last >= p or last - first > SHARE * n:
        return None
    values.partition((first, p // 2, last))  # absent ones are anywhere behind
    left, right, stretch = locator.widths
    a, b = float(values[first]), float(values[last])
    if a == b and not stretch:  # ties: to the point before, and to the one behind
        a = float(np.max(values[values < a], initial=-np.inf))
        b = float(np.min(values[values > b], initial=np.inf))
    a, b = a - stretch, b + stretch
    low, high = max(a, locator.reach[0]), min(b, locator.reach[1])
    absent_begin = p < n and EVERYTHING - right < b  # at the ends of what is absent nothing happens
    if absent_begin or not (a > -EVERYTHING and low < high):
        return None
    middles = (values[: p // 2], -stretch), (values[p // 2 :], stretch)
    split = [_split(moved, a, b) for moved in (middles, ((values, -right),), ((values, left),))]
    events = np.unique(np.concatenate([inside for _, inside in split]))
    starts = np.concatenate([[low], events[(events > low) & (events < high)]])
    to_left, begun, ended = (
        before + np.searchsorted(inside, starts, side="right") for before, inside in split
    )
    numbers = to_left + begun + ended - (1 if locator.low is None else 0)
    void = begun == ended if locator.low is None else np.zeros(len(starts), bool)
    twice = np.maximum(np.abs(p - 2 * to_left), 2 * (p - (begun - ended)))
    before, inside = split[0]
    others = p - 2 * before, 2 * max(last + 1, before + len(inside)) - p
    return Near(numbers, np.append(starts, high), twice, void, p, others)


def _split(moved: tuple[tuple[Array, float], ...], a: float, b: float) -> tuple[int, Array]:
    """Return how many numbers, each part moved by its step, are below a, and in order those in [a, b)."""
    below, inside = 0, []
    for some in (block + by for values, by in moved for block in row_blocks(values)):  # little memory
        below += int(np.count_nonzero(some < a))
        inside.append(some[(some >= a) & (some < b)])
    return below, np.sort(np.concatenate(inside))


def selection_epsilon(cost: Budget) -> float:
    """Return ε of the score's exponential distribution: itself, or the range that ρ allows."""
    match cost:
        case PureDP(epsilon) | ApproxDP(epsilon, _):
            return epsilon
        case ZCDP(rho, _):
            return bounded_range_epsilon(rho)
    raise ArgumentError("cost", cost, "PureDP, ApproxDP or ZCDP")


@public
class RankWindow(WindowMedian):
    """The mechanism for a rank, counted from the top; `low` and `high` have to be given."""

    rank: int

    def near(self, points: Array, cost: Budget) -> None:  # all pieces are looked at
        return None

    def pieces(self, points: Array) -> Pieces:
        low, high, left, right = rounded(np.array([*self.range, self.left, self.right]), self.step)
        points, absent = rounded(np.clip(points, low, high), self.step), np.isnan(points)
        begins, ends = (np.where(absent, -np.inf, one) for one in (points - right, points + left))
        events = np.clip(np.concatenate([begins, ends]), low, high)
        order = np.argsort(events, kind="stable")
        begun = np.append(0, np.cumsum(order < len(points)))
        ended = np.arange(len(events) + 1) - begun
        beyond, reached = len(points) - begun, len(points) - ended
        twice = 2 * np.maximum(0, np.maximum(beyond - self.rank, self.rank - reached))
        edges = np.concatenate([[low], events[order], [high]])
        return Pieces(edges, twice, np.zeros(len(twice), bool), len(points) - int(absent.sum()))


@remembered
def location_law(
    locator: WindowMedian, n: int, cost: Budget, cdf: RowMap, far: float
) -> tuple[Array, Array, float]:
    """Return offsets from the median, their probabilities given |offset| ≤ far, and the chance of the rest.

    `cdf` is that of the points, with median 0; the population's score stands in for the sample's. The rest
    is the mass beyond `far` and, without a range, the bottom.
    """
    epsilon, u = selection_epsilon(cost), _OFFSETS
    log_weight = _LOG_STEP - epsilon * n / 2 * _scores(locator, cdf)
    log_rest = locator.log_measure(cost)
    far_score = 1.0  # or 1/2 where the window holds everything
    if (length := locator.length) is not None:
        log_weight[np.abs(u) > max(length / 2, _SIZES[0])] = -inf
        log_rest = log(length - 2 * _SIZES[-1]) if length > 2 * _SIZES[-1] else -inf
        far_score = float(population_score(locator, _SIZES[-1:], cdf)[0])
    log_rest -= epsilon * n / 2 * far_score
    peak = max(float(log_weight.max()), log_rest)
    weight, near = np.exp(log_weight - peak), np.abs(u) <= far
    found, missed = float(weight[near].sum()), float(weight[~near].sum()) + exp(log_rest - peak)
    return u[near], weight[near] / found if found else weight[near], missed / (found + missed)


def located_median(locator: WindowMedian, n: int, cost: Budget) -> float:
    offsets, chances, failure = location_law(locator, n, cost, ndtr, FAR)
    return median_beyond(np.abs(offsets), (1 - failure) * chances, sqrt(pi / (2 * n)), 1)


def median_beyond(sizes: Array, chances: Array, sd: float, d: int) -> float:
    """Return the median of |u + g| for |u| one of `sizes` by `chances`, g ~ N(0, sd² I_d); infinite from 1/2.

    What is missing to a sum of 1 is the chance of a failure, an infinite error.
    """
    order = np.argsort(sizes)
    mass = np.cumsum(chances[order])
    if mass[-1] <= 0.5:
        return inf
    places = np.searchsorted(mass, mass[-1] * (np.arange(REPRESENTATIVES) + 0.5) / REPRESENTATIVES)
    apart = sizes[order][places]

    def excess(t: float) -> float:
        return float(mass[-1] * chndtr((t / sd) ** 2, d, (apart / sd) ** 2).mean()) - 0.5

    return brentq(excess, 0.0, float(apart[-1]) + 10 * sd * sqrt(d), rtol=1e-6)


@lru_cache(maxsize=64)
def _scores(locator: WindowMedian, cdf: RowMap) -> Array:
    return population_score(locator, _OFFSETS, cdf)


def population_score(locator: WindowMedian, u: Array, cdf: RowMap) -> Array:
    """Return lim m(u)/n: the largest of 1/2 - F(u + τ), F(u - τ) - 1/2 and the mass outside u's window."""
    outside = 1 - (cdf(u + locator.right) - cdf(u - locator.left))
    depth = np.maximum(0.5 - cdf(u + locator.stretch), cdf(u - locator.stretch) - 0.5)
    return np.maximum(depth, outside)


def located_within(
    locator: WindowMedian, n: int, cost: Budget, beta: float, cdf: RowMap, deviation: float
) -> float:
    """Return an h that |position - median| exceeds with probability at most beta, given the deviation D."""
    half = selection_epsilon(cost) * n / 2
    right, left = population_score(locator, _RADII, cdf), population_score(locator, -_RADII, cdf)
    nearest = np.minimum.accumulate(np.minimum(right, left)[::-1])[::-1]
    furthest = np.maximum.accumulate(np.maximum(right, left))
    inside, log_measure = _RADII, locator.log_measure(cost)
    if locator.length is not None:
        inside = np.minimum(_RADII, locator.length)
        log_outside = log_measure - half * (nearest - 2 * deviation)
    else:
        log_windows = log(n * locator.window) - half * (nearest - 2 * deviation)
        log_outside = np.logaddexp(log_windows, log_measure - half)
    log_inside = float((np.log(inside) - half * (furthest + 2 * deviation)).max())
    enough = log_outside - log_inside <= log(beta)
    return float(_RADII[np.argmax(enough)]) if enough.any() else inf
