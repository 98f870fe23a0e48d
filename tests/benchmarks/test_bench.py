"""The machinery of `workbench bench`, on a clock that only moves when told to; no test here is timed."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest

from workbench.catalog import CATALOG, Example
from workbench.cli import main
from workbench.distributions import Gaussian
from workbench.populations import MultivariateGaussian
from workbench.privacy import PureDP
from workbench.study.bench import FLOORS, floor, primitives
from workbench.study.bench.clock import together
from workbench.study.bench.measure import measured, peak, rows
from workbench.study.bench.primitives import Primitive
from workbench.study.least_rows import fewest_rows

ROWS = np.zeros(1000)
WORK = 0.25  # seconds of one primitive on a fresh clock; exact in binary


@dataclass
class FakeClock:
    """Time that work spends; `speed` changes what it costs."""

    wall: float = 0.0
    cpu: float = 0.0
    slowdown: float = 1.0
    calls: list[str] = field(default_factory=list)

    def __call__(self):
        return self.wall, self.cpu

    def work(self, name, units, waiting=0.0):
        self.calls.append(name)
        self.cpu += units * WORK * self.slowdown
        self.wall += units * WORK * self.slowdown + waiting


@dataclass
class FakeEstimator:
    """Spends `units` of work, `built` more in its first call, and allocates `size` floats."""

    clock: FakeClock
    units: float
    built: float = 0.0
    size: int = 0

    def __call__(self, x, *, budget, rng):
        self.clock.work("call", self.units + self.built)
        self.built = 0.0
        return np.zeros(self.size).sum()


def fake(clock, *names):
    return tuple(Primitive(name, (1,), lambda name=name: lambda: clock.work(name, 1)) for name in names)


def cost(clock, estimator, *names, repeat=3):
    example = Example(estimator, PureDP(1.0))
    return measured("a/b", example, ROWS, fake(clock, *names), repeat, clock)


@pytest.mark.parametrize(
    ("units", "names", "ratio"), [(2, ("sort",), 2), (4, ("copy", "sort"), 2), (2, ("log", "log"), 1)]
)
def test_ratio_is_the_call_over_the_sum_of_its_primitives(units, names, ratio):
    clock = FakeClock()
    found = cost(clock, FakeEstimator(clock, units), *names)
    assert found.ratio == ratio
    assert found.record()["floor_sum"] == len(names) * WORK
    assert sum(found.floor.values()) == len(names) * WORK


def test_the_first_call_is_kept_apart_from_warm_ones():
    clock = FakeClock()
    found = cost(clock, FakeEstimator(clock, 2, built=100), "sort")
    assert found.first == 102 * WORK
    assert found.times.cpu == found.times.wall == (2 * WORK,) * 3
    assert found.ratio == 2


def test_a_machine_that_slows_down_slows_call_and_floor_alike():
    clock = FakeClock()

    class Tiring(FakeEstimator):
        def __call__(self, x, **rest):
            self.clock.slowdown *= 2
            return super().__call__(x, **rest)

    found = cost(clock, Tiring(clock, 2), "sort", repeat=8)
    assert found.times.cpu[-1] == 2**7 * found.times.cpu[0]
    assert found.ratio == 2  # the best call and the best sort are of one round


def test_waiting_shows_on_the_wall_but_not_in_the_ratio():
    clock = FakeClock()
    times = together({"call": lambda: clock.work("call", 2, waiting=10.0)}, 3, clock)["call"]
    assert times.record() == {
        "wall_min": 2 * WORK + 10, "wall_median": 2 * WORK + 10, "cpu_min": 2 * WORK, "cpu_median": 2 * WORK,
    }  # fmt: skip


def test_rounds_alternate_and_short_calls_are_batched():
    clock = FakeClock()
    calls = {"long": lambda: clock.work("long", 1), "short": lambda: clock.work("short", 1.2e-3)}
    times = together(calls, 2, clock)
    assert clock.calls == ["long", "short"] + 2 * (
        ["long"] + 4 * ["short"]
    )  # 4 × 0.3 ms is above a millisecond
    assert times["short"].cpu == pytest.approx((WORK * 1.2e-3,) * 2, rel=1e-9)


def test_minimum_and_median_of_uneven_rounds():
    clock, units = FakeClock(), iter([9, 1, 5, 2])
    record = together({"call": lambda: clock.work("call", next(units))}, 3, clock)["call"].record()
    assert (record["cpu_min"], record["cpu_median"]) == (1 * WORK, 2 * WORK)


@pytest.mark.parametrize("size", [100_000, 1_000_000])
def test_peak_memory_is_what_a_call_holds_at_once(size):
    held = peak(lambda: np.zeros(size).sum())
    assert 8 * size <= held <= 8 * size + 20_000
    assert 16 * size <= peak(lambda: [np.zeros(size), np.ones(size)]) <= 16 * size + 20_000


def test_peak_memory_is_told_in_copies_of_the_rows():
    clock = FakeClock()
    found = cost(clock, FakeEstimator(clock, 1, size=50 * len(ROWS)), "sort")
    assert 50 <= found.copies <= 55


def test_every_entry_has_a_floor_and_no_other():
    assert set(FLOORS) == set(CATALOG)


@pytest.mark.parametrize("key", CATALOG)
def test_every_example_has_a_floor_that_grows_with_the_rows(key):
    d = CATALOG[key].population.d or 1
    for example in CATALOG[key].examples:
        n = max(1000, fewest_rows(example.estimator, d, example.budget))
        few, many = floor(key, example, n, d), floor(key, example, 2 * n, d)
        assert str(few[0]) == f"copy({n}, {d})"
        assert {one.name for one in few} == {one.name for one in many}  # n may decide how often
        assert sum(max(one.size) for one in many) > sum(max(one.size) for one in few)


@pytest.mark.parametrize(
    ("primitive", "check"),
    [
        (primitives.copy(30, 4), lambda made: made.shape == (30, 4)),
        (primitives.scan(30, 4), np.isscalar),
        (primitives.log(30), lambda made: (made >= 0).all()),
        (primitives.sort(30), lambda made: (np.diff(made) >= 0).all()),
        (primitives.bincount(30, 5), lambda made: len(made) == 5 and made.sum() == 30),
        (primitives.norms(30, 4), lambda made: made.shape == (30,) and (made > 0).all()),
        (primitives.syrk(30, 4), lambda made: made.shape == (4, 4) and (made == made.T).all()),
        (primitives.gemm(30, 4), lambda made: made.shape == (30, 4)),
        (primitives.eigh(4), lambda made: (made.eigenvalues > 0).all()),
        (primitives.factor(30, 6, 4), lambda made: made.S.shape == (30, 4) and (made.S >= 0).all()),
        (primitives.distances(30, 4), lambda made: made.shape == (30, 30) and (made == made.T).all()),
        (primitives.normal(30), lambda made: made.shape == (30,) and (made < 0).any()),
        (primitives.exponential(30), lambda made: made.shape == (30,) and (made > 0).all()),
    ],
    ids=lambda value: value.name if isinstance(value, Primitive) else "result",
)
def test_primitives_do_what_they_are_named_after(primitive, check):
    assert check(primitive.prepare()())


@pytest.mark.parametrize(("d", "variance"), [(2, 100.0), (5, 1.0)])
def test_rows_are_of_the_population_or_standard_where_d_is_another(d, variance):
    law = MultivariateGaussian(Gaussian([0.0, 0.0], 100.0 * np.eye(2)))
    entry = SimpleNamespace(key="mean/fake", population=law)
    made = rows(entry, 4000, d)
    assert made.shape == (4000, d)
    assert made.var() == pytest.approx(variance, rel=0.1)
    clock = FakeClock()
    example = Example(FakeEstimator(clock, 1, size=2 * made.size), PureDP(1.0))
    found = measured("mean/fake", example, made, fake(clock, "syrk"), 1, clock)
    assert (found.n, found.d) == (4000, d)
    assert 2 <= found.copies < 2.5


def faults(first):
    """Page faults of 20 arrays of 800 kB in a fresh process."""
    code = f"""
