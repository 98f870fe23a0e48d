"""What a release will spend, on what, decided from public facts before anything is drawn.

A plan is a small tree: a `Charge` is one use of one mechanism; `Sequential` parts look at the same rows
and add up under a rule; `Parallel` parts look at disjoint rows and cost their maximum; a `Converted` part is
delivered in another currency; `Interleaved` ones take turns. `compose` returns the budget that the tree
delivers, and mechanisms draw their noise from charges only, so that what is spent and what is promised
cannot disagree.

>>> plan = Sequential("basic", (Charge("locate", "exponential", 1.0, PureDP(0.2)),
...                             Charge("mean", "laplace", 0.01, PureDP(0.8))))
>>> compose(plan)
PureDP(epsilon=1.0)
>>> plan["mean"].sensitivity
0.01
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import fsum, sqrt
from typing import Literal, TypeAlias

from workbench.errors import ArgumentError, Public
from workbench.privacy.budgets import (
    ZCDP,
    ApproxDP,
    Budget,
    GaussianDP,
    NonPrivate,
    PureDP,
    approx_from_zcdp,
    gaussian_delta,
    to_zcdp,
    zcdp_from_bounded_range,
    zcdp_from_laplace,
    zcdp_from_pure,
)
from workbench.types import frozen

Rule: TypeAlias = Literal["basic", "zcdp", "gdp"]
LEAST_SCALE, MOST_SCALE = 1e-290, 1e290  # of noise, that it neither vanishes nor overflows
_UP = 1 + 1e-9  # conversions are numerical: their own rounding is no overspending


class _Tree:
    """`charges()` yields every charge, in the order of the run; `plan[step]` is that of a step."""

    parts: tuple["Plan", ...]

    def charges(self) -> Iterator["Charge"]:
        for part in self.parts:
            yield from part.charges()

    def __getitem__(self, step: str) -> "Charge":
        for charge in self.charges():
            if charge.step == step:
                return charge
        raise KeyError(step)


@frozen
class Charge(_Tree, Public):
    """One use of a mechanism: its sensitivity under replace-one, and what it costs.

    `sensitivity` is in the norm of the mechanism (l1 for Laplace, l2 for Gaussian, the score's for
    selection), in the unit of the statistic. `mechanism` is a name of `mechanisms` and says which noise is
    drawn: under zCDP a cost in ε is converted by it.
    """

    step: str
    mechanism: str
    sensitivity: float
    cost: Budget

    def _validate(self) -> None:
        for loss in [*vars(self.cost).values()][:1]:
            if not LEAST_SCALE <= self.sensitivity / loss <= MOST_SCALE:
                allowed = f"{LEAST_SCALE:g} to {MOST_SCALE:g} times the privacy loss, {loss:g}"
                raise ArgumentError("sensitivity", self.sensitivity, allowed)

    def charges(self) -> Iterator["Charge"]:
        yield self


@frozen
class Sequential(_Tree):
    """Parts that see the same rows, each possibly after the outputs of the former."""

    rule: Rule
    parts: tuple["Plan", ...]


@frozen
class Parallel(_Tree):
    """Parts that see disjoint rows: replacing one row touches one part only."""

    parts: tuple["Plan", ...]


@frozen
class Converted(_Tree):
    """A part whose own budget, zCDP or GDP, is delivered as the (ε, δ) that it implies.

    Raises
    ------
    ArgumentError
        If the part's budget does not imply `budget` by `approx_from_zcdp` or `approx_from_gdp`. The latter,
        exact, needs every charge to be a Gaussian mechanism.
    """

    part: "Plan"
    budget: ApproxDP

    def __post_init__(self) -> None:
        part, wanted, implied = compose(self.part), self.budget, False
        match part:
            case GaussianDP(mu):
                implied = gaussian_delta(mu, wanted.epsilon) <= wanted.delta * _UP
            case ZCDP(_, delta) if delta < wanted.delta:
                implied = approx_from_zcdp(part, wanted.delta).epsilon <= wanted.epsilon * _UP
        if not implied:
            raise ArgumentError("budget", wanted, f"implied by the part's {part}")

    def charges(self) -> Iterator[Charge]:
        return self.part.charges()


@frozen
class Interleaved(_Tree):
    """Parts that take turns: `order` names the steps in the order of the run, each once.

    The budget is that of `whole`, whose own order groups the steps by the theorem that adds them up. Groups
    that take turns compose concurrently: what one releases decides what another asks. Their budgets still add
    up under "basic" if each group's bound holds step by step given any history, as it does for sums of ε and
    for moments under "zcdp" (`proofs/prime.md`, section 6; Vadhan & Wang 2021, Vadhan & Zhang 2023); other
    plans need an argument of their own.
    """

    whole: "Plan"
    order: tuple[str, ...]

    def __post_init__(self) -> None:
        steps = [charge.step for charge in self.whole.charges()]
        if sorted(steps) != sorted(self.order) or len({*steps}) < len(steps):
            raise ArgumentError("order", self.order, "every step of the plan once")

    def charges(self) -> Iterator[Charge]:
        named = {charge.step: charge for charge in self.whole.charges()}
        return (named[step] for step in self.order)


Plan: TypeAlias = Charge | Sequential | Parallel | Converted | Interleaved


def compose(plan: Plan, in_zcdp: bool = False) -> Budget:
    """Return the budget that `plan` delivers; `in_zcdp` its zCDP, whatever its rule.

    Charges in ε cost under zCDP what their mechanism costs, less than ε-DP in general: Laplace noise, a
    choice, and a stability-based histogram, whose counts move in two bins by 1 each, at ε/2
    (`proofs/univariate.md`, sections 2 and 5). What is converted costs what it was before.
    """
    match plan:
        case Charge():
            return add([_of_mechanism(plan)], "zcdp") if in_zcdp else plan.cost
        case Sequential(rule, parts):
            rule = "zcdp" if in_zcdp else rule
            return add([compose(part, rule == "zcdp") for part in parts], rule)
        case Parallel(parts):
            budgets = [compose(part, in_zcdp) for part in parts]
            if any(type(budget) is not type(budgets[0]) for budget in budgets):
                raise ArgumentError("parts", budgets, "budgets of one kind for parallel parts")
            numbers = zip(*(vars(budget).values() for budget in budgets), strict=True)
            return type(budgets[0])(*map(max, numbers))
        case Converted(part, budget):
            return compose(part, True) if in_zcdp else budget
        case Interleaved(whole):
            return add([compose(whole)], "zcdp") if in_zcdp else compose(whole)


def _of_mechanism(charge: Charge) -> Budget:
    match charge.mechanism, charge.cost:
        case "laplace", PureDP(epsilon):
            return zcdp_from_laplace(epsilon)
        case (("exponential" | "window_median"), PureDP(epsilon)):
            return zcdp_from_bounded_range(epsilon)
        case "window_median", ApproxDP(epsilon, delta):
            return ZCDP(zcdp_from_bounded_range(epsilon).rho, delta)
        case "stability_histogram", ApproxDP(epsilon, delta):
            return ZCDP(2 * zcdp_from_pure(PureDP(epsilon / 2)).rho, delta)
    return charge.cost


def add(budgets: Sequence[Budget], rule: Rule) -> Budget:
    """Return the sum of `budgets` under a composition rule, valid for adaptive use.

    "basic" sums ε and δ; "zcdp" converts each to zCDP and sums ρ and δ; "gdp" sums μ².
    """
    if not budgets:
        raise ArgumentError("parts", budgets, "at least one part")
    if any(isinstance(budget, NonPrivate) for budget in budgets):
        return NonPrivate()
    if rule == "zcdp":
        parts = [to_zcdp(budget) for budget in budgets]
        return ZCDP(fsum(part.rho for part in parts), fsum(part.delta for part in parts))
    if rule == "gdp":
        mus = [budget.mu for budget in budgets if isinstance(budget, GaussianDP)]
        if len(mus) < len(budgets):
            raise ArgumentError("costs", budgets, "GaussianDP for every part under the rule gdp")
        return GaussianDP(sqrt(fsum(mu * mu for mu in mus)))
    costs = [budget for budget in budgets if isinstance(budget, PureDP | ApproxDP)]
    if len(costs) < len(budgets):
        other = next(budget for budget in budgets if budget not in costs)
        raise ArgumentError("cost", other, "PureDP or ApproxDP under basic composition")
    epsilon = fsum(cost.epsilon for cost in costs)
    if all(isinstance(cost, PureDP) for cost in costs):
        return PureDP(epsilon)
    return ApproxDP(epsilon, fsum(getattr(cost, "delta", 0.0) for cost in costs))


def renamed(plan: Plan, prefix: str) -> Plan:
    """Return the plan with a word before the name of every step."""
    match plan:
        case Charge():
            return replace(plan, step=prefix + plan.step)
        case Converted():
            return replace(plan, part=renamed(plan.part, prefix))
        case Interleaved():
            return Interleaved(renamed(plan.whole, prefix), tuple(prefix + step for step in plan.order))
        case Parallel() | Sequential():
            return replace(plan, parts=tuple(renamed(part, prefix) for part in plan.parts))
