"""A committed notebook: what is found in it and mended, its committed results, and copies to hand out."""

import re

import pytest

from tests.lab.conftest import DEFAULTS, ROOT, write_notebook
from workbench.chapters.parameters import CHAPTERS
from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Panel, Series
from workbench.errors import ArgumentError
from workbench.lab.figures import save
from workbench.lab.project import Project, nbformat
from workbench.lab.publish import committed, copies
from workbench.lab.publish.committed import examine, examined, parameters, tagged

NOTEBOOKS = Project(ROOT).notebooks
FORM = "not in canonical form: order, metadata, sorted keys, indent 1, one last newline"
OUTPUT = nbformat().v4.new_output("stream", text="a")


def check(path):
    mendable, others, _ = examine(path)
    return [*mendable, *others]


def fix(path):
    examined([path], mend=True)


@pytest.mark.turns(3)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_committed_notebooks_are_as_they_must_be(path):
    assert check(path) == []


def stale(cell):
    return f"cell {cell} is not as it is committed"


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("finding", "edit"),
    [
        (stale("c01"), lambda nb: nb.cells[1].update(execution_count=1, outputs=[OUTPUT])),
        (stale("c01-2"), lambda nb: nb.cells[2].update(id=nb.cells[1]["id"])),
        (stale("c03"), lambda nb: nb.cells[3].update(id="a b")),
        (stale("c02"), lambda nb: nb.cells[2].metadata.update(editable=True, tags=[])),
        (FORM, lambda nb: nb.metadata["language_info"].update(version="3.11.2")),
    ],
)
def test_what_a_session_leaves_is_found_and_mended(tmp_path, finding, edit):
    path = write_notebook(tmp_path / "a.ipynb", "1 + 1", "2 + 2", "3 + 3")
    notebook = nbformat().read(path, as_version=4)
    edit(notebook)
    path.write_bytes((nbformat().v4.writes(notebook) + "\n").encode())
    assert finding in check(path)
    fix(path)
    assert check(path) == []
    assert parameters(path) == {"profile": "quick", "seed": 7, "out": "", "recompute": False}
    good = path.read_bytes()
    path.write_bytes(good.replace(b"\n ", b"\n  "))
    assert check(path) == [FORM]
    fix(path)
    assert path.read_bytes() == good


START = CHAPTERS["one_mean"]
LINES = {name: f"{name} = {one.default!r}  # {one.words}: {one.meaning}" for name, one in START.items()}
OTHERS = [*DEFAULTS, *(LINES[name] for name in LINES if name != "epsilon")]
WORDS = START["epsilon"].words


@pytest.mark.parametrize(
    ("name", "cell", "lines", "fault"),
    [
        ("a", "for n in range(3):\n    n", DEFAULTS, "cell 1: has a loop; loops live in the package"),
        ("a", "%matplotlib inline", DEFAULTS, "cell 1: does not compile: invalid syntax"),
        ("a", "\n".join(f"x{n} = {n}" for n in range(13)), DEFAULTS, "cell 1: 13 lines of code, at most 12"),
        ("a", "1", [*DEFAULTS, "d = 3"], "parameters: line 5 has no comment with unit and range"),
        ("a", "1", [*DEFAULTS, "d = 3 * n  # d"],
         "parameters: line 5 is no assignment of a literal to a name"),
        ("a", "1", [*DEFAULTS[:2], DEFAULTS[3]], "parameters: out is missing"),
        ("02_one_mean", "1", OTHERS, "parameters: epsilon is missing"),
        ("02_one_mean", "1", [*OTHERS, "epsilon = 0.5  # 0.05 to 5"],
         f"parameters: the comment of epsilon does not say {WORDS!r}"),
        ("02_one_mean", "1", [*OTHERS, f"epsilon = 0  # {WORDS}"],
         f"parameters: epsilon = 0, declared as {WORDS}"),
        ("02_one_mean", "1", [*DEFAULTS, *LINES.values(), "columns = 3  # coordinates"],
         "parameters: columns is not declared in workbench.chapters.parameters"),
    ],
)  # fmt: skip
def test_what_needs_a_person_is_found_and_left_alone(tmp_path, name, cell, lines, fault):
    path = write_notebook(tmp_path / f"{name}.ipynb", cell, parameters=lines)
    before = path.read_bytes()
    assert check(path) == [fault]
    fix(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["not json", "[]", "null", '{"nbformat": 3, "worksheets": []}', "\ud800"])
