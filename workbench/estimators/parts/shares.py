"""How a budget is divided between a location and a mean, and what the mean's share buys."""

from math import log, sqrt

from scipy.special import ndtri

from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, PureDP
from workbench.privacy.mechanisms import gaussian_scale, laplace_scale
from workbench.privacy.plan import Rule


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
