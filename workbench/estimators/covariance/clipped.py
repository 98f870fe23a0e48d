"""One Gaussian mechanism on the second moment of clipped rows.  M21/UG, NaiveEstimator.

Rows x of shape (n, d), covariance at most `upper` times the identity. Neighbours: replace one row. The rows
have mean 0 if `centred`; otherwise they are paired first, m = ⌊n/2⌋ rows (x_1 - x_2)/√2 of mean 0.

    (1) g = √upper tail(d, β/m)                   no row of normal data is clipped, probability 1 - β
    (2) S = (1/m) Σ w_i w_iᵀ, w_i the row shrunk to the ball of radius g          sensitivity √2 g²/m
    (3) out = PSD part of S + N, N symmetric Gaussian

The noise is set by the longest axis: an axis that is shorter than √(noise) is lost, whatever n is worth
elsewhere. It is CoinPress with one step. Proof: `proofs/gaussian_steps.md`, section 2.
"""

from dataclasses import dataclass
from math import inf, sqrt

from workbench.estimators.base import Estimator, Trace, require_matrix
from workbench.estimators.parts.budgets import require_gaussian
from workbench.estimators.parts.foreseen import better_than, median_of_matrix
from workbench.estimators.parts.integers import moment_in_ball
from workbench.estimators.parts.rescaled import rescaled_moment
from workbench.estimators.parts.rows import (
    centred_count,
    centred_rows,
    require_spread,
    second_moment_sensitivity,
)
from workbench.linalg import psd_part, tail
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import gaussian_scale, symmetric_gaussian
from workbench.types import Array

STEP = "covariance"


@dataclass(frozen=True, kw_only=True)
class ClippedCovariance(Estimator[Array]):
    """Private covariance below a known bound, by one noisy step (M21/UG NaiveEstimator).

    Accurate for normal rows of covariance at most `upper` times the identity; axes that are short beside
    `upper` are lost in the noise.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, GaussianDP,
    ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It,
    or its pair, adds nothing, and the covariance is divided by the share that is there, which is drawn with
    the sum at no cost. A share of absent rows that its noise hides shrinks the covariance.

    Parameters
    ----------
    upper : float
        The covariance is at most this times the identity, in the square of the data's unit.
    lower : float or None, default None
        Least eigenvalue that matters, for the predicted error alone; None, and no error is predicted.
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise pairs (x_1 - x_2)/√2 take the place of the rows.
    beta : float, default 0.05
        Chance that some normal row is clipped.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(20_000, 2))
    >>> release = ClippedCovariance(upper=2.0)(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - np.eye(2)).max() < 0.1)
    True
    """

    upper: float
    lower: float | None = None
    centred: bool = False
    beta: float = 0.05

    def _validate(self) -> None:
        if self.lower is not None:
            require_spread(self.lower, self.upper)

    in_passes = True

    def reach(self, m: int, d: int) -> float:
        """Return g of step (1) for m rows of mean 0."""
        return sqrt(self.upper) * tail(d, self.beta / m)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charge of step (3)."""
        require_matrix(n, d)
        require_gaussian(budget)
        m = centred_count(n, self.centred)
        moved = second_moment_sensitivity(m, self.reach(m, d))
        return Charge(STEP, "symmetric_gaussian", moved, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the private covariance of sanitised rows."""
        (n, d), rows = x.shape, centred_rows(x, self.centred)
        charge = self.plan(n, d, budget)[STEP]

        def draw(joint: OnGrid) -> Array:
            return symmetric_gaussian(joint, charge, noise)

        moment = moment_in_ball(rows, lambda block: block, self.reach(len(rows), d), counted=True)  # (1) (2)
        return psd_part(rescaled_moment(moment, len(rows), charge, draw))  # (3)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error in the norm of Σ at Σ = `lower` I, the hardest; infinite from √d on.

        √d is the error of the zero matrix; infinite without `lower`. Needs normal rows.
        """
        sd = gaussian_scale(self.plan(n, d, budget)[STEP])
        m = centred_count(n, self.centred)
        if self.lower is None:
            return inf
        rms = sqrt(d * (d + 1) * (1 / m + (sd / self.lower) ** 2 / 2))
        return better_than(sqrt(d), median_of_matrix(rms, d))
