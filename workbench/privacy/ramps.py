"""A test of stability and the mask of what passed it, priced together.

A count h of a data set moves by 1 at most when a row is replaced. A run answers with probability p(h), a
public sequence p(0) = 0 < p(1) ≤ .. ≤ p(T), and then shows a noisy value; where h, h' ≥ 1, the two noisy
values have a hockey-stick divergence of at most H(e) at every real e. With ρ = ln(p(h + 1)/p(h)) it is
(ε, δ)-DP if

    (a) p(h + 1) H(ε - ρ) ≤ δ                                              p(1) ≤ δ for h = 0
    (b) max(0, 1 - p(h) - e^ε (1 - p(h + 1))) + p(h) H(ε + ρ) ≤ δ
    (c) H(ε) ≤ δ

Basic composition pays ε for the test and for the mask; here the two share it: while p grows by nearly e^ε a
step, the mask costs hardly anything, and where p is near 1 the mask has all of it.
Proof: `proofs/tested_masks.md`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, floor, log

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
NEAR = 1e-8  # of the largest chance that may follow, how near it is found
LARGEST = 700.0  # of an ε that floats have the exponential of; a smaller one in its place is safe


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


def require_events(budget: ApproxDP) -> None:
    """Raise where δ is too small for the floats of (b)."""
    if not budget.delta >= LEAST_DELTA:
        raise ArgumentError("delta", budget.delta, f"at least {LEAST_DELTA:g}")


def ramp(stick: Divergence, budget: ApproxDP, most: int) -> tuple[float, ...] | None:
    """Return p(0), .., p(most), every one nearly the largest that (a) and (b) allow; None without (c).

    Each is a multiple of 2^-53, so that a uniform number of as many bits is below it with that probability.
    """
    require_events(budget)
    left = budget.delta * (1 - RELATIVE) - ABSOLUTE
    if not stick(budget.epsilon) <= left:
        return None
    chances = [0.0, _rounded(left)]
    while len(chances) <= most:
        chances.append(_next(stick, budget.epsilon, left, chances[-1]))
    return tuple(chances[: most + 1])


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


def within(stick: Divergence, budget: ApproxDP, chances: Sequence[float]) -> bool:
    """Tell whether a sequence keeps (a) to (c), with room for the rounding of their terms."""
    epsilon, left = budget.epsilon, budget.delta * (1 - RELATIVE) - ABSOLUTE
    steps = pairwise(chances[1:])
    starts = chances[0] == 0.0 and chances[1] <= left and stick(epsilon) <= left
    return starts and all(_allowed(stick, epsilon, left, p, q) for p, q in steps)


def _allowed(stick: Divergence, epsilon: float, left: float, p: float, q: float) -> bool:
    rise = log(q / p)
    silent = max(0.0, (1 - p) - exp(min(epsilon, LARGEST)) * (1 - q))
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
