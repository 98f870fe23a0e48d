"""A matrix in whose frame a covariance is round, whatever it is.  AL22 Algorithm 3, Theorem 5.4.

Rows x of shape (n, d), any mean, any positive definite covariance Σ. Neighbours: replace one row. The rows
have mean 0 if `centred`; otherwise they are paired first, ⌊n/2⌋ rows (x_1 - x_2)/√2 of mean 0.

    (1) rows are shuffled and cut into k groups of s; A_i = the second moment of group i
    (2) groups vote on whether most of them are close: no answer if they are not
    (3) out = a masked average of the groups that are close to most           `parts.votes.preconditioner`

For normal rows every eigenvalue of out⁻¹Σ lies in [1/(1 + a), 1 + a] with probability 1 - β, ln(1 + a) the
`error_bound`; nothing about Σ is assumed. a = 1 leaves a condition of at most 4. `plan` refuses rows too few
for any vote.

"paper": the source's thresholds, mask and constants, recalled or derived (`parts.votes.paper`), which take
billions of rows. "tight", ours: the mask is calibrated exactly, the vote has its own thresholds, the budget
is spent once instead of twice. Proof: `proofs/populous.md`.
"""

from dataclasses import dataclass, replace
from typing import Literal

from workbench.errors import ArgumentError, one_of, probability
from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix
from workbench.estimators.parts.budgets import require_events
from workbench.estimators.parts.rows import centred_count, centred_rows
from workbench.estimators.parts.votes.preconditioner import PopulousFrame
from workbench.estimators.parts.votes.vote import VOTE
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration


@dataclass(frozen=True, kw_only=True)
class Preconditioner(Estimator[Array]):
    """Private matrix in whose frame a covariance is round, whatever it is (AL22 Theorem 5.4).

    Accurate for normal rows of any mean and any positive definite covariance; where groups do not agree the
    release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    group says what its other rows say; a group without rows has no vote.

    Parameters
    ----------
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise pairs (x_1 - x_2)/√2 take the place of the rows.
    beta : float, default 0.1
        Chance, at most, that the answer is off by more than the design allows, or that there is none.
    mask : {"auto", "thompson_laplace", "wishart"}, default "auto"
        Noise of "tight": "auto" is Laplace in Thompson's metric for d ≤ 4 and Wishart above, or one of
        the two by name.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source and takes billions of rows; "tight" ours.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).standard_normal((20_000, 2)) * [1e-6, 1e6]
    >>> release = Preconditioner()(x, budget=ApproxDP(2.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool((abs(np.diag(release.value) / [1e-12, 1e12] - 1) < 0.5).all())
    True
    """

    centred: bool = False
    beta: float = 0.1
    mask: Literal["auto", "thompson_laplace", "wishart"] = "auto"
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        one_of(("auto", "thompson_laplace", "wishart"), mask=self.mask)

    def recipe(self, n: int, d: int, budget: Budget) -> PopulousFrame:
        """Return steps (1) to (3) for n rows, paired or not."""
        require_matrix(n, d)
        mask = "square" if self.calibration == "paper" else self.mask
        recipe = PopulousFrame(centred_count(n, self.centred), d, require_events(budget), self.beta, mask)
        if recipe.n < recipe.fewest:
            least = recipe.fewest if self.centred else 2 * recipe.fewest
            raise ArgumentError("n", n, f"at least {least} for d = {d} at {budget}")
        return recipe

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of the vote and of the mask."""
        return self.recipe(n, d, budget).design.plan

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the preconditioner of sanitised rows."""
        n, d = x.shape
        recipe = self.recipe(n, d, budget)
        found = recipe.draw(centred_rows(x, self.centred), noise)  # (1) to (3)
        return Abstention(VOTE) if found is None else found

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the Thompson distance from Σ, true with probability 1 - beta."""
        probability(beta=beta)
        return replace(self, beta=beta).recipe(n, d, budget).error_bound()
