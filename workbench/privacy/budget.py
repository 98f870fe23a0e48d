"""Privacy budgets: values that say how much privacy may be lost, and in which currency.

Every guarantee of this package is for neighbours that differ in ONE REPLACED row, with the number of
rows public. The currencies do not convert implicitly; `workbench.privacy.conversions` holds the
theorems. Shares add up with `math.fsum`.

>>> PureDP(1.0).split(1, 3)
(PureDP(epsilon=0.25), PureDP(epsilon=0.75))
>>> print(ApproxDP(1.0, 1e-6))
(ε = 1, δ = 1e-06)-DP
"""

from dataclasses import dataclass
from math import exp, fsum
from typing import Self, TypeAlias

from workbench.errors import ArgumentError, Public, few, of_plain_numbers, positive


@of_plain_numbers
def _shares(*weights: float) -> list[float]:
    """Return `weights` scaled to sum 1."""
    if not weights:
        raise ArgumentError("weights", weights, "at least one number above 0")
    for weight in weights:
        positive(weights=weight)
    total = fsum(weights)
    return [weight / total for weight in weights]


class _Additive(Public):
    """A budget whose numbers add up under composition."""

    def split(self, *weights: float) -> tuple[Self, ...]:
        """Return shares of every number in proportion to `weights`; basic composition adds them up again."""
        shares = _shares(*weights)
        return tuple(type(self)(*(number * share for number in vars(self).values())) for share in shares)


@dataclass(frozen=True)
class PureDP(_Additive):
    """ε-differential privacy: the log-likelihood ratio of neighbours is at most `epsilon`."""

    epsilon: float

    def for_group(self, size: int) -> "PureDP":
        """Return the guarantee of the same mechanism when `size` rows are replaced."""
        few(LARGEST_GROUP, size=size)
        return PureDP(size * self.epsilon)

    def __str__(self) -> str:
        return f"ε = {self.epsilon:g}"


@dataclass(frozen=True)
class ApproxDP(_Additive):
    """(ε, δ)-differential privacy: P(event) is at most e^ε P'(event) + δ."""

    epsilon: float
    delta: float

    def for_group(self, size: int) -> "ApproxDP":
        """Return (kε, δ (e^{kε} - 1)/(e^ε - 1)), the guarantee for `size` = k replaced rows."""
        few(LARGEST_GROUP, size=size)
        growth = fsum(_exp(step * self.epsilon) for step in range(size))
        if self.delta * growth >= 1:
            raise ArgumentError("size", size, "a group for which the sum of δ e^(jε), j < size, is below 1")
        return ApproxDP(size * self.epsilon, self.delta * growth)

    def __str__(self) -> str:
        return f"(ε = {self.epsilon:g}, δ = {self.delta:g})-DP"


@dataclass(frozen=True)
class ZCDP(_Additive):
    """δ-approximate ρ-zero-concentrated DP (Bun & Steinke 2016): order-α divergence at most ρα.

    With δ > 0 the bound holds conditionally on events of probability at least 1 - δ on both sides.
    """

    rho: float
    delta: float = 0.0

    def for_group(self, size: int) -> "ZCDP":
        """Return k²ρ-zCDP, the guarantee for `size` = k replaced rows; for δ = 0 only.

        With δ > 0 the chain of conditionings has no such closed form: convert to (ε, δ) first.
        """
        few(LARGEST_GROUP, size=size)
        if self.delta and size > 1:
            raise ArgumentError("size", size, "1 where delta > 0 (convert to ApproxDP, then for_group)")
        return ZCDP(int(size) ** 2 * self.rho, self.delta)

    def __str__(self) -> str:
        return f"ρ = {self.rho:g} zCDP" + (f", δ = {self.delta:g}" if self.delta else "")


@dataclass(frozen=True)
class GaussianDP(Public):
    """μ-Gaussian DP (Dong, Roth & Su 2022): no easier to tell apart than N(0, 1) and N(μ, 1)."""

    mu: float

    def split(self, *weights: float) -> tuple["GaussianDP", ...]:
        """Return shares whose squares add up; `weights` are proportions of μ²."""
        return tuple(GaussianDP(self.mu * share**0.5) for share in _shares(*weights))

    def for_group(self, size: int) -> "GaussianDP":
        """Return kμ-GDP, the guarantee for `size` = k replaced rows."""
        few(LARGEST_GROUP, size=size)
        return GaussianDP(size * self.mu)

    def __str__(self) -> str:
        return f"μ = {self.mu:g} GDP"


@dataclass(frozen=True)
class NonPrivate(_Additive):
    """No guarantee: the budget of the reference estimators."""

    def for_group(self, size: int) -> "NonPrivate":
        """Return itself: there is nothing to lose."""
        few(LARGEST_GROUP, size=size)
        return self

    def __str__(self) -> str:
        return "not private"


LARGEST_GROUP = 10**6  # rows, so that a sum over them ends
SLACK = 1e-12  # shares of a budget that add up to it again up to this relative error are accepted
Budget: TypeAlias = PureDP | ApproxDP | ZCDP | GaussianDP | NonPrivate


def _exp(power: float) -> float:
    """Return e^power, infinite where it overflows."""
    return exp(power) if power < 700 else float("inf")


def within(budget: Budget, limit: Budget) -> bool:
    """Return whether `budget` is of the kind of `limit` and no number of it is larger, to `SLACK`."""
    if type(budget) is not type(limit):
        return False
    return all(value <= getattr(limit, name) * (1 + SLACK) for name, value in vars(budget).items())


def require(budget: object, *kinds: type, argument: str = "budget") -> None:
    """Raise unless `budget` is one of `kinds`."""
    if not isinstance(budget, kinds):
        raise ArgumentError(argument, budget, "one of " + ", ".join(kind.__name__ for kind in kinds))
