"""Points that vote in the l1 norm: which two are close, for a Laplace mask.  AL22 Remark 3.4.

As `parts.votes.means`, with the sum of absolute differences in the place of the length, pair by pair: a
verdict about two points is one about these two alone. A point of l1 norm above 1e8 ρ is nobody's friend but
its own. Proof: `proofs/populous.md`, section 9.
"""

from dataclasses import dataclass

import numpy as np

from workbench.estimators.parts.votes.means import Points, on_a_line
from workbench.estimators.parts.votes.vote import counted
from workbench.types import Array

WIDEST = 10_000  # entries of a point: their rounding to a grid is far below the thousandth added to Δ


@dataclass(frozen=True)
class L1Points(Points):
    """The points, shape (k, d), in the l1 norm."""

    @property
    def lengths(self) -> Array:
        """How long each point is."""
        return np.asarray(np.abs(self.values).sum(axis=1))

    @staticmethod
    def within(values: Array, limit: float) -> np.ndarray:
        """Return how many of these points are within ρ of each."""
        if not len(values):
            return np.zeros(0, np.int64)
        if values.shape[1] == 1:
            return on_a_line(values[:, 0], limit)
        columns = np.ascontiguousarray(values.T)

        def close(rows: slice) -> np.ndarray:
            found = np.zeros((rows.stop - rows.start, columns.shape[1] - rows.start))
            for column in columns:
                found += np.abs(column[rows, None] - column[rows.start :])
            return found <= limit

        return counted(len(values), close)
