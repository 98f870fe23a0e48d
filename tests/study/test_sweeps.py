"""Sweeps: the same numbers whoever computes them, one schema, what is kept or lent, a figure's runs."""

import importlib
import itertools
import math
import os
import platform
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from tests.lab.conftest import ROOT
from workbench.chapters.covariance.heavy_tails import spreads
from workbench.chapters.one_mean.locating import clipped
from workbench.errors import ArgumentError
from workbench.lab.runner import THREADS
from workbench.privacy import ApproxDP
from workbench.study import store as database
from workbench.study import sweeps
from workbench.study.store import Store, home
from workbench.study.sweeps import (
    CellError,
    Resources,
    Role,
    Run,
    Sweep,
    TooMuchWorkError,
    at_budget,
    columns,
    compute,
    forget,
    grid,
    lending,
    point_id,
    resources,
    run,
    stream,
    table,
    task,
)

SEED = 20240
COUNTS, COUNT = {"quick": 2, "full": 3}, "SELECT COUNT(*) FROM cells"
STRANGE = [0.1, -0.0, np.inf, -np.inf, 5e-324, 1e308, 1 / 3, np.nextafter(1.0, 2.0)]
CALLS = []


def measure(*, trials, data, noise, **point):
    """Matrix sums whose last bits depend on the number of BLAS threads; abstains when the noise is large."""
    CALLS.append(point)
    x = data.standard_normal((trials, int(point["n"]), 60))
    error = np.linalg.eigvalsh(x.transpose(0, 2, 1) @ x)[:, -1]
    draw = noise.standard_normal(trials)
    strange = np.resize(STRANGE, trials)
    return {
        "error": np.where(draw > 1, np.inf, error), "draw": draw, "strange": strange, "abstained": draw > 1,
    }  # fmt: skip


def sweep(points=None, block=measure, name="demo", trials=8):
    return Sweep(name, points or grid(n=np.array([3, 7])), block, trials=trials, blocks=COUNTS)


def ran(one=None, profile="quick", seed=SEED, **options):
    with lending(**options):
        return run(one or sweep(), profile, seed=seed)


def same(a, b):
    assert a.equals(b)
    numbers = [frame.select_dtypes("number").to_numpy(np.float64).tobytes() for frame in (a, b)]
    assert numbers[0] == numbers[1]  # zeros have signs


@pytest.fixture(autouse=True)
def _clean():
    forget()
    CALLS.clear()
    yield
    forget()


def test_numbers_depend_on_the_content_of_a_point_and_on_no_order():
    wide = sweep(grid(n=[300, 400], mode=["proved", "practical"]))
    whole, quick = ran(wide, "full"), ran(wide)
    cells = [compute(task(wide, *address, SEED)) for address in wide.addresses("full")]
    shuffled = [cells[i] for i in np.random.default_rng(0).permutation(len(cells))]
    same(table("demo", wide.points, 8, shuffled), whole)
    same(whole[whole["block"] < 2].reset_index(drop=True), quick)
    alone = ran(sweep([{"mode": "practical", "n": 400}]))
    there = quick[(quick["n"] == 400) & (quick["mode"] == "practical")].reset_index(drop=True)
    same(there[alone.columns], alone)


def test_streams_are_pinned_and_every_part_of_their_address_counts():
    def first(*address):
        return tuple(stream(*address).integers(2**63, size=2))

    addresses = [*itertools.product((0, 2**70), (Role.DATA, Role.NOISE), "ab", (0, 2**32 - 1), (0, 1))]
    assert len({first(*address) for address in addresses}) == len(addresses)
    # the numbers behind every committed figure: a change here is a change of all of them
    assert [role.value for role in Role] == list(range(len(Role)))
    pinned = first(7, Role.DATA, "pinned", point_id({"n": 100, "mode": "proved"}), 3)
    assert pinned == (1689782247900495947, 8174044525002068671)
    noise = stream(SEED, Role.NOISE, "demo", point_id({"n": 7}), 1)
    assert (compute(task(sweep(), 1, 1, SEED)).columns["draw"] == noise.standard_normal(8)).all()
    for seed, point, block in [(-1, 0, 0), (0, -1, 0), (0, 2**32, 0), (0, 0, 2**32), (0, 0, 0.5)]:
        with pytest.raises(ArgumentError):
            stream(seed, Role.DATA, "a", point, block)
    base = {"n": 100, "epsilon": 0.5}
    assert point_id(base) == point_id({"epsilon": np.float64(0.5), "n": 100.0})
    others = [{"n": value} for value in (101, 100.5, -100, "100", math.inf, "inf", "Infinity", 1e300)]
    ids = {point_id(base | other) for other in (*others, {"epsilon": 0.25}, {"d": 3}, {})}
    assert len(ids) == 3 + len(others)


