"""Privacy budgets: values that say how much privacy may be lost, in which definition, and what converts them.

Every guarantee of this package is for neighbours that differ in ONE REPLACED row, with the number of
rows public. Nothing converts implicitly. Shares add up with `math.fsum`.

>>> PureDP(1.0).split(1, 3)
(PureDP(epsilon=0.25), PureDP(epsilon=0.75))
>>> print(ApproxDP(1.0, 1e-6))
(ε = 1, δ = 1e-06)-DP

Conversions are named by what they convert. Those of a definition hold for every mechanism with the guarantee;
two families cost less zCDP than ε-DP in general, and no smaller ρ is true of them, which are the largest
Kullback-Leibler divergences (Harrison & Manurangsi 2026; `proofs/univariate.md`, sections 5.2 and 5.7):

    Laplace noise of scale Δ₁/ε          ρ = ε + e^-ε - 1
    a log-likelihood ratio of range ε    ρ = k - 1 - ln k, k = ε/(1 - e^-ε)

Discrete Laplace noise is of neither: a shift by one step is randomised response. The slides of M21 state
looser forms of two conversions, which are kept as `*_stated`, for comparison.
"""

from collections.abc import Callable
from functools import cache
from math import exp, expm1, factorial, fsum, inf, log, log1p, pi, sqrt, tanh
from operator import mul, truediv
from sys import float_info
from typing import Self, TypeAlias

from workbench.errors import LEAST_LOSS, ArgumentError, Public, few, of_plain_numbers, positive, probability
from workbench.special import brentq, log_ndtr, minimize_scalar, ndtri, zeta
from workbench.types import frozen, remembered

LARGEST_GROUP = 10**6  # rows, so that a sum over them ends
SLACK = 1e-12  # shares of a budget that add up to it again up to this relative error are accepted


class _Budget(Public):
    @of_plain_numbers
    def split(self, *weights: float) -> tuple[Self, ...]:
        """Return shares in proportion to `weights` that composition adds up again: of each number, of μ²."""
        if not weights:
            raise ArgumentError("weights", weights, "at least one number above 0")
        for weight in weights:
            positive(weights=weight)
        power = 0.5 if isinstance(self, GaussianDP) else 1.0
        shares = [(weight / fsum(weights)) ** power for weight in weights]
        return tuple(type(self)(*(number * share for number in vars(self).values())) for share in shares)

    @of_plain_numbers
    def for_group(self, size: int) -> Self:
        """Return the guarantee of the same mechanism when `size` = k rows are replaced: kε, k²ρ, kμ.

        Of (ε, δ) it is (kε, δ (e^{kε} - 1)/(e^ε - 1)). The ρ of a budget with δ > 0 has no such closed form:
        convert it to (ε, δ) first.
        """
        return self._regrouped(mul, 1, size=size)

    @of_plain_numbers
    def per_row(self, rows_per_person: int) -> Self:
        """Return the budget for one row with which a person of so many rows has this one, by `for_group`."""
        return self._regrouped(truediv, rows_per_person, rows_per_person=rows_per_person)

    def _regrouped(self, change: Callable[[float, float], float], parts: int, **rows: int) -> Self:
        """Return the budget with its numbers multiplied, or divided, by what so many `rows` make of them.

        The ε of one row is ε/parts.
        """
        few(LARGEST_GROUP, **rows)
        ((name, k),) = rows.items()
        match self:
            case ApproxDP(epsilon, delta):
                delta = delta and change(delta, fsum(_exp(step * epsilon / parts) for step in range(k)))
                if delta >= 1:
                    raise ArgumentError(
                        name, k, f"a group for which the sum of δ e^(jε), j < {name}, is below 1"
                    )
                return type(self)(change(epsilon, k), delta)
            case ZCDP(rho, delta):
                if delta and k > 1:
                    raise ArgumentError(name, k, "1 where delta > 0 (take ApproxDP)")
                return type(self)(change(rho, k**2), delta)
        return type(self)(*(change(number, k) for number in vars(self).values()))


@frozen
class PureDP(_Budget):
    """ε-differential privacy: the log-likelihood ratio of neighbours is at most `epsilon`."""

    epsilon: float

    def __str__(self) -> str:
        return f"ε = {self.epsilon:g}"


@frozen
class ApproxDP(_Budget):
    """(ε, δ)-differential privacy: P(event) is at most e^ε P'(event) + δ."""

    epsilon: float
    delta: float

    def __str__(self) -> str:
        return f"(ε = {self.epsilon:g}, δ = {self.delta:g})-DP"


