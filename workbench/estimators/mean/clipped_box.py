"""One Gaussian mechanism on rows clipped to a public box: what every private mean has to beat.

After Kamath, Li, Singhal & Ullman (2019), the baseline of LKKO21's Figures 1 and 2. Rows x of shape (n, d),
every coordinate of the mean within `radius` of `centre`, standard deviation `sigma` in every direction.
Neighbours: replace one row.

    (1) b = radius + sigma √(2 ln(2nd/β))             nothing of normal data is clipped, probability 1 - β
    (2) m = (1/n) Σ w_i, w_i = clip(x_i - centre, ±b)                     l2-sensitivity 2b√d/n
    (3) out = centre + m + Gaussian noise

The error grows in proportion to the radius, and to d: a box has corners. `centre`, `radius` and `sigma` may
be one for each column, in its own unit. Then b_j is, too; with b the largest, (2) cuts
(x_ij - centre_j) b/b_j to ±b, and (3) has b_j/b times the noisy mean: noise of a column in proportion to b_j.
Proof: `proofs/gaussian_steps.md`, section 1.
"""

from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from workbench.errors import probability, require_columns
from workbench.estimators.base import Estimator, Trace, in_columns, require_matrix
from workbench.estimators.parts.budgets import require_gaussian
from workbench.estimators.parts.columns import length, median_of, tail_of
from workbench.estimators.parts.foreseen import better_than
from workbench.estimators.parts.integers import mean_in_box
from workbench.estimators.parts.rescaled import counted_error, rescaled_mean
from workbench.estimators.parts.rows import mean_sensitivity
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.mechanisms import gaussian_scale
from workbench.types import Array, PerColumn

STEP = "mean"


@dataclass(frozen=True, kw_only=True)
class ClippedBoxMean(Estimator[Array]):
    """Private mean in a known box, by one noisy step (LKKO21, baseline of Figures 1 and 2).

    Accurate for normal rows of standard deviation `sigma` in every direction with every coordinate of the
    mean within `radius` of `centre`; the error grows in proportion to `radius`. Columns in units of their own
    have a `centre`, `radius` and `sigma` each.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, GaussianDP,
    ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    mean is divided by the share of rows that are there, which is drawn with the sum at no cost; a share of
    absent rows that its noise hides shrinks the mean towards `centre`.

    Parameters
    ----------
    radius : float or tuple
        Every coordinate of the mean lies within it of `centre`, or a tuple of one for each; in the
        unit of the data.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.
    sigma : float or tuple
        Standard deviation of the rows in every direction, or a tuple of one for each column, known.
    beta : float, default 0.05
        Chance that some normal row is clipped.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(2000, 2))
    >>> release = ClippedBoxMean(radius=10.0, sigma=1.0)(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 3.0).max() < 0.2)
    True
    """

    radius: PerColumn
    centre: PerColumn = 0.0
    sigma: PerColumn
    beta: float = 0.05

    in_passes = True

    def reaches(self, n: int, d: int) -> Array:
        """Return b of step (1) for every column."""
        radius, sigma = in_columns(self.radius, d), in_columns(self.sigma, d)
        return np.asarray(radius + sigma * sqrt(2 * log(2 * n * d / self.beta)))

    def reach(self, n: int, d: int) -> float:
        """Return the largest b of a column."""
        return float(self.reaches(n, d).max())

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charge of step (3)."""
        require_matrix(n, d)
        require_columns(d, radius=self.radius, centre=self.centre, sigma=self.sigma)
        require_gaussian(budget)
        moved = mean_sensitivity(n, sqrt(d) * self.reach(n, d))
        return Charge(STEP, "gaussian", moved, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the private mean of sanitised rows."""
        n, d = x.shape
        reach, charge = self.reach(n, d), self.plan(n, d, budget)[STEP]  # (1)
        sides, centre = self.reaches(n, d) / reach, np.asarray(self.centre, np.float64)

        def standard(rows: Array) -> Array:
            apart = np.asarray(rows - centre)
            return apart if (sides == 1).all() else apart / sides

        noisy = rescaled_mean(mean_in_box(x, standard, reach, counted=True), n, charge, noise)  # (2)
        return np.asarray(centre + sides * noisy)  # (3)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on |out - mean|, true with probability 1 - beta, for normal rows.

        The chance that a row is clipped, the field `beta`, counts: infinite unless the argument is larger.
        All rows are taken to be there.
        """
        probability(beta=beta)
        if beta <= self.beta:
            return float("inf")
        charge = self.plan(n, d, budget)[STEP]
        sds = np.sqrt(in_columns(self.sigma, d) ** 2 / n + self._noise(n, d, budget) ** 2)

        def error(part: float) -> float:
            return tail_of(sds, part)

        away = length(in_columns(self.radius, d))
        return counted_error(error, away, charge, n, beta - self.beta)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for normal rows; infinite from √d radius/sigma on."""
        sigma = in_columns(self.sigma, d)
        variances = 1 / n + (self._noise(n, d, budget) / sigma) ** 2
        return better_than(length(in_columns(self.radius, d) / sigma), median_of(variances))

    def _noise(self, n: int, d: int, budget: Budget) -> Array:
        """Return the standard deviation of the noise of every column."""
        sd = gaussian_scale(self.plan(n, d, budget)[STEP])
        return np.asarray(sd * (self.reaches(n, d) / self.reach(n, d)))
