"""The zCDP of two families of mechanisms, less than that of pure DP in general, and its inverses.

    Laplace noise of scale Δ₁/ε          ρ = ε + e^-ε - 1
    a log-likelihood ratio of range ε    ρ = k - 1 - ln k, k = ε/(1 - e^-ε)

Both are the largest Kullback-Leibler divergences of their families, so no smaller ρ is true (Harrison &
Manurangsi 2026). Discrete Laplace
noise is of neither: a shift by one step is randomised response. Proof: `proofs/univariate.md`, sections 5.2
and 5.7.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from math import exp, expm1, factorial, fsum, log, log1p, pi, sqrt, tanh

from workbench.errors import of_plain_numbers, positive
from workbench.privacy.budget import ZCDP
from workbench.privacy.roots import brentq
from workbench.special import zeta

UP = 1 + 1e-12  # an inverse is rounded towards more noise by this factor
LEAST, MOST = 1e-30, 1e30  # beyond them ε is √(2ρ) or √(8ρ), and ρ, to the last bits
SERIES = 1.0  # below it, sums without cancellation
TERMS = range(1, 20)
LAPLACE = [(-1) ** (n + 1) / factorial(n + 1) for n in TERMS]


@cache
def _range() -> list[float]:
    return [(-1) ** (n + 1) * float(zeta(2 * n)) * (2 + 1 / n) for n in TERMS]


@of_plain_numbers
def zcdp_from_laplace(epsilon: float) -> ZCDP:
    """Return (ε + e^-ε - 1)-zCDP, of Laplace noise of scale Δ₁/ε on any number of entries."""
    positive(epsilon=epsilon)
    return ZCDP(_of_laplace(epsilon))


@of_plain_numbers
def zcdp_from_bounded_range(epsilon: float) -> ZCDP:
    """Return (k - 1 - ln k)-zCDP, k = ε/(1 - e^-ε): of a log-likelihood ratio with a range of at most ε.

    The exponential mechanism is one (Dong, Durfee & Rogers 2020). Below ε²/8 (Cesar & Rogers 2021).
    """
    positive(epsilon=epsilon)
    return ZCDP(_of_range(epsilon))


@of_plain_numbers
@lru_cache(maxsize=4096)
def laplace_epsilon(rho: float) -> float:
    """Return the largest ratio ε of Laplace noise that is `rho`-zCDP."""
    positive(rho=rho)
    return _inverse(_of_laplace, rho, sqrt(2) * sqrt(rho))


@of_plain_numbers
@lru_cache(maxsize=4096)
def bounded_range_epsilon(rho: float) -> float:
    """Return the largest range ε of a log-likelihood ratio that is `rho`-zCDP."""
    positive(rho=rho)
    return _inverse(_of_range, rho, sqrt(8) * sqrt(rho))


def _of_laplace(epsilon: float) -> float:
    if epsilon >= SERIES:
        return epsilon + expm1(-epsilon)
    return epsilon * _power_series(LAPLACE, epsilon)


def _of_range(epsilon: float) -> float:
    """Return y coth y - 1 + ln(sinh y / y), y = ε/2: the same number."""
    y = epsilon / 2
    if y >= SERIES:
        return y / tanh(y) - 1 + y + log1p(-exp(-2 * y)) - log(2 * y)
    return _power_series(_range(), (y / pi) ** 2)


def _power_series(coefficients: list[float], x: float) -> float:
    """Return Σ c_n xⁿ, n from 1."""
    return x * fsum(c * x**n for n, c in enumerate(coefficients))


def _inverse(function: Callable[[float], float], rho: float, small: float) -> float:
    """Return x with function(x) = `rho`, rounded down; it is at least `small` and at least `rho`."""
    low, high = max(small, rho), 1.0
    if not LEAST < rho < MOST:
        return low / UP
    while function(high * low) < rho:
        high *= 2

    def excess(log_ratio: float) -> float:
        return function(low * exp(log_ratio)) / rho - 1

    return low * exp(brentq(excess, -1e-12, log(high) + 1e-12, xtol=1e-15)) / UP