def threads(*, trials, data, noise, **point):
    return {"threads": np.full(trials, max(pool["num_threads"] for pool in threadpool_info()))}


def test_the_schema_and_one_thread_for_a_block():
    frame = ran(profile="full")
    assert " ".join(frame.columns) == "sweep point block trial n error draw strange abstained"
    assert not frame.duplicated(["point", "block", "trial"]).any()
    assert 0 < frame["abstained"].sum() < len(frame) == 2 * 3 * 8
    assert (np.isinf(frame["error"]) == frame["abstained"]).all()
    with threadpool_limits(2):
        frame = ran(sweep(block=threads))
    assert {*frame["threads"]} == {1}
    assert not frame["abstained"].any()  # a block without the flag never abstains


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (lambda trials: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda trials: {"error": np.zeros(trials - 1)}, "shape"),
        (lambda trials: {"error": np.full(trials, np.nan)}, "no nan"),
        (lambda trials: {"error": np.zeros(trials), "abstained": np.ones(trials) > 0}, "inf wherever the"),
        (lambda trials: {"n": np.zeros(trials)}, "no parameter"),
        (lambda trials: {"error": ["large"] * trials}, "numbers or booleans"),
        (lambda trials: {"error": np.full(trials, np.inf), "abstained": np.ones(trials)}, "of booleans"),
    ],
)
def test_a_failing_cell_names_the_sweep_and_the_point(block, message):
    with pytest.raises(CellError, match=rf"sweep 'demo', point {{'n': 3}}, block 0: .*{message}"):
        ran(sweep(block=lambda *, trials, **_: block(trials)))


@pytest.mark.parametrize(
    "change",
    [
        *({"points": points} for points in ([], [{"n": 1}, {"n": 1.0}], [{"n": 1}, {"d": 1}])),
        *({"points": points} for points in ([{"n": 1}, {"n": "one"}], [{"n": math.nan}], [{"n": None}])),
        *({"points": [{name: 1}]} for name in ("block", "abstained")),
        *({"name": ""}, {"trials": 0}, {"blocks": {"quick": 0}}, {"blocks": {"swift": 1}}, {"blocks": 3}),
        *({"points": 3}, {"points": "n"}),
    ],
)
def test_a_sweep_outside_its_domain_is_refused(change):
    with pytest.raises(ArgumentError):
        Sweep(**{"name": "a", "points": grid(n=1), "block": measure, "trials": 1, "blocks": COUNTS} | change)


def test_points_are_what_the_block_takes_and_columns_are_those_of_every_block():
    def types(n: int, share: float, free, *, trials, data, noise):
        kinds = [isinstance(n, int), isinstance(share, float), isinstance(free, float)]
        return {"right": np.full(trials, all(kinds))}

    axes = {"n": [1000.0, 20], "share": [1, 0.5], "free": 2.0}
    assert ran(sweep(grid(**axes), types))["right"].all()
    for wrong in ({"share": 1}, {**axes, "d": 5}):
        with pytest.raises(ArgumentError, match="function of them"):
            sweep(grid(**wrong), types)
    uneven = lambda *, n, trials, **_: {"a" if n == 3 else "b": np.zeros(trials)}  # noqa: E731
    with pytest.raises(ArgumentError, match="as in the first block"):
        ran(sweep(block=uneven))


