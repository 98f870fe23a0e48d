"""The store: finished blocks in a database, so that an interrupted sweep or search resumes.

A block is found by its shelf, point and number. The shelf is a digest of everything else that determines its
numbers (`Store.shelf`), so a stored block has the very bits that computing it again would give.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.errors import ArgumentError, integer_at_least
from workbench.study.sweeps.database import Database, checksum
from workbench.study.sweeps.fingerprint import SOFTWARE, home, require_unchanged
from workbench.study.sweeps.grids import Block, Sweep
from workbench.study.sweeps.schema import Cell, Point, table

PUT = "INSERT OR IGNORE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
GET = "SELECT point, block, columns, numbers, digest FROM cells WHERE sweep = ? AND block < ?"
ONE = "SELECT columns, numbers, digest, seconds FROM cells WHERE sweep = ? AND point = ? AND block = ?"
HELD = "SELECT point, block FROM cells WHERE sweep = ?"
TIMINGS = """
SELECT point, AVG(seconds) FROM cells WHERE name = ? AND trials = ?
GROUP BY point, sweep ORDER BY sweep = ?, MAX(rowid)
"""  # the last of a point counts: of this very sweep, or else of the latest one of its name


class Store(Database):
    """A database of blocks; see `Database` for its parameters and errors."""

    def shelf(self, name: str, block: Block, trials: int, *, seed: int) -> "Shelf":
        """Return the blocks of so many trials measured by the same code, versions and seed under a name.

        Raises
        ------
        ArgumentError
            If it is not certain what code runs: see `home`.
        """
        integer_at_least(0, seed=seed)
        require_unchanged()
        return Shelf(self, name, trials, *shelf_digest(name, block, trials, seed))

    def rows(self, sweep: Sweep, *, seed: int) -> "Rows":
        """Return the stored blocks of a sweep.

        A point is known by its content, and blocks by their number: a sweep with more points, or of a larger
        profile, finds what a smaller one stored.
        """
        return Rows(self.shelf(sweep.name, sweep.block, sweep.trials, seed=seed), sweep)


def shelf_digest(name: str, block: Block, trials: int, seed: int) -> tuple[str, str]:
    """Return the digest of what decides a block's numbers, and that of code that `SOFTWARE` leaves out."""
    *function, code = home(block)
    known = (name, int(trials), int(seed), *function, code, SOFTWARE)
    return hashlib.sha256(repr(known).encode()).hexdigest(), code


@dataclass(frozen=True)
class Shelf:
    """The stored blocks of one name, function, seed and number of trials, found by the digest of these."""

    store: Store
    name: str
    trials: int
    digest: str
    code: str  # what workers must have begun with, besides `SOFTWARE`, to have the same code

    def put(self, point: Point, cell: Cell) -> None:
        """Store a block; one that is there already has the same bits, and stays."""
        address = (self.digest, point_key(point), cell.block)
        content = _packed(cell.columns)
        known = (self.name, self.trials, cell.seconds)
        self.store.fetch(PUT, (*address, *content, checksum(*address, *content), *known))

    def get(self, point: Point, block: int) -> Cell | None:
        """Return a block, or None if it is not there."""
        key = point_key(point)
        found = self.store.fetch(ONE, (self.digest, key, block))
        return self.cell(0, key, block, *found[0]) if found else None

    def cell(
        self,
        position: int,
        key: str,
        block: int,
        columns: str,
        numbers: bytes,
        sum: bytes,
        seconds: float = 0,
    ) -> Cell:
        """Return what a row of the database holds, or raise if it is damaged."""
        if checksum(self.digest, key, block, columns, numbers) != sum:
            raise self.store.damaged(f"block {block} of {self.name!r} at {key} is damaged")
        try:
            return Cell(position, block, _unpacked(columns, numbers, self.trials), seconds)
        except (ValueError, TypeError):
            raise self.store.damaged(f"block {block} of {self.name!r} at {key} has other columns") from None


@dataclass(frozen=True)
class Rows:
    """The stored blocks of one sweep."""

    shelf: Shelf
    sweep: Sweep

    @property
    def code(self) -> str:
        """What workers must have begun with, besides `SOFTWARE`, to have the same code."""
        return self.shelf.code

    def missing(self, profile: str) -> list[tuple[int, int]]:
        """Return the blocks that are still to be computed."""
        held = set(self.shelf.store.fetch(HELD, [self.shelf.digest]))
        points = [point_key(point) for point in self.sweep.points]
        return [(i, k) for i, k in self.sweep.addresses(profile) if (points[i], k) not in held]

    def put(self, cell: Cell) -> None:
        """Store a block."""
        self.shelf.put(self.sweep.points[cell.position], cell)

    def table(self, profile: str) -> pd.DataFrame:
        """Return the table of a profile, with the bits that were put in.

        Raises
        ------
        ArgumentError
            If blocks are missing, or damaged.
        """
        if missing := self.missing(profile):
            raise ArgumentError(
                "profile", profile, f"one with all its blocks stored, not {len(missing)} missing"
            )
        positions = {point_key(point): i for i, point in enumerate(self.sweep.points)}
        rows = self.shelf.store.fetch(GET, (self.shelf.digest, self.sweep.blocks[profile]))
        cells = [self.shelf.cell(positions[row[0]], *row) for row in rows if row[0] in positions]
        return table(self.sweep.name, self.sweep.points, self.sweep.trials, cells)

    def seconds(self) -> dict[int, float]:
        """Return the core-seconds of a block at every point where they are known, if only of former code."""
        shelf = self.shelf
        known = dict(shelf.store.fetch(TIMINGS, (shelf.name, shelf.trials, shelf.digest)))
        keys = [point_key(point) for point in self.sweep.points]
        return {position: known[key] for position, key in enumerate(keys) if key in known}


def point_key(point: Point) -> str:
    """Return how a point is written in the database."""
    return json.dumps(dict(point), sort_keys=True)


def _packed(columns: dict[str, NDArray[Any]]) -> tuple[str, bytes]:
    kinds = json.dumps([[name, values.dtype.str] for name, values in columns.items()])
    return kinds, b"".join(values.tobytes() for values in columns.values())


def _unpacked(kinds: str, numbers: bytes, trials: int) -> dict[str, NDArray[Any]]:
    columns, start = {}, 0
    for name, kind in json.loads(kinds):
        found = np.frombuffer(numbers, kind, trials, start)
        columns[name] = found.astype(found.dtype.newbyteorder("="))
        start += found.nbytes
    return columns
