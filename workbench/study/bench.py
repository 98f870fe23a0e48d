"""What one call of an estimator costs beside one numpy pass over the same rows, on one thread.

(1) rows of the entry's population (standard normal ones where `d` is not its dimension)
(2) the first call, which also designs the run: later calls find that in caches
(3) rounds over the call and the pass, side by side, so that a machine that slows down slows both
(4) one more call under `tracemalloc`, to which numpy reports every array

Only ratios within one run are compared, never seconds.
"""

import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from time import process_time
from typing import Any

from workbench.catalog import KNOWN, Entry, Example, lookup
from workbench.errors import integer_at_least
from workbench.study.store import one_thread
from workbench.study.sweeps import Role, keep_freed_memory, stream

HEADER = (
    "key", "calibration", "budget", "n", "d", "first ms", "ms", "pass ms", "ratio", "peak MB", "peak/rows",
)  # fmt: skip
LEAST = 1e-3  # seconds: shorter calls are repeated within a round, so that the clock's grain does not show


def cells(found: dict[str, Any]) -> list[str]:
    times = [f"{1e3 * found[name]:.3f}" for name in ("first", "call", "one_pass")]
    sizes = [str(found[name]) for name in ("key", "calibration", "budget", "n", "d")]
    return [*sizes, *times, f"{found['ratio']:.1f}", f"{found['peak'] / 1e6:.2f}", f"{found['copies']:.1f}"]


def bench(keys: Iterable[str], n: int, d: int | None, repeat: int) -> Iterator[dict[str, Any]]:
    """Yield the cost of every example of these entries, of all of them if there are none."""
    integer_at_least(1, n=n, repeat=repeat, **({} if d is None else {"d": d}))
    entries = [lookup(key) for key in keys] or list(KNOWN.values())
    keep_freed_memory()
    with one_thread():
        for entry in entries:
            x = rows(entry, n, 1 if entry.population.d is None else d or entry.population.d)
            for example in entry.examples:
                yield measured(entry.key, example, x, repeat)


def rows(entry: Entry, n: int, d: int) -> Any:
    rng = stream(0, Role.DATA, entry.key, 0, 0)
    fitting = entry.population.d in (None, d)
    return entry.population.sample(n, rng=rng) if fitting else rng.standard_normal((n, d))


def measured(key: str, example: Example, x: Any, repeat: int) -> dict[str, Any]:
    """Return processor seconds of the first call, a warm one and a pass, at their best; bytes at the peak."""
    rng = stream(0, Role.NOISE, key, 0, 0)

    def call() -> object:
        return example.estimator(x, budget=example.budget, rng=rng)

    first = _seconds(call, 1)  # (2)
    calls = (call, lambda: x.sum(axis=0))
    batches = [1 + int(LEAST / max(_seconds(one, 1), 1e-7)) for one in calls]
    rounds = [[_seconds(*one) for one in zip(calls, batches, strict=True)] for _ in range(repeat)]  # (3)
    warm, one_pass = map(min, zip(*rounds, strict=True))
    calibration, d = getattr(example.estimator, "calibration", ""), 1 if x.ndim == 1 else x.shape[1]
    tracemalloc.start()
    call()  # (4)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {
        "key": key,
        "calibration": calibration,
        "budget": str(example.budget),
        "n": len(x),
        "d": d,
        "first": first,
        "call": warm,
        "one_pass": one_pass,
        "peak": peak,
        "ratio": warm / one_pass,
        "copies": peak / (8 * x.size),
    }


def _seconds(call: Callable[[], object], times: int) -> float:
    begun = process_time()
    for _ in range(times):
        call()
    return (process_time() - begun) / times
