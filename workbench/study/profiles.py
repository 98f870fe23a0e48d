"""How often a true thing may fail, how much work is done, and who does it."""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, as_completed, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import find_spec
from typing import Any, TypeVar

from workbench.errors import ArgumentError, integer_at_least, positive
from workbench.types import frozen

CONTRACT_LEVEL = 1e-6
"""False alarms per statistical test of the suite: smaller fails less by chance and needs more draws."""

AUDIT_LEVEL = 1e-4
"""False alarms per confirmed privacy attack: smaller makes an alarm conclusive and proves less leakage."""


PROFILES = {"quick": 0.1, "full": 1.0}
"""Blocks of every point as a multiple of full's; a smaller profile computes the first ones of a larger."""


@frozen
class AuditPreset:
    """How long an attack on a mechanism's privacy looks, on either of two neighbours."""

    name: str  # the word on the command line
    n_screen: int  # runs that choose a pair, choose an event, and confirm it
    n_train: int
    n_test: int

    def __post_init__(self) -> None:
        integer_at_least(4, **self.sizes)

    @property
    def sizes(self) -> dict[str, Any]:
        return {"n_screen": self.n_screen, "n_train": self.n_train, "n_test": self.n_test}

    def scaled(self, share: float) -> "AuditPreset":
        """Return the preset with a share of its runs, 100 at least; decided by what a run costs."""
        positive(share=share)
        return AuditPreset(self.name, *(max(100, round(share * size)) for size in self.sizes.values()))


AUDIT_CI = AuditPreset("ci", 1_000, 2_000, 8_000)
"""For every change: finds noise too small by the factor √2 at μ or ε of about 2."""

AUDIT_DEEP = AuditPreset("deep", 5_000, 20_000, 200_000)
"""For doubt: finds noise too small by a few per cent at μ or ε of about 2, in minutes."""

AUDITS = {preset.name: preset for preset in (AUDIT_CI, AUDIT_DEEP)}


# Who computes for a driver: worker processes of its own, which end when it does, or those of a cluster.


IDLE = 60  # seconds after which workers without work end
WATCH = 0.5  # seconds between two looks at whether the driver lives
ANSWER = 30  # seconds for a scheduler to answer, and to have a worker
Item = TypeVar("Item")
Result = TypeVar("Result")


class SchedulerLostError(RuntimeError):
    """The scheduler of a cluster is gone; what was stored before is kept."""

    def __init__(self, kept: int = 0, rows: int = 0) -> None:
        super().__init__(f"scheduler lost: {kept} of {rows} rows kept, run again to go on")


def computed(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int = 1,
    scheduler: str | None = None,
    code: str = "",
) -> Generator[tuple[int, Result], None, None]:
    """Yield the place of each item and what a function finds of it, in any order.

    Here for one job, else in worker processes, of which those begun with another `code` begin again; or in
    those of a cluster, whose scheduler may be lost.
    """
    if not items or (scheduler is None and (jobs == 1 or find_spec("joblib") is None)):  # no extra `lab`
        yield from enumerate(map(function, items))
        return
    pools: AbstractContextManager[Any]
    if scheduler is None:
        from joblib.externals.loky import get_reusable_executor

        begin = {"initializer": _follow, "initargs": (os.getpid(), code)}
        pools = nullcontext(get_reusable_executor(jobs, timeout=IDLE, **begin))
    else:
        pools = cluster(scheduler)
    with pools as pool:
        futures = {pool.submit(function, item): place for place, item in enumerate(items)}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except CancelledError:  # by nobody here
            raise SchedulerLostError from None
        finally:  # what is given up leaves no work behind
            wait([future for future in futures if not future.cancel()])


def mapped(function: Callable[[Item], Result], items: Sequence[Item], jobs: int) -> list[Result]:
    found = dict(computed(function, items, max(1, min(jobs, len(items)))))
    return [found[place] for place in range(len(items))]


@contextmanager
def cluster(scheduler: str) -> Iterator[Executor]:
    """Yield what a dask scheduler's workers compute with; a worker that is lost is replaced by the others."""
    try:
        from distributed import Client
        from distributed.comm import parse_address, parse_host_port
    except ModuleNotFoundError:
        raise ArgumentError("scheduler", scheduler, 'the extra: pip install "dp-workbench[dask]"') from None
    for name in ("distributed.client", "distributed.core"):  # a loss is said once, by whoever computes
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:  # a client that finds nobody tries for ANSWER seconds, and another minute when it is dropped
        socket.create_connection(parse_host_port(parse_address(scheduler)[1]), ANSWER).close()
        client = Client(scheduler, timeout=ANSWER, set_as_default=False)
    except (OSError, ValueError):
        raise ArgumentError("scheduler", scheduler, "the address of a dask scheduler that answers") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=ANSWER)
        except TimeoutError:
            raise ArgumentError("scheduler", scheduler, f"one with a worker within {ANSWER} s") from None
        yield client.get_executor(pure=False)


def _follow(driver: int, code: str) -> None:

    def watch() -> None:
        while os.getppid() == driver:
            time.sleep(WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
