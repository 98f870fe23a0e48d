"""Sweeps: a grid of public parameters times blocks of trials, stored, resumed, the same on any worker.

Every figure, claim and table of numbers reads such a table. The numbers of a block depend on the seed, the
sweep's name, the content of the point and the block's number alone, so the table is bit-identical for any
number of workers, and inserting a point into the grid changes no other point's numbers.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from os import PathLike
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

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
)
from workbench.study.profiles import FEWEST, SchedulerLostError, computed
from workbench.study.store import Rows, Store

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
    software: str = SOFTWARE  # of the driver; a worker with another one would compute other numbers

    def __str__(self) -> str:
        return f"sweep {self.sweep!r}, point {dict(self.point)}, block {self.block}"


def task(sweep: Sweep, position: int, block: int, seed: int) -> Task:
    return Task(sweep.name, sweep.points[position], position, block, sweep.trials, seed, sweep.block)


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

Place: TypeAlias = str | PathLike[str] | Store | None
"""Of finished blocks: a file, an open store, or None for memory."""

REMEMBERED = 64  # tables kept by `run` in one process; a full table is a few megabytes

_memory: dict[tuple[str, str, int, str], tuple[Sweep, pd.DataFrame]] = {}


def run(
    sweep: Sweep,
    profile: str,
    *,
    seed: int,
    jobs: int | None = None,
    progress: bool = False,
    store: Place = None,
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
        Blocks computed at a time, in as many processes, by default as many as `resources` has. The table is
        the same.
    progress : bool
        Whether to show a progress bar on stderr.
    store : path or Store, optional
        Where finished blocks are kept: those in it are read and the others computed and added one by one, so
        that a sweep that was interrupted, or killed, goes on from there. It takes the memory's place. By
        default the store of `resources`, if there is one.
    scheduler : str, optional
        The address of a dask cluster that computes, such as `tcp://host:8786`; by default that of
        `resources`.

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
    if (noted := _notes.get()) is not None:
        noted.append(len(sweep.addresses(profile)))
        return columns(sweep, profile, seed=seed)
    lent = resources()
    by = lent.jobs if jobs is None else jobs, scheduler or lent.scheduler
    integer_at_least(1, jobs=by[0])
    store = lent.store if store is None else store
    if store is not None:
        with nullcontext(store) if isinstance(store, Store) else Store(store) as opened:
            return _ran(opened.rows(sweep, seed=seed), profile, seed, by, progress)
    key = (sweep.name, profile, int(seed), repr((sweep.points, sweep.trials)))
    if key not in _memory or _memory[key][0] != sweep:  # another sweep may have its name
        frame = _ran(Rows(sweep), profile, seed, by, progress)
        _memory.pop(key, None)
        _memory[key] = sweep, frame
        while len(_memory) > REMEMBERED:
            del _memory[next(iter(_memory))]
    return _memory[key][1].copy()


def _ran(rows: Rows, profile: str, seed: int, by: tuple[int, str | None], progress: bool) -> pd.DataFrame:
    sweep, missing = rows.sweep, rows.missing(profile)
    todo, count = [task(sweep, *address, seed) for address in missing], len(sweep.addresses(profile))
    options = {"total": count, "initial": count - len(todo), "desc": sweep.name, "unit": "block"}
    try:
        with closing(computed(compute, todo, *by, rows.code)) as found:
            for _, cell in tqdm(found, disable=not progress, **options):
                rows.put(cell)
    except SchedulerLostError:
        kept = count - len(rows.missing(profile))
        raise SchedulerLostError(kept * sweep.trials, count * sweep.trials) from None
    return rows.table(profile)


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
