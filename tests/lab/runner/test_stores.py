"""What the runner lends notebooks: stores that can be trusted."""

import resource
import sqlite3
from contextlib import closing, contextmanager

import numpy as np
import pytest

from workbench.errors import ArgumentError
from workbench.lab import runner
from workbench.study import sweeps as database
from workbench.study.grids import Sweep, grid
from workbench.study.sweeps import run


def measure(*, trials, data, noise, **point):
    """Means of rows, enough to fill several pages of a database."""
    return {"error": np.abs(data.standard_normal((trials, point["n"])).mean(axis=1))}


SWEEP = Sweep("leased", grid(n=[2, 3]), measure, trials=2000, blocks={"quick": 2})


@pytest.fixture
def path(tmp_path):
    """A notebook's store, beside the record of its folder."""
    path = runner.place(tmp_path / "01_good")
    run(SWEEP, "quick", seed=1, store=path)
    return path


def execute(path, statement):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: execute(path, "UPDATE cells SET block = 7 WHERE rowid = 3"),  # its content untouched
        lambda path: path.write_text("nonsense " * 1000),
    ],
)
def test_a_damaged_store_is_found_and_set_aside(path, spoil):
    for name in ("damaged-1", "damaged-2"):
        spoil(path)
        content = path.read_bytes()
        kept = f"{path.name}.{name}"
        assert runner.prepare(path) == f"its store was damaged: begun again; it is kept as {kept}"
        assert not path.exists()
        assert path.with_name(kept).read_bytes() == content
        run(SWEEP, "quick", seed=1, store=path)
        assert runner.prepare(path) == ""


@contextmanager
def locked(path):
    """Let another connection hold the store."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        yield


@contextmanager
def without_room(path):
    """Let no file grow, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def of_another_version(path):
    execute(path, "PRAGMA user_version = 99")
    yield


@pytest.mark.parametrize("hindrance", [locked, without_room, of_another_version])
def test_a_store_that_cannot_be_used_just_now_stays_as_it_is(path, monkeypatch, hindrance):
    monkeypatch.setattr(database, "PATIENCE", 0.1)
    with hindrance(path):
        before = path.read_bytes()
        with pytest.raises(ArgumentError, match=r"a database of sweeps|of another application or version"):
            runner.prepare(path)
        assert path.read_bytes() == before
    assert not [*path.parent.glob("*damaged*")]


def test_blocks_are_counted_beside_a_writer_and_none_where_nothing_is_read(path, tmp_path, monkeypatch):
    assert path.parent == tmp_path / ".cache" / "01_good"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO cells VALUES ('s', 'p', 9, '', '', '', 'n', 1, 0.5)")
        assert runner.held(path)[0] == 4
        writer.execute("COMMIT")
    blocks, seconds = runner.held(path)
    assert (blocks, seconds > 0.5) == (5, True)
    path.write_text("nonsense " * 1000)
    monkeypatch.setattr(runner, "SOFTWARE", "f" * 64)
    for one in (path, runner.place(tmp_path / "01_good")):  # a store of other software is not there
        assert runner.held(one) == (0, 0.0)
