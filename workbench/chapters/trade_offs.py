"""What "solve for" starts with for one estimator of each source, and what no estimator can do."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from types import MappingProxyType
from typing import Any

from workbench.bounds.limits import covariance_rows, mean_rows
from workbench.study.trade_off import TradeOff

OWN_NORM = ("covariance/coinpress", "covariance/unbounded", "covariance/populous")  # errors in the norm of Σ


@dataclass(frozen=True)
class Start:
    """Where the controls of one estimator start."""

    d: int | None = None
    alpha: float = 0.2
    epsilon: float = 1.0
    delta: float = 1e-6


STARTS: Mapping[str, Start] = MappingProxyType(
    {
        "univariate/unbounded-mean": Start(alpha=0.1),
        "covariance/coinpress": Start(d=3),
        "mean/populous": Start(d=5),
        "mean/prime": Start(d=5),
        "covariance/thresholded": Start(d=50, alpha=0.002),
        "mean/coinpress": Start(d=5),
    }
)
"""One for each source, in the order of the story, and CoinPress for one mean in many dimensions."""


def fewest_rows(trade: TradeOff, alpha: float, epsilon: float, delta: float) -> float:
    """Return the n below which no estimator is within alpha so often; nan where no bound has constants.

    A mean has one in units of σ, a covariance in its own norm.
    """
    one = trade.candidate
    given: Any = {"d": one.d, "epsilon": epsilon, "delta": delta, "beta": trade.missed}
    estimator: Any = one.estimator
    if one.entry.estimand == "mean":
        sigma, radius = getattr(estimator, "sigma", 1.0), getattr(estimator, "radius", None)
        unit = 1.0 if "/sigma" in one.meaning else sigma
        return mean_rows(alpha / unit, radius=None if radius is None else radius / sigma, **given)
    if one.entry.key in OWN_NORM:
        return covariance_rows(alpha, upper=getattr(estimator, "upper", None), **given)
    return nan
