"""Functions of scipy, loaded when one is first called: they are the slowest import of all."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

_SPECIAL = """
bdtr bdtrc betainc betainccinv betaincinv betaln chdtr chdtrc chdtri chndtr erfc gammainc gammaincc
gammaincinv gammaln log_ndtr ndtr ndtri stdtr stdtrit xlog1py xlogy zeta
"""
_HOMES = {
    **dict.fromkeys(_SPECIAL.split(), "special"),
    **dict.fromkeys(("isotonic_regression", "minimize_scalar"), "optimize"),
    "dsyrk": "linalg.blas",
    **dict.fromkeys(("dtrtri", "dtrtrs"), "linalg.lapack"),
}


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function: Callable[..., Any] | None = None

    def call(*arguments: Any, **options: Any) -> Any:
        nonlocal function
        if function is None:
            function = getattr(import_module(f"scipy.{_HOMES[name]}"), name)
        return function(*arguments, **options)

    call.__name__ = call.__qualname__ = name
    globals()[name] = call
    return call


def brentq(function: Callable[..., Any], low: float, high: float, **options: Any) -> float:
    """Return a root between two ends at which the function differs in sign."""
    from scipy.optimize import brentq as search

    return float(search(function, low, high, **options))
