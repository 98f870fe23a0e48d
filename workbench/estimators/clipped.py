"""Private means of rows clipped to a known range, and column by column.  L17 section 2.1; KLSU19; M21/UG.

Rows of standard deviation sigma, the mean within `radius` of `centre`. Neighbours: replace one row. One
bounded step is what every private mean has to beat: its error grows in proportion to the radius.

`ClippedMean`, one column (L17 Lemma 2.2), with z = (x - centre)/sigma and R = radius/sigma:

    (1) B = R + √(2 ln(2n/β))
    (2) m = (1/n) Σ z_i [|z_i| ≤ B]                       sensitivity 2B/n
    (3) out = centre + sigma (m + Lap(2B/(nε)))           Gaussian noise under zCDP, GDP and (ε, δ)

Departures: the source leaves the constant of B open; this one drops no row with probability 1 - β. With
`calibration="tight"` rows beyond B are clipped instead of zeroed, and B minimises the predicted worst-case
mean squared error over the range.

`ClippedBoxMean`, rows x of shape (n, d), after Kamath, Li, Singhal & Ullman (2019), the baseline of LKKO21's
Figures 1 and 2:

    (1) b = radius + sigma √(2 ln(2nd/β))             nothing of normal data is clipped, probability 1 - β
    (2) m = (1/n) Σ w_i, w_i = clip(x_i - centre, ±b)                     l2-sensitivity 2b√d/n
    (3) out = centre + m + Gaussian noise

`centre`, `radius` and `sigma` may be a tuple of one number for each column. Then b_j is one for each, too;
with b the largest, (2) cuts (x_ij - centre_j) b/b_j to ±b, and (3) has b_j/b times the noisy mean. Proof:
`proofs/gaussian_steps.md`, section 1.

`CoordinatewiseMean`, a univariate mean for every coordinate (M21/UG, the remark on known covariances; Karwa &
Vadhan), anywhere if radius is None:

    (1) b_1 = .. = b_d, a share of the budget each            one row is in every coordinate: shares add up
    (2) out_j = the tight mean of `univariate/two-step-mean`, or without a radius of `unbounded-mean`, of
        coordinate j at b_j; one without an answer: none at all

Shares: ε/d of a pure budget; ρ/d and δ/d under zCDP; (ε, δ) is met by zCDP steps, half of δ for the
locations and half for the conversion, so that a coordinate has ε/√d rather than ε/d. Proof:
`proofs/gaussian_steps.md`, section 3.
"""

from functools import partial
from math import hypot, inf, log, sqrt
from typing import Any

import numpy as np

from workbench.errors import ArgumentError, few
from workbench.estimators.base import (
    MOST_CHARGED,
    Abstention,
    Estimator,
    Located,
    in_columns,
    standard_radius,
    standardised,
)
from workbench.estimators.release import FOR_OTHERS
from workbench.estimators.shared.budgets import (
    composed,
    concentrated,
    delivered,
    mean_charge,
    require_gaussian,
)
from workbench.estimators.shared.noisy_means import (
    better_than,
    counted_error,
    median_norm,
    median_of_mean,
    median_of_sum,
    noise_quantile,
    noise_sd,
    normal_beyond,
    rescaled_mean,
)
from workbench.estimators.shared.rows import from_centre, mean_in_box, mean_sensitivity
from workbench.estimators.two_step import WindowMean, clipped_mean, clipped_off, other_rows, sensitivity
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, NoiseSource, Plan, PureDP
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import gaussian_scale
from workbench.special import ndtr, ndtri
from workbench.types import Array, Calibration, PerColumn, public, remembered

EXCESS = np.linspace(0.0, 6.0, 121)  # B - R that are tried


