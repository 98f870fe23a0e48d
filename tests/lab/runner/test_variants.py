"""A notebook at parameters: what is refused before anything runs, and which folder its outputs have."""

import ast
import builtins

import nbformat
import pytest

from tests.commands.conftest import command as command
from tests.lab.conftest import CHART, DEFAULTS, SETUP, write_notebook
from workbench.errors import ArgumentError
from workbench.lab.project import Project, find
from workbench.lab.runner.notebooks import variants
from workbench.lab.runner.report import shown, story
from workbench.lab.runner.run_notebook import alone

OWN = ["radius = 1000.0  # R", "n = 2000  # rows", "epsilon = 0.5  # ε", "word = 'a'  # not declared"]


@pytest.fixture
def checkout(tmp_path):
    """Two notebooks; the parameters of one are declared, in another order than in its cell."""
    root = tmp_path / "checkout"
    (root / "notebooks").mkdir(parents=True)
    (root / "pyproject.toml").write_text('[project]\nname = "dp-workbench"\n')
    write_notebook(root / "notebooks" / "02_one_mean.ipynb", parameters=[*DEFAULTS, *OWN])
    write_notebook(root / "notebooks" / "07_plain.ipynb")
    return root


@pytest.fixture
def at(checkout, tmp_path):
    def at(grid=None, **given):
        return variants(Project(checkout).select(["one_mean"]), tmp_path / "out", given, grid)

    return at


def test_outputs_at_the_start_lie_in_the_folder_of_the_notebook(at, tmp_path):
    (start,) = at()
    assert (start.name, start.out, start.home) == ("02_one_mean", *[tmp_path / "out" / "02_one_mean"] * 2)
    assert start.start == {"epsilon": 0.5, "n": 2000, "radius": 1000.0, "seed": 7, "word": "a"}
    assert at(epsilon=0.5, n=2000, radius=1000, seed=7) == [start]


def test_others_have_a_folder_named_by_what_is_moved_in_the_order_declared(at, tmp_path):
    (one,) = at(seed=8, radius=10.0, n=2000, epsilon=1e-1)
    assert one.moved == {"epsilon": 0.1, "radius": 10.0, "seed": 8}
    assert one.name == "02_one_mean/epsilon=0.1,radius=10,seed=8"
    assert one.out == tmp_path / "out" / one.name
    assert at(word="../b")[0].out.parent == one.home


def test_a_count_may_be_typed_with_a_power(at):
    (one,) = at(n=1e4)
    assert one.moved == {"n": 10_000}
    assert type(one.moved["n"]) is int
    assert one.folder == "n=10000"


def test_a_grid_is_every_combination_the_last_name_fastest(at):
    found = at({"epsilon": (0.5, 1), "radius": (10, 1000)}, n=500)
    assert [one.folder for one in found] == [
        "n=500,radius=10",
        "n=500",
        "epsilon=1,n=500,radius=10",
        "epsilon=1,n=500",
    ]


def test_a_combination_stands_once(at):
    with pytest.raises(
        ArgumentError, match=r"grid = '02_one_mean/n=100': expected every combination .* once"
    ):
        at({"n": (100, 1e2)})


def test_a_notebook_is_named_by_its_chapter_where_that_is_one(checkout):
    project = Project(checkout)
    names = ("one_mean", "02_one_mean", "02_one_mean.ipynb", "notebooks/02_one_mean.ipynb")
    assert {path.stem for name in names for path in project.select([name])} == {"02_one_mean"}
    write_notebook(checkout / "notebooks" / "03_one_mean.ipynb")
    with pytest.raises(
        ArgumentError, match="notebook = 'one_mean': expected one of 02_one_mean, 03_one_mean"
    ):
        project.select(["one_mean"])


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["-p", "epsilon=-1"], "epsilon = -1: expected a number, 0.01 to 20"),
        (["-p", "n=10.5"], "n = 10.5: expected a whole number, 2 to 1e7"),
        (["-p", "seed=-1"], "seed = -1: expected an integer, at least 0"),
        (
            ["-p", "epsilom=1"],
            "parameter epsilom = 1: expected a parameter of 02_one_mean: epsilon, n, radius, seed, word; "
            "did you mean epsilon?",
        ),
        (["--grid", "epsilon=0.1,30"], "epsilon = 30: expected a number, 0.01 to 20"),
        (["--grid", "epsilon"], "argument --grid: 'epsilon': expected NAME=VALUE,VALUE,..."),
        (["--grid", "profile=quick,full"], "profile = 'quick': expected the option --profile instead"),
        (["--grid", "n=9,9"], "grid = '02_one_mean/n=9': expected every combination of values once"),
        (["--grid", "n=9", "--grid", "n=8"], "grid n = (8,): expected all values of n in one --grid"),
        (["--grid", "n=9", "-p", "n=8"], "grid n = (9,): expected no other value of n beside it"),
        (["--grid", "n=9", "--profile", "full", "--update"], "update = 'changed parameters': expected"),
        (["--limit", "0.5"], "limit = 0.5: expected a finite number, 1 or more, where 1 is the usual work"),
    ],
)
def test_a_wrong_argument_is_one_line_and_nothing_is_written(checkout, command, monkeypatch, arguments, line):
    monkeypatch.chdir(checkout)
    assert line in command("reproduce", "one_mean", *arguments).refused()
    assert not (checkout / "reproduced").exists()


def test_every_notebook_must_have_a_parameter_that_is_given(checkout, command, monkeypatch):
    monkeypatch.chdir(checkout)
    line = command("reproduce", "-p", "epsilon=1").refused()
    assert line == "parameter epsilon = 1: expected a parameter of 07_plain: seed"


NOTEBOOKS = find().notebooks


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_figure_alone_has_the_cells_that_bind_what_its_own_reads(path):
    for figure in story(path).headings:
        sources = [cell.source for cell in alone(nbformat.read(path, 4), figure).cells]
        assert figure in shown(sources[-1])
        code = compile("\n".join(sources), figure, "exec", flags=ast.PyCF_ONLY_AST)
        names = [one for one in ast.walk(code) if isinstance(one, ast.Name | ast.alias | ast.arg)]
        bound = {one.asname or one.name for one in names if isinstance(one, ast.alias)}
        bound |= {one.arg for one in names if isinstance(one, ast.arg)}
        bound |= {one.id for one in names if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
        assert {one.id for one in names if isinstance(one, ast.Name)} <= bound | {*dir(builtins)}
        assert len(sources) < 5


@pytest.mark.daily
def test_one_figure_is_drawn_and_compared_alone(project, workbench):
    named = CHART.replace("lambda run: chart", "error").replace("chart =", "error = lambda run:")
    write_notebook(project / "notebooks" / "01_good.ipynb", "\n".join(SETUP), named, 'lab.verdicts(["T1"])')
    assert workbench("reproduce", "01_good", "--profile", "full", "--update", cwd=project).returncode == 0
    done = workbench("reproduce", "01_good/error", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    made = project / "reproduced" / "01_good" / "error"
    assert {one.name for one in made.iterdir()} == {"error.svg", "error.json", "executed.ipynb"}
    committed = project / "figures" / "01_good" / "error.json"
    committed.write_text(committed.read_text().replace('"quick"', '"other"'))
    assert "FAILED 01_good/error: error.json" in workbench("reproduce", "01_good/error", cwd=project).stdout
