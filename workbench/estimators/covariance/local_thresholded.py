"""A sparse covariance in the local model: every user adds the noise.  WX19 Algorithm 2.

One row x_i of p numbers per user, mean 0, norm at most `radius`. Nobody but the user sees the row.

    (1) user i releases R_i = w_i w_iᵀ + N_i, w_i = x_i shrunk to the ball of radius r     sensitivity √2 r²
    (2) the server averages the n releases
    (3) thresholds and (4) repairs, as in `covariance/thresholded`                          post-processing

`LocalThresholdedCovariance.randomise` is what one user runs, and what an audit attacks. A run here draws the
average of the n noises at once: the mean of independent N(0, σ²) is N(0, σ²/n), equal in law. The step
`users` is charged what every user's own release costs, at sensitivity √2 r²/√n, which is the average's.
Exact noise is rounded once for the average, which is a function of the average of releases that are not.

Departures: the sensitivity is √2 r² (the source takes r²: the guarantee of `calibration="paper"` shows what
its noise delivers), and rows are clipped. Proof: `proofs/sparse.md`, section 4.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from workbench.distributions import SparseCovariance
from workbench.errors import ArgumentError, one_of
from workbench.estimators.base import Estimator, Trace, require_matrix, sanitised
from workbench.estimators.covariance.perturbed import expected_norm, perturbed
from workbench.estimators.covariance.thresholded import sparse
from workbench.estimators.parts.budgets import require_gaussian
from workbench.estimators.parts.integers import second_moment_within
from workbench.estimators.parts.rows import require_radius, second_moment_sensitivity
from workbench.estimators.parts.sparse.paper_noise import paper_plan
from workbench.estimators.parts.sparse.thresholding import DEFAULT, RULES, Rule
from workbench.estimators.reading import read
from workbench.privacy import Budget, Charge, NoiseSource, Plan, noise_source
from workbench.types import Array, Calibration

USERS = "users"


@dataclass(frozen=True, kw_only=True)
class LocalThresholdedCovariance(Estimator[SparseCovariance]):
    """Private sparse covariance in the local model: every user adds the noise (WX19 Algorithm 2).

    Accurate for rows of mean 0 and norm at most `radius` with few correlated columns.
    Guarantee: local model, every user's own row, for every input. Budgets: ApproxDP with delta > 0; with
    calibration "tight" also ZCDP with delta = 0, and GaussianDP.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    user sends noise alone: the covariance shrinks by the share that is absent.

    Parameters
    ----------
    radius : float
        Rows are shrunk to this norm, in the unit of the data.
    rule : str or None, default None
        How entries are kept: "adaptive-lasso", "hard", "paper", "bh" or "thinning". None for the adaptive
        lasso, and for equation (9) with calibration "paper".
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the noise of the source: the release says what that delivers. "tight" delivers the budget,
        with less noise off the diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import GaussianDP
    >>> x = np.random.default_rng(1).normal(0.0, 0.1, size=(1000, 2))
    >>> estimator = LocalThresholdedCovariance(radius=1.0)
    >>> release = estimator(x, budget=GaussianDP(1.0), rng=np.random.default_rng(2))
    >>> release.guarantee.model
    'local'
    """

    radius: float
    rule: Rule | None = None
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        require_radius(self.radius)
        one_of((None, *RULES), rule=self.rule)

    model = "local"
    in_passes = True

    def randomise(self, row: object, *, budget: Budget, rng: object) -> Array:
        """Return step (1): what the user of one row of shape (p,) releases."""
        own = one_row(row)
        charge = self.plan(1, own.shape[1], budget)[USERS]
        with np.errstate(all="ignore"):
            return perturbed(second_moment_within(own, self.radius), charge, noise_source(rng))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the one charge of step (1), in the unit of the average."""
        require_matrix(n, d, least=1)
        sensitivity = second_moment_sensitivity(1, self.radius) / sqrt(n)
        if self.calibration == "paper":
            return paper_plan(USERS, sensitivity, budget)
        require_gaussian(budget)
        return Charge(USERS, "symmetric_gaussian", sensitivity, budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> SparseCovariance:
        """Return both matrices of sanitised rows."""
        n, d = x.shape
        charge = self.plan(n, d, budget)[USERS]
        released = perturbed(second_moment_within(x, self.radius), charge, noise)  # (1) (2)
        return sparse(released, charge, n, self.rule or DEFAULT[self.calibration], noise)  # (3) (4)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return that of the released average, which thresholds lower where few columns are correlated."""
        return expected_norm(self.plan(n, d, budget)[USERS], n, d, self.radius)


def one_row(row: object) -> Array:
    """Return the row of one user, shape (1, p); one with an unusable entry is a zero row."""
    values, _ = read(row)
    if values.ndim != 1 or not values.size:
        raise ArgumentError("row", f"array of shape {values.shape}", "the numbers of one user: shape (p,)")
    return sanitised(values[None, :])
