"""The worker processes that one driver keeps for all that it computes; a worker ends when its driver does."""

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import TypeVar

from joblib.externals.loky import get_reusable_executor

IDLE = 60  # seconds after which workers without work end
WATCH = 0.5  # seconds between two looks at whether the driver lives
Item = TypeVar("Item")
Result = TypeVar("Result")


def workers(jobs: int, code: str = "") -> Executor:
    """Return the worker processes; those begun with another `code` begin again.

    Any executor of `concurrent.futures` could stand here, such as a cluster's, found by its address.
    """
    begin = {"initializer": _follow, "initargs": (os.getpid(), code)}
    pool: Executor = get_reusable_executor(jobs, timeout=IDLE, **begin)
    return pool


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
