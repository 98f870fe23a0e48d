"""Sweeps: a grid of public parameters times blocks of trials, stored, resumed, the same on any worker."""

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Generator as Generating
from concurrent.futures import CancelledError, Executor, as_completed, wait
from contextlib import closing, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from os import PathLike
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd
from tqdm import tqdm

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
    one_thread,
    point_id,
    stream,
    table,
)
from workbench.study.grids import grid as grid
from workbench.study.grids import multiples as multiples
from workbench.study.profiles import FEWEST, cluster, workers
from workbench.study.store import Rows, Shelf, Store, point_key, shelf_digest

if TYPE_CHECKING:
    from workbench.study.scaling import Asked

# Memory that is freed stays with the process, so that the next array of the same size costs no page faults.
#
# The C library returns a freed block to the operating system when it is larger than a threshold, which starts
# at 128 kB and rises to the size of the largest block that was freed so, up to 32 MB. Until it has risen,
# every
# array of a few hundred kilobytes may be mapped, zeroed page by page and unmapped again. With 1e5 rows,
# univariate estimators took 1 to 7 times as long; with 1e6, where the arrays together are more than what is
# kept, a two-step mean gained nothing. Results do not depend on it.


BLOCK = 32_000_000  # bytes: just below the largest threshold that glibc accepts


def keep_freed_memory() -> None:
    """Allocate one large block and free it, untouched: it raises the threshold for good and costs nothing."""
    np.empty(BLOCK, np.uint8)


# The engine: computes blocks of trials, here or in worker processes, and yields each as it is ready.
#
# Whoever computes a block, its numbers are the same.


BACKENDS = ("serial", "loky", "dask")
Item = TypeVar("Item")
Result = TypeVar("Result")
_alone = Lock()  # the limit on threads is that of a process: two blocks of one would lift each other's


class CellError(RuntimeError):
    """A block of trials failed or broke the schema; the message says of which sweep and point."""


class SchedulerLostError(RuntimeError):
    """The scheduler of a cluster is gone; what was stored before is kept."""

    def __init__(self, kept: int = 0, rows: int = 0) -> None:
        super().__init__(f"scheduler lost: {kept} of {rows} rows kept, run again to go on")


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
    """Return the task of one block of a sweep."""
    point = sweep.points[position]
    return Task(sweep.name, point, position, block, sweep.trials, seed, sweep.block, SOFTWARE)


def compute(task: Task) -> Cell:
    """Compute one block, on one thread, and note what it cost."""
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


def chosen_backend(backend: str | None, jobs: int, scheduler: str | None = None) -> str:
    """Return the backend to use: by default this process for one job, worker processes for several."""
    integer_at_least(1, jobs=jobs)
    if (backend == "dask") != (scheduler is not None):
        raise ArgumentError(
            "scheduler", scheduler, "the address of one with the backend 'dask', and no other"
        )
    if backend is None:
        return "serial" if jobs == 1 else "loky"
    one_of(BACKENDS, backend=backend)
    if backend == "serial" and jobs > 1:
        raise ArgumentError("jobs", jobs, "1 with the backend 'serial'")
    return backend


def computed(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    backend: str,
    jobs: int,
    code: str = "",
    scheduler: str | None = None,
) -> Generating[Result, None, None]:
    """Yield what a function finds of each item, in any order; workers begun with another `code` begin again.

    Raises
    ------
    SchedulerLostError
        If the cluster's scheduler is gone.
    """
    if backend == "serial":
        yield from map(function, items)
        return
    with nullcontext(workers(jobs, code)) if scheduler is None else cluster(scheduler) as pool:
        yield from _submitted(function, items, pool)


def _submitted(
    function: Callable[[Item], Result], items: Iterable[Item], pool: Executor
) -> Generating[Result, None, None]:
    futures = [pool.submit(function, item) for item in items]
    try:
        for future in as_completed(futures):
            yield future.result()
    except CancelledError:  # by nobody here
        raise SchedulerLostError from None
    finally:  # a sweep that is given up leaves no work behind
        wait([future for future in futures if not future.cancel()])


# What a run would compute, noted instead of computed, so that others may compute it beforehand.


class Declared(NamedTuple):
    """One sweep that was asked for."""

    sweep: Sweep
    profile: str
    seed: int


_notes: ContextVar[list[object] | None] = ContextVar("notes", default=None)


def notes() -> list[object] | None:
    """Return where sweeps are noted; None where they are computed."""
    return _notes.get()


@contextmanager
def noting(found: list[object] | None) -> Iterator[None]:
    """Let every sweep within be noted, and return a table without rows; with None, let it be computed."""
    before = _notes.set(found)
    try:
        yield
    finally:
        _notes.reset(before)


