"""Who computes for a driver: worker processes of its own, which end when it does, or those of a cluster."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import TypeVar

from joblib.externals.loky import get_reusable_executor

from workbench.errors import ArgumentError

IDLE = 60  # seconds after which workers without work end
WATCH = 0.5  # seconds between two looks at whether the driver lives
ANSWER = 30  # seconds for a scheduler to answer, and to have a worker
Item = TypeVar("Item")
Result = TypeVar("Result")


def workers(jobs: int, code: str = "") -> Executor:
    """Return the worker processes; those begun with another `code` begin again."""
    begin = {"initializer": _follow, "initargs": (os.getpid(), code)}
    pool: Executor = get_reusable_executor(jobs, timeout=IDLE, **begin)
    return pool


@contextmanager
def cluster(scheduler: str) -> Iterator[Executor]:
    """Yield what a dask scheduler's workers compute with; a worker that is lost is replaced by the others.

    Raises
    ------
    ArgumentError
        If the extra is not installed, or no scheduler answers, or it has no worker.
    """
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise ArgumentError("backend", "dask", 'the extra: pip install "dp-workbench[dask]"') from None
    for name in ("distributed.client", "distributed.core"):  # a loss is said once, by whoever computes
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(scheduler, timeout=ANSWER, set_as_default=False)
    except (OSError, ValueError):
        raise ArgumentError("scheduler", scheduler, "the address of a dask scheduler that answers") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=ANSWER)
        except TimeoutError:
            raise ArgumentError("scheduler", scheduler, f"one with a worker within {ANSWER} s") from None
        yield client.get_executor(pure=False)


def mapped(function: Callable[[Item], Result], items: Sequence[Item], jobs: int) -> list[Result]:
    """Return what a function finds of each item, in their order: here for one job, else in workers."""
    jobs = min(jobs, len(items))
    if jobs <= 1:
        return [function(item) for item in items]
    return list(workers(jobs).map(function, items))


def _follow(driver: int, code: str) -> None:
    """End this worker when its driver is gone: it would wait for work a while longer, and be seen to."""
    threading.Thread(target=_watch, args=(driver,), daemon=True).start()


def _watch(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(WATCH)
    os._exit(1)
