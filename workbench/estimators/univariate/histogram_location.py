"""The place of a normal column on a range, by a finite histogram.  L17 Theorem 1.1 and Corollary 2.4.

Rows x of shape (n,), standard deviation sigma, mean within `radius` of `centre`. Neighbours: replace one row.

With z = (x - centre)/sigma and R = radius/sigma:

    (1) counts of z in ⌈2R⌉ bins of width 1 from -R on, the end bins open       one row moves two counts by 1
    (2) j = the bin with the largest noisy count
    (3) out = centre + sigma (centre of bin j)                              within 2.5 sigma of the mean

"paper": Laplace noise 2/ε on all counts. "tight": exponential noise of mean 2/ε, of which only the winner is
seen. Under zCDP: Gaussian noise, and the exponential mechanism. Departures: the source's list of bins skips
one and has no bins at the ends.
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
from workbench.estimators.parts.locate.unit_histogram import UnitHistogram
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration


@dataclass(frozen=True, kw_only=True)
class HistogramLocation(Univariate[float]):
    """Private location of one column on a known range, within 2.5 sigma (L17 Corollary 2.4).

    Accurate for normal rows of standard deviation `sigma` with the mean within `radius` of `centre`.
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP, or ZCDP with delta = 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    is in no bin.

    Parameters
    ----------
    radius : float
        The mean lies within it of `centre`; in the unit of the data, like `centre` and `sigma`.
    centre : float, default 0.0
        Middle of the range.
    sigma : float
        Standard deviation of the rows, known.
    calibration : {"paper", "tight"}, default "tight"
        Laplace noise on all counts ("paper"), or exponential noise of which only the winner is seen
        ("tight").

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import PureDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> estimator = HistogramLocation(radius=1e4, sigma=1.0)
    >>> release = estimator(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> abs(release.value - 3.0) <= 2.5
    True
    """

    radius: float
    centre: float = 0.0
    sigma: float
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        standard_radius(self.radius, self.sigma)

    @property
    def recipe(self) -> UnitHistogram:
        """The histogram on standardised rows."""
        return UnitHistogram(standard_radius(self.radius, self.sigma), self.calibration)

    in_passes = True

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charge of the histogram."""
        require_rows(n, d)
        return self.recipe.charge("locate", budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> float | Abstention:
        """Return the centre of the chosen bin for sanitised rows."""
        z, charge = standardised(x, self.centre, self.sigma), self.plan(len(x), 1, budget)["locate"]
        value = self.recipe.draw(z, charge, noise)  # (1) (2)
        return value if isinstance(value, Abstention) else self.centre + self.sigma * value  # (3)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return 2.5 sigma where n suffices for normal rows, else infinity."""
        probability(beta=beta)
        return self.sigma * self.recipe.error_bound(n, self.plan(n, d, budget)["locate"].cost, beta)