# What the sweeps of a run may use: a store to resume from, how many processes at a time, how much work.
#
# None changes a number at the usual points, so no figure and no claim says anything of them: whoever runs
# figures and claims lends them, and every `sweep.run` within that is not told otherwise uses what is lent.


@dataclass(frozen=True)
class Resources:
    """What sweeps use unless told otherwise.

    Parameters
    ----------
    store : path, optional
        Where finished blocks are kept, so that a run that was killed goes on from there.
    jobs : int
        Blocks computed at a time.
    limit : float
        The work of a sweep at other points than the usual ones, as a multiple of what it takes at these.
    """

    store: str | PathLike[str] | None = None
    jobs: int = 1
    limit: float = 2.0

    def __post_init__(self) -> None:
        integer_at_least(1, jobs=self.jobs)
        if not self.limit > 0:
            raise ArgumentError("limit", self.limit, "a number above 0")


NONE, LENT = Resources(), "WORKBENCH_LENT"
_lent: ContextVar[Resources | None] = ContextVar("lent", default=None)


def resources() -> Resources:
    """Return the resources lent to this run: by default, no store and one process.

    Whoever starts a process lends it some by the environment variable `LENT`, as JSON.
    """
    given = os.environ.get(LENT)
    return _lent.get() or (Resources(**json.loads(given)) if given else NONE)


@contextmanager
def lending(lent: Resources) -> Iterator[None]:
    """Lend resources to every sweep within.

    >>> with lending(Resources(jobs=2)):
    ...     resources().jobs
    2
    """
    before = _lent.set(lent)
    try:
        yield
    finally:
        _lent.reset(before)


# Sweeps: a grid of public parameters times blocks of trials, computed into one tidy table.
#
# Every figure, claim and table of numbers reads such a table (`schema` has its columns). The numbers of a
# block
# depend on the seed, the sweep's name, the content of the point and the block's number alone, so the table is
# bit-identical for any number of workers, and inserting a point into the grid changes no other point's
# numbers.


Place: TypeAlias = str | PathLike[str] | Store | None
"""Of finished blocks: a file, an open store, or None for memory."""

REMEMBERED = 64  # tables kept by `run` in one process; a full table is a few megabytes

_memory: dict[tuple[str, str, int, str], tuple[Sweep, pd.DataFrame]] = {}


@dataclass
class Kept:
    """The finished blocks of one sweep in memory while it runs; `store.Rows` has the same of a database."""

    sweep: Sweep
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    code: str = ""  # what workers must have begun with to have the same code

    def missing(self, profile: str) -> list[tuple[int, int]]:
        """Return the position of the point and the number of every block that is still to be computed."""
        return [address for address in self.sweep.addresses(profile) if address not in self.cells]

    def put(self, cell: Cell) -> None:
        """Keep a block."""
        self.cells[cell.position, cell.block] = cell

    def table(self, profile: str) -> pd.DataFrame:
        """Return the table of a profile with no block missing."""
        wanted = (self.cells[address] for address in self.sweep.addresses(profile))
        return table(self.sweep.name, self.sweep.points, self.sweep.trials, wanted)

    def seconds(self) -> dict[int, float]:
        """Return the core-seconds of a block at every point where they are known."""
        return {position: cell.seconds for (position, _), cell in self.cells.items()}


Blocks: TypeAlias = Kept | Rows


