"""The private standard deviation of a column, its mean unknown.  Karwa & Vadhan 2018, Section 4.

Rows x of shape (n,), of which nothing is known, or sigma within [lower, upper]. Neighbours: replace one row.

"paper" (`parts.scale.exponent_scale`): a histogram of the binary exponents of pair differences; sigma up to a
factor: sigma ≤ out ≤ 8 sigma. "tight", ours (`parts.scale.winsorised_scale`): a window-median location of log
differences, then winsorised variances within groups, un-biased for normal rows.

Both use differences of rows that are neighbours in the order given, so that each row touches one of them.
"""

from dataclasses import dataclass
from math import inf

from workbench.errors import ArgumentError, probability
from workbench.estimators.base import Abstention, Trace, Univariate, require_rows
from workbench.estimators.parts.scale.exponent_scale import ExponentScale, scale_of
from workbench.estimators.parts.scale.winsorised_scale import WinsorisedScale
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration

LEAST_ROWS = 4


@dataclass(frozen=True, kw_only=True)
class Scale(Univariate[float]):
    """Private standard deviation of one column, its mean unknown (KV18 Section 4).

    Accurate for normal rows, at least 4, of any mean; without a range of sigma the release may be "no
    answer".
    Guarantee: central model, one replaced row, for every input. Budgets: with a range PureDP, or ZCDP with
    delta = 0; without one ApproxDP or ZCDP, with delta > 0, below 1/2 for "paper".
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    pair is absent, and its group says what its other rows say.

    Parameters
    ----------
    lower : float or None, default None
        Least standard deviation, given with `upper` or not at all.
    upper : float or None, default None
        Largest standard deviation, given with `lower` or not at all.
    calibration : {"paper", "tight"}, default "tight"
        "paper" finds it up to a factor of 8, "tight" to a few per cent.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = Scale()(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> abs(release.value - 1.0) < 0.1
    True
    """

    lower: float | None = None
    upper: float | None = None
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        if (self.lower is None) != (self.upper is None):
            raise ArgumentError("upper", self.upper, "a number if and only if lower is one")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ArgumentError("upper", self.upper, f"a number above lower = {self.lower:g}")

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of the calibration's steps."""
        require_rows(n, d, LEAST_ROWS)
        if self.calibration == "paper":
            return self._exponent.charge("exponent", budget)
        return self._winsorised.plan(n, budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> float | Abstention:
        """Return the private scale of sanitised rows."""
        if self.calibration == "tight":
            return self._winsorised.estimate(x, budget, noise, trace)
        exponent = self._exponent.draw(x, self._exponent.charge("exponent", budget), noise)
        return exponent if isinstance(exponent, Abstention) else scale_of(exponent)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on |out/sigma - 1| for normal rows; 7 or infinity for "paper"."""
        probability(beta=beta)
        cost = self.plan(n, d, budget)
        if self.calibration == "tight":
            return self._winsorised.error_bound(n, budget, beta)
        return 7.0 if self._exponent.found(n, cost["exponent"].cost, beta) else inf

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out/sigma - 1| for normal rows; infinite where most runs miss it.

        For "paper" the 7 of its bound, where half of the exponents are right by proof.
        """
        cost = self.plan(n, d, budget)
        if self.calibration == "tight":
            return self._winsorised.predicted_error(n, budget)
        return 7.0 if self._exponent.found(n, cost["exponent"].cost, 0.5) else inf

    @property
    def _exponent(self) -> ExponentScale:
        return ExponentScale(self.lower, self.upper)

    @property
    def _winsorised(self) -> WinsorisedScale:
        return WinsorisedScale(self.lower, self.upper)
