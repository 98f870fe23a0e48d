"""The engine: computes blocks of trials, here or in worker processes, and yields each as it is ready.

Whoever computes a block, its numbers are the same.
"""

import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import CancelledError, Executor, as_completed, wait
from contextlib import nullcontext
from threading import Lock
from typing import NamedTuple, TypeVar

from threadpoolctl import threadpool_limits

from workbench.errors import ArgumentError, integer_at_least, one_of
from workbench.study.sweeps.allocator import keep_freed_memory
from workbench.study.sweeps.fingerprint import SOFTWARE
from workbench.study.sweeps.grids import Block, Sweep, as_annotated
from workbench.study.sweeps.schema import Cell, Point, checked_columns
from workbench.study.sweeps.streams import Role, point_id, stream
from workbench.study.workers import cluster, workers

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
        with _alone, threadpool_limits(1):  # sums and eigenvalues are not bit-identical for 1 and 2 threads
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


def cells(
    tasks: Iterable[Task], backend: str, jobs: int, code: str = "", scheduler: str | None = None
) -> Generator[Cell, None, None]:
    """Yield the cells as they are ready, in any order; see `computed`."""
    yield from computed(compute, tasks, backend, jobs, code, scheduler)


def computed(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    backend: str,
    jobs: int,
    code: str = "",
    scheduler: str | None = None,
) -> Generator[Result, None, None]:
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
) -> Generator[Result, None, None]:
    futures = [pool.submit(function, item) for item in items]
    try:
        for future in as_completed(futures):
            yield future.result()
    except CancelledError:  # by nobody here
        raise SchedulerLostError from None
    finally:  # a sweep that is given up leaves no work behind
        wait([future for future in futures if not future.cancel()])
