"""Slides: a statement and its figure together, words by the author, whole lists, everything in the notes."""

import pytest

from tests.lab.conftest import ROOT, run_workbench, write_notebook
from workbench.errors import ArgumentError
from workbench.lab.project import nbformat
from workbench.lab.publish import html
from workbench.lab.publish import text as cell
from workbench.lab.publish.slides import deck

FIGURES = ROOT / "figures"
FOLDER = FIGURES / "03_many_dimensions"
LONG = "This sentence is the first of many, and it is not short. " * 9


def code(source, *tags):
    metadata = {"slideshow": {"slide_type": "fragment"}, "tags": list(tags)}
    return nbformat().v4.new_code_cell(source, metadata=metadata)


DRAWN = code("lab.show(x.skewed_rows)", "remove-input")


def made(*cells):
    """Return the layout and the words of each slide after title and outline, and all notes."""
    found = deck([cell("# All\n\nWhy?", "slide"), *cells], FOLDER, FIGURES)
    slides = [(one.metadata.slideshow, one.source) for one in found]
    shown = [(how.get("layout", "statement"), words) for how, words in slides if how.slide_type == "slide"]
    return shown[2:], "\n".join(words for how, words in slides if how.slide_type == "notes")


@pytest.mark.turns(4)
def test_a_short_statement_and_its_figure_are_one_slide_and_a_long_one_is_not():
    shown, notes = made(cell("## Price\n\nIt is high.", "slide"), DRAWN)
    assert shown[0] == ("figure", "It is high.")
    assert {layout for layout, _ in shown[1:]} <= {"figure"}  # its further panels
    shown, notes = made(cell(f"## Price\n\n{LONG}", "slide", text="Short."), DRAWN)
    assert shown[0] == ("figure", "Short.")
    assert LONG.strip() in notes
    shown, notes = made(cell(f"## Price\n\n{LONG}\n\n$$a = b$$", "slide"))
    assert shown[0][1].endswith("not short.\n\n$$a = b$$")
    assert "…" not in shown[0][1]


def test_a_cut_text_keeps_its_formulas_whole_and_asks_what_the_figure_answers():
    asked = "**Predict first:** how\nmuch?"
    shown, notes = made(
        cell(f"## A\n\nOdds of $p : (1 - p)$ [rise](a.md). {LONG}{asked} {LONG}", "slide"), DRAWN
    )
    assert shown[0] == ("figure", f"Odds of $p : (1 - p)$ rise. {LONG.strip()[:170]}\n\n{asked}")
    assert "](a.md)" not in notes


def test_formulas_hold_their_commas_and_raise_a_prime_once():
    page = html("With $\\sqrt d$, a line may end after $X'$ and $d$.")
    closed = page.count("</math>,</span>"), page.count("</math>.</span>")
    assert (*closed, page.count('class="unbroken"'), "<msup>" in page) == (1, 1, 2, False)


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
    appendix = code("lab.show(x.skewed_rows)", "remove-input", "appendix")
    (one, first), (two, second), (three, last), *_ = made(appendix, asked, answer, cell("Gone", "skip"))[0]
    assert [one, two, three] == ["exercise", "exercise", "figure"]
    assert all(word in first for word in ("Is it?", "Yes."))
    assert "No." in second
    assert last == "For questions."


def test_code_explorers_and_verdicts_are_shown_and_what_is_missing_is_an_error():
    shown, notes = made(
        code("release = mean(x)"), code("plumbing()", "remove-input"), code("lab.solve('a', d=2)")
    )
    assert [words for _, words in shown] == ["release = mean(x)", ""]
    shown, notes = made(cell("## Verdicts\n\nRun.", "slide"), code("lab.verdicts(x.CLAIMS)", "remove-input"))
    assert [words.partition("\n")[0] for _, words in shown] == ["Run."]  # and beside it how many hold
    assert "many-dimensions/" in notes
    with pytest.raises(ArgumentError, match="--run makes a fresh one"):
        made(code("lab.show(x.other)", "remove-input"))


@pytest.mark.daily
def test_a_run_is_asked_for_and_one_that_fails_makes_no_slides(project, tmp_path):
    write_notebook(project / "notebooks" / "02_bad.ipynb", "1 / 0")
    asked = ("--run", "--out", tmp_path / "out", "--lecturer", "A. <B>", "--date", "Monday")
    assert run_workbench("slides", "01_good", *asked, cwd=project).returncode == 0
    page = (tmp_path / "out" / "01_good.slides.html").read_text()
    assert all(one in page for one in ('<pre class="output">42', "http-equiv", "Monday"))
    done = run_workbench("slides", "02_bad", *asked, cwd=project)
    line = "02_bad: error: ZeroDivisionError: division by zero (cell 3)\n"
    assert (done.returncode, done.stderr) == (1, line)
    assert run_workbench("slides", "01_good", "--out", project / "figures", cwd=project).returncode == 2
