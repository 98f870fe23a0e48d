"""The map that "solve for" shows, what it starts with for an estimator of each source, what none can do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, nan
from typing import Any

import numpy as np

from workbench.bounds.limits import covariance_rows, mean_rows
from workbench.charts.curves import Chart, Panel, Series, styled, text_at
from workbench.charts.style import METHODS, log_rounds
from workbench.study.parameters import brief
from workbench.study.trade_off import TradeOff, contour
from workbench.types import Array

OWN_NORM = ("covariance/coinpress", "covariance/unbounded", "covariance/populous")  # errors in the norm of Σ


@dataclass(frozen=True)
class Start:
    """Where the controls of one estimator start."""

    d: int | None = None
    alpha: float = 0.2
    epsilon: float = 1.0
    delta: float = 1e-6


STARTS: Mapping[str, Start] = {
    "univariate/unbounded-mean": Start(alpha=0.1),
    "covariance/coinpress": Start(d=3),
    "mean/populous": Start(d=5),
    "mean/prime": Start(d=5),
    "covariance/thresholded": Start(d=50, alpha=0.002),
    "mean/coinpress": Start(d=5),
}
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


def limits(
    trade: TradeOff, errors: Array, sizes: Sequence[int], epsilons: Sequence[float], delta: float
) -> Chart:
    """Return lines of equal error, and where nothing is released, noise or sampling limits the error."""
    finite, rows, x = np.isfinite(errors), np.array(sizes, float), epsilons
    silent = np.where(finite.any(axis=0), rows[finite.argmax(axis=0)], rows[-1])
    balance = np.fmax(trade.balance(errors, sizes, delta), silent)
    parts = {
        "abstains": (np.full_like(silent, rows[0]), silent, "idea/silent"),
        "privacy limits": (silent, balance, "idea/noise"),
        "sampling limits": (balance, np.full_like(silent, rows[-1]), "idea/bias"),
    }
    series, marks = [], []
    for label, (low, high, key) in parts.items():
        if (high > low).any():
            series.append(Series("", x, [nan] * len(x), low, high, "reference", key))
            place = max(range(len(x)), key=lambda k: (2 < k < len(x) - 3, high[k] / low[k]))
            middle = float(np.sqrt(low[place] * high[place]))  # where it is widest
            marks.append(text_at(label, x[place], middle, key))
    known = errors[finite & (errors > 0)]
    rounds = log_rounds(known.min(), known.max()) if known.size else []
    inside = [one for one in rounds if known.min() < one < known.max()]
    for alpha in inside[:: ceil(len(inside) / 6) or 1]:  # lines of equal error at most
        series.append(styled("reference", f"α = {brief(alpha)}", x, contour(errors, sizes, alpha)))
    meaning = trade.candidate.meaning.partition(";")[0].replace("`", "")
    xlim, ylim = (x[0], x[-1]), (sizes[0], sizes[-1])
    return Chart(
        "trade_off",
        f"Rows, privacy and accuracy: {METHODS[trade.key].name}",
        [Panel(f"α: {meaning}", "ε", "rows n", series, xlim=xlim, ylim=ylim, marks=marks)],
        alt="Lines of equal error over ε and n, and the regions where noise or sampling is most of it.",
        how_to_read="On a line the error α is the same. Where lines are steep, noise is most of it and a"
        " smaller ε is paid with rows; where they are flat, sampling is, and privacy is free.",
    )
