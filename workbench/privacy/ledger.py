"""Several releases on one data set: what has been spent, and a refusal to overspend.

>>> from workbench.privacy import ApproxDP, GaussianDP, PureDP
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

With some of δ set aside, costs of every kind are held, and many small ones cost less than their sum:

>>> ledger = Ledger(ApproxDP(2.0, 1e-6), slack=5e-7)
>>> ledger.charge(GaussianDP(0.1), "histogram")
>>> for day in range(150):
...     ledger.charge(PureDP(0.02), f"day {day}")
>>> print(f"{ledger.spent.epsilon:.2f} counted, {ledger.planned.epsilon:.2f} were all fixed beforehand")
1.29 counted, 1.12 were all fixed beforehand
>>> Ledger.from_json(ledger.to_json()) == ledger
True
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from math import ceil, exp, fsum, inf, sqrt, tanh
from sys import float_info
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.errors import LEAST_LOSS, ArgumentError, OverspentError, plain, real
from workbench.privacy.budgets import (
    LARGEST_PURE,
    LEAST_DELTA,
    SLACK,
    ZCDP,
    ApproxDP,
    Budget,
    GaussianDP,
    NonPrivate,
    PureDP,
    approx_from_gdp,
    approx_from_zcdp,
    gdp_from_pure,
    gdp_within_approx,
    pure_within_gdp,
    pure_within_zcdp,
    within,
    zcdp_within_approx,
)
from workbench.privacy.plan import Rule, add, compose
from workbench.special import log_ndtr

_RULES: dict[type, Rule] = {PureDP: "basic", ApproxDP: "basic", ZCDP: "zcdp", GaussianDP: "gdp"}
_MOST_STEPS = 3  # of a release that its name lists
_LEAST_PART = 1e-9  # of δ, that is no rounding
_SHOWN = 0.99  # of what is counted, below which what was planned beforehand is printed too
_CELLS, _MOST_CHARGES = 4000, 10**5  # of a numerical composition (`proofs/ledger.md`, section 5)


@dataclass
class Ledger:
    """A budget for one data set, and the releases charged to it.

    Costs add up in the currency of the budget: basic composition for ε and (ε, δ), sums of ρ (with the
    conversions of `workbench.privacy.budgets`, of a release by its mechanisms) for zCDP, sums of μ² for
    Gaussian DP. These rules stay valid when later releases, and their budgets, are chosen after looking at
    earlier ones (Rogers, Roth, Ullman & Vadhan 2016; Whitehouse et al. 2023).

    With `slack`, a budget in (ε, δ) holds costs of every kind. A charge is entered while the δ of all sum to
    at most δ - slack and one of three sums is within its limit: that of ε; that of ρ, half the slack being
    the δ of its conversion; that of μ², with the other half. A ledger that enters what any of them allows is
    (ε, δ)-DP however budgets and releases are chosen (`proofs/ledger.md`). The slack is fixed when the ledger
    is made: one chosen after a release would not be.

    Parameters
    ----------
    budget : Budget
        What all releases together may cost.
    entries : list of (str, Budget), optional
        Releases that were charged before, by name.
    slack : float, optional
        The part of a budget's δ that no charge can have, from 0 (the default: ε and δ add up) to δ.
    """

    budget: Budget
    entries: list[tuple[str, Budget]] = field(default_factory=list)
    slack: float = 0.0
    _releases: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if type(self.budget) not in _RULES:
            raise ArgumentError("budget", self.budget, "a private budget")
        self.slack = plain(self.slack, True)
        self._limits: _Limits | None = None
        if self.slack != 0:
            whole, least = self.budget, _LEAST_PART
            if not (
                isinstance(whole, ApproxDP)
                and real(self.slack)
                and whole.delta * least <= self.slack <= whole.delta
            ):
                allowed = f"0, or {least:g} to all of the δ of an (ε, δ) budget"
                raise ArgumentError("slack", self.slack, allowed)
            self._limits = _Limits(whole, self.slack)

    @property
    def spent(self) -> Budget | None:
        """What counts against the budget: the sum of all charges in its currency; None before the first.

        With `slack`, the least ε of the three sums. However budgets were chosen, the guarantee of all that is
        ever entered is `budget`; before its end, that of a sum of ε alone is `spent`.
        """
        return self._sum(self._costs) if self.entries else None

    @property
    def planned(self) -> Budget | None:
        """What all charges would cost together, had their budgets been fixed before the first release.

        In (ε, δ), at the δ of the budget, the least ε of basic composition, of the sum of ρ, and of the exact
        composition of ε, (ε, δ) and μ, rounded upwards (`proofs/ledger.md`, section 5). It is never a
        reason to enter a charge. In other currencies it is `spent`; None before the first charge.
        """
        if not (isinstance(self.budget, ApproxDP) and self.entries):
            return self.spent
        return ApproxDP(_planned(self._costs, self.budget.delta), self.budget.delta)

    @property
    def remaining(self) -> Budget | None:
        """The largest charge that is left, in the ledger's own currency; None where nothing may."""
        if self._limits:
            return self._limits.left(self._costs)
        match self.budget, self.spent:
            case budget, None:
                return budget
            case GaussianDP(limit), GaussianDP(mu):
                left = _left(1.0, (mu / limit) ** 2)
                return GaussianDP(limit * sqrt(left)) if left else None
            case budget, spent:
                numbers = [*map(_left, vars(budget).values(), vars(spent).values())]
                return type(budget)(*numbers) if numbers[0] else None

    @property
    def _costs(self) -> list[Budget]:
        return [cost for _, cost in self.entries]

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
        left, spent, planned = self.remaining or "nothing", self.spent, self.planned
        fixed: list[tuple[str, object]] = []
        if isinstance(spent, ApproxDP) and isinstance(planned, ApproxDP):
            fixed = [("planned", planned)] if planned.epsilon < _SHOWN * spent.epsilon else []
        return [("spent", spent or "nothing"), *fixed, ("left", left), ("budget", self.budget)]

    def charge(self, cost: Any, name: str | None = None, *, again: bool = False) -> None:
        """Enter one release, or raise `OverspentError` and enter nothing.

        Parameters
        ----------
        cost : Budget or Release
            What is spent: a budget before the release is drawn, or the release itself, which on a ledger in
            zCDP costs what its mechanisms cost. One that is refused has been drawn all the same: it must not
            be looked at.
        name : str, optional
            Names the entry; for a release, unless given, its steps do.
        again : bool
            Whether to charge a release that is on the ledger once more: refused by default, as one that is
            drawn once is paid for once.
        """
        if isinstance(cost, Budget):
            budget = cost
            if name is None:
                raise ArgumentError("name", name, "a name for a budget that comes without its release")
        elif hasattr(cost, "guarantee") and hasattr(cost, "plan"):
            in_zcdp = isinstance(self.budget, ZCDP)
            budget = compose(cost.plan, in_zcdp=True) if in_zcdp else cost.guarantee.budget
            steps = list(dict.fromkeys(charge.step for charge in cost.plan.charges()))
            more = f", … ({len(steps)} steps)" if len(steps) > _MOST_STEPS else ""
            name = ", ".join(steps[:_MOST_STEPS]) + more if name is None else name
        else:
            raise ArgumentError("charge", type(cost).__name__, "a budget or a release")
        if not again and any(one is cost for one in self._releases):
            raise ArgumentError("charge", name, "a release that is not on the ledger yet, or again=True")
        if isinstance(budget, NonPrivate):
            raise OverspentError("charge", budget, "a private release")
        if isinstance(self.budget, ApproxDP) and not self.slack and isinstance(budget, ZCDP | GaussianDP):
            raise ArgumentError("charge", budget, "ε or (ε, δ), or a ledger with slack= some of its δ")
        costs = [*self._costs, budget]
        total = self._sum(costs)
        if not (self._limits.hold(costs) if self._limits else within(total, self.budget)):
            lacking = getattr(total, "delta", 0.0) > 0 and not getattr(self.budget, "delta", 0.0)
            left = f"at most {self.remaining or 'nothing'}, what is left of {self.budget}"
            raise OverspentError("charge", budget, f"no δ and {left}" if lacking else left)
        self.entries.append((name, budget))
        if not isinstance(cost, Budget):
            self._releases.append(cost)

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
        budget: PureDP | ApproxDP | ZCDP | GaussianDP
        match [plain(number) for number in (epsilon, delta, rho, mu)]:
            case (float() | int()) as loss, None, None, None:
                budget = PureDP(loss)
            case (float() | int()) as loss, (float() | int()) as chance, None, None:
                budget = ApproxDP(loss, chance)
            case None, chance, (float() | int()) as loss, None:
                budget = ZCDP(loss, chance or 0.0)
            case None, None, None, (float() | int()) as loss:
                budget = GaussianDP(loss)
            case given:
                raise ArgumentError("spend", tuple(given), "epsilon, or rho, each with delta or not, or mu")
        self.charge(budget, name)
        yield budget

    def to_json(self) -> str:
        """Return the budget, the slack and all entries as JSON, which `from_json` reads.

        Which release objects were charged is not part of it.
        """

        def written(budget: Budget) -> dict[str, Any]:
            return {"kind": type(budget).__name__, **vars(budget)}

        entries = [{"name": name, "cost": written(cost)} for name, cost in self.entries]
        return json.dumps({"budget": written(self.budget), "slack": self.slack, "entries": entries})

    @classmethod
    def from_json(cls, text: str) -> "Ledger":
        """Return the ledger that `to_json` wrote; every entry is charged again.

        Raises
        ------
        ArgumentError
            If it is not what `to_json` writes, or overspent.
        """

        def budget(kind: str, **numbers: float) -> Any:
            return next(one for one in _RULES if one.__name__ == kind)(**numbers)

        wrong = ArgumentError("text", text, "what to_json of a ledger returned")
        try:
            read = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            raise wrong from None
        try:
            made = cls(budget(**read["budget"]), slack=read["slack"])
            for entry in read["entries"]:
                if type(entry["name"]) is not str:
                    raise TypeError
                made.charge(budget(**entry["cost"]), entry["name"])
        except (KeyError, TypeError, AttributeError, StopIteration):
            raise wrong from None
        return made

    def _sum(self, costs: list[Budget]) -> Budget:
        if self._limits:
            return self._limits.spent(costs)
        pure = [  # (ε, 0)-DP as the pure ε-DP that it is
            PureDP(cost.epsilon) if isinstance(cost, ApproxDP) and not cost.delta else cost for cost in costs
        ]
        total = add(pure, _RULES[type(self.budget)])
        if isinstance(self.budget, ApproxDP) and isinstance(total, PureDP):
            return ApproxDP(total.epsilon, 0.0)
        return total


