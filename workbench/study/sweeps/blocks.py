"""Where the finished blocks of one sweep under one seed are: here in memory, in `store` in a database."""

from dataclasses import dataclass, field
from typing import Protocol

import pandas as pd

from workbench.study.sweeps.grids import Sweep
from workbench.study.sweeps.schema import Cell, table


class Blocks(Protocol):
    """The finished blocks of one sweep under one seed."""

    @property
    def code(self) -> str:
        """What workers must have begun with to have the same code."""

    def missing(self, profile: str) -> list[tuple[int, int]]:
        """Return the position of the point and the number of every block that is still to be computed."""

    def put(self, cell: Cell) -> None:
        """Keep a block."""

    def table(self, profile: str) -> pd.DataFrame:
        """Return the table of a profile with no block missing."""

    def seconds(self) -> dict[int, float]:
        """Return the core-seconds of a block at every point where they are known."""


@dataclass
class Kept:
    """Blocks in memory, as long as a sweep runs."""

    sweep: Sweep
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    code: str = ""

    def missing(self, profile: str) -> list[tuple[int, int]]:
        """Return the blocks that are still to be computed."""
        return [address for address in self.sweep.addresses(profile) if address not in self.cells]

    def put(self, cell: Cell) -> None:
        """Keep a block."""
        self.cells[cell.position, cell.block] = cell

    def table(self, profile: str) -> pd.DataFrame:
        """Return the table of a profile."""
        wanted = (self.cells[address] for address in self.sweep.addresses(profile))
        return table(self.sweep.name, self.sweep.points, self.sweep.trials, wanted)

    def seconds(self) -> dict[int, float]:
        """Return the core-seconds of a block at every point where they are known."""
        return {position: cell.seconds for (position, _), cell in self.cells.items()}
