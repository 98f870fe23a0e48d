"""What WX19's statements say in numbers: explicit constants where they can be derived, shapes where not.

Sds are those of one entry of the noise off the diagonal. Norms are spectral unless a name says otherwise.
"""

from math import log, sqrt

import numpy as np

from workbench.bounds import formula
from workbench.types import Array

LEMMA_3, LEMMA_3_POWER = 4.0, 4.5


@formula
def entry_deviation(covariance: Array, n: int, sd: float, diagonal_sd: float, beta: float) -> Array:
    """Return a bound on all |T_ij - σ_ij| that holds with probability 1 - beta; rows are normal (Lemma 1).

    √(2 (σ_ii σ_jj + σ_ij²) L/n) + (√(σ_ii σ_jj) + |σ_ij|) L/n + sd_ij √(2L), L = ln(4m/β), m = p(p+1)/2:
    a product of two normals is a difference of two weighted chi-squares (Laurent & Massart 2000).
    """
    p = len(covariance)
    level = log(2 * p * (p + 1) / beta)
    variances = np.outer(np.diag(covariance), np.diag(covariance))
    sampling = np.sqrt(2 * (variances + covariance**2) * level / n)
    second = (np.sqrt(variances) + np.abs(covariance)) * level / n
    sds = np.where(np.eye(p, dtype=bool), diagonal_sd, sd)
    return sampling + second + sds * sqrt(2 * level)


@formula
def threshold(p: int, n: int, sd: float, largest_variance: float) -> float:
    """Return t of equation (9), 4 √ln p (sd + max σ_ii/√n); γ = 4 max σ_ii is chosen."""
    return 4 * sqrt(log(p)) * (sd + largest_variance / sqrt(n))


@formula
def rows_for_threshold(
    t: float, p: int, noise: float, largest_variance: float, *, local: bool = False
) -> float:
    """Return the n at which equation (9) is t, where sd is noise/n, or noise/√n in the local model.

    >>> n = rows_for_threshold(0.01, 50, 5.0, 0.02)
    >>> round(threshold(50, round(n), 5.0 / n, 0.02), 6)
    0.01
    """
    allowed = t / (4 * sqrt(log(p)))
    if local:
        return ((noise + largest_variance) / allowed) ** 2
    root = (largest_variance + sqrt(largest_variance**2 + 4 * noise * allowed)) / (2 * allowed)
    return root**2


@formula
def central_rows(alpha: float, degree: float, p: int, epsilon: float, delta: float, variance: float) -> float:
    """Return the n at which α² = s² ln p (σ²/n + ln(1/δ)/(nε)²): Theorem 2 with constants 1, γ = σ."""
    square, noise = (alpha / degree) ** 2 / log(p), log(1 / delta) / epsilon**2
    return (variance**2 + sqrt(variance**4 + 4 * square * noise)) / (2 * square)


@formula
def local_rows(alpha: float, degree: float, p: int, epsilon: float, delta: float, variance: float) -> float:
    """Return the n at which α² = s² ln p (σ² + ln(1/δ)/ε²)/n: Theorem 3 with constants 1, γ = σ."""
    return degree**2 * log(p) * (variance**2 + log(1 / delta) / epsilon**2) / alpha**2


@formula
def lemma_3(covariance: Array, t: float) -> Array:
    """Return 4 min(|σ_ij|, t), what a thresholded entry is off by at most (Lemma 3)."""
    return LEMMA_3 * np.minimum(np.abs(covariance), t)


@formula
def lemma_3_failure(p: int) -> float:
    """Return 2 p^(-9/2), which one entry breaks Lemma 3 with at most where its deviation is normal.

    An entry breaks it only if it is off by 3t/4, which is 3 √ln p of its sds at least: P(|z| > 3 √ln p).

    >>> round(lemma_3_failure(10), 7)
    6.32e-05
    """
    return float(2 * p**-LEMMA_3_POWER)


@formula
def thresholded_error(degree: float, t: float) -> float:
    """Return 4 t (s + 1), the bound on |Σ̌ - Σ| in every w-norm that Lemma 3 adds up to (Corollary 1).

    A column has s entries off the diagonal and one on it, each off by 4t at most. Theorem 2: the repair at
    most doubles it, so that the squared error is of order s² ln p (max σ_ii²/n + sd²).
    """
    return LEMMA_3 * t * (degree + 1)


@formula
def local_shape(degree: float, p: int, n: int, epsilon: float, delta: float) -> float:
    """Return s² ln p ln(1/δ)/(n ε²), the order of the squared error of Algorithm 2 (Theorem 3)."""
    return degree**2 * log(p) * log(1 / delta) / (n * epsilon**2)


@formula
def central_shape(degree: float, p: int, n: int, epsilon: float, delta: float) -> float:
    """Return s² ln p (1/n + ln(1/δ)/(n² ε²)), the order of the squared error of Algorithm 1 (Theorem 2)."""
    return degree**2 * log(p) * (1 / n + log(1 / delta) / (n * epsilon) ** 2)
