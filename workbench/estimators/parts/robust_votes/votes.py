"""One vote of groups on a covariance, or on a mean, when rows are corrupted.  AL22 Algorithms 4 and 5.

Rows of which a share ξ may be anything, shuffled by the run's own randomness, in k groups of s: of mean 0 for
the covariance (Theorem 6.3), of covariance about `spread`² I for the mean (Theorem 7.4):

    (1) a factor R_i of the robust second moment of group i, or its robust mean m_i
        `parts.robust_votes.m_estimators`
    (2) their private average: vote, weights, Thompson-Laplace mask or normal noise   `parts.votes.vote`
    (3) out = that, for a covariance centred as in `parts.votes.preconditioner`, over the scale of clean
        groups' average

The shuffle spreads the corrupted rows over the groups; bounded influence and the vote absorb the rest. All
of `design` is public (`parts.robust_votes.design`). A group's point is a function of its own rows and of
public constants, so that a replaced row changes one point, whatever (1) does. Proof: `proofs/populous.md`,
section 8.
"""

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import sqrt
from typing import Any

import numpy as np

from workbench.estimators.base import sanitised
from workbench.estimators.parts.robust_votes.design import fewest_robust, robust_design
from workbench.estimators.parts.robust_votes.m_estimators import location_means, scatter_factors
from workbench.estimators.parts.robust_votes.table import Row
from workbench.estimators.parts.votes.covariances import Groups
from workbench.estimators.parts.votes.design import covariance_moves, norm_moves
from workbench.estimators.parts.votes.means import Points
from workbench.estimators.parts.votes.preconditioner import DRAWS, SEED, centring
from workbench.estimators.parts.votes.vote import Design, reduced
from workbench.linalg import tail
from workbench.privacy import ApproxDP, Charge, NoiseSource, SimulatedNoise
from workbench.privacy.masks import least_rate, masked_identity
from workbench.types import Array

LOSS = 1.5  # of sampling error, times that of the plain moment or mean


@dataclass(frozen=True)
class RobustVote:
    """What both votes share: n rows of dimension d, a share `corruption` of which may be anything."""

    n: int
    d: int
    corruption: float
    budget: ApproxDP
    beta: float
    stage: str = ""

    @property
    def kind(self) -> tuple[Any, ...]:
        """What the vote is on, the kind of its mask, the bound on a row's effect, the least narrowness."""
        raise NotImplementedError

    @property
    def chosen(self) -> tuple[Row, Design]:
        """The row of the table and the design of its vote; raises where n rows are too few."""
        return robust_design(self.n, *self._asked)

    @property
    def design(self) -> Design:
        """Group size, thresholds and charges; for a mean, those for spread 1."""
        return replace(self.chosen[1], stage=self.stage)

    @property
    def fewest(self) -> int:
        """The fewest rows that have a design."""
        return fewest_robust(*self._asked)

    @property
    def _asked(self) -> tuple[Any, ...]:
        of, *mask = self.kind
        return of, self.d, self.corruption, self.budget, self.beta / 3, *mask


@dataclass(frozen=True)
class CovarianceVote(RobustVote):
    """The recipe for rows of mean 0."""

    @property
    def kind(self) -> tuple[Any, ...]:
        """A covariance, under a mask in Thompson's metric."""
        return "covariance", "thompson_laplace", covariance_moves, least_rate(self.d)

    def draw(self, rows: Array, noise: NoiseSource) -> Array | None:
        """Return the masked average, positive definite, or None for no answer."""
        row, made = self.chosen[0], self.design
        found = reduced(rows, scatter_factors, Groups.of, made, noise)  # (1) (2)
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


@dataclass(frozen=True)
class MeanVote(RobustVote):
    """The recipe for rows of covariance about `spread`² I."""

    spread: float = 1.0

    @property
    def kind(self) -> tuple[Any, ...]:
        """A mean, under normal noise."""
        return "mean", "gaussian", norm_moves, 0.0

    def draw(self, rows: Array, noise: NoiseSource) -> Array | None:
        """Return the noisy average of sanitised rows, or None for no answer."""
        made = self.design
        with np.errstate(over="ignore", under="ignore"):
            standard = sanitised(rows / self.spread)
        found = reduced(standard, location_means, partial(Points, limit=made.limit), made, noise)  # (1) (2)
        return None if found is None else self.spread * found  # (3)

    def error_bound(self) -> float:
        """Return about an upper β-quantile of the error.

        For normal rows under the attacks of the table, given an answer: the average's worst error, simulated,
        its sampling error, that of n rows, and the noise.
        """
        row, made = self.chosen[0], self.design
        sd = sqrt(made.noise_sd**2 + LOSS**2 / self.n)
        return self.spread * (row.error + sd * tail(self.d, self.beta / 3))


@lru_cache(maxsize=1024)
def mask_error(charge: Charge, d: int, beta: float) -> float:
    """Return an upper β-quantile of |M - I| of the centred mask, in Frobenius norm."""
    noise = SimulatedNoise(np.random.default_rng((SEED, d, 1)))
    centre, _ = centring(charge, d)
    draws = [centre * masked_identity(d, charge, noise) - np.eye(d) for _ in range(DRAWS)]
    return float(np.quantile(np.linalg.norm(np.array(draws), axis=(1, 2)), 1 - beta))
