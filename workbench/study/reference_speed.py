"""How fast this machine is: a fixed computation, timed here and once on the reference machine.

Costs known from the reference machine (`profiles.NOTEBOOKS`) times `slowness()` are costs here.
"""

import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

REFERENCE = 0.088
"""Core-seconds of the computation on the machine on which `profiles.NOTEBOOKS` was measured."""

ROUNDS, ROWS, REPEATS = 60, 50_000, 5


def slowness(clock: Callable[[], float] = time.thread_time) -> float:
    """Return how many times the core-seconds of the reference machine a computation takes here, about.

    By a `clock` on the wall, `time.perf_counter`, what else runs here counts, too.
    """
    with threadpool_limits(1):
        return sorted(_seconds(clock) for _ in range(REPEATS))[REPEATS // 2] / REFERENCE


def _seconds(clock: Callable[[], float]) -> float:
    rng, started = np.random.default_rng(0), clock()
    for _ in range(ROUNDS):
        x = rng.standard_normal(ROWS)
        counts = np.bincount(np.floor(x).astype(np.int64) + 10)
        np.partition(x, (ROWS // 4, ROWS // 2))
        sum(float(count) for count in counts for _ in range(100))
    return clock() - started
