"""The mean of rows whose covariance is known, anywhere in space, by a vote of groups.  AL22 Section 7.

Rows x of shape (n, d) of covariance sigma² I, any mean. Neighbours: replace one row.

    (1) the rows over sigma, shuffled, are cut into k groups of s; Y_i = the mean of group i
    (2) groups vote on whether most of them are close: no answer if they are not
    (3) out = sigma times a masked average of the groups that are close to most     `parts.votes.vote`

The noise is normal, of sd Δ/μ in every coordinate, Δ = 2ρC/k. It needs no range: where the mean is costs
nothing, up to 1e8 standard deviations. This is the source's Algorithm 5 with plain means of groups.

"paper": the source's thresholds and constants for accuracy `alpha`, recalled or derived
(`parts.votes.paper`). "tight", ours: the vote has its own thresholds, the budget is spent once instead of
twice, and groups are small, most often of one row; `alpha` has no part in it. Proof: `proofs/populous.md`.
"""

from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from workbench.errors import positive, probability
from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix, sanitised
from workbench.estimators.parts.budgets import require_events
from workbench.estimators.parts.rows import group_means
from workbench.estimators.parts.votes.means import Points, design_of
from workbench.estimators.parts.votes.vote import VOTE, Design, reduced
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.special import chdtri
from workbench.types import Array, Calibration


@dataclass(frozen=True, kw_only=True)
class PopulousMean(Estimator[Array]):
    """Private mean anywhere in space, the covariance known, by a vote of groups of rows (AL22 Section 7).

    Accurate for rows of covariance sigma² I, normal or lighter; where groups do not agree the release is "no
    answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    group says what its other rows say; a group without rows has no vote. Groups are often single rows: one
    row in fifty that is absent may mean no answer, one in ten does.

    Parameters
    ----------
    sigma : float
        Standard deviation of the rows in every direction, known.
    alpha : float, default 0.2
        Wanted accuracy of "paper", in standard deviations; without effect on "tight".
    beta : float, default 0.1
        Chance, at most, that the answer is off by more than the design allows, or that there is none.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e4 + np.random.default_rng(1).standard_normal((5000, 2))
    >>> release = PopulousMean(sigma=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 1e4).max() < 0.2)
    True
    """

    sigma: float
    alpha: float = 0.2
    beta: float = 0.1
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        positive(alpha=self.alpha)

    def design(self, n: int, d: int, budget: Budget) -> Design:
        """Return group size, thresholds and charges; public."""
        require_matrix(n, d)
        alpha = self.alpha / self.sigma
        return design_of(n, d, require_events(budget), self.beta / 3, alpha, self.calibration)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return what vote and mask cost; raise where n rows are too few, with the number."""
        return self.design(n, d, budget).plan

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the mean of sanitised rows."""
        n, d = x.shape
        made = self.design(n, d, budget)
        with np.errstate(over="ignore", under="ignore"):
            rows = sanitised(x / self.sigma)
        found = reduced(rows, group_means, partial(Points, limit=made.limit), made, noise)  # (1) (2)
        return Abstention(VOTE) if found is None else self.sigma * found  # (3)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the distance from the mean, true with probability 1 - beta.

        For normal rows, given an answer: the mean of as many rows as have all the weight at least, and noise.
        """
        probability(beta=beta)
        made = self.design(n, d, budget)
        noise, counted = made.noise_sd, n // made.size * made.size * made.vote.least_weight
        return self.sigma * sqrt(float(chdtri(d, beta)) * (noise**2 + 1 / counted))

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for normal rows, all of whose groups have their weight."""
        made = self.design(n, d, budget)
        noise, counted = made.noise_sd, n // made.size * made.size
        return sqrt(float(chdtri(d, 0.5)) * (noise**2 + 1 / counted))
