"""The three errors of a covariance of cut rows, exactly, where rows are Student's t of covariance I.

With |x|² = (ν - 2) B/(1 - B), B of the law Beta(d/2, ν/2), every truncated moment of |x| is an incomplete
beta function. For rows clipped to the ball of radius γ the second moment has the expectation s I, and

    bias       √d (1 - s),  1 - s = E(|x|² - γ²)₊/d
    sampling   √((E min(|x|, γ)⁴ - d s²)/n)                      root mean square, in Frobenius norm
    noise      γ²/(n√ρ) √(d(d + 1)/2)                             root mean square, ρ-zCDP
"""

from dataclasses import dataclass
from math import exp, log, sqrt

from scipy.optimize import minimize_scalar

from workbench.estimators.shared.rows import second_moment_sensitivity
from workbench.privacy import ZCDP, Charge
from workbench.privacy.mechanisms import gaussian_scale
from workbench.special import betainc, betaln


def noise_scale(n: int, radius: float, rho: float) -> float:
    """Return the sd of a diagonal entry of the noise on the second moment of n rows within a ball."""
    charge = Charge("covariance", "symmetric_gaussian", second_moment_sensitivity(n, radius), ZCDP(rho))
    return gaussian_scale(charge)


@dataclass(frozen=True)
class CutStudent:
    """Rows of dimension d with ν = `degrees`, clipped to a ball."""

    degrees: float
    d: int

    def bias(self, radius: float) -> float:
        """Return √d (1 - s)."""
        return float((self._beyond(1, radius) - radius**2 * self._beyond(0, radius)) / sqrt(self.d))

    def beyond(self, radius: float) -> float:
        """Return the share of the rows that are clipped."""
        return self._beyond(0, radius)

    def sampling(self, radius: float, n: int) -> float:
        """Return the root mean square of the sampling error."""
        s = 1 - self.bias(radius) / sqrt(self.d)
        fourth = self._moment(2) - self._beyond(2, radius) + radius**4 * self._beyond(0, radius)
        return sqrt((fourth - self.d * s**2) / n)

    def noise(self, radius: float, n: int, rho: float) -> float:
        """Return the root mean square of the noise."""
        return noise_scale(n, radius, rho) * sqrt(self.d * (self.d + 1) / 2)

    def private(self, radius: float, n: int, rho: float) -> float:
        """Return bias plus noise."""
        return self.bias(radius) + self.noise(radius, n, rho)

    def best_radius(self, n: int, rho: float) -> float:
        """Return the radius at which bias plus noise is least."""
        ends = log(sqrt(self.d)) - 2, log(sqrt(self.d)) + 8
        found = minimize_scalar(lambda u: self.private(exp(u), n, rho), bounds=ends, method="bounded")
        return exp(float(found.x))

    def least(self, n: int, rho: float) -> float:
        """Return the least sum of bias and noise over all radii."""
        return self.private(self.best_radius(n, rho), n, rho)

    def _moment(self, order: int) -> float:
        a, b = self.d / 2, self.degrees / 2
        return float((self.degrees - 2) ** order * exp(betaln(a + order, b - order) - betaln(a, b)))

    def _beyond(self, order: int, radius: float) -> float:
        """Return E[|x|^{2 order}; |x| > γ]."""
        share = radius**2 / (self.degrees - 2 + radius**2)
        inside = betainc(self.d / 2 + order, self.degrees / 2 - order, share)
        return float(self._moment(order) * (1 - inside))
