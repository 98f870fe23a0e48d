"""What is published of notebooks: committed results and copies, plans of lessons, pages, slides."""

import json
import re
import shutil
from html.parser import HTMLParser

import pytest

from tests.lab.conftest import DEFAULTS, ROOT, checkout, write_notebook
from workbench.catalog import CATALOG
from workbench.chapters.parameters import CHAPTERS
from workbench.chapters.registry import CLAIMS
from workbench.charts import canonical_json, drawing
from workbench.charts.chart import Chart, Panel, Series
from workbench.cli import main
from workbench.errors import ArgumentError
from workbench.lab.figures import save
from workbench.lab.project import Project, nbformat, parameters, tagged
from workbench.lab.publish import ANSWER, deck, examine
from workbench.lab.publish import text as cell
from workbench.sources import sources, statements

# A committed notebook: what is found in it and mended, its committed results, and copies to hand out.

NOTEBOOKS = Project(ROOT).notebooks
FORM = "not in canonical form: order, metadata, sorted keys, indent 1, one last newline"
OUTPUT = nbformat().v4.new_output("stream", text="a")


def check(path):
    mendable, others, _ = examine(path)
    return [*mendable, *others]


def fix(path):
    main(["check", "--fix", str(path)])


def stale(cell):
    return f"cell {cell} is not as it is committed"


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("finding", "edit"),
    [
        (stale("c01"), lambda nb: nb.cells[1].update(execution_count=1, outputs=[OUTPUT])),
        (stale("c01-2"), lambda nb: nb.cells[2].update(id=nb.cells[1]["id"])),
        (FORM, lambda nb: nb.metadata["language_info"].update(version="3.11.2")),
    ],
)
def test_what_a_session_leaves_is_found_and_mended(tmp_path, finding, edit):
    path = write_notebook(tmp_path / "a.ipynb", "1 + 1", "2 + 2", "3 + 3")
    notebook = nbformat().read(path, as_version=4)
    edit(notebook)
    path.write_text(nbformat().v4.writes(notebook) + "\n", encoding="utf-8")
    assert finding in check(path)
    fix(path)
    good = path.read_text(encoding="utf-8")
    path.write_text(good.replace("\n ", "\n  "), encoding="utf-8")
    assert check(path) == [FORM]
    fix(path)
    assert (check(path), path.read_text(encoding="utf-8")) == ([], good)
    assert parameters(path) == {"profile": "quick", "seed": 7, "out": "", "recompute": False}


START = CHAPTERS["one_mean"]
LINES = {name: f"{name} = {one.default!r}  # {one.words}: {one.meaning}" for name, one in START.items()}
OTHERS = [*DEFAULTS, *(LINES[name] for name in LINES if name != "epsilon")]


