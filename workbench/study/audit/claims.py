"""What a claim of privacy says about one event, and what one event proves about privacy.

Let p = P(E | X) ≥ `low` and q = P(E | X') ≤ `high` for neighbours X, X' and an event E of the output. All
bounds below hold for the same pair of confidence bounds at once, so that testing a claim at every point of
its curve costs no multiplicity.

(ε, δ)-DP    p ≤ e^ε q + δ                                     ε ≥ ln((low - δ)/high)
μ-GDP        Φ⁻¹(p) - Φ⁻¹(q) ≤ μ: every (ε, δ(ε)) at once      μ ≥ Φ⁻¹(low) - Φ⁻¹(high)
ρ-zCDP       D_α(Bernoulli(p) ‖ Bernoulli(q)) ≤ ρα, α ≥ 1      ρ ≥ max D_α(low ‖ high)/α

The last is the data-processing inequality; D_α grows with p and falls with q for p > q. It implies every
(ε, δ) that zCDP converts to. δ-approximate zCDP, P = (1 - δ) P₀ + δ P₁, gives P₀(E) ≥ (p - δ)/(1 - δ) and
Q₀(E) ≤ q/(1 - δ), to which the same applies.
"""

import numpy as np
from numpy.typing import ArrayLike

from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, ApproxDP, Budget, GaussianDP, PureDP
from workbench.special import ndtri
from workbench.types import Array

ORDERS = 1 + np.geomspace(1e-6, 1e3, 91)  # any order proves something: the grid cannot overstate


def epsilon_lower(low: ArrayLike, high: ArrayLike, delta: float = 0.0) -> Array:
    """Return ln((low - δ)/high), -inf for low ≤ δ: no smaller ε is true."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(np.asarray(low) - delta, 0.0)) - np.log(high))


def mu_lower(low: ArrayLike, high: ArrayLike) -> Array:
    """Return Φ⁻¹(low) - Φ⁻¹(high): no smaller μ is true."""
    return np.asarray(ndtri(low) - ndtri(high))


def rho_lower(low: ArrayLike, high: ArrayLike, delta: float = 0.0) -> Array:
    """Return max over α of D_α/α: no smaller ρ is true; a number below 0 where the bounds do not separate."""
    p, q = np.broadcast_arrays((np.asarray(low) - delta) / (1 - delta), np.asarray(high) / (1 - delta))
    apart = p > q
    proved = np.array(p - q, np.float64)
    p, q = p[apart][..., None], q[apart][..., None]
    yes = ORDERS * np.log(p) + (1 - ORDERS) * np.log(q)
    no = ORDERS * np.log1p(-p) + (1 - ORDERS) * np.log1p(-q)
    proved[apart] = (np.logaddexp(yes, no) / (ORDERS - 1) / ORDERS).max(axis=-1, initial=0.0)
    return proved


def excess(claim: Budget, low: ArrayLike, high: ArrayLike) -> Array:
    """Return by how much the bounds on an event's probabilities exceed `claim`: above 0 contradicts it."""
    match claim:
        case PureDP(epsilon):
            return epsilon_lower(low, high) - epsilon
        case ApproxDP(epsilon, delta):
            return epsilon_lower(low, high, delta) - epsilon
        case GaussianDP(mu):
            return mu_lower(low, high) - mu
        case ZCDP(rho, delta):
            return rho_lower(low, high, delta) - rho
    raise ArgumentError("claim", claim, "a private budget")
