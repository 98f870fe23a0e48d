"""PRIME: a private mean that corrupted rows cannot move far.  LKKO21 Algorithms 9 to 13, Theorem 6.

Rows x of shape (n, d), covariance sigma² I, mean within `radius` of `centre` in every coordinate; a share
`corruption` = a of them is anything. Neighbours: replace one row. Corrupted rows that move the mean widen the
rows in some direction: they are scored by a matrix that looks at all wide directions at once, and the highest
scores are removed. The error is of the order a √(ln 1/a), whatever d is.

    (1) the mean roughly, and a ball (tight) or box (paper) round it to which the rows are clipped
    (2) passes: a private second moment; directions weighed by its matrix exponential; a private threshold of
        the scores; among the 2an highest ones, those above it are removed
    (3) the mean of the rows that are left, with noise

"tight", ours: `parts.filters.run`. One release of count, sum and second moment answers all questions of a
pass; all steps are Gaussian, and those that are not needed any more go to the mean. `level` = C of
λ - 1 ≤ C a ln 1/a, where the filter ends, is 1: a cluster that stays below it moves the mean by at most
a √(ln 1/a)/√(1 - a); `passes` is 8. "paper": `parts.filters.paper_run`, with the source's queries, constants
as far as they are recalled, and corrected budgets. `level` is 2, `passes` the T₂ = ⌊ln d⌋ rounds of every
epoch. It needs 10⁷ rows at d = 3, and for d = 10 and T₂ = ⌊ln d⌋ no number of rows is enough
(claim robust-and-private/log-rounds-suffice).

`splits`: on so many disjoint parts of the rows, the most central of their answers. Departures: see the two
modules. Proof: `proofs/prime.md`.
"""

from dataclasses import dataclass

from workbench.estimators.base import Abstention, Estimator, Trace, recipe_of
from workbench.estimators.parts.filters.recipe import FilterRecipe
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration, PerColumn

MOST = 0.2  # of the rows: with more, another bin than the one of the mean may be the largest


@dataclass(frozen=True, kw_only=True)
class PrimeMean(Estimator[Array]):
    """Private mean of partly corrupted rows, filtered in all directions at once: PRIME (LKKO21 Theorem 6).

    Accurate for rows of covariance sigma² I, normal or lighter, with every coordinate of the mean within
    `radius` of `centre`, a share `corruption` of them anything.
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
    sigma : float, default 1.0
        Standard deviation of the rows in every direction, known.
    corruption : float, default 0.05
        Share of the rows that may be anything.
    level : float or None, default None
        The filter ends where the excess variance is at most `level` a ln 1/a, a = `corruption`; None for the
        calibration's own.
    passes : int or None, default None
        Most passes ("tight"), or rounds of an epoch ("paper"); None for the calibration's own.
    splits : int, default 1
        Disjoint parts of the rows, of whose answers the most central is released.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.
    beta : float, default 0.05
        Chance that a normal row lies beyond the ball or box to which rows are clipped.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(10_000, 2))
    >>> x[:500] += 5.0
    >>> release = PrimeMean(radius=10.0)(x, budget=ApproxDP(5.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 3.0).max() < 0.2)
    True
    """

    radius: float
    centre: PerColumn = 0.0
    sigma: float = 1.0
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
        return recipe_of(FilterRecipe, self, kind="matrices", unit=self.sigma)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for every step, in standard units."""
        return self.recipe.plan(n, d, budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private mean of sanitised rows."""
        return self.recipe.estimate(x, budget, noise, trace)  # (1) to (3)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for clean normal rows; infinite from radius/sigma on.

        Infinite for "paper", of which nothing is foreseen. Corrupted rows come on top.
        """
        return self.recipe.predicted_error(n, d, budget)
