"""Sampling error plus noise: tails of the sum of an independent normal and a Laplace variable."""

from math import exp, hypot, log, sqrt

from workbench.privacy import Charge
from workbench.privacy.mechanisms import gaussian_scale, laplace_scale
from workbench.special import brentq, log_ndtr, ndtr, ndtri

DROWNED = 1e4  # sd over the scale of noise, from where on its law does not matter to 16 digits


def laplace_normal_tail(t: float, sd: float, scale: float) -> float:
    """Return P(N(0, sd²) + Lap(scale) > t) for t ≥ 0."""
    ratio = sd / scale
    if ratio >= DROWNED:
        return float(ndtr(-t / hypot(sd, sqrt(2) * scale)))
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


def noise_sd(charge: Charge) -> float:
    """Return the standard deviation of the noise that `charge` buys."""
    return sqrt(2) * laplace_scale(charge) if charge.mechanism == "laplace" else gaussian_scale(charge)


def noise_quantile(charge: Charge, beta: float) -> float:
    """Return the upper beta-quantile of the absolute noise of one number."""
    if charge.mechanism == "laplace":
        return laplace_scale(charge) * log(1 / beta)
    return gaussian_scale(charge) * float(-ndtri(beta / 2))


def median_of_sum(sd: float, charge: Charge) -> float:
    """Return the median of |X + Y|, X ~ N(0, sd²) and Y the noise that `charge` buys."""
    rate = sd / laplace_scale(charge) if charge.mechanism == "laplace" else DROWNED
    if rate >= DROWNED:
        return float(ndtri(0.75)) * hypot(sd, noise_sd(charge))

    def within(t: float) -> float:
        near = exp(rate**2 / 2 - rate * t + float(log_ndtr(t - rate)))
        far = exp(rate**2 / 2 + rate * t + float(log_ndtr(-t - rate)))
        return 2 * float(ndtr(t)) - 1 - near + far

    return sd * float(brentq(lambda t: within(t) - 0.5, 0.0, 10 * (1 + 1 / rate)))
