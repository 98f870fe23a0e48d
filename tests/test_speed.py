"""Speed on an idle machine: `pytest -m benchmark -n 0 tests/test_speed.py`."""

import json

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from workbench.catalog import CATALOG
from workbench.cli import main
from workbench.contracts.datasets import dimension
from workbench.contracts.kit import cases
from workbench.study.bench import measured, rows
from workbench.study.sweeps import keep_freed_memory

ROWS = 100_000
EXAMPLES = [one for private in (True, False) for one in cases(CATALOG.values(), private)]


@pytest.mark.benchmark
@pytest.mark.parametrize(("key", "example", "words"), EXAMPLES)
def test_the_time_of_a_call(benchmark, key, example, words):
    keep_freed_memory()
    x, rng = rows(CATALOG[key], ROWS, dimension(example) or 1), np.random.default_rng(1)
    with threadpool_limits(1):
        benchmark.extra_info.update(measured(key, example, x, 7))
        benchmark(example.estimator, x, budget=example.budget, rng=rng)


def test_bench_says_what_a_call_costs_in_time_and_memory(capsys):
    assert main(["bench", "mean/coinpress", "--n", "3000", "--d", "4", "--repeat", "2", "--json"]) == 0
    (first, *_) = json.loads(capsys.readouterr().out)
    assert (first["key"], first["n"], first["d"]) == ("mean/coinpress", 3000, 4)
    assert first["ratio"] == first["call"] / first["one_pass"] > 1
    assert 1 < first["copies"] < 40  # an owned copy of the rows at least
    assert main(["bench", "mean/coinpress", "--n", "0"]) == 2
    assert "n = 0" in capsys.readouterr().err