def test_rubbish_is_found_and_left_alone(tmp_path, text):
    path = tmp_path / "a.ipynb"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    (finding,) = check(path)
    assert finding.startswith("not a notebook: ")
    fix(path)
    assert path.read_bytes() == text.encode("utf-8", "surrogatepass")


def test_committed_results_stand_before_their_cells_and_are_mended_when_stale(project):
    path, folder = project / "notebooks" / "01_good.ipynb", project / "figures" / "01_good"
    panel = Panel("E", "n", "e", (Series("a", (1, 2), (1, 2)),))
    for name in ("falls", "rises", "asked"):
        made = Chart(name, "It is the finding", (panel,), alt="It [falls].")
        save({"full": made}, folder, parameters={}, seed=7)
    statuses = enumerate(("HOLDS", "REFUTED"))
    decided = [{"id": f"T{k}", "statement": f"A_{k} <is>", "status": status} for k, status in statuses]
    canonical_json.write(folder / "verdicts.json", {"full": decided})
    write_notebook(path, *(f"lab.show(c.{name})" for name in ("falls", "rises", "asked")))
    notebook = nbformat().read(path, as_version=4)
    notebook.cells[2].metadata["tags"] = ["appendix"]
    question = nbformat().v4.new_markdown_cell("**Predict first:** up or down?", id="question")
    question.metadata["slideshow"] = {"slide_type": "slide"}
    notebook.cells.insert(3, question)
    path.write_text(nbformat().writes(notebook) + "\n", encoding="utf-8")
    names = [f"committed-{name}" for name in ("verdicts", "c01", "c02", "c03")]
    assert check(path) == [stale(name) for name in names]
    fix(path)
    cells = nbformat().read(path, as_version=4).cells
    assert [cell.id for cell in cells] == [
        names[0], "c00", names[1], "c01", names[2], "c02", "question", names[3], "c03",
    ]  # fmt: skip
    first, falls, rises, asked = (cell.source for cell in cells if tagged(cell))
    assert first.startswith("**1 of 2 claims holds in the full run; 1 is refuted: T1.**")
    assert "* **refuted**: A\\_1 &lt;is>. (`T1`)\n* **holds**" in first
    assert falls == "![It \\[falls\\].](../figures/01_good/falls.svg)"
    assert rises.startswith("<details><summary>More: It is the finding</summary>")
    assert asked.startswith("<details><summary>The answer")
    cells[2].source = "other"
    other = nbformat().v4.new_notebook(cells=cells, metadata=committed.METADATA)
    path.write_text(nbformat().writes(other) + "\n")
    assert check(path) == [stale("committed-c01")]
    fix(path)
    assert check(path) == []
    (folder / "falls.json").unlink()
    assert check(path) == [stale("committed-c01"), "cell 2: shows falls, which is not in figures/01_good"]


@pytest.mark.turns(4)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_copies_stand_alone_without_solutions_or_with_them_open(path, tmp_path, monkeypatch):
    monkeypatch.setattr(copies, "draw", lambda chart: chart)
    monkeypatch.setattr(copies, "png", lambda figure: b"a picture")
    first = nbformat().read(path, as_version=4).cells
    solutions = [cell.source for cell in first if tagged(cell, "solution")]
    assert solutions
    for edition in ("student", "teacher"):
        made = copies.copy(Project(ROOT), path, tmp_path, edition)
        cells = nbformat().read(made, as_version=4).cells
        words = "\n".join(cell.source for cell in cells)
        assert "](../" not in words
        assert all(f"](attachment:{name})" in words for cell in cells for name in cell.get("attachments", {}))
        assert all(name.endswith(edition) for name in re.findall(r"\]\((\d\d_\w+)\.ipynb", words))
        assert ("### Ninety minutes" in words, "pip install" in words) == (edition == "teacher", True)
        assert (copies.ANSWER in words, "<details open>" in words) == (
            edition == "student",
            edition == "teacher",
        )
        with pytest.raises(ArgumentError, match="may hold answers"):
            copies.copy(Project(ROOT), path, tmp_path, edition)
