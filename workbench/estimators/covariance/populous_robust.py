"""A covariance when rows are corrupted, by a vote of robust groups.  AL22 Algorithm 4, Theorem 6.3.

Rows x of shape (n, d), d ≤ 4, normal with any positive definite covariance Σ, of which a share ξ =
`corruption` may be anything. Neighbours: replace one row. The rows have mean 0 if `centred`; otherwise they
are paired first, ⌊n/2⌋ rows (x_1 - x_2)/√2 of mean 0, of which 2ξ may be anything.

    (1) rows are shuffled and cut into k groups of s; A_i = the robust second moment of group i
    (2) groups vote on whether most of them are close: no answer if they are not
    (3) out = a masked average of the groups that are close to most       `parts.robust_votes.votes`

|Σ^-½ out Σ^-½ - I| in Frobenius norm is of the order ξ ln 1/ξ with probability 1 - β for the attacks of a
public table, its `error_bound`; it is measured, not proved. Privacy holds for every input. ξ is at most .1,
and that of pairs too.

Departures: groups are as small as the vote allows instead of d²/ξ² rows, and their oracle is Huber's
M-estimator instead of a filter: the average over groups does the rest. The mask is Laplace in Thompson's
metric. Proof: `proofs/populous.md`.
"""

from dataclasses import dataclass, replace

from workbench.errors import ArgumentError, probability
from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix
from workbench.estimators.parts.budgets import require_events
from workbench.estimators.parts.robust_votes.design import refused_whole
from workbench.estimators.parts.robust_votes.votes import CovarianceVote
from workbench.estimators.parts.rows import CORRUPT, centred_count, centred_rows, require_corruption
from workbench.estimators.parts.votes.vote import VOTE
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array


@dataclass(frozen=True, kw_only=True)
class PopulousRobustCovariance(Estimator[Array]):
    """Private covariance of partly corrupted rows, by a vote of robust groups (AL22 Theorem 6.3).

    Accurate for normal rows of any positive definite covariance, d at most 4, a share `corruption` of them
    anything; where groups do not agree the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    group says what its other rows say; a group without rows has no vote.

    Parameters
    ----------
    corruption : float
        Share of the rows that may be anything. At most 0.1, and 0.05 unless `centred`.
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise pairs (x_1 - x_2)/√2 take the place of the rows.
    beta : float, default 0.1
        Chance, at most, that the answer is off by more than the design allows, or that there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e-6 * np.random.default_rng(1).standard_normal((20_000, 1))
    >>> x[::25] = 1e6
    >>> release = PopulousRobustCovariance(corruption=0.05, centred=True)(
    ...     x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)
    ... )
    >>> bool(abs(release.value[0, 0] / 1e-12 - 1) < 0.5)
    True
    """

    corruption: float
    centred: bool = False
    beta: float = 0.1

    def _validate(self) -> None:
        require_corruption(self.corruption)
        if self.share > CORRUPT:
            raise ArgumentError("corruption", self.corruption, f"at most {CORRUPT / 2} unless centred")

    @property
    def share(self) -> float:
        """The share of the rows or pairs that may be anything."""
        return self.corruption * (1 if self.centred else 2)

    def recipe(self, n: int, d: int, budget: Budget) -> CovarianceVote:
        """Return steps (1) to (3) for n rows, paired or not."""
        require_matrix(n, d)
        m = centred_count(n, self.centred)
        return CovarianceVote(m, d, self.share, require_events(budget), self.beta)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of the vote and of the mask."""
        recipe, each = self.recipe(n, d, budget), 1 if self.centred else 2
        with refused_whole(n, lambda: each * recipe.fewest, d, recipe.budget):
            return recipe.design.plan

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private covariance of sanitised rows."""
        n, d = x.shape
        found = self.recipe(n, d, budget).draw(centred_rows(x, self.centred), noise)  # (1) to (3)
        return Abstention(VOTE) if found is None else found

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the error, true with probability 1 - beta, for the attacks of the table."""
        probability(beta=beta)
        return replace(self, beta=beta).recipe(n, d, budget).error_bound()
