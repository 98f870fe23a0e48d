"""Roots and minima of functions of one number: scipy.optimize, loaded when it is first needed.

It takes longer to import than everything else here, and budgets, plans and most estimators do without.
"""

from collections.abc import Callable
from typing import Any


def brentq(function: Callable[..., Any], low: float, high: float, **options: Any) -> float:
    """Return a root between two ends at which the function differs in sign."""
    from scipy.optimize import brentq as search

    return float(search(function, low, high, **options))


def minimize_scalar(function: Callable[..., Any], **options: Any) -> Any:
    """Return the minimiser that `scipy.optimize.minimize_scalar` finds."""
    from scipy.optimize import minimize_scalar as search

    return search(function, **options)
