"""What is kept of sweeps, and the fingerprint by which it is found again."""

import importlib
import os
import platform
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from joblib.externals.loky import get_reusable_executor

import workbench
from workbench.chapters.covariance.heavy_tails import spreads
from workbench.chapters.one_mean.locating import clipped
from workbench.errors import ArgumentError
from workbench.lab.runner import THREADS
from workbench.study import grids as fingerprint
from workbench.study import sweeps as database
from workbench.study.grids import Sweep, grid, home
from workbench.study.sweeps import CellError, Store, compute, forget, run, task

SEED = 20240
COUNTS = {"quick": 2, "full": 3}
STRANGE = [0.1, -0.0, np.inf, -np.inf, 5e-324, 1e308, 1 / 3, np.nextafter(1.0, 2.0)]


def measure(*, trials, data, noise, **point):
    x = data.standard_normal(trials) / point["n"]
    return {"error": x, "strange": np.resize(STRANGE, trials), "late": noise.random(trials) < 0.5}


def sweep(points=None, block=measure, name="demo", trials=8):
    return Sweep(name, grid(n=[3, 7]) if points is None else points, block, trials=trials, blocks=COUNTS)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sweeps.sqlite"


@pytest.fixture(autouse=True)
def _clean():
    forget()


def shelf(store, one=None, seed=SEED):
    one = one or sweep()
    return store.shelf(one.name, one.block, one.trials, seed=seed)


def held(store, profile, one=None, seed=SEED):
    one = one or sweep()
    found = shelf(store, one, seed)
    return [(at, block) for at, block in one.addresses(profile) if found.get(one.points[at], block)]