@frozen
class ZCDP(_Budget):
    """δ-approximate ρ-zero-concentrated DP (Bun & Steinke 2016): order-α divergence at most ρα.

    With δ > 0 the bound holds conditionally on events of probability at least 1 - δ on both sides.
    """

    rho: float
    delta: float = 0.0

    def __str__(self) -> str:
        return f"ρ = {self.rho:g} zCDP" + (f", δ = {self.delta:g}" if self.delta else "")


@frozen
class GaussianDP(_Budget):
    """μ-Gaussian DP (Dong, Roth & Su 2022): no easier to tell apart than N(0, 1) and N(μ, 1)."""

    mu: float

    def __str__(self) -> str:
        return f"μ = {self.mu:g} GDP"


@frozen
class NonPrivate(_Budget):
    """No guarantee: the budget of the reference estimators."""

    def __str__(self) -> str:
        return "not private"


Budget: TypeAlias = PureDP | ApproxDP | ZCDP | GaussianDP | NonPrivate


def _exp(power: float) -> float:
    return exp(power) if power < 700 else float("inf")


def within(budget: Budget, limit: Budget) -> bool:
    """Return whether `budget` is of the kind of `limit` and no number of it is larger, to `SLACK`."""
    return type(budget) is type(limit) and all(
        value <= getattr(limit, name) * (1 + SLACK) for name, value in vars(budget).items()
    )


def require(budget: object, *kinds: type) -> None:
    """Raise unless `budget` is one of `kinds`."""
    if not isinstance(budget, kinds):
        raise ArgumentError("budget", budget, "one of " + ", ".join(kind.__name__ for kind in kinds))


# Conversions

UP = 1 + 1e-12  # calibrations are rounded towards more noise by this factor
LEAST_DELTA = 1e-290  # delta of a calibration: smaller ones have few bits
SMALL_PURE, LARGEST_PURE = 1e-4, 600.0  # ε beyond which e^-ε, or what Φ is above ½, loses bits
LONGEST = 345.0  # ln(ε/μ) at which (ε/μ)² is still a float


def zcdp_from_pure(budget: PureDP) -> ZCDP:
    """Return ε tanh(ε/2)-zCDP, attained by randomised response (tight; below the usual ε²/2)."""
    return ZCDP(budget.epsilon * tanh(budget.epsilon / 2))


def zcdp_from_pure_stated(budget: PureDP) -> ZCDP:
    """Return ε²/2-zCDP, the form of the slides (Bun & Steinke 2016, Proposition 1.4)."""
    return ZCDP(budget.epsilon**2 / 2)


def gdp_from_gaussian_zcdp(budget: ZCDP) -> GaussianDP:
    """Return √(2ρ)-GDP. Valid for Gaussian mechanisms only, not for zCDP in general."""
    if budget.delta:
        raise ArgumentError("delta", budget.delta, "0: the budget of Gaussian mechanisms alone")
    return GaussianDP(sqrt(2 * budget.rho))


def gdp_from_pure(budget: PureDP) -> GaussianDP:
    """Return the least μ-GDP of ε-DP: Φ(μ/2) = e^ε/(1 + e^ε), rounded up (`proofs/ledger.md`, section 4)."""
    epsilon = budget.epsilon
    if epsilon < SMALL_PURE:  # where the quantile has too few bits
        return GaussianDP(sqrt(pi / 2) * epsilon * (1 + epsilon**2))
    if epsilon > LARGEST_PURE:
        raise ArgumentError("epsilon", epsilon, f"at most {LARGEST_PURE:g}")
    return GaussianDP(-2 * ndtri(1 / (1 + exp(epsilon))) * (1 + 1e-9))


def pure_within_gdp(mu: float) -> float:
    """Return the largest ε of which `gdp_from_pure` is at most `mu`, rounded down."""
    if mu < SMALL_PURE:
        return mu / (sqrt(pi / 2) * (1 + mu**2))
    return min(float(log_ndtr(mu / 2) - log_ndtr(-mu / 2)), LARGEST_PURE) * (1 - 1e-8)


def pure_within_zcdp(rho: float) -> float:
    """Return the largest ε of which `zcdp_from_pure` is at most `rho`, rounded down."""
    return _inverse(lambda epsilon: epsilon * tanh(epsilon / 2), rho, sqrt(2) * sqrt(rho))


def to_zcdp(budget: Budget) -> ZCDP:
    """Return the tightest zCDP statement known for `budget`.

    ε tanh(ε/2) of pure DP. The same and δ of (ε, δ)-DP: every such pair is a post-processing of randomised
    response with a leak of probability δ, without which it is ε-DP (Kairouz, Oh & Viswanath 2015). μ²/2 of
    Gaussian DP: divergences are at most those of N(0, 1) and N(μ, 1).
    """
    match budget:
        case PureDP():
            return zcdp_from_pure(budget)
        case ApproxDP(epsilon, delta):
            return ZCDP(zcdp_from_pure(PureDP(epsilon)).rho, delta)
        case GaussianDP(mu):
            return ZCDP(mu**2 / 2)
        case ZCDP():
            return budget
    raise ArgumentError("budget", budget, "a private budget")


