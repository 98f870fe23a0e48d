"""Speed on an idle machine: `pytest -m benchmark -n 0 tests/test_speed.py`."""

import json
import subprocess
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from workbench.catalog import CATALOG
from workbench.cli import main
from workbench.study.bench import measured, rows
from workbench.study.sweeps import keep_freed_memory

# A call beside one numpy pass, on an idle machine: `pytest -m benchmark -n 0 tests/test_speed.py`.

ROWS = 100_000
EXAMPLES = [
    pytest.param(entry, example, id=f"{entry.key}-{number}")
    for entry in CATALOG.values()
    for number, example in enumerate(entry.examples)
]


@pytest.mark.benchmark
@pytest.mark.parametrize(("entry", "example"), EXAMPLES)
def test_the_time_of_a_call(benchmark, entry, example):
    keep_freed_memory()
    x, rng = rows(entry, ROWS, entry.population.d or 1), np.random.default_rng(1)
    with threadpool_limits(1):
        benchmark.extra_info.update(measured(entry.key, example, x, 7))
        benchmark(example.estimator, x, budget=example.budget, rng=rng)


def test_bench_says_what_a_call_costs_in_time_and_memory(capsys):
    assert main(["bench", "mean/coinpress", "--n", "3000", "--d", "4", "--repeat", "2", "--json"]) == 0
    (first, *_) = json.loads(capsys.readouterr().out)
    assert (first["key"], first["n"], first["d"]) == ("mean/coinpress", 3000, 4)
    assert first["ratio"] == first["call"] / first["one_pass"] > 1
    assert 1 < first["copies"] < 40  # an owned copy of the rows at least
    assert main(["bench", "mean/coinpress", "--n", "0"]) == 2
    assert "n = 0" in capsys.readouterr().err


# What `import workbench` costs beside its libraries, on an idle machine: as `test_speed`.

EVERYTHING = "from workbench import *; import workbench.catalog"
LIBRARIES = "import numpy, scipy.special"
ROUNDS = 4
PACKAGE_ABOVE, EVERYTHING_ABOVE = 1.5, 2.5  # times the libraries


def seconds(code):
    measured = f"from time import perf_counter as t; start = t(); {code}; print(t() - start)"
    done = subprocess.run([sys.executable, "-c", measured], capture_output=True, text=True, check=True)
    return float(done.stdout)


@pytest.mark.benchmark
def test_import_takes_no_longer_than_its_libraries():
    # the least of interleaved fresh processes: what the code needs, not what else the machine does
    codes = ("import workbench", EVERYTHING, LIBRARIES)
    package, everything, libraries = map(min, zip(*(map(seconds, codes) for _ in range(ROUNDS)), strict=True))
    assert package <= PACKAGE_ABOVE * libraries
    assert everything <= EVERYTHING_ABOVE * libraries, "the catalog costs more than our own modules should"
