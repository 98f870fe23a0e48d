"""A committed notebook: what is found in it and mended, its committed results, and copies to hand out."""

import base64
import re

import pytest

from tests.lab.conftest import DEFAULTS, ROOT, SETUP, good_project, write_notebook
from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Panel, Series
from workbench.errors import ArgumentError
from workbench.lab.figures import save
from workbench.lab.project import Project
from workbench.lab.publish import committed
from workbench.lab.publish.committed import copy, examine, examined, parameters, tagged
from workbench.lab.schemas import nbformat

NOTEBOOKS = Project(ROOT).notebooks
FORM = "not in canonical form: order, metadata, sorted keys, indent 1, one last newline"
OUTPUT = nbformat().v4.new_output("stream", text="a")
MENDABLE = {
    "cell c01 is not as it is committed": lambda nb: nb.cells[1].update(execution_count=1, outputs=[OUTPUT]),
    "cell c01-2 is not as it is committed": lambda nb: nb.cells[2].update(id=nb.cells[1]["id"]),
    "cell c03 is not as it is committed": lambda nb: nb.cells[3].update(id="a b"),
    FORM: lambda nb: nb.metadata["language_info"].update(version="3.11.2"),
    "cell c02 is not as it is committed": lambda nb: nb.cells[2].metadata.update(editable=True, tags=[]),
}


def check(path):
    found = examine(path)
    return [*found.mendable, *found.others]


def fix(path):
    examined([path], mend=True)


def changed(path, edit=lambda notebook: None):
    """Write a notebook of five cells with one fault, without asking nbformat whether it may be written."""
    write_notebook(path, "1 + 1", "2 + 2", "3 + 3")
    notebook = nbformat().read(path, as_version=4)
    notebook.cells.append(nbformat().v4.new_markdown_cell("A line.", id="text"))
    notebook.cells[-1].metadata["slideshow"] = {"slide_type": "slide"}
    edit(notebook)
    path.write_bytes((nbformat().v4.writes(notebook) + "\n").encode())
    return path


@pytest.mark.turns(4)
@pytest.mark.parametrize(("finding", "edit"), MENDABLE.items(), ids=MENDABLE)
def test_what_a_session_leaves_is_found_and_mended(tmp_path, finding, edit):
    path = changed(tmp_path / "a.ipynb", edit)
    assert finding in check(path)
    fix(path)
    assert check(path) == []
    assert parameters(path) == {"profile": "quick", "seed": 7, "out": "", "recompute": False}


@pytest.mark.parametrize("old", ["\n ", "A line", "\n}\n"])
def test_the_form_is_found_and_mended(tmp_path, old):
    path = changed(tmp_path / "a.ipynb")
    good = path.read_bytes()
    new = {"\n ": "\n  ", "A line": "\\u0041 line", "\n}\n": "\n}"}[old]
    path.write_bytes(good.decode().replace(old, new).encode())
    assert check(path) == [FORM]
    fix(path)
    assert path.read_bytes() == good


@pytest.mark.parametrize(
    ("cell", "lines", "fault"),
    [
        ("for n in range(3):\n    n", DEFAULTS, "cell 1: has a loop; loops live in the package"),
        ("%matplotlib inline", DEFAULTS, "cell 1: does not compile: invalid syntax"),
        ("\n".join(f"x{n} = {n}" for n in range(13)), DEFAULTS, "cell 1: 13 lines of code, at most 12"),
        ("1", [*DEFAULTS, "d = 3"], "parameters: line 5 has no comment with unit and range"),
        ("1", [*DEFAULTS, "d = 3 * n  # d"], "parameters: line 5 is no assignment of a literal to a name"),
        ("1", [*DEFAULTS[:2], DEFAULTS[3]], "parameters: out is missing"),
    ],
)
def test_what_needs_a_person_is_found_and_left_alone(tmp_path, cell, lines, fault):
    path = write_notebook(tmp_path / "a.ipynb", cell, parameters=lines)
    before = path.read_bytes()
    assert check(path) == [fault]
    fix(path)
    assert path.read_bytes() == before


def test_cells_without_a_kind_and_rubbish_are_found(tmp_path):
    path = changed(
        tmp_path / "a.ipynb", lambda nb: nb.cells[4].metadata["slideshow"].update(slide_type="page")
    )
    assert check(path) == ["cell 4: has no slide type: slide, subslide, fragment, skip, notes, -"]
    for text in ("not json", "[]", "null", '{"nbformat": 3, "worksheets": []}', "\ud800"):
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        (finding,) = check(path)
        assert finding.startswith("not a notebook: ")
        fix(path)
        assert path.read_bytes() == text.encode("utf-8", "surrogatepass")


@pytest.mark.turns(3)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_committed_notebooks_are_as_they_must_be(path):
    assert check(path) == []


