"""A univariate private mean for every coordinate.  M21/UG, the remark on known covariances (Karwa & Vadhan).

Rows x of shape (n, d), standard deviation sigma in every coordinate; every coordinate of the mean within
`radius` of `centre`, or anywhere if radius is None. Neighbours: replace one row.

    (1) b_1 = .. = b_d, a share of the budget each            one row is in every coordinate: shares add up
    (2) out_j = the tight univariate mean of coordinate j at b_j; one without an answer: none at all

Shares: ε/d of a pure budget; ρ/d and δ/d under zCDP; (ε, δ) is met by zCDP steps, half of δ for the
locations and half for the conversion, so that a coordinate has ε/√d rather than ε/d. Proof:
`proofs/gaussian_steps.md`, section 3.
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from workbench.errors import ArgumentError, few, probability, require_columns
from workbench.estimators.base import (
    MOST_CHARGED,
    Abstention,
    Estimator,
    Trace,
    in_columns,
    require_matrix,
    standard_radius,
    standardised,
)
from workbench.estimators.parts.budgets import concentrated, delivered
from workbench.estimators.parts.columns import length, of_column
from workbench.estimators.parts.foreseen import better_than, median_norm_found
from workbench.estimators.parts.locate.clipping import other_rows
from workbench.estimators.parts.locate.window_mean import WindowMean
from workbench.privacy import ZCDP, ApproxDP, Budget, NoiseSource, Plan, PureDP, Sequential
from workbench.types import Array, PerColumn


@dataclass(frozen=True, kw_only=True)
class CoordinatewiseMean(Estimator[Array]):
    """Private mean, each coordinate by itself (M21/UG, the remark on known covariances; KV18).

    Accurate for normal rows of standard deviation `sigma` in every coordinate; without a radius the release
    may be "no answer". Columns in units of their own have a `centre`, `radius` and `sigma` each.
    Guarantee: central model, one replaced row, for every input. Budgets: with a radius PureDP, or ZCDP with
    delta = 0; without one ApproxDP, or ZCDP, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    others' mean is left: it is divided by their share, which is drawn with the sum at no cost. A share of
    absent rows that its noise hides shrinks the mean towards a private place near it.

    Parameters
    ----------
    radius : float, tuple or None, default None
        Every coordinate of the mean lies within it of `centre`, or a tuple of one for
        each; None for anywhere.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.
    sigma : float or tuple
        Standard deviation of every coordinate, or a tuple of one for each, known; in the unit of the data.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
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
            self.recipe(j)

    def recipe(self, j: int) -> WindowMean:
        """Return the steps of one standardised coordinate."""
        radius, sigma = of_column(self.radius, j), of_column(self.sigma, j)
        reach = None if radius is None else standard_radius(radius, sigma)
        return WindowMean(reach, f" {j}")

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of every coordinate."""
        require_matrix(n, d)
        few(MOST_CHARGED, d=d)
        require_columns(d, radius=self.radius, centre=self.centre, sigma=self.sigma)
        share = shared(budget, d)
        parts = tuple(charge for j in range(d) for charge in self.recipe(j).plan(n, share).charges())
        return delivered(parts, budget) if isinstance(share, ZCDP) else Sequential("basic", parts)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private mean of sanitised rows."""
        share, out = shared(budget, x.shape[1]), np.empty(x.shape[1])  # (1)
        for j, column in enumerate(x.T):
            centre, sigma = of_column(self.centre, j), of_column(self.sigma, j)
            z = standardised(column, centre, sigma)
            value = self.recipe(j).estimate(z, share, noise, trace)  # (2)
            if isinstance(value, Abstention):
                return value
            out[j] = centre + sigma * value
        return out

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return the length of the bounds of the coordinates at beta/d, for normal rows."""
        probability(beta=beta)
        require_matrix(n, d)
        share = shared(budget, d)
        bounds = [self.recipe(j).error_bound(n, share, beta / d) for j in range(d)]
        return length(in_columns(self.sigma, d) * bounds)

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return how far rows that are not normal may carry the mean, in words."""
        require_matrix(n, d)
        share = shared(budget, d)
        biases = [self.recipe(j).bias(n, share) for j in range(d)]
        return other_rows(length(in_columns(self.sigma, d) * biases))

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for normal rows; infinite from √d radius/sigma on.

        Infinite, too, where some coordinate is sooner missed than not. Every coordinate is taken for the one
        of the longest range.
        """
        require_matrix(n, d)
        ranges = np.full(d, inf)
        if self.radius is not None:
            ranges = in_columns(self.radius, d) / in_columns(self.sigma, d)
        one = self.recipe(int(ranges.argmax())).predict(n, shared(budget, d))
        failure = 1 - (1 - one.failure) ** d
        trivial = inf if self.radius is None else length(ranges)
        return better_than(trivial, one.rms * median_norm_found(d, failure))


def shared(budget: Budget, d: int) -> Budget:
    """Return the budget of one of d coordinates."""
    match budget:
        case PureDP(epsilon):
            return PureDP(epsilon / d)
        case ZCDP(rho, delta):
            return ZCDP(rho / d, delta / d)
        case ApproxDP(_, delta) if delta > 0:
            return budget if d == 1 else shared(concentrated(budget), d)
    raise ArgumentError("budget", budget, "PureDP, ZCDP, or ApproxDP with delta > 0")
