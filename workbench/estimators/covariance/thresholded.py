"""A sparse covariance: perturb, keep what stands out of the noise, repair.  WX19 Algorithm 1.

Rows x of shape (n, p), mean 0. Neighbours: replace one row.

    (1) r = the given radius, or a private quantile of the norms         with a share of the budget
    (2) T = (1/n) Σ w_i w_iᵀ + N, w_i shrunk to the ball of radius r     `covariance/perturbed`, with the rest
    (3) keep or shrink the entries of T by a rule                 `parts.sparse.thresholding`, post-processing
    (4) set negative eigenvalues to 0                                    at most doubles the spectral error

Both the matrix of (3) and that of (4) are returned; the support is that of (3), since the repair fills zeros.

The radius of (1), for rows of unknown norm (the source's second open problem), over 80 octaves:

    (a) counts of |x_i| over 321 bins, a quarter of an octave each, from 2⁻⁴⁰ to 2⁴⁰; zero and smaller norms
        are in the first bin, larger ones in the last                    l2-sensitivity √2: one row, two bins
    (b) noisy counts, those below 4.5 sd taken as 0
    (c) r = the smallest upper edge beyond which at most a share 1 - q of the rows is left; none: the last

Bins are public and every one gets noise. Where so few rows are given that no bin stands out of it, r is the
first edge, and the covariance is about 0: nothing is known, and nothing is said. With q = .9 the radius is
near the 90 % quantile of the norms, which for light and for heavy tails is better than their maximum.

`calibration="paper"` has the source's noise, its threshold (eq. 9) unless another `rule` is asked for, and
a given radius; its guarantee shows what is delivered beside what was requested. Beyond the source: rules
that need no unknown constant (its first open problem) and `radius=None`.
Proof: `proofs/sparse.md`, sections 1 to 3.
"""

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from workbench.distributions import SparseCovariance
from workbench.errors import ArgumentError, one_of
from workbench.estimators.base import Estimator, Trace, require_matrix
from workbench.estimators.covariance.perturbed import STEP, PerturbedCovariance, expected_norm, perturbed
from workbench.estimators.parts.budgets import step_budgets, steps_plan
from workbench.estimators.parts.integers import moment_in_ball, second_moment_within
from workbench.estimators.parts.rows import (
    only_present,
    require_radius,
    row_blocks,
    second_moment_sensitivity,
)
from workbench.estimators.parts.sparse.thresholding import DEFAULT, RULES, Noise, Rule, thresholded
from workbench.linalg import norms, psd_part
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.mechanisms import gaussian, gaussian_scale
from workbench.types import Array, Calibration

NORMS = "norms"
OCTAVES, PARTS = 40, 4
EDGES = 2.0 ** (np.arange(-OCTAVES * PARTS, OCTAVES * PARTS + 1) / PARTS)  # upper edges of the bins
SHARE, QUANTILE, SILENT = 0.05, 0.9, 4.5


