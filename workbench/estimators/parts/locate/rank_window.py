"""A private position that about `rank` points lie beyond, ties or not.

Every point y, beyond the range taken at its end, stands for the stretch [y - right, y + left). With A(t)
points whose stretch begins after the position t of a public lattice, B(t) whose stretch does not end by t:

    m(t) = max(0, A(t) - rank, rank - B(t))         sensitivity 1 under replace-one

It is 0 on the whole stretch of the point of that rank, so that data that are all ties are as easy as any
others: a position is off by m or more with probability at most (length of the range)/(left + right)
e^(-ε m/2), whatever the data, if `rank` points are there. An absent one (NaN) is in neither count.
Drawn like a window median on a range. Proof: `proofs/univariate.md`, section 1.5. No source states it.
"""

from dataclasses import dataclass

import numpy as np

from workbench.estimators.parts.locate.lattice import rounded
from workbench.estimators.parts.locate.window_median import Pieces, WindowMedian
from workbench.privacy import Budget
from workbench.types import Array


@dataclass(frozen=True, kw_only=True)
class RankWindow(WindowMedian):
    """The mechanism for a rank, counted from the top; `low` and `high` have to be given."""

    rank: int

    @property
    def range(self) -> tuple[float, float]:
        """Both ends of the range."""
        assert self.low is not None
        assert self.high is not None
        return self.low, self.high

    def near(self, points: Array, cost: Budget) -> None:
        """Return None: all pieces are looked at."""
        return

    def pieces(self, points: Array) -> Pieces:
        """Return the score as 2n + 1 pieces, a number that does not depend on the data; not private."""
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
