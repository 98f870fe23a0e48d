"""Estimates from rows that need not fit into memory: files, and chunks that are read anew for every pass.

A block has as many rows as one of rows in memory, whatever chunks a source hands out, so that every result is
the same to the last bit. Every pass counts the rows and, where there are several, takes a checksum: a source
whose rows change between passes makes no release. A file is read into one buffer, not mapped: mapped pages
would count as memory.

Of a CSV file a row is a line. A file is its header and n lines, each with its line end (LF or CRLF), the last
one too: n is the number of line ends less one, whatever the lines hold. A blank line is a row, and a line
break inside quotes ends a row. Where the last line lacks its end, a blank last row could not be told from
none, so that such a file is refused. The flags of a call, or else the header alone, tell the separator, the
decimal mark and the encoding: no row decides how another is read. The header is public; one that looks like a
row is refused unseen. Of a Parquet file the names and the types of its columns and the number of its rows are
public.

What a line says is a fixed map from one line to its numbers, which never raises. A number has digits, at most
one decimal mark and one exponent (`-1.5e3`), blanks or quotes round it or not. Every other cell counts as
missing: an empty one, a word, a date, `1,000`, `0x10`, `inf`. So does a cell that a short line lacks, and
every cell of a line with more cells than the header has names.
"""

import bz2
import codecs
import csv
import gzip
import lzma
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from io import BytesIO
from itertools import islice
from math import prod, sqrt
from os.path import isfile
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError, integer_at_least
from workbench.estimators.base import LARGEST, WIDEST, Estimator, Rows, Univariate, released, sanitised
from workbench.estimators.reading import numeric_type, read
from workbench.estimators.release import Release
from workbench.estimators.shared.rows import rows_of_a_block
from workbench.privacy import Budget
from workbench.types import Array

Source = Callable[[], Iterable[object]]
"""What returns the rows from the first one on, in chunks of any size, as often as it is called."""

Progress = Callable[[int], None]
"""What is told of every block how many rows it has."""


MISSING = float("nan")
MARKS = frozenset(
    {"", "na", "n/a", "#n/a", "nan", "null", "none", "-", ".", "?"}
)  # how a cell says that it is
_NUMBER = re.compile(r"[+-]?([0-9]++([.,][0-9]*+)?|[.,][0-9]++)([eE][+-]?[0-9]++)?")  # no step back


@dataclass(frozen=True)
class Cells:
    """The places of the wanted cells among `width`, the separator, and the allowed decimal marks."""

    separator: str
    decimals: str
    width: int
    places: Sequence[int]

    def numbers(self, line: str) -> list[float]:
        """Read the wanted cells of a line."""
        return [MISSING if found is None else found for found in map(self.number, self.wanted(line))]

    def wanted(self, line: str) -> list[str]:
        """Return the wanted cells of a line, empty where it has none and where it has too many."""
        cells = self.split(line)
        if len(cells) > self.width:
            return [""] * len(self.places)
        return [cells[place] if place < len(cells) else "" for place in self.places]

    def split(self, line: str) -> list[str]:
        """Split a line at its separators outside of quotes; a quote that is left open ends with the line."""
        line = line.rstrip("\r")
        if '"' not in line:
            return self._trimmed(line.split(self.separator))
        try:
            return self._trimmed(next(csv.reader([line], delimiter=self.separator, skipinitialspace=True)))
        except csv.Error:  # a carriage return in it, or a cell of more than 128 kB
            return []

    def _trimmed(self, cells: list[str]) -> list[str]:
        """Cut the cells beyond the width where all of them are blank."""
        return cells if self.width == 0 or any(map(str.strip, cells[self.width :])) else cells[: self.width]

    def number(self, cell: str) -> float | None:
        """Read a number; None for everything else."""
        text = cell.strip()
        foreign = ("," in text and "," not in self.decimals) or ("." in text and "." not in self.decimals)
        return None if foreign or not _NUMBER.fullmatch(text) else float(text.replace(",", "."))


