"""Tails of the sum of an independent normal and a Laplace variable: sampling error plus noise."""

from math import exp, log, sqrt

from scipy.special import log_ndtr, ndtr, ndtri

from workbench.privacy import Charge
from workbench.privacy.mechanisms import gaussian_scale, laplace_scale
from workbench.privacy.roots import brentq


def laplace_normal_tail(t: float, sd: float, scale: float) -> float:
    """Return P(N(0, sd²) + Lap(scale) > t) for t ≥ 0."""
    ratio = sd / scale
    left = exp(ratio**2 / 2 - t / scale + log_ndtr(t / sd - ratio))
    right = exp(ratio**2 / 2 + t / scale + log_ndtr(-t / sd - ratio))
    return float(ndtr(-t / sd) + (left - right) / 2)


def half_width(beta: float, sd: float, charge: Charge) -> float:
    """Return t with P(|N(0, sd²) + noise of `charge`| > t) = beta."""
    if charge.mechanism == "gaussian":
        return float(-ndtri(beta / 2)) * sqrt(sd**2 + gaussian_scale(charge) ** 2)
    scale = laplace_scale(charge)

    def excess(t: float) -> float:
        return 2 * laplace_normal_tail(t, sd, scale) - beta

    return float(brentq(excess, 0.0, float(-ndtri(beta / 4)) * sd + scale * log(2 / beta), xtol=1e-15 * sd))