@public
class ClippedMean(Located[float]):
    """Private mean of one column on a short known range (L17 Lemma 2.2).

    Accurate for normal rows of standard deviation `sigma` with the mean within `radius` of `centre`; the
    error grows in proportion to `radius`. `release.interval()` covers the mean of normal rows only: for
    others use `IntervalMean` (n at least about 1200/ε) or, between bounds, `BoundedMean`.
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
        Chance that some normal row is beyond the bound of "paper".
    calibration : {"paper", "tight"}, default "tight"
        "paper" zeroes rows beyond the bound; "tight" clips them at the bound of least predicted error.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = ClippedMean(radius=10.0, sigma=1.0)(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> abs(release.value - 3.0) < 0.2
    True
    """

    laws = f"normal rows only; {FOR_OTHERS}"

    radius: float
    centre: float = 0.0
    sigma: float
    beta: float = 0.05
    calibration: Calibration = "tight"

    in_passes = True

    def bound(self, n: int, budget: Budget) -> float:  # B
        if self.calibration == "tight":
            return best_bound(self.reach, n, budget)
        return float(self.reach + sqrt(2 * log(2 * n / self.beta)))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        if not isinstance(budget, PureDP):
            require_gaussian(budget)
        return mean_charge("mean", sensitivity(n, self.bound(n, budget)), budget)

    def statistic(self, z: Array, bound: float) -> OnGrid:  # m, and how many rows are there
        if self.calibration == "paper":
            return mean_in_box(z, lambda rows: np.where(np.abs(rows) <= bound, rows, 0.0), bound, True)
        return clipped_mean(z, 0.0, bound, counted=True)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> float:
        z, bound = self.standard(x), self.bound(len(x), budget)  # (1)
        charge = self.plan(len(x), 1, budget)["mean"]
        mean = rescaled_mean(self.statistic(z, bound), len(x), charge, noise)  # (2)
        return self.centre + self.sigma * float(mean[0])  # (3)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return Lemma 2.2 with constants: beta/3 each for cutting, sampling and noise; needs normal rows.

        For the tight bound the rows beyond B cost their worst-case bias, and beta/2 goes to each of the rest.
        All rows are taken to be there.
        """
        charge = self.plan(n, d, budget)["mean"]
        if self.calibration == "tight":
            sampling, left = self.bias(n, budget) + sqrt(2 * log(4 / beta) / n), beta / 2
        else:
            left = (beta - 2 * n * float(ndtr(self.reach - self.bound(n, budget)))) / 2
            if left <= 0:
                return inf
            sampling = float(-ndtri(left / 2)) / sqrt(n)
        noise, reach = partial(noise_quantile, charge), self.reach
        return self.sigma * counted_error(lambda part: sampling + noise(part), reach, charge, n, left)

    interval_reach = error_bound

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return how far other rows may carry the mean: E (z - B)₊, zeroed at most B/(1 + (B - R)²)."""
        bound = self.bound(n, budget)
        beyond = bound - self.reach
        bias = clipped_off(beyond) if self.calibration == "tight" else bound / (1 + beyond**2)
        return other_rows(self.sigma * bias)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean| for normal rows, the mean at an end of the range.

        Infinite from `radius` on.
        """
        charge = self.plan(n, d, budget)["mean"]
        error = hypot(self.bias(n, budget), median_of_sum(1 / sqrt(n), charge))
        return better_than(self.radius, self.sigma * error)

    def bias(self, n: int, budget: Budget) -> float:  # at an end of the range, if rows are normal
        return float(normal_beyond(np.asarray(self.bound(n, budget) - self.reach)))


@remembered
def best_bound(radius: float, n: int, budget: Budget) -> float:
    unit = noise_sd(mean_charge("mean", sensitivity(n, 1.0), budget))
    objective = normal_beyond(EXCESS) ** 2 + (unit * (radius + EXCESS)) ** 2
    return radius + float(EXCESS[np.argmin(objective)])


@public
class ClippedBoxMean(Estimator[Array]):
    """Private mean in a known box, by one noisy step (LKKO21, baseline of Figures 1 and 2).

    Accurate for normal rows of standard deviation `sigma` in every direction with every coordinate of the
    mean within `radius` of `centre`; the error grows in proportion to `radius`. Parameters as of
    `ClippedMean`; of `radius`, `centre` and `sigma` a number for all columns, or a tuple of one for each.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, GaussianDP,
    ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    mean is divided by the share of rows that are there, as in `ClippedMean`.

    Examples
    --------
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

    def reaches(self, n: int, d: int) -> Array:  # b_j
        radius, sigma = in_columns(self.radius, d), in_columns(self.sigma, d)
        return radius + sigma * sqrt(2 * log(2 * n * d / self.beta))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        require_gaussian(budget)
        moved = mean_sensitivity(n, sqrt(d) * float(self.reaches(n, d).max()))
        return Charge("mean", "gaussian", moved, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        n, d = x.shape
        centre = in_columns(self.centre, d)
        reaches, charge = self.reaches(n, d), self.plan(n, d, budget)["mean"]  # (1)
        reach = float(reaches.max())
        sides, apart = reaches / reach, from_centre(centre)
        mean = mean_in_box(x, lambda rows: apart(rows) / sides, reach, counted=True)
        noisy = rescaled_mean(mean, n, charge, noise)  # (2)
        return centre + sides * noisy  # (3)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on |out - mean|, true with probability 1 - beta, for normal rows.

        The chance that a row is clipped, the field `beta`, counts: infinite unless the argument is larger.
        All rows are taken to be there.
        """
        if beta <= self.beta:
            return inf
        charge = self.plan(n, d, budget)["mean"]
        sds = np.sqrt(in_columns(self.sigma, d) ** 2 / n + self.noise(n, d, budget) ** 2)
        away = length(in_columns(self.radius, d))
        return counted_error(lambda part: tail_of(sds, part), away, charge, n, beta - self.beta)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for normal rows; infinite from √d radius/sigma on."""
        sigma = in_columns(self.sigma, d)
        with np.errstate(over="ignore"):
            variances = 1 / n + (self.noise(n, d, budget) / sigma) ** 2
        if not np.isfinite(variances).all():
            return inf
        # of the length of independent N(0, v_j), by the χ² of the same mean and variance
        top = float(variances.max())
        shares = variances / top
        total = float(shares.sum())
        median = median_of_mean(sqrt(total * top), total**2 / float((shares**2).sum()))
        return better_than(length(in_columns(self.radius, d) / sigma), median)

    def noise(self, n: int, d: int, budget: Budget) -> Array:
        sd, reaches = gaussian_scale(self.plan(n, d, budget)["mean"]), self.reaches(n, d)
        return sd * (reaches / float(reaches.max()))


def length(values: Array) -> float:  # √d v, to the last bit, where all of them are v
    top = float(values.max())
    return sqrt(float(((values / top) ** 2).sum())) * top if top < inf else inf


def tail_of(sds: Array, beta: float) -> float:
    """Return √(Σ v + 2 √(Σ v² L) + 2 L max v), v = s², L = ln(1/beta) (Laurent & Massart 2000).

    The length of independent N(0, s_j²) exceeds it with probability at most beta.
    """
    top, far = float(sds.max()), log(1 / beta)
    shares = (sds / top) ** 2
    return sqrt(float(shares.sum()) + 2 * sqrt(float((shares**2).sum()) * far) + 2 * far) * top


def of_column(value: Any, j: int) -> Any:
    return value[j] if isinstance(value, tuple) else value


@public
class CoordinatewiseMean(Estimator[Array]):
    """Private mean, each coordinate by itself (M21/UG, the remark on known covariances; KV18).

    Accurate for normal rows of standard deviation `sigma` in every coordinate; without a radius the release
    may be "no answer". Other parameters as of `ClippedMean`, a number or a tuple of one for each column.
    Guarantee: central model, one replaced row, for every input. Budgets: with a radius PureDP, or ZCDP with
    delta = 0; without one ApproxDP, or ZCDP, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    others' mean is left: it is divided by their share, which is drawn with the sum at no cost. A share of
    absent rows that its noise hides shrinks the mean towards a private place near it.

    Parameters
    ----------
    radius : float, tuple or None, default None
        Every coordinate of the mean lies within it of `centre`; None for anywhere.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(3000, 2))
    >>> release = CoordinatewiseMean(sigma=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 3.0).max() < 0.2)
    True
    """

    radius: PerColumn | None = None
    centre: PerColumn = 0.0
    sigma: PerColumn

    def _validate(self) -> None:
        given = [len(one) for one in (self.radius, self.sigma) if isinstance(one, tuple)]
        for j in range(min(given, default=1)):
            self.steps(j)

    def steps(self, j: int) -> WindowMean:
        radius, sigma = of_column(self.radius, j), of_column(self.sigma, j)
        return WindowMean(None if radius is None else standard_radius(radius, sigma), f" {j}")

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        few(MOST_CHARGED, d=d)
        self.steps(0).locator.charge("locate", budget)  # raises for the whole budget, not for a share of it
        share = shared(budget, d)
        parts = tuple(charge for j in range(d) for charge in self.steps(j).plan(n, share).charges())
        return delivered(parts, budget) if isinstance(share, ZCDP) else composed(budget, *parts)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        share, out = shared(budget, x.shape[1]), np.empty(x.shape[1])  # (1)
        for j, column in enumerate(x.T):
            centre, sigma = of_column(self.centre, j), of_column(self.sigma, j)
            found = self.steps(j).counted(standardised(column, centre, sigma), share, noise)  # (2)
            if isinstance(found, Abstention):
                return found
            out[j] = centre + sigma * found[0]
        return out

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return the length of the bounds of the coordinates at beta/d, for normal rows."""
        share = shared(budget, d)
        bounds = [self.steps(j).error_bound(n, share, beta / d) for j in range(d)]
        return length(in_columns(self.sigma, d) * bounds)

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return how far other rows may carry the mean, in words."""
        biases = [self.steps(j).bias(n, shared(budget, d)) for j in range(d)]
        return other_rows(length(in_columns(self.sigma, d) * biases))

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for normal rows; infinite from √d radius/sigma on.

        And where some coordinate is sooner missed than not. All are taken for the one of the longest range.
        """
        ranges = np.full(d, inf)
        if self.radius is not None:
            ranges = in_columns(self.radius, d) / in_columns(self.sigma, d)
        one = self.steps(int(ranges.argmax())).design(n, shared(budget, d))
        failure = 1 - (1 - one.failure) ** d
        return better_than(length(ranges), one.rms * median_norm(d, failure))


def shared(budget: Budget, d: int) -> Budget:
    match budget:
        case PureDP(epsilon):
            return PureDP(epsilon / d)
        case ZCDP(rho, delta):
            return ZCDP(rho / d, delta / d)
        case ApproxDP(_, delta) if delta > 0:
            return budget if d == 1 else shared(concentrated(budget), d)
    raise ArgumentError("budget", budget, "PureDP, ZCDP, or ApproxDP with delta > 0")