STDIN = "-"
LONGEST = 2**20  # bytes of a header
SEPARATORS = {",": "','", ";": "';'", "\t": "tab", "|": "'|'"}
_IN_NUMBERS = "0123456789+-.eE"
_OPENERS: Any = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_HEADER = "a CSV file with a header in its first line"


@dataclass(frozen=True)
class Writing:
    """How a file is written; what is None is found in its header.

    Where semicolons separate columns, a number may have a comma or a point; elsewhere a point.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        _require_encoding(self.encoding)
        mark = self.separator
        if mark is not None and not (
            len(mark) == 1 and mark.isascii() and mark not in '"\r\n ' + _IN_NUMBERS
        ):
            raise ArgumentError("separator", mark, "one character that is in no number, or the word tab")
        if self.decimal not in (None, ".", ","):
            raise ArgumentError("decimal", self.decimal, "one of . ,")

    def found(self, header: str) -> tuple[str, str]:
        """Find the separator and the decimal marks; a header of one column has any separator."""
        separator = self.separator or _separator(header) or (";" if self.decimal == "," else ",")
        return separator, self.decimal or (".," if separator == ";" else ".")


@dataclass(frozen=True)
class CsvFile:
    """A header, which is public, and the lines below it, of which only the number is."""

    file: Path
    separator: str
    decimals: str
    names: tuple[str, ...]
    lines: "Lines" = field(repr=False)

    def __str__(self) -> str:
        between = SEPARATORS.get(self.separator, repr(self.separator))
        return f"separator {between}, decimal mark {' or '.join(map(repr, self.decimals))}"

    def chosen(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Choose columns by name, all of them by default; raise with what the header has."""
        for name in columns:
            if name not in self.names:
                known = f"one of {', '.join(self.names)} (the header, with {self})"
                raise ArgumentError("column", name, known)
        if not columns and "" in self.names:
            raise ArgumentError("column", None, "--column with names: a column of the header has none")
        _require_distinct(columns, "names that differ")
        return tuple(columns) or self.names

    def cells(self, columns: Sequence[str]) -> Cells:
        """Return the map from a line to the cells of these columns."""
        places = [self.names.index(name) for name in columns]
        return Cells(self.separator, self.decimals, len(self.names), places)


@dataclass(frozen=True)
class Lines:
    """The lines below the header: their number, and they themselves as often as asked, never all at once."""

    opened: Callable[[], IO[bytes]]
    number: int

    def __len__(self) -> int:
        return self.number

    def __iter__(self) -> Iterator[str]:
        with self.opened() as stream:
            stream.readline()
            for line in stream:
                yield line.decode("latin-1").removesuffix("\n")  # numbers are ASCII: rows need no encoding


def open_csv(file: Path, writing: Writing) -> CsvFile:
    """Read a file, or standard input for `-`; what raises is a fact about the file or its header."""
    head, number, ended, opened = _looked_through(file)
    if not head.strip() or len(head) == LONGEST:
        raise ArgumentError("file", str(file), _HEADER)
    header = _decoded(head.removesuffix(b"\n"), writing.encoding).removesuffix("\r")
    if "\r" in header or not ended:
        raise ArgumentError("file", str(file), "a line end (LF or CRLF) after every line, the last one too")
    separator, decimals = writing.found(header)
    names = _names(file, Cells(separator, ".,", 0, ()), header)
    if not number:
        raise ArgumentError("file", str(file), "a CSV file with at least one row below its header")
    return CsvFile(file, separator, decimals, names, Lines(opened, number))


def _looked_through(file: Path) -> tuple[bytes, int, bool, Callable[[], IO[bytes]]]:
    """Return the header, the number of lines below it, whether the last one has its end, and how to read."""
    opened = _opener(file)
    try:
        with opened() as stream:
            head = last = stream.readline(LONGEST)
            number = 0
            while part := stream.read(2**20):
                number, last = number + part.count(b"\n"), part
        return head.removeprefix(codecs.BOM_UTF8), number, last.endswith(b"\n"), opened
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        raise ArgumentError("file", str(file), "a CSV file that can be read, or -") from None


