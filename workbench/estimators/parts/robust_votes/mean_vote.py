"""One vote of groups on a mean when rows are corrupted.  AL22 Algorithm 5, Theorem 7.4.

Rows of covariance about `spread`² I, of which a share ξ may be anything, shuffled by the run's own
randomness, in k groups of s:

    (1) m_i = the robust mean of group i   `parts.robust_votes.m_estimators`
    (2) their private average: vote, weights, normal noise                          `parts.votes.vote`

All of `design` is public (`parts.robust_votes.design`). A group's point is a function of its own rows and of
public constants, so that a replaced row changes one point, whatever (1) does. Proof: `proofs/populous.md`,
section 8.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np

from workbench.estimators.base import sanitised
from workbench.estimators.parts.robust_votes.covariance_vote import AT_ONCE, LOSS
from workbench.estimators.parts.robust_votes.design import fewest_robust, robust_designs
from workbench.estimators.parts.robust_votes.m_estimators import location_means
from workbench.estimators.parts.robust_votes.table import Row
from workbench.estimators.parts.rows import shuffled
from workbench.estimators.parts.votes.means import Points
from workbench.estimators.parts.votes.vote import Design, norm_moves, private_average
from workbench.linalg import tail
from workbench.privacy import ApproxDP, NoiseSource
from workbench.privacy.mechanisms import gaussian_scale
from workbench.types import Array


@dataclass(frozen=True)
class MeanVote:
    """The recipe for n rows of dimension d, a share `corruption` of which may be anything."""

    n: int
    d: int
    corruption: float
    budget: ApproxDP
    beta: float
    spread: float = 1.0
    stage: str = ""

    @property
    def chosen(self) -> tuple[Row, Design]:
        """The row of the table and the design of its vote; raises where n rows are too few."""
        return _chosen(self.n, self.d, self.corruption, self.budget, self.beta / 3)

    @property
    def design(self) -> Design:
        """Group size, thresholds and charges, for spread 1."""
        return replace(self.chosen[1], stage=self.stage)

    @property
    def fewest(self) -> int:
        """The fewest rows that have a design."""
        return fewest_robust("mean", *_asked(self.d, self.corruption, self.budget, self.beta / 3))

    def draw(self, rows: Array, noise: NoiseSource) -> Array | None:
        """Return the noisy average of sanitised rows, or None for no answer."""
        made = self.design
        with np.errstate(over="ignore", under="ignore"):
            standard = sanitised(shuffled(rows, noise)[: made.rows] / self.spread)
        points = Points(group_means(standard, made.size), made.limit)  # (1)
        found = private_average(points, made, noise)  # (2)
        return None if found is None else self.spread * found

    def error_bound(self) -> float:
        """Return about an upper β-quantile of the error.

        For normal rows under the attacks of the table, given an answer: the average's worst error, simulated,
        its sampling error, that of n rows, and the noise.
        """
        row, made = self.chosen[0], self.design
        sd = sqrt(gaussian_scale(made.charges[1]) ** 2 + LOSS**2 / self.n)
        return self.spread * (row.error + sd * tail(self.d, self.beta / 3))


def group_means(rows: Array, size: int) -> Array:
    """Return the robust means of groups of `size` consecutive rows, shape (k, d)."""
    n, d = rows.shape
    blocks = rows[: n // size * size].reshape(-1, size, d)
    step = max(1, AT_ONCE // (size * d))
    parts = [location_means(blocks[start : start + step]) for start in range(0, len(blocks), step)]
    return np.concatenate(parts)


@lru_cache(maxsize=1024)
def _chosen(n: int, d: int, corruption: float, budget: ApproxDP, beta: float) -> tuple[Row, Design]:
    return robust_designs("mean", n, *_asked(d, corruption, budget, beta))[0]


def _asked(d: int, corruption: float, budget: ApproxDP, beta: float) -> tuple[Any, ...]:
    return d, corruption, budget, beta, "gaussian", norm_moves, 0.0
