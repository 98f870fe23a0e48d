"""Notebooks at parameters: what is refused, grids of runs, and the stores that they share."""

import ast
import builtins
import json
import resource
import sqlite3
from contextlib import closing, contextmanager
from math import inf

import numpy as np
import pytest

from tests.lab.conftest import DEFAULTS, checkout, write_notebook
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.curves import measured
from workbench.cli import main
from workbench.lab import runner
from workbench.lab.aside import alone
from workbench.lab.notebook import Session
from workbench.lab.project import Project, find, nbformat, shown
from workbench.study import measures
from workbench.study import store as database
from workbench.study.sweeps import LENT, Sweep, grid

HALF = 0.6744897501960817  # the median of |z|
OWN = ["radius = 1000.0  # R", "n = 2000  # rows", "epsilon = 0.5  # ε", "word = 'a'  # not declared"]
NOTEBOOKS = find().notebooks


def block(n, epsilon, *, trials, data, noise):
    return {"error": np.abs(data.standard_normal(trials)) / (n * epsilon)}


SWEEP = Sweep("test-grids", grid(epsilon=0.5, n=(2000, 4000)), block, 40, {"quick": 1, "full": 2})


def falling(run, *, epsilon=0.5, n=2000, factor=1.0):
    frame = run.table(SWEEP.moved(grid(epsilon=epsilon, n=(n, 2 * n))))
    found = {rows: measures.median(one["error"], 0.05) for rows, one in measures.by(frame, "n").items()}
    expected = [factor * HALF / (rows * epsilon) for rows in found]
    theory = Series("", (n, 2 * n), [HALF / (rows * epsilon) for rows in (n, 2 * n)], role="theory")
    curves = (measured("error", found, "mean/coinpress", expected), theory)
    return Chart("falling", "It falls", (Panel("", "n", "error", curves),), alt=f"It falls at ε = {epsilon}.")


def usual(run):
    point = Series("point", (1.0,), (2.25,), (1.0,), (inf,), colour_key="mean/coinpress")
    return Chart("usual", "One point", (Panel("Where", "x", "y", (point,)),), alt='A "point".')


class Lab:
    """A checkout with two notebooks, and what a session of one, in this process, does.

    Its parameters are declared, in another order than in its cell. `test_reproduce` has a kernel.
    """

    def __init__(self, root, monkeypatch, capsys):
        folder = checkout(root) / "notebooks"
        write_notebook(folder / "02_one_mean.ipynb", parameters=[*DEFAULTS, *OWN])
        write_notebook(folder / "07_plain.ipynb")
        self.root, self.home = root, root / "reproduced" / "02_one_mean"
        self.environment, self.capsys = monkeypatch, capsys
        self.started, self.failing, self.factor = [], False, 1.0
        monkeypatch.setattr(runner.Batch, "launched", lambda *given: self.launched(*given))

    def launched(self, batch, variant, share):
        self.started.append(variant)
        self.environment.setenv(LENT, json.dumps({"store": str(runner.place(variant.home)), "jobs": 1}))
        if self.failing:
            return runner.Outcome("error", "ValueError: too bad")
        at = {"epsilon": 0.5, "n": 2000, "radius": 1000.0, "seed": 7, **variant.moved}
        session = Session("one_mean", out=str(variant.out), profile=batch.profile, recompute=True, **at)
        factor = {} if self.factor == 1 else {"factor": self.factor}
        session.show(falling, epsilon=at["epsilon"], n=at["n"], **factor)
        session.show(usual)
        return runner.Outcome("ok", seconds=1.0, core_seconds=1.0)

    @property
    def folders(self):
        """Those of the runs since they were last asked for."""
        found, self.started = [one.folder for one in self.started], []
        return found

    @property
    def store(self):
        return runner.place(self.home)

    def reproduce(self, words="", code=0):
        found = main(["reproduce", "one_mean", "--project", str(self.root), "--jobs", "1", *words.split()])
        said = self.capsys.readouterr()
        assert found == code, said
        return said.err if code == 2 else said.out


@pytest.fixture
def lab(tmp_path, monkeypatch, capsys):
    return Lab(tmp_path / "checkout", monkeypatch, capsys)


# A notebook at parameters: which folder its outputs have, and what is refused before anything runs.