def test_run_computes_once_and_hands_out_copies(monkeypatch):
    once = ran()
    once["error"] = 0.0
    assert (ran()["error"] > 0).all()
    assert len(CALLS) == 2 * 2
    assert {*ran(sweep(grid(n=200)))["n"]} == {200}  # other sweeps of the same name
    assert "threads" in ran(sweep(block=threads))
    monkeypatch.setattr(sweeps, "REMEMBERED", 2)
    for seed in range(4):
        ran(seed=seed)
    assert [seed for _, _, seed, _ in sweeps._memory] == [2, 3]


def test_what_is_lent_is_refused_in_one_line_and_ends_with_the_block(tmp_path):
    for wrong in ({"jobs": 0}, {"jobs": 1.5}, {"jobs": None}, {"limit": 0}):
        with pytest.raises(ArgumentError, match=next(iter(wrong))), lending(store=tmp_path), lending(**wrong):
            pass
    assert resources() == Resources(store=None, jobs=1)
    found = []
    with lending(noted=found):
        assert len(ran(profile="full")) == 0
    assert found == [2 * 3]
    assert len(CALLS) == 1  # which tells the columns


def drawn(n, *, trials, data, noise, epsilon=1.0):
    assert 100 / epsilon <= n < 10**6, "too few, as plans say, or too many to draw"
    return {"error": data.standard_normal((trials, n)).mean(axis=1)}


USUAL = Sweep("test-run", grid(n=(20_000, 40_000)), drawn, 40, {"quick": 2, "full": 3})


def test_the_usual_points_are_those_of_the_claims_and_those_in_common_have_the_same_numbers():
    usual, moved = run(USUAL.under("quick"), "quick", seed=3), USUAL.moved(grid(n=(40_000, 30_000)))
    assert Run("quick", 3).table(USUAL.moved(USUAL.points)).equals(usual)
    found = Run("quick", 3).table(moved)
    assert found[found["n"] == 40_000]["error"].tolist() == usual[usual["n"] == 40_000]["error"].tolist()
    assert moved.usual == moved.moved(grid(n=1)).usual == USUAL.points
    assert len(Run("quick", 3, most=2).table(USUAL)) == 2 * 2
    far = USUAL.moved(grid(n=(10**9, 10**9 + 1)), epsilon=1e-3)  # where columns are told, nothing runs there
    empty = Run("quick", 3, simulate=False).table(far)
    assert list(empty) == ["sweep", "point", "block", "trial", "n", "epsilon", "error", "abstained"]
    assert len(empty) == 0
    assert list(columns(USUAL, "quick", seed=3)) == list(usual)


def test_more_work_means_fewer_trials_and_far_more_is_refused():
    far = USUAL.moved(grid(n=(150_000, 150_001)))
    assert len(Run("quick", 3).table(USUAL.moved(grid(n=(60_000, 60_000 + 1))))) == 2 * 40
    assert len(Run("quick", 3).table(far)) == 2 * 2 * 19
    with lending(limit=1000):
        assert len(Run("quick", 3).table(far)) == 2 * 40
    said = r"^work of test-run: 20.* times the usual, 2 allowed; `workbench reproduce --limit 2.` runs it$"
    with pytest.raises(TooMuchWorkError, match=said):
        Run("quick", 3).table(USUAL.moved(grid(n=(800_000, 800_001))))


def at(n=3, *, trials, data, noise, epsilon=1.0, delta=1e-6):
    return {"error": data.standard_normal(trials) / epsilon}


