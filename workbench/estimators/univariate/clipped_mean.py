"""The naive private mean: cut at a public bound, average, add noise.  L17 section 2.1, Lemma 2.2.

Rows x of shape (n,), standard deviation sigma, mean within `radius` of `centre`. Neighbours: replace one row.
With z = (x - centre)/sigma and R = radius/sigma:

    (1) B = R + √(2 ln(2n/β))
    (2) m = (1/n) Σ z_i [|z_i| ≤ B]                       sensitivity 2B/n
    (3) out = centre + sigma (m + Lap(2B/(nε)))           Gaussian noise under zCDP, GDP and (ε, δ)

Departures: the source leaves the constant of B open; this one drops no row with probability 1 - β. With
`calibration="tight"` rows beyond B are clipped instead of zeroed, and B minimises the predicted worst-case
mean squared error over the range.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import hypot, log, sqrt

import numpy as np

from workbench.errors import ArgumentError, probability
from workbench.estimators.base import Trace, Univariate, require_rows, standard_radius, standardised
from workbench.estimators.parts.budgets import mean_charge
from workbench.estimators.parts.foreseen import better_than
from workbench.estimators.parts.integers import mean_in_box
from workbench.estimators.parts.locate import clipping, huber
from workbench.estimators.parts.locate.clipping import clipped_mean, record_clipping, sensitivity
from workbench.estimators.parts.locate.laplace_normal import median_of_sum, noise_quantile, noise_sd
from workbench.estimators.parts.rescaled import counted_error, rescaled_mean
from workbench.privacy import ZCDP, ApproxDP, Budget, GaussianDP, NoiseSource, Plan, PureDP
from workbench.privacy.grid import OnGrid
from workbench.special import ndtr, ndtri
from workbench.types import Array, Calibration

_EXCESS = np.linspace(0.0, 6.0, 121)


@dataclass(frozen=True, kw_only=True)
class ClippedMean(Univariate[float]):
    """Private mean of one column on a short known range (L17 Lemma 2.2).

    Accurate for normal rows of standard deviation `sigma` with the mean within `radius` of `centre`; the
    error grows in proportion to `radius`.
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP, ApproxDP with delta > 0,
    ZCDP with delta = 0, GaussianDP.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    mean is divided by the share of rows that are there, which is drawn with the sum at no cost; a share of
    absent rows that its noise hides shrinks the mean towards `centre`.

    Parameters
    ----------
    radius : float
        The mean lies within it of `centre`; in the unit of the data, like `centre` and `sigma`.
    centre : float, default 0.0
        Middle of the range.
    sigma : float
        Standard deviation of the rows, known.
    beta : float, default 0.05
        Chance that the bound of "paper" cuts some normal row.
    calibration : {"paper", "tight"}, default "tight"
        "paper" zeroes rows beyond the bound; "tight" clips them at the bound of least predicted error.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import PureDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = ClippedMean(radius=10.0, sigma=1.0)(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> abs(release.value - 3.0) < 0.2
    True
    """

    radius: float
    centre: float = 0.0
    sigma: float
    beta: float = 0.05
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        standard_radius(self.radius, self.sigma)

    in_passes = True

    def bound(self, n: int, budget: Budget) -> float:
        """Return B of step (1), in standard deviations."""
        if self.calibration == "paper":
            return standard_radius(self.radius, self.sigma) + sqrt(2 * log(2 * n / self.beta))
        return _best_bound(standard_radius(self.radius, self.sigma), n, budget)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charge of step (3)."""
        require_rows(n, d)
        _require_additive(budget)
        return mean_charge("mean", sensitivity(n, self.bound(n, budget)), budget)

    def statistic(self, z: Array, bound: float) -> OnGrid:
        """Return m of step (2) on standardised rows, and how many are there."""
        if self.calibration == "paper":
            return mean_in_box(z, lambda rows: np.where(np.abs(rows) <= bound, rows, 0.0), bound, True)
        return clipped_mean(z, 0.0, bound, counted=True)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> float:
        """Return the private mean of sanitised rows."""
        z, bound = standardised(x, self.centre, self.sigma), self.bound(len(x), budget)  # (1)
        record_clipping(trace, z, 0.0, bound)
        charge = self.plan(len(x), 1, budget)["mean"]
        mean = rescaled_mean(self.statistic(z, bound), len(x), charge, noise)  # (2)
        return self.centre + self.sigma * float(mean[0])  # (3)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return Lemma 2.2 with constants: beta/3 each for cutting, sampling and noise; needs normal rows.

        For the tight bound the rows beyond B cost their worst-case bias, and beta/2 goes to each of the rest.
        All rows are taken to be there.
        """
        probability(beta=beta)
        charge, bound = self.plan(n, d, budget)["mean"], self.bound(n, budget)
        reach = standard_radius(self.radius, self.sigma)
        if self.calibration == "tight":
            bias = float(_bias(np.float64(bound - reach)))  # type: ignore[arg-type]
            exact, left = bias + sqrt(2 * log(4 / beta) / n), beta / 2
        else:
            left = (beta - 2 * n * float(ndtr(reach - bound))) / 2
            if left <= 0:
                return float("inf")
            exact = float(-ndtri(left / 2)) / sqrt(n)

        def error(part: float) -> float:
            return exact + noise_quantile(charge, part)

        return self.sigma * counted_error(error, reach, charge, n, left)

    interval_reach = error_bound

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return how far rows that are not normal may carry the mean, in words; proved.

        Rows beyond B take E (z - B)₊ from the mean, zeroed all of E z [z > B], at most B/(1 + (B - R)²).
        """
        require_rows(n, d)
        bound = self.bound(n, budget)
        beyond = bound - standard_radius(self.radius, self.sigma)
        lost = clipping.clipped_off(beyond) if self.calibration == "tight" else bound / (1 + beyond**2)
        return clipping.other_rows(self.sigma * lost)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean| for normal rows, the mean at an end of the range.

        Cutting moves the mean of such rows by E (Z - B + r)₊, r the half-length of the range. Infinite from
        `radius` on.
        """
        charge, bound = self.plan(n, d, budget)["mean"], self.bound(n, budget)
        reach = standard_radius(self.radius, self.sigma)
        bias = float(_bias(np.float64(bound - reach)))  # type: ignore[arg-type]
        expected = self.sigma * hypot(bias, median_of_sum(1 / sqrt(n), charge))
        return better_than(self.radius, expected)


def _require_additive(budget: Budget) -> None:
    match budget:
        case PureDP() | GaussianDP() | ZCDP(_, 0.0):
            return
        case ApproxDP(_, delta) if delta > 0:
            return
    allowed = "PureDP, ApproxDP with delta > 0, ZCDP with delta = 0, or GaussianDP"
    raise ArgumentError("budget", budget, allowed)


def _bias(excess: Array) -> Array:
    """Return E (Z - excess)₊: the bias of clipping this far beyond the mean."""
    return np.asarray(huber.density(excess) - excess * ndtr(-excess))


@lru_cache(maxsize=4096)
def _best_bound(radius: float, n: int, budget: Budget) -> float:
    unit = noise_sd(mean_charge("mean", sensitivity(n, 1.0), budget))
    objective = _bias(_EXCESS) ** 2 + (unit * (radius + _EXCESS)) ** 2
    return radius + float(_EXCESS[np.argmin(objective)])
