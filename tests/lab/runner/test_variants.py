"""A notebook at parameters: what is refused before anything runs, and which folder its outputs have."""

import ast
import builtins

import pytest

from tests.commands.conftest import command as command
from tests.lab.conftest import DEFAULTS, checkout, write_notebook
from workbench.errors import ArgumentError
from workbench.lab.project import Project, find, nbformat, shown
from workbench.lab.run_notebook import alone
from workbench.lab.runner import variants

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
        Project(root).select(["one_mean"]), tmp_path / "out", given, grid
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
        ("one_mean -p n=10.5", "n = 10.5: expected a whole number, 2 to 1e7"),
        ("one_mean -p seed=-1", "seed = -1: expected an integer, at least 0"),
        (
            "one_mean -p epsilom=1",
            "parameter epsilom = 1: expected a parameter of 02_one_mean: one of",
        ),
        ("one_mean -p epsilon", "'epsilon': expected NAME=VALUE"),
        ("-p epsilon=1", "parameter epsilon = 1: expected a parameter of 07_plain: one of seed"),
        ("one_mean --grid epsilon=0.1,30", "epsilon = 30: expected a number, 0.01 to 20"),
        ("one_mean --grid epsilon", "argument --grid: 'epsilon': expected NAME=VALUE,VALUE,..."),
        ("one_mean --grid profile=quick,full", "profile = 'quick': expected the option --profile instead"),
        ("one_mean --grid n=9,9", "grid = '02_one_mean/n=9': expected every combination of values once"),
        ("one_mean --grid n=9 --grid n=8", "grid n = (8,): expected all values of n in one --grid"),
        ("one_mean --grid n=9 -p n=8", "grid n = (9,): expected no other value of n beside it"),
        ("one_mean --grid n=9 --profile full --update", "update = 'changed parameters': expected"),
        ("one_mean -p word=1", "parameter word = 1: expected a value like the default 'a'"),
        ("one_mean -p out=x", "out = 'x': expected the option --out"),
        ("02_nothing", "notebook = '02_nothing': expected one of 02_one_mean, 07_plain"),
        ("one_mean/nothing", "figure = 'nothing': expected"),
        ("--profile fast", "--profile = 'fast': expected one of quick, full"),
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


def test_outside_a_checkout_is_one_line(command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    command("reproduce").refused("expected a folder inside a checkout of dp-workbench")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_figure_alone_has_the_cells_that_bind_what_its_own_reads(path):
    cells = nbformat().read(path, 4).cells
    for figure in [one for cell in cells if cell.cell_type == "code" for one in shown(cell.source)]:
        sources = [cell.source for cell in alone(nbformat().read(path, 4), figure).cells]
        assert figure in shown(sources[-1])
        names = [
            one for one in ast.walk(ast.parse("\n".join(sources))) if isinstance(one, ast.Name | ast.alias)
        ]
        bound = {one.asname or one.name for one in names if isinstance(one, ast.alias)}
        bound |= {one.id for one in names if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
        assert {one.id for one in names if isinstance(one, ast.Name)} <= bound | {*dir(builtins)}
        assert len(sources) < 5
