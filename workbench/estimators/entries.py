"""Numbers one by one: what an entry of a list, or of an array of objects, counts as."""

from collections.abc import Iterable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError

Array = NDArray[np.float64]

NUMERIC = "biuf"  # the kinds of numpy types that are numbers
_NUMBER: Any = (Real, Decimal)
_MARKS = ("NAType", "NaTType", "MaskedConstant")  # of pandas and numpy, for an entry that is missing


def listed(entries: Iterable[object], name: str = "x", what: str = "list") -> Array:
    """Read entries as floats; `name` and `what` are what an error calls them."""
    return np.array([_number(entry, name, what) for entry in entries], np.float64)


def missing(entry: object) -> bool:
    """Tell whether an entry is None or another mark of a missing one."""
    return entry is None or type(entry).__name__ in _MARKS


def _number(entry: Any, name: str, what: str) -> float:
    """Read a number; one beyond the floats counts as missing."""
    if hasattr(entry, "as_py"):  # a scalar of Arrow
        entry = entry.as_py()
    if missing(entry):
        return float("nan")
    if not (isinstance(entry, _NUMBER) or _scalar(entry)):
        raise ArgumentError(name, f"{what} with an entry of type {type(entry).__name__}", "numbers")
    try:
        return float(entry)
    except (OverflowError, ValueError):  # an integer beyond the floats; a Decimal that signals
        return float("nan")


def _scalar(entry: object) -> bool:
    return isinstance(entry, (np.generic, np.ndarray)) and not entry.ndim and entry.dtype.kind in NUMERIC
