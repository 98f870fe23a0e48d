"""A Gaussian when rows are corrupted, in two votes on rows of their own.  AL22 Corollary 7.5.

Rows x of shape (n, d), d ≤ 4, normal with any mean and any positive definite covariance, of which a share ξ =
`corruption` may be anything. Neighbours: replace one row.

    (1) rows are shuffled; Σ̂ = the robust covariance of the first ¾ of them, paired       AL22 Algorithm 4
    (2) the others in the frame of Σ̂, Σ̂^-½ x: their robust mean, mapped back              AL22 Algorithm 5

Each stage has the whole budget: a replaced row lies in one of them. No answer of either is none of the
whole. (2) takes the covariance in the frame to be at most 1.2² I: what (1) may err by, about.

The source leaves out laws without a density (Remark 7.6), and so does this. Departures: those of
`covariance/populous-robust` and `mean/populous-robust`. Proof: `proofs/populous.md`.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention, Estimator, Trace, mapped, require_matrix
from workbench.estimators.parts.budgets import require_events
from workbench.estimators.parts.robust_votes.design import refused_whole
from workbench.estimators.parts.robust_votes.votes import CovarianceVote, MeanVote
from workbench.estimators.parts.rows import CORRUPT, paired, require_corruption, shuffled
from workbench.estimators.parts.votes.vote import VOTE
from workbench.privacy import Budget, NoiseSource, Parallel, Plan
from workbench.types import Array

SHARE, SPREAD = 0.75, 1.2  # of the rows for (1); what (2) takes the standard deviation in its frame for
COVARIANCE, MEAN = "covariance, ", "mean, "


@dataclass(frozen=True, kw_only=True)
class PopulousRobustGaussian(Estimator[Gaussian]):
    """Private mean and covariance of a Gaussian, rows partly corrupted, by two votes (AL22 Corollary 7.5).

    Accurate for normal rows of any mean and any positive definite covariance, d at most 4, a share
    `corruption` of them anything; where groups do not agree the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    group says what its other rows say; a group without rows has no vote.

    Parameters
    ----------
    corruption : float
        Share of the rows that may be anything. At most 0.05.
    beta : float, default 0.1
        Chance, at most, that the answer is off by more than the design allows, or that there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e4 + np.random.default_rng(1).standard_normal((60_000, 1)) * 1e-3
    >>> x[::25] = 1e6
    >>> release = PopulousRobustGaussian(corruption=0.05)(
    ...     x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)
    ... )
    >>> bool(abs(release.value.mean[0] - 1e4) < 1e-3)
    True
    """

    corruption: float
    beta: float = 0.1

    def _validate(self) -> None:
        require_corruption(self.corruption)
        if 2 * self.corruption > CORRUPT:
            raise ArgumentError("corruption", self.corruption, f"at most {CORRUPT / 2}")

    def recipes(self, n: int, d: int, budget: Budget) -> tuple[CovarianceVote, MeanVote]:
        """Return the recipes of (1) and (2) for n rows."""
        require_matrix(n, d)
        events, pairs = require_events(budget), int(SHARE * n) // 2
        shape = CovarianceVote(pairs, d, 2 * self.corruption, events, self.beta / 2, COVARIANCE)
        return shape, MeanVote(n - 2 * pairs, d, self.corruption, events, self.beta / 2, MEAN, SPREAD)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the two votes in parallel: they see disjoint rows."""
        shape, place = self.recipes(n, d, budget)

        def fewest() -> int:
            return ceil(max(2 * shape.fewest / SHARE, place.fewest / (1 - SHARE)))

        with refused_whole(n, fewest, d, shape.budget):
            return Parallel((shape.design.plan, place.design.plan))

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Gaussian | Abstention:
        """Return the private law of sanitised rows."""
        n, d = x.shape
        shape, place = self.recipes(n, d, budget)
        x = shuffled(x, noise)
        covariance = shape.draw(paired(x[: 2 * shape.n]), noise)  # (1)
        if covariance is None:
            return Abstention(VOTE)
        root = np.linalg.cholesky(covariance)
        mean = place.draw(mapped(x[2 * shape.n :], np.linalg.inv(root)), noise)  # (2)
        return Abstention(VOTE) if mean is None else Gaussian(root @ mean, covariance)
