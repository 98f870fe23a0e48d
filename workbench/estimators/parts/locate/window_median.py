"""The window-median mechanism: a private point of the line near which most of the data lie.

For the p points y_i that are there, of n, widths `left` and `right`, and a position t of a public lattice:

    L(t) = #{y_i ≤ t},    O(t) = #{y_i with t outside [y_i - right, y_i + left)},
    m(t) = max(|p - 2 L(t)| / 2, O(t))              sensitivity 1 under replace-one

    with a range:      probability ∝ e^(-ε m(t)/2) on [low, high)
    without a range:   the same on {t : O(t) ≤ p - 1}, and a bottom of weight B e^(-ε (p - 1)/2),
                       B = (the most points that a window holds) (1 - δ)/δ

The depth term gives the precision of a private median, the window term doubles the penalty of a place far
from the data. With a range: ε-DP, and of a log-likelihood ratio of range ε, whose zCDP is that of
`zcdp_from_bounded_range`. Without: (ε, δ)-DP, and that zCDP with δ. A draw chooses a piece of equal score,
by whole numbers (`parts.locate.lattice`), then a point of it. Proof: `proofs/univariate.md`, section 1. No
source states it.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, inf, log

import numpy as np

from workbench.errors import ArgumentError, positive
from workbench.estimators.base import FARTHEST
from workbench.estimators.parts.locate.lattice import Lengths, number, place, rounded, step_for
from workbench.estimators.parts.rows import present
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, NoiseSource, PureDP
from workbench.privacy.concentrated import bounded_range_epsilon
from workbench.privacy.grid import Integers, OnGrid
from workbench.privacy.mechanisms import exponential
from workbench.types import Array

EVERYTHING = 4 * FARTHEST  # a window of this width holds every point


@dataclass(frozen=True)
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
        """The score, without its sign."""
        return np.asarray(self.twice / 2)

    def log_length(self) -> Array:
        """Return the log lengths, -inf for empty and for void pieces."""
        lengths = np.diff(self.edges)
        lengths[self.void] = 0.0
        return np.log(lengths, out=np.full(len(lengths), -inf), where=lengths > 0)


@dataclass(frozen=True, kw_only=True)
class WindowMedian:
    """The mechanism for given widths and, if both `low` and `high` are given, a range of positions.

    Points must lie within ±1e15; a point at -inf is left of every position and outside every window. One that
    is absent, NaN, is no point: p of n are.
    """

    left: float
    right: float
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        positive(left=self.left, right=self.right)
        if (self.low is None) != (self.high is None):
            raise ArgumentError("high", self.high, "a number if and only if low is one")
        if self.low is not None and self.high is not None:
            positive(**{"high - low": self.high - self.low})
            if max(-self.low, self.high) > FARTHEST:
                raise ArgumentError("(low, high)", (self.low, self.high), "a range within ±1e15")

    def charge(self, step: str, cost: Budget) -> Charge:
        """Return the charge of one draw; the score has sensitivity 1."""
        match cost, self.low:
            case (PureDP() | ZCDP(_, 0.0), float() | int()):
                return Charge(step, "window_median", 1.0, cost)
            case (ApproxDP() | ZCDP(), None) if cost.delta > 0:
                return Charge(step, "window_median", 1.0, cost)
        unbounded, ranged = "ApproxDP or ZCDP with delta > 0", "PureDP or ZCDP with delta = 0"
        raise ArgumentError("budget", cost, unbounded if self.low is None else ranged)

    @cached_property
    def step(self) -> float:
        """The step of the lattice."""
        window = min(self.left + self.right, 2 * EVERYTHING)  # ends that are cut off are on the lattice
        if self.low is None or self.high is None:
            return step_for(window)
        return step_for(min(window, self.high - self.low))

    @property
    def window(self) -> float:
        """A bound on the length of a point's window: both its ends are rounded to floats."""
        furthest = min(FARTHEST + max(self.left, self.right), EVERYTHING)
        return self.left + self.right + float(np.spacing(furthest))

    def pieces(self, points: Array) -> Pieces:
        """Return the score as 3n ± 1 pieces, a number that does not depend on the data; not private."""
        n, p, points = len(points), int(present(points).sum()), np.sort(rounded(points, self.step))
        left, right = rounded(np.array([self.left, self.right]), self.step)
        inside, none, there = np.isfinite(points).astype(np.int8), np.zeros(n, np.int8), np.arange(n) < p
        points[p:] = EVERYTHING  # the last ones: events at which nothing happens
        events = np.concatenate([points - right, points, points + left])
        np.clip(events, -EVERYTHING, EVERYTHING, out=events)  # finite lengths
        order = np.argsort(events, kind="stable")
        edges = events[order]
        in_window = np.cumsum(np.concatenate([inside, none, -inside])[order], dtype=np.int64)
        to_left = np.cumsum(np.concatenate([none, there.astype(np.int8), none])[order], dtype=np.int64)
        if self.low is not None:
            low, high = rounded(np.array([self.low, self.high]), self.step)
            edges = np.concatenate([[low], np.clip(edges, low, high, out=edges), [high]])
            in_window, to_left = np.append(0, in_window), np.append(0, to_left)
        else:
            in_window, to_left = in_window[:-1], to_left[:-1]
        void = in_window == 0 if self.low is None else np.zeros(len(in_window), bool)
        twice = np.abs(p - 2 * to_left)
        np.maximum(twice, 2 * (p - in_window), out=twice)
        return Pieces(edges, twice, void, p)

    def draw(self, points: Array, charge: Charge, noise: NoiseSource) -> float | None:
        """Return a private position, or None for the bottom (only without a range)."""
        charge = self.charge(charge.step, charge.cost)
        pieces = self.pieces(points)
        scores, weights = self.choices(pieces, charge.cost)
        score = Charge(charge.step, "exponential", charge.sensitivity, PureDP(selection_epsilon(charge.cost)))
        chosen = exponential(scores, score, noise, weights)
        if chosen == len(pieces.twice):
            return None
        first, end = (number(float(edge), self.step) for edge in pieces.edges[chosen : chosen + 2])
        return place(first + noise.below(end - first), self.step)

    def choices(self, pieces: Pieces, cost: Budget) -> tuple[OnGrid, Lengths]:
        """Return scores and weights of the pieces and, without a range, of the bottom behind them."""
        if self.low is not None:
            return OnGrid(-pieces.twice, 0.5), Lengths(pieces.edges, pieces.void, self.step)
        scores = -np.append(pieces.twice, 2 * (pieces.points - 1))
        return OnGrid(scores, 0.5), Lengths(pieces.edges, pieces.void, self.step, self.bottom(cost))

    def bottom(self, cost: Budget) -> int:
        """Return B, rounded up to a whole number."""
        delta = Fraction(getattr(cost, "delta", 0.0))
        return ceil(Fraction(self.window) / Fraction(self.step) * (1 - delta) / delta)

    def log_bottom(self, cost: Budget) -> float:
        """Return ln M: what the bottom weighs at a score of -n, in the unit of the points."""
        return log(self.bottom(cost)) + log(self.step) + selection_epsilon(cost) / 2

    def log_measure(self, cost: Budget) -> float:
        """Return the log of the length of the range or, without one, ln M, which acts as its length."""
        if self.low is not None and self.high is not None:
            return log(self.high - self.low)
        return self.log_bottom(cost)


def selection_epsilon(cost: Budget) -> float:
    """Return ε of the score's exponential law: itself, or the range that ρ allows."""
    match cost:
        case PureDP(epsilon) | ApproxDP(epsilon, _):
            return epsilon
        case ZCDP(rho, _):
            return bounded_range_epsilon(rho)
    raise ArgumentError("cost", cost, "PureDP, ApproxDP or ZCDP")
