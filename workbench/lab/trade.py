"""Solve for any one of n, ε, δ and α: a map of an estimator's error over n and ε, with a point to drag.

    solve("mean/coinpress", d=5, alpha=0.2)

Every number is the planner's, public arithmetic alone. The script reads a table of errors by n, ε and δ, on
straight logarithms; where there is a kernel, the exact number of the planner follows.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, floor, isfinite, log10, nan
from typing import Any

import numpy as np

from workbench.chapters.parameters import ALPHA, EPSILON
from workbench.chapters.trade_offs import STARTS, Start, fewest_rows
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.style import METHODS
from workbench.errors import one_of
from workbench.lab.explore import Explorer, Form, control, drawable, short
from workbench.study.parameters import Choice, Parameter, Slider, brief
from workbench.study.trade_off import FREE, Numbers, TradeOff, contour

DELTA = Parameter("δ", 1e-6, 1e-15, 0.01, "chance that privacy fails", track=(1e-12, 1e-3))
DELTAS = (1e-9, 1e-6, 1e-3)
SYMBOLS = {"n": "n", "epsilon": "ε", "delta": "δ", "alpha": "α"}
BUDGETS = EPSILON.track or (EPSILON.low, EPSILON.high)
REACH = 60  # the map goes so many times below and above the n it starts with
EPSILONS, SIZES, ALPHAS = 11, 15, 9  # places of the table
LEVELS = 6  # lines of equal error at most
HOW_TO_READ = (
    "On a line the error α is the same. Where lines are steep, noise is most of it and a smaller ε is paid "
    "with rows; where they are flat, sampling is, and privacy is free."
)


class Trade(Explorer):
    """The explorer of what one estimator trades; `of` says it all."""

    solves = True

    def __init__(self, trade: TradeOff, sizes: tuple[int, int], controls: list[Form], code: str) -> None:
        self.trade = trade
        self.epsilons = [float(f"{one:.3g}") for one in np.geomspace(*BUDGETS, EPSILONS)]
        self.sizes = [round(n) for n in np.geomspace(*sizes, SIZES)]
        predicted = trade.candidate.kind == "predicted"
        share = "half of the runs" if predicted else f"at least {100 * (1 - trade.beta):g} % of the runs"
        over = ["delta"] if trade.takes_delta else []
        super().__init__("solve", self._map, controls, code=code, over=over, trade=True, share=share)

    def _map(self, values: Mapping[str, Any]) -> Form:
        """Return the map at a δ, and the tables that the script reads."""
        delta = float(values.get("delta", 0.0))
        errors = self.trade.errors(self.sizes, self.epsilons, delta)
        free = self.trade.errors(self.sizes, [FREE], delta)[:, 0]
        levels = np.geomspace(0.1, 10, ALPHAS) * float(values["alpha"])
        least = [[fewest_rows(self.trade, a, e, delta) for e in self.epsilons] for a in levels.tolist()]
        table = {
            "n": self.sizes,
            "epsilon": self.epsilons,
            "error": [[short(error) for error in row] for row in errors.tolist()],
            "free": [short(error) for error in free.tolist()],
        }
        if np.isfinite(least).all():
            table |= {"alpha": [short(one) for one in levels.tolist()]}
            table |= {"least": [[short(n) for n in row] for row in least]}
        return {**drawable(self._chart(errors, delta)), "table": table}

    def _chart(self, errors: Numbers, delta: float) -> Chart:
        """Return lines of equal error, and where nothing is released, noise or sampling limits the error."""
        finite, sizes, x = np.isfinite(errors), np.array(self.sizes, float), self.epsilons
        silent = np.where(finite.any(axis=0), sizes[finite.argmax(axis=0)], sizes[-1])
        balance = np.fmax(self.trade.balance(errors, self.sizes, delta), silent)
        parts = {
            "abstains": (np.full_like(silent, sizes[0]), silent, "idea/silent"),
            "privacy limits": (silent, balance, "idea/noise"),
            "sampling limits": (balance, np.full_like(silent, sizes[-1]), "idea/bias"),
        }
        series, marks = list[Series](), list[Mark]()
        for label, (low, high, key) in parts.items():
            if (high > low).any():
                series.append(Series("", x, [nan] * len(x), low, high, role="reference", colour_key=key))
                place = max(range(len(x)), key=lambda k: (2 < k < len(x) - 3, high[k] / low[k]))
                middle = float(np.sqrt(low[place] * high[place]))  # where it is widest
                marks.append(Mark(label, x=x[place], y=middle, colour_key=key))
        for alpha in _levels(errors):
            line = contour(errors, self.sizes, alpha)
            series.append(Series(f"α = {brief(alpha)}", x, line, role="reference"))
        meaning = self.trade.candidate.meaning.partition(";")[0].replace("`", "")
        xlim, ylim = (x[0], x[-1]), (self.sizes[0], self.sizes[-1])
        return Chart(
            "trade_off",
            f"Rows, privacy and accuracy: {METHODS[self.trade.key].name}",
            (Panel(f"α: {meaning}", "ε", "rows n", tuple(series), xlim=xlim, ylim=ylim, marks=tuple(marks)),),
            alt="Lines of equal error over ε and n, and the regions where noise or sampling is most of it.",
            how_to_read=HOW_TO_READ,
        )

    def answer(self, values: Mapping[str, Any], exact: str | None) -> Form:
        """Return the planner's number of what is asked for exactly, else a map."""
        return {"solved": self.exact(exact, values)} if exact else super().answer(values, exact)

    def exact(self, unknown: str, values: Mapping[str, Any]) -> float | None:
        """Return the planner's number; `values` may have one of the unknown, where to begin."""
        given: dict[str, Any] = {name: values.get(name) or 0.0 for name in SYMBOLS if name != unknown}
        if "n" in given:
            given["n"] = int(given["n"])
        if unknown == "alpha":
            error = self.trade.error(**given)
            return short(error) if isfinite(error) else None
        ask: Any = {"n": self.trade.rows, "epsilon": self.trade.epsilon, "delta": self.trade.delta}[unknown]
        found = ask(**given, guess=float(values.get(unknown) or nan))
        return None if found is None else float(found)


