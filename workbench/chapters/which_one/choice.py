"""Which estimator of a mean errs least, as predicted, for a reader who knows a range and a scale."""

from functools import cache
from math import inf, nan
from typing import Any

from workbench.catalog import CATALOG
from workbench.chapters.which_one.family import Member, family
from workbench.errors import ArgumentError
from workbench.privacy import ApproxDP, Budget, PureDP
from workbench.study.trade_off import TradeOff

TOLD = ("range", "scale", "normal")
LABELS = {
    "univariate/clipped-mean": "clipped mean",
    "univariate/two-step-mean": "two-step mean",
    "univariate/unbounded-mean": "unbounded mean",
    "univariate/median": "median",
    "mean/clipped-box": "clipped to a box",
    "mean/coordinatewise": "column by column",
    "mean/coinpress": "CoinPress",
    "mean/populous": "vote of groups",
    "mean/median-of-means": "vote of medians",
}


def keys(d: int) -> tuple[str, ...]:
    """Return the estimators of a mean for which a range and a scale of normal rows of d columns suffice.

    One that has a use for neither (`mean/affine`) is for a reader who knows neither.
    """
    found = (one.key for one in family("mean") if one.applies(*TOLD) and _uses(one) and not one.robust)
    return tuple(key for key in found if (d == 1) == (CATALOG[key].population.d is None))


def _uses(one: Member) -> bool:
    return bool(one.needs["range"] or one.needs["scale"])


def trade(key: str, d: int, radius: float) -> TradeOff:
    """Return the trade-off of an estimator that is told σ = 1 and, if it asks, the radius of the range."""
    asked = getattr(_estimator(key), "radius", None) is not None
    return _trade(key, d, radius if asked else None)


@cache
def _trade(key: str, d: int, radius: float | None) -> TradeOff:
    return TradeOff(key, d=d, settings={} if radius is None else {"radius": radius})


def _estimator(key: str) -> Any:
    return CATALOG[key].estimator


def error(key: str, n: int, d: int, epsilon: float, delta: float, radius: float) -> float:
    """Return the predicted error, a median in units of σ; infinite where there is no answer."""
    return trade(key, d, radius).error(n, epsilon, delta)


def budget(key: str, n: int, d: int, epsilon: float, delta: float, radius: float) -> Budget | None:
    """Return the budget within (ε, δ) at which that error is predicted; None where there is no answer."""
    one = trade(key, d, radius).candidate
    found: list[tuple[float, Budget]] = []
    for offer in (ApproxDP(epsilon, delta), PureDP(epsilon)):
        try:
            found.append((one.bound(n, offer, 0.5), offer))
        except (ArgumentError, OverflowError):
            continue
    least, best = min(found, key=lambda pair: pair[0], default=(inf, None))
    return best if least < inf else None


def ranked(n: int, d: int, epsilon: float, delta: float, radius: float) -> list[tuple[float, str]]:
    """Return the predicted errors and keys of all that answer, the least error first."""
    found = [(error(key, n, d, epsilon, delta, radius), key) for key in keys(d)]
    return sorted(pair for pair in found if pair[0] < inf)


def fewest(alpha: float, d: int, epsilon: float, delta: float, radius: float) -> tuple[int, str]:
    """Return the least number of rows for an error of alpha, and the key that needs no more.

    Raises
    ------
    ArgumentError
        If none of them reaches alpha.
    """
    best: tuple[int, str] | None = None
    for key in reversed(keys(d)):  # whose first is the quickest to ask
        one, guess = trade(key, d, radius), best[0] if best else nan
        if best and one.error(best[0], epsilon, delta) > alpha:
            continue
        n = one.rows(alpha, epsilon, delta, guess)
        best = min(best or (n, key), (n, key)) if n is not None else best
    if best is None:
        raise ArgumentError("alpha", alpha, "an error that some estimator reaches")
    return best
