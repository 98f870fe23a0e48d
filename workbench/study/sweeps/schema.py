"""The one schema of measured tables: which columns they have, of which types, in which order.

One row per trial: the address `sweep`, `point`, `block`, `trial`, then the point's parameters, then the
measured columns and the flag `abstained`. `point` is the point's id (`streams.point_id`), not its position.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from workbench.errors import ArgumentError
from workbench.study.sweeps.streams import point_id

Point = Mapping[str, Any]

ADDRESS = ("sweep", "point", "block", "trial")  # the columns that say which trial a row is
ABSTAINED = "abstained"  # flags the trials without an output; they count as an infinite error

_REAL: Any = Real  # the abstract number types are opaque to type checkers


class Cell(NamedTuple):
    """One block of one point: its columns, one entry per trial."""

    position: int  # of the point in the grid: orders the table, enters no seed
    block: int
    columns: dict[str, NDArray[Any]]
    seconds: float = 0.0  # of one core; never part of the table


def plain(value: object) -> float | int | str:
    """Return a parameter as a Python number or string; nan is none, because it equals nothing."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, str) or (isinstance(value, _REAL) and not isnan(value)):
        return value
    raise ArgumentError("parameter", value, "a number or a string")


def checked_points(points: Iterable[Point]) -> tuple[dict[str, Any], ...]:
    """Return the grid with plain values, or raise: points are distinct and have the same parameters."""
    checked = tuple({name: plain(value) for name, value in point.items()} for point in points)
    if not checked:
        raise ArgumentError("points", points, "at least one point")
    if any(point.keys() != checked[0].keys() for point in checked):
        raise ArgumentError("points", checked, "the same parameters in every point")
    if taken := checked[0].keys() & {*ADDRESS, ABSTAINED}:
        raise ArgumentError("points", sorted(taken), "parameters that are no address and no flag")
    for name in checked[0]:
        if len({isinstance(point[name], str) for point in checked}) > 1:
            raise ArgumentError("points", name, "a parameter that is a string in all points or in none")
    if len({point_id(point) for point in checked}) < len(checked):
        raise ArgumentError("points", checked, "points that differ (and so do their ids)")
    return checked


def checked_columns(measured: Mapping[str, ArrayLike], trials: int, point: Point) -> dict[str, NDArray[Any]]:
    """Return a block's columns as float64 or bool, or raise; a column's type never depends on its values."""
    columns = {name: _column(name, values, trials) for name, values in measured.items()}
    if taken := columns.keys() & {*ADDRESS, *point}:
        raise ArgumentError("columns", sorted(taken), "names that are no address and no parameter")
    flags = columns.setdefault(ABSTAINED, np.zeros(trials, dtype=bool))
    if flags.dtype != bool:
        raise ArgumentError(ABSTAINED, str(flags.dtype), "a column of booleans")
    if "error" in columns and not np.isposinf(columns["error"][flags]).all():
        raise ArgumentError("error", columns["error"][flags], "inf wherever the estimator abstained")
    return columns


def _column(name: str, values: ArrayLike, trials: int) -> NDArray[Any]:
    array = np.asarray(values)
    if array.shape != (trials,) or array.dtype.kind not in "biuf":
        raise ArgumentError(name, f"{array.dtype}{array.shape}", f"numbers or booleans of shape ({trials},)")
    if array.dtype == bool:
        return array.copy()
    if np.isnan(array).any():  # tables skip nan silently, which would drop the trial
        raise ArgumentError(name, "nan", "no nan (an undefined measurement is inf, and flagged)")
    return array.astype(np.float64)


def table(name: str, points: Sequence[Point], trials: int, cells: Iterable[Cell]) -> pd.DataFrame:
    """Return the cells of the sweep `name`, given in any order, as one table in the grid's order."""
    ordered = sorted(cells, key=lambda cell: (cell.position, cell.block))
    columns = ordered[0].columns.keys()
    for cell in ordered:
        if cell.columns.keys() != columns:
            where = f"sweep {name!r}, point {dict(points[cell.position])}, block {cell.block}"
            allowed = f"{sorted(columns)}, as in the first block ({where})"
            raise ArgumentError("columns", sorted(cell.columns), allowed)
    measured = {column: np.concatenate([cell.columns[column] for cell in ordered]) for column in columns}
    return pd.DataFrame({**_addresses(name, points, trials, ordered), **measured})


def _addresses(name: str, points: Sequence[Point], trials: int, ordered: list[Cell]) -> dict[str, Any]:
    position = np.repeat([cell.position for cell in ordered], trials)
    address = {
        "sweep": name,
        "point": np.array([point_id(point) for point in points])[position],
        "block": np.repeat([cell.block for cell in ordered], trials),
        "trial": np.tile(np.arange(trials), len(ordered)),
    }
    return address | {key: np.array([point[key] for point in points])[position] for key in points[0]}
