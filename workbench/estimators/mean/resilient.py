"""A robust private mean in one to three dimensions, rows sub-Gaussian.  LKKO21 Algorithm 2, Theorem 7.

Rows x of shape (n, d), d = 1, 2 or 3, every coordinate of the mean within `radius` of `centre`; along every
direction the clean rows have the spread of a normal law of standard deviation `sigma`, or less; a fraction
`corruption`, α < 1/6, may be anything. Neighbours: replace one row.

    (1) w = 2 sigma Φ⁻¹(1 - α): the width between the α-tails of a clean direction
    (2) test that no direction is wider, then draw by distance to trimmed means (`parts.nets.trimmed_net`)

No answer comes from rows that are wider than w, and from too few of them: with ε₁ the share of the test,
g ε₁ has to exceed ln(1/(2δ)), and g is about .07 n where α = .05 of the rows sit on one side.

Departures: `parts.nets.trimmed_net` says which; and the range is public, where the source finds it by its
DPrange. Proof: `proofs/resilience.md`, sections 2 to 4.
"""

from dataclasses import dataclass

from workbench.estimators.base import Abstention, Estimator, Trace, recipe_of
from workbench.estimators.parts.nets.direction_net import grid_size
from workbench.estimators.parts.nets.trimmed_net import CHECK_SHARE, TrimmedNet, require_corruption
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.special import ndtri
from workbench.types import Array, PerColumn


@dataclass(frozen=True, kw_only=True)
class ResilientMean(Estimator[Array]):
    """Private mean of partly corrupted sub-Gaussian rows in one to three dimensions (LKKO21 Theorem 7).

    Accurate for clean rows with the spread of a normal law of standard deviation `sigma`, or less, and every
    coordinate of the mean within `radius` of `centre`; rows that are wider, or too few, give "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with 0 < delta <
    1/2.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place.
    Absent rows lie at either end in turn: `corruption` has to allow for them.

    Parameters
    ----------
    radius : float
        Every coordinate of the mean lies within it of `centre`; in the unit of the data.
    corruption : float
        Share α of the rows that may be anything, between 0 and 1/6.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.
    sigma : float, default 1.0
        Standard deviation of the clean rows in any direction, at most.
    step : float, default 0.1
        Largest spacing of the grid of candidates, in two or three dimensions, in the unit of the data.
    check : float, default 1/3
        Share of ε that the test takes.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(2000, 2))
    >>> x[:100] = 9.0
    >>> estimator = ResilientMean(radius=5.0, corruption=0.05)
    >>> release = estimator(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 3.0).max() < 0.3)
    True
    """

    radius: float
    corruption: float
    centre: PerColumn = 0.0
    sigma: float = 1.0
    step: float = 0.1
    check: float = CHECK_SHARE

    def _validate(self) -> None:
        require_corruption(self.corruption)
        assert self.recipe

    @property
    def recipe(self) -> TrimmedNet:
        """Step (2)."""
        return recipe_of(TrimmedNet, self, width=2 * self.sigma * float(-ndtri(self.corruption)))  # (1)

    def candidates(self, d: int) -> int:
        """Return the number of points that t is drawn from."""
        return grid_size(d, self.radius, self.step)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of the test and of the draw."""
        return self.recipe.plan(n, d, budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private mean of sanitised rows, or no answer."""
        return self.recipe.draw(x, budget, noise, trace)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for clean normal rows; infinite from √d radius/sigma on.

        Infinite, too, where most runs give no answer. Corrupted rows come on top.
        """
        return self.recipe.predicted_error(n, d, budget, self.sigma)