class _Limits:
    """The three sums of which one at least is within its limit, and that of δ (`proofs/ledger.md`)."""

    def __init__(self, budget: ApproxDP, slack: float) -> None:
        self.slack, self.delta = slack, budget.delta - slack
        half = ApproxDP(budget.epsilon, slack / 2)
        most = zcdp_within_approx(half).rho, gdp_within_approx(half).mu ** 2
        self.sums = (budget.epsilon, *most)

    def hold(self, costs: Sequence[Budget]) -> bool:
        sums = zip(_sums(costs), self.sums, strict=True)
        few = _delta(costs) <= self.delta * (1 + SLACK)
        return few and any(total <= most * (1 + SLACK) for total, most in sums)

    def spent(self, costs: Sequence[Budget]) -> ApproxDP:
        (epsilon, rho, square), delta, half = _sums(costs), _delta(costs), self.slack / 2
        least = approx_from_zcdp(ZCDP(rho), half).epsilon
        if square < inf:
            least = min(least, approx_from_gdp(GaussianDP(sqrt(square)), half).epsilon)
        if epsilon <= least:
            return ApproxDP(epsilon, delta)
        return ApproxDP(least, delta + self.slack)

    def left(self, costs: Sequence[Budget]) -> ApproxDP | None:
        epsilon, rho, square = map(_left, self.sums, _sums(costs))
        of_rho = pure_within_zcdp(rho) if rho else 0.0
        of_mu = pure_within_gdp(sqrt(square)) if square else 0.0
        most = max(epsilon, of_rho, of_mu)
        return ApproxDP(most, _left(self.delta, _delta(costs))) if most >= LEAST_LOSS else None


