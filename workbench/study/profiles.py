"""The one module of levels and profiles: how often a true thing may fail, how much work may be spent."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from workbench.errors import ArgumentError, integer_at_least, positive, probability

FEWEST = 8  # trials of a block that is still worth its place in a figure

CONTRACT_LEVEL = 1e-6
"""False alarms per statistical test of the suite: smaller fails less by chance and needs more draws."""

CLAIM_LEVEL = 6e-3
"""False refutations over all published claims: smaller protects true claims and leaves more undecided."""

CLAIM_CHECKS = 1200
"""Checks that share `CLAIM_LEVEL`: more leaves room for new claims and gives each less power."""

AUDIT_LEVEL = 1e-4
"""False alarms per confirmed privacy attack: smaller makes an alarm conclusive and proves less leakage."""


def claim_level(checks: int = CLAIM_CHECKS, overall: float = CLAIM_LEVEL, *, parts: int = 1) -> float:
    """Return the level of one check out of `checks`, so that all together stay at `overall` (union bound).

    Where several checks or intervals share the level of one, each is a share of it, one of `parts`.

    The default count is fixed in advance and not counted from the claims that exist: adding a claim must not
    change the level, and with it the verdict, of another one.

    >>> claim_level(30)
    0.0002
    """
    integer_at_least(1, checks=checks, parts=parts)
    probability(overall=overall)
    return overall / checks / parts


@dataclass(frozen=True)
class Profile:
    """How much of the work is done: which share of full's blocks, within which budget.

    Parameters
    ----------
    name : str
        The word on the command line.
    share : float
        Blocks of every point as a multiple of full's; a smaller profile computes the first ones of a larger.
    core_seconds : float
        What all sweeps under this profile may cost together, in seconds of one core.
    """

    name: str
    share: float
    core_seconds: float

    def __post_init__(self) -> None:
        positive(share=self.share, core_seconds=self.core_seconds)


QUICK = Profile("quick", 0.1, 150)
"""For a person who waits: three minutes on two cores, and wide intervals."""

SKETCH, FEW = 0.025, 50
"""What quick computes of a sweep: this share of full's trials, so many at a point where a block has them."""

CI = Profile("ci", 0.25, 375)
"""For every change: trials enough to catch a wrong factor of two, few enough to run beside the tests."""

FULL = Profile("full", 1.0, 1500)
"""For the committed figures and verdicts: trials enough to decide, at half an hour on two cores."""

DEEP = Profile("deep", 4.0, 6000)
"""For doubt: intervals half as wide as full's, at two hours on two cores."""

PROFILES: Mapping[str, Profile] = MappingProxyType({p.name: p for p in (QUICK, CI, FULL, DEEP)})


def blocks(full: int) -> dict[str, int]:
    """Return the number of blocks of every profile, given full's; each has at least one.

    >>> blocks(20)
    {'quick': 2, 'ci': 5, 'full': 20, 'deep': 80}
    """
    integer_at_least(1, full=full)
    return {name: max(1, round(profile.share * full)) for name, profile in PROFILES.items()}


@dataclass(frozen=True)
class Work:
    """What a notebook that starts from nothing costs, in core-seconds of the reference machine (`speed`).

    Parameters
    ----------
    expected : float
        As measured: the estimate that is printed first.
    budget : float
        As allowed: a run above it says so.
    blocks : int
        Of all its sweeps together, as counted: what its progress is measured by, and nothing else.
    """

    expected: float
    budget: float
    blocks: int = 0

    def __post_init__(self) -> None:
        positive(expected=self.expected, budget=self.budget)
        integer_at_least(0, blocks=self.blocks)


NOTEBOOKS: Mapping[str, Mapping[str, Work]] = MappingProxyType(
    {
        "00_start_here": {"quick": Work(expected=8, budget=30), "full": Work(expected=20, budget=60)},
        "01_what_epsilon_means": {
            "quick": Work(expected=17, budget=35, blocks=39),
            "full": Work(expected=90, budget=140, blocks=766),
        },
        "02_one_mean": {
            "quick": Work(expected=111, budget=140, blocks=1133),
            "full": Work(expected=1470, budget=1700, blocks=13985),
        },
        "03_many_dimensions": {
            "quick": Work(expected=51, budget=60, blocks=196),
            "full": Work(expected=740, budget=850, blocks=8570),
        },
        "04_covariance": {
            "quick": Work(expected=55, budget=60, blocks=115),
            "full": Work(expected=880, budget=1000, blocks=6115),
        },
        "05_any_gaussian": {
            "quick": Work(expected=40, budget=60, blocks=319),
            "full": Work(expected=950, budget=1100, blocks=4890),
        },
        "07_robust_and_private": {
            "quick": Work(expected=50, budget=80, blocks=297),
            "full": Work(expected=1050, budget=1250, blocks=4178),
        },
        "08_sparse_covariance": {
            "quick": Work(expected=69, budget=95, blocks=599),
            "full": Work(expected=420, budget=600, blocks=4188),
        },
        "06_matrix_quantile": {
            "quick": Work(expected=80, budget=115, blocks=192),
            "full": Work(expected=650, budget=800, blocks=4804),
        },
        "09_which_one": {
            "quick": Work(expected=31, budget=45, blocks=21),
            "full": Work(expected=70, budget=120, blocks=404),
        },
    }
)
"""Notebook -> profile -> its costs. Measured with `workbench reproduce NOTEBOOK`, which prints them."""


