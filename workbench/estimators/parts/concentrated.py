"""Budgets of estimators whose steps are concentrated but for a δ of their own.

Every step is δ_s-approximate ρ_s-zCDP; both add up. ZCDP(ρ, δ) is divided as it is. ApproxDP(ε, δ) is halved
in δ: one half is for the steps, and ρ is the largest that the other half converts to ε
(`conversions.approx_from_zcdp`). The exact conversion of Gaussian mechanisms does not apply to such steps.
"""

from collections.abc import Iterable
from functools import lru_cache

from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, Converted, Plan, Sequential
from workbench.privacy.conversions import zcdp_within_approx


@lru_cache(maxsize=1024)
def concentrated(budget: Budget) -> ZCDP:
    """Return what all steps may cost together."""
    match budget:
        case ZCDP(_, delta) if delta > 0:
            return budget
        case ApproxDP(epsilon, delta) if delta > 0:
            return ZCDP(zcdp_within_approx(ApproxDP(epsilon, delta / 2)).rho, delta / 2)
    raise ArgumentError("budget", budget, "ApproxDP or ZCDP with delta > 0")


@lru_cache(maxsize=1024)
def without_events(budget: Budget) -> ZCDP:
    """Return what all steps may cost together where none has a δ of its own: all of δ converts."""
    match budget:
        case ZCDP(_, 0.0):
            return budget
        case ApproxDP(_, delta) if delta > 0:
            return zcdp_within_approx(budget)
    raise ArgumentError("budget", budget, "ZCDP with delta = 0, or ApproxDP with delta > 0")


def delivered(charges: Iterable[Charge], budget: Budget) -> Plan:
    """Return the plan of steps whose costs add up to one of the two above."""
    plan = Sequential("zcdp", tuple(charges))
    return Converted(plan, budget) if isinstance(budget, ApproxDP) else plan