@of_plain_numbers
def approx_from_zcdp(budget: ZCDP, delta: float) -> ApproxDP:
    """Return (ε, δ)-DP with the given total `delta` (Canonne, Kamath & Steinke 2020, Proposition 12).

    ε = min over α > 1 of ρα + ln(1/(αδ'))/(α-1) + ln(1-1/α), where δ' is what `delta` leaves after the
    budget's own δ.
    """
    probability(delta=delta)
    if delta <= budget.delta:
        raise ArgumentError("delta", delta, f"a number above the budget's own delta, {budget.delta:g}")
    return ApproxDP(_epsilon_of_zcdp(budget.rho, delta - budget.delta), delta)


def _epsilon_of_zcdp(rho: float, delta: float) -> float:
    def epsilon(log_excess: float) -> float:
        excess = exp(log_excess)  # alpha - 1
        order = 1 + excess
        return rho * order - (log(delta) + log(order)) / excess + log(excess / order)

    centre = 0.5 * log(max(log(1 / delta), 1e-12) / rho)
    best = minimize_scalar(
        epsilon, bounds=(centre - 15, centre + 15), method="bounded", options={"xatol": 1e-10}
    )
    return max(float(best.fun), LEAST_LOSS)


@of_plain_numbers
def approx_from_zcdp_stated(budget: ZCDP, delta: float) -> ApproxDP:
    """Return (ρ + 2√(ρ ln 1/δ), δ)-DP, the form of the slides (Bun & Steinke 2016, Proposition 1.3)."""
    probability(delta=delta)
    if budget.delta:
        raise ArgumentError("budget", budget, "a zCDP budget with delta = 0")
    return ApproxDP(budget.rho + 2 * sqrt(budget.rho * log(1 / delta)), delta)


@remembered
def zcdp_within_approx(budget: ApproxDP) -> ZCDP:
    """Return the largest ρ-zCDP (δ = 0) that `approx_from_zcdp` places within `budget`."""
    probability(delta=budget.delta)

    def excess(log_rho: float) -> float:
        return _epsilon_of_zcdp(exp(log_rho), budget.delta) - budget.epsilon

    low, high = log(budget.epsilon) - 80, log(budget.epsilon) + 1
    if excess(low) > 0 and excess(low := log(LEAST_LOSS)) > 0:
        raise ArgumentError("epsilon", budget.epsilon, f"more: this is less than {LEAST_LOSS:g}-zCDP")
    while excess(high) <= 0:
        high += 1
    return ZCDP(exp(brentq(excess, low, high, xtol=1e-13)) / UP)


@of_plain_numbers
def gaussian_delta(mu: float, epsilon: float) -> float:
    """Return the exact δ(ε) of μ-GDP, as `delta_of_gdp`, of numbers of any type."""
    positive(mu=mu)
    return delta_of_gdp(mu, epsilon)


def delta_of_gdp(mu: float, epsilon: float) -> float:
    """Return Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ) (Balle & Wang 2018).

    Computed in logarithms and rounded up by a bound on the cancellation of its two terms.
    """
    first = float(log_ndtr(mu / 2 - epsilon / mu))
    second = epsilon + float(log_ndtr(-mu / 2 - epsilon / mu))
    slack = 4 * float_info.epsilon * (2 + abs(first) + abs(second) + epsilon)
    return min(exp(first) * (slack - expm1(min(second - first, 0.0))), 1.0)


@of_plain_numbers
def approx_from_gdp(budget: GaussianDP, delta: float) -> ApproxDP:
    """Return the exact (ε, δ)-DP of μ-GDP at the given `delta`."""
    probability(delta=delta)
    if gaussian_delta(budget.mu, 0.0) <= delta:
        return ApproxDP(LEAST_LOSS, delta)

    def excess(epsilon: float) -> float:
        return gaussian_delta(budget.mu, epsilon) - delta

    high = budget.mu**2 / 2 + budget.mu * sqrt(2 * log(1 / delta)) + 1
    while excess(high) > 0:  # what is added for the cancellation of large numbers
        high *= 2
    return ApproxDP(brentq(excess, 0.0, high, xtol=1e-14) * UP, delta)


@remembered
def gdp_within_approx(budget: ApproxDP) -> GaussianDP:
    """Return the largest μ whose Gaussian mechanism is exactly (ε, δ)-DP: the analytic calibration."""
    probability(delta=budget.delta)
    if budget.delta < LEAST_DELTA:
        raise ArgumentError("delta", budget.delta, f"at least {LEAST_DELTA:g} for a Gaussian mechanism")
    low = max(log(budget.delta) - 3, log(budget.epsilon) - LONGEST)
    ends = low, log(max(1.0, sqrt(2 * budget.epsilon)) * 50)
    log_mu = brentq(lambda at: gaussian_delta(exp(at), budget.epsilon) - budget.delta, *ends, xtol=1e-13)
    return GaussianDP(exp(log_mu) / UP)


