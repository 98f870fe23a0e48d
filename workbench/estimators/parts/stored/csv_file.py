"""What is public of a CSV file: how it is written, the names in its header, the number of its lines.

A row is a line. A file is its header and n lines, each with its line end (LF or CRLF), the last one too: n is
the number of line ends less one, whatever the lines hold. A blank line is a row, and a line break inside
quotes ends a row. Where the last line lacks its end, a blank last row could not be told from none, so that
such a file is refused.

The flags of a call, or else the header alone, tell the separator, the decimal mark and the encoding: no row
decides how another is read. The header is public; one that looks like a row is refused unseen.
"""

import bz2
import codecs
import csv
import gzip
import lzma
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from os.path import isfile
from pathlib import Path
from typing import IO, Any

from workbench.errors import ArgumentError
from workbench.estimators.parts.stored.cells import MARKS, Cells

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
