"""The private mean of a normal column about which nothing but sigma is known.  L17 Theorem 2.8, eq. (6).

Rows x of shape (n,), standard deviation sigma. Neighbours: replace one row. With z = x/sigma:

    (1) c = a private location of z on the whole line, with a share of ε and all of δ; none: no answer
    (2) y = mean(clip(z - c, ±w)) + noise, with the rest           sensitivity 2w/n given c
    (3) out = sigma (c + y), y un-biased first under `calibration="tight"`

"paper": a stability-based histogram with bins of width 1 and half of ε each (`parts.locate.histogram_mean`).
"tight", ours: the window-median mechanism without a range, and one Huber step (`parts.locate.window_mean`).

Departures of "paper": z is capped at ±1e15. A wrong bin is possible and silent, as in the source.
"""

from dataclasses import dataclass

from workbench.errors import probability
from workbench.estimators.base import Abstention, Trace, Univariate, require_rows, standardised
from workbench.estimators.parts.locate import clipping
from workbench.estimators.parts.locate.histogram_mean import HistogramMean
from workbench.estimators.parts.locate.window_mean import WindowMean
from workbench.estimators.parts.scale.critical import pivotal_width
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration


@dataclass(frozen=True, kw_only=True)
class UnboundedMean(Univariate[float]):
    """Private mean of one column, its range unknown (L17 Theorem 2.8).

    Accurate for normal rows of standard deviation `sigma`, wherever their mean is; with too few of them the
    release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0,
    below 1/2 for "paper".
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    others' mean is left: it is divided by their share, which is drawn with the sum at no cost. A share of
    absent rows that its noise hides shrinks the mean towards a private place near it.

    Parameters
    ----------
    sigma : float
        Standard deviation of the rows, known; in the unit of the data.
    beta : float, default 0.05
        Failure probability that sets the window of "paper".
    calibration : {"paper", "tight"}, default "tight"
        "paper" locates by a histogram, "tight" by the window-median mechanism, with an un-biased mean.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = UnboundedMean(sigma=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> abs(release.value - 3.0) < 0.2
    True
    """

    sigma: float
    beta: float = 0.05
    calibration: Calibration = "tight"

    @property
    def recipe(self) -> HistogramMean | WindowMean:
        """The steps on standardised rows."""
        if self.calibration == "paper":
            return HistogramMean(None, self.beta)
        return WindowMean(None)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of steps (1) and (2)."""
        require_rows(n, d)
        return self.recipe.plan(n, budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> float | Abstention:
        """Return the private mean of sanitised rows."""
        z, recipe = standardised(x, 0.0, self.sigma), self.recipe
        place = recipe.located(z, budget, noise)  # (1)
        if isinstance(place, Abstention):
            return place
        mean = recipe.averaged(z, place, budget, noise, trace)  # (2)
        return self.sigma * mean  # (3)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return the recipe's bound for normal rows, in the unit of the data."""
        probability(beta=beta)
        require_rows(n, d)
        return self.sigma * self.recipe.error_bound(n, budget, beta)

    def interval_reach(self, n: int, d: int, budget: Budget, level: float) -> float:
        """Return the critical value of the pivot (out - mean)/sigma, in the unit of the data."""
        if self.calibration == "paper":
            return self.error_bound(n, d, budget, level)
        require_rows(n, d)
        return self.sigma * pivotal_width(n, budget, level)

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return how far rows that are not normal may carry the mean, in words."""
        require_rows(n, d)
        return clipping.other_rows(self.sigma * self.recipe.bias(n, budget))

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean| for normal rows; infinite where most runs give no answer."""
        require_rows(n, d)
        return self.sigma * self.recipe.predicted_error(n, budget)
