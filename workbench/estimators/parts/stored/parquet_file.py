"""What is public of a Parquet file: the names and the types of its columns, the number of its rows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from os.path import isfile
from pathlib import Path
from typing import Any

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import LARGEST
from workbench.estimators.parts.stored.rows import Source
from workbench.estimators.reading import numeric_type, read
from workbench.types import Array

SUFFIX = ".parquet"
BUFFER, BATCH = 2**20, 2**12  # bytes of a column, and rows, that are read at a time


@dataclass(frozen=True)
class ParquetFile:
    """The columns of a file, and how many rows it has."""

    file: Path
    types: dict[str, str]
    number: int

    def __str__(self) -> str:
        return "Parquet"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(self.types)

    @property
    def lines(self) -> range:
        """As many as there are rows."""
        return range(self.number)

    def chosen(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Choose columns of numbers by name, all by default; raise with what the file has."""
        for place, name in enumerate(columns):
            if name not in self.types:
                raise ArgumentError("column", name, f"one of {', '.join(self.names)}")
            if name in columns[:place]:
                raise ArgumentError("column", name, "names that differ: this one is there twice")
        names = tuple(columns) or self.names
        for name in names:
            if not numeric_type(self.types[name]):
                raise ArgumentError("column", name, f"a column of numbers: this one is of {self.types[name]}")
        return names

    def rows(self, names: Sequence[str], missing: float | None = None) -> Source:
        """Return the numbers of these columns; `missing` stands in for what is no usable number."""

        def chunks() -> Iterator[Array]:
            with _opened(self.file) as file:
                batches = file.iter_batches(batch_size=BATCH, columns=list(names))
                while batch := _next(self.file, batches):
                    values, _ = read(batch.select(list(names)))
                    if missing is not None:
                        values[~(np.abs(values) <= LARGEST)] = missing
                    yield values

        return chunks


def open_parquet(file: Path) -> ParquetFile:
    """Read what is public of a file; what raises is a fact about it."""
    if find_spec("pyarrow") is None:
        raise ArgumentError("file", str(file), "a CSV file: pyarrow, which reads Parquet, is missing")
    if not isfile(file):
        raise ArgumentError("file", str(file), "a file that exists")
    with _refused(file), _opened(file) as found:
        schema: Any = found.schema_arrow
        types = {one.name: str(one.type) for one in schema}
        number = int(found.metadata.num_rows)
    if len(types) < len(schema.names):
        raise ArgumentError("column", None, "a file whose columns have names that differ")
    if not number:
        raise ArgumentError("file", str(file), "a Parquet file with at least one row")
    return ParquetFile(file, types, number)


def _opened(file: Path) -> Any:
    """Open a file so that its pages are read as they are needed, whatever the number of its rows."""
    return import_module("pyarrow.parquet").ParquetFile(file, pre_buffer=False, buffer_size=BUFFER)


def _next(file: Path, batches: Iterator[Any]) -> Any:
    with _refused(file):
        return next(batches, None)


@contextmanager
def _refused(file: Path) -> Iterator[None]:
    """Refuse what pyarrow cannot read."""
    try:
        yield
    except (OSError, MemoryError, import_module("pyarrow").ArrowException):
        raise ArgumentError("file", str(file), "a Parquet file that can be read") from None
