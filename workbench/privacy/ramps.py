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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from math import exp, expm1, floor, log, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.privacy.budget import ApproxDP
from workbench.types import Array

Divergence = Callable[[float], float]
"""An upper bound of the hockey-stick divergence at every real e; it falls."""

CELLS = 600  # of a tabulated hockey stick
LEAST_DELTA = 1e-13  # below it the floats of (b) cancel
RELATIVE, ABSOLUTE = 1e-9, 4e-15  # of δ, what rounding in (a) to (c) may take
BITS = 2.0**53
OFF = 2.0**-51  # of ε ± ρ: what their rounding may take, which a large ε makes more than a δ
NEAR = 1e-8  # of the largest chance that may follow, how near it is found
LARGEST = 700.0  # of an ε that floats have the exponential of; a smaller one in its place is safe
LEAST, CLOSE = 1e-9, 1.001  # of what is searched, and how near it is found
TYPICAL = 1.3  # times ln(1/δ)/ε: about the order that decides, less 1
ORDERS, HIGHEST, LOWEST = 1000, 1e5, 1e-4  # orders less 1: the last relative to the highest, or
BELOW = 1 / 20  # of a typical one, if that is less
FEW, APART = 200, 50.0  # the same for masks alone: this factor and less from a typical one


@dataclass(frozen=True)
class Pure:
    """The largest hockey stick of a pair that is ε-DP in both directions."""

    epsilon: float

    def __call__(self, e: float) -> float:
        """Return it at e."""
        if e >= self.epsilon:
            return 0.0
        if e <= -self.epsilon:
            return -expm1(e)
        return -expm1(e - self.epsilon) / (1 + exp(-self.epsilon))


@dataclass(frozen=True)
class Tabulated:
    """A hockey stick of Rényi divergences: in every cell of ±reach with the order that is best at its left.

    `logs` are the logarithms there, `falls` what they fall by in a unit of e: order less 1.
    """

    reach: float
    logs: Array
    falls: Array

    def __call__(self, e: float) -> float:
        """Return a bound at e."""
        if e < -self.reach:
            return 1.0
        cell = min(int((e / self.reach + 1) * CELLS / 2), CELLS)
        left = self.reach * (2 * cell / CELLS - 1)
        return exp(min(0.0, self.logs[cell] - self.falls[cell] * (e - left)))


def from_renyi(orders: Array, divergences: Array, epsilon: float) -> Tabulated:
    """Return the hockey stick of Rényi divergences R_α by order, for pairs near ε.

    At most (1/α)(1 - 1/α)^(α - 1) e^((α - 1)(R_α - e)), of any α (Canonne, Kamath & Steinke 2020).
    """
    reach, falls = 4 * epsilon, orders - 1
    heights = falls * divergences + falls * np.log1p(-1 / orders) - np.log(orders)
    logs = heights - falls * np.linspace(-reach, reach, CELLS + 1)[:, None]
    best = logs.argmin(axis=1)
    return Tabulated(reach, logs[np.arange(CELLS + 1), best], falls[best])


def typical(budget: ApproxDP) -> float:
    """Return about the order that decides, less 1."""
    return TYPICAL * log(1 / budget.delta) / budget.epsilon


def orders(budget: ApproxDP, most: float) -> Array:
    """Return many orders up to 1 + most, those that decide among them."""
    highest = min(HIGHEST, most)
    return 1 + np.geomspace(min(LOWEST * highest, BELOW * typical(budget)), highest, ORDERS)


def few_orders(budget: ApproxDP, most: float = np.inf) -> Array:
    """Return fewer of them, enough for one mask alone."""
    highest = min(APART * typical(budget), most)
    return 1 + np.geomspace(min(typical(budget) / APART, highest / APART), highest, FEW)


def require_events(budget: ApproxDP) -> None:
    """Raise where δ is too small for the floats of (b)."""
    if not budget.delta >= LEAST_DELTA:
        raise ArgumentError("delta", budget.delta, f"at least {LEAST_DELTA:g}")


