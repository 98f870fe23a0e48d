"""`compare` in a notebook: a picture, a table of errors and the tidy frame behind them, in one cell."""

from dataclasses import dataclass
from functools import wraps
from html import escape
from math import isfinite
from typing import Any

import pandas as pd

from workbench.charts.chart import Chart
from workbench.charts.comparison import comparison_chart
from workbench.lab import tables
from workbench.lab.pictures.display import image, styled
from workbench.study.comparing import Comparison
from workbench.study.comparing import compare as compared

HEADER = ("method", "budget", "n", "median error", "95 % interval", "no answer", "predicted")


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
        from workbench.lab.pictures.plots import svg

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


@wraps(compared)
def compare(*given: Any, **named: Any) -> Compared:
    """Measure, and draw."""
    found = compared(*given, **named)
    return Compared(found, comparison_chart(found))
