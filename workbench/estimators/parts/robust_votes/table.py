"""How close robust groups stay under attack: a public table, simulated once.

`chapters.any_gaussian.runs.robust_table` makes it.

A row is for groups of s rows in d dimensions where a share ξ of all rows is attacked: `limits`, 1 + dist
within which all pairs but a share `FAR` stay, at the worst of several attacks; `deviation`, that of a group's
share of friends at the middle limit; `scale`, that of the average of clean groups, in units of Σ; `error`,
what the weighted average errs by at the worst, in Frobenius norm relative to Σ.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from workbench.errors import ArgumentError

TABLE = "robust_table.json"
FAR = (0.02, 0.04, 0.06, 0.08, 0.1, 0.125, 0.15)
MIDDLE = 4


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    of: str
    d: int
    size: int
    corruption: float
    limits: tuple[float, ...]
    deviation: float
    scale: float
    error: float

    def spread(self, far: float) -> float:
        """Return the deviation of a group's share of friends where a share `far` of pairs is none."""
        middle = FAR[MIDDLE]
        return self.deviation * float((far * (1 - far) / (middle * (1 - middle))) ** 0.5)


@lru_cache(maxsize=1)
def table() -> tuple[Row, ...]:
    """Return the whole table."""
    text = files("workbench").joinpath("estimators", "parts", "robust_votes", TABLE).read_text("utf-8")
    return tuple(Row(**{**row, "limits": tuple(row["limits"])}) for row in json.loads(text))


@lru_cache(maxsize=256)
def rows_for(d: int, corruption: float, of: str = "covariance") -> tuple[Row, ...]:
    """Return the rows of a "covariance" or "mean" for d and the least share that is not below `corruption`.

    Raises
    ------
    ArgumentError
        If the table has none.
    """
    here = [row for row in table() if row.d == d and row.of == of]
    if not here:
        raise ArgumentError("d", d, f"one of {sorted({row.d for row in table() if row.of == of})}")
    above = [row.corruption for row in here if row.corruption >= corruption * (1 - 1e-9)]
    if not above:
        raise ArgumentError("corruption", corruption, f"at most {max(row.corruption for row in here)}")
    return tuple(row for row in here if row.corruption == min(above))