def test_a_sweep_at_another_budget_has_fewer_trials_for_more_work_and_at_its_own_is_the_same():
    own, other = sweep(block=at, trials=40), ApproxDP(0.5, 1e-6)
    same(ran(at_budget(own, ApproxDP(1.0, 1e-6))), ran(own))
    moved = at_budget(own, other, grid(n=10**9))
    assert (moved.points, moved.trials) == (({"n": 10**9, "epsilon": 0.5},), 40)  # the usual δ is no part
    with pytest.raises(TooMuchWorkError):
        Run("full", 3).table(moved)
    for work, trials in ((0.1, 40), (2.0, 40), (3.9, 20), (32.0, 2), (1e9, 2)):
        told = at_budget(own, other, grid(n=10**9), work)  # the points do not say how much
        assert len(Run("full", 3).table(told)) == trials * COUNTS["full"]
        assert told.points == moved.points
    with lending(limit=3.9):
        assert at_budget(own, other, work=3.9).trials == 40
    assert at_budget(sweep(block=at, trials=1), other, work=1e9).trials == 1


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sweeps.sqlite"


def kept(path):
    with closing(sqlite3.connect(path)) as connection:
        ((count,),) = connection.execute(COUNT)
    return count


@pytest.mark.parametrize("options", [{}, pytest.param({"jobs": 2}, marks=pytest.mark.daily)])
def test_a_stored_sweep_has_the_rows_of_one_without_a_store_and_goes_on_from_what_is_there(path, options):
    wider = sweep(grid(n=[1, 7, 3]))
    plain = ran(wider, "full")
    ran(store=path, **options)
    for missing in (9 - 4, 0):
        CALLS.clear()
        same(plain, ran(wider, "full", store=path))
        assert len(CALLS) == missing
        assert kept(path) == 9


def other(*, trials, data, noise, **point):
    return measure(trials=trials, data=data, noise=noise, **point)


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("changed", "seed", "software"),
    [
        (sweep(), SEED + 1, ""),
        (sweep(block=other), SEED, ""),
        (sweep(name="other"), SEED, ""),
        (sweep(trials=9), SEED, ""),
        (sweep(grid(n=[3.0, 7.0])), SEED, ""),
        (sweep(), SEED, "a later version"),
    ],
)
def test_rows_of_anything_else_are_not_reused(path, changed, seed, software, monkeypatch):
    ran(store=path)
    monkeypatch.setattr(database, "SOFTWARE", software or database.SOFTWARE)
    CALLS.clear()
    same(ran(changed, seed=seed, store=path), ran(changed, seed=seed))
    assert len(CALLS) == 2 * 4
    assert kept(path) == 8


def test_a_package_that_was_written_since_it_was_imported_is_refused(path, monkeypatch, tmp_path):
    source = tmp_path / "package" / "part" / "module.py"
    source.parent.mkdir(parents=True)
    source.write_text("x = 1\n")
    monkeypatch.setattr(database, "PACKAGE", tmp_path / "package")
    monkeypatch.setattr(database, "WRITTEN", database._written())
    ran(store=path)
    os.utime(source, ns=(0, database.WRITTEN + 1))
    with pytest.raises(ArgumentError, match=r"package = 'workbench': expected no change .*\(start again\)"):
        ran(store=path)
    stale = task(sweep(), 0, 0, SEED)._replace(software="another version")  # as a worker's may be
    with pytest.raises(CellError, match=r"sweep 'demo', point .*other software"):
        compute(stale)


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module of the user's own, and import it as it is then."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def written(source):
        (tmp_path / "a_helper.py").write_text(source)
        monkeypatch.delitem(sys.modules, "a_helper", raising=False)
        return importlib.import_module("a_helper")

    return written


