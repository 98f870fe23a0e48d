"""Sweeps: a grid of public parameters times blocks of trials, stored, resumed, the same on any worker.

Every figure, claim and table of numbers reads such a table. The numbers of a block depend on the seed, the
sweep's name, the content of the point and the block's number alone, so the table is bit-identical for any
number of workers, and inserting a point into the grid changes no other point's numbers.
"""

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from workbench.errors import ArgumentError, integer_at_least, one_of
from workbench.privacy import ApproxDP
from workbench.study.grids import (
    ADDRESS,
    SOFTWARE,
    Block,
    Cell,
    Point,
    Role,
    Sweep,
    as_annotated,
    checked_columns,
    home,
    one_thread,
    point_id,
    require_unchanged,
    stream,
    table,
)
from workbench.study.profiles import FEWEST, SchedulerLostError, computed

# One block of trials.

BLOCK = 32_000_000  # bytes: just below the largest threshold that glibc accepts
_alone = Lock()  # the limit on threads is that of a process: two blocks of one would lift each other's


def keep_freed_memory() -> None:
    """Let memory that is freed stay with the process: allocate one large block and free it, untouched.

    The C library returns freed blocks above a threshold, which rises to the largest that was freed so; until
    it has risen, every array of a few hundred kilobytes may be mapped and zeroed again, page by page: with
    1e5 rows, univariate estimators took 1 to 7 times as long.
    """
    np.empty(BLOCK, np.uint8)


class CellError(RuntimeError):
    """A block of trials failed or broke the schema; the message says of which sweep and point."""


class Task(NamedTuple):
    """One block to compute."""

    sweep: str
    point: Point
    position: int
    block: int
    trials: int
    seed: int
    measure: Block
    software: str  # of the driver; a worker with another one would compute other numbers

    def __str__(self) -> str:
        return f"sweep {self.sweep!r}, point {dict(self.point)}, block {self.block}"


def task(sweep: Sweep, position: int, block: int, seed: int) -> Task:
    return Task(
        sweep.name, sweep.points[position], position, block, sweep.trials, seed, sweep.block, SOFTWARE
    )


def compute(task: Task) -> Cell:
    if task.software != SOFTWARE:
        raise CellError(f"{task}: a worker has other software than its driver: restart the driver")
    keep_freed_memory()
    roles = (Role.DATA, Role.NOISE)
    data, noise = (stream(task.seed, role, task.sweep, point_id(task.point), task.block) for role in roles)
    arguments = as_annotated(task.measure, task.point)
    try:
        started = time.thread_time()
        with _alone, one_thread():  # sums and eigenvalues are not bit-identical for 1 and 2 threads
            measured = task.measure(**arguments, trials=task.trials, data=data, noise=noise)
        seconds = time.thread_time() - started
        return Cell(task.position, task.block, checked_columns(measured, task.trials, task.point), seconds)
    except Exception as error:
        raise CellError(f"{task}: {type(error).__name__}: {error}") from error


