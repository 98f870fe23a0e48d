"""The budget that the flags --epsilon, --delta and --rho ask for."""

from typing import Any

from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, PureDP


def spending(epsilon: float | None, delta: float | None, rho: float | None) -> Any:
    """Return pure, approximate or zero-concentrated DP."""
    if rho is not None:
        if epsilon is not None:
            raise ArgumentError("rho", rho, "either --rho or --epsilon, not both")
        return ZCDP(rho, delta=delta or 0.0)
    if epsilon is None:
        raise ArgumentError("epsilon", None, "a finite number above 0 (or --rho)")
    if delta is None:
        return PureDP(epsilon)
    return ApproxDP(epsilon, delta)


def claimed(epsilon: float | None, delta: float | None, rho: float | None, mu: float | None) -> Any:
    """Return the budget of a claim, which may be Gaussian DP."""
    if mu is None:
        return spending(epsilon, delta, rho)
    if (epsilon, delta, rho) != (None, None, None):
        raise ArgumentError("mu", mu, "--mu alone, not with --epsilon, --delta or --rho")
    return GaussianDP(mu)
