"""Estimates from rows that need not fit into memory: files, and chunks that are read anew for every pass.

A block has as many rows as one of rows in memory, whatever chunks a source hands out, so that every result is
the same to the last bit. Every pass counts the rows and, where there are several, takes a checksum: a source
whose rows change between passes makes no release.

Of a CSV file a row is a line. A file is its header and n lines, each with its line end (LF or CRLF), the last
one too: n is the number of line ends less one, whatever the lines hold. A blank line is a row, and a line
break inside quotes ends a row. Where the last line lacks its end, a blank last row could not be told from
none, so that such a file is refused. The flags of a call, or else the header alone, tell the separator and
the decimal mark: no row decides how another is read. The header, in UTF-8 or else Latin-1, is public; one
that looks like a row is refused unseen. Of a Parquet file the names and the types of its columns and the
number of its rows are public.

What a line says is a fixed map from one line to its numbers, which never raises. A number has digits, at most
one decimal mark and one exponent (`-1.5e3`), blanks or quotes round it or not. Every other cell counts as
missing: an empty one, a word, a date, `1,000`, `0x10`, `inf`. So does a cell that a short line lacks, and
every cell of a line with more cells than the header has names.

The readers of pandas and pyarrow cannot keep this: a quote that is left open joins the lines after it, and a
line of another length is an error or is dropped, so that a cell would decide how many rows there are. Hence
lines are split here, one by one, with `csv`; Parquet, whose footer counts its rows, is read by pyarrow.
"""

import bz2
import codecs
import csv
import gzip
import lzma
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from functools import lru_cache, partial
from importlib import import_module
from inspect import signature
from io import BytesIO
from itertools import islice
from math import prod, sqrt
from os.path import isfile
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError, integer_at_least, one_of_words
from workbench.estimators.base import LARGEST, WIDEST, Estimator, Univariate, released, sanitised
from workbench.estimators.reading import NUMERIC, numeric_type, read
from workbench.estimators.release import Release
from workbench.estimators.shared.rows import rows_of_a_block
from workbench.privacy import Budget
from workbench.types import Array, RowMap, frozen

T = TypeVar("T")
Source = Callable[[], Iterable[object]]
"""What returns the rows from the first one on, in chunks of any size, as often as it is called."""

Progress = Callable[[int], None]
"""What is told of every block how many rows it has."""

BUFFER = 2**20  # bytes that are read at a time
PAGES = 2**16  # bytes of every column of Parquet
CHUNK = 2**12  # rows of a table that are read at a time
LONGEST = 2**20  # bytes of a header
PARQUET = ".parquet"
MARKS = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "-", ".", "?"})  # of a missing entry
SEPARATORS = {",": "','", ";": "';'", "\t": "tab", "|": "'|'"}
_NUMBER = re.compile(r"[+-]?([0-9]++([.,][0-9]*+)?|[.,][0-9]++)([eE][+-]?[0-9]++)?")  # no step back
_PLAIN = re.compile("u?int(8|16|32|64)|float|double|bool")  # types of Arrow
_OPENERS: Any = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_HEADER = "a CSV file with a header in its first line"


# Tables in files


@frozen
class Writing:
    """How a CSV file is written; what is None is found in its header.

    Where semicolons separate columns, a number may have a comma or a point; elsewhere a point.
    """

    separator: str | None = None
    decimal: str | None = None

    def __post_init__(self) -> None:
        mark, taken = self.separator, '"\r\n 0123456789+-.eE'
        if mark is not None and not (len(mark) == 1 and mark.isascii() and mark not in taken):
            raise ArgumentError("separator", mark, "one character that is in no number, or the word tab")
        if self.decimal not in (None, ".", ","):
            raise ArgumentError("decimal", self.decimal, "one of . ,")

    def marks(self, header: str) -> tuple[str, str]:
        """Return the separator and the decimal marks; a header of one column has any separator."""
        bare = re.sub(r'"[^"]*"', "", header)
        found = [self.separator] if self.separator else [mark for mark in SEPARATORS if mark in bare]
        if len(found) > 1:
            several = " and ".join(SEPARATORS[mark] for mark in found)
            raise ArgumentError("separator", None, f"--separator MARK, as the header has {several}")
        (separator,) = found or (";" if self.decimal == "," else ",",)
        return separator, self.decimal or (".," if separator == ";" else ".")


