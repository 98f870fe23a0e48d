"""Several releases on one data set: what has been spent, and a refusal to overspend.

>>> from workbench.privacy import ApproxDP, PureDP
>>> ledger = Ledger(ApproxDP(1.0, 1e-6))
>>> ledger.charge(PureDP(0.4), "mean")
>>> print(ledger)
mean    ε = 0.4
spent   (ε = 0.4, δ = 0)-DP
left    (ε = 0.6, δ = 1e-06)-DP
budget  (ε = 1, δ = 1e-06)-DP
>>> ledger.remaining
ApproxDP(epsilon=0.6, delta=1e-06)
>>> ledger.charge(PureDP(0.7), "scale")  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
workbench.errors.OverspentError: charge = PureDP(epsilon=0.7): expected at most (ε = 0.6, δ = 1e-06)-DP, ...
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from math import sqrt
from typing import Any

from workbench.errors import ArgumentError, OverspentError, of_plain_numbers
from workbench.privacy.budgets import SLACK, ZCDP, ApproxDP, Budget, GaussianDP, NonPrivate, PureDP, within
from workbench.privacy.plan import Plan, Rule, add, concentrated

_RULES: dict[type, Rule] = {PureDP: "basic", ApproxDP: "basic", ZCDP: "zcdp", GaussianDP: "gdp"}
_MOST_STEPS = 3  # of a release that its name lists


@dataclass
class Ledger:
    """A budget for one data set, and the releases charged to it.

    Costs add up in the currency of the budget: basic composition for ε and (ε, δ), sums of ρ (with the
    conversions of `workbench.privacy.budgets`, of a release by its mechanisms) for zCDP, sums of μ² for
    Gaussian DP. These rules stay valid when later releases, and their budgets, are chosen after looking at
    earlier ones (Rogers, Roth, Ullman & Vadhan 2016; Whitehouse et al. 2023).
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

    @property
    def remaining(self) -> Budget | None:
        """The largest charge that is left, in the ledger's own currency; None where nothing may."""
        return _difference(self.budget, self.spent) if self.entries else self.budget

    def __str__(self) -> str:
        """Return a line per release, then what they add up to, what is left, and the budget."""
        rows = [*self.entries, *self._totals()]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {cost}" for name, cost in rows)

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{escape(name)}</td><td>{cost}</td></tr>" for name, cost in self.entries)
        rows += "".join(f"<tr><th>{name}</th><td>{cost}</td></tr>" for name, cost in self._totals())
        head = "<tr><th>release</th><th>cost</th></tr>"
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"

    def _totals(self) -> list[tuple[str, object]]:
        left = self.remaining or "nothing"
        return [("spent", self.spent or "nothing"), ("left", left), ("budget", self.budget)]

    def charge(self, cost: Any, name: str | None = None) -> None:
        """Enter one release, or raise `OverspentError` and enter nothing.

        Parameters
        ----------
        cost : Budget or Release
            What is spent: a budget before the release is drawn, or the release itself. One that is refused
            has been drawn all the same: it must not be looked at.
        name : str, optional
            Names the entry; for a release, unless given, its steps do.
        """
        budget, name = _read(cost, name, isinstance(self.budget, ZCDP))
        if isinstance(budget, NonPrivate):
            raise OverspentError("charge", budget, "a private release")
        total = self._sum([*(cost for _, cost in self.entries), budget])
        if not within(total, self.budget):
            raise OverspentError("charge", budget, self._allowed(total))
        self.entries.append((name, budget))

    @contextmanager
    def spend(
        self,
        name: str,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        mu: float | None = None,
    ) -> Iterator[Budget]:
        """Enter a cost beforehand and give the budget to a block; refused, it is not drawn at all.

        `name` names the entry; the cost is ε, ε and δ, ρ, ρ and δ, or μ. What is entered stays, even if the
        block raises: it may have drawn by then.

        Examples
        --------
        >>> ledger = Ledger(PureDP(1.0))
        >>> with ledger.spend("mean", epsilon=0.4) as budget:
        ...     print(budget)
        ε = 0.4
        >>> ledger.remaining
        PureDP(epsilon=0.6)
        """
        budget = _budget(epsilon, delta, rho, mu)
        self.charge(budget, name)
        yield budget

    def _allowed(self, total: Budget) -> str:
        """Say what may still be charged, and that δ is what a `total` has and the budget has not."""
        left = f"at most {self.remaining or 'nothing'}, what is left of {self.budget}"
        lacking = getattr(total, "delta", 0.0) > 0 and not getattr(self.budget, "delta", 0.0)
        return f"no δ and {left}" if lacking else left

    def _sum(self, costs: list[Budget]) -> Budget:
        total = add([_without_zero_delta(cost) for cost in costs], _RULES[type(self.budget)])
        if isinstance(self.budget, ApproxDP) and isinstance(total, PureDP):
            return ApproxDP(total.epsilon, 0.0)
        return total


