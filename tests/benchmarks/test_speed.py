"""How far an example is above its floor, on an idle machine: `pytest -m benchmark -n 0 tests/benchmarks`."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from workbench.catalog import CATALOG
from workbench.study.bench import floor
from workbench.study.bench.measure import measured, rows
from workbench.study.sweeps.allocator import keep_freed_memory

ROWS, ROUNDS = 100_000, 7
BELOW = 0.5  # a call this far below its floor means that the floor lists what the call avoids
ABOVE = 12.0  # at this many rows; a pass written as a Python loop over them is 50 times its floor

EXAMPLES = [
    pytest.param(entry, example, id=f"{entry.key}-{number}")
    for entry in CATALOG.values()
    for number, example in enumerate(entry.examples)
]


@pytest.mark.benchmark
@pytest.mark.parametrize(("entry", "example"), EXAMPLES)
def test_a_call_is_near_its_floor(benchmark, entry, example):
    keep_freed_memory()
    d = entry.population.d or 1
    x, rng = rows(entry, ROWS, d), np.random.default_rng(1)
    with threadpool_limits(1):
        found = measured(entry.key, example, x, floor(entry.key, example, ROWS, d), ROUNDS)
        benchmark.extra_info.update(ratio=found.ratio, copies=found.copies, floor=found.floor)
        benchmark(example.estimator, x, budget=example.budget, rng=rng)
    assert BELOW < found.ratio < ABOVE