def _opener(file: Path) -> Callable[[], IO[bytes]]:
    """Return what opens the file from its start; standard input is kept, other pipes would end in a pass."""
    if str(file) == STDIN:
        content = sys.stdin.buffer.read() if sys.stdin else b""
        return lambda: BytesIO(content)
    if not isfile(file):
        raise ArgumentError("file", str(file), "a file that exists, or - for standard input")
    return partial(_OPENERS.get(file.suffix.lower(), open), file, "rb")


def _require_encoding(name: str) -> None:
    try:
        ascii_too = "0,\n".encode(name).endswith(b"0,\n")
    except (LookupError, ValueError):
        ascii_too = False
    if not ascii_too:
        known = "a text encoding that has ASCII, such as utf-8, latin-1, cp1252 (convert others, as utf-16)"
        raise ArgumentError("encoding", name, known)


def _decoded(head: bytes, encoding: str) -> str:
    try:
        header = head.decode(encoding)
    except UnicodeError:
        header = "\0"
    if "\0" in header:
        known = "the encoding of the header: see --encoding (often cp1252 or latin-1)"
        raise ArgumentError("encoding", encoding, known)
    return header


def _separator(header: str) -> str | None:
    """Find the separator of a header outside of its quotes."""
    bare = re.sub(r'"[^"]*"', "", header)
    found = [mark for mark in SEPARATORS if mark in bare]
    if len(found) > 1:
        several = " and ".join(SEPARATORS[mark] for mark in found)
        raise ArgumentError("separator", None, f"--separator MARK, as the header has {several}")
    return found[0] if found else None


def _names(file: Path, cells: Cells, header: str) -> tuple[str, ...]:
    """Read the names of a header; refuse one that may be a row, without a word of it."""
    if _left_open(header, cells.separator):
        raise ArgumentError("file", str(file), "a header that is one line: a quote in it is left open")
    names = tuple(name.strip() for name in cells.split(header))
    if any(cells.number(name) is not None or (name and name.lower() in MARKS) for name in names):
        raise ArgumentError("file", str(file), f"{_HEADER}: this one has a number or a missing entry there")
    if not any(names):
        raise ArgumentError("file", str(file), _HEADER)
    _require_distinct(list(filter(None, names)), "a header whose names differ")
    return names


def _left_open(header: str, separator: str) -> bool:
    """Tell whether a quote of the header would go on in a row below."""
    try:
        return len(list(csv.reader([header, ""], delimiter=separator, skipinitialspace=True))) == 1
    except csv.Error:  # a name of more than 128 kB
        return False


def _require_distinct(names: Sequence[str], allowed: str) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ArgumentError("column", name, f"{allowed}: this one is there twice")


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


_HALF = np.uint64(32)
_ODD = 0x9E3779B97F4A7C15


class ChangedError(RuntimeError):
    """The rows of a source differ between two passes: there is no release."""


