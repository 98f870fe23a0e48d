"""PRIME where only a covariance is known.  LKKO21 Algorithms 3 and 15 to 17, Theorem 9.

Rows x of shape (n, d), covariance at most `upper` times the identity, mean within `radius` of `centre` in
every coordinate; a share `corruption` = a of them is anything. Neighbours: replace one row. The algorithm
is that of `mean/prime` but for

    (1) rows are clipped to a ball whose radius grows as √(d/a): of clean rows, a share a is beyond it
    (2) the second moment itself, not its excess over the identity, is what widens; any number of rows may go
    (3) the filter ends where it is at most a constant, `level`

and the error is of the order √(a upper). "tight", ours: `parts.filters.run`, `level` 1.1; "paper":
`parts.filters.paper_run`, `level` 1.5. `splits`: on so many disjoint parts of the rows, the most central of
their answers (LKKO21 Remark 1). Departures: the threshold of "tight" is not drawn (Z = 1), and no mean is
divided by less than n/10: a uniform Z can remove nearly all rows where n is small. Proof: `proofs/prime.md`.
"""

from dataclasses import dataclass
from math import sqrt

from workbench.estimators.base import Abstention, Estimator, Trace, recipe_of
from workbench.estimators.parts.filters.recipe import FilterRecipe
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration, PerColumn

MOST = 0.125  # of the rows: with more, another bin than the one of the mean may be the largest


@dataclass(frozen=True, kw_only=True)
class PrimeHeavyMean(Estimator[Array]):
    """Private mean of partly corrupted heavy-tailed rows: PRIME-ht (LKKO21 Theorem 9).

    Accurate for rows of covariance at most `upper` times the identity with every coordinate of the mean
    within `radius` of `centre`, a share `corruption` of them anything.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, GaussianDP,
    ApproxDP with delta > 0; for "paper" only ApproxDP, with 0 < delta < 1/2.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    is not among the rows that are left, whose number is released with the mean.

    Parameters
    ----------
    radius : float
        Every coordinate of the mean lies within it of `centre`; in the unit of the data.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.
    upper : float, default 1.0
        The covariance is at most this times the identity, in the square of the data's unit.
    corruption : float, default 0.05
        Share of the rows that may be anything.
    level : float or None, default None
        The filter ends where the second moment is at most `level` times `upper`; None for the calibration's
        own.
    passes : int or None, default None
        Most passes ("tight"), or rounds of an epoch ("paper"); None for the calibration's own.
    splits : int, default 1
        Disjoint parts of the rows, of whose answers the most central is released.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.
    beta : float, default 0.05
        Failure probability of the range of "paper".

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = 3.0 + np.random.default_rng(1).standard_t(3.0, size=(10_000, 2)) / 3**0.5
    >>> x[:500] += 5.0
    >>> release = PrimeHeavyMean(radius=10.0)(x, budget=ApproxDP(5.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 3.0).max() < 0.3)
    True
    """

    radius: float
    centre: PerColumn = 0.0
    upper: float = 1.0
    corruption: float = 0.05
    level: float | None = None
    passes: int | None = None
    splits: int = 1
    calibration: Calibration = "tight"
    beta: float = 0.05

    def _validate(self) -> None:
        self.recipe.check(MOST)

    @property
    def recipe(self) -> FilterRecipe:
        """The steps, in standard units."""
        return recipe_of(FilterRecipe, self, kind="heavy", unit=sqrt(self.upper))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for every step, in standard units."""
        return self.recipe.plan(n, d, budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private mean of sanitised rows."""
        return self.recipe.estimate(x, budget, noise, trace)  # (1) to (3)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/√upper for clean normal rows; infinite from radius/√upper on.

        Infinite for "paper", of which nothing is foreseen. Corrupted rows come on top.
        """
        return self.recipe.predicted_error(n, d, budget)