def _sums(costs: Sequence[Budget]) -> tuple[float, float, float]:
    """Return the sums of ε, ρ and μ², infinite where a cost has none."""

    def numbers(cost: Budget) -> tuple[float, float, float]:
        match cost:
            case PureDP(epsilon) | ApproxDP(epsilon, _):
                square = gdp_from_pure(PureDP(epsilon)).mu ** 2 if epsilon <= LARGEST_PURE else inf
                return epsilon, max(epsilon * tanh(epsilon / 2), LEAST_LOSS), square
            case GaussianDP(mu):
                return inf, max(mu**2 / 2, LEAST_LOSS), mu**2
            case ZCDP(rho, _):
                return inf, rho, inf
        return inf, inf, inf

    found = [numbers(cost) for cost in costs]
    epsilon, rho, square = (fsum(one[i] for one in found) for i in range(3))
    return epsilon, rho, square


def _delta(costs: Sequence[Budget]) -> float:
    return fsum(getattr(cost, "delta", 0.0) for cost in costs)


def _planned(costs: Sequence[Budget], delta: float) -> float:
    """Return the least ε at `delta` of costs that were fixed beforehand."""
    (epsilon, rho, _), left = _sums(costs), delta - _delta(costs)
    if left <= max(_LEAST_PART * delta, LEAST_DELTA):
        return epsilon
    bounds = [epsilon, approx_from_zcdp(ZCDP(rho), left).epsilon]
    mu = sqrt(fsum(cost.mu**2 for cost in costs if isinstance(cost, GaussianDP)))
    responses = [cost.epsilon for cost in costs if isinstance(cost, PureDP | ApproxDP)]
    small = max([mu, *responses]) <= LARGEST_PURE and (not mu or mu > 1 / LARGEST_PURE**2)
    if small and len(costs) <= _MOST_CHARGES and not any(isinstance(cost, ZCDP) for cost in costs):
        bounds.append(composed(responses, mu, left))
    return min(bounds)