@pytest.mark.daily
def test_workers_do_not_keep_code_that_was_edited(path, tmp_path, module, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    for value in (1.0, 2.0):
        edited = module(f"def block(*, trials, **_): return {{'error': [{value}] * trials}}").block
        assert {*ran(sweep(block=edited), store=path, jobs=2)["error"]} == {value}


def stated(statement):
    """Change a database by a statement, which may ask for the sum of a block's content."""

    def spoil(path):
        with closing(sqlite3.connect(path)) as connection:
            connection.create_function("checksum", 5, database.checksum)
            connection.execute(statement)
            connection.commit()

    return spoil


PLANTED = """
UPDATE cells SET columns = '[["error", "|O"]]',
    digest = checksum(sweep, point, block, '[["error", "|O"]]', numbers)
"""
INTACT, USABLE = "an intact database of sweeps", "a database of sweeps that can be read and written"


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("filled", "spoil", "expected"),
    [
        (False, lambda path: path.mkdir(), USABLE),
        (True, lambda path: path.write_bytes(path.read_bytes()[:5000]), INTACT),
        (True, stated("UPDATE cells SET numbers = zeroblob(length(numbers)) WHERE block = 1"), INTACT),
        (True, stated(PLANTED), INTACT),
        (True, stated("PRAGMA user_version = 99"), USABLE),
        (False, stated("CREATE TABLE cells (mine TEXT)"), USABLE),
    ],
)
def test_a_file_that_is_no_intact_store_is_one_line(path, filled, spoil, expected):
    if filled:
        ran(profile="full", store=path)
    spoil(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(ArgumentError, match=f"expected {expected}") as caught:
        ran(profile="full", store=path)
    assert "\n" not in str(caught.value)
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    assert before is None or path.read_bytes() == before


def test_readers_see_what_is_committed_while_the_writer_goes_on(path):
    ran(store=path)
    with Store(path) as reader:
        reader.fetch("BEGIN")
        assert reader.fetch(COUNT) == [(4,)]
        ran(profile="full", store=path)  # a reader in the middle of reading blocks no writer
        assert reader.fetch(COUNT) == [(4,)]  # and sees one state
        reader.fetch("COMMIT")
        assert reader.fetch(COUNT) == [(6,)]


@pytest.mark.daily
def test_several_drivers_may_make_and_fill_one_store(tmp_path):
    cells = [compute(task(sweep(), *address, SEED)) for address in sweep().addresses("full")]

    def drive(path):
        with Store(path) as store:
            shelf = store.shelf("demo", measure, 8, seed=SEED)
            for cell in cells:
                shelf.put(sweep().points[cell.position], cell)

    with ThreadPoolExecutor(4) as pool:
        for number in range(25):
            path = tmp_path / f"{number}.sqlite"
            assert [*pool.map(drive, [path] * 4)] == [None] * 4
            assert kept(path) == 6
    same(ran(profile="full", store=path), ran(profile="full"))
    assert kept(path) == 6


KINDS = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")
VECTORS = tuple(np.show_config(mode="dicts")["SIMD Extensions"].get("found", ()))


def test_a_block_is_known_by_its_name_and_outside_the_package_by_its_file(module):
    assert home(spreads) == (spreads.__module__, "spreads", "")
    assert home(clipped) == (clipped.func.__module__, "on_range of ['ClippedMean']", "")
    first, again = (module("def block(): return 1").block for _ in range(2))
    with pytest.raises(ArgumentError, match="at the top of a module"):
        home(first)  # which was replaced
    known = home(again)
    assert known[:2] == ("a_helper", "block")
    assert known == home(module("def block(): return 1").block)
    assert known != home(module("def block(): return 2").block)
    for block in (lambda: 1, partial(lambda: 1), object(), ROOT.exists, len):
        with pytest.raises(ArgumentError, match=r"^block = .*a function at the top of a module[^\n]*$"):
            home(block)


@pytest.mark.daily
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="kernels of x86-64")
def test_another_kernel_is_another_store_and_other_threads_are_not():
    code = "from workbench.study.store import SOFTWARE; print(SOFTWARE)"
    usual = {name: value for name, value in os.environ.items() if name not in (*THREADS, *KINDS)}
    usual |= {"PYTHONPATH": str(ROOT), "OPENBLAS_CORETYPE": "Haswell"}
    first, two, prescott, narrow = (
        subprocess.check_output([sys.executable, "-c", code], env=usual | changed, cwd=ROOT)
        for changed in (
            {},
            {"OPENBLAS_NUM_THREADS": "2"},
            {"OPENBLAS_CORETYPE": "Prescott"},
            {"NPY_DISABLE_CPU_FEATURES": " ".join(VECTORS)},
        )
    )
    assert first == two != prescott
    assert not VECTORS or narrow not in (first, prescott)
