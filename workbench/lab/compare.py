"""`compare` in a notebook: a picture, a table of errors and the tidy frame behind them, in one cell."""

from collections.abc import Mapping
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
        rows = []
        for method, budget, *numbers in self.summary.to_numpy().tolist():
            n, median, low, high, silent, predicted = map(float, numbers)
            said = [f"{n:g}", f"{median:.3g}", f"{low:.3g} to {high:.3g}", f"{100 * silent:.3g} %"]
            rows.append([str(method), str(budget), *said, f"{predicted:.3g}" if isfinite(predicted) else ""])
        return rows

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


def comparison_chart(found: Comparison) -> Chart:
    """Return the chart of what was measured.

    Raises
    ------
    ArgumentError
        If there are more methods of one's own than hues, or budgets of several kinds on one axis.
    """
    keys, summary = colour_keys(found.methods), found.summary
    if len(set(summary["n"])) == 1 and len(found.budgets) > 1:
        spent, unit = _spent(found.budgets)
        drawn = _series(summary.assign(x=summary["budget"].map(spent)), keys)
        panels = [Panel(f"n = {summary['n'].iloc[0]:g}", unit, "median error", drawn)]
    else:
        panels = []
        for budget in found.budgets:
            rows = summary[summary["budget"] == str(budget or "none")]
            drawn = _series(rows.assign(x=rows["n"]), keys)
            panels.append(Panel(str(budget or "no privacy"), "rows n", "median error", drawn))
    words = "Median errors, not measured yet."
    if len(summary):
        n, budget = summary["n"].max(), summary["budget"].iloc[-1]
        last = summary[(summary["n"] == n) & (summary["budget"] == budget)]
        said = ", ".join(f"{one.method} {one.median:.3g}" for one in last.itertuples())
        words = f"Median errors; at n = {n:g}, {budget}: {said}."
    return Chart(
        "comparison",
        f"{' and '.join(found.methods) if len(keys) < 4 else f'{len(keys)} methods'} on the same rows",
        tuple(panels),
        alt=words,
        how_to_read=HOW_TO_READ,
    )


def colour_keys(methods: Mapping[str, Any]) -> dict[str, str]:
    """Return the hue of every method: that of its entry for the first of a kind, else one of yours."""
    free, taken = iter(YOURS), dict[str, str]()
    for name, method in methods.items():
        entry = entry_like(method)
        known = entry is not None and entry.key in METHODS and entry.key not in taken.values()
        key = entry.key if entry is not None and known else next(free, "")
        if not key:
            raise ArgumentError("methods", len(methods), f"at most {len(YOURS)} beside those of the catalog")
        taken[name] = key
    return taken


def _spent(budgets: tuple[Budget | None, ...]) -> tuple[dict[str, float], str]:
    """Return the first number of every budget, by its words, and the symbol of that number."""
    if any(budget is None or isinstance(budget, NonPrivate) for budget in budgets):
        raise ArgumentError("budget", None, "private ones on an axis of budgets")
    names = {fields(budget)[0].name for budget in budgets}  # type: ignore[arg-type]
    if len(names) > 1:
        raise ArgumentError("budget", sorted(names), "budgets of one kind, or several n")
    name = names.pop()
    return {str(budget): float(getattr(budget, name)) for budget in budgets}, UNITS[name]


def _series(rows: pd.DataFrame, keys: Mapping[str, str]) -> tuple[Series, ...]:
    found = []
    for method, key in keys.items():
        part = rows[rows["method"] == method]
        found.append(Series(method, part["x"], part["median"], part["low"], part["high"], colour_key=key))
        if len(part) and all(map(isfinite, part["predicted"])):
            found.append(Series("", part["x"], part["predicted"], role="theory", colour_key=key))
    return tuple(found)


@wraps(compared)
def compare(*given: Any, **named: Any) -> Compared:
    """Measure, and draw."""
    found = compared(*given, **named)
    return Compared(found, comparison_chart(found))