import resource
import numpy as np
from workbench.study.sweeps.allocator import keep_freed_memory
{first}
np.ones(100_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    [np.ones(100_000) for _ in range(4)]
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
    return int(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    )


@pytest.mark.skipif(sys.platform != "linux", reason="thresholds of glibc")
def test_freed_memory_is_kept():
    assert faults("keep_freed_memory()") < 0.25 * faults("")


FIELDS = {
    "key": str, "calibration": str, "budget": str, "n": int, "d": int, "first": float, "floor": dict,
    "peak": int, "wall_min": float, "wall_median": float, "cpu_min": float, "cpu_median": float,
    "floor_sum": float, "ratio": float, "copies": float,
}  # fmt: skip


def test_json_has_one_schema(capsys):
    key = "univariate/histogram-location"
    assert main(["bench", key, "--n", "200", "--repeat", "2", "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert len(records) == len(CATALOG[key].examples)
    for record in records:
        assert {name: type(value) for name, value in record.items()} == FIELDS
        assert record["wall_min"] <= record["wall_median"]
        assert record["ratio"] == pytest.approx(record["cpu_min"] / sum(record["floor"].values()))
        assert record["copies"] == pytest.approx(record["peak"] / (8 * 200))
        assert (record["key"], record["n"], record["d"]) == (key, 200, 1)


def test_table_has_one_row_for_every_example(capsys):
    key = "univariate/stable-location"
    assert main(["bench", key, "--n", "100", "--repeat", "1"]) == 0
    header, _, *lines = capsys.readouterr().out.splitlines()
    assert header.split()[:5] == ["key", "calibration", "budget", "n", "d"]
    assert [line.split()[0] for line in lines] == [key] * len(CATALOG[key].examples)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("mean/median",), ("key = 'mean/median'", "did you mean univariate/median")),
        (("--n", "0"), ("n = 0", "at least 1")),
        (("univariate/median", "--n", "1"), ("n = 1", "at least 2")),
        (("--repeat", "0"), ("repeat = 0", "at least 1")),
        (("--d", "0"), ("d = 0", "at least 1")),
    ],
)
def test_errors_are_one_line(capsys, arguments, words):
    assert main(["bench", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert all(word in printed.err for word in words)