@dataclass(frozen=True, kw_only=True)
class ThresholdedCovariance(Estimator[SparseCovariance]):
    """Private sparse covariance: noise, then small entries are dropped (WX19 Algorithm 1).

    Accurate for sub-Gaussian rows of mean 0 with few correlated columns. The value holds the thresholded
    matrix and its positive semidefinite part, which is what `numpy.asarray` gives.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0; with
    calibration "tight" also ZCDP with delta = 0, and GaussianDP.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    adds nothing: the covariance shrinks by the share that is absent.

    Parameters
    ----------
    radius : float or None, default None
        Rows are shrunk to this norm, in the unit of the data; None finds one, with a share of the budget.
    rule : str or None, default None
        How entries are kept: "adaptive-lasso", "hard", "paper", "bh" or "thinning". None for the adaptive
        lasso, and for equation (9) with calibration "paper".
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the noise of the source: the release says what that delivers. "tight" delivers the budget,
        with less noise off the diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(0.0, 0.1, size=(20_000, 5))
    >>> release = ThresholdedCovariance(radius=1.0)(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value.psd - 0.01 * np.eye(5)).max() < 0.001)
    True
    """

    radius: float | None = None
    rule: Rule | None = None
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        if self.radius is not None:
            require_radius(self.radius)
        one_of((None, *RULES), rule=self.rule)
        if self.calibration == "paper" and self.radius is None:
            raise ArgumentError("radius", None, "a number for calibration 'paper'")

    in_passes = True

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of steps (1), if no radius is given, and (2)."""
        require_matrix(n, d)
        if self.radius is None:
            return radius_plan(n, budget)
        return PerturbedCovariance(radius=self.radius, calibration=self.calibration).plan(n, d, budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> SparseCovariance:
        """Return both matrices of sanitised rows."""
        n, d = x.shape
        plan, rule = self.plan(n, d, budget), self.rule or DEFAULT[self.calibration]
        if self.radius is not None:
            released = perturbed(second_moment_within(x, self.radius), plan[STEP], noise)  # (2)
            return sparse(released, plan[STEP], n, rule, noise)
        radius = private_radius(x, plan[NORMS], noise)  # (1)
        released = perturbed(moment_in_ball(x, lambda rows: rows / radius, 1.0), plan[STEP], noise)  # (2)
        return sparse(released, plan[STEP], n, rule, noise).scaled(radius**2)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return that of `covariance/perturbed`, which thresholds lower where few columns are correlated.

        Infinite without a radius: no unit is known.
        """
        plan = self.plan(n, d, budget)
        return inf if self.radius is None else expected_norm(plan[STEP], n, d, self.radius)


def sparse(released: Array, charge: Charge, n: int, rule: Rule, noise: NoiseSource) -> SparseCovariance:
    """Return steps (3) and (4) on a released matrix whose noise has the scale of `charge`.

    The rows are not looked at again. Thinning alone draws, after the release: one uniform number, of which no
    charge is made since it sees no data, seeds the fresh noise that the rule adds to a released matrix.
    """
    sd = gaussian_scale(charge)
    off_diagonal = sd / sqrt(2) if charge.mechanism == "symmetric_gaussian" else sd
    fresh = np.random.default_rng(int(noise.uniform(0.0, 2.0**53)) if rule == "thinning" else 0)
    kept = thresholded(released, Noise(sd, off_diagonal, n), rule, fresh)  # (3)
    return SparseCovariance(kept, psd_part(kept))  # (4)


def radius_plan(n: int, budget: Budget) -> Plan:
    """Return the plan: a twentieth of μ² for the norms, the rest for the covariance of unit rows."""
    norm, moment = step_budgets(budget, (SHARE, 1 - SHARE))
    charges = (
        Charge(NORMS, "gaussian", sqrt(2), norm),
        Charge(STEP, "symmetric_gaussian", second_moment_sensitivity(n, 1.0), moment),
    )
    return steps_plan(budget, charges)


def norm_counts(x: Array) -> NDArray[np.int64]:
    """Return how many rows have their norm in each bin."""
    bins = (
        np.minimum(np.searchsorted(EDGES, only_present(norms(rows))), len(EDGES) - 1)
        for rows in row_blocks(x)
    )
    return np.asarray(sum(np.bincount(one, minlength=len(EDGES)) for one in bins))


def private_radius(x: Array, charge: Charge, noise: NoiseSource) -> float:
    """Return the radius of (c)."""
    noisy = gaussian(norm_counts(x), charge, noise)
    counts = np.where(noisy < SILENT * gaussian_scale(charge), 0.0, noisy)
    beyond = counts.sum() - np.cumsum(counts)
    enough = np.flatnonzero(beyond <= (1 - QUANTILE) * len(x))
    return float(EDGES[enough[0]] if len(enough) else EDGES[-1])
