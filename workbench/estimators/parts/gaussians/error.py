"""What error `parts.gaussians.finish` should have for normal rows, from public numbers.

In the step that answers, the noise, sd σ for the moment, is mapped back by A⁻¹, which multiplies its square
by t = tr(A⁻¹A⁻ᵀ)/d in the norm that the covariance defines:

    covariance²    the sampling of a winsorised second moment + its noise, for white rows, the noise times t²
                   (`parts.preconditioned.winsorised_covariance`)
    mean²          d E min(|z|², R²)/(d n) + the lifted noise d (σ R/(√2 τ))² times t, both over the square of
                   the slope at 0

t is 1 for rows that steps before made white, and tr(s⁻¹)/d for the spectrum s that the last step meets.

These are mean squares; medians are those of as many normal numbers (`parts.foreseen`).
"""

from dataclasses import dataclass
from functools import lru_cache
from math import erf, inf, pi, sqrt

import numpy as np

from workbench.estimators.parts.foreseen import better_than, median_of_matrix, median_of_mean
from workbench.estimators.parts.gaussians.steps import RoundSteps, slope
from workbench.estimators.parts.normal_ball import clipped_moment
from workbench.estimators.parts.preconditioned.winsorised_covariance import squared_errors
from workbench.privacy.mechanisms import gaussian_mu

MATRICES, POINTS, SEED = 101, 4096, 61


@dataclass(frozen=True)
class SquaredErrors:
    """Mean squared errors of mean and covariance, in the norms that the covariance itself defines."""

    d: int
    mean: float
    covariance: float

    @property
    def covariance_median(self) -> float:
        """The median Frobenius error of the covariance; infinite where 0 is as good an answer."""
        return better_than(sqrt(self.d), median_of_matrix(sqrt(self.covariance), self.d))

    @property
    def gaussian_median(self) -> float:
        """The median of the root of both together; of the covariance's alone where the mean is known."""
        return better_than(sqrt(self.d), median_of_mean(sqrt(self.covariance + self.mean), self._numbers))

    @property
    def total_variation(self) -> float:
        """The total variation to expect: 2Φ(v/2) - 1, v² = mean² + (k covariance)²/2 that of a log ratio.

        k < 1: zᵀEz is less often of its middle size than a normal number is.
        """
        squared = self.mean + peaked(self.d) ** 2 * self.covariance / 2
        return erf(median_of_mean(sqrt(squared), self._numbers) / sqrt(8))

    @property
    def _numbers(self) -> int:
        """How many numbers of the law are off: no mean where it is known."""
        return self.d * (self.d + (3 if self.mean else 1)) // 2


def squared_error(steps: RoundSteps, stretch: float = 1.0) -> SquaredErrors:
    """Return the errors of the last step alone; `stretch` is t."""
    n, d, cost = steps.n, steps.d, steps.costs[-1]
    radius, mu = steps.ball(np.ones(d)), gaussian_mu(cost)
    squared = np.array([radius**2])
    sampling, noisy = squared_errors(squared, n, d, np.array([inf, mu / steps.lift.reach**2])).tolist()
    covariance = sampling + (noisy - sampling) * stretch**2
    if steps.centred:
        return SquaredErrors(d, 0.0, covariance)
    sd = steps.lift.sensitivity() * radius / (mu * sqrt(2) * steps.lift.height)
    drawn = clipped_moment(d, radius) / n + sd**2 * stretch
    return SquaredErrors(d, d * drawn / slope(d, radius) ** 2, covariance)


@lru_cache(maxsize=64)
def peaked(d: int) -> float:
    """Return k: E|zᵀEz - tr E| over that of a normal number of its variance, z N(0, I).

    The median over fixed public matrices E, symmetric with normal entries.
    """
    rng = np.random.default_rng((SEED, d))
    drawn = rng.standard_normal((MATRICES, d, d))
    values = np.linalg.eigvalsh(drawn + drawn.transpose(0, 2, 1))
    sizes = np.abs((rng.standard_normal((POINTS, d)) ** 2 - 1) @ values.T).mean(axis=0)
    return float(np.median(sizes / np.sqrt(2 * (values**2).sum(axis=1)))) * sqrt(pi / 2)
