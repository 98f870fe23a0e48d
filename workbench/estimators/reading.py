"""What callers hold, as floats: arrays, lists, columns and tables of pandas, polars and Arrow.

Shapes and types are public, entries are not. An array has one type, and so has a column; a list and an
array of objects tell theirs entry by entry, and anything in them but numbers and marks of missing entries
is refused. Libraries are met by their protocols (`to_numpy`, names of columns) and never imported.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import isnan
from numbers import Real
from typing import Any

import numpy as np

from workbench.errors import ArgumentError
from workbench.types import Array

Labels = tuple[str, ...] | None

# how the names of numeric types begin in polars, Arrow and pandas; rows of numbers may be an array or a list
_TYPES = ("int", "uint", "float", "double", "half", "bool", "decimal", "null", "list", "array", "fixed_size")
NUMERIC = "biuf"  # the kinds of numpy types that are numbers
_NUMBER: Any = (Real, Decimal)
_MARKS = ("NAType", "NaTType", "MaskedConstant")  # of pandas and numpy, for an entry that is missing
_BYTES = (str, bytes, bytearray, memoryview)


def read(x: object) -> tuple[Array, Labels]:
    """Read entries as floats, missing ones as NaN, with the names of the columns; refuse other types."""
    with np.errstate(all="ignore"):  # whatever the caller's settings, entries decide no exception
        frame: Any = x
        if (columns := _columns(frame)) is not None:
            return _table(*columns, len(frame))
        if isinstance(x, Sequence) and not isinstance(x, _BYTES):
            return _sequence(x), None
        name = getattr(x, "name", None) if hasattr(x, "to_numpy") else None
        labels = (str(name),) if name not in (None, "") else None
        values = _column(x, "x" if labels is None else f"x[{name!r}]")
        return values, labels if values.ndim == 1 else None


def _columns(x: Any) -> tuple[list[Any], list[Any]] | None:
    """Take a table apart: names and columns of a DataFrame (pandas, polars), a Table, a RecordBatch."""
    if hasattr(x, "column_names") and hasattr(x, "columns"):
        return list(x.column_names), list(x.columns)
    if hasattr(x, "get_columns"):
        return list(x.columns), x.get_columns()
    if hasattr(x, "iloc") and hasattr(x, "columns"):
        return list(x.columns), [x.iloc[:, place] for place in range(len(x.columns))]
    return None


def _table(names: list[Any], columns: list[Any], rows: int) -> tuple[Array, Labels]:
    values = np.empty((rows, len(columns)))
    for place, (name, column) in enumerate(zip(names, columns, strict=True)):
        read = _column(column, f"x[{name!r}]")
        if read.shape != (rows,):
            raise ArgumentError(f"x[{name!r}]", f"column of shape {read.shape}", "one number in every row")
        values[:, place] = read
    return values, None if None in names else tuple(map(str, names))


def _column(column: Any, name: str) -> Array:
    _require_numeric(column, name)
    if hasattr(column, "iloc") and column.dtype != object:  # pandas has marks of its own for missing entries
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    values = column if isinstance(column, np.ma.MaskedArray) else _array(column, name)
    if values.dtype == object:
        objects, what = np.array(np.ma.getdata(values)), "array" if name == "x" else "column"
        objects[np.ma.getmaskarray(values)] = None
        if objects.ndim == 1:
            return _sequence(objects.tolist(), name, what)
        return listed(objects.ravel().tolist(), name, what).reshape(objects.shape)
    if values.dtype.kind not in NUMERIC:
        raise ArgumentError(name, f"array of type {values.dtype}", "a numeric array")
    return np.ma.filled(values.astype(np.float64, copy=False), np.nan)


def _array(column: Any, name: str) -> Any:
    """Return what numpy makes of a column, or refuse what it makes nothing of: a query, a stream, a set."""
    kind = getattr(column, "dtype", None)
    try:
        if str(kind) in ("Int128", "UInt128"):  # of polars, which numpy has not
            column = column.cast(float)
        values = np.asarray(column)
    except Exception:  # whatever an object does when it is asked for its entries
        values = np.array(None)
    if values.dtype == object and not values.ndim:
        named = hasattr(column, "to_numpy") and kind
        what = f"column of type {kind}" if named else f"object of type {type(column).__name__}"
        raise ArgumentError(name, what, "a dense array, a list, or a column or table in memory")
    return values


def _require_numeric(column: Any, name: str) -> None:
    """Raise on the type that a column of a library says it has, whatever is in it."""
    kind = getattr(column, "type", None) or getattr(column, "dtype", None)
    if not hasattr(column, "to_numpy") or kind is None or str(kind) == "object":
        return
    numpys = hasattr(column, "iloc") or isinstance(kind, np.dtype)
    numeric = kind.kind in NUMERIC if numpys else numeric_type(str(kind))
    if not numeric:
        raise ArgumentError(name, f"column of type {kind}", "a numeric column")


def numeric_type(kind: str) -> bool:
    return kind.lower().startswith(_TYPES)


def _sequence(x: Sequence[object], name: str = "x", what: str = "list") -> Array:
    """Read numbers, or rows of them; a row that is missing is a row of missing entries.

    The number of columns is public, but a list without one row of numbers cannot tell it: it is one column.
    """
    if not any(map(_is_row, x)):
        return listed(x, name, what)
    try:
        rows = [None if missing(row) else read(row)[0] for row in x]
    except ArgumentError as error:
        raise ArgumentError(name, error.value, error.allowed) from None
    except RecursionError:
        raise ArgumentError(name, f"{what} within itself", "numbers, or rows of them") from None
    shape, *others = {row.shape for row in rows if row is not None}
    if others:
        raise ArgumentError(name, f"{what} of {len(rows)} rows", "rows of one length")
    return np.array([np.full(shape, np.nan) if row is None else row for row in rows])


def _is_row(entry: object) -> bool:
    array = isinstance(entry, np.ndarray) and entry.ndim > 0
    return array or isinstance(entry, (list, tuple)) or (hasattr(entry, "to_numpy") and not missing(entry))


def listed(entries: Iterable[object], name: str = "x", what: str = "list") -> Array:
    return np.array([_number(entry, name, what) for entry in entries], np.float64)


def missing(entry: object) -> bool:
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
