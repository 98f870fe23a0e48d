"""Explorers of no chapter: of one's own column, with a place for a CSV file, and of what an estimator trades.

    explore(frame["height"], low=0, high=250)
    solve("mean/coinpress", d=5, alpha=0.2)

Of a column no row is read: what is simulated runs on a synthetic one of as many rows, so that looking costs
nothing. `solve` solves for any one of n, ε, δ and α: a map of an estimator's error over n and ε, with a point
to drag. Every number is the planner's, public arithmetic alone. The script reads a table of errors by n, ε
and δ, on monotone cubics of logarithms; where there is a kernel, the exact number follows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from math import ceil, floor, isfinite, log10, nan
from typing import Any

import numpy as np
import pandas as pd

from workbench.catalog import lookup
from workbench.chapters import columns
from workbench.chapters.parameters import ALPHA, DELTA, EPSILON
from workbench.chapters.trade_offs import STARTS, Start, fewest_rows, limits
from workbench.errors import ArgumentError, finite, in_range, integer_at_least, one_of, positive, probability
from workbench.lab.explore import Explorer, Form, computed, control, drawable, short
from workbench.study.parameters import Choice, Parameter, Slider
from workbench.study.sweeps import Run
from workbench.study.trade_off import FREE, TradeOff

SPREADS = 6  # usual spreads that a range has, unless the spread is said
DELTAS = (1e-9, 1e-6, 1e-3)
SYMBOLS = {"n": "n", "epsilon": "ε", "delta": "δ", "alpha": "α"}
CHECKS = {"n": partial(integer_at_least, 1), "delta": partial(in_range, 0, 1, "[)")}
BUDGETS = EPSILON.track or (EPSILON.low, EPSILON.high)
REACH = 60  # the map goes so many times below and above the n it starts with
EPSILONS, SIZES, ALPHAS = 13, 21, 9  # places of the table


# One's own column before it is used: the picture of `chapters.columns`


def shown(values: Mapping[str, Any]) -> Form:
    form = computed(columns.column, Run("quick", simulate=False), values)
    return form if "error" in form else {**form, "code": columns.call(**values)}


def column(
    rows: Sequence[float] | pd.Series,
    *,
    low: float,
    high: float,
    sigma: float | None = None,
    epsilon: float = 1.0,
    delta: float = 1e-6,
) -> Explorer:
    """Return the explorer of one's own column; only its length is read.

    Its bounds are public, and so is a usual spread `sigma`: a sixth of the range unless it is given.
    """
    n = len(rows)
    integer_at_least(2, rows=n)
    finite(low=low, high=high)
    if not low < high:
        raise ArgumentError("low", low, f"a number below high = {high:g}")
    low, high, span = float(low), float(high), float(high - low)
    spread = span / SPREADS if sigma is None else sigma
    positive(sigma=spread)
    EPSILON.require("epsilon", epsilon)
    probability(delta=delta)
    sliders = {
        "epsilon": EPSILON.slider(epsilon),
        "n": Slider(max(2, n // 10), 10 * n, n, True, "n", "rows", True),
        "low": Slider(low - span, (low + high) / 2, low, False, "low"),
        "high": Slider((low + high) / 2, high + span, high, False, "high"),
        "sigma": Slider(spread / 10, 10 * spread, spread, True, "spread"),
        "delta": Slider(1e-12, 1e-3, delta, True, "δ"),
    }
    controls = [control(name, one) for name, one in sliders.items()]
    return Explorer("column", shown, controls, code="lab.explore(x", call=f"{columns.__name__}:column")


class Drop:
    """A place for a CSV file, its columns, and public bounds: then the explorer of the column."""

    def __init__(self) -> None:
        import ipywidgets

        self.frame = pd.DataFrame()
        self.file = ipywidgets.FileUpload(accept=".csv", description="your CSV file")
        self.column = ipywidgets.Dropdown(description="column")
        self.low, self.high = (ipywidgets.FloatText(description=f"public {end}") for end in ("low", "high"))
        self.go, self.words = ipywidgets.Button(description="explore"), ipywidgets.Label()
        row = ipywidgets.HBox([self.file, self.column, self.low, self.high, self.go])
        self.place = ipywidgets.VBox()
        self.box = ipywidgets.VBox([row, self.words, self.place])
        self.file.observe(self._read, "value")
        self.go.on_click(self._explore)

    def _read(self, _change: object) -> None:
        try:
            self.frame = pd.read_csv(BytesIO(bytes(self.file.value[0]["content"])))
        except ValueError as error:  # pandas' own are ValueErrors, and so are wrong letters
            self.words.value = f"no CSV file: {str(error).splitlines()[0]}"
            return
        self.column.options = list(self.frame.columns)
        self.column.index = 0 if len(self.frame.columns) else None
        self.words.value = f"{len(self.frame)} rows, which stay here; only how many there are is used"

    def _explore(self, _button: object) -> None:
        try:
            made = column(self.frame.get(self.column.value, ()), low=self.low.value, high=self.high.value)
        except ArgumentError as error:
            self.words.value = str(error)
        else:
            self.place.children = (made.widget(),)


# A map of an estimator's error over n and ε


def map_of(trade: TradeOff, ends: tuple[int, int], values: Mapping[str, Any]) -> Form:
    delta = float(values.get("delta", 0.0))
    epsilons = [float(f"{one:.3g}") for one in np.geomspace(*BUDGETS, EPSILONS)]
    sizes = [round(n) for n in np.geomspace(*ends, SIZES)]
    errors, free = (trade.errors(sizes, some, delta) for some in (epsilons, [FREE]))
    levels = np.geomspace(0.1, 10, ALPHAS) * float(values["alpha"])
    least = [[fewest_rows(trade, a, e, delta) for e in epsilons] for a in levels.tolist()]
    table = {
        "n": sizes,
        "epsilon": epsilons,
        "error": [[short(error) for error in row] for row in errors.tolist()],
        "free": [short(error) for error in free[:, 0].tolist()],
    }
    if np.isfinite(least).all():
        table |= {"alpha": [short(one) for one in levels.tolist()]}
        table |= {"least": [[short(n) for n in row] for row in least]}
    return {**drawable(limits(trade, errors, sizes, epsilons, delta)), "table": table}


def planned(trade: TradeOff, values: Mapping[str, Any]) -> float | None:
    unknown = values["unknown"]
    given: dict[str, Any] = {name: values.get(name) or 0.0 for name in SYMBOLS if name != unknown}
    if unknown == "n":
        return trade.rows(**given, guess=float(values.get("n") or nan))
    given["n"] = int(given["n"])
    ask: Any = {"alpha": trade.error, "epsilon": trade.epsilon, "delta": trade.delta}[unknown]
    found: float | None = ask(**given)
    return found if found is not None and isfinite(found) else None


def solve(
    key: str,
    *,
    d: int | None = None,
    settings: Mapping[str, Any] | None = None,
    unknown: str = "n",
    **start: float,
) -> Explorer:
    """Return the explorer of what an estimator of the catalog trades.

    `d` and `settings` are those of its example unless they are given. `unknown` is solved at first: n,
    epsilon, delta or alpha. `start` says where these start; n is what the others need unless it is given.
    """
    at = STARTS.get(lookup(key).key, Start())
    for name, value in start.items():
        one_of(SYMBOLS, start=name)
        CHECKS.get(name, positive)(**{name: value})
    trade = TradeOff(key, at.d if d is None else d, {} if settings is None else settings)
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
        **({"delta": replace(DELTA, high=0.01).slider(places["delta"] or None)} if trade.takes_delta else {}),
        "alpha": _accuracy(trade, places["alpha"]).slider(places["alpha"]),
    }
    one_of(own, unknown=unknown)
    menu = control("unknown", Choice(list(own), unknown, "solve for"))
    menu["texts"] = [SYMBOLS[name] for name in own]
    sliders = {name: control(name, one) for name, one in own.items()}
    if trade.takes_delta:
        sliders["delta"]["stops"] = sorted({*DELTAS, sliders["delta"]["value"]})
    told = "".join(f", {name}={value!r}" for name, value in (("d", d), ("settings", settings)) if value)
    predicted = trade.candidate.kind == "predicted"
    share = "half of the runs" if predicted else f"at least {100 * (1 - trade.beta):g} % of the runs"
    return Explorer(
        "solve", partial(map_of, trade, ends), [menu, *sliders.values()], code=f'lab.solve("{key}"{told}',
        over=["delta"] if trade.takes_delta else [], trade=True, plan=partial(planned, trade), share=share,
    )  # fmt: skip


def _accuracy(trade: TradeOff, start: float) -> Parameter:
    """Return α in the unit of an estimator's error, which the picture says, its track round the start."""
    low, high = ALPHA.track or (ALPHA.low, ALPHA.high)
    low, high, one = min(low, start / 5), max(high, 5 * start), trade.candidate
    scaled = "/sigma" in one.meaning or getattr(one.estimator, "sigma", None) == 1
    unit = ALPHA.unit if scaled and one.entry.estimand == "mean" else ""
    return replace(ALPHA, low=min(ALPHA.low, low), high=max(ALPHA.high, high), track=(low, high), unit=unit)
