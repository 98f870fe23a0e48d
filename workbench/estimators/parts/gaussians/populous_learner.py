"""Any Gaussian, in stages on rows of their own.  AL22 Section 5.1, Theorems 5.6 and 5.7.

Rows x of shape (n, d), shuffled, of any mean and covariance; pairs are (x_1 - x_2)/√2. Neighbours: replace
one row.

    (1) on pairs of the first rows: the subspace that the rows vary in, exactly    `spectral/subspace-exact`
    (2) on pairs of the next rows, in that subspace: a preconditioner             `parts.votes.preconditioner`
        or, of far fewer rows, a matrix quantile                              `parts.quantile.matrix_quantile`
    (3) on the rest: location, mean and covariance in its frame                   `parts.gaussians.finish`

Every stage sees rows of its own and has the whole budget: a replaced row lies in one of them. (1) has the
rows it needs, (2) as many as leave a condition of 4 with probability 1 - β/3, or the source's number in
"paper", (3) all others. In a subspace of dimension r < d the rows of (2) get d - r further coordinates of the
run's own normal numbers, so that what is drawn is the same for every r. Without `degenerate` (1) is skipped.
(3) starts where its location has a place for normal rows, and its noise is below a quarter of their variance:
public numbers know both.
Proof: `proofs/populous.md`, section 7.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log, sqrt
from typing import Literal

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention
from workbench.estimators.parts.budgets import concentrated
from workbench.estimators.parts.gaussians.error import SquaredErrors, squared_error
from workbench.estimators.parts.gaussians.finish import RoundFinish
from workbench.estimators.parts.gaussians.frame import Frame, Moments
from workbench.estimators.parts.gaussians.steps import fewest_finished
from workbench.estimators.parts.quantile.design import fewest_rows
from workbench.estimators.parts.quantile.matrix_quantile import MatrixQuantile
from workbench.estimators.parts.rows import centred_rows, shuffled
from workbench.estimators.parts.votes.design import fewest
from workbench.estimators.parts.votes.paper import fewest_for_covariance
from workbench.estimators.parts.votes.preconditioner import PopulousFrame
from workbench.estimators.subspaces import GRID, SubspaceExact, completed
from workbench.privacy import ApproxDP, Converted, NoiseSource, Parallel, Plan, Sequential
from workbench.types import Array, Calibration

Covariance = Literal["populous", "matrix-quantile"]
THIN = GRID * 4  # the unit of location across a subspace that is known up to a grid
WIDEST = 2.0**44  # of a matrix quantile: rotated rows of condition about 1e12
LEFT = 4.0  # the condition that (2) leaves
FINISH = 8  # (3) has at least this part of the rows of (2)


@dataclass(frozen=True)
class PopulousLearner:
    """The recipe for n rows of dimension d at (ε, δ)."""

    n: int
    d: int
    budget: ApproxDP
    centred: bool = False
    degenerate: bool = False
    beta: float = 0.1
    calibration: Calibration = "tight"
    covariance: Covariance = "populous"

    @property
    def subspace(self) -> SubspaceExact:
        """The recipe of (1)."""
        return SubspaceExact(centred=self.centred, beta=self.beta / 3, calibration=self.calibration)

    @property
    def mask(self) -> str:
        """The kind of mask of (2), the narrowest by default."""
        return "square" if self.calibration == "paper" else "auto"

    @cached_property
    def rows(self) -> tuple[int, int, int]:
        """How many rows each stage sees; raise where n are too few."""
        first = self.subspace.fewest(self.d, self.budget) if self.degenerate else 0
        fewest = preconditioned_rows(self.d, self.budget, self.beta / 3, self.mask, self.covariance)
        second = fewest * (1 if self.centred else 2)
        cost = concentrated(self.budget)
        third = fewest_finished(self.d, cost, self.centred, self._narrowest)
        needed = first + second + max(third, second // FINISH)
        if self.n < needed:
            raise ArgumentError("n", self.n, f"at least {needed} for d = {self.d} at {self.budget}")
        return first, second, self.n - first - second

    @property
    def frame(self) -> PopulousFrame | MatrixQuantile:
        """The recipe of (2)."""
        pairs = self.rows[1] // (1 if self.centred else 2)
        if self.covariance == "matrix-quantile":
            return MatrixQuantile(pairs, self.d, self.budget, self.beta / 3, widest=WIDEST)
        return PopulousFrame(pairs, self.d, self.budget, self.beta / 3, self.mask)

    @property
    def finish(self) -> RoundFinish:
        """The recipe of (3)."""
        worst = (1.0,) * self.d  # but for a condition of 4, which one step measures well
        cost = concentrated(self.budget)
        return RoundFinish(self.rows[2], self.d, cost, worst, self.centred, THIN, self._narrowest)

    @property
    def _narrowest(self) -> float:
        return 0.0 if self.degenerate else 1 / sqrt(LEFT)

    @property
    def squared_error(self) -> SquaredErrors:
        """The predicted errors of (3), in the frame that (2) should leave."""
        return squared_error(self.finish.steps, self.frame.stretch)

    def plan(self) -> Plan:
        """Return the plan: the stages see disjoint rows."""
        finish = Converted(Sequential("zcdp", tuple(self.finish.charges())), self.budget)
        stages: tuple[Plan, ...] = (self.frame.design.plan, finish)
        if self.degenerate:
            stages = (self.subspace.plan(self.rows[0], self.d, self.budget), *stages)
        return Parallel(stages)

    def estimate(self, x: Array, noise: NoiseSource) -> Moments | Abstention:
        """Return the private moments of sanitised rows."""
        first, second, _ = self.rows
        x = shuffled(x, noise)
        basis: Array | Abstention = np.eye(self.d)
        if self.degenerate:
            basis = self.subspace.basis(x[:first], self.budget, noise)  # (1)
        if isinstance(basis, Abstention):
            return basis
        pairs = centred_rows(x[first : first + second], self.centred)
        found = self.frame.draw(completed(pairs, basis, noise), noise)  # (2)
        if found is None:
            return Abstention(self.frame.design.charges[0].step)
        rank = basis.shape[1]
        if rank == 0:
            return Abstention("subspace")
        shape = np.linalg.inv(np.linalg.cholesky(found[:rank, :rank]))
        charges, rest = list(self.finish.charges()), x[first + second :]
        return self.finish.estimate(rest, Frame(basis, shape), np.ones(rank), charges, noise)  # (3)


@lru_cache(maxsize=256)
def preconditioned_rows(
    d: int, budget: ApproxDP, beta: float, mask: str, covariance: Covariance = "populous"
) -> int:
    """Return about the fewest rows of mean 0 that leave a condition of 4 with probability 1 - β."""
    if covariance == "matrix-quantile":
        return fewest_rows(d, budget, beta, "thompson", log(2), widest=WIDEST)
    if mask == "square":
        return fewest_for_covariance(d, budget, beta)

    def narrow(n: int) -> bool | None:
        return PopulousFrame(n, d, budget, beta, mask).error_bound() <= log(2) or None

    return fewest(narrow, 64, within=1.02)