@dataclass
class StoredRows:
    """n rows of d columns, or n numbers if `d` is None, of a source; sanitised as they are read.

    With `once` a second pass is an error, and the first one takes no checksum.
    """

    source: Source
    n: int
    d: int | None
    progress: Progress | None = None
    once: bool = False
    passes: int = 0
    checksum: int | None = None
    names: object = False  # of the columns of the first chunk, None where it has none

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of all rows."""
        return (self.n,) if self.d is None else (self.n, self.d)

    @property
    def ndim(self) -> int:
        """Number of axes: 1 for numbers, 2 for rows."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.n

    def __array__(self, *_: object, **__: object) -> Array:
        raise TypeError("rows of a source are read in blocks")

    def blocks(self, times: int = 1) -> Iterator[Array]:
        """Yield the rows of one pass in blocks, `times` the size of those of rows in memory."""
        size = times * rows_of_a_block(self.d or 1)
        self.passes += 1
        assert self.passes == 1 or not self.once, "a second pass over rows that are read once"
        checksum, met = 0, 0
        for block in resized(self._chunks(), size, self.shape[1:]):
            checksum, met = self._checked(checksum, block), met + len(block)
            if self.progress is not None:
                self.progress(len(block))
            yield sanitised(block)
        self._close(met, checksum)

    def mapped(self, change: Callable[[Array], Array]) -> "StoredMap":
        """Return the rows, changed one by one."""
        return StoredMap(self, change)

    def paired(self) -> "StoredPairs":
        """Return the pairs of consecutive rows, as `shared.rows.paired`."""
        return StoredPairs(self)

    def _chunks(self) -> Iterator[Array]:
        met = 0
        chunks = self.source()
        if not isinstance(chunks, Iterable):
            raise ArgumentError("source", type(chunks).__name__, "a function that returns chunks of rows")
        for chunk in chunks:
            rows, names = read(chunk)
            if self.names is False:
                self.names = names
            if names != self.names:
                allowed = f"the columns of the first chunk, in their order: {self.names}"
                raise ArgumentError("source", f"chunk of columns {names}", allowed)
            rows = self._shaped(rows)
            met += len(rows)
            if met > self.n:
                raise ArgumentError("n", self.n, f"the number of rows of the source, which is {met} or more")
            yield rows

    def _shaped(self, rows: Array) -> Array:
        if self.d is None and rows.ndim == 2 and rows.shape[1] == 1:
            rows = rows[:, 0]
        if self.d == 1 and rows.ndim == 1:
            rows = rows[:, None]
        if not rows.ndim or rows.shape[1:] != self.shape[1:]:
            raise ArgumentError("source", f"chunk of shape {rows.shape}", f"rows of {self.d or 1} columns")
        return rows

    def _checked(self, checksum: int, block: Array) -> int:
        return 0 if self.once else (_ODD * checksum + _bits(block)) % 2**64

    def _close(self, met: int, checksum: int) -> None:
        if met < self.n:
            raise ArgumentError("n", self.n, f"the number of rows of the source, which is {met}")
        if self.checksum not in (None, checksum):
            raise ChangedError("source: the rows changed between two passes; nothing is released")
        self.checksum = checksum


@dataclass
class StoredMap:
    """Stored rows, each changed by a map of its own."""

    rows: StoredRows
    change: Callable[[Array], Array]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of all rows."""
        return self.rows.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.rows.ndim

    def __len__(self) -> int:
        return self.rows.n

    def __array__(self, *_: object, **__: object) -> Array:
        raise TypeError("rows of a source are read in blocks")

    def blocks(self) -> Iterator[Array]:
        """Yield the changed rows of one pass."""
        return map(self.change, self.rows.blocks())


@dataclass
class StoredPairs:
    """The ⌊n/2⌋ rows (x_{2i-1} - x_{2i})/√2 of stored rows, in blocks of the size of rows in memory."""

    rows: StoredRows

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of all pairs."""
        return (self.rows.n // 2, *self.rows.shape[1:])

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.rows.ndim

    def __len__(self) -> int:
        return self.rows.n // 2

    def __array__(self, *_: object, **__: object) -> Array:
        raise TypeError("rows of a source are read in blocks")

    def blocks(self) -> Iterator[Array]:
        """Yield the pairs of one pass."""
        for block in self.rows.blocks(times=2):
            whole = len(block) // 2 * 2
            if whole:
                yield sanitised((block[0:whole:2] - block[1:whole:2]) / sqrt(2))


def _bits(block: Array) -> int:
    """Return a sum of the bits of all entries, each times a number of its own place; modulo 2^64."""
    bits = np.ascontiguousarray(block).ravel().view(np.uint64)
    mixed = bits >> _HALF
    mixed ^= bits
    mixed *= _weights(bits.size)
    return int(mixed.sum())


@lru_cache(maxsize=8)
def _weights(count: int) -> NDArray[np.uint64]:
    drawn = np.random.default_rng(_ODD).integers(2**64, size=count, dtype=np.uint64)
    return drawn | np.uint64(1)  # odd: no change of one entry is lost


def resized(chunks: Iterable[Array], size: int, shape: tuple[int, ...]) -> Iterator[Array]:
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


T = TypeVar("T")


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
    return released(estimator, Rows(cast(Array, rows), None), budget, rng, None, d)


def passes(estimator: Estimator[T], n: int, d: int, budget: Budget) -> int:
    """Return how often rows are read at most: once for each charge."""
    return len(list(estimator.plan(n, d, budget).charges()))
