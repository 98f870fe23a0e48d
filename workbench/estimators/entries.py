"""Numbers one by one: what an entry of a list, or of an array of objects, counts as."""

from collections.abc import Iterable
from decimal import Decimal
from math import isnan
from numbers import Real
from typing import Any

import numpy as np

from workbench.errors import ArgumentError
from workbench.types import Array

NUMERIC = "biuf"  # the kinds of numpy types that are numbers
_NUMBER: Any = (Real, Decimal)
_MARKS = ("NAType", "NaTType", "MaskedConstant")  # of pandas and numpy, for an entry that is missing


def listed(entries: Iterable[object], name: str = "x", what: str = "list") -> Array:
    """Read entries as floats; `name` and `what` are what an error calls them."""
    return np.array([_number(entry, name, what) for entry in entries], np.float64)


def missing(entry: object) -> bool:
    """Tell whether an entry, or a row, is None, NaN or another mark of a missing one."""
    return entry is None or type(entry).__name__ in _MARKS or (isinstance(entry, float) and isnan(entry))


def _number(entry: Any, name: str, what: str) -> float:
    """Read a number; one that is beyond the floats, or cannot be read, counts as missing."""
    if hasattr(entry, "as_py"):  # a scalar of Arrow
        entry = entry.as_py()
    if missing(entry):
        return float("nan")
    if not _numeric(entry):
        raise ArgumentError(name, f"{what} with an entry of type {type(entry).__name__}", "numbers")
    if isinstance(entry, np.ma.MaskedArray):
        entry = np.ma.filled(entry.astype(np.float64), np.nan)
    try:
        return float(entry)
    except Exception:  # an integer beyond the floats, a Decimal that signals, a `__float__` that raises
        return float("nan")


def _numeric(entry: Any) -> bool:
    """Tell by its type whether an entry is a number; a duration of numpy is none, though it says so."""
    if isinstance(entry, (np.generic, np.ndarray)):
        return not entry.ndim and entry.dtype.kind in NUMERIC
    return isinstance(entry, _NUMBER)