@dataclass(frozen=True)
class AuditPreset:
    """How long an attack on a mechanism's privacy looks, on either of two neighbours.

    Parameters
    ----------
    name : str
        The word on the command line.
    n_screen, n_train, n_test : int
        Runs that choose a pair, choose an event, and confirm it.
    """

    name: str
    n_screen: int
    n_train: int
    n_test: int

    def __post_init__(self) -> None:
        integer_at_least(4, n_screen=self.n_screen, n_train=self.n_train, n_test=self.n_test)

    def scaled(self, share: float) -> "AuditPreset":
        """Return the preset with a share of its runs, 100 at least; decided by what a run costs."""
        positive(share=share)
        sizes = (max(100, round(share * size)) for size in (self.n_screen, self.n_train, self.n_test))
        return AuditPreset(self.name, *sizes)


AUDIT_CI = AuditPreset("ci", 1_000, 2_000, 8_000)
"""For every change: finds noise too small by the factor √2 at μ or ε of about 2."""

AUDIT_DEEP = AuditPreset("deep", 5_000, 20_000, 200_000)
"""For doubt: finds noise too small by a few per cent at μ or ε of about 2, in minutes."""

AUDITS: Mapping[str, AuditPreset] = MappingProxyType({p.name: p for p in (AUDIT_CI, AUDIT_DEEP)})


# Who computes for a driver: worker processes of its own, which end when it does, or those of a cluster.


IDLE = 60  # seconds after which workers without work end
WATCH = 0.5  # seconds between two looks at whether the driver lives
ANSWER = 30  # seconds for a scheduler to answer, and to have a worker
Item = TypeVar("Item")
Result = TypeVar("Result")


def workers(jobs: int, code: str = "") -> Executor:
    """Return the worker processes; those begun with another `code` begin again."""
    from joblib.externals.loky import get_reusable_executor

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
    """Return what a function finds of each item, in their order: here for one job, else in workers.

    Without the extra `lab` there are no workers.
    """
    jobs = min(jobs, len(items))
    if jobs <= 1 or find_spec("joblib") is None:
        return [function(item) for item in items]
    return list(workers(jobs).map(function, items))


def one_thread() -> AbstractContextManager[Any]:
    """Let linear algebra have one thread for a while; without the extra `lab` it has what it has."""
    if find_spec("threadpoolctl") is None:
        return nullcontext()
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)  # type: ignore[no-any-return]


def _follow(driver: int, code: str) -> None:
    """End this worker when its driver is gone: it would wait for work a while longer, and be seen to."""
    threading.Thread(target=_watch, args=(driver,), daemon=True).start()


def _watch(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(WATCH)
    os._exit(1)


# How fast this machine is: a fixed computation, timed here and once on the reference machine.
#
# Costs known from the reference machine (`profiles.NOTEBOOKS`) times `slowness()` are costs here.


REFERENCE = 0.088
"""Core-seconds of the computation on the machine on which `profiles.NOTEBOOKS` was measured."""

ROUNDS, ROWS, REPEATS = 60, 50_000, 5


def slowness(clock: Callable[[], float] = time.thread_time) -> float:
    """Return how many times the core-seconds of the reference machine a computation takes here, about.

    By a `clock` on the wall, `time.perf_counter`, what else runs here counts, too.
    """
    with one_thread():
        return sorted(_seconds(clock) for _ in range(REPEATS))[REPEATS // 2] / REFERENCE


def _seconds(clock: Callable[[], float]) -> float:
    rng, started = np.random.default_rng(0), clock()
    for _ in range(ROUNDS):
        x = rng.standard_normal(ROWS)
        counts = np.bincount(np.floor(x).astype(np.int64) + 10)
        np.partition(x, (ROWS // 4, ROWS // 2))
        sum(float(count) for count in counts for _ in range(100))
    return clock() - started
