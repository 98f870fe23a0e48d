"""Slides: a statement and its figure together, words by the author, whole lists, everything in the notes."""

import pytest

from tests.lab.conftest import ROOT, write_notebook
from workbench.errors import ArgumentError
from workbench.lab.project import Project
from workbench.lab.publish import text as cell
from workbench.lab.publish.slides import deck, slides
from workbench.lab.schemas import nbformat

FIGURES = ROOT / "figures"
FOLDER = FIGURES / "03_many_dimensions"
LONG = "This sentence is the first of many, and it is not short. " * 9


def code(source, *tags):
    return nbformat().v4.new_code_cell(
        source, metadata={"slideshow": {"slide_type": "fragment"}, "tags": list(tags)}
    )


def made(*cells):
    """Return the layout, the title and the words of each slide after title and outline, and all notes."""
    found = deck([cell("# All\n\nWhy?", "slide"), *cells], FOLDER, FIGURES)
    parts = [(one.metadata.slideshow.get("slide_type"), one) for one in found]
    shown = [
        (one.metadata.slideshow.get("layout", "statement"), one.source)
        for kind, one in parts
        if kind == "slide"
    ]
    return shown[2:], "\n".join(one.source for kind, one in parts if kind == "notes")


@pytest.mark.turns(4)
def test_a_short_statement_and_its_figure_are_one_slide_and_a_long_one_is_not():
    draws = code("lab.show(x.skewed_rows)", "remove-input")
    shown, notes = made(cell("## Price\n\nIt is high.", "slide"), draws)
    assert shown[0] == ("figure", "It is high.")
    assert {layout for layout, _ in shown[1:]} <= {"figure"}  # its further panels
    shown, notes = made(cell(f"## Price\n\n{LONG}", "slide", text="Short."), draws)
    assert shown[0] == ("figure", "Short.")
    assert LONG.strip() in notes
    shown, notes = made(cell(f"## Price\n\n{LONG}\n\n$$a = b$$", "slide"))
    assert shown[0][1].endswith("not short.\n\n$$a = b$$")
    assert "…" not in shown[0][1]


def test_lists_are_whole_boxes_follow_and_proofs_are_folded():
    points = "\n".join(f"* point {k} of a summary that nobody cuts, [with](a.md) a link" for k in range(9))
    shown, _ = made(cell(f"## Summary\n\n{points}", "slide"))
    assert [words.count("* point") for _, words in shown] == [9]
    assert "](a.md)" not in shown[0][1]
    box, proof = "> **Theorem.** " + LONG, "<details><summary>Proof</summary>\n\nClear.\n\n</details>"
    shown, _ = made(cell(f"## A\n\nSay.\n\n{box}\n\n{proof}", "slide"))
    assert [words.split()[0] for _, words in shown] == ["Say.", ">"]
    assert shown[1][1].endswith("</details>")


def test_every_exercise_has_its_solution_and_appendices_come_last():
    answer = cell("<details><summary>Solutions</summary>\n\n1. Yes.\n2. No.\n\n</details>", "fragment")
    answer.metadata["tags"] = ["solution"]
    asked = cell("## Exercises\n\n1. Is it?\n2. Is it\n   not?", "slide")
    shown, _ = made(
        code("lab.show(x.skewed_rows)", "remove-input", "appendix"), asked, answer, cell("Gone", "skip")
    )
    assert [layout for layout, _ in shown[:3]] == ["exercise", "exercise", "figure"]
    assert "Is it?" in shown[0][1]
    assert "Yes." in shown[0][1]
    assert "No." in shown[1][1]
    assert shown[2][1] == "For questions."


def test_code_explorers_and_verdicts_are_shown_and_what_is_missing_is_an_error():
    shown, notes = made(
        code("release = mean(x)"), code("plumbing()", "remove-input"), code("lab.solve('a', d=2)")
    )
    assert [words for _, words in shown] == ["release = mean(x)", ""]
    shown, notes = made(
        cell("## Verdicts\n\nExecuted.", "slide"), code("lab.verdicts(x.CLAIMS)", "remove-input")
    )
    assert "claims hold in the full run" in shown[-1][1]
    assert "many-dimensions/" in notes
    with pytest.raises(ArgumentError, match="--run makes a fresh one"):
        made(code("lab.show(x.other)", "remove-input"))


@pytest.mark.daily
def test_a_run_is_asked_for_and_one_that_fails_makes_no_slides(project, workbench, tmp_path):
    write_notebook(project / "notebooks" / "01_good.ipynb", "print(6 * 7)")
    write_notebook(project / "notebooks" / "02_bad.ipynb", "1 / 0")
    asked = ("--run", "--out", tmp_path / "out", "--lecturer", "A. <B>")
    assert workbench("slides", "01_good", *asked, cwd=project).returncode == 0
    page = (tmp_path / "out" / "01_good.slides.html").read_text()
    assert '<pre class="output">42' in page
    assert "http-equiv" in page
    done = workbench("slides", "02_bad", *asked, cwd=project)
    assert (done.returncode, done.stderr) == (
        1,
        "02_bad: error: ZeroDivisionError: division by zero (cell 3)\n",
    )
    assert workbench("slides", "01_good", "--out", project / "figures", cwd=project).returncode == 2


@pytest.mark.daily
def test_slides_of_a_notebook_are_written_from_what_is_committed(tmp_path):
    path, line = slides(Project(ROOT), ROOT / "notebooks" / "00_start_here.ipynb", tmp_path, about=["Monday"])
    assert line == f"{path}: needs no network"
    assert "Monday" in path.read_text(encoding="utf-8")
