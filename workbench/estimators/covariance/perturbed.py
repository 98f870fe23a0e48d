"""The empirical covariance with noise on every entry.  WX19 equation (7), the first lines of Algorithm 1.

Rows x of shape (n, p), mean 0, norm at most `radius`. Neighbours: replace one row.

    (1) w_i = x_i, shrunk to the ball of radius r               whatever the rows are
    (2) S = (1/n) Σ w_i w_iᵀ                                     sensitivity √2 r²/n in Frobenius norm
    (3) T = S + N, N symmetric Gaussian                          sd σ on the diagonal, σ/√2 off it

`calibration="paper"`: every entry of the upper triangle has the sd that the source states, whose sensitivity
is that of an added row; the guarantee then shows what is delivered beside what was requested
(`parts.sparse.paper_noise`). `calibration="tight"`, ours: exactly the requested budget, with half of the
variance off the diagonal for the same privacy.

T is not positive semidefinite in general; `covariance/thresholded` repairs it. Departure: rows are clipped
here, where the source assumes their norm. Proof: `proofs/sparse.md`, section 1.
"""

from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np

from workbench.estimators.base import Estimator, Trace, require_matrix
from workbench.estimators.parts.budgets import require_gaussian
from workbench.estimators.parts.foreseen import better_than, median_noise_norm, median_norm
from workbench.estimators.parts.integers import second_moment_within
from workbench.estimators.parts.rows import require_radius, second_moment_sensitivity
from workbench.estimators.parts.sparse.paper_noise import paper_plan
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import gaussian, gaussian_scale, symmetric_gaussian
from workbench.types import Array, Calibration

STEP = "covariance"


@dataclass(frozen=True, kw_only=True)
class PerturbedCovariance(Estimator[Array]):
    """Private second moment of rows of known norm, noise on every entry (WX19 equation (7)).

    Accurate for rows of mean 0 and norm at most `radius`; the matrix need not be positive semidefinite.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0; with
    calibration "tight" also ZCDP with delta = 0, and GaussianDP.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    adds nothing: the covariance shrinks by the share that is absent.

    Parameters
    ----------
    radius : float
        Rows are shrunk to this norm, in the unit of the data.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the noise of the source: the release says what that delivers. "tight" delivers the budget,
        with less noise off the diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(0.0, 0.1, size=(10_000, 3))
    >>> release = PerturbedCovariance(radius=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 0.01 * np.eye(3)).max() < 0.003)
    True
    """

    radius: float
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        require_radius(self.radius)

    in_passes = True

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the one charge of step (3)."""
        require_matrix(n, d)
        sensitivity = second_moment_sensitivity(n, self.radius)
        if self.calibration == "paper":
            return paper_plan(STEP, sensitivity, budget)
        require_gaussian(budget)
        return Charge(STEP, "symmetric_gaussian", sensitivity, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the noisy second moment of sanitised rows."""
        n, d = x.shape
        charge = self.plan(n, d, budget)[STEP]
        moment = second_moment_within(x, self.radius)  # (1) (2)
        return perturbed(moment, charge, noise)  # (3)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median spectral error where rows lie on a circle; infinite from radius² on."""
        return expected_norm(self.plan(n, d, budget)[STEP], n, d, self.radius)


def expected_norm(charge: Charge, n: int, d: int, radius: float) -> float:
    """Return the median spectral norm of the noise, and of the sampling error of rows of this length.

    Rows on a circle have the largest: a traceless matrix with two entries of variance r⁴/(8n). Infinite where
    it is not below the radius², what the zero matrix errs by at most.
    """
    wider = 1.0 if charge.mechanism == "symmetric_gaussian" or d == 1 else sqrt(2)
    noise = wider * gaussian_scale(charge) * median_noise_norm(d)
    sampling = radius**2 * median_norm(min(d, 2)) / sqrt(8 * n)
    return better_than(radius**2, hypot(noise, sampling))


def perturbed(moment: OnGrid | Array, charge: Charge, noise: NoiseSource) -> Array:
    """Return a symmetric matrix with the noise of its charge, symmetric again."""
    if charge.mechanism == "symmetric_gaussian":
        return symmetric_gaussian(moment, charge, noise)
    above = np.triu_indices(len(moment))
    noisy = np.zeros(moment.shape)
    noisy[above] = gaussian(moment[above], charge, noise)
    return np.asarray(np.triu(noisy) + np.triu(noisy, 1).T)
