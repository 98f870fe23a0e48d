"""`reproduce --backend`: the same bytes as from one process, also when the scheduler is killed."""

import os
import subprocess
from contextlib import contextmanager

import pytest

from tests.cluster import cluster, until
from tests.lab.conftest import ROOT, write_notebook
from tests.lab.runner.test_resume import COUNT, GATED, NOTEBOOK, PATIENCE, Lab
from workbench.cli import main
from workbench.study.store import Store
from workbench.study.sweeps import digest


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of one process, with nothing computed beforehand."""
    home = tmp_path_factory.mktemp("home")
    (home / "gated.py").write_text(GATED)
    root = home / "checkout"
    root.mkdir()
    (root / "pyproject.toml").write_text('[project]\nname = "dp-workbench"\n')
    write_notebook(root / "notebooks" / "01_gated.ipynb", *NOTEBOOK)
    lab = Ahead(root, home)
    said = lab.reproduce("--jobs", "1")
    assert f"in the stores: {lab.hash(lab.database)}" in said
    return lab


class Ahead(Lab):
    """The same, and what is computed before its notebook runs."""

    @property
    def environment(self):
        here = super().environment
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        return {**here, "PYTHONPATH": os.pathsep.join([here["PYTHONPATH"], *filter(None, given)])}

    def at(self, folder, gated=""):
        return Ahead(self.checkout, folder, gated)

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

    def hash(self, *paths):
        stores = [Store(path) for path in paths]
        try:
            return str(digest(stores))
        finally:
            for store in stores:
                store.close()


@pytest.mark.daily
def test_what_a_notebook_declares_is_computed_beforehand_by_any_backend(whole, tmp_path):
    lab = whole.at(tmp_path)
    said = lab.reproduce("--backend", "loky", "--jobs", "2")
    assert f"read ahead: {2 * COUNT} blocks and 0 searches" in said
    assert whole.hash(whole.database) in said
    assert len(lab.started) == 2 * COUNT + 1  # and two trials of the figure, which tell its columns
    assert lab.bytes() == whole.bytes()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--backend dask", "scheduler = None"),
        ("--scheduler tcp://127.0.0.1:1", "scheduler = 'tcp://127.0.0.1:1'"),
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
