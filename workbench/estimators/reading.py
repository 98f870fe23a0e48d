"""What callers hold, as floats: arrays, lists, Series and DataFrames; types are public, entries are not."""

from numbers import Real
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError

Array = NDArray[np.float64]

_REAL: Any = Real


def read(x: object) -> tuple[Array, tuple[str, ...] | None]:
    """Return the entries as floats and the column names; raise on a type that is not numeric."""
    frame: Any = x
    if hasattr(frame, "to_numpy") and hasattr(frame, "index"):
        names = list(frame.columns) if hasattr(frame, "columns") else [frame.name]
        kinds = list(frame.dtypes) if hasattr(frame, "columns") else [frame.dtype]
        for name, kind in zip(names, kinds, strict=True):
            if getattr(kind, "kind", "O") not in "biuf":
                raise ArgumentError(f"x[{name!r}]", f"column of type {kind}", "a numeric column")
        labels = tuple(str(name) for name in names) if None not in names else None
        return cast(Array, frame.to_numpy(dtype=np.float64, na_value=np.nan)), labels
    if isinstance(x, (list, tuple)):
        return _read_list(x), None
    values = np.asarray(x)
    if values.dtype.kind not in "biuf":
        raise ArgumentError("x", f"array of type {values.dtype}", "a numeric array")
    with np.errstate(all="ignore"):
        return np.ma.filled(np.ma.asarray(x).astype(np.float64, copy=False), np.nan), None


def _read_list(x: list[object] | tuple[object, ...]) -> Array:
    """Return the numbers of a (nested) list; None and integers beyond the floats count as missing."""
    if any(isinstance(row, (list, tuple, np.ndarray)) for row in x):
        rows = [read(row)[0] for row in x]
        if len({row.shape for row in rows}) > 1:
            raise ArgumentError("x", f"list of {len(rows)} rows", "rows of one length")
        return np.array(rows)
    return np.array([_number(entry) for entry in x], np.float64)


def _number(entry: object) -> float:
    if entry is None:
        return float("nan")
    if not isinstance(entry, _REAL):
        raise ArgumentError("x", f"list with an entry of type {type(entry).__name__}", "a list of numbers")
    try:
        with np.errstate(all="ignore"):
            return float(entry)
    except OverflowError:
        return float("nan")