def _levels(errors: Numbers) -> list[float]:
    """Return round errors that the map has, a few of them."""
    known = errors[np.isfinite(errors) & (errors > 0)]
    if not known.size:
        return []
    decades = range(floor(log10(known.min())), ceil(log10(known.max())) + 1)
    rounds = [float(f"{m}e{k}") for k in decades for m in (1, 2, 5)]
    inside = [one for one in rounds if known.min() < one < known.max()]
    return inside[:: ceil(len(inside) / LEVELS)] if inside else []


def of(
    key: str,
    *,
    d: int | None = None,
    settings: Mapping[str, Any] | None = None,
    unknown: str = "n",
    **start: float,
) -> Trade:
    """Return the explorer of what an estimator trades.

    Parameters
    ----------
    key, d, settings
        Of the catalog; columns, and public parameters that are not those of its example.
    unknown
        What is solved at first: `n`, `epsilon`, `delta` or `alpha`.
    start
        Where these start; n is what the others need unless it is given.

    Raises
    ------
    ArgumentError
        If the estimator predicts and proves nothing, accepts no such budget, or a start is not legal.
    """
    at = STARTS.get(key, Start())
    for name in start:
        one_of(SYMBOLS, start=name)
    trade = TradeOff(key, d or at.d, settings or {})
    places = {"epsilon": at.epsilon, "delta": at.delta, "alpha": at.alpha} | start
    if not trade.takes_delta:
        places["delta"] = 0.0
    n = (
        places.pop("n", None)
        or trade.rows(**places)
        or trade.answers_from(places["epsilon"], places["delta"])
    )
    ends = (10 ** floor(log10(max(n / REACH, 1))), 10 ** ceil(log10(n * REACH)))
    own = {
        "n": Slider(*ends, int(n), True, "n", "rows", True),
        "epsilon": Slider(*BUDGETS, min(max(places["epsilon"], BUDGETS[0]), BUDGETS[1]), True, "ε"),
        **({"delta": DELTA.slider(places["delta"] or None)} if trade.takes_delta else {}),
        "alpha": _accuracy(trade, places["alpha"]).slider(places["alpha"]),
    }
    one_of(own, unknown=unknown)
    menu = control("unknown", Choice(list(own), unknown, "solve for"))
    sliders = {name: control(name, one) for name, one in own.items()}
    if trade.takes_delta:
        sliders["delta"]["stops"] = sorted({*DELTAS, sliders["delta"]["value"]})
    told = "".join(f", {name}={value!r}" for name, value in (("d", d), ("settings", settings)) if value)
    menu["texts"] = [SYMBOLS[name] for name in own]
    return Trade(trade, ends, [menu, *sliders.values()], f'lab.solve("{key}"{told}')


def _accuracy(trade: TradeOff, start: float) -> Parameter:
    """Return α in the unit of an estimator's error, which the picture says, its track round the start."""
    low, high = ALPHA.track or (ALPHA.low, ALPHA.high)
    low, high, one = min(low, start / 5), max(high, 5 * start), trade.candidate
    scaled = "/sigma" in one.meaning or getattr(one.estimator, "sigma", None) == 1
    unit = ALPHA.unit if scaled and one.entry.estimand == "mean" else ""
    return replace(ALPHA, low=min(ALPHA.low, low), high=max(ALPHA.high, high), track=(low, high), unit=unit)
