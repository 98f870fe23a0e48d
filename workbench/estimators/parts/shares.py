"""How a budget is divided between a location and a mean, and what the mean's share buys."""

from math import exp, hypot, log, sqrt

from scipy.special import log_ndtr, ndtr, ndtri

from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, PureDP
from workbench.privacy.mechanisms import gaussian_scale, laplace_scale
from workbench.privacy.plan import Rule
from workbench.privacy.roots import brentq


def rule(budget: Budget) -> Rule:
    """Return the composition rule that is native to `budget`."""
    return "zcdp" if isinstance(budget, ZCDP) else "basic"


def divided(budget: Budget, share: float) -> tuple[Budget, Budget]:
    """Return (location, mean) budgets: `share` of ε or ρ, and all of δ, to the location."""
    match budget:
        case PureDP(epsilon):
            return PureDP(share * epsilon), PureDP(epsilon - share * epsilon)
        case ApproxDP(epsilon, delta):
            return ApproxDP(share * epsilon, delta), PureDP(epsilon - share * epsilon)
        case ZCDP(rho, delta):
            return ZCDP(share * rho, delta), ZCDP(rho - share * rho)
    raise ArgumentError("budget", budget, "PureDP, ApproxDP or ZCDP")


def mean_charge(step: str, sensitivity: float, cost: Budget) -> Charge:
    """Return the charge of a noisy mean: Laplace under pure DP, Gaussian otherwise."""
    return Charge(step, "laplace" if isinstance(cost, PureDP) else "gaussian", sensitivity, cost)


def noise_sd(charge: Charge) -> float:
    """Return the standard deviation of the noise that `charge` buys."""
    return sqrt(2) * laplace_scale(charge) if charge.mechanism == "laplace" else gaussian_scale(charge)


def noise_quantile(charge: Charge, beta: float) -> float:
    """Return what the absolute noise of one number exceeds with probability beta."""
    if charge.mechanism == "laplace":
        return laplace_scale(charge) * log(1 / beta)
    return gaussian_scale(charge) * float(-ndtri(beta / 2))


def require_selection(budget: Budget) -> None:
    """Raise unless the exponential mechanism can be calibrated to `budget`."""
    match budget:
        case PureDP() | ZCDP(_, 0.0):
            return
    raise ArgumentError("budget", budget, "PureDP, or ZCDP with delta = 0")


def median_of_sum(sd: float, charge: Charge) -> float:
    """Return the median of |X + Y|, X ~ N(0, sd²) and Y the noise that `charge` buys."""
    if charge.mechanism != "laplace":
        return float(ndtri(0.75)) * hypot(sd, gaussian_scale(charge))
    rate = sd / laplace_scale(charge)

    def within(t: float) -> float:
        near = exp(rate**2 / 2 - rate * t + float(log_ndtr(t - rate)))
        far = exp(rate**2 / 2 + rate * t + float(log_ndtr(-t - rate)))
        return 2 * float(ndtr(t)) - 1 - near + far

    return sd * float(brentq(lambda t: within(t) - 0.5, 0.0, 10 * (1 + 1 / rate)))
