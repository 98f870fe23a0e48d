"""How fast this machine is just now: a fixed computation, timed here and once on the reference machine."""

import numpy as np
from threadpoolctl import threadpool_limits

REFERENCE = 0.088  # seconds on the machine on which latencies were first measured
ROUNDS, ROWS, REPEATS = 60, 50_000, 5


def slowness(clock):
    """Return how many times the reference machine's seconds by this clock the computation takes here."""
    with threadpool_limits(1):
        return sorted(_seconds(clock) for _ in range(REPEATS))[REPEATS // 2] / REFERENCE


def _seconds(clock):
    rng, started = np.random.default_rng(0), clock()
    for _ in range(ROUNDS):
        x = rng.standard_normal(ROWS)
        counts = np.bincount(np.floor(x).astype(np.int64) + 10)
        np.partition(x, (ROWS // 4, ROWS // 2))
        sum(float(count) for count in counts for _ in range(100))
    return clock() - started
