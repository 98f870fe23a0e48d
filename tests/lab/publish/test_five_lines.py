"""Each notebook does its main thing with the public names, in five lines that a reader sees and may copy."""

import ast

import pytest

import workbench
from tests.lab.conftest import ROOT
from workbench.lab.schemas import nbformat

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LINES = 5  # estimator, budget, data, release, print
INSIDE = {"workbench", "workbench.populations"}  # whose names are public


def five(cells):
    """Return the statements of the first visible cell that prints a release, and what it imports of ours."""
    shown = [cell for cell in cells if cell.cell_type == "code"]
    shown = [cell for cell in shown if not cell.metadata.get("jupyter", {}).get("source_hidden")]
    source = next(cell.source for cell in shown if "print(release)" in cell.source)
    statements = ast.parse(source).body
    done = [one for one in statements if not isinstance(one, ast.Import | ast.ImportFrom)]
    return done, [one for one in statements if isinstance(one, ast.ImportFrom)]


def faults(cells):
    """Yield what is wrong with the five lines of a notebook."""
    done, imports = five(cells)
    if len(done) != LINES:
        yield f"{len(done)} statements"
    names = {ast.unparse(one.targets[0]) for one in done if isinstance(one, ast.Assign)}
    if not names >= {"estimator", "budget", "release"}:
        yield f"no estimator, budget and release among {sorted(names)}"
    if "print(release)" not in map(ast.unparse, done[3:]):
        yield "the release is not printed"
    yield from (f"{one.module} is not public" for one in imports if one.module not in INSIDE)
    public = {alias.name for one in imports if one.module == "workbench" for alias in one.names}
    yield from (f"workbench has no {name}" for name in sorted(public - {*dir(workbench)}))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_main_thing_takes_five_visible_lines(path):
    assert list(faults(nbformat().read(path, as_version=4).cells)) == []


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("from workbench.lab.notebook import Session\n", "workbench.lab.notebook is not public"),
        ("from workbench import Nothing\n", "workbench has no Nothing"),
        ("seed = 1\n", "6 statements"),
    ],
)
def test_a_line_too_many_or_an_inner_name_is_found(source, fault):
    good = "estimator = 1\nbudget = 2\nx = 3\nrelease = 4\nprint(release)"
    v4 = nbformat().v4
    assert list(faults([v4.new_code_cell(good)])) == []
    assert fault in list(faults([v4.new_code_cell(source + good)]))
    hidden = v4.new_code_cell("print(release)", metadata={"jupyter": {"source_hidden": True}})
    assert list(faults([hidden, v4.new_code_cell(good)])) == []
