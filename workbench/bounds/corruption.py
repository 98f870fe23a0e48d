"""What no estimator can do when a share of the rows may be anything: the information limits of robustness.

Replacing a share ξ of the rows reaches any law within a total variation of ξ. Two laws that are 2ξ apart have
one in the middle, so that no estimator tells them apart, however many rows there are.
"""

from math import sqrt

import numpy as np

from workbench.errors import ArgumentError, real
from workbench.special import brentq, ndtr, ndtri


def mean_limit(corruption: float) -> float:
    """Return the least worst error of a mean, in standard deviations: Φ⁻¹(½ + ξ).

    Half the distance of N(±m, 1) at total variation 2Φ(m) - 1 = 2ξ.

    >>> round(mean_limit(0.05), 4)
    0.1257
    """
    _require(corruption)
    return float(ndtri(0.5 + corruption))


def scale_limit(corruption: float) -> float:
    """Return the least worst relative error of a variance: (s² - 1)/(s² + 1), TV(N(0, 1), N(0, s²)) = 2ξ.

    >>> round(scale_limit(0.05), 3)
    0.204
    """
    _require(corruption)
    s = brentq(lambda scale: scale_distance(scale) - 2 * corruption, 1.0 + 1e-12, 1e3)
    return float((s * s - 1) / (s * s + 1))


def scale_distance(s: float) -> float:
    """Return TV(N(0, 1), N(0, s²)), s > 1: the densities cross at x² = 2s² ln s/(s² - 1)."""
    x = sqrt(2 * s * s * np.log(s) / (s * s - 1))
    return float(2 * (ndtr(x) - ndtr(x / s)))


def unit(corruption: float) -> float:
    """Return ξ ln 1/ξ, what a robust covariance errs by but for a constant."""
    _require(corruption)
    return float(corruption * np.log(1 / corruption))


def mean_unit(corruption: float) -> float:
    """Return ξ √(ln 1/ξ), what a robust mean errs by but for a constant."""
    return sqrt(corruption * unit(corruption))


def _require(corruption: float) -> None:
    if not (real(corruption) and 0 < corruption < 0.25):
        raise ArgumentError("corruption", corruption, "a number between 0 and 1/4")
