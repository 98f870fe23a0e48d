"""The place of a normal column anywhere on the line, by a stability-based histogram.  L17 Theorem 1.2.

Rows x of shape (n,), standard deviation sigma. Neighbours: replace one row.

With z = x/sigma:

    (1) counts of z in the bins [j, j + 1); discrete Laplace noise 2/ε on the populated ones
    (2) the largest noisy count, if it reaches a threshold that a lone row passes with probability at most δ
    (3) out = sigma (j + 1/2); no bin: no answer                            within 2.5 sigma of the mean

"paper": the threshold 1 + (2/ε) ln(2/δ). "tight": the least integer that the discrete noise allows. Under
zCDP: Gaussian noise and its exact threshold. Departures: z is capped at ±1e15.
"""

from dataclasses import dataclass

from workbench.errors import probability
from workbench.estimators.base import Abstention, Trace, Univariate, require_rows, standardised
from workbench.estimators.parts.locate.unit_histogram import UnitHistogram
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration


@dataclass(frozen=True, kw_only=True)
class StableLocation(Univariate[float]):
    """Private location of one column anywhere on the line, within 2.5 sigma (L17 Theorem 1.2).

    Accurate for normal rows of standard deviation `sigma`; with too few of them the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with 0 < delta <
    1/2.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    is in no bin.

    Parameters
    ----------
    sigma : float
        Standard deviation of the rows, known; in the unit of the data.
    calibration : {"paper", "tight"}, default "tight"
        Threshold of the source ("paper"), or the least that the noise allows ("tight").

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = StableLocation(sigma=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> abs(release.value - 3.0) <= 2.5
    True
    """

    sigma: float
    calibration: Calibration = "tight"

    @property
    def recipe(self) -> UnitHistogram:
        """The histogram on standardised rows."""
        return UnitHistogram(None, self.calibration)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charge of the histogram."""
        require_rows(n, d)
        return self.recipe.charge("locate", budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> float | Abstention:
        """Return the centre of the chosen bin for sanitised rows."""
        z, charge = standardised(x, 0.0, self.sigma), self.plan(len(x), 1, budget)["locate"]
        value = self.recipe.draw(z, charge, noise)  # (1) (2)
        return value if isinstance(value, Abstention) else self.sigma * value  # (3)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return 2.5 sigma where n suffices for normal rows, else infinity."""
        probability(beta=beta)
        return self.sigma * self.recipe.error_bound(n, self.plan(n, d, budget)["locate"].cost, beta)
