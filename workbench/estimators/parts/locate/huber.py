"""The mean of clipped normal values, g_k(u) = E clip(Z + u, ±k) with Z standard normal, and its inverse.

A clipped mean around a rough centre is biased towards it; g_k is the bias curve, so that inverting it makes
the clipped mean consistent for normal data, whatever the centre (one step of Huber's estimator).
"""

import numpy as np

from workbench.special import brentq, ndtr
from workbench.types import Array

FAR = 4.0  # the centre is taken to lie within FAR standard deviations of the mean


def density(z: Array) -> Array:
    """Return the standard normal density."""
    return np.asarray(np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi))


def _antiderivative(t: Array) -> Array:
    return np.asarray(t * ndtr(t) + density(t))


def clipped_mean(u: Array, k: float | Array) -> Array:
    """Return g_k(u) = -k + G(u + k) - G(u - k), G(t) = t Φ(t) + φ(t)."""
    return -k + _antiderivative(u + k) - _antiderivative(u - k)


def clipped_slope(u: Array, k: float | Array) -> Array:
    """Return g_k'(u) = P(|Z + u| < k)."""
    return np.asarray(ndtr(k - u) - ndtr(-k - u))


def clipped_variance(u: Array, k: float | Array) -> Array:
    """Return Var clip(Z + u, ±k)."""
    low, high = -k - u, k - u
    middle = ndtr(high) - ndtr(low)
    second = (u * u + 1) * middle + 2 * u * (density(low) - density(high))
    second += low * density(low) - high * density(high) + k * k * (1 - middle)
    return np.asarray(second - clipped_mean(u, k) ** 2)


def uncentred(y: float, k: float) -> float:
    """Return the u in [-4, 4] with g_k(u) = y, after clipping y to the values taken there."""

    def excess(u: float) -> float:
        return float(clipped_mean(np.float64(u), k)) - y  # type: ignore[arg-type]

    if excess(-FAR) >= 0:
        return -FAR
    return FAR if excess(FAR) <= 0 else float(brentq(excess, -FAR, FAR, xtol=1e-12))


def inverse_error(u: float, deviation: float, k: float) -> float:
    """Return the most that `uncentred` errs at offsets up to u when its argument is off by `deviation`.

    g_k is concave on the right of 0, so that the error is largest at u itself; 4 + u bounds it anyway.
    """
    shifted = float(clipped_mean(np.float64(u), k)) + deviation  # type: ignore[arg-type]
    reached = uncentred(shifted, k)
    return FAR + u if reached >= FAR else reached - u
