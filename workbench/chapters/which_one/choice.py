"""Which mean has the least predicted error, for a reader who knows a range and a scale; their own rule."""

from collections.abc import Callable
from functools import cache
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd

from workbench.catalog import CATALOG
from workbench.chapters.which_one.family import family
from workbench.errors import ArgumentError, one_of
from workbench.privacy import ApproxDP, Budget, PureDP
from workbench.study.grids import Role, stream
from workbench.study.trade_off import TradeOff

SETTINGS = 20  # hidden ones
ENDS = {"n": (60, 6000), "epsilon": (0.1, 3.0), "radius": (5.0, 1000.0)}  # of what is drawn for them
COLUMNS, DELTA = (2, 3, 5, 10), 1e-6
Rule = Callable[[int, int, float, float], str]
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
    applies = (one for one in family("mean") if one.applies(*TOLD) and not one.robust)
    found = (one.key for one in applies if one.needs["range"] or one.needs["scale"])
    return tuple(key for key in found if (d == 1) == (CATALOG[key].population.d is None))


def trade(key: str, d: int, radius: float) -> TradeOff:
    """Return the trade-off of an estimator that is told σ = 1 and, if it asks, the radius of the range."""
    estimator: Any = CATALOG[key].estimator
    asked = getattr(estimator, "radius", None) is not None
    return _trade(key, d, radius if asked else None)


@cache
def _trade(key: str, d: int, radius: float | None) -> TradeOff:
    return TradeOff(key, d=d, settings={} if radius is None else {"radius": radius})


def error(key: str, n: int, d: int, epsilon: float, delta: float, radius: float) -> float:
    """Return the predicted error, a median in units of σ; infinite where it abstains."""
    return trade(key, d, radius).error(n, epsilon, delta)


def budget(key: str, n: int, d: int, epsilon: float, delta: float, radius: float) -> Budget | None:
    """Return the budget within (ε, δ) at which that error is predicted; None where it abstains."""
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
    """Return the predicted errors and keys of all that release, the least error first."""
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


def judged(rule: Rule, *, seed: int = 17, settings: int = SETTINGS) -> pd.DataFrame:
    """Return what a rule chooses in hidden settings, and its predicted error over the least one.

    Parameters
    ----------
    rule
        `rule(n, d, epsilon, radius)` returns the key of a private mean of several columns.
    seed
        Of the settings.
    settings
        How many.

    Returns
    -------
    DataFrame
        A row for each setting that some estimator releases; `over` is infinite where the chosen one abstains.
    """
    draw = stream(seed, Role.DATA, "which one, hidden", 0, 0)
    return pd.DataFrame([row for _ in range(settings) if (row := _judged(rule, draw))])


def _judged(rule: Rule, draw: np.random.Generator) -> dict[str, object]:
    drawn = (float(np.exp(draw.uniform(*np.log(ends)))) for ends in ENDS.values())
    rows, epsilon, radius = (float(f"{one:.2g}") for one in drawn)
    n, d = round(rows), int(draw.choice(COLUMNS))
    chosen = rule(n, d, epsilon, radius)
    one_of(keys(d), rule=chosen)
    found = ranked(n, d, epsilon, DELTA, radius)
    if not found:
        return {}
    own = {key: error for error, key in found}.get(chosen, inf)
    public = {"n": n, "d": d, "epsilon": epsilon, "radius": radius}
    return {**public, "chosen": chosen, "best": found[0][1], "over": own / found[0][0]}
