"""`workbench check --fix` mends what needs no decision, names the rest, and leaves a good notebook alone."""

import nbformat
import pytest

from tests.lab.conftest import ROOT, run_workbench, write_notebook
from workbench.lab.check import check
from workbench.lab.mend import mend


def spoil(path, edit):
    notebook = nbformat.read(path, as_version=4)
    edit(notebook)
    path.write_text(nbformat.writes(notebook) + "\n\n")
    return path


SPOILT = {
    "counts": lambda nb: nb.cells[1].update(execution_count=3),
    "outputs": lambda nb: nb.cells[1].update(outputs=[nbformat.v4.new_output("stream", text="a")]),
    "kernel": lambda nb: nb.metadata.kernelspec.update(name="julia"),
    "metadata": lambda nb: nb.metadata.update(widgets={}),
    "cell metadata": lambda nb: nb.cells[1].metadata.update(collapsed=True),
    "form": lambda nb: None,
}


@pytest.mark.parametrize("edit", SPOILT.values(), ids=SPOILT)
def test_what_can_be_mended_is_mended_and_stays_so(tmp_path, edit):
    path = spoil(write_notebook(tmp_path / "n.ipynb", "x = 1\nx"), edit)
    source = nbformat.read(path, as_version=4).cells[1].source
    assert check(path)
    assert mend(path) == []
    assert nbformat.read(path, as_version=4).cells[1].source == source
    before = path.read_bytes()
    assert mend(path) == []
    assert path.read_bytes() == before


def test_what_needs_a_decision_is_named(tmp_path):
    path = spoil(write_notebook(tmp_path / "n.ipynb", "for n in range(3):\n    print(n)"), SPOILT["counts"])
    assert mend(path) == ["cell 1: has a loop; loops live in the package"]


def test_what_is_no_notebook_is_left_as_it_is(tmp_path):
    path = tmp_path / "n.ipynb"
    path.write_text("{}")
    assert mend(path)[0].startswith("not a notebook")
    assert path.read_text() == "{}"


def test_the_committed_notebooks_keep_their_bytes():
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        before = path.read_bytes()
        assert mend(path) == []
        assert path.read_bytes() == before


def test_command_names_file_and_cell_and_mends(tmp_path):
    path = spoil(write_notebook(tmp_path / "n.ipynb", "x = 1"), SPOILT["counts"])
    found = run_workbench("check", str(path))
    assert (found.returncode, found.stderr) == (1, "")
    assert "n.ipynb: cell 1: has outputs" in found.stdout
    assert run_workbench("check", str(path), "--fix").returncode == 0
    assert run_workbench("check", str(path)).stdout == "1 notebooks, nothing to mend\n"
    unknown = run_workbench("check", "nothing", cwd=ROOT)
    assert unknown.returncode == 2
    assert "notebook = 'nothing'" in unknown.stderr
