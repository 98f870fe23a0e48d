"""`compare` in a notebook: a picture, a table of errors and the tidy frame behind them, in one cell."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from html import escape
from math import isfinite
from typing import Any

import pandas as pd

from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.style import METHODS
from workbench.errors import ArgumentError
from workbench.lab import tables
from workbench.lab.figures import image, styled
from workbench.privacy import Budget, NonPrivate
from workbench.study.comparing import Comparison, entry_like
from workbench.study.comparing import compare as compared

HEADER = ("method", "budget", "n", "median error", "95 % interval", "no answer", "predicted")
YOURS = [key for key in METHODS if key.startswith("yours/")]
UNITS = {"epsilon": "ε", "rho": "ρ", "mu": "μ"}
HOW_TO_READ = (
    "Every method saw the same rows. Bands are exact 95 % intervals of the median error; a pale line is what "
    "an estimator predicts for the hardest rows that it allows; an arrow: half the runs abstain."
)


@dataclass(frozen=True)
class Compared:
    """What a comparison found: its tables, and the chart that a notebook shows."""

    found: Comparison
    chart: Chart

    @property
    def frame(self) -> pd.DataFrame:
        """One row per trial: method, budget, n, trial, error, abstained."""
        return self.found.frame

    @property
    def summary(self) -> pd.DataFrame:
        """One row per method, budget and n."""
        return self.found.summary

    def _rows(self) -> list[list[str]]:
        return [
            _cells(str(one[0]), str(one[1]), *map(float, one[2:])) for one in self.summary.to_numpy().tolist()
        ]

    def __str__(self) -> str:
        return tables.text(HEADER, self._rows())

    def svg(self) -> bytes:
        """Return the picture as SVG."""
        from workbench.charts.drawing import svg

        return svg(self.chart)

    def _repr_html_(self) -> str:
        words = f"<p><b>How to read it.</b> {escape(self.chart.how_to_read)}</p>"
        numbers = f"<details><summary>numbers</summary>{tables.html(HEADER, self._rows())}</details>"
        return styled(image(self.svg(), "svg+xml", self.chart.alt) + words + numbers)


def _cells(
    method: str,
    budget: str,
    n: float,
    median: float,
    low: float,
    high: float,
    silent: float,
    predicted: float,
) -> list[str]:
    numbers = [f"{n:g}", f"{median:.3g}", f"{low:.3g} to {high:.3g}", f"{100 * silent:.3g} %"]
    return [method, budget, *numbers, f"{predicted:.3g}" if isfinite(predicted) else ""]


def comparison_chart(found: Comparison) -> Chart:
    """Return the chart of what was measured.

    Raises
    ------
    ArgumentError
        If there are more methods of one's own than hues, or budgets of several kinds on one axis.
    """
    keys = colour_keys(found.methods)
    sizes = list(dict.fromkeys(found.summary["n"]))
    one_panel = len(sizes) == 1 and len(found.budgets) > 1
    panels = [_against_budget(found, keys)] if one_panel else _against_n(found, keys)
    return Chart(
        "comparison",
        f"{' and '.join(found.methods) if len(keys) < 4 else f'{len(keys)} methods'} on the same rows",
        tuple(panels),
        alt=_in_words(found.summary),
        how_to_read=HOW_TO_READ,
    )


def colour_keys(methods: Mapping[str, Any]) -> dict[str, str]:
    """Return the hue of every method: that of its entry for the first of a kind, else one of yours."""
    free, taken = iter(YOURS), dict[str, str]()
    for name, method in methods.items():
        entry = entry_like(method)
        key = (
            entry.key
            if entry and entry.key in METHODS and entry.key not in taken.values()
            else next(free, "")
        )
        if not key:
            raise ArgumentError("methods", len(methods), f"at most {len(YOURS)} beside those of the catalog")
        taken[name] = key
    return taken


def _against_n(found: Comparison, keys: Mapping[str, str]) -> list[Panel]:
    panels = []
    for budget in found.budgets:
        rows = found.summary[found.summary["budget"] == str(budget or "none")]
        series = tuple(_series(rows, keys, lambda part: part["n"]))
        panels.append(Panel(str(budget or "no privacy"), "rows n", "median error", series))
    return panels


def _against_budget(found: Comparison, keys: Mapping[str, str]) -> Panel:
    spent, unit = _spent(found.budgets)
    series = tuple(_series(found.summary, keys, lambda part: part["budget"].map(spent)))
    return Panel(f"n = {found.summary['n'].iloc[0]:g}", unit, "median error", series)


def _spent(budgets: tuple[Budget | None, ...]) -> tuple[dict[str, float], str]:
    """Return the first number of every budget, by its words, and the symbol of that number."""
    if any(budget is None or isinstance(budget, NonPrivate) for budget in budgets):
        raise ArgumentError("budget", None, "private ones on an axis of budgets")
    names = {fields(budget)[0].name for budget in budgets}  # type: ignore[arg-type]
    if len(names) > 1:
        raise ArgumentError("budget", sorted(names), "budgets of one kind, or several n")
    name = names.pop()
    return {str(budget): float(getattr(budget, name)) for budget in budgets}, UNITS[name]


def _series(rows: pd.DataFrame, keys: Mapping[str, str], across: Any) -> Iterator[Series]:
    for method, key in keys.items():
        part = rows[rows["method"] == method]
        x = across(part)
        yield Series(method, x, part["median"], part["low"], part["high"], colour_key=key)
        if len(part) and all(map(isfinite, part["predicted"])):
            yield Series("", x, part["predicted"], role="theory", colour_key=key)


def _in_words(summary: pd.DataFrame) -> str:
    """Return the least median error at the last n and budget, in words."""
    if not len(summary):
        return "Median errors, not measured yet."
    last = summary[(summary["n"] == summary["n"].max()) & (summary["budget"] == summary["budget"].iloc[-1])]
    said = ", ".join(f"{one.method} {one.median:.3g}" for one in last.itertuples())
    return f"Median errors; at n = {summary['n'].max():g}, {last['budget'].iloc[0]}: {said}."


@wraps(compared)
def compare(*given: Any, **named: Any) -> Compared:
    """Measure, and draw."""
    found = compared(*given, **named)
    return Compared(found, comparison_chart(found))