@frozen
class Cells:
    """The map from a line to the cells at `places`, where the header has `width` names."""

    separator: str
    decimals: str
    width: int
    places: Sequence[int]

    def wanted(self, line: str) -> list[str]:
        """Return the wanted cells of a line, empty where it has none and where it has too many."""
        cells = self.split(line)
        if len(cells) > self.width:
            return [""] * len(self.places)
        return [cells[place] if place < len(cells) else "" for place in self.places]

    def split(self, line: str) -> list[str]:
        """Split a line outside of quotes; one that is left open ends with it, blanks beyond the width go."""
        line = line.rstrip("\r")
        try:
            quoted = '"' in line
            cells = _split(line, self.separator)[0] if quoted else line.split(self.separator)
        except csv.Error:  # a carriage return in it, or a cell of more than 128 kB
            return []
        return cells if self.width == 0 or any(map(str.strip, cells[self.width :])) else cells[: self.width]

    def number(self, cell: str) -> float | None:
        text = cell.strip()
        foreign = ("," in text and "," not in self.decimals) or ("." in text and "." not in self.decimals)
        return None if foreign or not _NUMBER.fullmatch(text) else float(text.replace(",", "."))


def _split(line: str, separator: str) -> list[list[str]]:
    """Return the rows of a line and a blank one: one row if a quote is left open."""
    return list(csv.reader([line, ""], delimiter=separator, skipinitialspace=True))


@frozen
class Table:
    """What is public of a file: the names of its columns, the number of its rows, how it is written."""

    file: Path
    names: tuple[str, ...]
    number: int

    def chosen(self, columns: Sequence[str]) -> tuple[str, ...]:
        for name in columns:
            if name not in self.names:
                raise ArgumentError("column", name, f"{one_of_words(name, self.names)} ({self})")
        _require_distinct(columns, "names that differ")
        return tuple(columns) or self.names

    def rows(self, names: Sequence[str], missing: float | None = None) -> Source:
        """Return the numbers of these columns; `missing` stands in for what is no usable number."""

        def chunks() -> Iterator[Array]:
            for values in self._numbers(names):
                if missing is not None:
                    values[~(np.abs(values) <= LARGEST)] = missing
                yield values

        return chunks

    def _numbers(self, names: Sequence[str]) -> Iterator[Array]:
        raise NotImplementedError


@frozen
class CsvFile(Table):
    """A header, which is public, and the lines below it, of which only the number is."""

    separator: str
    decimals: str
    opened: Callable[[], IO[bytes]] = field(repr=False)

    def __str__(self) -> str:
        between = SEPARATORS.get(self.separator, repr(self.separator))
        return f"separator {between}, decimal mark {' or '.join(map(repr, self.decimals))}"

    def chosen(self, columns: Sequence[str]) -> tuple[str, ...]:
        if not columns and "" in self.names:
            raise ArgumentError("column", None, "--column with names: a column of the header has none")
        return super().chosen(columns)

    def cells(self, columns: Sequence[str]) -> Cells:
        places = [self.names.index(one) for one in columns]
        return Cells(self.separator, self.decimals, len(self.names), places)

    def lines(self) -> Iterator[str]:
        with self.opened() as stream:
            stream.readline()
            for line in stream:
                yield line.decode("latin-1").removesuffix("\n")  # numbers are ASCII: rows need no encoding

    def _numbers(self, names: Sequence[str]) -> Iterator[Array]:
        lines, cells = self.lines(), self.cells(names)
        while some := list(islice(lines, CHUNK)):
            found = [list(map(cells.number, cells.wanted(line))) for line in some]
            yield np.array(found, np.float64)  # None is NaN


