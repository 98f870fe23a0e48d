"""A mean when rows are corrupted, by a vote of robust groups.  AL22 Algorithm 5, Theorem 7.4.

Rows x of shape (n, d), d ≤ 5 or 8, normal of covariance `sigma`² I and any mean, of which a share ξ =
`corruption` may be anything. Neighbours: replace one row.

    (1) rows are shuffled and cut into k groups of s; m_i = the robust mean of group i
    (2) groups vote on whether most of them are close: no answer if they are not
    (3) out = the average of the groups that are close to most + noise          `parts.robust_votes.votes`

|out - mean| is of the order σ ξ √(ln 1/ξ) with probability 1 - β for the attacks of a public table, its
`error_bound`; it is measured, not proved. Privacy holds for every input.

Departures: groups are as small as the vote allows instead of d/α² rows, and their oracle is Huber's
M-estimator instead of a filter: the average over groups does the rest. The noise is calibrated exactly.
Proof: `proofs/populous.md`.
"""

from dataclasses import dataclass, replace

from workbench.errors import probability
from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix
from workbench.estimators.parts.budgets import require_events
from workbench.estimators.parts.robust_votes.votes import MeanVote
from workbench.estimators.parts.rows import require_corruption
from workbench.estimators.parts.votes.vote import VOTE
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array


@dataclass(frozen=True, kw_only=True)
class PopulousRobustMean(Estimator[Array]):
    """Private mean of partly corrupted rows, by a vote of robust groups (AL22 Theorem 7.4).

    Accurate for normal rows of covariance sigma² I, anywhere in space, in few dimensions, a share
    `corruption` of them anything; where groups do not agree the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    group says what its other rows say; a group without rows has no vote.

    Parameters
    ----------
    corruption : float
        Share of the rows that may be anything. At most 0.1.
    sigma : float
        Standard deviation of the rows in every direction, known.
    beta : float, default 0.1
        Chance, at most, that the answer is off by more than the design allows, or that there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e4 + np.random.default_rng(1).standard_normal((10_000, 1))
    >>> x[::25] = -1e6
    >>> release = PopulousRobustMean(corruption=0.05, sigma=1.0)(
    ...     x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)
    ... )
    >>> bool(abs(release.value[0] - 1e4) < 0.5)
    True
    """

    corruption: float
    sigma: float
    beta: float = 0.1

    def _validate(self) -> None:
        require_corruption(self.corruption)

    def recipe(self, n: int, d: int, budget: Budget) -> MeanVote:
        """Return steps (1) to (3) for n rows."""
        require_matrix(n, d)
        return MeanVote(n, d, self.corruption, require_events(budget), self.beta, spread=self.sigma)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of the vote and of the noise."""
        return self.recipe(n, d, budget).design.plan

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private mean of sanitised rows."""
        n, d = x.shape
        found = self.recipe(n, d, budget).draw(x, noise)  # (1) to (3)
        return Abstention(VOTE) if found is None else found

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the error, true with probability 1 - beta, for the attacks of the table."""
        probability(beta=beta)
        return replace(self, beta=beta).recipe(n, d, budget).error_bound()
