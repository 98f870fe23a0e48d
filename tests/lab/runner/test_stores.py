"""What the runner lends notebooks: stores that can be trusted."""

import resource
import sqlite3
from contextlib import closing, contextmanager

import numpy as np
import pytest

from workbench.errors import ArgumentError
from workbench.lab.runner import notebooks
from workbench.study import sweeps as database
from workbench.study.grids import Sweep, grid
from workbench.study.sweeps import Store, require_intact, run


def measure(*, trials, data, noise, **point):
    """Means of rows, enough to fill several pages of a database."""
    return {"error": np.abs(data.standard_normal((trials, point["n"])).mean(axis=1))}


SWEEP = Sweep("leased", grid(n=[2, 3]), measure, trials=2000, blocks={"quick": 2})


@pytest.fixture
def out(tmp_path):
    """A notebook's folder beside whose record is a store."""
    run(SWEEP, "quick", seed=1, store=notebooks.place(tmp_path / "01_good"))
    return tmp_path / "01_good"


def zeroed(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE cells SET numbers = zeroblob(length(numbers)) WHERE rowid = 3")
        connection.commit()


def moved(path):
    """Give a block the number of another, its content untouched."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE cells SET block = 7 WHERE rowid = 3")
        connection.commit()


@pytest.mark.parametrize("spoil", [zeroed, moved, lambda path: path.write_text("nonsense " * 1000)])
def test_a_damaged_store_is_found_and_set_aside(out, spoil):
    path = notebooks.place(out)
    for name in ("damaged-1", "damaged-2"):
        spoil(path)
        content = path.read_bytes()
        with pytest.raises(ArgumentError, match="an intact database of sweeps"), Store(path) as store:
            require_intact(store)
        kept = f"{path.name}.{name}"
        assert notebooks.prepare(path) == f"its store was damaged: begun again; it is kept as {kept}"
        assert not path.exists()
        assert path.with_name(kept).read_bytes() == content
        run(SWEEP, "quick", seed=1, store=path)
        assert notebooks.prepare(path) == ""


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


@pytest.mark.parametrize("hindrance", [locked, without_room])
def test_a_store_that_cannot_be_used_just_now_stays_as_it_is(out, monkeypatch, hindrance):
    monkeypatch.setattr(database, "PATIENCE", 0.1)
    path = notebooks.place(out)
    before = path.read_bytes(), notebooks.held(path)
    refusal = "expected a database of sweeps that can be read"
    with hindrance(path), pytest.raises(ArgumentError, match=refusal):
        notebooks.prepare(path)
    assert (path.read_bytes(), notebooks.held(path)) == before
    assert not [*path.parent.glob("*damaged*")]


def test_a_file_that_another_program_or_version_left_stays_as_it_is(out):
    path, former = notebooks.place(out), notebooks.place(out).with_name("0123456789abcdef.sqlite")
    former.write_text("whatever")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(ArgumentError, match="of another application or version"):
        notebooks.prepare(path)
    assert path.read_bytes() == before
    assert former.read_text() == "whatever"


def test_blocks_are_counted_beside_a_writer_and_none_where_nothing_is_read(out, tmp_path, monkeypatch):
    path = notebooks.place(out)
    assert path.parent == tmp_path / ".cache" / "01_good"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO cells VALUES ('s', 'p', 9, '', '', '', 'n', 1, 0.5)")
        assert notebooks.held(path)[0] == 4
        writer.execute("COMMIT")
    blocks, seconds = notebooks.held(path)
    assert blocks == 5
    assert seconds > 0.5
    path.write_text("nonsense " * 1000)
    monkeypatch.setattr(notebooks, "SOFTWARE", "f" * 64)
    for one in (path, notebooks.place(out)):  # a store is named by the software: that of another is not there
        assert notebooks.held(one) == (0, 0.0)
    assert not notebooks.place(out).exists()
