"""The subspace before a gap of the spectrum, by a vote of blocks of rows.  M21/UG Algorithm 2.

Rows x of shape (n, d), any mean; λ_{k+1}/λ_k of their covariance at most `gap`² (M21/UG's γ; 0 for rows in a
subspace of dimension k). Neighbours: replace one row. The rows have mean 0 if `centred`; otherwise they are
paired first.

    (1) the rows are cut into t blocks of m; Π_j = the projection on the first k right singular vectors
        of block j
    (2) P = the friendly mean of Π_1 .. Π_t at a distance τ in proportion to `gap`   `parts.blocks.subspaces`
    (3) out = the projection on the first k eigenvectors of P; too few friends: no answer

The error is in proportion to `gap`, down to about 1e-11: the subspace of degenerate rows is never exact in
floats. `spectral/eigenvalues` finds `gap`, at a budget of its own. `plan`
refuses rows too few for t blocks of 2d rows, the paper's 4d, with the number.

Departures: a friendly mean of the projections themselves takes the place of GoodCenter on projected reference
points, for a proof with constants (both calibrations). "tight" and "paper" differ in weights, sensitivities
and τ. Proof: `proofs/aggregation.md`, section 2.
"""

from dataclasses import dataclass

from workbench.errors import ArgumentError, finite, integer_at_least
from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix
from workbench.estimators.parts.blocks.blocks import Partition, projections
from workbench.estimators.parts.blocks.friendly_mean import enough_points
from workbench.estimators.parts.blocks.subspaces import SubspaceVote
from workbench.estimators.parts.budgets import concentrated, delivered
from workbench.estimators.parts.rows import centred_rows, in_blocks
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.types import Array, Calibration

MOST_ROWS = 8  # of a block, in units of d: the noise falls faster with the number of blocks


@dataclass(frozen=True, kw_only=True)
class SubspaceAggregate(Estimator[Array]):
    """Private subspace before a gap of the spectrum, by a vote of blocks of rows (M21/UG Algorithm 2).

    Accurate for normal rows of any mean whose eigenvalues k and k + 1 differ by a factor of 1/gap² or more;
    where blocks do not agree the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    block says what its other rows say.

    Parameters
    ----------
    k : int, default 1
        Dimension of the subspace, from 1 to d - 1.
    gap : float
        Bound on √(λ_{k+1}/λ_k), in [0, 1]: it decides about accuracy alone.
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise pairs (x_1 - x_2)/√2 take the place of the rows.
    calibration : {"paper", "tight"}, default "tight"
        Weights, sensitivities and distances of the source ("paper") or ours ("tight").

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).standard_normal((5000, 2)) * [1e4, 1.0]
    >>> estimator, budget = SubspaceAggregate(k=1, gap=1e-4), ApproxDP(1.0, 1e-6)
    >>> projection = estimator(x, budget=budget, rng=np.random.default_rng(2)).value
    >>> bool(abs(projection - [[1, 0], [0, 0]]).max() < 1e-4)
    True
    """

    k: int = 1
    gap: float
    centred: bool = False
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        integer_at_least(1, k=self.k)
        finite(gap=self.gap)
        if not 0 <= self.gap <= 1:
            raise ArgumentError("gap", self.gap, "a number in [0, 1]")

    def vote(self, n: int, d: int, budget: Budget) -> SubspaceVote:
        """Return the recipe of (2), with t and m; public."""
        require_matrix(n, d)
        if self.k >= d:
            raise ArgumentError("k", self.k, f"at most d - 1 = {d - 1}")
        needed = enough_points(concentrated(budget), self.calibration)
        sizes = Partition(needed, self.centred, self.calibration).sizes(n, d, MOST_ROWS)
        return SubspaceVote(*sizes, d, self.calibration)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of the count and the mean; raise where n rows are too few, with the number."""
        return delivered(self._charges(n, d, budget), budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private projection of sanitised rows."""
        n, d = x.shape
        vote, charges = self.vote(n, d, budget), self._charges(n, d, budget)
        planes = projections(in_blocks(centred_rows(x, self.centred), vote.blocks), self.k)  # (1)
        basis = vote.draw(planes, self.k, self.gap, charges, noise)  # (2)
        return Abstention(charges[0].step) if basis is None else basis @ basis.T  # (3)

    def _charges(self, n: int, d: int, budget: Budget) -> tuple[Charge, Charge]:
        return self.vote(n, d, budget).friendly.charges("vote", concentrated(budget))
