"""The store: finished blocks in a database, so that an interrupted sweep or search resumes.

A block is found by its shelf, point and number. The shelf is a digest of everything else that determines its
numbers (`Store.shelf`), so a stored block has the very bits that computing it again would give.
"""

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pandas as pd

from workbench.errors import ArgumentError, integer_at_least
from workbench.study.grids import SOFTWARE, Block, Cell, Point, Sweep, home, require_unchanged, table

# The SQLite database of finished blocks: opened, read, added to, and found intact or not.
#
# Each block is one commit. Several processes may add at a time; others may read meanwhile.


APPLICATION, VERSION = 0x64707762, 2  # marks a file as ours; raise the version when a table changes
PATIENCE = 60.0  # seconds to wait for another process's commit

TABLES = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS cells (
    sweep TEXT, point TEXT, block INTEGER,
    columns TEXT NOT NULL, numbers BLOB NOT NULL, digest BLOB NOT NULL,
    name TEXT NOT NULL, trials INTEGER NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (sweep, point, block)
);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
COMMIT;
"""

MARKS = ("PRAGMA application_id", "PRAGMA user_version", "SELECT COUNT(*) FROM sqlite_schema")
ALL = "SELECT sweep, point, block, columns, numbers, digest FROM cells"
PROOF = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)  # all other errors may pass: a full disk, a lock


class DamagedError(ArgumentError):
    """A store is proved not to hold what was put in."""


class Store:
    """A database of finished blocks; a context manager that closes it.

    Parameters
    ----------
    path : path
        The file; made if there is none. Beside it lie two more while it is in use, and after a crash.

    Raises
    ------
    ArgumentError
        If the file is not such a database, now or when it is read; a `DamagedError` where it is a broken one.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path).absolute()
        with self._readable():
            self._connection = _opened(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def fetch(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        with self._readable():
            return self._connection.execute(statement, tuple(values)).fetchall()

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in PROOF:
                raise self.damaged(str(error)) from None
            allowed = f"a database of sweeps that can be read and written ({error})"
            raise ArgumentError("store", str(self.path), allowed) from None

    def damaged(self, why: str) -> DamagedError:
        """Return the error that says what is wrong with what the file holds."""
        return DamagedError("store", str(self.path), f"an intact database of sweeps ({why})")

    def shelf(self, name: str, block: Block, trials: int, *, seed: int) -> "Shelf":
        """Return the blocks of so many trials measured by the same code, versions and seed under a name.

        Raises
        ------
        ArgumentError
            If it is not certain what code runs: see `home`.
        """
        integer_at_least(0, seed=seed)
        require_unchanged()
        *function, code = home(block)
        known = (name, int(trials), int(seed), *function, code, SOFTWARE)
        return Shelf(self, name, trials, hashlib.sha256(repr(known).encode()).hexdigest(), code)

    def rows(self, sweep: Sweep, *, seed: int) -> "Rows":
        """Return the stored blocks of a sweep.

        A point is known by its content, and blocks by their number: a sweep with more points, or of a larger
        profile, finds what a smaller one stored.
        """
        return Rows(sweep, self.shelf(sweep.name, sweep.block, sweep.trials, seed=seed))


def require_intact(store: Store) -> None:
    """Raise a `DamagedError` unless the database is sound and every block is what was put in.

    A block is checked whenever it is read; here all are, for whoever would rather begin again than fail in
    the middle.
    """
    if store.fetch("PRAGMA quick_check(1)", ()) != [("ok",)]:
        raise store.damaged("its pages are damaged")
    for *content, digest in store.fetch(ALL, ()):
        if checksum(*content) != digest:
            raise store.damaged("a block is damaged")


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")  # what a file brings along calls no functions
        if _empty(connection):
            connection.executescript(TABLES)
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may lose blocks, but breaks nothing
    except BaseException:
        connection.close()
        raise
    return connection


def _empty(connection: sqlite3.Connection) -> bool:
    connection.execute("BEGIN")  # one state, even if another process is just making the tables
    (application,), (version,), (objects,) = (connection.execute(mark).fetchone() for mark in MARKS)
    connection.execute("COMMIT")
    if (application, version) == (APPLICATION, VERSION):
        return False
    if (application, version, objects) == (0, 0, 0):
        return True
    raise sqlite3.DatabaseError("of another application or version")


def _write_ahead(connection: sqlite3.Connection) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def caches() -> Path:
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "workbench"
    except RuntimeError:
        raise ArgumentError("XDG_CACHE_HOME", None, "a folder: this user has no home") from None


def checksum(*parts: object) -> bytes:
    """Return the digest that tells whether a stored block is what was put in."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()


PUT = "INSERT OR IGNORE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
GET = "SELECT point, block, columns, numbers, digest FROM cells WHERE sweep = ? AND block < ?"
ONE = "SELECT columns, numbers, digest, seconds FROM cells WHERE sweep = ? AND point = ? AND block = ?"
HELD = "SELECT point, block FROM cells WHERE sweep = ?"


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
        kinds = json.dumps([[name, values.dtype.str] for name, values in cell.columns.items()])
        numbers = b"".join(values.tobytes() for values in cell.columns.values())
        content = self.digest, point_key(point), cell.block, kinds, numbers
        self.store.fetch(PUT, (*content, checksum(*content), self.name, self.trials, cell.seconds))

    def get(self, point: Point, block: int) -> Cell | None:
        key = point_key(point)
        found = self.store.fetch(ONE, (self.digest, key, block))
        return self.cell(0, key, block, *found[0]) if found else None

    def cell(
        self, position: int, key: str, block: int, kinds: str, numbers: bytes, sum: bytes, seconds: float = 0
    ) -> Cell:
        """Return what a row of the database holds, or raise if it is damaged."""
        if checksum(self.digest, key, block, kinds, numbers) != sum:
            raise self.store.damaged(f"block {block} of {self.name!r} at {key} is damaged")
        columns, start = {}, 0
        try:
            for name, kind in json.loads(kinds):
                found = np.frombuffer(numbers, kind, self.trials, start)
                columns[name] = found.astype(found.dtype.newbyteorder("="))
                start += found.nbytes
        except (ValueError, TypeError):
            raise self.store.damaged(f"block {block} of {self.name!r} at {key} has other columns") from None
        return Cell(position, block, columns, seconds)


@dataclass(frozen=True)
class Rows:
    """The finished blocks of one sweep: on a shelf of a store, or in memory where there is none."""

    sweep: Sweep
    shelf: Shelf | None = None
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)

    @property
    def code(self) -> str:
        """What workers must have begun with, besides `SOFTWARE`, to have the same code."""
        return self.shelf.code if self.shelf else ""

    def missing(self, profile: str) -> list[tuple[int, int]]:
        """Return the position of the point and the number of every block that is still to be computed."""
        wanted = self.sweep.addresses(profile)
        if not self.shelf:
            return [address for address in wanted if address not in self.cells]
        held = set(self.shelf.store.fetch(HELD, [self.shelf.digest]))
        points = [point_key(point) for point in self.sweep.points]
        return [(position, block) for position, block in wanted if (points[position], block) not in held]

    def put(self, cell: Cell) -> None:
        if self.shelf:
            self.shelf.put(self.sweep.points[cell.position], cell)
        else:
            self.cells[cell.position, cell.block] = cell

    def table(self, profile: str) -> pd.DataFrame:
        """Return the table of a profile, with the bits that were put in.

        Raises
        ------
        ArgumentError
            If blocks are missing, or damaged.
        """
        if missing := self.missing(profile):
            allowed = f"one with all its blocks stored, not {len(missing)} missing"
            raise ArgumentError("profile", profile, allowed)
        cells: Iterable[Cell] = self.cells.values()
        if self.shelf:
            positions = {point_key(point): i for i, point in enumerate(self.sweep.points)}
            rows = self.shelf.store.fetch(GET, (self.shelf.digest, self.sweep.blocks[profile]))
            cells = [self.shelf.cell(positions[row[0]], *row) for row in rows if row[0] in positions]
        return table(self.sweep.name, self.sweep.points, self.sweep.trials, cells)


def point_key(point: Point) -> str:
    return json.dumps(dict(point), sort_keys=True)