def test_outputs_lie_in_a_folder_named_by_what_is_moved_in_the_order_declared(lab):
    """A grid is every combination once, the last name fastest; one that fails ends no other."""
    lab.failing = True
    for words, folders in {
        "-p epsilon=0.5 -p n=2000 -p radius=1000 -p seed=7": [""],
        "-p word=../b": ["word=..%2Fb"],
        "--grid epsilon=0.5,1 --grid radius=10,1000 -p n=500": [
            "n=500,radius=10", "n=500", "epsilon=1,n=500,radius=10", "epsilon=1,n=500",
        ],
        "-p seed=8 -p radius=10.0 -p n=1e4 -p epsilon=1e-1": ["epsilon=0.1,n=10000,radius=10,seed=8"],
    }.items():  # fmt: skip
        said = lab.reproduce(words, 1)
        (last,) = lab.started[-1:]
        assert f"FAILED {last.name}: ValueError: too bad" in said
        assert lab.folders == folders
    assert type(last.moved["n"]) is int
    assert last.out == lab.home / last.folder


def test_a_notebook_is_named_by_its_chapter_where_that_is_one(lab):
    names = ("one_mean", "02_one_mean", "02_one_mean.ipynb", "notebooks/02_one_mean.ipynb")
    assert {path.stem for name in names for path in Project(lab.root).select([name])} == {"02_one_mean"}
    write_notebook(lab.root / "notebooks" / "03_one_mean.ipynb")
    assert "notebook = 'one_mean': expected one of 02_one_mean, 03_one_me" in lab.reproduce(code=2)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("one_mean -p epsilon=-1", "epsilon = -1: expected a number, 0.01 to 20"),
        ("one_mean -p seed=-1", "seed = -1: expected an integer, at least 0"),
        ("one_mean -p epsilon", "'epsilon': expected NAME=VALUE"),
        ("-p epsilon=1", "parameter epsilon = 1: expected a parameter of 07_plain: one of seed"),
        ("one_mean --grid epsilon", "argument --grid: 'epsilon': expected NAME=VALUE,VALUE,..."),
        ("one_mean --grid profile=quick,full", "profile = 'quick': expected the option --profile instead"),
        ("one_mean --grid n=9,9", "grid = '02_one_mean/n=9': expected every combination of values once"),
        ("one_mean --grid n=9 --grid n=8", "grid n = (8,): expected all values of n in one --grid"),
        ("one_mean --grid n=9 -p n=8", "grid n = (9,): expected no other value of n beside it"),
        ("one_mean -p word=1", "parameter word = 1: expected a value like the default 'a'"),
        ("--profile fast", "--profile = 'fast': expected one of quick, full"),
        ("one_mean --grid n=9 --profile full --update", "update = 'changed parameters': expected"),
        ("one_mean -p out=x", "out = 'x': expected the option --out"),
        ("02_nothing", "notebook = '02_nothing': expected one of 02_one_mean, 07_plain"),
        ("one_mean/nothing", "figure = 'nothing': expected"),
        ("--update", "update = 'profile quick': expected --profile full"),
        ("--jobs 0", "jobs = 0: expected an integer, at least 1"),
        ("--limit 0.5", "limit = 0.5: expected a finite number, 1 or more, where 1 is the usual work"),
        ("--timeout nan", "timeout = nan: expected a finite number above 0"),
        ("--out figures", "a folder of its own"),
        ("--out /proc/nothing", "/proc/nothing: No such file"),
        ("--project /", "project = '/': expected a checkout of dp-workbench"),
    ],
)
def test_a_wrong_argument_is_one_line_and_nothing_is_written(lab, command, monkeypatch, arguments, line):
    monkeypatch.chdir(lab.root)
    (lab.root / "figures").mkdir()
    before = sorted(lab.root.rglob("*"))
    assert line in command("reproduce", *arguments.split()).refused()
    assert sorted(lab.root.rglob("*")) == before


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_figure_alone_has_the_cells_that_bind_what_its_own_reads(path):
    cells = nbformat().read(path, 4).cells
    for figure in [one for cell in cells if cell.cell_type == "code" for one in shown(cell.source)]:
        sources = [cell.source for cell in alone(nbformat().read(path, 4), figure).cells]
        assert figure in shown(sources[-1])
        assert len(sources) < 5
        tree = [*ast.walk(ast.parse("\n".join(sources)))]
        names = {(one.id, type(one.ctx)) for one in tree if isinstance(one, ast.Name)}
        bound = {one.asname or one.name for one in tree if isinstance(one, ast.alias)}
        bound |= {name for name, context in names if context is not ast.Load}
        assert {name for name, _ in names} <= bound | {*dir(builtins)}


