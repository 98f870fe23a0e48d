"""How a budget is divided among steps, and the plan that they add up to: the one place that divides ε.

a location and a mean     `divided`: a share of ε or ρ, and all of δ, to the location; `composed`
the source's vote         `halved`: ε' = ε/2 and δ' = δ/(4e^ε'), twice
Gaussian steps            `step_budgets`, `steps_plan`, `numbered_plan`: shares of ρ, or of μ² under GDP
steps with a δ each       `concentrated`, `delivered`: every step is δ_s-approximate ρ_s-zCDP, both add up

Steps of fixed μ compose to a Gaussian guarantee (Dong, Roth & Su 2022), so that (ε, δ) is converted exactly.
That does not apply to steps with a δ each: ZCDP(ρ, δ) is divided as it is; of ApproxDP(ε, δ) half of δ is for
the steps, and ρ is the largest that the other half converts to ε (`budgets.approx_from_zcdp`).
"""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, exp

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
    PureDP,
    Sequential,
)
from workbench.privacy.budgets import gdp_within_approx, zcdp_within_approx
from workbench.privacy.mechanisms import gaussian_mu, truncated_laplace_bound
from workbench.types import Floats, remembered


def composed(budget: Budget, *parts: Plan) -> Plan:
    return Sequential("zcdp" if isinstance(budget, ZCDP) else "basic", parts)


def divided(
    budget: Budget, *shares: float, deltas: Sequence[float] = (1.0, 0.0)
) -> tuple[PureDP | ApproxDP | ZCDP, ...]:
    """Return budgets of these shares of ε or ρ and one of the rest, each with its share of δ."""
    if not isinstance(budget, PureDP | ApproxDP | ZCDP):
        raise ArgumentError("budget", budget, "PureDP, ApproxDP or ZCDP")
    rest = whole = budget.rho if isinstance(budget, ZCDP) else budget.epsilon
    sizes = [share * whole for share in shares]
    for size in sizes:
        rest -= size
    delta = 0.0 if isinstance(budget, PureDP) else budget.delta
    costs = [(size, share * delta) for size, share in zip((*sizes, rest), deltas, strict=True)]
    if isinstance(budget, ZCDP):
        return tuple(ZCDP(*cost) for cost in costs)
    return tuple(ApproxDP(*cost) if cost[1] else PureDP(cost[0]) for cost in costs)


def mean_charge(step: str, sensitivity: float, cost: Budget) -> Charge:
    return Charge(step, "laplace" if isinstance(cost, PureDP) else "gaussian", sensitivity, cost)


def require_selection(budget: Budget) -> None:
    match budget:
        case PureDP() | ZCDP(_, 0.0):
            return
    raise ArgumentError("budget", budget, "PureDP or ZCDP with delta = 0")


def require_events(budget: Budget) -> ApproxDP:
    if not isinstance(budget, ApproxDP) or not budget.delta > 0:
        raise ArgumentError("budget", budget, "ApproxDP with delta > 0")
    return budget


def halved(budget: ApproxDP) -> ApproxDP:
    """Return (ε/2, δ/(4e^(ε/2))), what AL22 gives to the vote and again to the mask."""
    return ApproxDP(budget.epsilon / 2, budget.delta / (4 * exp(budget.epsilon / 2)))


def least_groups(cost: ApproxDP) -> int:
    """Return the k with which AL22's groups that agree pass surely: (20/ε') ln(1 + (e^ε' - 1)/(2δ'))."""
    return ceil(20 * truncated_laplace_bound(Charge("vote", "truncated_laplace", 1.0, cost)))


def step_budgets(budget: Budget, weights: Sequence[float]) -> tuple[ZCDP | GaussianDP, ...]:
    match budget:
        case ZCDP(_, 0.0) | GaussianDP():
            return budget.split(*weights)
        case ApproxDP(_, delta) if delta > 0:
            return gdp_within_approx(budget).split(*weights)
    raise ArgumentError("budget", budget, "ZCDP with delta = 0, GaussianDP, or ApproxDP with delta > 0")


def gaussian_total(budget: Budget) -> float:
    return gaussian_mu(step_budgets(budget, (1.0,))[0])


def require_gaussian(budget: Budget) -> None:
    step_budgets(budget, (1.0,))


def converted(plan: Plan, budget: Budget) -> Plan:
    return Converted(plan, budget) if isinstance(budget, ApproxDP) else plan


def steps_plan(budget: Budget, charges: Sequence[Charge]) -> Plan:
    return converted(Sequential("zcdp" if isinstance(budget, ZCDP) else "gdp", tuple(charges)), budget)


def divisions(counts: Iterable[int], spreads: Sequence[float]) -> Iterator[Floats]:
    """Yield the shares of so many steps, of which all but the last have one of `spreads` together.

    >>> list(divisions((1, 3), (0.1, 0.5)))
    [(1.0,), (0.05, 0.05, 0.9), (0.25, 0.25, 0.5)]
    """
    for count in counts:
        for spread in spreads if count > 1 else (0.0,):
            yield (*(spread / (count - 1),) * (count - 1), 1 - spread) if count > 1 else (1.0,)


def numbered_plan(
    budget: Budget,
    weights: Sequence[float],
    mechanism: str,
    sensitivities: Sequence[float],
    batches: bool = False,
) -> Plan:
    """Return the plan of "step 1", "step 2", …, one for each share of the budget and sensitivity.

    Steps on batches of rows, which are disjoint, cost all of it each.
    """
    shares = step_budgets(budget, (1.0,)) * len(weights) if batches else step_budgets(budget, weights)
    costs = enumerate(zip(sensitivities, shares, strict=True), start=1)
    charges = tuple(Charge(f"step {place}", mechanism, moved, cost) for place, (moved, cost) in costs)
    return converted(Parallel(charges), budget) if batches else steps_plan(budget, charges)


@remembered
def concentrated(budget: Budget) -> ZCDP:
    """Return the joint cost of steps with a δ each."""
    match budget:
        case ZCDP(_, delta) if delta > 0:
            return budget
        case ApproxDP(epsilon, delta) if delta > 0:
            return ZCDP(zcdp_within_approx(ApproxDP(epsilon, delta / 2)).rho, delta / 2)
    raise ArgumentError("budget", budget, "ApproxDP or ZCDP with delta > 0")


def delivered(charges: Iterable[Charge], budget: Budget) -> Plan:
    return converted(Sequential("zcdp", tuple(charges)), budget)