@of_plain_numbers
def optimal_composition(budget: ApproxDP, times: int, slack: float) -> ApproxDP:
    """Return the smallest ε of `times` uses of `budget` at slack at most `slack`.

    Kairouz, Oh & Viswanath 2015, Theorem 3.3: ε_i = (k-2i)ε with
    δ_i = Σ_{l<i} C(k,l)(e^{(k-l)ε} - e^{(k-2i+l)ε})/(1+e^ε)^k, and δ = 1-(1-δ₀)^k(1-δ_i).
    """
    probability(slack=slack)
    epsilon, best, norm = budget.epsilon, inf, times * log1p(exp(budget.epsilon))
    for i in range(times // 2 + 1):
        log_choose, total = 0.0, 0.0
        for lost in range(i):
            high = log_choose + (times - lost) * epsilon - norm
            low = log_choose + (times - 2 * i + lost) * epsilon - norm
            total += exp(high) - exp(low)
            log_choose += log((times - lost) / (lost + 1))
        if total <= slack:
            best = (times - 2 * i) * epsilon
    delta = 1 - (1 - slack) * exp(times * log1p(-budget.delta))
    return ApproxDP(max(best, LEAST_LOSS), delta)


# Laplace noise, and log-likelihood ratios of a bounded range

LEAST_RHO, MOST_RHO = 1e-30, 1e30  # beyond them ε is √(2ρ) or √(8ρ), and ρ, to the last bits
SERIES = 1.0  # below it, sums without cancellation
TERMS = range(1, 20)
LAPLACE_SERIES = [(-1) ** (n + 1) / factorial(n + 1) for n in TERMS]


@cache
def _range_series() -> list[float]:
    return [(-1) ** (n + 1) * float(zeta(2 * n)) * (2 + 1 / n) for n in TERMS]


@of_plain_numbers
def zcdp_from_laplace(epsilon: float) -> ZCDP:
    """Return (ε + e^-ε - 1)-zCDP, of Laplace noise of scale Δ₁/ε on any number of entries."""
    positive(epsilon=epsilon)
    if epsilon >= SERIES:
        return ZCDP(epsilon + expm1(-epsilon))
    return ZCDP(epsilon * _power_series(LAPLACE_SERIES, epsilon))


@of_plain_numbers
def zcdp_from_bounded_range(epsilon: float) -> ZCDP:
    """Return (k - 1 - ln k)-zCDP, k = ε/(1 - e^-ε): of a log-likelihood ratio with a range of at most ε.

    The exponential mechanism is one (Dong, Durfee & Rogers 2020). Below ε²/8 (Cesar & Rogers 2021). With
    y = ε/2 it is y coth y - 1 + ln(sinh y / y).
    """
    positive(epsilon=epsilon)
    y = epsilon / 2
    if y >= SERIES:
        return ZCDP(y / tanh(y) - 1 + y + log1p(-exp(-2 * y)) - log(2 * y))
    return ZCDP(_power_series(_range_series(), (y / pi) ** 2))


@of_plain_numbers
@remembered
def laplace_epsilon(rho: float) -> float:
    """Return the largest ratio ε of Laplace noise that is `rho`-zCDP."""
    positive(rho=rho)
    return _inverse(lambda epsilon: zcdp_from_laplace(epsilon).rho, rho, sqrt(2) * sqrt(rho))


@of_plain_numbers
@remembered
def bounded_range_epsilon(rho: float) -> float:
    """Return the largest range ε of a log-likelihood ratio that is `rho`-zCDP."""
    positive(rho=rho)
    return _inverse(lambda epsilon: zcdp_from_bounded_range(epsilon).rho, rho, sqrt(8) * sqrt(rho))


def _power_series(coefficients: list[float], x: float) -> float:  # Σ c_n xⁿ, n from 1
    return x * fsum(c * x**n for n, c in enumerate(coefficients))


def _inverse(function: Callable[[float], float], rho: float, small: float) -> float:
    """Return x with function(x) = `rho`, rounded down; it is at least `small` and at least `rho`."""
    low, high = max(small, rho), 1.0
    if not LEAST_RHO < rho < MOST_RHO:
        return low / UP
    while function(high * low) < rho:
        high *= 2
    ends = -1e-12, log(high) + 1e-12
    return low * exp(brentq(lambda x: function(low * exp(x)) / rho - 1, *ends, xtol=1e-15)) / UP
