"""The private filter by single directions.  LKKO21 Algorithms 1 and 6 to 8, Theorem 5.

Rows x of shape (n, d), covariance sigma² I, mean within `radius` of `centre` in every coordinate; a share
`corruption` = a of them is anything. Neighbours: replace one row. Like `mean/prime`, but a row's score is the
square of its distance from the mean along the widest direction alone: every pass attends to one direction, so
that as many passes are needed as there are directions in which corrupted rows hide.

    (1) the mean roughly, and a ball (tight) or box (paper) of diameter D to which the rows are clipped
    (2) passes: a private size, mean, second moment and its top eigenvector v; τ = ⟨v, x - mean⟩²
    (3) among the 2an highest scores, those above a threshold are removed
    (4) the mean of the rows that are left, with noise

"tight", ours: `parts.filters.run`, with PRIME's private threshold. "paper": `parts.filters.paper_run`; the
threshold is D² Z, Z uniform, and D²/ln(1/a) passes are taken, thousands, unless `passes` says otherwise.
`splits`: on so many disjoint parts of the rows, the most central of their answers. Proof: `proofs/prime.md`.
"""

from dataclasses import dataclass

from workbench.estimators.base import Abstention, Estimator, Trace, recipe_of
from workbench.estimators.parts.filters.recipe import FilterRecipe
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration, PerColumn

MOST = 0.2  # of the rows: with more, another bin than the one of the mean may be the largest


@dataclass(frozen=True, kw_only=True)
class FilterMean(Estimator[Array]):
    """Private mean of partly corrupted rows, filtered direction by direction (LKKO21 Theorem 5).

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
        Most passes of the filter; None for the calibration's own, thousands for "paper".
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
    >>> release = FilterMean(radius=10.0)(x, budget=ApproxDP(5.0, 1e-6), rng=np.random.default_rng(2))
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
        return recipe_of(FilterRecipe, self, kind="directions", unit=self.sigma)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for every step, in standard units."""
        return self.recipe.plan(n, d, budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private mean of sanitised rows."""
        return self.recipe.estimate(x, budget, noise, trace)  # (1) to (4)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for clean normal rows; infinite from radius/sigma on.

        Infinite for "paper", of which nothing is foreseen. Corrupted rows come on top.
        """
        return self.recipe.predicted_error(n, d, budget)
