"""One call of every example of an entry, beside its floor, in the same process, on one thread.

(1) rows of the entry's population (standard normal ones where `d` is not its dimension)
(2) the first call: it also designs the run and simulates critical values, which later calls find; an example
    whose design another one has already built in this process shows a warm call here
(3) rounds over the call and its primitives: minimum and median, wall and processor time
(4) one more call under `tracemalloc`, to which numpy reports every array: the peak of what was allocated
    during the call, the same on every run. The resident size of a process never falls, so that it would show
    the largest call so far. Workspaces inside BLAS and LAPACK are not seen.

The ratio is that of the minima of processor time.
"""

import tracemalloc
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from workbench.catalog import KNOWN, Entry, Example, lookup
from workbench.errors import integer_at_least
from workbench.study.bench.clock import Call, Clock, Times, machine, once, together
from workbench.study.bench.floors import floor, require_floor
from workbench.study.bench.primitives import Floor
from workbench.study.sweeps.allocator import keep_freed_memory
from workbench.study.sweeps.streams import Role, stream

CALL = "call"


@dataclass(frozen=True)
class Measured:
    """What one example cost: seconds, bytes, and the seconds of each primitive of its floor."""

    key: str
    calibration: str
    budget: str
    n: int
    d: int
    first: float
    times: Times
    floor: dict[str, float]
    peak: int

    @property
    def ratio(self) -> float:
        """Processor time over the sum of the primitives, both at their best."""
        return min(self.times.cpu) / sum(self.floor.values())

    @property
    def copies(self) -> float:
        """Peak memory over the size of the rows."""
        return self.peak / (8 * self.n * self.d)

    def record(self) -> dict[str, Any]:
        """Return everything as numbers and words."""
        times = self.times.record()
        rest = {name: value for name, value in asdict(self).items() if name != "times"}
        computed = {"floor_sum": sum(self.floor.values()), "ratio": self.ratio, "copies": self.copies}
        return rest | times | computed


def bench(
    keys: Iterable[str], n: int, d: int | None, repeat: int, clock: Clock = machine
) -> Iterator[Measured]:
    """Yield the cost of every example of these entries, of all of them if there are none."""
    integer_at_least(1, n=n, repeat=repeat, **({} if d is None else {"d": d}))
    entries = [lookup(key) for key in keys] or list(KNOWN.values())
    for entry in entries:
        require_floor(entry.key)
    keep_freed_memory()
    with threadpool_limits(1):
        for entry in entries:
            columns = 1 if entry.population.d is None else d or entry.population.d
            x = rows(entry, n, columns)
            for example in entry.examples:
                yield measured(entry.key, example, x, floor(entry.key, example, n, columns), repeat, clock)


def rows(entry: Entry, n: int, d: int) -> Any:
    """Return the rows of step (1)."""
    rng = stream(0, Role.DATA, entry.key, 0, 0)
    fitting = entry.population.d in (None, d)
    return entry.population.sample(n, rng=rng) if fitting else rng.standard_normal((n, d))


def measured(
    key: str, example: Example, x: Any, floor: Floor, repeat: int, clock: Clock = machine
) -> Measured:
    """Return the measured cost of one example on these rows."""
    rng = stream(0, Role.NOISE, key, 0, 0)

    def call() -> object:
        return example.estimator(x, budget=example.budget, rng=rng)

    first, _ = once(call, clock)  # (2)
    operations = {str(primitive): primitive.prepare() for primitive in floor}
    times = together({CALL: call} | operations, repeat, clock)  # (3)
    seconds = dict.fromkeys(operations, 0.0)
    for primitive in floor:  # one that is needed twice counts twice
        seconds[str(primitive)] += min(times[str(primitive)].cpu)
    d = 1 if np.ndim(x) == 1 else np.shape(x)[1]
    calibration = getattr(example.estimator, "calibration", "")
    budget, n = str(example.budget), len(x)
    return Measured(key, calibration, budget, n, d, first, times[CALL], seconds, peak(call))


def peak(call: Call) -> int:
    """Return the bytes of step (4)."""
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not tracing:
            tracemalloc.stop()
