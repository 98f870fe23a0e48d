"""What a line of a CSV file says: a fixed map from one line to its numbers, which never raises.

A number has digits, at most one decimal mark and one exponent (`-1.5e3`), blanks or quotes round it or not.
Every other cell counts as missing: an empty one, a word, a date, `1,000`, `0x10`, `inf`. So does a cell that
a short line lacks, and every cell of a line with more cells than the header has names.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

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
