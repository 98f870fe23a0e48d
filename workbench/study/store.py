"""Where finished blocks are kept, so that an interrupted sweep or search resumes, and by what they are known.

A block is found by its shelf, point and number. The shelf is a digest of everything else that determines its
numbers (`Store.shelf`), so a stored block has the very bits that computing it again would give.
"""

import hashlib
import json
import os
import platform
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg  # noqa: F401  (its library is a second one, and is to be loaded before they are listed)

import workbench
from workbench.errors import ArgumentError, integer_at_least
from workbench.types import Columns, frozen


class Cell(NamedTuple):
    """One block of one point: its columns, one entry per trial."""

    position: int  # of the point in the grid: orders the table, enters no seed
    block: int
    columns: Columns
    seconds: float = 0.0  # of one core; never part of the table


# What decides the last bits of a number besides the software: how this processor adds and multiplies. The
# order of a sum is chosen by the kernels of the linear algebra library, one set for every kind of processor,
# by the vector instructions that numpy finds, and by the number of threads: blocks always run on one.

try:
    from threadpoolctl import ThreadpoolController
except ModuleNotFoundError:  # without the extra `lab`
    LIBRARIES = None
else:
    LIBRARIES = ThreadpoolController()  # found once: to look for them takes longer than many a block


def one_thread() -> AbstractContextManager[Any]:
    """Let linear algebra have one thread for a while; without the extra `lab` it has what it has."""
    return LIBRARIES.limit(limits=1) if LIBRARIES else nullcontext()


def kernels() -> tuple[str, ...]:
    """Name the linear algebra libraries with their kernels, and the vector instructions of numpy."""
    if LIBRARIES is None:
        return ()  # where nothing is kept
    pools = (pool for pool in LIBRARIES.info() if pool["user_api"] == "blas")
    blas = {f"{pool['internal_api']} {pool['version']} {pool.get('architecture')}" for pool in pools}
    vectors = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", ())
    return (*sorted(blas), *sorted(vectors))


KERNELS = kernels()
"""Of this process, which has chosen them when it loaded the libraries."""


# What a block's numbers depend on besides its address: the function that measures, software, kernels. Stored
# blocks are found again by these digests: a change that matters must change them, any other may.

PACKAGE = Path(workbench.__file__).parent


def _written() -> int:
    folders = (Path(folder) for folder, *_ in os.walk(PACKAGE))
    return max(path.stat().st_mtime_ns for folder in folders for path in folder.glob("*.py"))


def _software() -> str:
    found = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        found.update(f"{path.relative_to(PACKAGE).as_posix()} {_file(path)}\n".encode())
    numbers = [f"{name} {version(name)}" for name in ("numpy", "scipy")]
    runs_on = [platform.python_implementation(), platform.python_version(), platform.machine()]
    found.update(" ".join([*numbers, *runs_on, *KERNELS]).encode())
    return found.hexdigest()


def _file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


WRITTEN, SOFTWARE = _written(), _software()
"""Digest of the package as it was imported."""


def require_unchanged() -> None:
    """Raise if the package's files were written since it was imported: what runs is then not certain."""
    if _written() != WRITTEN:
        raise ArgumentError(
            "package", workbench.__name__, "no change of its files while it runs (start again)"
        )


def home(block: Callable[..., Any]) -> tuple[str, str, str]:
    """Return the module and name of a block and, if `SOFTWARE` does not cover it, the digest of its file.

    A `functools.partial` has the name of its function, with the arguments behind it. Anything but a function
    at the top of a module is refused: nothing else tells which code it is. In a module of your own it should
    call what stands there, or is installed: its file alone counts.
    """
    if isinstance(block, partial):
        module, name, file = home(block.func)
        bound = [*block.args, *sorted(block.keywords.items())]
        return module, f"{name} of {[getattr(value, '__qualname__', repr(value)) for value in bound]}", file
    name, module = getattr(block, "__qualname__", ""), getattr(block, "__module__", "")
    space = vars(sys.modules.get(module, ModuleType("")))
    if space.get(name) is not block or "__file__" not in space:
        raise ArgumentError("block", block, "a function at the top of a module, in a file")
    ours = module.partition(".")[0] == workbench.__name__
    return module, name, "" if ours else _file(Path(space["__file__"]))


