"""The window-median mechanism: a private point of the line near which most of the data lie.

For points y_1 .. y_n, a position t, widths `left` and `right`:

    L(t) = #{y_i < t},    O(t) = #{y_i outside [t - left, t + right]},
    m(t) = max(|n - 2 L(t)| / 2, O(t))              sensitivity 1 under replace-one

    with a range:      density ∝ e^(-ε m(t)/2) on [low, high]
    without a range:   the same on {t : O(t) ≤ n - 1}, and a bottom of weight M e^(-ε n/2),
                       M = (left + right) e^(ε/2) (1 - δ)/δ

The depth term gives the precision of a private median, the window term doubles the penalty of a place far
from the data. With a range: ε-DP and ε²/8-zCDP. Without: (ε, δ)-DP and δ-approximate ε²/8-zCDP. Proof:
`proofs/univariate.md`, section 1. No source states it.
"""

from dataclasses import dataclass
from math import inf, log, log1p

import numpy as np

from workbench.errors import ArgumentError, positive
from workbench.estimators.base import FARTHEST
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, NoiseSource, PureDP
from workbench.privacy.conversions import bounded_range_epsilon
from workbench.privacy.mechanisms import exponential
from workbench.types import Array

EVERYTHING = 4 * FARTHEST  # a window of this width holds every point
ROUNDING = float(np.spacing(FARTHEST))  # at most this much longer is a float window


@dataclass(frozen=True)
class Pieces:
    """A piecewise constant score: piece j is [edges[j], edges[j+1]] with score -penalty[j], unless void."""

    edges: Array
    penalty: Array
    void: np.ndarray

    def log_length(self) -> Array:
        """Return the log lengths, -inf for empty and for void pieces."""
        lengths = np.diff(self.edges)
        lengths[self.void] = 0.0
        return np.log(lengths, out=np.full(len(lengths), -inf), where=lengths > 0)


@dataclass(frozen=True, kw_only=True)
class WindowMedian:
    """The mechanism for given widths and, if both `low` and `high` are given, a range of positions.

    Points must lie within ±1e15; a point at -inf is left of every position and outside every window.
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

    def pieces(self, points: Array) -> Pieces:
        """Return the score as 3n ± 1 pieces, a number that does not depend on the data; not private."""
        n, points = len(points), np.sort(points)
        inside, none = np.isfinite(points).astype(np.int8), np.zeros(n, np.int8)
        events = np.concatenate([points - self.right, points, points + self.left])
        np.clip(events, -EVERYTHING, EVERYTHING, out=events)  # finite lengths
        order = np.argsort(events, kind="stable")
        edges = events[order]
        in_window = np.cumsum(np.concatenate([inside, none, -inside])[order], dtype=np.int64)
        to_left = np.cumsum(np.concatenate([none, none + 1, none])[order], dtype=np.int64)
        if self.low is not None:
            edges = np.concatenate([[self.low], np.clip(edges, self.low, self.high, out=edges), [self.high]])
            in_window, to_left = np.append(0, in_window), np.append(0, to_left)
        else:
            in_window, to_left = in_window[:-1], to_left[:-1]
        void = in_window == 0 if self.low is None else np.zeros(len(in_window), bool)
        penalty = np.abs(n - 2 * to_left)
        np.maximum(penalty, 2 * (n - in_window), out=penalty)
        return Pieces(edges, penalty / 2, void)

    def draw(self, points: Array, charge: Charge, noise: NoiseSource) -> float | None:
        """Return a private position, or None for the bottom (only without a range)."""
        charge = self.charge(charge.step, charge.cost)
        pieces, epsilon = self.pieces(points), selection_epsilon(charge.cost)
        penalty, log_base = pieces.penalty, pieces.log_length()
        if self.low is None:
            penalty = np.append(penalty, len(points))
            log_base = np.append(log_base, self.log_bottom(charge.cost))
        score = Charge(charge.step, "exponential", charge.sensitivity, PureDP(epsilon))
        chosen = exponential(-penalty, score, noise, np.exp(log_base))
        if chosen == len(pieces.penalty):
            return None
        return noise.uniform(float(pieces.edges[chosen]), float(pieces.edges[chosen + 1]))

    def log_bottom(self, cost: Budget) -> float:
        """Return ln M."""
        epsilon, delta = selection_epsilon(cost), getattr(cost, "delta", 0.0)
        return log(self.left + self.right + ROUNDING) + epsilon / 2 + log1p(-delta) - log(delta)

    def log_measure(self, cost: Budget) -> float:
        """Return the log of the length of the range or, without one, ln M, which acts as its length."""
        if self.low is not None and self.high is not None:
            return log(self.high - self.low)
        return self.log_bottom(cost)


def selection_epsilon(cost: Budget) -> float:
    """Return ε of the score's exponential law: itself, or √(8ρ) under zCDP."""
    match cost:
        case PureDP(epsilon) | ApproxDP(epsilon, _):
            return epsilon
        case ZCDP(rho, _):
            return bounded_range_epsilon(rho)
    raise ArgumentError("cost", cost, "PureDP, ApproxDP or ZCDP")
