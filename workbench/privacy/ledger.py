"""Several releases on one data set: what has been spent, and a refusal to overspend.

>>> from workbench.privacy import ApproxDP, PureDP
>>> ledger = Ledger(ApproxDP(1.0, 1e-6))
>>> ledger.charge(PureDP(0.4), "mean")
>>> print(ledger)
mean    ε = 0.4
spent   (ε = 0.4, δ = 0)-DP
budget  (ε = 1, δ = 1e-06)-DP
>>> ledger.charge(PureDP(0.7), "scale")  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
workbench.errors.OverspentError: charge = PureDP(epsilon=0.7): expected at most what is left of ...
"""

from dataclasses import dataclass, field

from workbench.errors import ArgumentError, OverspentError

from .budget import ZCDP, ApproxDP, Budget, GaussianDP, NonPrivate, PureDP
from .plan import Rule, add

SLACK = 1e-12  # shares of a budget that add up to it again up to this relative error are accepted
_RULES: dict[type, Rule] = {PureDP: "basic", ApproxDP: "basic", ZCDP: "zcdp", GaussianDP: "gdp"}


@dataclass
class Ledger:
    """A budget for one data set, and the releases charged to it.

    Costs add up in the currency of the budget: basic composition for ε and (ε, δ), sums of ρ (with the
    conversions of `workbench.privacy.conversions`) for zCDP, sums of μ² for Gaussian DP. These rules stay
    valid when later releases, and their budgets, are chosen after looking at earlier ones (Rogers, Roth,
    Ullman & Vadhan 2016; Whitehouse et al. 2023), so a ledger may be used adaptively.
    """

    budget: Budget
    entries: list[tuple[str, Budget]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if type(self.budget) not in _RULES:
            raise ArgumentError("budget", self.budget, "a private budget")

    @property
    def spent(self) -> Budget | None:
        """The sum of all charges in the currency of the budget; None before the first."""
        return self._sum([cost for _, cost in self.entries]) if self.entries else None

    def __str__(self) -> str:
        """Return a line per release, then what they add up to and the budget."""
        totals = [("spent", self.spent or "nothing"), ("budget", self.budget)]
        width = max(len(name) for name, _ in [*self.entries, *totals])
        return "\n".join(f"{name:<{width}}  {cost}" for name, cost in [*self.entries, *totals])

    def charge(self, cost: Budget, name: str) -> None:
        """Enter one release, or raise `OverspentError` and enter nothing."""
        if isinstance(cost, NonPrivate):
            raise OverspentError("charge", cost, "a private release")
        total = self._sum([*(cost for _, cost in self.entries), cost])
        if not _within(total, self.budget):
            left = f"{self.budget} after {self.spent}" if self.entries else str(self.budget)
            raise OverspentError("charge", cost, f"at most what is left of {left}")
        self.entries.append((name, cost))

    def _sum(self, costs: list[Budget]) -> Budget:
        total = add(costs, _RULES[type(self.budget)])
        if isinstance(self.budget, ApproxDP) and isinstance(total, PureDP):
            return ApproxDP(total.epsilon, 0.0)
        return total


def _within(total: Budget, budget: Budget) -> bool:
    room = 1 + SLACK
    match total, budget:
        case (PureDP(epsilon), PureDP(limit)):
            return epsilon <= limit * room
        case (ApproxDP(epsilon, delta), ApproxDP(limit, most)):
            return epsilon <= limit * room and delta <= most * room
        case (ZCDP(rho, delta), ZCDP(limit, most)):
            return rho <= limit * room and delta <= most * room
        case (GaussianDP(mu), GaussianDP(limit)):
            return mu <= limit * room
    return False