# The SQLite database. Each block is one commit. Several processes may add at a time, others read meanwhile.

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


class Store(AbstractContextManager["Store"]):
    """A database of finished blocks, made if there is none; a context manager that closes it.

    Beside the file lie two more while it is in use, and after a crash. One that is no such database, now or
    when it is read, is an `ArgumentError`; one that is broken a `DamagedError`.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path).absolute()
        with self._readable():
            self._connection = _opened(self.path)

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def fetch(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._readable():
            return self._connection.execute(statement, values).fetchall()

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
        return DamagedError("store", str(self.path), f"an intact database of sweeps ({why})")

    def shelf(self, name: str, block: Callable[..., Any], trials: int, *, seed: int) -> "Shelf":
        """Return the blocks of so many trials measured by the same code, versions and seed under a name."""
        integer_at_least(0, seed=seed)
        require_unchanged()
        *function, code = home(block)
        known = (name, int(trials), int(seed), *function, code, SOFTWARE)
        return Shelf(self, name, trials, hashlib.sha256(repr(known).encode()).hexdigest(), code)


def require_intact(store: Store) -> None:
    """Raise a `DamagedError` unless the database is sound and every block is what was put in.

    A block is checked whenever it is read; here all are, so that nobody fails in the middle.
    """
    if store.fetch("PRAGMA quick_check(1)") != [("ok",)]:
        raise store.damaged("its pages are damaged")
    for *content, digest in store.fetch(ALL):
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


def checksum(*parts: object) -> bytes:
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()


PUT = "INSERT OR IGNORE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
GET = "SELECT columns, numbers, digest, seconds FROM cells WHERE sweep = ? AND point = ? AND block = ?"


@frozen
class Shelf:
    """The stored blocks of one name, function, seed and number of trials, found by the digest of these."""

    store: Store
    name: str
    trials: int
    digest: str
    code: str  # what workers must have begun with, besides `SOFTWARE`, to have the same code

    def put(self, point: Mapping[str, Any], cell: Cell) -> None:
        kinds = json.dumps([[name, values.dtype.str] for name, values in cell.columns.items()])
        numbers = b"".join(values.tobytes() for values in cell.columns.values())
        content = self.digest, point_key(point), cell.block, kinds, numbers
        self.store.fetch(PUT, (*content, checksum(*content), self.name, self.trials, cell.seconds))

    def get(self, point: Mapping[str, Any], block: int, position: int = 0) -> Cell | None:
        """Return a block, if it is stored: a point is known by its content, wherever it is in a grid."""
        key = point_key(point)
        found = self.store.fetch(GET, (self.digest, key, block))
        if not found:
            return None
        ((kinds, numbers, known, seconds),) = found
        if checksum(self.digest, key, block, kinds, numbers) != known:
            raise self.store.damaged(f"block {block} of {self.name!r} at {key} is damaged")
        columns, start = {}, 0
        try:
            for name, kind in json.loads(kinds):
                values = np.frombuffer(numbers, kind, self.trials, start)
                columns[name] = values.astype(values.dtype.newbyteorder("="))
                start += values.nbytes
        except (ValueError, TypeError):
            raise self.store.damaged(f"block {block} of {self.name!r} at {key} has other columns") from None
        return Cell(position, block, columns, seconds)


def point_key(point: Mapping[str, Any]) -> str:
    return json.dumps(dict(point), sort_keys=True)


ROWS = "SELECT name, trials, point, block, columns, numbers FROM cells"


def digest(stores: Iterable[Store]) -> tuple[int, str]:
    """Return how many blocks stores have, and a hash: equal where, and only where, all their bits are.

    It is of every block's sweep, trials, point, number, columns and bits; not of when, where, in which order
    or how fast they were computed, nor of how many stores have it.
    """
    rows = (row for store in stores for row in store.fetch(ROWS))
    found = {(*place, hashlib.sha256(numbers).hexdigest()) for *place, numbers in rows}
    whole = hashlib.sha256()
    for row in sorted(found):
        whole.update(repr(row).encode())
    return len(found), whole.hexdigest()
