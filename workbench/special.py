"""Functions of scipy, loaded when one is first called: they are the slowest import of all."""

from collections.abc import Callable
from importlib import import_module
from typing import Any


def _later(name: str, home: str = "special") -> Callable[..., Any]:
    function: Callable[..., Any] | None = None

    def call(*arguments: Any, **options: Any) -> Any:
        nonlocal function
        if function is None:
            function = getattr(import_module(f"scipy.{home}"), name)
        return function(*arguments, **options)

    call.__name__ = call.__qualname__ = name
    return call


bdtr = _later("bdtr")
bdtrc = _later("bdtrc")
betainc = _later("betainc")
betainccinv = _later("betainccinv")
betaincinv = _later("betaincinv")
betaln = _later("betaln")
chdtr = _later("chdtr")
chdtrc = _later("chdtrc")
chdtri = _later("chdtri")
chndtr = _later("chndtr")
erfc = _later("erfc")
gammainc = _later("gammainc")
gammaincc = _later("gammaincc")
gammaincinv = _later("gammaincinv")
gammaln = _later("gammaln")
log_ndtr = _later("log_ndtr")
ndtr = _later("ndtr")
ndtri = _later("ndtri")
stdtr = _later("stdtr")
stdtrit = _later("stdtrit")
xlog1py = _later("xlog1py")
xlogy = _later("xlogy")
zeta = _later("zeta")

isotonic_regression = _later("isotonic_regression", "optimize")
dsyrk = _later("dsyrk", "linalg.blas")
dtrtri = _later("dtrtri", "linalg.lapack")
dtrtrs = _later("dtrtrs", "linalg.lapack")


def brentq(function: Callable[..., Any], low: float, high: float, **options: Any) -> float:
    """Return a root between two ends at which the function differs in sign."""
    from scipy.optimize import brentq as search

    return float(search(function, low, high, **options))


def minimize_scalar(function: Callable[..., Any], **options: Any) -> Any:
    """Return the minimiser that `scipy.optimize.minimize_scalar` finds."""
    from scipy.optimize import minimize_scalar as search

    return search(function, **options)
