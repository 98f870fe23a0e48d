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

from tests.commands.conftest import command as command
from tests.lab.conftest import DEFAULTS, checkout, write_notebook
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.curves import measured
from workbench.cli import main
from workbench.errors import ArgumentError
from workbench.lab import runner
from workbench.lab.aside import alone
from workbench.lab.notebook import Session
from workbench.lab.project import Project, find, nbformat, shown
from workbench.lab.runner import variants
from workbench.study import measures
from workbench.study import store as database
from workbench.study.sweeps import LENT, Sweep, TooMuchWorkError, grid, lending, run

# A notebook at parameters: what is refused before anything runs, and which folder its outputs have.

OWN = ["radius = 1000.0  # R", "n = 2000  # rows", "epsilon = 0.5  # ε", "word = 'a'  # not declared"]
NOTEBOOKS = find().notebooks


@pytest.fixture
def root(tmp_path):
    """Two notebooks; the parameters of one are declared, in another order than in its cell."""
    root = checkout(tmp_path / "checkout")
    write_notebook(root / "notebooks" / "02_one_mean.ipynb", parameters=[*DEFAULTS, *OWN])
    write_notebook(root / "notebooks" / "07_plain.ipynb")
    return root


@pytest.fixture
def at(root, tmp_path):
    return lambda grid=None, **given: variants(
        *Project(root).select(["one_mean"]), tmp_path / "out", given, grid
    )


def test_outputs_lie_in_a_folder_named_by_what_is_moved_in_the_order_declared(at, tmp_path):
    (start,) = at()
    assert (start.name, start.out, start.home) == ("02_one_mean", *[tmp_path / "out" / "02_one_mean"] * 2)
    assert at(epsilon=0.5, n=2000, radius=1000, seed=7) == [start]
    (one,) = at(seed=8, radius=10.0, n=1e4, epsilon=1e-1)
    assert one.moved == {"epsilon": 0.1, "n": 10_000, "radius": 10.0, "seed": 8}
    assert type(one.moved["n"]) is int
    assert one.name == "02_one_mean/epsilon=0.1,n=10000,radius=10,seed=8"
    assert one.out == tmp_path / "out" / one.name
    assert at(word="../b")[0].out.parent == one.home


def test_a_grid_is_every_combination_once_the_last_name_fastest(at):
    found = at({"epsilon": (0.5, 1), "radius": (10, 1000)}, n=500)
    assert [one.folder for one in found] == [
        "n=500,radius=10", "n=500", "epsilon=1,n=500,radius=10", "epsilon=1,n=500",
    ]  # fmt: skip


def test_a_notebook_is_named_by_its_chapter_where_that_is_one(root):
    names = ("one_mean", "02_one_mean", "02_one_mean.ipynb", "notebooks/02_one_mean.ipynb")
    assert {path.stem for name in names for path in Project(root).select([name])} == {"02_one_mean"}
    write_notebook(root / "notebooks" / "03_one_mean.ipynb")
    with pytest.raises(ArgumentError, match="notebook = 'one_mean': expected one of 02_one_mean, 03_one_me"):
        Project(root).select(["one_mean"])


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
def test_a_wrong_argument_is_one_line_and_nothing_is_written(root, command, monkeypatch, arguments, line):
    monkeypatch.chdir(root)
    (root / "figures").mkdir()
    before = sorted(root.rglob("*"))
    assert line in command("reproduce", *arguments.split()).refused()
    assert sorted(root.rglob("*")) == before


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


# Runs away from a notebook's start: judged by predictions, one at every combination, sharing their blocks.
#
# The notebook is a session in this process, lent what the runner lends; `test_reproduce` has a kernel.

HALF = 0.6744897501960817  # the median of |z|
PARAMETERS = ["epsilon = 0.5  # ε", "n = 2000  # rows", "radius = 1000.0  # R"]


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


def heavy(run, *, n=2000):
    if run.simulate and n > 2000:
        raise TooMuchWorkError("rows", n / 2000, 2)
    return usual(run)


def usual(run):
    point = Series("point", (1.0,), (2.25,), (1.0,), (inf,), colour_key="mean/coinpress")
    return Chart("usual", "One point", (Panel("Where", "x", "y", (point,)),), alt='A "point".')


