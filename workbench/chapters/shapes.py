"""What claims of several chapters read off a table: medians over x, their growth, a check for every x."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from workbench.study import measures
from workbench.study.measures import Measure
from workbench.study.rules import Verdict

LEVEL = 0.05  # of all bands of one curve together
Summary = Callable[[ArrayLike, float], Measure]


def over(
    frame: pd.DataFrame, column: str, along: str, level: float = LEVEL, summary: Summary = measures.median
) -> dict[float, Measure]:
    """Return the median of a column, or another summary, at all values of a parameter: they share a level."""
    by = measures.by(frame, along)
    return {value: summary(rows[column], level / len(by)) for value, rows in by.items()}


def growth(found: Mapping[float, Measure], axis: Iterable[float] | None = None) -> Measure:
    """Return the power of x, or of another axis, with which a measure grows: a slope of logarithms."""
    xs = np.log([*(found if axis is None else axis)])
    return measures.slope(xs, [measures.logarithm(one) for one in found.values()])


def each(
    name: str, found: Mapping[Any, Measure], low: float, high: float, said: str = "{:g}", **more: Any
) -> list[Verdict]:
    """Return the check that a measure lies between two limits, for every x: `said` is how x is written."""
    return [measures.between(name + said.format(x), one, low, high, **more) for x, one in found.items()]