def open_csv(file: Path, writing: Writing) -> CsvFile:
    """Read a file, or standard input for `-`; what raises is a fact about the file or its header."""

    def refused(allowed: str) -> ArgumentError:
        return ArgumentError("file", str(file), allowed)

    opened: Callable[[], IO[bytes]]
    if str(file) == "-":  # kept, as it would end in a pass
        opened = partial(BytesIO, sys.stdin.buffer.read() if sys.stdin else b"")
    elif isfile(file):
        opened = partial(_OPENERS.get(file.suffix.lower(), open), file, "rb")
    else:
        raise refused("a file that exists, or - for standard input")
    try:
        with opened() as stream:
            head = last = stream.readline(LONGEST)
            number = 0
            while part := stream.read(BUFFER):
                number, last = number + part.count(b"\n"), part
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        raise refused("a CSV file that can be read, or -") from None
    head = head.removeprefix(codecs.BOM_UTF8)
    if not head.strip() or len(head) == LONGEST:
        raise refused(_HEADER)
    try:
        text = head.decode()
    except UnicodeError:
        text = head.decode("latin-1")
    text = text.rstrip("\n").removesuffix("\r")
    if "\0" in text:
        raise refused(f"{_HEADER}, in UTF-8 (convert others, as UTF-16)")
    if "\r" in text or not last.endswith(b"\n"):
        raise refused("a line end (LF or CRLF) after every line, the last one too")
    separator, decimals = writing.marks(text)
    with suppress(csv.Error):  # a name of more than 128 kB
        if len(_split(text, separator)) == 1:
            raise refused("a header that is one line: a quote in it is left open")
    cells = Cells(separator, ".,", 0, ())
    names = tuple(name.strip() for name in cells.split(text))
    if any(cells.number(name) is not None or (name and name.lower() in MARKS) for name in names):
        raise refused(f"{_HEADER}: this one has a number or a missing entry there")
    if not any(names):
        raise refused(_HEADER)
    _require_distinct(list(filter(None, names)), "a header whose names differ")
    if not number:
        raise refused("a CSV file with at least one row below its header")
    return CsvFile(file, names, number, separator, decimals, opened)


def _require_distinct(names: Sequence[str], allowed: str) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise ArgumentError("column", name, f"{allowed}: this one is there twice")


@frozen
class ParquetFile(Table):
    types: tuple[str, ...]

    def __str__(self) -> str:
        return "Parquet"

    def chosen(self, columns: Sequence[str]) -> tuple[str, ...]:
        names = super().chosen(columns)
        for name in names:
            kind = self.types[self.names.index(name)]
            if not numeric_type(kind):
                raise ArgumentError("column", name, f"a column of numbers: this one is of {kind}")
        return names

    def _numbers(self, names: Sequence[str]) -> Iterator[Array]:
        plain = all(_PLAIN.fullmatch(self.types[self.names.index(name)]) for name in names)
        with _parquet(self.file) as file:
            for batch in file.iter_batches(batch_size=CHUNK, columns=list(names), use_threads=False):
                rows = batch.select(list(names))
                if not plain:
                    yield read(rows)[0]
                    continue
                arrow = import_module("pyarrow")  # without pandas, with which it takes 40 MB more
                doubles = arrow.schema([(name, arrow.float64()) for name in rows.schema.names])
                yield rows.cast(doubles, safe=False).to_tensor(null_to_nan=True).to_numpy()


def open_parquet(file: Path) -> ParquetFile:
    if not isfile(file):
        raise ArgumentError("file", str(file), "a file that exists")
    with _parquet(file) as found:
        schema, number = found.schema_arrow, int(found.metadata.num_rows)
    _require_distinct(schema.names, "a file whose columns have names that differ")
    if not number:
        raise ArgumentError("file", str(file), "a Parquet file with at least one row")
    return ParquetFile(file, tuple(schema.names), number, tuple(str(one.type) for one in schema))


@contextmanager
def _parquet(file: Path) -> Iterator[Any]:
    """Open a file so that its pages are read as they are needed; refuse what pyarrow cannot read."""
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise ArgumentError(
            "file", str(file), "a CSV file: pyarrow, which reads Parquet, is missing"
        ) from None
    try:
        with parquet.ParquetFile(file, pre_buffer=False, buffer_size=PAGES) as found:
            yield found
    except (OSError, MemoryError, arrow.ArrowException):
        raise ArgumentError("file", str(file), "a Parquet file that can be read") from None


def open_table(file: Path, writing: Writing) -> CsvFile | ParquetFile:
    """Return a table by the name of its file; how CSV is written says nothing of Parquet."""
    if file.suffix.lower() != PARQUET:
        return open_csv(file, writing)
    if writing != Writing():
        raise ArgumentError("file", str(file), "a CSV file beside --separator or --decimal")
    return open_parquet(file)


# Sources of rows, and rows in blocks


