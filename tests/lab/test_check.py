import nbformat
import pytest

from tests.lab.conftest import DEFAULTS, ROOT, write_notebook
from workbench.lab.check import check, parameters


@pytest.fixture
def path(tmp_path):
    return tmp_path / "notebook.ipynb"


def test_good_notebook_has_no_faults(path):
    write_notebook(path, "x = [n for n in range(3)]\nx")
    assert check(path) == []
    assert parameters(path) == {"profile": "quick", "seed": 7, "out": ""}


@pytest.mark.parametrize(
    ("cell", "fault"),
    [
        ("for n in range(3):\n    print(n)", "cell 1: has a loop; loops live in the package"),
        ("while True:\n    pass", "cell 1: has a loop; loops live in the package"),
        ("%matplotlib inline", "cell 1: does not compile: invalid syntax"),
        ("\n".join(f"x{n} = {n}" for n in range(13)), "cell 1: 13 lines of code, at most 12"),
    ],
)
def test_faults_of_a_cell(path, cell, fault):
    assert check(write_notebook(path, cell)) == [fault]


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([*DEFAULTS, "d = 3"], "parameters: line 4 has no comment with unit and range"),
        ([*DEFAULTS, "d = 3 * n  # dimension"], "parameters: line 4 is no assignment of a literal to a name"),
        ([*DEFAULTS, "import numpy  # np"], "parameters: line 4 is no assignment of a literal to a name"),
        (DEFAULTS[:2], "parameters: out is missing"),
    ],
)
def test_faults_of_parameters(path, lines, fault):
    assert check(write_notebook(path, parameters=lines)) == [fault]


def change(path, edit):
    notebook = nbformat.read(path, as_version=4)
    edit(notebook)
    path.write_text(nbformat.writes(notebook) + "\n")
    return check(path)


@pytest.mark.parametrize(
    ("edit", "fault"),
    [
        (lambda nb: nb.cells[1].update(execution_count=1), "cell 1: has outputs"),
        (
            lambda nb: nb.cells[1].update(outputs=[nbformat.v4.new_output("stream", text="a")]),
            "cell 1: has outputs",
        ),
        (lambda nb: nb.cells[0].metadata.clear(), "0 cells tagged 'parameters', expected exactly one"),
        (lambda nb: nb.metadata["kernelspec"].update(name="julia"), "the kernelspec is not python3"),
        (lambda nb: nb.metadata.update(papermill={}), "metadata not allowed: papermill"),
        (lambda nb: nb.cells[1].metadata.update(papermill={}), "cell 1: metadata not allowed: papermill"),
    ],
)
def test_faults_of_the_file(path, edit, fault):
    assert change(write_notebook(path, "1 + 1"), edit) == [fault]


def test_form_and_rubbish(path):
    write_notebook(path)
    path.write_text(path.read_text().replace("\n", "\n "))
    assert check(path) == ["not in canonical form (save it with nbformat)"]
    path.write_text("not json")
    assert check(path)[0].startswith("not a notebook: ")


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_committed_notebooks_are_as_they_must_be(notebook):
    assert check(notebook) == []