@pytest.fixture
def shows(tmp_path):
    """A checkout whose notebook shows two figures, one of them in an appendix, and its verdicts."""
    root = good_project(tmp_path / "checkout")
    path, folder = root / "notebooks" / "01_good.ipynb", root / "figures" / "01_good"
    chart = Chart(
        "falls",
        "It is the finding",
        (Panel("E", "n", "e", (Series("a", (1, 2), (1, 2)),)),),
        alt="It [falls].",
    )
    for name in ("falls", "rises"):
        save({"full": Chart(name, chart.title, chart.panels, alt=chart.alt)}, folder, parameters={}, seed=7)
    verdicts = [
        {"id": f"T{k}", "statement": f"A_{k} <is>", "status": status}
        for k, status in enumerate(("HOLDS", "REFUTED"))
    ]
    canonical_json.write(folder / "verdicts.json", {"full": verdicts})
    write_notebook(path, "\n".join(SETUP), "lab.show(c.falls)", "lab.show(c.rises)")
    notebook = nbformat().read(path, as_version=4)
    notebook.cells[3].metadata["tags"] = ["appendix"]
    path.write_text(nbformat().writes(notebook) + "\n", encoding="utf-8")
    return path


def test_committed_results_stand_before_their_cells_and_are_mended_when_stale(shows):
    names = [f"committed-{name}" for name in ("verdicts", "c02", "c03")]
    assert check(shows) == [f"cell {name} is not as it is committed" for name in names]
    fix(shows)
    cells = nbformat().read(shows, as_version=4).cells
    assert [cell.id for cell in cells] == [names[0], "c00", "c01", names[1], "c02", names[2], "c03"]
    first, falls, rises = (cell.source for cell in cells if tagged(cell))
    assert first.startswith("**1 of 2 claims holds in the full run; 1 is refuted: T1.**")
    assert "* **refuted**: A\\_1 &lt;is>. (`T1`)\n* **holds**" in first
    assert falls == "![It \\[falls\\].](../figures/01_good/falls.svg)"
    assert rises.startswith("<details><summary>More: It is the finding</summary>")
    cells[3].source, cells[5:7] = "other", cells[6:4:-1]
    stale = nbformat().v4.new_notebook(cells=cells, metadata=committed.METADATA)
    shows.write_text(nbformat().writes(stale) + "\n")
    assert check(shows) == ["cell committed-c02 is not as it is committed"]
    fix(shows)
    assert check(shows) == []
    (shows.parents[1] / "figures" / "01_good" / "falls.json").unlink()
    assert check(shows) == [
        "cell committed-c02 is not as it is committed",
        "cell 3: shows falls, which is not in figures/01_good",
    ]


def test_a_picture_that_answers_a_question_is_folded(shows):
    notebook = nbformat().read(shows, as_version=4)
    question = nbformat().v4.new_markdown_cell("**Predict first:** up or down?", id="question")
    question.metadata["slideshow"] = {"slide_type": "slide"}
    notebook.cells.insert(2, question)
    shows.write_text(nbformat().writes(notebook) + "\n", encoding="utf-8")
    fix(shows)
    sources = {cell.id: cell.source for cell in nbformat().read(shows, as_version=4).cells}
    assert sources["committed-c02"].startswith("<details><summary>The answer")
    assert check(shows) == []


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(committed, "draw", lambda chart: chart)
    monkeypatch.setattr(committed, "png", lambda figure: b"a picture")


@pytest.mark.turns(4)
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_copies_stand_alone_without_solutions_or_with_them_open(path, tmp_path):
    first = nbformat().read(path, as_version=4).cells
    solutions = [cell.source for cell in first if tagged(cell, "solution")]
    assert solutions
    assert all(one.startswith("<details><summary>") for one in solutions)
    assert all("<summary>Solution" not in cell.source for cell in first if not tagged(cell, "solution"))
    found = {}
    for edition in ("", "student", "teacher"):
        made = copy(Project(ROOT), path, tmp_path, edition)
        assert check(made) == []
        cells = nbformat().read(made, as_version=4).cells
        found[edition] = "\n".join(cell.source for cell in cells)
        assert "](../" not in found[edition]
        attached = [name for cell in cells for name in cell.get("attachments", {})]
        assert attached
        assert all(f"](attachment:{name})" in found[edition] for name in attached)
        beside = re.findall(r"\]\((\d\d_\w+)\.ipynb", found[edition])
        assert all(name.endswith(edition) for name in beside)
    assert found["student"].count(committed.ANSWER) == len(solutions)
    lines = [line for one in solutions for line in one.splitlines() if len(line) > 60 and "](" not in line]
    assert lines
    assert not [line for line in lines if line in found["student"]]
    assert not [line for line in lines if line not in found["teacher"]]
    assert found["teacher"].count("<details open>") == len(solutions)
    assert "\n## Lesson: " in found["teacher"]


@pytest.mark.turns(4)
def test_a_picture_is_drawn_and_a_copy_is_never_replaced(shows, tmp_path):
    fix(shows)
    project = Project(shows.parents[1])
    made = copy(project, shows, tmp_path / "out")
    pictures = [
        one
        for cell in nbformat().read(made, as_version=4).cells
        for one in cell.get("attachments", {}).values()
    ]
    assert [base64.b64decode(one["image/png"])[:4] for one in pictures] == [b"\x89PNG"] * 2
    with pytest.raises(ArgumentError, match="which may hold answers"):
        copy(project, shows, tmp_path / "out")
    with pytest.raises(ArgumentError, match="a plan in notebooks/lessons"):
        copy(project, shows, tmp_path / "out", "teacher")