def source_of(given: object) -> Source:
    if isinstance(given, (str, Path)):
        path = Path(given)
        if not isfile(path):
            raise ArgumentError("source", str(path), "a file that exists")
        if path.suffix.lower() == ".npy":
            return _numpy_rows(path)
        table = open_table(path, Writing())
        return table.rows(table.chosen(()))
    try:
        if callable(given):
            signature(given).bind()
            return given
    except TypeError:
        pass
    except ValueError:  # it does not tell what it takes
        return cast(Source, given)
    allowed = "a path, or a function without arguments that returns its chunks anew for every pass"
    raise ArgumentError("source", type(given).__name__, allowed)


def _numpy_rows(path: Path) -> Source:

    def mapped() -> Any:
        try:
            found: Any = np.lib.format.open_memmap(path, mode="r")
        except Exception:  # a header is parsed, and whatever is wrong with it is a fact about the file
            found = np.array(None)
        by_rows = found.ndim == 1 or (
            found.ndim == 2 and found.flags.c_contiguous and 0 < found.shape[1] <= WIDEST
        )
        if found.dtype.kind not in NUMERIC or not by_rows:
            allowed = "an array of floats of shape (n,) or (n, d), row by row, in numpy's format"
            raise ArgumentError("source", str(path), allowed)
        return found

    def chunks() -> Iterator[Array]:
        rows, at = len(mapped()), 0
        while at < rows:
            found = mapped()  # anew: pages that were read are given back
            step = max(1, BUFFER // found[0].nbytes)
            yield np.array(found[at : at + step])
            at += step

    mapped()
    return chunks


class ChangedError(RuntimeError):
    """The rows of a source differ between two passes: there is no release."""


class InBlocks:
    """What an estimator asks of rows that are not all in memory: their shape, and one pass over them."""

    def __init__(self, shape: tuple[int, ...], blocks: Callable[[], Iterator[Array]]) -> None:
        self.shape, self.ndim, self.blocks = shape, len(shape), blocks

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, *_: object, **__: object) -> Array:
        raise TypeError("rows of a source are read in blocks")