class Lab:
    """A checkout with one notebook, and what its session does."""

    def __init__(self, root, monkeypatch, capsys):
        write_notebook(
            checkout(root) / "notebooks" / "02_one_mean.ipynb", parameters=[*DEFAULTS, *PARAMETERS]
        )
        self.root, self.home = root, root / "reproduced" / "02_one_mean"
        self.environment, self.capsys = monkeypatch, capsys
        self.started, self.failing, self.factor = [], None, 1.0
        monkeypatch.setattr(runner.Batch, "launched", lambda *given: self.launched(*given))

    def launched(self, batch, variant, share):
        self.started.append(variant.folder)
        self.environment.setenv(LENT, json.dumps({"store": str(runner.place(variant.home)), "jobs": 1}))
        at = {"epsilon": 0.5, "n": 2000, "radius": 1000.0, "seed": 7, **variant.moved}
        session = Session("one_mean", out=str(variant.out), profile=batch.profile, recompute=True, **at)
        if variant.folder == self.failing:
            return runner.Outcome("error", "ValueError: too bad")
        factor = {} if self.factor == 1 else {"factor": self.factor}
        session.show(falling, epsilon=at["epsilon"], n=at["n"], **factor)
        session.show(heavy, n=at["n"])
        return runner.Outcome("ok", seconds=1.0, core_seconds=1.0)

    def reproduce(self, words="", code=0):
        found = main(["reproduce", "--project", str(self.root), "--jobs", "1", *words.split()])
        said = self.capsys.readouterr().out
        assert found == code, said
        return said


@pytest.fixture
def lab(tmp_path, monkeypatch, capsys):
    return Lab(tmp_path / "checkout", monkeypatch, capsys)


def contents(folder):
    return {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_moved_run_is_judged_by_its_predictions_and_leaves_the_start_alone(lab):
    lab.reproduce("--profile full --update")
    start = contents(lab.home)
    said = lab.reproduce("-p epsilon=0.1")
    line = "falling: measured agrees with predicted at 2 of 2 points"
    assert f"02_one_mean/epsilon=0.1 {line}\n" in said
    assert "usual: measured" not in said  # nothing is predicted in it
    refused = "work of rows: 4 times the usual, 2 allowed; `workbench reproduce --limit 4.4` runs it"
    line = f"02_one_mean/n=8000 usual: predictions alone, {refused}\n"
    assert line in lab.reproduce("-p n=8000")
    assert contents(lab.home) == start


def test_a_prediction_that_is_wrong_elsewhere_exits_1(lab):
    lab.factor = 3.0
    said = lab.reproduce("-p epsilon=0.1", 1)
    assert "FAILED 02_one_mean/epsilon=0.1: falling: measured agrees with predicted" in said
    assert "0 of 2 points; outside: " in said


def test_a_grid_is_a_run_at_every_combination_and_one_that_fails_ends_no_other(lab):
    folders = ["epsilon=0.1", "epsilon=0.2", "epsilon=0.3"]
    lab.failing = folders[1]
    said = lab.reproduce("--grid epsilon=0.1,0.2,0.3", 1)
    assert lab.started == folders
    assert "FAILED 02_one_mean/epsilon=0.2: ValueError: too bad" in said


def test_a_damaged_store_is_set_aside_and_said(lab):
    given, path = "-p epsilon=0.1", runner.place(lab.home)
    lab.reproduce(given)
    path.write_text("nonsense " * 1000)
    said = lab.reproduce(given)
    assert "02_one_mean/epsilon=0.1: ok" in said
    assert f"(its store was damaged: begun again; it is kept as {path.name}.damaged-1)" in said


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


# What the runner lends notebooks: stores that can be trusted.


def measure(*, trials, data, noise, **point):
    """Means of rows, enough to fill several pages of a database."""
    return {"error": np.abs(data.standard_normal((trials, point["n"])).mean(axis=1))}


LEASED = Sweep("leased", grid(n=[2, 3]), measure, trials=2000, blocks={"quick": 2})


@pytest.fixture
def path(tmp_path):
    """A notebook's store, beside the record of its folder."""
    path = runner.place(tmp_path / "01_good")
    with lending(store=path):
        run(LEASED, "quick", seed=1)
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
        with lending(store=path):
            run(LEASED, "quick", seed=1)
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
