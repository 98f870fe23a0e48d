"""How a budget is divided among Gaussian mechanisms that run one after the other on the same rows.

Every step's share of ρ (of μ² under GDP, the same thing) is fixed before the run. Steps that are all Gaussian
with fixed μ compose to a Gaussian guarantee (Dong, Roth & Su 2022), so that (ε, δ) is converted exactly.
"""

from collections.abc import Sequence

from workbench.errors import ArgumentError
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    Budget,
    Charge,
    Converted,
    GaussianDP,
    Parallel,
    Plan,
    Sequential,
)
from workbench.privacy.conversions import gdp_within_approx
from workbench.privacy.mechanisms import gaussian_mu


def step_budgets(budget: Budget, weights: Sequence[float]) -> tuple[ZCDP | GaussianDP, ...]:
    """Return the budgets of steps in proportion to `weights`: ZCDP for zCDP, GaussianDP otherwise."""
    match budget:
        case ZCDP(_, 0.0) | GaussianDP():
            return budget.split(*weights)
        case ApproxDP(_, delta) if delta > 0:
            return gdp_within_approx(budget).split(*weights)
    raise ArgumentError("budget", budget, "ZCDP with delta = 0, GaussianDP, or ApproxDP with delta > 0")


def gaussian_total(budget: Budget) -> float:
    """Return μ of all steps together."""
    return gaussian_mu(step_budgets(budget, (1.0,))[0])


def require_gaussian(budget: Budget) -> None:
    """Raise unless a Gaussian mechanism can be calibrated to `budget`."""
    step_budgets(budget, (1.0,))


def steps_plan(budget: Budget, charges: Sequence[Charge]) -> Plan:
    """Return the plan of steps that were charged with `step_budgets(budget, …)`."""
    match budget:
        case ZCDP():
            return Sequential("zcdp", tuple(charges))
        case ApproxDP():
            return Converted(Sequential("gdp", tuple(charges)), budget)
    return Sequential("gdp", tuple(charges))


def batches_plan(budget: Budget, charges: Sequence[Charge]) -> Plan:
    """Return the plan of steps on disjoint batches of rows, each charged with all of `budget`."""
    plan = Parallel(tuple(charges))
    return Converted(plan, budget) if isinstance(budget, ApproxDP) else plan
