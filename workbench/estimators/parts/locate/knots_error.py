"""How far cuts are from the quantiles of normal rows: predicted, and bounded.

Predicted: ranks are off by a normal vector, of the covariance that `parts.locate.knots` predicts and of that
of the rows themselves; the largest error over all levels is simulated with public numbers. Nothing is
predicted where a place may leave the data:

    n q ε_1/2 < ln(V/w) + ln 20, q the level next to 0 or 1, or (n - n q) ε_1/2 < K ln(V/w)

Bounded: with probability 1 - β every rank is off by at most E, E of a level of the tree being

    3 E' + K h + (2/ε)(Σ_k ln(V/|J_k|) - ln K! + ln(2 nodes/β))        E' that of the level above

J_k the places whose rank is within h of the wanted one, by Dvoretzky, Kiefer, Wolfowitz and Massart. Proof:
`proofs/quantiles.md`, section 5.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import inf, lgamma, log, sqrt
from typing import Any

import numpy as np

from workbench.estimators.parts.locate.cutting import Cutting
from workbench.estimators.parts.locate.knots import Segment, Tree
from workbench.estimators.parts.locate.law import uniform_deviation
from workbench.estimators.parts.locate.window_median import selection_epsilon
from workbench.privacy import Plan
from workbench.special import ndtri
from workbench.types import Array

RUNS, SEED = 4000, 22
WIDTH = 0.05  # of the data near a quantile, in standard deviations, as an escape sees it
FARTHEST_MEAN = 1e6  # of rows anywhere, in standard deviations from the centre
SLACKS = np.geomspace(1.0, 1e6, 61)  # h that are tried


@dataclass(frozen=True)
class Foresight:
    """A cutting of n normal rows, the levels that are wanted, and the plan that pays for it."""

    cutting: Cutting
    levels: tuple[float, ...]
    n: int
    plan: Plan
    anywhere: bool

    @property
    def strengths(self) -> list[float]:
        """ε of every level of the tree."""
        return [selection_epsilon(charge.cost) for charge in self.plan.charges()]

    def predicted(self) -> float:
        """Return the median of the largest error, in standard deviations."""
        if self.escapes():
            return inf
        wanted = ndtri(np.array(self.levels))
        ranks = self.cutting.levels + self.rank_errors() / self.n
        z = ndtri(np.where((ranks > 0) & (ranks < 1), ranks, np.nan))
        places = np.arcsinh(z) if self.anywhere else z
        between = np.array([np.interp(self.levels, self.cutting.levels, one) for one in places])
        found = np.sinh(between) if self.anywhere else between
        errors = np.abs(found - wanted).max(axis=1)
        return float(np.median(np.where(np.isnan(errors), inf, errors)))

    def rank_errors(self) -> Array:
        """Return simulated errors of all ranks, those of the rows included."""
        levels = np.array(self.cutting.levels)
        factor = noise_factor(self.cutting.levels, self.cutting.tree) / self.strengths[0]
        rows = np.linalg.cholesky(np.minimum.outer(levels, levels) - np.outer(levels, levels))
        both = np.hstack([factor, sqrt(self.n) * rows])
        return np.asarray(np.random.default_rng(SEED).standard_normal((RUNS, both.shape[1])) @ both.T)

    def escapes(self) -> bool:
        """Whether a place may well be drawn far from the data."""
        room, epsilon = log((self.cutting.high - self.cutting.low) / WIDTH), self.strengths[0]
        least = self.n * min(self.cutting.levels[0], 1 - self.cutting.levels[-1])
        together = (self.n - least) * epsilon / 2 < len(self.cutting.tree[0][0].chosen) * room
        return together or least * epsilon / 2 < room + log(20)

    def bound(self, beta: float) -> float:
        """Return what the largest error exceeds with probability at most `beta`, in standard deviations."""
        deviation, error = uniform_deviation(self.n, beta / 2), 0.0
        nodes = sum(map(len, self.cutting.tree))
        for segments, epsilon in zip(self.cutting.tree, self.strengths, strict=True):
            ranks = [
                self.node_bound(one, epsilon, error, deviation, log(2 * nodes / beta)) for one in segments
            ]
            error = max(ranks)
        off = error / self.n + deviation
        levels = np.array(self.cutting.levels)
        if not (levels[0] > off and levels[-1] < 1 - off):
            return inf
        knots, wanted = ndtri(levels), ndtri(np.array(self.levels))
        moved = np.maximum(ndtri(levels + off) - knots, knots - ndtri(levels - off)).max()
        if self.anywhere and len(levels) < len(wanted):
            return inf  # what lies between knots depends on where the rows are
        return float(moved + np.abs(np.interp(self.levels, levels, knots) - wanted).max())

    def node_bound(
        self, segment: Segment, epsilon: float, above: float, deviation: float, room: float
    ) -> float:
        """Return the least bound on the rank errors of a node over h."""
        places = np.array([0.0, *self.cutting.levels, 1.0])
        at, knots = places[np.array(segment.chosen) + 1], len(segment.chosen)
        ends = (places[segment.first] + above / self.n, places[segment.last + 1] - above / self.n)
        least = np.diff([ends[0], *at, ends[1]])
        free = self.n * min(least[0], least[-1], *(least[1:-1] / 2))
        slack = SLACKS[(free > SLACKS) & (self.n * deviation < SLACKS)]
        if not len(slack):
            return inf
        reach = slack[:, None] / self.n - deviation
        lengths = ndtri(at + reach) - ndtri(at - reach)
        if self.anywhere:
            lengths /= FARTHEST_MEAN + 10
        cost = knots * log(self.cutting.high - self.cutting.low) - np.log(lengths).sum(axis=1)
        total = knots * slack + 2 / epsilon * (cost - lgamma(knots + 1) + room)
        return float(3 * above + total.min())


@lru_cache(maxsize=64)
def noise_factor(levels: tuple[float, ...], branches: Tree) -> Array:
    """Return A with A Aᵀ the predicted covariance of the ranks of the knots at ε = 1 for each level."""
    count = len(levels)
    places, found = np.array([0.0, *levels, 1.0]), np.zeros((count + 2, 2 * count))
    for segment in (one for level in branches for one in level):
        low, high, chosen = segment.first, segment.last + 1, np.array(segment.chosen)
        found[np.ix_(chosen + 1, chosen)] = np.linalg.cholesky(_bridge(len(chosen)))
        t = ((places[chosen + 1] - places[low]) / (places[high] - places[low]))[:, None]
        flat = (found[[low, high]] ** 2).sum() / 6 * t * (1 - t)
        found[chosen + 1] += (1 - t) * found[low] + t * found[high]
        found[chosen + 1, count + chosen] = np.sqrt(flat[:, 0])
    return found[1:-1]


def _bridge(cuts: int) -> Array:
    """Return the covariance of the ranks of one node's cuts at ε = 1."""
    number, fan = np.arange(1, cuts + 1), cuts + 1
    size: Any = 32 * (fan - 0.5) / (fan * (fan + 1))
    return np.asarray(size * np.minimum.outer(number, number) * (fan - np.maximum.outer(number, number)))