def ramp(stick: Divergence, budget: ApproxDP, most: int) -> tuple[float, ...] | None:
    """Return p(0), .., p(most), every one nearly the largest that (a) and (b) allow; None without (c).

    Each is a multiple of 2^-53, so that a uniform number of as many bits is below it with that probability.
    """
    chances = tuple(islice(rising(stick, budget), most + 1))
    return chances or None


def rising(stick: Divergence, budget: ApproxDP) -> Iterator[float]:
    """Yield p(0), p(1), .. of `ramp` without end; nothing without (c)."""
    require_events(budget)
    left = budget.delta * (1 - RELATIVE) - ABSOLUTE
    if not stick(budget.epsilon) <= left:
        return
    yield 0.0
    p, before = _rounded(left), 0.0
    while True:
        yield p
        p, before = p if p == before else _next(stick, budget.epsilon, left, p), p


def falling_ramp(sticks: Sequence[Divergence], budget: ApproxDP) -> tuple[float, ...]:
    """Return p(0), .., p(T) for hockey sticks H_1 ≥ .. ≥ H_T, H_h of neighbours with h or more.

    As `ramp`, with H_h in (a) and (b), and in the place of (c) p(h) H_h(ε) ≤ δ at every h: where there is too
    little noise p stays where it is.
    """
    require_events(budget)
    left, epsilon = budget.delta * (1 - RELATIVE) - ABSOLUTE, budget.epsilon
    chances = [0.0, _rounded(left)]
    for stick, above in pairwise(sticks):
        p, most = chances[-1], left / max(above(epsilon), left)
        found = min(_next(stick, epsilon, left, p), _rounded(most))
        chances.append(found if found > p and _allowed(stick, epsilon, left, p, found) else p)
    known = zip(chances[1:], sticks, strict=True)
    assert all(p * stick(epsilon) <= left for p, stick in known), "the sticks fall"
    return tuple(chances)


def answering(
    stick: Callable[[float], Divergence], budget: ApproxDP, most: int, silent: float
) -> Callable[[float], bool]:
    """Return what tells whether the mask of a number has a ramp up to 1 - silent."""

    def answers(number: float) -> bool:
        chances = ramp(stick(number), budget, most)
        return chances is not None and chances[-1] >= 1 - silent

    return answers


def largest(answers: Callable[[float], bool], start: float) -> float:
    """Return the largest number that answers, to a thousandth and from below, or 0 if it is far too small."""
    return narrowed(answers, *_bracket(answers, start))[0] if start > 0 else 0.0


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


def within(stick: Divergence, budget: ApproxDP, chances: Sequence[float]) -> bool:
    """Tell whether a sequence keeps (a) to (c), with room for the rounding of their terms."""
    epsilon, left = budget.epsilon, budget.delta * (1 - RELATIVE) - ABSOLUTE
    steps = pairwise(chances[1:])
    starts = chances[0] == 0.0 and chances[1] <= left and stick(epsilon) <= left
    return starts and all(_allowed(stick, epsilon, left, p, q) for p, q in steps)


def _allowed(stick: Divergence, epsilon: float, left: float, p: float, q: float) -> bool:
    rise = log(q / p)
    silent = max(0.0, (1 - p) - exp(min(epsilon, LARGEST)) * (1 - q))
    epsilon -= OFF * (epsilon + rise)  # sticks fall
    return q * stick(epsilon - rise) <= left and silent + p * stick(epsilon + rise) <= left


def _next(stick: Divergence, epsilon: float, left: float, p: float) -> float:
    """Return nearly the largest q in [p, 1] that follows p; p itself may always follow."""
    if _allowed(stick, epsilon, left, p, 1.0):
        return 1.0
    low, high = p, min(1.0, exp(min(epsilon, LARGEST)) * p + left)  # no true hockey stick allows more
    high = 1.0 if _allowed(stick, epsilon, left, p, high) else high
    while high > (1 + NEAR) * low:
        middle = (low + high) / 2
        low, high = (middle, high) if _allowed(stick, epsilon, left, p, middle) else (low, middle)
    found = _rounded(low)
    return found if found > p and _allowed(stick, epsilon, left, p, found) else p


def _rounded(chance: float) -> float:
    return floor(chance * BITS) / BITS
