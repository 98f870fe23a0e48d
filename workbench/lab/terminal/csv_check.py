"""A check of a CSV file for its owner: which cells hold no number, by line and column, never what they hold.

It is not private, and an estimate says nothing of the kind: which rows can be read is a fact about them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.estimators.base import LARGEST
from workbench.estimators.parts.stored.cells import MARKS, Cells
from workbench.estimators.parts.stored.csv_file import CsvFile

SHOWN = 20
FIRST = 2  # the line of the first row
LONG = "Lines with more cells than the header has names, which are unreadable"


def check(table: CsvFile, columns: Sequence[str]) -> tuple[str, bool]:
    """Describe how columns are read, and tell whether every cell is a number or marked as missing."""
    names = table.chosen(columns)
    cells = table.cells(names)
    faults = list(unreadable(table, cells))
    lines = [
        f"{table.file}: {len(table.lines)} rows, {table}",
        *(f"column {name}: {_counts(table, cells, place)}" for place, name in enumerate(names)),
        *(f"  line {line}, column {name}: no number" for line, name in faults[:SHOWN]),
        *([f"  and {len(faults) - SHOWN} more"] if len(faults) > SHOWN else []),
        *_advice(table, cells, len(faults)),
        "This check is not private: it is for the owner of the file.",
    ]
    return "\n".join(lines), not faults


def unreadable(table: CsvFile, cells: Cells) -> Iterator[tuple[int, str]]:
    """Yield the line and the column of every cell that is neither a number nor marked as missing."""
    names = [table.names[place] for place in cells.places]
    for number, line in enumerate(table.lines, start=FIRST):
        long = len(cells.split(line)) > cells.width
        for name, cell in zip(names, cells.wanted(line), strict=True):
            if long or not (_usable(cells, cell) or cell.strip().lower() in MARKS):
                yield number, name


def _usable(cells: Cells, cell: str) -> bool:
    number = cells.number(cell)
    return number is not None and abs(number) <= LARGEST


def _counts(table: CsvFile, cells: Cells, place: int) -> str:
    """Count the numbers of a column, the cells that are marked as missing, and the others."""
    one = replace(cells, places=[cells.places[place]])
    rows, faults = len(table.lines), sum(1 for _ in unreadable(table, one))
    numbers = sum(_usable(one, *one.wanted(line)) for line in table.lines)
    return f"{numbers} numbers, {rows - numbers - faults} missing, {faults} unreadable"


def _advice(table: CsvFile, cells: Cells, faults: int) -> list[str]:
    """Count the lines with too many cells; name the decimal mark with which fewer cells are unreadable."""
    other = _with_the_other_mark(table, cells)
    left = sum(1 for _ in unreadable(table, other)) if faults else 0
    long = sum(len(cells.split(line)) > cells.width for line in table.lines)
    return [
        *([f"{LONG}: {long}."] if long else []),
        *([f"With --decimal {other.decimals} it is {left} unreadable."] if left < faults else []),
    ]


def _with_the_other_mark(table: CsvFile, cells: Cells) -> Cells:
    """Read as --decimal with the other mark would; a comma there separates no columns."""
    if cells.decimals == ",":
        return replace(cells, decimals=".")
    alone = len(table.names) == 1 and cells.separator == ","
    return replace(cells, decimals=",", separator=";" if alone else cells.separator)