@pytest.mark.parametrize(
    ("name", "cell", "lines", "fault"),
    [
        ("a", "for n in range(3):\n    n", DEFAULTS, "cell 1: has a loop; loops live in the package"),
        ("a", "%matplotlib inline", DEFAULTS, "cell 1: does not compile: invalid syntax"),
        ("a", "\n".join(f"x{n} = {n}" for n in range(13)), DEFAULTS, "cell 1: 13 lines of code, at most 12"),
        ("a", "1", [*DEFAULTS, "d = 3"], "parameters: line 5 has no comment with unit and range"),
        ("a", "1", [*DEFAULTS[:2], DEFAULTS[3]], "parameters: out is missing"),
        ("02_one_mean", "1", OTHERS, "parameters: epsilon is missing"),
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
    for rubbish in ("not json", "null", '{"nbformat": 3, "worksheets": []}', "\ud800"):
        path.write_bytes(rubbish.encode("utf-8", "surrogatepass"))
        (finding,) = check(path)
        assert finding.startswith("not a notebook: ")
        fix(path)
        assert path.read_bytes() == rubbish.encode("utf-8", "surrogatepass")


def test_committed_results_stand_before_their_cells_and_are_mended_when_stale(project):
    path, folder = project / "notebooks" / "01_good.ipynb", project / "figures" / "01_good"
    panel = Panel("E", "n", "e", (Series("a", (1, 2), (1, 2)),))
    for name in ("falls", "rises", "asked"):
        made = Chart(name, "It is the finding", (panel,), alt="It [falls].")
        save({"full": made}, folder, parameters={}, seed=7)
    statuses = enumerate(("HOLDS", "REFUTED"))
    decided = [{"id": f"T{k}", "statement": f"n = A_{k} <is>", "status": status} for k, status in statuses]
    canonical_json.write(folder / "verdicts.json", {"full": decided})
    write_notebook(path, *(f"lab.show(c.{name})" for name in ("falls", "rises", "asked")))
    notebook = nbformat().read(path, as_version=4)
    notebook.cells[2].metadata["tags"] = ["appendix"]
    notebook.cells.insert(3, cell("**Predict first:** up or down?", "slide"))
    notebook.cells[3].id = "question"
    path.write_text(nbformat().writes(notebook) + "\n", encoding="utf-8")
    names = [f"committed-{name}" for name in ("verdicts", "c01", "c02", "c03")]
    assert check(path) == [stale(name) for name in names]
    fix(path)
    cells = nbformat().read(path, as_version=4).cells
    order = [names[0], "c00", names[1], "c01", names[2], "c02", "question", names[3], "c03"]
    assert [one.id for one in cells] == order
    first, falls, rises, asked = (one.source for one in cells if tagged(one))
    assert first.startswith("**1 of 2 claims holds in the full run; 1 is refuted: T1.**")
    assert "* **refuted**: n = A\\_1 &lt;is>. (`T1`)\n* **holds**" in first
    assert falls == "![It \\[falls\\].](../figures/01_good/falls.svg)"
    assert rises.startswith("<details><summary>More: It is the finding</summary>")
    assert asked.startswith("<details><summary>The answer")
    (folder / "falls.json").unlink()
    assert check(path) == [stale("committed-c01"), "cell 2: shows falls, which is not in figures/01_good"]


@pytest.mark.turns(4)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_as_it_must_be_its_plan_fills_ninety_minutes_and_copies_stand_alone(
    path, tmp_path, monkeypatch, capsys
):
    assert check(path) == []
    first = nbformat().read(path, as_version=4).cells
    plan = (ROOT / "notebooks" / "lessons" / f"{path.stem}.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d+) \| (.+?) \|", plan.partition("## Ninety minutes")[2], re.MULTILINE)
    assert sum(int(minutes) for minutes, _ in rows) == 90
    text = "\n".join(cell.source for cell in first if cell.cell_type == "markdown")
    known, planned = re.findall(r"^##? (.*)$", text, re.MULTILINE), [section for _, section in rows]
    assert [one for one in known if one in planned] == planned
    assert any(tagged(cell, "solution") for cell in first)
    monkeypatch.setattr(drawing, "draw", lambda chart: chart)
    monkeypatch.setattr(drawing, "png", lambda figure: b"a picture")
    for edition in ("student", "teacher"):  # without solutions, or with them open
        line = ["notebook", path.stem, f"--{edition}", "--out", str(tmp_path)]
        assert main(line) == 0
        cells = nbformat().read(tmp_path / f"{path.stem}_{edition}.ipynb", as_version=4).cells
        words = "\n".join(cell.source for cell in cells)
        assert "](../" not in words
        assert all(name.endswith(edition) for name in re.findall(r"\]\((\d\d_\w+)\.ipynb", words))
        assert ("### Ninety minutes" in words, "pip install" in words) == (edition == "teacher", True)
        assert (ANSWER in words, "<details open>" in words) == (edition == "student", edition == "teacher")
        assert main(line) == 2
    assert capsys.readouterr().err.count("which may hold answers") == 2


# The pages: everything has its card, links lead somewhere, no word is markup; browsers see what is loaded.


class Elements(HTMLParser):
    """The names and attributes of what stands in a page."""

    def __init__(self, path):
        super().__init__()
        self.all = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        self.all.append((tag, dict(attrs)))


@pytest.mark.daily
def test_everything_has_a_card_links_lead_somewhere_and_no_word_is_markup(tmp_path, capsys):
    root = checkout(tmp_path / "checkout")
    for name in ("figures", "notebooks"):
        shutil.copytree(ROOT / name, root / name)
    path = root / "figures" / "09_which_one" / "verdicts.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["full"][0] |= {"status": "UNDECIDED", "statement": "</script><script>alert(1)</script>"}
    path.write_text(json.dumps(content))
    assert main(["pages", "--project", str(root)]) == 0
    first = root / "reproduced" / "pages" / "index.html"
    assert capsys.readouterr().out.startswith(f"{first}: with ")
    pages = {path.name: Elements(path).all for path in first.parent.glob("*.html")}
    ids = {name: {one["id"] for _, one in page if "id" in one} for name, page in pages.items()}
    assert ids["claims.html"] >= CLAIMS.keys()
    assert ids["estimators.html"] >= CATALOG.keys()
    assert ids["sources.html"] >= {one.id for source in sources() for one in statements(source)}
    assert ids["proofs.html"] >= {path.stem for path in (ROOT / "workbench" / "proofs").glob("*.md")}
    assert ids.keys() >= {f"{path.stem}.html" for path in NOTEBOOKS}
    for name, page in pages.items():
        links = {one["href"] for tag, one in page if tag == "a" and "href" in one}
        for file, _, anchor in (one.partition("#") for one in links if not re.match("https?:", one)):
            assert not anchor or anchor in ids[file or name], (name, file, anchor)
            assert not file or file in ids
    assert 'class="tex"' not in first.with_name("proofs.html").read_text(encoding="utf-8")  # unread formulas
    assert sum(tag == "script" for tag, _ in pages["claims.html"]) == 1
    assert ("span", {"class": "verdict undecided"}) in pages["claims.html"]
    before = sorted(root.rglob("*"))
    for taken in (root / "figures" / "new", path):
        assert main(["pages", str(taken), "--project", str(root)]) == 2
    assert sorted(root.rglob("*")) == before


# Slides: a statement and its figure together, words by the author, whole lists, everything in the notes.

FIGURES = ROOT / "figures"
LONG = "This sentence is the first of many, and it is not short. " * 9


def code(source, *tags):
    metadata = {"slideshow": {"slide_type": "fragment"}, "tags": list(tags)}
    return nbformat().v4.new_code_cell(source, metadata=metadata)


DRAWN = code("lab.show(x.skewed_rows)", "remove-input")


def made(*cells):
    """Return the layout and the words of each slide after title and outline, and all notes."""
    found = deck([cell("# All\n\nWhy?", "slide"), *cells], FIGURES / "03_many_dimensions", FIGURES)
    slides = [(one.metadata.slideshow, one.source) for one in found]
    shown = [(how.get("layout", "statement"), words) for how, words in slides if how.slide_type == "slide"]
    return shown[2:], "\n".join(words for how, words in slides if how.slide_type == "notes")


@pytest.mark.turns(4)
def test_a_short_statement_and_its_figure_are_one_slide_and_a_long_one_is_cut_at_a_whole_formula():
    shown, _ = made(cell("## Price\n\nIt is high.", "slide"), DRAWN)
    assert shown[0] == ("figure", "It is high.")
    assert {layout for layout, _ in shown[1:]} <= {"figure"}  # its further panels
    shown, notes = made(cell(f"## Price\n\n{LONG}", "slide", text="Short."), DRAWN)
    assert (shown[0], LONG.strip() in notes) == (("figure", "Short."), True)
    asked = "**Predict first:** how\nmuch?"
    long = f"## A\n\nOdds of $p : (1 - p)$ [rise](a.md). {LONG}{asked} {LONG}"
    shown, notes = made(cell(long, "slide"), DRAWN)
    assert shown[0] == ("figure", f"Odds of $p : (1 - p)$ rise. {LONG.strip()[:170]}\n\n{asked}")
    assert "](a.md)" not in notes


@pytest.mark.turns(4)
def test_lists_are_whole_proofs_are_folded_exercises_have_solutions_and_appendices_come_last():
    points = "\n".join(f"* point {k} of a summary that nobody cuts, [with](a.md) a link" for k in range(9))
    ((_, words),) = made(cell(f"## Summary\n\n{points}", "slide"))[0]
    assert (words.count("* point"), "](a.md)" in words) == (9, False)
    box, proof = "> **Theorem.** " + LONG, "<details><summary>Proof</summary>\n\nClear.\n\n</details>"
    shown, _ = made(cell(f"## A\n\nSay.\n\n{box}\n\n{proof}", "slide"))
    assert [words.split()[0] for _, words in shown] == ["Say.", ">"]
    assert shown[1][1].endswith("</details>")
    answer = cell("<details><summary>Solutions</summary>\n\n1. Yes.\n2. No.\n\n</details>", "fragment")
    answer.metadata["tags"] = ["solution"]
    asked = cell("## Exercises\n\n1. Is it?\n2. Is it\n   not?", "slide")
    appendix = code("lab.show(x.skewed_rows)", "remove-input", "appendix")
    (one, first), (two, second), (three, last), *_ = made(appendix, asked, answer, cell("Gone", "skip"))[0]
    assert [one, two, three] == ["exercise", "exercise", "figure"]
    assert all(word in first for word in ("Is it?", "Yes."))
    assert ("No." in second, last) == (True, "For questions.")
    shown, _ = made(
        code("release = mean(x)"), code("plumbing()", "remove-input"), code("lab.solve('a', d=2)")
    )
    assert [words for _, words in shown] == ["release = mean(x)", ""]
    shown, notes = made(cell("## Verdicts\n\nRun.", "slide"), code("lab.verdicts(x.CLAIMS)", "remove-input"))
    assert [words.partition("\n")[0] for _, words in shown] == ["Run."]  # and beside it how many hold
    assert "many-dimensions/" in notes
    with pytest.raises(ArgumentError, match="--run makes a fresh one"):
        made(code("lab.show(x.other)", "remove-input"))


@pytest.mark.daily
def test_a_run_is_asked_for_and_one_that_fails_makes_no_slides(project, tmp_path, monkeypatch, command):
    monkeypatch.chdir(project)
    write_notebook(project / "notebooks" / "02_bad.ipynb", "1 / 0")
    asked = ("--run", "--out", tmp_path / "out", "--lecturer", "A. <B>", "--date", "Monday")
    assert command("slides", "01_good", *asked).returncode == 0
    page = (tmp_path / "out" / "01_good.slides.html").read_text()
    assert all(one in page for one in ('<pre class="output">42', "http-equiv", "Monday"))
    done = command("slides", "02_bad", *asked)
    line = "02_bad: error: ZeroDivisionError: division by zero (cell 3)\n"
    assert (done.returncode, done.stderr) == (1, line)
    assert command("slides", "01_good", "--out", project / "figures").returncode == 2
