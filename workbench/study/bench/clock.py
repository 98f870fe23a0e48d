"""Timing calls side by side: rounds over all of them, so that a machine that slows down slows all alike."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median
from time import perf_counter, process_time
from typing import TypeAlias

Clock: TypeAlias = Callable[[], tuple[float, float]]
Call: TypeAlias = Callable[[], object]

LEAST = 1e-3  # seconds; shorter calls are repeated within a sample, so that the clock's grain does not show


@dataclass(frozen=True)
class Times:
    """Seconds per call of every sample: on the wall, and of the processor."""

    wall: tuple[float, ...]
    cpu: tuple[float, ...]

    def record(self) -> dict[str, float]:
        """Return minimum and median of both."""
        return {
            f"{name}_{word}": choose(seconds)
            for name, seconds in (("wall", self.wall), ("cpu", self.cpu))
            for word, choose in (("min", min), ("median", median))
        }


def machine() -> tuple[float, float]:
    """Return the seconds of the wall clock and of this process."""
    return perf_counter(), process_time()


def once(call: Call, clock: Clock = machine) -> tuple[float, float]:
    """Return the seconds of one call, wall and processor."""
    return _sample(call, 1, clock)


def together(calls: Mapping[str, Call], repeat: int, clock: Clock = machine) -> dict[str, Times]:
    """Return the times of warm calls: (1) each once, which sets its batch, (2) `repeat` rounds over all."""
    batches = {name: _batch(call, clock) for name, call in calls.items()}  # (1)
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(repeat):  # (2)
        for name, call in calls.items():
            samples[name].append(_sample(call, batches[name], clock))
    return {name: _times(seconds) for name, seconds in samples.items()}


def _batch(call: Call, clock: Clock) -> int:
    wall, _ = once(call, clock)
    return max(1, ceil(LEAST / max(wall, 1e-7)))


def _sample(call: Call, times: int, clock: Clock) -> tuple[float, float]:
    wall, cpu = clock()
    for _ in range(times):
        call()
    wall_end, cpu_end = clock()
    return (wall_end - wall) / times, (cpu_end - cpu) / times


def _times(samples: Sequence[tuple[float, float]]) -> Times:
    wall, cpu = zip(*samples, strict=True)
    return Times(wall, cpu)
