"""Conversions between privacy currencies, each named by what it converts and proved where it is cited.

They hold for every mechanism with the guarantee; `concentrated` has what is true of Laplace noise and of
the exponential mechanism alone. The slides of M21 state looser forms of two of them; those are kept as
`*_stated`, for comparison. `dp-accounting` checks these functions in the tests.
"""

from functools import lru_cache
from math import exp, expm1, inf, log, log1p, sqrt, tanh
from sys import float_info

from workbench.errors import LEAST_LOSS, ArgumentError, of_plain_numbers, positive, probability
from workbench.privacy.budget import ZCDP, ApproxDP, Budget, GaussianDP, PureDP
from workbench.privacy.roots import brentq, minimize_scalar
from workbench.special import log_ndtr

UP = 1 + 1e-12  # calibrations are rounded towards more noise by this factor
TINY = LEAST_LOSS  # stands for an epsilon of 0, which no budget may have
LEAST = 1e-290  # delta of a calibration: smaller ones have few bits
LONGEST = 345.0  # ln(ε/μ) at which (ε/μ)² is still a float


def zcdp_from_pure(budget: PureDP) -> ZCDP:
    """Return ε tanh(ε/2)-zCDP, attained by randomised response (tight; below the usual ε²/2)."""
    return ZCDP(budget.epsilon * tanh(budget.epsilon / 2))


def zcdp_from_pure_stated(budget: PureDP) -> ZCDP:
    """Return ε²/2-zCDP, the form of the slides (Bun & Steinke 2016, Proposition 1.4)."""
    return ZCDP(budget.epsilon**2 / 2)


def zcdp_from_approx(budget: ApproxDP) -> ZCDP:
    """Return δ-approximate ε tanh(ε/2)-zCDP.

    Every (ε, δ)-DP pair is a post-processing of randomised response with a leak of probability δ
    (Kairouz, Oh & Viswanath 2015); without the leak it is ε-DP.
    """
    return ZCDP(zcdp_from_pure(PureDP(budget.epsilon)).rho, budget.delta)


def zcdp_from_gdp(budget: GaussianDP) -> ZCDP:
    """Return μ²/2-zCDP: divergences of a μ-GDP pair are at most those of N(0, 1) and N(μ, 1)."""
    return ZCDP(budget.mu**2 / 2)


def gdp_from_gaussian_zcdp(budget: ZCDP) -> GaussianDP:
    """Return √(2ρ)-GDP. Valid for Gaussian mechanisms only, not for zCDP in general."""
    if budget.delta:
        raise ArgumentError("delta", budget.delta, "0: the budget of Gaussian mechanisms alone")
    return GaussianDP(sqrt(2 * budget.rho))


def to_zcdp(budget: Budget) -> ZCDP:
    """Return the tightest zCDP statement known for `budget`."""
    match budget:
        case PureDP():
            return zcdp_from_pure(budget)
        case ApproxDP():
            return zcdp_from_approx(budget)
        case GaussianDP():
            return zcdp_from_gdp(budget)
        case ZCDP():
            return budget
    raise ArgumentError("budget", budget, "a private budget")