class StoredRows(InBlocks):
    """n rows of d columns, or n numbers if `d` is None, of a source; sanitised as they are read.

    With `once` a second pass is an error, and the first one takes no checksum.
    """

    def __init__(
        self, source: Source, n: int, d: int | None, progress: Progress | None = None, once: bool = False
    ) -> None:
        super().__init__((n,) if d is None else (n, d), self.read)
        self.source, self.progress, self.once = source, progress, once
        self.passes, self.checksum = 0, cast(int | None, None)
        self.names: object = False  # of the columns of the first chunk, None where it has none

    def read(self, times: int = 1) -> Iterator[Array]:
        """Yield the rows of one pass in blocks, `times` the size of those of rows in memory."""
        self.passes += 1
        assert self.passes == 1 or not self.once, "a second pass over rows that are read once"
        checksum = met = 0
        columns = self.shape[1:]
        for block in _resized(self._chunks(), times * rows_of_a_block(*columns or (1,)), columns):
            met += len(block)
            if not self.once:  # the bits of all entries, each times a number of its own place; modulo 2^64
                bits = np.ascontiguousarray(block).ravel().view(np.uint64)
                mixed = bits >> np.uint64(32)
                mixed ^= bits
                mixed *= _weights(bits.size)
                checksum = (_ODD * checksum + int(mixed.sum())) % 2**64
            if self.progress is not None:
                self.progress(len(block))
            yield sanitised(block)
        if met < len(self):
            raise ArgumentError("n", len(self), f"the number of rows of the source, which is {met}")
        if self.checksum not in (None, checksum):
            raise ChangedError("source: the rows changed between two passes; nothing is released")
        self.checksum = checksum

    def mapped(self, change: RowMap) -> InBlocks:
        return InBlocks(self.shape, lambda: map(change, self.blocks()))

    def paired(self) -> InBlocks:

        def pairs() -> Iterator[Array]:
            for block in self.read(times=2):
                whole = len(block) // 2 * 2
                if whole:
                    yield sanitised((block[0:whole:2] - block[1:whole:2]) / sqrt(2))

        return InBlocks((len(self) // 2, *self.shape[1:]), pairs)

    def _chunks(self) -> Iterator[Array]:
        met, d = 0, self.shape[1:]
        chunks = self.source()
        if not isinstance(chunks, Iterable):
            raise ArgumentError("source", type(chunks).__name__, "a function that returns chunks of rows")
        for chunk in chunks:
            rows, names = read(chunk)
            self.names = names if self.names is False else self.names
            if names != self.names:
                allowed = f"the columns of the first chunk, in their order: {self.names}"
                raise ArgumentError("source", f"chunk of columns {names}", allowed)
            if not d and rows.ndim == 2 and rows.shape[1] == 1:
                rows = rows[:, 0]
            if d == (1,) and rows.ndim == 1:
                rows = rows[:, None]
            if not rows.ndim or rows.shape[1:] != d:
                raise ArgumentError("source", f"chunk of shape {rows.shape}", f"rows of {prod(d)} columns")
            met += len(rows)
            if met > len(self):
                raise ArgumentError(
                    "n", len(self), f"the number of rows of the source, which is {met} or more"
                )
            yield rows


_ODD = 0x9E3779B97F4A7C15


@lru_cache(maxsize=8)
def _weights(count: int) -> NDArray[np.uint64]:
    drawn = np.random.default_rng(_ODD).integers(2**64, size=count, dtype=np.uint64)
    return drawn | np.uint64(1)  # odd: no change of one entry is lost


def _resized(chunks: Iterable[Array], size: int, shape: tuple[int, ...]) -> Iterator[Array]:
    """Yield the rows of chunks in blocks of `size`, the last one shorter; a block is valid until the next."""
    held, filled = np.empty((size, *shape)), 0
    for chunk in chunks:
        start = 0
        while start < len(chunk):
            taken = min(size - filled, len(chunk) - start)
            if taken == size:
                yield chunk[start : start + size]
            else:
                held[filled : filled + taken] = chunk[start : start + taken]
                filled += taken
            start += taken
            if filled == size:
                yield held
                filled = 0
    if filled:
        yield held[:filled]


def stream(
    estimator: Estimator[T],
    source: object,
    *,
    n: int,
    d: int = 1,
    budget: Budget,
    rng: object,
    progress: Progress | None = None,
) -> Release[T]:
    """Return the release of an estimator on rows that are read in blocks: bit for bit that of rows in memory.

    Memory does not grow with n; a column of Parquet takes about two megabytes, its pages. The rows are read
    once for each charge of the plan, and have to be the same every time.

    Parameters
    ----------
    estimator : Estimator
        One that says `in_passes`: it needs sums over rows alone.
    source : path or callable
        A file (`.npy`, row by row; `.parquet`, with pyarrow; else CSV with a header), or a function without
        arguments that returns the chunks of rows, from the first one on, for every pass.
    n, d : int
        Numbers of rows and of columns: public, and checked in every pass.
    budget, rng
        As in a call of the estimator.
    progress : callable, optional
        Is told of every block how many rows it has.

    Raises
    ------
    ArgumentError
        If the estimator needs all rows at once, or the source has another number of rows or columns, or
        chunks whose columns have other names, or the same in another order.
    ChangedError
        If the rows of two passes differ; nothing is released.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench import ZCDP, CoinPressMean
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(2000, 2))
    >>> budget, mean = ZCDP(0.5), CoinPressMean(radius=1000.0, sigma=1.0)
    >>> whole = mean(x, budget=budget, rng=np.random.default_rng(2)).value
    >>> halves = lambda: iter((x[:1000], x[1000:]))
    >>> parts = stream(mean, halves, n=2000, d=2, budget=budget, rng=np.random.default_rng(2)).value
    >>> bool((parts == whole).all())
    True
    """
    integer_at_least(1, n=n, d=d)
    name = type(estimator).__name__
    if not getattr(estimator, "in_passes", False):
        raise ArgumentError("estimator", name, "one that reads rows in blocks: this one needs them in memory")
    times = passes(estimator, n, d, budget)
    if hasattr(source, "__next__"):
        allowed = f"a function that returns one anew: rows are read {times} times"
        raise ArgumentError("source", type(source).__name__, allowed)
    one_column = d == 1 and isinstance(estimator, Univariate)
    rows = StoredRows(source_of(source), n, None if one_column else d, progress, once=times == 1)
    return released(estimator, cast(Array, rows), None, budget, rng, None)


def passes(estimator: Estimator[T], n: int, d: int, budget: Budget) -> int:
    return len(list(estimator.plan(n, d, budget).charges()))