# The store: finished blocks in a database, so that an interrupted sweep or search resumes.
#
# A block is found by its shelf, point and number. The shelf is a digest of everything else that determines
# its numbers (`Store.shelf`), so a stored block has the very bits that computing it again would give.

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
    """A database of finished blocks, made if there is none; a context manager that closes it.

    Beside the file lie two more while it is in use, and after a crash. One that is no such database, now or
    when it is read, is an `ArgumentError`; one that is broken a `DamagedError`.
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
        return DamagedError("store", str(self.path), f"an intact database of sweeps ({why})")

    def shelf(self, name: str, block: Block, trials: int, *, seed: int) -> "Shelf":
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


def checksum(*parts: object) -> bytes:
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()


PUT = "INSERT OR IGNORE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
GET = "SELECT columns, numbers, digest, seconds FROM cells WHERE sweep = ? AND point = ? AND block = ?"


@dataclass(frozen=True)
class Shelf:
    """The stored blocks of one name, function, seed and number of trials, found by the digest of these."""

    store: Store
    name: str
    trials: int
    digest: str
    code: str  # what workers must have begun with, besides `SOFTWARE`, to have the same code

    def put(self, point: Point, cell: Cell) -> None:
        kinds = json.dumps([[name, values.dtype.str] for name, values in cell.columns.items()])
        numbers = b"".join(values.tobytes() for values in cell.columns.values())
        content = self.digest, point_key(point), cell.block, kinds, numbers
        self.store.fetch(PUT, (*content, checksum(*content), self.name, self.trials, cell.seconds))

    def get(self, point: Point, block: int, position: int = 0) -> Cell | None:
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


def point_key(point: Point) -> str:
    return json.dumps(dict(point), sort_keys=True)


# What the sweeps of a run may use. None of it changes a number at the usual points, so no figure and no claim
# says anything of it: whoever runs these lends it, and every `run` within that is not told otherwise uses it.


@dataclass(frozen=True)
class Resources:
    """What sweeps and searches use unless told otherwise."""

    # where finished blocks are kept, so that a run that was killed goes on from there
    store: str | PathLike[str] | None = None
    jobs: int = 1  # blocks computed at a time
    # the work of a sweep at other points than the usual ones, as a multiple of what it takes at these
    limit: float = 2.0
    scheduler: str | None = None  # the address of the dask cluster that computes

    def __post_init__(self) -> None:
        integer_at_least(1, jobs=self.jobs)
        if not self.limit > 0:
            raise ArgumentError("limit", self.limit, "a number above 0")


NONE, LENT = Resources(), "WORKBENCH_LENT"
_lent: ContextVar[Resources | None] = ContextVar("lent", default=None)
_notes: ContextVar[list[int] | None] = ContextVar("notes", default=None)


def resources() -> Resources:
    """Return the resources lent to this run: by default, no store and one process.

    Whoever starts a process lends it some by the environment variable `LENT`, as JSON.
    """
    given = os.environ.get(LENT)
    return _lent.get() or (Resources(**json.loads(given)) if given else NONE)


@contextmanager
def _let(variable: ContextVar[Any], value: object) -> Iterator[None]:
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)


def lending(lent: Resources) -> Any:
    """Lend resources to every sweep within.

    >>> with lending(Resources(jobs=2)):
    ...     resources().jobs
    2
    """
    return _let(_lent, lent)


def noting(found: list[int] | None) -> Any:
    """Let every `run` within note how many blocks it has and return no rows; with None, let it compute."""
    return _let(_notes, found)


# Running a sweep.

REMEMBERED = 64  # tables kept by `run` in one process; a full table is a few megabytes

_memory: dict[tuple[str, str, int, str], tuple[Sweep, pd.DataFrame]] = {}


def run(
    sweep: Sweep,
    profile: str,
    *,
    seed: int,
    jobs: int | None = None,
    store: str | PathLike[str] | None = None,
    scheduler: str | None = None,
) -> pd.DataFrame:
    """Compute a sweep, or recall it if this process has computed it before.

    Its profile says how many blocks; the seed and the sweep's name fix every number. `jobs` processes compute
    at a time, or a dask cluster, at the address of its `scheduler`; the table is the same. Finished blocks in
    a `store`, which takes the memory's place, are read and the others added one by one, so that a sweep that
    was interrupted, or killed, goes on from there. All three are those of `resources` by default.

    The table has one row per trial, in the order of the grid, block and trial, and is the caller's own copy.
    A block that fails is a `CellError`, which names the sweep and the point.
    """
    one_of(sweep.blocks, profile=profile)
    integer_at_least(0, seed=seed)
    if (noted := _notes.get()) is not None:
        noted.append(len(sweep.addresses(profile)))
        return columns(sweep, profile, seed=seed)
    lent = resources()
    by = lent.jobs if jobs is None else jobs, scheduler or lent.scheduler
    integer_at_least(1, jobs=by[0])
    store = lent.store if store is None else store
    if store is not None:
        with Store(store) as opened:
            shelf = opened.shelf(sweep.name, sweep.block, sweep.trials, seed=seed)
            return _ran(sweep, profile, seed, by, shelf)
    key = (sweep.name, profile, int(seed), repr((sweep.points, sweep.trials)))
    if key not in _memory or _memory[key][0] != sweep:  # another sweep may have its name
        frame = _ran(sweep, profile, seed, by)
        _memory.pop(key, None)
        _memory[key] = sweep, frame
        while len(_memory) > REMEMBERED:
            del _memory[next(iter(_memory))]
    return _memory[key][1].copy()


def _ran(
    sweep: Sweep,
    profile: str,
    seed: int,
    by: tuple[int, str | None],
    shelf: Shelf | None = None,
) -> pd.DataFrame:
    cells, addresses = dict[tuple[int, int], Cell](), sweep.addresses(profile)
    if shelf:
        held = (shelf.get(sweep.points[position], block, position) for position, block in addresses)
        cells = {(cell.position, cell.block): cell for cell in held if cell}
    todo = [task(sweep, *address, seed) for address in addresses if address not in cells]
    try:
        with closing(computed(compute, todo, *by, shelf.code if shelf else "")) as found:
            for _, cell in found:
                if shelf:
                    shelf.put(sweep.points[cell.position], cell)
                cells[cell.position, cell.block] = cell
    except SchedulerLostError:
        raise SchedulerLostError(len(cells) * sweep.trials, len(addresses) * sweep.trials) from None
    return table(sweep.name, sweep.points, sweep.trials, cells.values())


def columns(sweep: Sweep, profile: str, *, seed: int) -> pd.DataFrame:
    """Return the table of a sweep without its rows: two trials at a usual point tell what is measured."""
    usual = (sweep.usual or sweep.points)[:1]
    with noting(None):
        first = replace(sweep, points=usual, trials=2, blocks={profile: 1}, usual=())
        found = run(first, profile, seed=seed)[:0]
    address, axes = found[[*ADDRESS]], pd.DataFrame(sweep.points[:1])[:0]
    return pd.concat([address, axes, found.drop(columns=[*ADDRESS, *usual[0]])], axis=1)


def forget() -> None:
    _memory.clear()


def at_budget(
    sweep: Sweep, budget: ApproxDP, points: Iterable[Point] | None = None, work: float | None = None
) -> Sweep:
    """Return the sweep at other points and at (ε, δ), which its block takes by keyword.

    What the block takes by itself is no part of the points: at the sweep's own budget and points the
    sweep is the same, and so are its blocks. `work` is how many times the usual a trial takes, where the
    points do not say so: beyond the limit there are fewer trials, a quarter of `FEWEST` at least.
    """
    here = sweep.points if points is None else points
    moved = sweep.moved(here, epsilon=budget.epsilon, delta=budget.delta)
    if work is None:
        return moved
    fewest = min(sweep.trials, FEWEST // 4)
    trials = int(sweep.trials * min(1.0, resources().limit / work))
    return replace(moved, trials=max(fewest, trials), usual=())


ROWS = "SELECT name, trials, point, block, columns, numbers FROM cells"


def digest(stores: Iterable[Store]) -> tuple[int, str]:
    """Return how many blocks stores have, and a hash: equal where, and only where, all their bits are.

    It is of every block's sweep, trials, point, number, columns and bits; not of when, where, in which order
    or how fast they were computed, nor of how many stores have it.
    """
    rows = (row for store in stores for row in store.fetch(ROWS, ()))
    found = {(*place, hashlib.sha256(numbers).hexdigest()) for *place, numbers in rows}
    whole = hashlib.sha256()
    for row in sorted(found):
        whole.update(repr(row).encode())
    return len(found), whole.hexdigest()
