"""One vote of groups on a covariance when rows are corrupted.  AL22 Algorithm 4, Theorem 6.3.

Rows of mean 0, of which a share ξ may be anything, shuffled by the run's own randomness, in k groups of s:

    (1) R_i, a factor of the robust second moment of group i                `parts.robust_votes.m_estimators`
    (2) their private average: vote, weights, Thompson-Laplace mask                 `parts.votes.vote`
    (3) out = that, centred as in `parts.votes.preconditioner`, over the scale of clean groups' average

The shuffle spreads the corrupted rows over the groups; bounded influence and the vote absorb the rest. All
of `design` is public (`parts.robust_votes.design`). A group's point is a function of its own rows and of
public constants, so that a replaced row changes one point, whatever (1) does. Proof: `proofs/populous.md`,
section 8.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np

from workbench.estimators.parts.robust_votes.design import fewest_robust, robust_designs
from workbench.estimators.parts.robust_votes.m_estimators import scatter_factors
from workbench.estimators.parts.robust_votes.table import Row
from workbench.estimators.parts.rows import shuffled
from workbench.estimators.parts.votes.covariances import Groups
from workbench.estimators.parts.votes.preconditioner import DRAWS, SEED, centring
from workbench.estimators.parts.votes.vote import Design, covariance_moves, private_average
from workbench.linalg import tail
from workbench.privacy import ApproxDP, Charge, NoiseSource, SimulatedNoise
from workbench.privacy.masks import least_rate, masked_identity
from workbench.types import Array

AT_ONCE = 2**20  # entries that are worked on at a time
LOSS = 1.5  # of sampling error, times that of the plain moment


@dataclass(frozen=True)
class CovarianceVote:
    """The recipe for n rows of mean 0 and dimension d, a share `corruption` of which may be anything."""

    n: int
    d: int
    corruption: float
    budget: ApproxDP
    beta: float
    stage: str = ""

    @property
    def chosen(self) -> tuple[Row, Design]:
        """The row of the table and the design of its vote; raises where n rows are too few."""
        return _chosen(self.n, self.d, self.corruption, self.budget, self.beta / 3)

    @property
    def design(self) -> Design:
        """Group size, thresholds and charges."""
        return replace(self.chosen[1], stage=self.stage)

    @property
    def fewest(self) -> int:
        """The fewest rows that have a design."""
        return fewest_robust("covariance", *_asked(self.d, self.corruption, self.budget, self.beta / 3))

    def draw(self, rows: Array, noise: NoiseSource) -> Array | None:
        """Return the masked average, positive definite, or None for no answer."""
        row, made = self.chosen[0], self.design
        groups = robust_groups(shuffled(rows, noise)[: made.rows], made.size)  # (1)
        found = private_average(groups, made, noise)  # (2)
        return None if found is None else found * (centring(made.charges[1], self.d)[0] / row.scale)  # (3)

    def error_bound(self) -> float:
        """Return about an upper β-quantile of the Frobenius error relative to Σ.

        For normal rows under the attacks of the table, given an answer: |B^½MB^½ - I| ≤ |B - I| + |B||M -
        I|, M the mask and B the average, whose worst error was simulated and whose sampling error is that
        of n rows.
        """
        row, made = self.chosen[0], self.design
        moments = self.d * (self.d + 1) // 2
        off = row.error + LOSS * sqrt(2 / self.n) * tail(moments, self.beta / 3)
        return off + (1 + off) * mask_error(made.charges[1], self.d, self.beta / 3)


def robust_groups(rows: Array, size: int) -> Groups:
    """Return the groups of `size` consecutive rows each, by their robust second moments."""
    n, d = rows.shape
    blocks = rows[: n // size * size].reshape(-1, size, d)
    step = max(1, AT_ONCE // (size * d))
    parts = [scatter_factors(blocks[start : start + step]) for start in range(0, len(blocks), step)]
    return Groups.of(np.concatenate(parts))


@lru_cache(maxsize=1024)
def _chosen(n: int, d: int, corruption: float, budget: ApproxDP, beta: float) -> tuple[Row, Design]:
    return robust_designs("covariance", n, *_asked(d, corruption, budget, beta))[0]


def _asked(d: int, corruption: float, budget: ApproxDP, beta: float) -> tuple[Any, ...]:
    return d, corruption, budget, beta, "thompson_laplace", covariance_moves, least_rate(d)


@lru_cache(maxsize=1024)
def mask_error(charge: Charge, d: int, beta: float) -> float:
    """Return an upper β-quantile of |M - I| of the centred mask, in Frobenius norm."""
    noise = SimulatedNoise(np.random.default_rng((SEED, d, 1)))
    centre, _ = centring(charge, d)
    draws = [centre * masked_identity(d, charge, noise) - np.eye(d) for _ in range(DRAWS)]
    return float(np.quantile(np.linalg.norm(np.array(draws), axis=(1, 2)), 1 - beta))
