"""The noise that WX19 states, and what it delivers: equation (7) under replace-one.

Independent N(0, σ²) on every entry of the upper triangle, σ = r² √(2 ln(1.25/δ))/(nε): the classic Gaussian
mechanism for sensitivity r²/n, which is that of an added row. One replaced row moves the upper triangle by up
to √2 r²/n in l2, so that the mechanism is √2 r²/(nσ)-GDP and no more. Proof: `proofs/sparse.md`, section 2.
"""

from math import log, sqrt

from workbench.errors import ArgumentError
from workbench.privacy import ApproxDP, Budget, Charge, Converted, GaussianDP, Plan
from workbench.privacy.conversions import approx_from_gdp


def paper_plan(step: str, sensitivity: float, budget: Budget) -> Plan:
    """Return the stated noise as a charge for the true sensitivity, delivered as (ε', δ) at the stated δ."""
    if not isinstance(budget, ApproxDP) or not budget.delta > 0:
        raise ArgumentError("budget", budget, "ApproxDP with delta > 0 for calibration 'paper'")
    cost = delivered_mu(budget)
    return Converted(Charge(step, "gaussian", sensitivity, cost), approx_from_gdp(cost, budget.delta))


def delivered_mu(budget: ApproxDP) -> GaussianDP:
    """Return μ = ε/√ln(1.25/δ), what the stated noise delivers for a replaced row.

    >>> round(delivered_mu(ApproxDP(1.0, 1e-5)).mu, 4)
    0.2919
    """
    return GaussianDP(budget.epsilon / sqrt(log(1.25 / budget.delta)))