def composed(epsilons: Sequence[float], mu: float, delta: float) -> float:
    """Return ε of the composition of ε-DP for each of `epsilons` and of μ-GDP at `delta`, rounded up.

    Of randomised responses with these ε and of one Gaussian mechanism, which no others exceed; exact but for
    a grid to which `epsilons` are rounded up (`proofs/ledger.md`, section 5).
    """
    most = fsum(epsilons)
    losses, chances = _responses(epsilons, most)
    most += approx_from_gdp(GaussianDP(mu), delta).epsilon if mu else 0.0
    low, high = 0.0, most
    for _ in range(60):
        middle = (low + high) / 2
        exceeds = np.sum(chances * _gaussian_deltas(mu, middle - losses)) * (1 + 1e-10) > delta
        low, high = (middle, high) if exceeds else (low, middle)
    return high + 1e-13 * most


def _responses(epsilons: Sequence[float], most: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums of losses of randomised responses and their chances."""
    if not epsilons:
        return np.zeros(1), np.ones(1)
    least = min(epsilons)
    width = max(least / max(1, int(_CELLS * least / most)), most / _CELLS) * (1 + 1e-12)
    steps = [ceil(one / width * (1 + 1e-14)) for one in epsilons]
    end = sum(steps)
    chances = np.zeros(2 * end + 1)
    chances[end] = 1.0
    for k in steps:
        truth = 1 / (1 + exp(-k * width))
        moved = np.zeros_like(chances)
        moved[k:] = truth * chances[:-k]
        moved[:-k] += exp(-k * width) * truth * chances[k:]
        chances = moved
    return np.asarray(width * np.arange(-end, end + 1), np.float64), chances


def _gaussian_deltas(mu: float, epsilons: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `gaussian_delta` of every ε of either sign, rounded up; for μ = 0, what is lost for certain."""
    if not mu:
        return -np.expm1(np.minimum(epsilons, 0.0))
    first = log_ndtr(mu / 2 - epsilons / mu)
    second = epsilons + log_ndtr(-mu / 2 - epsilons / mu)
    slack = 4 * float_info.epsilon * (2 + np.abs(first) + np.abs(second) + np.abs(epsilons))
    found = np.exp(first) * (slack - np.expm1(np.minimum(second - first, 0.0)))
    return np.minimum(found, 1.0)


def _left(limit: float, spent: float) -> float:
    """Return limit - spent, 0 where that is rounding."""
    return limit - spent if limit - spent > SLACK * limit else 0.0
