"""The store: the blocks of sweeps in an SQLite database, so that an interrupted sweep resumes.

A block is found by its sweep, point and number. "Its sweep" is a digest of everything else that determines
its numbers (`Store.rows`), so a stored block has the very bits that computing it again would give. Each block
is one commit of the driver, the only writer; others may read meanwhile.
"""

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.errors import ArgumentError, integer_at_least
from workbench.study.sweeps.fingerprint import SOFTWARE, home, require_unchanged
from workbench.study.sweeps.grids import Sweep
from workbench.study.sweeps.schema import Cell, Point, table

APPLICATION, VERSION = 0x64707762, 1  # marks a file as ours; raise the version when a table changes
PATIENCE = 60.0  # seconds to wait for another process's commit

TABLES = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS cells (
    sweep TEXT, point TEXT, block INTEGER,
    columns TEXT NOT NULL, numbers BLOB NOT NULL, digest BLOB NOT NULL,
    name TEXT NOT NULL, trials INTEGER NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (sweep, point, block)
);
CREATE INDEX IF NOT EXISTS timings ON cells (name, trials, point, sweep, seconds);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
COMMIT;
"""

MARKS = ("PRAGMA application_id", "PRAGMA user_version", "SELECT COUNT(*) FROM sqlite_schema")
PUT = "INSERT OR IGNORE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
GET = "SELECT point, block, columns, numbers, digest FROM cells WHERE sweep = ? AND block < ?"
HELD = "SELECT point, block FROM cells WHERE sweep = ?"
ALL = "SELECT sweep, point, block, columns, numbers, digest FROM cells"
COST = "SELECT COUNT(*), TOTAL(seconds) FROM cells"
TIMINGS = """
SELECT point, AVG(seconds) FROM cells WHERE name = ? AND trials = ?
GROUP BY point, sweep ORDER BY sweep = ?, MAX(rowid)
"""  # the last of a point counts: of this very sweep, or else of the latest one of its name


class Store:
    """A database of blocks; a context manager that closes it.

    Parameters
    ----------
    path : path
        The file; made if there is none. Beside it lie two more while it is in use, and after a crash.

    Raises
    ------
    ArgumentError
        If the file is not such a database, now or when it is read.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path).absolute()
        with self._readable():
            self._connection = _opened(self.path)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def rows(self, sweep: Sweep, *, seed: int) -> "Rows":
        """Return the stored blocks of a sweep: those measured by the same code, versions, trials and seed.

        A point is known by its content, and blocks by their number: a sweep with more points, or of a larger
        profile, finds what a smaller one stored.

        Raises
        ------
        ArgumentError
            If it is not certain what code runs: see `home`.
        """
        integer_at_least(0, seed=seed)
        require_unchanged()
        *function, code = home(sweep.block)
        known = (sweep.name, int(sweep.trials), int(seed), *function, code, SOFTWARE)
        return Rows(self, sweep, hashlib.sha256(repr(known).encode()).hexdigest(), code)

    def fetch(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """Execute one statement, commit it, and return its rows."""
        with self._readable():
            return self._connection.execute(statement, tuple(values)).fetchall()

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise self.unreadable(str(error)) from None

    def unreadable(self, why: str) -> ArgumentError:
        """Return the error that says what is wrong with the file."""
        return ArgumentError("store", str(self.path), f"an intact database of sweeps ({why})")


@dataclass(frozen=True)
class Rows:
    """The stored blocks of one sweep, found by the digest of what their numbers depend on."""

    store: Store
    sweep: Sweep
    digest: str
    code: str  # what workers must have begun with, besides `SOFTWARE`, to have the same code

    def missing(self, profile: str) -> list[tuple[int, int]]:
        """Return the blocks that are still to be computed."""
        held = set(self.store.fetch(HELD, [self.digest]))
        points = [_key(point) for point in self.sweep.points]
        return [(i, k) for i, k in self.sweep.addresses(profile) if (points[i], k) not in held]

    def put(self, cell: Cell) -> None:
        """Store a block; one that is there already has the same bits, and stays."""
        address = (self.digest, _key(self.sweep.points[cell.position]), cell.block)
        content = _packed(cell.columns)
        known = (self.sweep.name, self.sweep.trials, cell.seconds)
        self.store.fetch(PUT, (*address, *content, checksum(*address, *content), *known))

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
        positions = {_key(point): i for i, point in enumerate(self.sweep.points)}
        rows = self.store.fetch(GET, (self.digest, self.sweep.blocks[profile]))
        cells = [self._cell(positions[row[0]], *row) for row in rows if row[0] in positions]
        return table(self.sweep.name, self.sweep.points, self.sweep.trials, cells)

    def _cell(self, position: int, point: str, block: int, columns: str, numbers: bytes, sum: bytes) -> Cell:
        if checksum(self.digest, point, block, columns, numbers) != sum:
            raise self.store.unreadable(f"block {block} of {self.sweep.name!r} at {point} is damaged")
        return Cell(position, block, _unpacked(columns, numbers, self.sweep.trials))

    def seconds(self) -> dict[int, float]:
        """Return the core-seconds of a block at every point where they are known, if only of former code."""
        known = dict(self.store.fetch(TIMINGS, (self.sweep.name, self.sweep.trials, self.digest)))
        keys = [_key(point) for point in self.sweep.points]
        return {position: known[key] for position, key in enumerate(keys) if key in known}


def require_intact(store: Store) -> None:
    """Raise an `ArgumentError` unless the database is sound and every block is what was put in.

    A block is checked whenever it is read; here all are, for whoever would rather begin again than fail in
    the middle.
    """
    if store.fetch("PRAGMA quick_check(1)", ()) != [("ok",)]:
        raise store.unreadable("its pages are damaged")
    for *content, digest in store.fetch(ALL, ()):
        if checksum(*content) != digest:
            raise store.unreadable("a block is damaged")


def spent(store: Store) -> tuple[int, float]:
    """Return how many blocks there are and what they have cost, in core-seconds."""
    ((count, seconds),) = store.fetch(COST, ())
    return int(count), float(seconds)


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    try:
        if _empty(connection):
            connection.executescript(TABLES)
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may lose blocks, but breaks nothing
    except BaseException:
        connection.close()
        raise
    return connection


def _empty(connection: sqlite3.Connection) -> bool:
    """Return whether the database has nothing in it yet, or raise if it is another's."""
    connection.execute("BEGIN")  # one state, even if another process is just making the tables
    (application,), (version,), (objects,) = (connection.execute(mark).fetchone() for mark in MARKS)
    connection.execute("COMMIT")
    if (application, version) == (APPLICATION, VERSION):
        return False
    if (application, version, objects) == (0, 0, 0):
        return True
    raise sqlite3.DatabaseError("of another application or version")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Let readers read while a block is written; SQLite does not wait by itself for a moment to switch."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _key(point: Point) -> str:
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


def checksum(*parts: object) -> bytes:
    """Return the digest that tells whether a stored block is what was put in."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()
