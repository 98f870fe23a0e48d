"""The picture of a comparison: error against n, a panel for each budget, or against the budget at one n."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from math import isfinite
from typing import Any

import pandas as pd

from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.methods import METHODS
from workbench.errors import ArgumentError
from workbench.privacy import Budget, NonPrivate
from workbench.study.comparing import Comparison, entry_like

YOURS = [key for key in METHODS if key.startswith("yours/")]
UNITS = {"epsilon": "ε", "rho": "ρ", "mu": "μ"}
HOW_TO_READ = (
    "Every method saw the same rows. Bands are exact 95 % intervals of the median error; a pale line is what "
    "an estimator predicts for the hardest rows that it allows; an arrow is no answer in half the runs."
)


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