@of_plain_numbers
def approx_from_zcdp(budget: ZCDP, delta: float) -> ApproxDP:
    """Return (ε, δ)-DP with the given total `delta` (Canonne, Kamath & Steinke 2020, Proposition 7).

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
    return max(float(best.fun), TINY)


@of_plain_numbers
def approx_from_zcdp_stated(budget: ZCDP, delta: float) -> ApproxDP:
    """Return (ρ + 2√(ρ ln 1/δ), δ)-DP, the form of the slides (Bun & Steinke 2016, Proposition 1.3)."""
    probability(delta=delta)
    if budget.delta:
        raise ArgumentError("budget", budget, "a zCDP budget with delta = 0")
    return ApproxDP(budget.rho + 2 * sqrt(budget.rho * log(1 / delta)), delta)


@lru_cache(maxsize=4096)
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
    """Return the exact δ(ε) of μ-GDP: Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ) (Balle & Wang 2018).

    Computed in logarithms and rounded up by a bound on the cancellation of its two terms.
    """
    positive(mu=mu)
    return delta_of_gdp(mu, epsilon)


def delta_of_gdp(mu: float, epsilon: float) -> float:
    """Return `gaussian_delta` of numbers that have been checked."""
    first = float(log_ndtr(mu / 2 - epsilon / mu))
    second = epsilon + float(log_ndtr(-mu / 2 - epsilon / mu))
    slack = 4 * float_info.epsilon * (2 + abs(first) + abs(second) + epsilon)
    return min(exp(first) * (slack - expm1(min(second - first, 0.0))), 1.0)


@of_plain_numbers
def approx_from_gdp(budget: GaussianDP, delta: float) -> ApproxDP:
    """Return the exact (ε, δ)-DP of μ-GDP at the given `delta`."""
    probability(delta=delta)
    if gaussian_delta(budget.mu, 0.0) <= delta:
        return ApproxDP(TINY, delta)

    def excess(epsilon: float) -> float:
        return gaussian_delta(budget.mu, epsilon) - delta

    high = budget.mu**2 / 2 + budget.mu * sqrt(2 * log(1 / delta)) + 1
    return ApproxDP(brentq(excess, 0.0, high, xtol=1e-14) * UP, delta)


@lru_cache(maxsize=4096)
def gdp_within_approx(budget: ApproxDP) -> GaussianDP:
    """Return the largest μ whose Gaussian mechanism is exactly (ε, δ)-DP: the analytic calibration."""
    probability(delta=budget.delta)
    if budget.delta < LEAST:
        raise ArgumentError("delta", budget.delta, f"at least {LEAST:g} for a Gaussian mechanism")

    def excess(log_mu: float) -> float:
        return gaussian_delta(exp(log_mu), budget.epsilon) - budget.delta

    low = max(log(budget.delta) - 3, log(budget.epsilon) - LONGEST)
    high = log(max(1.0, sqrt(2 * budget.epsilon)) * 50)
    return GaussianDP(exp(brentq(excess, low, high, xtol=1e-13)) / UP)


@of_plain_numbers
def advanced_composition(budget: ApproxDP, times: int, slack: float) -> ApproxDP:
    """Return the budget of `times` adaptive uses of `budget` (Dwork, Rothblum & Vadhan 2010, tanh form).

    ε√(2k ln 1/δ') + kε tanh(ε/2), δ = kδ + δ', with δ' = `slack`.
    """
    probability(slack=slack)
    epsilon, delta = budget.epsilon, times * budget.delta + slack
    total = epsilon * sqrt(2 * times * log(1 / slack)) + times * epsilon * tanh(epsilon / 2)
    if delta >= 1:
        raise ArgumentError("slack", slack, "a number that keeps the total delta below 1")
    return ApproxDP(total, delta)


@of_plain_numbers
def optimal_composition(budget: ApproxDP, times: int, slack: float) -> ApproxDP:
    """Return the smallest ε of `times` uses of `budget` at slack at most `slack`.

    Kairouz, Oh & Viswanath 2015, Theorem 3.3: ε_i = (k-2i)ε with
    δ_i = Σ_{l<i} C(k,l)(e^{(k-l)ε} - e^{(k-2i+l)ε})/(1+e^ε)^k, and δ = 1-(1-δ₀)^k(1-δ_i).
    """
    probability(slack=slack)
    epsilon, best = budget.epsilon, inf
    for i in range(times // 2 + 1):
        if _composition_slack(epsilon, times, i) <= slack:
            best = (times - 2 * i) * epsilon
    delta = 1 - (1 - slack) * exp(times * log1p(-budget.delta))
    return ApproxDP(max(best, TINY), delta)


def _composition_slack(epsilon: float, times: int, i: int) -> float:
    log_choose, total, norm = 0.0, 0.0, times * log1p(exp(epsilon))
    for lost in range(i):
        high = log_choose + (times - lost) * epsilon - norm
        low = log_choose + (times - 2 * i + lost) * epsilon - norm
        total += exp(high) - exp(low)
        log_choose += log((times - lost) / (lost + 1))
    return total