@of_plain_numbers
def _budget(
    epsilon: float | None, delta: float | None, rho: float | None, mu: float | None
) -> PureDP | ApproxDP | ZCDP | GaussianDP:
    """Return the budget that these numbers are."""
    match epsilon, delta, rho, mu:
        case float() | int(), None, None, None:
            return PureDP(epsilon)
        case float() | int(), float() | int(), None, None:
            return ApproxDP(epsilon, delta)
        case None, _, float() | int(), None:
            return ZCDP(rho, delta or 0.0)
        case None, None, None, float() | int():
            return GaussianDP(mu)
    raise ArgumentError("spend", (epsilon, delta, rho, mu), "epsilon, or rho, each with delta or not, or mu")


def _read(cost: Any, name: str | None, zcdp: bool) -> tuple[Budget, str]:
    """Return the budget of a release, or the budget itself, and the name of the entry.

    On a ledger in zCDP a release costs what its mechanisms cost.
    """
    if isinstance(cost, Budget):
        if name is None:
            raise ArgumentError("name", name, "a name for a budget that comes without its release")
        return cost, name
    if not (hasattr(cost, "guarantee") and hasattr(cost, "plan")):
        raise ArgumentError("charge", type(cost).__name__, "a budget or a release")
    budget = concentrated(cost.plan) if zcdp else cost.guarantee.budget
    return budget, _steps(cost.plan) if name is None else name


def _steps(plan: Plan) -> str:
    names = list(dict.fromkeys(charge.step for charge in plan.charges()))
    more = f", … ({len(names)} steps)" if len(names) > _MOST_STEPS else ""
    return ", ".join(names[:_MOST_STEPS]) + more


def _without_zero_delta(cost: Budget) -> Budget:
    """Return (ε, 0)-DP as the pure ε-DP that it is."""
    return PureDP(cost.epsilon) if isinstance(cost, ApproxDP) and not cost.delta else cost


def _difference(budget: Budget, spent: Budget | None) -> Budget | None:
    """Return the largest budget that adds up with `spent` to `budget`, None where nothing is left."""
    match budget, spent:
        case (PureDP(limit), PureDP(epsilon)) if left := _left(limit, epsilon):
            return PureDP(left)
        case (ApproxDP(limit, most), ApproxDP(epsilon, delta)) if left := _left(limit, epsilon):
            return ApproxDP(left, _left(most, delta))
        case (ZCDP(limit, most), ZCDP(rho, delta)) if left := _left(limit, rho):
            return ZCDP(left, _left(most, delta))
        case (GaussianDP(limit), GaussianDP(mu)) if left := _left(1.0, (mu / limit) ** 2):
            return GaussianDP(limit * sqrt(left))
    return None


def _left(limit: float, spent: float) -> float:
    """Return limit - spent, 0 where that is rounding."""
    return limit - spent if limit - spent > SLACK * limit else 0.0