def run(
    sweep: Sweep,
    profile: str,
    *,
    seed: int,
    jobs: int | None = None,
    progress: bool = False,
    store: Place = None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> pd.DataFrame:
    """Compute a sweep, or recall it if this process has computed it before.

    Parameters
    ----------
    sweep : Sweep
        What to compute.
    profile : str
        How many blocks of it.
    seed : int
        The study's seed; with the sweep's name it fixes every number.
    jobs : int, optional
        Blocks computed at a time, by default as many as `resources` has. The table is the same.
    progress : bool
        Whether to show the expected cost and a progress bar on stderr.
    store : path or Store, optional
        Where finished blocks are kept: those in it are read and the others computed and added one by one, so
        that a sweep that was interrupted, or killed, goes on from there. It takes the memory's place. By
        default the store of `resources`, if there is one.
    backend : str, optional
        `serial` computes in this process, the default for one job; `loky` in as many others as
        there are jobs, the default for several; `dask` in those of a cluster.
    scheduler : str, optional
        The address of the cluster, such as `tcp://host:8786`.

    Returns
    -------
    DataFrame
        One row per trial, in the order of the grid, block and trial; the caller's own copy.

    Raises
    ------
    CellError
        If a block fails; names the sweep and the point.
    SchedulerLostError
        If the cluster's scheduler is gone; what is in the store stays there.
    ArgumentError
        If the store is damaged, or no database of sweeps.
    """
    one_of(sweep.blocks, profile=profile)
    integer_at_least(0, seed=seed)
    if (noted := notes()) is not None:
        noted.append(Declared(sweep, profile, int(seed)))
        return columns(sweep, profile, seed=seed)
    if jobs is None:
        jobs = 1 if backend == "serial" else resources().jobs
    store = resources().store if store is None else store
    backend = chosen_backend(backend, jobs, scheduler)
    key = (sweep.name, profile, int(seed), repr((sweep.points, sweep.trials)))
    if store is None and key in _memory and _memory[key][0] == sweep:  # another sweep may have its name
        return _memory[key][1].copy()
    with _blocks(sweep, seed, store) as blocks:
        frame = _compute(sweep, profile, seed, blocks, (backend, jobs, blocks.code, scheduler), progress)
    if store is None:
        _remember(key, sweep, frame.copy())
    return frame


def columns(sweep: Sweep, profile: str, *, seed: int) -> pd.DataFrame:
    """Return the table of a sweep without its rows: two trials at a usual point tell what is measured."""
    usual = (sweep.usual or sweep.points)[:1]
    with noting(None):
        first = replace(sweep, points=usual, trials=2, blocks={profile: 1}, usual=())
        found = run(first, profile, seed=seed)[:0]
    address, axes = found[[*ADDRESS]], pd.DataFrame(sweep.points[:1])[:0]
    return pd.concat([address, axes, found.drop(columns=[*ADDRESS, *usual[0]])], axis=1)


@contextmanager
def _blocks(sweep: Sweep, seed: int, store: Place) -> Iterator[Blocks]:
    if store is None:
        yield Kept(sweep)
        return
    with nullcontext(store) if isinstance(store, Store) else Store(store) as found:
        yield found.rows(sweep, seed=seed)


def _remember(key: tuple[str, str, int, str], sweep: Sweep, frame: pd.DataFrame) -> None:
    _memory.pop(key, None)
    _memory[key] = (sweep, frame)
    while len(_memory) > REMEMBERED:
        del _memory[next(iter(_memory))]


def forget() -> None:
    """Drop every table that `run` keeps."""
    _memory.clear()


def _expected(sweep: Sweep, profile: str, seed: int, blocks: Blocks) -> str:
    """Say how many blocks `run` would compute and what they cost, in seconds of one core.

    A block costs what earlier ones at its point did, even of former code. Where there are none, the first,
    middle and last point compute one block each, which is kept, and others lie between them.
    """
    todo = blocks.missing(profile)
    if not todo:
        return "0 blocks"
    places = sorted({position for position, _ in todo})
    for position in {places[0], places[len(places) // 2], places[-1]} - blocks.seconds().keys():
        blocks.put(compute(task(sweep, position, 0, seed)))
    at, seconds = zip(*sorted(blocks.seconds().items()), strict=True)
    whole = float(np.interp([position for position, _ in todo], at, seconds).sum())
    return f"{len(todo)} blocks, about {whole:.3g} core-seconds"


def _compute(
    sweep: Sweep,
    profile: str,
    seed: int,
    blocks: Blocks,
    by: tuple[str, int, str, str | None],
    progress: bool,
) -> pd.DataFrame:
    if progress:
        print(f"{sweep.name}: {_expected(sweep, profile, seed, blocks)}", file=sys.stderr)
    todo = [task(sweep, *address, seed) for address in blocks.missing(profile)]
    count = len(sweep.addresses(profile))
    options = {"total": count, "initial": count - len(todo), "desc": sweep.name, "unit": "block"}
    try:
        with closing(computed(compute, todo, *by)) as found:
            for cell in tqdm(found, disable=not progress, **options):
                blocks.put(cell)
    except SchedulerLostError:
        kept = count - len(blocks.missing(profile))
        raise SchedulerLostError(kept * sweep.trials, count * sweep.trials) from None
    return blocks.table(profile)


# Sweeps at other budgets than their own.


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


# What runs declare, computed beforehand by any backend: blocks of sweeps, and whole searches.
#
# What is in the store already is not computed again.


SEARCH = -1  # in place of the number of a block
ROWS = "SELECT name, trials, point, block, columns, numbers FROM cells"
END = "INSERT OR IGNORE INTO planned VALUES (?, ?, ?, ?, 1)"
THERE = """
SELECT sweep, point, block FROM planned WHERE ended UNION ALL SELECT sweep, point, block FROM cells
"""


class Unit(NamedTuple):
    """One block or search, and where its blocks are stored."""

    shelf: str
    point: str
    block: int
    name: str
    trials: int
    code: str
    work: "Task | Asked"

    @property
    def address(self) -> tuple[str, str, int]:
        """What the store finds it by; a search is not found there, but marked when it has ended."""
        return self.shelf, self.point, self.block


def units(declared: Iterable[object]) -> list[Unit]:
    """Return every unit of what was declared, once; a larger profile has the blocks of a smaller one."""
    return list({unit.address: unit for one in declared for unit in _of(one)}.values())


def _of(declared: object) -> Iterator[Unit]:
    if isinstance(declared, Declared):
        sweep, seed = declared.sweep, declared.seed
        shelf, code = shelf_digest(sweep.name, sweep.block, sweep.trials, seed)
        keys = [point_key(point) for point in sweep.points]
        for position, block in sweep.addresses(declared.profile):
            work = task(sweep, position, block, seed)
            yield Unit(shelf, keys[position], block, sweep.name, sweep.trials, code, work)
    from workbench.study.scaling import Asked  # the planner and the catalog, for those who search
    from workbench.study.search import BRACKETING

    if isinstance(declared, Asked):
        one = declared.scaling
        shelf, code = shelf_digest(one.name, declared.block, BRACKETING, declared.seed)
        key = json.dumps([declared.profile, declared.value])
        yield Unit(shelf, key, SEARCH, one.name, BRACKETING, code, declared)


class By(NamedTuple):
    """Who computes."""

    backend: str = "serial"
    jobs: int = 1
    scheduler: str | None = None


class _Order(NamedTuple):
    number: int
    work: "Task | Asked"


def missing(store: Store, units: Iterable[Unit]) -> list[Unit]:
    """Return those units that are not there, searches first: they take longest."""
    there = set(store.fetch(THERE, ()))
    left = [unit for unit in units if unit.address not in there]
    return sorted(left, key=lambda unit: unit.block != SEARCH)


def fill(store: Store, units: Sequence[Unit], by: By) -> None:
    """Compute what is missing of units, and store each as it is ready.

    Raises
    ------
    SchedulerLostError
        With the rows that are kept, of all of these units; a search counts as those of one block.
    CellError
        If a block fails.
    """
    todo = missing(store, units)
    orders = [_Order(number, _seeing(unit.work, store, by)) for number, unit in enumerate(todo)]
    code = " ".join(sorted({unit.code for unit in units} - {""}))
    bar = {"total": len(units), "initial": len(units) - len(todo), "unit": "block"}
    try:
        with closing(computed(_done, orders, by.backend, by.jobs, code, by.scheduler)) as found:
            for number, cells in tqdm(found, disable=not sys.stderr.isatty(), **bar):
                _put(store, todo[number], cells)
    except SchedulerLostError:
        left = sum(unit.trials for unit in missing(store, units))
        rows = sum(unit.trials for unit in units)
        raise SchedulerLostError(rows - left, rows) from None


def _seeing(work: "Task | Asked", store: Store, by: By) -> "Task | Asked":
    """Let a search keep its blocks itself where it sees the file; a cluster's worker may be elsewhere."""
    if isinstance(work, Task):
        return work
    return work._replace(store=None if by.backend == "dask" else store.path)


def _done(order: _Order) -> tuple[int, list[tuple[Point, Cell]]]:
    if isinstance(order.work, Task):
        return order.number, [(order.work.point, compute(order.work))]
    from workbench.study.scaling import searched

    return order.number, searched(order.work)


def _put(store: Store, unit: Unit, cells: Iterable[tuple[Point, Cell]]) -> None:
    shelf = Shelf(store, unit.name, unit.trials, unit.shelf, unit.code)
    for point, cell in cells:
        shelf.put(point, cell)
    if unit.block == SEARCH:
        store.fetch(END, (*unit.address, unit.name))


class Digest(NamedTuple):
    """How many blocks there are, and their hash."""

    blocks: int
    sha256: str

    def __str__(self) -> str:
        return f"{self.blocks} blocks of rows, sha256 {self.sha256}"


def digest(stores: Iterable[Store]) -> Digest:
    """Return one hash of all rows of stores: equal where, and only where, all bits of their numbers are.

    It is of every block's sweep, trials, point, number, columns and bits; not of when, where, in which order
    or how fast they were computed, nor of how many stores have it.
    """
    rows = (row for store in stores for row in store.fetch(ROWS, ()))
    found = {(*place, hashlib.sha256(numbers).hexdigest()) for *place, numbers in rows}
    whole = hashlib.sha256()
    for row in sorted(found):
        whole.update(repr(row).encode())
    return Digest(len(found), whole.hexdigest())
