"""The SQLite database of finished blocks: opened, read, added to, and found intact or not.

Each block is one commit. Several processes may add at a time; others may read meanwhile.
"""

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from workbench.errors import ArgumentError

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
CREATE TABLE IF NOT EXISTS planned (
    sweep TEXT, point TEXT, block INTEGER, name TEXT NOT NULL, ended INTEGER NOT NULL,
    PRIMARY KEY (sweep, point, block)
);
CREATE INDEX IF NOT EXISTS timings ON cells (name, trials, point, sweep, seconds);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
COMMIT;
"""

MARKS = ("PRAGMA application_id", "PRAGMA user_version", "SELECT COUNT(*) FROM sqlite_schema")
ALL = "SELECT sweep, point, block, columns, numbers, digest FROM cells"
COST = "SELECT COUNT(*), TOTAL(seconds) FROM cells"
PROOF = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)  # all other errors may pass: a full disk, a lock


class DamagedError(ArgumentError):
    """A store is proved not to hold what was put in."""


class Database:
    """A database of blocks; a context manager that closes it.

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
        """Close the database."""
        self._connection.close()

    def fetch(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """Execute one statement, commit it, and return its rows."""
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


def require_intact(store: Database) -> None:
    """Raise a `DamagedError` unless the database is sound and every block is what was put in.

    A block is checked whenever it is read; here all are, for whoever would rather begin again than fail in
    the middle.
    """
    if store.fetch("PRAGMA quick_check(1)", ()) != [("ok",)]:
        raise store.damaged("its pages are damaged")
    for *content, digest in store.fetch(ALL, ()):
        if checksum(*content) != digest:
            raise store.damaged("a block is damaged")


def spent(store: Database) -> tuple[int, float]:
    """Return how many blocks there are and what they have cost, in core-seconds."""
    ((count, seconds),) = store.fetch(COST, ())
    return int(count), float(seconds)


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


def caches() -> Path:
    """Return this user's folder for what can be made again."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "workbench"
    except RuntimeError:
        raise ArgumentError("XDG_CACHE_HOME", None, "a folder: this user has no home") from None


def checksum(*parts: object) -> bytes:
    """Return the digest that tells whether a stored block is what was put in."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()
