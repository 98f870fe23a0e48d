"""A test of stability and the mask of what passed it, priced together.

A count h of a data set moves by 1 at most when a row is replaced. A run answers with probability p(h), a
public sequence p(0) = 0 < p(1) ≤ .. ≤ p(T), and then shows a noisy value; where h, h' ≥ 1, the two noisy
values have a hockey-stick divergence of at most H(e) at every real e. With ρ = ln(p(h + 1)/p(h)) it is
(ε, δ)-DP if

    (a) p(h + 1) H(ε - ρ) ≤ δ                                              p(1) ≤ δ for h = 0
    (b) max(0, 1 - p(h) - e^ε (1 - p(h + 1))) + p(h) H(ε + ρ) ≤ δ
    (c) H(ε) ≤ δ

Basic composition pays ε for the test and for the mask; here the two share it: while p grows by nearly e^ε a
step, the mask costs hardly anything, and where p is near 1 the mask has all of it. `largest` finds the
narrowest mask that lets p(T) be what is wanted.
Proof: `proofs/tested_masks.md`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from math import ceil, exp, expm1, floor, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError
from workbench.privacy.budgets import ApproxDP
from workbench.special import chdtr, chdtrc, chdtri, ndtr, ndtri
from workbench.types import Array, Floats, RowMap, frozen

Divergence = Callable[[float], float]
"""An upper bound of the hockey-stick divergence at every real e; it falls."""

Excess = Callable[[float], float]
"""By how much the mask of a number passes what is wanted; negative if it does not."""

Search = Callable[[Callable[[float], bool]], tuple[float, float]]
"""A search by the answers to yes-or-no questions; it returns two ends."""

Lattice = Callable[[int, int], Array]
"""Upper bounds of a hockey stick at a width times the whole numbers from one to another; they fall."""

Hint = tuple[float, float]
"""About the x = ln(q/p) of the largest q that may follow p, and the slope of ln(e^x H(ε - x)) there."""

CELLS = 600  # of a tabulated hockey stick
LEAST_DELTA = 1e-13  # below it the floats of (b) cancel
RELATIVE, ABSOLUTE = 1e-9, 4e-15  # of δ, what rounding in (a) to (c) may take
BITS = 2.0**53
OFF = 2.0**-51  # of ε ± ρ: what their rounding may take, which a large ε makes more than a δ
NEAR = 1e-8  # of the largest chance that may follow, how near it is found
CLOSER, GUESSES = 1e-10, 12  # of it: how near a guess is surely, and the most guesses
FIRST = 0.0, 20.0  # a hint before any
ASIDE = 3  # lines on either side of the lowest one, of which rounding may make one lower
LARGEST = 700.0  # of an ε that floats have the exponential of; a smaller one in its place is safe
LEAST, CLOSE = 1e-9, 1.001  # of what is searched, and how near it is found
TYPICAL = 1.3  # times ln(1/δ)/ε: about the order that decides, less 1
ORDERS, HIGHEST, LOWEST = 1000, 1e5, 1e-4  # orders less 1: the last relative to the highest, or
BELOW = 1 / 20  # of a typical one, if that is less
APPRECIABLE = 1 + 1e-9  # times a chance: more of it than rounding may make
BESIDE = 1 + 1e-5  # of a number: where rounding may decide
STEEP, LONGEST = 25.0, 1.5  # secants of an excess in a logarithm: a slope at first, the longest step
SMALLEST = 1e-12  # of an order less 1, which floats tell from 1
WIDTH, REACH, MOST_CELLS = 0.0075, 2.0, 5000  # of a lattice: over a typical order; last in ε; of losses
UNSEEN, LOWEST_LOSSES = 1e-4, 1e-6  # of δ, losses beyond a lattice; the chance of those lumped at its start
TINY = 1e-100  # more than any chance there: products of chances would be subnormal, which is slow
HIGHER = 1 + 1e-9  # times a probability: what its floats, exact to 1e-12 at least, may be too low by


@frozen
class Pure:
    """The largest hockey stick of a pair that is ε-DP in both directions."""

    epsilon: float

    def __call__(self, e: float) -> float:
        if e >= self.epsilon:
            return 0.0
        if e <= -self.epsilon:
            return -expm1(e)
        return -expm1(e - self.epsilon) / (1 + exp(-self.epsilon))


@frozen
class Tabulated:
    """A hockey stick of Rényi divergences: in every cell of ±reach with the order that is best at its left.

    `logs` are the logarithms there, `falls` what they fall by in a unit of e: order less 1.
    """

    reach: float
    logs: Sequence[float]
    falls: Sequence[float]

    def __call__(self, e: float) -> float:
        reach = self.reach
        if e < -reach:
            return 1.0
        cell = min(int((e / reach + 1) * CELLS / 2), CELLS)
        height = self.logs[cell] - self.falls[cell] * (e - reach * (2 * cell / CELLS - 1))
        return exp(height) if height < 0 else 1.0


def from_renyi(orders: Array, divergences: Array, epsilon: float) -> Tabulated:
    """Return the hockey stick of Rényi divergences R_α by order, for pairs near ε.

    At most (1/α)(1 - 1/α)^(α - 1) e^((α - 1)(R_α - e)), of any α (Canonne, Kamath & Steinke 2020).
    """
    reach, falls = 4 * epsilon, orders - 1
    places, cells = _places(reach)
    heights = falls * divergences + falls * np.log1p(-1 / orders) - np.log(orders)
    near = _near_lowest(heights, falls, places)
    logs = heights[near] - falls[near] * places[:, None]
    best = logs.argmin(axis=1)
    return Tabulated(reach, logs[cells, best].tolist(), falls[near[cells, best]].tolist())


@lru_cache(maxsize=64)
def _places(reach: float) -> tuple[Array, NDArray[np.intp]]:
    return np.linspace(-reach, reach, CELLS + 1), np.arange(CELLS + 1)


def _near_lowest(heights: Array, falls: Array, places: Array) -> NDArray[np.intp]:
    """Return, place by place, a few numbers of lines height - fall · place with the lowest one among them.

    Heights are convex in falls: the lowest line is where their slope passes the place. Where floats do not
    show them convex, all lines are looked at.
    """
    slopes = np.diff(heights) / np.diff(falls)
    rising = np.diff(slopes)
    if len(heights) <= 2 * ASIDE + 1 or not (rising > -1e-9 * (1 + np.abs(slopes[:-1]))).all():
        return np.broadcast_to(np.arange(len(heights)), (len(places), len(heights)))
    first = np.searchsorted(slopes, places) - ASIDE
    return np.clip(first, 0, len(heights) - 2 * ASIDE - 1)[:, None] + np.arange(2 * ASIDE + 1)


def typical(budget: ApproxDP) -> float:
    """Return about the order that decides, less 1."""
    return TYPICAL * log(1 / budget.delta) / budget.epsilon


def orders(budget: ApproxDP, most: float) -> Array:
    """Return many orders up to 1 + most, those that decide among them."""
    highest = min(HIGHEST, most)
    lowest = max(SMALLEST, min(LOWEST * highest, BELOW * typical(budget)))
    return 1 + np.geomspace(lowest, highest, ORDERS)


@frozen
class Convex:
    """A hockey stick of a pair that is as its exchange: known at e ≥ 0, between them linear in e^e.

    It is convex in e^e, as any hockey stick.
    """

    width: float
    heights: Sequence[float]

    def __call__(self, e: float) -> float:
        if e < 0:
            return min(1.0, -expm1(e) + exp(e) * self(-e))
        cell = int(min(e / self.width, len(self.heights) - 1))
        low, high = (self.heights[min(at, len(self.heights) - 1)] for at in (cell, cell + 1))
        return low + (high - low) * min(1.0, expm1(e - cell * self.width) / expm1(self.width))


def from_gammas(distance: float, rows: float, line: bool, rho: float, budget: ApproxDP) -> Convex:
    """Return the hockey stick of gamma variables of `rows` degrees, scales e^g and e^-g against 1, and steps.

    On a line there is one variable, of either scale. The steps are Gaussian mechanisms, ρ-zCDP together.
    Every loss is rounded up to a lattice, every probability up, those that are taken off down.
    """
    shift, unit, mu = distance * rows / 2, expm1(distance) / 2, sqrt(2 * rho)
    low, high = unit * chdtri(rows, np.array([1 - LOWEST_LOSSES, UNSEEN * budget.delta])) - shift
    far = -float(ndtri(UNSEEN * budget.delta))
    spans = ((low, high), (mu * (mu / 2 + float(ndtri(LOWEST_LOSSES))), mu * (mu / 2 + far)))
    width = max(WIDTH / typical(budget), *((high - low) / MOST_CELLS for low, high in spans))

    def one(first: int, last: int) -> Array:
        places = np.arange(first, last + 1) * width
        smaller = _of_gamma(-distance, rows, places)
        return np.maximum(smaller, _of_gamma(distance, rows, places)) if line else smaller

    made: Lattice = one
    if not line:
        made = _mixed(
            made, lambda losses: chdtrc(rows, np.maximum(losses + shift, 0.0) / unit), spans[0], width
        )
    if rho > 0:
        made = _mixed(made, lambda losses: ndtr(mu / 2 - losses / mu), spans[1], width)
    return Convex(width, np.minimum(made(0, ceil(REACH * budget.epsilon / width)), 1.0).tolist())


def _of_gamma(log_scale: float, rows: float, places: Array) -> Array:
    """Return the hockey stick of one gamma variable against that of scale 1."""
    beyond = chdtrc if log_scale > 0 else chdtr
    reach = 2 * places + log_scale * rows
    first, second = (
        beyond(rows, np.maximum(reach / by, 0.0)) for by in (expm1(log_scale), -expm1(-log_scale))
    )
    return np.maximum(first * HIGHER - np.exp(np.minimum(places, LARGEST)) * second / HIGHER, 0.0)


def _mixed(stick: Lattice, beyond: RowMap, span: tuple[float, float], width: float) -> Lattice:
    """Return the hockey stick with one more loss, whose chance to lie beyond a number is given."""
    start, end = floor(span[0] / width), ceil(span[1] / width)
    chances: Array = beyond(np.arange(start, end + 1, dtype=np.float64) * width) * HIGHER + TINY

    def mixed(first: int, last: int) -> Array:
        inner = np.maximum.accumulate(stick(first - end, last - start)[::-1] + TINY)[::-1]
        more = np.convolve(inner[:-1] - inner[1:], chances[:-1], "valid")
        return inner[end - start :] + more + chances[-1]

    return mixed


def require_events(budget: ApproxDP) -> None:
    """Raise where δ is too small for the floats of (b)."""
    if not budget.delta >= LEAST_DELTA:
        raise ArgumentError("delta", budget.delta, f"at least {LEAST_DELTA:g}")


def ramp(stick: Divergence, budget: ApproxDP, most: int) -> Floats:
    """Return p(0), .., p(most), every one nearly the largest that (a) and (b) allow; nothing without (c).

    Each is a multiple of 2^-53, so that a uniform number of as many bits is below it with that probability.
    """
    return tuple(islice(rising(stick, budget), most + 1))


def rising(stick: Divergence, budget: ApproxDP) -> Iterator[float]:
    """Yield p(0), p(1), .. of `ramp` without end; nothing without (c)."""
    rise = Rise(stick, budget)
    if not stick(budget.epsilon) <= rise.left:
        return
    yield 0.0
    p, before, hint = _rounded(rise.left), 0.0, FIRST
    while True:
        yield p
        if p != before:
            before, (p, hint) = p, rise.next(p, hint)


def falling_ramp(sticks: Sequence[Divergence], budget: ApproxDP) -> Floats:
    """Return p(0), .., p(T) for hockey sticks H_1 ≥ .. ≥ H_T, H_h of neighbours with h or more.

    As `ramp`, with H_h in (a) and (b), and in the place of (c) p(h) H_h(ε) ≤ δ at every h: where there is too
    little noise p stays where it is.
    """
    chances = tuple(rising_slowly(sticks, budget))
    known = zip(chances[1:], sticks, strict=True)
    assert all(p * stick(budget.epsilon) <= _left(budget) for p, stick in known), "the sticks fall"
    return chances


def rising_slowly(sticks: Iterable[Divergence], budget: ApproxDP) -> Iterator[float]:
    """Yield p(0), p(1), .. of `falling_ramp`."""
    left, hint = _left(budget), FIRST
    p = _rounded(left)
    yield 0.0
    yield p
    for stick, above in pairwise(sticks):
        rise, most = Rise(stick, budget), left / max(above(budget.epsilon), left)
        q, hint = rise.next(p, hint)
        found = min(q, _rounded(most))
        p = found if found > p and rise.allows(p, found) else p
        yield p


def answering(stick: Callable[[float], Divergence], budget: ApproxDP, most: int, silent: float) -> Excess:
    """Return the excess of the ramp of the mask of a number over 1 - silent."""
    return lambda number: excess(islice(rising(stick(number), budget), most + 1), most, silent)


def excess(chances: Iterable[float], most: int, silent: float) -> float:
    """Return about by how much the log odds of p(T) exceed those of 1 - silent; negative if p(T) is below.

    A ramp that reaches it sooner is thought to go on as it rose.
    """
    wanted, before = _log_odds(1 - silent), 0.0
    for h, p in enumerate(chances):
        if p >= 1 - silent:
            return max(0.0, _log_odds(p) - wanted + (most - h) * (_log_odds(p) - _log_odds(before)))
        before = p
    return min(_log_odds(before) - wanted, -1 / BITS)


def _log_odds(chance: float) -> float:
    return log(max(chance, 1 / BITS) / max(1 - chance, 1 / BITS))


def largest(excess: Excess, start: float, like: object) -> float:
    """Return the largest number that answers, to a thousandth and from below, or 0 if it is far too small."""
    if not start > 0:
        return 0.0
    return replayed(lambda ask: narrowed(ask, *_bracket(ask, start)), excess, start, like, rises=False)[0]


def replayed(search: Search, excess: Excess, start: float, like: object, rises: bool) -> tuple[float, float]:
    """Return the ends of a search by whether an excess is negative; it rises or falls with the number.

    Where it is 0 is guessed by secants, and the ends of the search by a guess are asked for, until they
    answer all but what is so near to them that rounding may decide. `like` names searches that end about as
    far from their start: what is guessed decides what is asked, never what is found.
    """
    low, high = 0.0, inf
    asked: dict[float, float] = {}

    def known(number: float) -> bool:
        return number in asked or not low / BESIDE < number < high * BESIDE

    def answers(number: float) -> bool:
        nonlocal low, high
        if not known(number):
            asked[number] = excess(number)
            below = (asked[number] < 0) == rises
            low, high = (max(low, number), high) if below else (low, min(high, number))
        return asked[number] >= 0 if number in asked else (number >= high) == rises

    offset, slope = _ended.get(like, (0.0, STEEP if rises else -STEEP))
    guess = start * exp(offset)

    def guessed(number: float) -> bool:
        return (number >= guess) == rises

    while unknown := [end for end in search(guessed) if end > 0 and not known(end)]:
        answers(unknown[0])
        guess, slope = _zero(asked, slope)
        if not low < guess < high:
            guess = sqrt((low or high * exp(-LONGEST)) * (high if high < inf else low * exp(LONGEST)))
    _ended[like] = log(guess / start), slope
    return search(answers)


def _zero(asked: dict[float, float], slope: float) -> tuple[float, float]:
    """Return about where a function is 0, and its slope there in logarithms of what was asked."""
    near = sorted(asked, key=lambda number: abs(asked[number]))[:2]
    if len(near) > 1:
        found = (asked[near[1]] - asked[near[0]]) / log(near[1] / near[0])
        slope = found if found * slope > 0 else slope / 2  # far away it is flat
    return near[0] * exp(max(-LONGEST, min(LONGEST, -asked[near[0]] / slope))), slope


_ended: dict[object, tuple[float, float]] = {}


def narrowed(answers: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """Return two close numbers of which the lower one answers and the other one does not, as at first."""
    while high > CLOSE * low > 0:
        middle = sqrt(low * high)
        low, high = (middle, high) if answers(middle) else (low, middle)
    return low, high


def _bracket(answers: Callable[[float], bool], start: float) -> tuple[float, float]:
    """Return a number that answers, and one above it that does not; (0, 0) if none is far too small."""
    factor, rises = 1.02, answers(start)
    low = high = start
    while answers(high) if rises else not answers(low):
        if low < LEAST * start:
            return 0.0, 0.0
        low, high = (high, high * factor) if rises else (low / factor, low)
        factor *= factor
    return low, high


class Rise:
    """How chances of an answer may rise by (a) and (b) with a mask of this hockey stick."""

    def __init__(self, stick: Divergence, budget: ApproxDP) -> None:
        self.stick, self.epsilon, self.left = stick, budget.epsilon, _left(budget)
        self.growth = exp(min(budget.epsilon, LARGEST))

    def allows(self, p: float, q: float) -> bool:
        # without its silent part (b) follows from (a), as sticks fall
        silent = (1 - p) > self.growth * (1 - q) or q < p * APPRECIABLE
        return self.rises(p, q) and (not silent or self.stays(p, q))

    def rises(self, p: float, q: float) -> bool:
        rise = log(q / p)
        return q * self.stick(self.epsilon - OFF * (self.epsilon + rise) - rise) <= self.left  # sticks fall

    def stays(self, p: float, q: float) -> bool:
        rise, silent = log(q / p), max(0.0, (1 - p) - self.growth * (1 - q))
        return silent + p * self.stick(self.epsilon - OFF * (self.epsilon + rise) + rise) <= self.left

    def next(self, p: float, hint: Hint) -> tuple[float, Hint]:
        """Return nearly the largest q in [p, 1] that follows p, and a hint of the next; p may always follow.

        It is where a bisection ends. A guess answers all of its questions but those beside it; it is given up
        if what lies above it may follow, or what is found may not.
        """
        high = min(1.0, self.growth * p + self.left)  # no true hockey stick allows more
        q, hint = self.guess(p, high, hint)
        below, above = q * (1 - CLOSER), q * (1 + CLOSER)
        if above < high and not self.allows(p, above):
            found = self.bisected(p, high, below, above)
            if found > p and self.allows(p, found):
                return found, hint
        if self.rises(p, high):
            if self.allows(p, 1.0):
                return 1.0, hint
            high = 1.0 if self.stays(p, high) else high
        found = self.bisected(p, high, p, high)
        return found if found > p and self.allows(p, found) else p, hint

    def bisected(self, p: float, high: float, below: float, above: float) -> float:
        """Return where a bisection ends if all up to `below` may follow, and none from `above` on."""
        low = p
        while high > (1 + NEAR) * low:
            middle = (low + high) / 2
            if middle <= below or (middle < above and self.allows(p, middle)):
                low = middle
            else:
                high = middle
        return _rounded(low)

    def guess(self, p: float, high: float, hint: Hint) -> tuple[float, Hint]:
        """Return about the largest q in [p, high] with (a) and (b), by secants between bounds of ln(q/p)."""
        (start, slope), most, low, far = hint, self.left / p, 0.0, log(high / p)
        x, last, before = min(start, far) if start > 0 else far / 2, inf, 0.0
        for _ in range(GUESSES):
            height = self.stick(self.epsilon - x)
            over = log(height / most) + x if height > 0 else -inf
            low, far = (low, x) if over > 0 else (x, far)
            if -inf < over != last < inf:
                slope = (over - last) / (x - before)
            before, last = x, over
            x -= over / slope
            x = x if low <= x <= far else (low + far) / 2
            if abs(x - before) <= CLOSER / 10:
                break
        q = min(high, p * exp(x))
        for _ in range(2):  # (b), in which the stick hardly depends on q
            if q > p and (1 - p) > self.growth * (1 - q):
                stays = p * self.stick(self.epsilon + log(q / p))
                q = min(q, 1 - ((1 - p) + stays - self.left) / self.growth)
        return q, (2 * x - start, slope)


def _left(budget: ApproxDP) -> float:
    require_events(budget)
    return budget.delta * (1 - RELATIVE) - ABSOLUTE


def _rounded(chance: float) -> float:
    return floor(chance * BITS) / BITS