def rows(path):
    """Return what is stored, by order of arrival."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute("SELECT sweep, point, block, seconds FROM cells ORDER BY rowid").fetchall()


def same(a, b):
    pd.testing.assert_frame_equal(a, b, check_exact=True)
    numbers = [frame.select_dtypes("number").to_numpy(np.float64).tobytes() for frame in (a, b)]
    assert numbers[0] == numbers[1]  # zeros have signs


# --- the same rows --------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, pytest.param({"jobs": 2}, marks=pytest.mark.daily)])
def test_a_stored_sweep_has_the_rows_of_one_without_a_store(path, options):
    plain = run(sweep(), "full", seed=SEED)
    same(plain, run(sweep(), "full", seed=SEED, store=path, **options))
    before = rows(path)
    assert len(before) == 6
    same(plain, run(sweep(), "full", seed=SEED, store=path))
    assert rows(path) == before


def test_a_larger_profile_and_a_larger_grid_find_what_is_there(path):
    run(sweep(), "quick", seed=SEED, store=path)
    with Store(path) as store:
        assert held(store, "full") == [(0, 0), (0, 1), (1, 0), (1, 1)]
        wider = sweep(grid(n=[1, 7, 3]))
        assert held(store, "quick", wider) == [(1, 0), (1, 1), (2, 0), (2, 1)]
    wide = run(sweep(grid(n=[1, 7, 3])), "quick", seed=SEED, store=path)
    same(wide, run(sweep(grid(n=[1, 7, 3])), "quick", seed=SEED))
    assert len(rows(path)) == 6
    same(run(sweep(grid(n=7)), "quick", seed=SEED), run(sweep(grid(n=7)), "quick", seed=SEED, store=path))
    assert len(rows(path)) == 6


def hindered(*, trials, data, noise, **point):
    if point["n"] == 7 and os.path.exists(os.environ["OBSTACLE"]):
        raise ZeroDivisionError
    return measure(trials=trials, data=data, noise=noise, **point)


@pytest.mark.daily
def test_a_failing_block_leaves_the_finished_ones(path, tmp_path, monkeypatch):
    obstacle = tmp_path / "obstacle"
    obstacle.touch()
    monkeypatch.setenv("OBSTACLE", str(obstacle))
    get_reusable_executor().shutdown(wait=True)  # workers have the environment that they began with
    for options in ({}, {"jobs": 2}):
        with pytest.raises(CellError, match="'n': 7"):
            run(sweep(block=hindered), "full", seed=SEED, store=path, **options)
        assert len(rows(path)) == 3
    obstacle.unlink()
    same(run(sweep(block=hindered), "full", seed=SEED, store=path), run(sweep(), "full", seed=SEED))


# --- what must not be served ----------------------------------------------------------------------


def other(*, trials, data, noise, **point):
    return measure(trials=trials, data=data, noise=noise, **point)


CHANGES = [
    (sweep(), SEED + 1),
    (sweep(block=other), SEED),
    (sweep(name="other"), SEED),
    (sweep(trials=9), SEED),
    (sweep(grid(n=[3.0, 7.0])), SEED),
    (sweep(), "a later version"),  # of the software
]


@pytest.mark.turns(4)
@pytest.mark.parametrize(("changed", "seed"), CHANGES)
def test_rows_of_anything_else_are_not_reused(path, changed, seed, monkeypatch):
    run(sweep(), "quick", seed=SEED, store=path)
    if isinstance(seed, str):
        monkeypatch.setattr(database, "SOFTWARE", seed)
        seed = SEED
    with Store(path) as store:
        assert held(store, "quick", changed, seed) == []
    same(run(changed, "quick", seed=seed, store=path), run(changed, "quick", seed=seed))
    assert len(rows(path)) == 8


def test_a_package_that_was_written_since_it_was_imported_is_refused(path, monkeypatch, tmp_path):
    source = tmp_path / "package" / "part" / "module.py"
    source.parent.mkdir(parents=True)
    source.write_text("x = 1\n")
    monkeypatch.setattr(fingerprint, "PACKAGE", tmp_path / "package")
    monkeypatch.setattr(fingerprint, "WRITTEN", fingerprint._written())
    run(sweep(), "quick", seed=SEED, store=path)
    os.utime(source, ns=(0, fingerprint.WRITTEN + 1))
    with pytest.raises(ArgumentError, match=r"package = 'workbench': expected no change .*\(start again\)"):
        run(sweep(), "quick", seed=SEED, store=path)


@pytest.mark.daily
def test_workers_do_not_keep_code_that_was_edited(path, tmp_path, monkeypatch):
    source = tmp_path / "edited.py"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    found = []
    for value in (1.0, 2.0):
        block = f"def block(*, trials, data, noise, **point): return {{'error': [{value}] * trials}}"
        source.write_text(f"{block}\n")
        monkeypatch.delitem(sys.modules, "edited", raising=False)
        edited = importlib.import_module("edited").block
        found.append(run(sweep(block=edited), "quick", seed=SEED, store=path, jobs=2)["error"].unique())
    assert found == [1.0, 2.0]


def test_a_worker_with_other_software_is_refused():
    stale = task(sweep(), 0, 0, SEED)._replace(software="another version")
    with pytest.raises(CellError, match=r"sweep 'demo', point .*other software"):
        compute(stale)


# --- files that are no store ----------------------------------------------------------------------


def written(change):
    """Change the bytes of a store."""

    def spoil(path):
        run(sweep(), "full", seed=SEED, store=path)
        path.write_bytes(change(path.read_bytes()))

    return spoil


def stated(statement, *values, fill=True):
    """Change a store, or an empty database, by a statement."""

    def spoil(path):
        if fill:
            run(sweep(), "full", seed=SEED, store=path)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement, values)
            connection.commit()

    return spoil


def planted(path):
    """Give a block columns that numpy would not read as numbers, and the sum of those."""
    run(sweep(), "full", seed=SEED, store=path)
    with closing(sqlite3.connect(path)) as connection:
        (row,) = connection.execute("SELECT sweep, point, block, numbers FROM cells LIMIT 1")
    columns, where = '[["error", "|O"]]', "WHERE (sweep, point, block) = (?, ?, ?)"
    digest = database.checksum(*row[:3], columns, row[3])
    stated(f"UPDATE cells SET columns = ?, digest = ? {where}", columns, digest, *row[:3])(path)


INTACT, USABLE = "an intact database of sweeps", "a database of sweeps that can be read and written"


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda path: path.write_text("no database, but long enough to have a header\n" * 100), INTACT),
        (lambda path: path.mkdir(), USABLE),
        (written(lambda content: content[:4096] + b"\xa5" * (len(content) - 4096)), INTACT),
        (written(lambda content: content[:5000]), INTACT),
        (stated("UPDATE cells SET numbers = zeroblob(length(numbers)) WHERE block = 1"), INTACT),
        (planted, INTACT),
        (stated("CREATE TABLE cells (mine TEXT)", fill=False), USABLE),
        (stated("PRAGMA user_version = 99"), USABLE),
    ],
)
def test_a_file_that_is_no_intact_store_is_one_line(path, spoil, expected):
    spoil(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(ArgumentError, match=f"expected {expected}") as caught:
        run(sweep(), "full", seed=SEED, store=path)
    assert "\n" not in str(caught.value)
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    assert before is None or path.read_bytes() == before


# --- several at once ------------------------------------------------------------------------------


def test_readers_see_what_is_committed_while_the_writer_goes_on(path):
    cells = [compute(task(sweep(), *address, SEED)) for address in sweep().addresses("quick")]
    with Store(path) as writer, Store(path) as reader:
        written = shelf(writer)

        def put(cell):
            written.put(sweep().points[cell.position], cell)

        put(cells[0])
        reader.fetch("BEGIN", ())
        assert len(held(reader, "quick")) == 1
        for cell in cells[1:]:
            put(cell)  # a reader in the middle of reading blocks no writer
        assert len(held(reader, "quick")) == 1  # and sees one state
        reader.fetch("COMMIT", ())
        assert len(held(reader, "quick")) == 4


def together(*jobs):
    """Do the jobs in threads that begin at once, and return what went wrong."""
    start, wrong = threading.Barrier(len(jobs)), []

    def do(job):
        start.wait()
        try:
            job()
        except Exception as error:
            wrong.append(str(error))

    threads = [threading.Thread(target=do, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


@pytest.mark.daily
def test_several_may_make_one_store_at_once(tmp_path):
    for number in range(50):
        path = tmp_path / f"{number}.sqlite"
        assert together(*[lambda path=path: Store(path).close()] * 4) == []


@pytest.mark.turns(4)
def test_several_drivers_may_fill_one_store(path):
    cells = [compute(task(sweep(), *address, SEED)) for address in sweep().addresses("full")]

    def drive():
        with Store(path) as store:
            for cell in cells:
                shelf(store).put(sweep().points[cell.position], cell)

    assert together(drive, drive, drive) == []
    assert len(rows(path)) == 6
    same(run(sweep(), "full", seed=SEED, store=path), run(sweep(), "full", seed=SEED))
    assert len(rows(path)) == 6


ROOT = Path(workbench.__file__).parents[1]
KINDS = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")
VECTORS = tuple(np.show_config(mode="dicts")["SIMD Extensions"].get("found", ()))


class Measure:
    """A block that carries what no digest of a file tells."""

    def __call__(self, **given):
        return {}


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


@pytest.mark.parametrize("block", [lambda: 1, partial(lambda: 1), Measure(), Measure().__call__, len])
def test_what_is_no_function_of_a_file_is_refused_in_one_line(block):
    with pytest.raises(ArgumentError, match=r"block = .*a function at the top of a module") as caught:
        home(block)
    assert "\n" not in str(caught.value)


def digests(**changed):
    code = """
from pathlib import Path
from workbench.lab import runner
from workbench.study.grids import SOFTWARE
print(SOFTWARE, runner.key(Path("README.md"), {}))"""
    inherited = {name: value for name, value in os.environ.items() if name not in (*THREADS, *KINDS)}
    env = {**inherited, "PYTHONPATH": str(ROOT), **changed}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return tuple(done.stdout.split())


@pytest.mark.daily
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="kernels of x86-64")
def test_another_kernel_is_another_store_and_another_run_and_threads_are_a_run_alone():
    first, again, prescott, narrow, two, one = (
        digests(**{"OPENBLAS_CORETYPE": "Haswell"} | changed)
        for changed in (
            {},
            {},
            {"OPENBLAS_CORETYPE": "Prescott"},
            {"NPY_DISABLE_CPU_FEATURES": " ".join(VECTORS)},
            {"OPENBLAS_NUM_THREADS": "2"},
            {"OPENBLAS_NUM_THREADS": "1"},
        )
    )
    assert first == again == one
    for other in (prescott, *([narrow] if VECTORS else ())):
        assert not {*first} & {*other}
    assert (two[0] == first[0], two[1] == first[1]) == (True, False)
