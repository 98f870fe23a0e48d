"""Where stored rows come from: a function that starts again, a file of numpy, a Parquet file, a CSV file.

A file is read into one buffer, not mapped: mapped pages would count as memory.
"""

from collections.abc import Callable, Iterator, Sequence
from inspect import signature
from itertools import islice
from math import prod
from os.path import isfile
from pathlib import Path
from typing import Any

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import LARGEST, WIDEST
from workbench.estimators.parts.stored.csv_file import CsvFile, Writing, open_csv
from workbench.estimators.parts.stored.parquet_file import SUFFIX, open_parquet
from workbench.estimators.parts.stored.rows import Source
from workbench.types import Array

BUFFER = 2**22  # bytes that are read at a time
LINES = 2**12  # rows of a text file that are read at a time


def source_of(given: object) -> Source:
    """Return a source from a callable or a path, `.npy`, `.parquet` or else CSV with a header."""
    if isinstance(given, (str, Path)):
        path = Path(given)
        if not isfile(path):
            raise ArgumentError("source", str(path), "a file that exists")
        return _FILES.get(path.suffix.lower(), _csv)(path)
    if callable(given) and _without_arguments(given):
        return given
    allowed = "a path, or a function without arguments that returns its chunks anew for every pass"
    raise ArgumentError("source", type(given).__name__, allowed)


def _without_arguments(given: Callable[..., object]) -> bool:
    try:
        signature(given).bind()
    except TypeError:
        return False
    except ValueError:  # it does not tell
        return True
    return True


def numpy_rows(path: Path) -> Source:
    """Return the rows of an array in numpy's format."""
    shape, dtype, start = _header(path)
    row = int(prod(shape[1:]))
    size = max(1, BUFFER // (dtype.itemsize * max(1, row)))

    def chunks() -> Iterator[Array]:
        buffer = np.empty((size, *shape[1:]), dtype)
        with path.open("rb", buffering=0) as file:
            file.seek(start)
            while got := _filled(file, buffer):
                rows, rest = divmod(got, dtype.itemsize * row)
                if rest:
                    raise ArgumentError("source", str(path), "a file of whole rows: its last one is cut off")
                yield buffer[:rows]

    return chunks


def _header(path: Path) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """Return shape, type and the place of the first entry; refuse what cannot be read row by row."""
    formats = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    allowed = "an array of floats of shape (n,) or (n, d), row by row, in numpy's format"
    with path.open("rb") as file:
        try:
            shape, by_columns, dtype = formats[np.lib.format.read_magic(file)](file)
        except Exception:  # a header is parsed, and whatever is wrong with it is a fact about the file
            raise ArgumentError("source", str(path), allowed) from None
        rows = len(shape) == 1 or (len(shape) == 2 and not by_columns and 0 < shape[1] <= WIDEST)
        if dtype.kind not in "biuf" or not rows:
            raise ArgumentError("source", f"array of type {dtype}, shape {shape}", allowed)
        return shape, dtype, file.tell()


def _filled(file: Any, buffer: Any) -> int:
    """Fill the buffer as far as the file goes; return the bytes."""
    view, got = memoryview(buffer).cast("B"), 0
    while got < len(view) and (more := file.readinto(view[got:])):
        got += more
    return got


def csv_rows(table: CsvFile, names: Sequence[str], missing: float | None = None) -> Source:
    """Return the numbers of these columns; `missing` stands in for what is no usable number."""
    numbers = table.cells(names).numbers

    def chunks() -> Iterator[Array]:
        lines = iter(table.lines)
        while some := list(islice(lines, LINES)):
            values = np.array([numbers(line) for line in some])
            if missing is not None:
                values[~(np.abs(values) <= LARGEST)] = missing
            yield values

    return chunks


def _parquet(path: Path) -> Source:
    table = open_parquet(path)
    return table.rows(table.chosen(()))


def _csv(path: Path) -> Source:
    table = open_csv(path, Writing())
    return csv_rows(table, table.chosen(()))


_FILES = {".npy": numpy_rows, SUFFIX: _parquet}
