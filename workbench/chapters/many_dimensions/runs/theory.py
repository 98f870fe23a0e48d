"""What CoinPress typically does: predictions with every constant, that measurements are compared with.

Errors are root mean squares. Sampling and privacy are apart: the private estimate is compared with the plain
one of the same rows.

Mean, rows N(θ, I). The last step adds noise of sd s and shrinks rows z = x - c to a ball of radius B. For
|c - θ| small beside B the shrinking takes z (1 - B/|z|)₊ from each row: (1/n) E(|z| - B)₊² in squares, and
κ (c - θ) on average, κ = E[1 - (1 - 1/d) B/|z|; |z| > B]. c has noise of sd s' and the sampling error:

    privacy² = d s² + E(|z| - B)₊²/n + κ² d (1/n + s'²),        sampling² = d/n

Covariance, rows N(0, Σ). Where the noise of a step is small, its U is T + e I, so that the eigenvalues of
T = A Σ Aᵀ follow λ ← λ/max(λ + e, f). Symmetric noise of sd s on the diagonal, in units of Σ:

    privacy² = s² (Σ_i 1/λ_i² + Σ_{i<j} 1/(λ_i λ_j)),           sampling² = d (d + 1)/n

A last step that winsorises has the rms error that `shared.moments` predicts for
white rows; of this the part that is no sampling error, uncorrelated with it because the plain estimate is
efficient.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.bounds.search import smallest
from workbench.estimators.coinpress import CoinPressCovariance, CoinPressMean
from workbench.estimators.shared.budgets import step_budgets
from workbench.estimators.shared.moments import WinsorisedCovariance
from workbench.privacy import Budget
from workbench.privacy.mechanisms import gaussian_scale
from workbench.special import chdtri, gammaincc, gammaln

ROUND = 0.5  # shortest over longest axis of a frame in which rows pass for white

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Parts:
    """Root mean squares of the sampling error and of what privacy moves, and the dimension of both.

    >>> Parts(3.0, 4.0, 1).total
    5.0
    """

    sampling: float
    privacy: float
    freedom: int

    @property
    def total(self) -> float:
        """Root mean square of the error."""
        return sqrt(self.sampling**2 + self.privacy**2)

    def quantile(self, beta: float) -> float:
        """Return the upper β-quantile of the error, if it is round and normal."""
        return self.total * sqrt(float(chdtri(self.freedom, beta)) / self.freedom)


def mean_parts(estimator: CoinPressMean, n: int, d: int, budget: Budget) -> Parts:
    """Return the prediction for rows N(θ, I)."""
    clip = estimator.design(n, d, budget).clips[-1]
    *before, last = (gaussian_scale(charge) for charge in estimator.plan(n, d, budget).charges())
    cut, slope = beyond(d, clip)
    shrunk = cut / n + slope**2 * d * (1 / n + before[-1] ** 2) if before else 0.0
    return Parts(sqrt(d / n), sqrt(d * last**2 + shrunk), d)


def beyond(d: int, clip: float) -> tuple[float, float]:
    """Return E(|z| - B)₊² and κ for z standard normal."""
    share, first, second, inverse = (_moment(d, clip, power) for power in (0, 1, 2, -1))
    return second - 2 * clip * first + clip**2 * share, share - (1 - 1 / d) * clip * inverse


def _moment(d: int, clip: float, power: int) -> float:
    """Return E[|z|^p; |z| > B]."""
    a = (d + power) / 2
    if a == 0:  # d = 1, 1/|z|: its factor in κ is 0
        return 0.0
    return float(np.exp(power / 2 * np.log(2) + gammaln(a) - gammaln(d / 2)) * gammaincc(a, clip**2 / 2))


def frames(estimator: CoinPressCovariance, spectrum: ArrayLike, n: int, budget: Budget) -> list[Vector]:
    """Return the predicted eigenvalues of A Σ Aᵀ before every step, for Σ with this spectrum."""
    values = np.asarray(spectrum, np.float64) / estimator.upper
    design = estimator.design(n, len(values), budget)
    found = [values]
    for excess, floor in zip(design.excess, design.floors, strict=True):
        found.append(found[-1] / np.maximum(found[-1] + excess, floor))
    return found


def covariance_parts(estimator: CoinPressCovariance, spectrum: ArrayLike, n: int, budget: Budget) -> Parts:
    """Return the prediction in units of Σ, for n rows of mean 0 (`centred`)."""
    inverse = 1 / frames(estimator, spectrum, n, budget)[-1]
    d = len(inverse)
    sampling = d * (d + 1) / n
    if estimator.winsorises:
        cost = step_budgets(budget, estimator.design(n, d, budget).weights)[-1]
        squared = WinsorisedCovariance(n, d, cost).predicted_error ** 2 - sampling
    else:
        sd = gaussian_scale(list(estimator.plan(n, d, budget).charges())[-1])
        squared = sd**2 * float((inverse**2).sum() + inverse.sum() ** 2) / 2
    return Parts(sqrt(sampling), sqrt(squared), d * (d + 1) // 2)


def rows_needed(parts: Callable[[int], Parts], alpha: float, beta: float) -> int:
    """Return the smallest n whose predicted error exceeds alpha with probability at most beta."""
    return smallest(lambda n: parts(n).quantile(beta) <= alpha, start=2)
