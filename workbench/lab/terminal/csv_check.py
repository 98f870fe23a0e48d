"""A check of a CSV file for its owner: which cells hold no number, by line and column, never what they hold.

It is not private, and an estimate says nothing of the kind: which rows can be read is a fact about them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from workbench.estimators.base import LARGEST
from workbench.estimators.files import MARKS, Cells, CsvFile

SHOWN = 20
FIRST = 2  # the line of the first row
LONG = "Lines with more cells than the header has names, which are unreadable"
_SPACES = re.compile("\xc2?\xa0|\xe2\x80[\x89\xaf]")  # no-break and thin, as lines are decoded
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}([,.'_ ])[0-9]{3}(?P<more>(\1[0-9]{3})*+((?!\1)[.,][0-9]*+)?)")


@dataclass
class Column:
    """What the cells of a column are, and which marks stand between thousands or before a fraction."""

    name: str
    numbers: int = 0
    missing: int = 0
    unreadable: int = 0
    grouped: dict[str, list[tuple[bool, bool]]] = field(default_factory=dict)  # is it one here, or there?
    sure: set[str] = field(default_factory=set)  # no decimal marks: two in a number, or another one behind
    fractions: set[str] = field(default_factory=set)

    def add(self, cell: str, here: bool, there: bool) -> None:
        """Look at the marks in a cell, which is a number as the file is read, or with the other mark."""
        text = _SPACES.sub(" ", cell.strip())
        if found := _THOUSANDS.fullmatch(text):
            self.grouped.setdefault(found[1], []).append((here, there))
            self.sure |= {found[1]} if found["more"] else set()
            text = found["more"].replace(found[1], "")
        if here or there or found:
            self.fractions |= {",", "."} & set(text)

    @property
    def thousands(self) -> dict[str, list[tuple[bool, bool]]]:
        """The cells with a mark that stands between thousands alone, if one of them is unreadable."""
        return {
            mark: cells
            for mark, cells in self.grouped.items()
            if mark not in self.fractions and not all(here for here, _ in cells)
        }


def check(table: CsvFile, columns: Sequence[str]) -> tuple[str, bool]:
    """Describe how columns are read; tell whether each has a number, and no cell that is unreadable."""
    cells = table.cells(table.chosen(columns))
    other = _with_the_other_mark(table, cells)
    found = [Column(table.names[place]) for place in cells.places]
    faults, long, left = [], 0, 0
    for number, line in enumerate(table.lines, start=FIRST):
        long += (too_long := _too_long(cells, line))
        wide = _too_long(other, line)
        for column, cell, also in zip(found, cells.wanted(line), other.wanted(line), strict=True):
            here, there = _usable(cells, cell), _usable(other, also)
            marked = not too_long and cell.strip().lower() in MARKS
            column.numbers, column.missing = column.numbers + here, column.missing + marked
            left += wide or not (there or also.strip().lower() in MARKS)
            column.add(also, here, there)
            if not here and not marked:
                column.unreadable += 1
                faults.append((number, column))
    left += sum(there for one in found for _, there in one.thousands.get(other.decimals, ()))
    shown = [(line, one.name) for line, one in faults if one.numbers]
    lines = [
        f"{table.file}: {len(table.lines)} rows, {table}",
        *(line for column in found for line in _described(column, other.decimals)),
        *(f"  line {line}, column {name}: no number" for line, name in shown[:SHOWN]),
        *([f"  and {len(shown) - SHOWN} more"] if len(shown) > SHOWN else []),
        *([f"{LONG}: {long}."] if long else []),
        *([f"With --decimal {other.decimals} it is {left} unreadable."] if left < len(faults) else []),
        "This check is not private: it is for the owner of the file.",
    ]
    return "\n".join(lines), not faults and all(one.numbers for one in found)


def _too_long(cells: Cells, line: str) -> bool:
    return len(cells.split(line)) > cells.width


def _usable(cells: Cells, cell: str) -> bool:
    number = cells.number(cell)
    return number is not None and abs(number) <= LARGEST


def _described(column: Column, decimal: str) -> Iterator[str]:
    """Count the cells of a column; name what stands between thousands."""
    counts = f"{column.missing} missing, {column.unreadable} unreadable"
    none = "no cell is a number:"
    yield f"column {column.name}: {f'{column.numbers} numbers,' if column.numbers else none} {counts}"
    for mark, cells in column.thousands.items():
        wrong = sum(here for here, _ in cells)
        read = f" ({wrong} of them are read as if it were the decimal mark)" if wrong else ""
        maybe = mark == decimal and mark not in column.sure
        unless = f"; if it is the decimal mark, --decimal {mark} reads it" if maybe else ""
        yield f"  {len(cells)} cells have {mark!r} between thousands{read}: write them without it{unless}"


def _with_the_other_mark(table: CsvFile, cells: Cells) -> Cells:
    """Read as --decimal with the other mark would; a comma there separates no columns."""
    if cells.decimals == ",":
        return replace(cells, decimals=".")
    alone = len(table.names) == 1 and cells.separator == ","
    return replace(cells, decimals=",", separator=";" if alone else cells.separator)
