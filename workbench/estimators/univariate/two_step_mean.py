"""The private mean on a range: locate roughly, then average around the place.  L17 Theorem 2.5, eq. (2).

Rows x of shape (n,), standard deviation sigma, mean within `radius` of `centre`. Neighbours: replace one row.
With z = (x - centre)/sigma and R = radius/sigma:

    (1) c = a private location of z in [-R, R], with a share of the budget
    (2) y = mean(clip(z - c, ±w)) + noise, with the rest           sensitivity 2w/n given c
    (3) out = centre + sigma (c + y), y un-biased first under `calibration="tight"`

"paper": a histogram with bins of width 1 and half of ε each (`parts.locate.histogram_mean`). "tight", ours:
the window-median mechanism and one Huber step, designed by a public error formula
(`parts.locate.window_mean`).

Departures of "paper": ⌈2R⌉ bins cover the range (the source's numbering skips one), the end bins are open.
"""

from dataclasses import dataclass

from workbench.errors import probability
from workbench.estimators.base import (
    Abstention,
    Trace,
    Univariate,
    require_rows,
    standard_radius,
    standardised,
)
from workbench.estimators.parts.foreseen import better_than
from workbench.estimators.parts.locate import clipping
from workbench.estimators.parts.locate.histogram_mean import HistogramMean
from workbench.estimators.parts.locate.window_mean import WindowMean
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration


@dataclass(frozen=True, kw_only=True)
class TwoStepMean(Univariate[float]):
    """Private mean of one column whose range is known only roughly (L17 Theorem 2.5).

    Accurate for normal rows of standard deviation `sigma` with the mean within `radius` of `centre`; a long
    range costs little.
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP, or ZCDP with delta = 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    others' mean is left: it is divided by their share, which is drawn with the sum at no cost. A share of
    absent rows that its noise hides shrinks the mean towards a private place near it.

    Parameters
    ----------
    radius : float
        The mean lies within it of `centre`; in the unit of the data, like `centre` and `sigma`.
    centre : float, default 0.0
        Middle of the range.
    sigma : float
        Standard deviation of the rows, known.
    beta : float, default 0.05
        Failure probability that sets the window of "paper".
    calibration : {"paper", "tight"}, default "tight"
        "paper" locates by a histogram, "tight" by the window-median mechanism, with an un-biased mean.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import PureDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = TwoStepMean(radius=1e6, sigma=1.0)(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
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

    @property
    def recipe(self) -> HistogramMean | WindowMean:
        """The steps on standardised rows."""
        reach = standard_radius(self.radius, self.sigma)
        if self.calibration == "paper":
            return HistogramMean(reach, self.beta)
        return WindowMean(reach)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of steps (1) and (2)."""
        require_rows(n, d)
        return self.recipe.plan(n, budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> float | Abstention:
        """Return the private mean of sanitised rows."""
        z, recipe = standardised(x, self.centre, self.sigma), self.recipe
        place = recipe.located(z, budget, noise)  # (1)
        if isinstance(place, Abstention):
            return place
        mean = recipe.averaged(z, place, budget, noise, trace)  # (2)
        return self.centre + self.sigma * mean  # (3)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return the recipe's bound for normal rows, in the unit of the data."""
        probability(beta=beta)
        require_rows(n, d)
        return self.sigma * self.recipe.error_bound(n, budget, beta)

    interval_reach = error_bound

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return how far rows that are not normal may carry the mean, in words."""
        require_rows(n, d)
        return clipping.other_rows(self.sigma * self.recipe.bias(n, budget))

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean| for normal rows; infinite from `radius` on.

        Infinite, too, where the location is sooner missed than found.
        """
        require_rows(n, d)
        return better_than(self.radius, self.sigma * self.recipe.predicted_error(n, budget))
