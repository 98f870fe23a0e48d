"""The private median of a column on a range, by the exponential mechanism.  LKKO21 Algorithm 14 at d = 1.

Rows x of shape (n,), median within `radius` of `centre`. Neighbours: replace one row.
With z = (x - centre)/sigma:

    (1) t = a draw from the density ∝ e^(-ε m(t)/2) on [-radius/sigma, radius/sigma]     m has sensitivity 1
    (2) out = centre + sigma t

"paper": m(t) = |n - 2 #{z_i < t}|/2, the depth. "tight", ours: the larger of that and the number of rows
outside [t - 4, t + 4] (`parts.locate.window_median`), which finds the data with half the rows when the range
is long; its precision near the median is the same. `sigma` is the unit of the window and unused by "paper".
"""

from dataclasses import dataclass

from workbench.errors import probability
from workbench.estimators.base import Trace, Univariate, require_rows, standard_radius, standardised
from workbench.estimators.parts.foreseen import better_than
from workbench.estimators.parts.locate.law import located_within, uniform_deviation
from workbench.estimators.parts.locate.window_mean import WINDOW, located_median
from workbench.estimators.parts.locate.window_median import EVERYTHING, WindowMedian
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.special import ndtr
from workbench.types import Array, Calibration


@dataclass(frozen=True, kw_only=True)
class Median(Univariate[float]):
    """Private median of one column on a known range (LKKO21 Algorithm 14 at d = 1).

    Accurate for any rows whose density is not small near the median, which lies within `radius` of `centre`;
    the error bound is for normal rows.
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP, or ZCDP with delta = 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    is on no side: the median is that of the others.

    Parameters
    ----------
    radius : float
        The median lies within it of `centre`; in the unit of the data, like `centre` and `sigma`.
    centre : float, default 0.0
        Middle of the range.
    sigma : float
        Unit of the window of "tight": about the standard deviation of most rows.
    calibration : {"paper", "tight"}, default "tight"
        "paper" draws by depth, "tight" by depth and a window, which finds the data with fewer rows.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import PureDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = Median(radius=1e6, sigma=1.0)(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> abs(release.value - 3.0) < 0.2
    True
    """

    radius: float
    centre: float = 0.0
    sigma: float
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        standard_radius(self.radius, self.sigma)

    @property
    def locator(self) -> WindowMedian:
        """The mechanism of step (1): without a window, every row lies inside it."""
        reach = standard_radius(self.radius, self.sigma)
        window = WINDOW if self.calibration == "tight" else EVERYTHING
        return WindowMedian(left=window, right=window, low=-reach, high=reach)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the one charge of step (1)."""
        require_rows(n, d)
        return self.locator.charge("locate", budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> float:
        """Return the private median of sanitised rows."""
        z, charge = standardised(x, self.centre, self.sigma), self.plan(len(x), 1, budget)["locate"]
        position = self.locator.draw(z, charge, noise)  # (1)
        assert position is not None
        return self.centre + self.sigma * position  # (2)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - median| for normal rows; infinite from `radius` on."""
        cost = self.plan(n, d, budget)["locate"].cost
        return better_than(self.radius, self.sigma * located_median(self.locator, n, cost))

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a proved bound for normal rows: DKW and the draw take beta/2 each."""
        probability(beta=beta)
        plan = self.plan(n, d, budget)
        deviation = uniform_deviation(n, beta / 2)
        cost = plan["locate"].cost
        return self.sigma * located_within(self.locator, n, cost, beta / 2, ndtr, deviation)
