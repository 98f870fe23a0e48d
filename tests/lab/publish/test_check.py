import pytest
from workbench.lab.publish.check import check, fix, parameters

from tests.lab.conftest import DEFAULTS, ROOT, write_notebook
from workbench.lab.schemas import nbformat


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


def changed(path, edit):
    """Write a notebook of five cells with one fault, without asking nbformat whether it may be written."""
    write_notebook(path, "1 + 1", "2 + 2", "3 + 3")
    notebook = nbformat().read(path, as_version=4)
    notebook.cells.append(nbformat().v4.new_markdown_cell("A line.  \nAnother.", id="text"))
    notebook.cells[-1].metadata["slideshow"] = {"slide_type": "slide"}
    edit(notebook)
    path.write_bytes((nbformat().v4.writes(notebook) + "\n").encode())
    return path


def rename(notebook):
    notebook.cells[2]["id"] = notebook.cells[1]["id"]


MENDABLE = {
    "count": (lambda nb: nb.cells[1].update(execution_count=1), "cell 1: has outputs"),
    "output": (
        lambda nb: nb.cells[1].update(outputs=[nbformat().v4.new_output("stream", text="a")]),
        "cell 1: has outputs",
    ),
    "no id": (lambda nb: nb.cells[3].pop("id"), "cell 3: has no id of its own"),
    "twice": (rename, "cell 2: has no id of its own"),
    "odd id": (lambda nb: nb.cells[3].update(id="a b"), "cell 3: has no id of its own"),
    "kernel": (
        lambda nb: nb.metadata["kernelspec"].update(name="julia"),
        "the kernelspec is not that of python3",
    ),
    "language": (
        lambda nb: nb.metadata["language_info"].update(version="3.11.2"),
        "the language_info is not that of python3",
    ),
    "no kernel": (lambda nb: nb.metadata.pop("kernelspec"), "the kernelspec is not that of python3"),
    "metadata": (lambda nb: nb.metadata.update(papermill={}, a=1), "metadata not allowed: a, papermill"),
    "of cell": (
        lambda nb: nb.cells[1].metadata.update(editable=True),
        "cell 1: metadata not allowed: editable",
    ),
    "empty": (
        lambda nb: nb.cells[1].metadata.update(tags=[], jupyter={}),
        "cell 1: metadata without content: jupyter, tags",
    ),
    "code": (lambda nb: nb.cells[1].update(source="1 + 1 \n2"), "cell 1: has trailing whitespace"),
    "last line": (lambda nb: nb.cells[1].update(source="1 + 1\n"), "cell 1: has trailing whitespace"),
    "text": (lambda nb: nb.cells[4].update(source="A line. \nB\t"), "cell 4: has trailing whitespace"),
}
FORM = "not in canonical form: sorted keys, indent 1, one newline at the end"
FORMS = {
    "indent": lambda text: text.replace("\n ", "\n  "),
    "no newline": lambda text: text.rstrip("\n"),
    "two newlines": lambda text: text + "\n",
    "returns": lambda text: text.replace("\n", "\r\n"),
    "escapes": lambda text: text.replace("A line", "\\u0041 line"),
}
UNMENDABLE = [
    (lambda nb: nb.cells[0].metadata.pop("tags"), "0 cells tagged 'parameters', expected exactly one"),
    (
        lambda nb: nb.cells[1].metadata.pop("slideshow"),
        "cell 1: has no slide type: slide, subslide, fragment, skip, notes, -",
    ),
    (
        lambda nb: nb.cells[4].metadata["slideshow"].update(slide_type="page"),
        "cell 4: has no slide type: slide, subslide, fragment, skip, notes, -",
    ),
]


@pytest.mark.parametrize(("edit", "finding"), MENDABLE.values(), ids=MENDABLE)
def test_what_a_machine_can_mend_is_found_and_mended(path, edit, finding):
    assert check(changed(path, edit)) == [finding]
    assert fix(path).mendable == [finding]
    assert check(path) == []


@pytest.mark.parametrize("edit", FORMS.values(), ids=FORMS)
def test_the_form_is_found_and_mended(path, edit):
    good = changed(path, lambda _: None).read_bytes()
    path.write_bytes(edit(good.decode()).encode())
    assert check(path) == [FORM]
    fix(path)
    assert path.read_bytes() == good