# Runs away from the start: judged by predictions, one at every combination, sharing their blocks.


def contents(folder):
    return {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_moved_run_is_judged_by_its_predictions_and_leaves_the_start_alone(lab):
    lab.reproduce("--profile full --update")
    start = contents(lab.home)
    said = lab.reproduce("-p epsilon=0.1")
    assert "02_one_mean/epsilon=0.1 falling: measured agrees with predicted at 2 of 2 points\n" in said
    assert "usual: measured" not in said  # nothing is predicted in it
    refused = "work of test-grids: 93.1 times the usual, 2 allowed; `workbench reproduce --limit 100` runs it"
    line = f"02_one_mean/n=800000 falling: predictions alone, {refused}\n"
    assert line in lab.reproduce("-p n=800000")
    lab.factor = 3.0
    said = lab.reproduce("-p epsilon=0.2", 1)
    assert "FAILED 02_one_mean/epsilon=0.2: falling: measured agrees with predicted" in said
    assert "0 of 2 points; outside: " in said
    assert contents(lab.home) == start


def test_numbers_that_are_not_committed_or_are_others_exit_1_and_say_what_to_do(lab):
    command = "workbench reproduce 02_one_mean --profile full --update"
    assert f"FAILED 02_one_mean: no committed figures; make them with: {command}" in lab.reproduce(code=1)
    lab.reproduce("--profile full --update")
    path = lab.root / "figures" / "02_one_mean" / "falling.json"
    content = json.loads(path.read_text())
    content["charts"]["quick"]["panels"][0]["series"][1]["y"][0] *= 1.1  # a theory's
    path.write_text(json.dumps(content))
    said = lab.reproduce(code=1)
    assert "FAILED 02_one_mean: falling.json: charts quick panels[0] series[1]" in said
    assert f"\n  {command}\n" in said


# Stores that can be trusted: what is damaged is set aside, and what cannot be used just now stays.


def execute(path, statement):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def nonsense(path):
    path.write_text("nonsense " * 1000)


def test_a_damaged_store_is_kept_under_another_name_and_begun_again(lab):
    lab.reproduce("-p epsilon=0.1")
    moved = lambda path: execute(path, "UPDATE cells SET block = 7 WHERE rowid = 2")  # noqa: E731
    for number, spoil in enumerate((moved, nonsense, moved), 1):
        spoil(lab.store)
        content, kept = lab.store.read_bytes(), f"{lab.store.name}.damaged-{number}"
        said = lab.reproduce("-p epsilon=0.1")
        assert "02_one_mean/epsilon=0.1: ok" in said
        assert f"(its store was damaged: begun again; it is kept as {kept})" in said
        assert lab.store.with_name(kept).read_bytes() == content
    assert len(lab.folders) == 4


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
def test_a_store_that_cannot_be_used_just_now_stays_as_it_is(lab, monkeypatch, hindrance):
    lab.reproduce("-p epsilon=0.1")
    monkeypatch.setattr(database, "PATIENCE", 0.1)
    with hindrance(lab.store):
        before = lab.store.read_bytes()
        said = lab.reproduce("-p epsilon=0.2", 2)
        assert lab.store.read_bytes() == before
    assert "a database of sweeps" in said
    assert not [*lab.store.parent.glob("*damaged*")]


def test_blocks_are_counted_beside_a_writer_and_none_where_nothing_is_read(lab, monkeypatch):
    lab.reproduce("-p epsilon=0.1")
    path = lab.store
    assert path.parent == lab.home.parent / ".cache" / lab.home.name
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO cells VALUES ('s', 'p', 9, '', '', '', 'n', 1, 0.5)")
        assert runner.held(path)[0] == 2
        writer.execute("COMMIT")
    blocks, seconds = runner.held(path)
    assert (blocks, seconds > 0.5) == (3, True)
    nonsense(path)
    monkeypatch.setattr(runner, "SOFTWARE", "f" * 64)
    for one in (path, lab.store):  # a store of other software is not there
        assert runner.held(one) == (0, 0.0)
