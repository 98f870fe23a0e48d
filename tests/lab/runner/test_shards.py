"""`reproduce --shard` thrice, one killed; `merge`; and the same bytes as from one machine."""

import os
import signal
import sqlite3
import subprocess
from contextlib import closing, contextmanager

import pytest

from tests.cluster import cluster, until
from tests.lab.conftest import ROOT, write_notebook
from tests.lab.runner.test_resume import COUNT, GATED, NOTEBOOK, PATIENCE, Lab
from workbench.cli import main
from workbench.errors import ArgumentError
from workbench.lab.runner import beforehand
from workbench.lab.runner.reproduce import Reproduction
from workbench.study.shards.digest import digest
from workbench.study.sweeps.store import Store

SHARDS = 3


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of one process, that nobody divided."""
    home = tmp_path_factory.mktemp("home")
    (home / "gated.py").write_text(GATED)
    root = home / "checkout"
    root.mkdir()
    (root / "pyproject.toml").write_text('[project]\nname = "dp-workbench"\n')
    write_notebook(root / "notebooks" / "01_gated.ipynb", *NOTEBOOK)
    lab = Divided(root, home)
    said = lab.reproduce("--jobs", "1")
    assert f"in the stores: {lab.hash(lab.database)}" in said
    return lab


class Divided(Lab):
    """The same, and what is done with parts of it."""

    @property
    def environment(self):
        here = super().environment
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        return {**here, "PYTHONPATH": os.pathsep.join([here["PYTHONPATH"], *filter(None, given)])}

    def at(self, folder, gated=""):
        return Divided(self.checkout, folder, gated)

    def part(self, number):
        return self.folder / f"{number}.sqlite"

    @contextmanager
    def begin(self, *options):
        """Start a `reproduce`, and leave none behind."""
        said = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        words = [*self.command, *map(str, options)]
        with subprocess.Popen(words, cwd=self.checkout, env=self.environment, **said) as process:
            try:
                yield process
            finally:
                process.kill()

    def shard(self, number):
        return self.begin("--shard", f"{number}/{SHARDS}", "--store", self.part(number), "--jobs", "1")

    def there(self, number):
        """What is in the store of a shard, read beside whoever writes."""
        try:
            with closing(sqlite3.connect(f"file:{self.part(number)}?mode=ro", uri=True)) as connection:
                return connection.execute("SELECT point, block FROM cells").fetchall()
        except sqlite3.OperationalError:  # no table in it yet
            return []

    def hash(self, *paths):
        stores = [Store(path) for path in paths]
        try:
            return str(digest(stores))
        finally:
            for store in stores:
                store.close()


@pytest.mark.daily
def test_three_shards_one_killed_then_merged_are_the_serial_run(whole, tmp_path, capsys):
    lab = whole.at(tmp_path, "figure")
    with lab.shard(1) as first, lab.shard(2) as second, lab.shard(3) as third:
        shards = (first, second, third)
        until(lambda: all(lab.part(number).exists() for number in (1, 2, 3)))
        until(lambda: min(len(lab.there(number)) for number in (1, 2, 3)) > 0)
        second.kill()
        (tmp_path / "GATE").touch()
        assert [process.wait(PATIENCE) for process in shards] == [0, -signal.SIGKILL, 0]
    into = ["--into", str(tmp_path / "all.sqlite")]
    parts = [str(lab.part(number)) for number in (3, 1, 2)]
    there = sum(len(lab.there(number)) for number in (1, 2, 3))
    assert there < 2 * COUNT
    assert main(["merge", *parts, *into]) == 1
    assert f"{there} of {2 * COUNT} planned blocks and searches are there" in capsys.readouterr().out
    with lab.shard(2) as again:
        assert again.wait(PATIENCE) == 0, again.stderr.read()
    assert main(["merge", *parts, *into]) == 0
    said = capsys.readouterr().out
    assert f"{2 * COUNT} of {2 * COUNT} planned" in said
    assert whole.hash(whole.database) in said
    (tmp_path / "STARTED").unlink()
    said = lab.reproduce("--store", tmp_path / "all.sqlite", "--jobs", "1")
    assert lab.started == []  # not one block was run
    assert whole.hash(whole.database) in said
    assert lab.bytes() == whole.bytes()


@pytest.mark.daily
def test_what_a_notebook_declares_is_computed_beforehand_by_any_backend(whole, tmp_path):
    lab = whole.at(tmp_path)
    said = lab.reproduce("--backend", "loky", "--jobs", "2")
    assert f"read ahead: {2 * COUNT} blocks and 0 searches" in said
    assert whole.hash(whole.database) in said
    assert len(lab.started) == 2 * COUNT + 1  # and two trials of the figure, which tell its columns
    assert lab.bytes() == whole.bytes()


def test_a_store_of_another_run_is_refused_in_one_line(tmp_path):
    path = tmp_path / "1.sqlite"
    beforehand.require(Reproduction(store=path, given={"seed": 8}))
    beforehand.require(Reproduction(store=path, given={"seed": 8}))
    wrong = {
        "seed 9 as asked for, not 8": {"given": {"seed": 9}},
        'profile "full" as asked for, not "quick"': {"given": {"seed": 8}, "profile": "full"},
        'parameters {"n": 5} as asked for, not {}': {"given": {"seed": 8, "n": 5}},
    }
    for words, request in wrong.items():
        with pytest.raises(ArgumentError) as refused:
            beforehand.require(Reproduction(store=path, **request))
        assert words in str(refused.value)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--shard 1/3", "store = None"),
        ("--shard 4/3 --store s.sqlite", "shard = '4/3': expected a number from 1 to 3"),
        ("--shard three --store s.sqlite", "expected K/N, such as 3/100"),
        ("--backend dask", "scheduler = None"),
        ("--scheduler tcp://127.0.0.1:1", "scheduler = 'tcp://127.0.0.1:1'"),
        ("--shard 1/3 --store s.sqlite --update --profile full", "a shard draws nothing"),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_line(tmp_path, monkeypatch, capsys, options, words):
    monkeypatch.chdir(tmp_path)
    try:
        code = main(["reproduce", *options.split(), "--project", str(ROOT), "--out", "out"])
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert said.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.dask
def test_a_scheduler_killed_under_reproduce_is_one_line_and_the_next_run_goes_on(whole, tmp_path):
    lab = whole.at(tmp_path, "claim")
    with cluster(lab.environment) as dask:
        options = ("--backend", "dask", "--scheduler", dask.address)
        with lab.begin(*options) as process:
            until(lambda: len(lab.stored) == COUNT + 5)
            dask.scheduler.kill()
            said, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, said + errors
    lost = f"scheduler lost: {5 * (COUNT + 5)} of {5 * 2 * COUNT} rows kept, run again to go on"
    assert said.splitlines()[-1] == lost
    assert errors == ""
    (tmp_path / "GATE").touch()
    with cluster(lab.environment) as dask:
        said = lab.reproduce("--backend", "dask", "--scheduler", dask.address)
    assert whole.hash(whole.database) in said
    assert lab.bytes() == whole.bytes()