@pytest.mark.parametrize(("edit", "finding"), UNMENDABLE)
def test_what_needs_a_person_is_found_and_left_alone(path, edit, finding):
    before = changed(path, edit).read_bytes()
    assert check(path) == [finding]
    assert fix(path).mendable == []
    assert path.read_bytes() == before


def test_everything_at_once_is_mended_and_then_stays(path):
    def spoil(notebook):
        for edit, _ in MENDABLE.values():
            edit(notebook)

    fix(changed(path, spoil))
    once = path.read_bytes()
    assert check(path) == []
    fix(path)
    assert path.read_bytes() == once


def test_mending_changes_no_word_of_a_cell(path):
    changed(path, lambda nb: [edit(nb) for name, (edit, _) in MENDABLE.items() if "text" not in name])
    fix(path)
    cells = nbformat().read(path, as_version=4).cells
    assert [cell.source for cell in cells[1:]] == ["1 + 1", "2 + 2", "3 + 3", "A line.  \nAnother."]
    assert parameters(path) == {"profile": "quick", "seed": 7, "out": ""}


def test_whitespace_that_means_something_stays(path):
    source = 'x = """two spaces  \nend"""'
    before = changed(path, lambda nb: nb.cells[1].update(source=source)).read_bytes()
    assert check(path) == []
    fix(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "text", ["not json", "[]", "null", '{"nbformat": 3, "worksheets": []}', "{}", "\ud800"]
)
def test_rubbish_is_one_finding_and_stays(path, text):
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    (finding,) = check(path)
    assert finding.startswith("not a notebook: ")
    assert len(finding.splitlines()) == 1
    fix(path)
    assert path.read_bytes() == text.encode("utf-8", "surrogatepass")


@pytest.mark.daily
def test_the_command_prints_a_line_per_finding_and_mends_on_request(project, workbench):
    (notebook,) = (project / "notebooks").glob("*.ipynb")
    good = notebook.read_bytes()
    clean = workbench("check", cwd=project)
    assert (clean.returncode, clean.stdout) == (0, "1 notebook, nothing to mend\n")
    notebook.write_bytes(good.replace(b'"execution_count": null', b'"execution_count": 3', 1) + b"\n")
    done = workbench("check", cwd=project)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [f"{notebook}: {FORM}", f"{notebook}: cell 0: has outputs"]
    done = workbench("check", notebook, "--fix", cwd=project.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"{notebook}: {FORM} (mended)",
        f"{notebook}: cell 0: has outputs (mended)",
    ]
    assert notebook.read_bytes() == good
    assert workbench("check", "02_other", cwd=project).returncode == 2


@pytest.mark.daily
def test_the_command_fails_when_something_is_left_to_a_person(project, workbench):
    notebook = write_notebook(project / "notebooks" / "02_loop.ipynb", "while True:\n    pass")
    done = workbench("check", "02_loop", "--fix", cwd=project)
    assert done.returncode == 1
    assert done.stdout == f"{notebook}: cell 1: has a loop; loops live in the package\n"


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_committed_notebooks_are_as_they_must_be(notebook):
    assert check(notebook) == []


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_mending_a_clean_notebook_changes_no_byte(notebook, tmp_path):
    copy = tmp_path / notebook.name
    copy.write_bytes(notebook.read_bytes())
    assert fix(copy).mendable == []
    assert copy.read_bytes() == notebook.read_bytes()


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_what_a_session_leaves_in_a_notebook_is_taken_out_again(notebook, tmp_path):
    used = nbformat().read(notebook, as_version=4)
    used.metadata.update(papermill={"duration": 1.5}, widgets={"state": {}})
    used.metadata["language_info"].update(version="3.11.2", file_extension=".py")
    for count, cell in enumerate(used.cells):
        cell.metadata.update(editable=True, papermill={"status": "completed"})
        cell.metadata.setdefault("tags", [])
        if cell.cell_type == "code":
            cell.execution_count = count
            cell.outputs = [nbformat().v4.new_output("stream", text="words")]
    copy = tmp_path / notebook.name
    copy.write_text(nbformat().writes(used))  # without a newline at the end
    fix(copy)
    assert copy.read_bytes() == notebook.read_bytes()
