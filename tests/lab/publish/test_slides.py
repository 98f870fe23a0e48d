import re
from html import unescape

import pytest

from tests.lab.conftest import ROOT, write_notebook
from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.errors import ArgumentError
from workbench.lab.figures import save
from workbench.lab.publish.check import parameters
from workbench.lab.publish.slides.blocks import WORDS, blocks, count, items, lead, packed, point, sentences
from workbench.lab.publish.slides.deck import Deck
from workbench.lab.publish.slides.page import page
from workbench.lab.publish.slides.results import Results, calls
from workbench.lab.publish.slides.shapes import shapes
from workbench.lab.publish.slides.slide import Slide
from workbench.lab.schemas import nbformat

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
VERDICT = {"statement": "it does", "checks": []}
TAG = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL)
BESIDE = re.compile(
    r'<div class="(?:box|display).*|<details.*', re.DOTALL
)  # a theorem, an algorithm, a proof
LONG = "This sentence has a clause that goes on for a while, which nobody would read on a slide, and it " + (
    "never ends but goes on and on and on, and nobody listens."
)


def text(source, kind="slide", **about):
    return nbformat().v4.new_markdown_cell(source, metadata={"slideshow": {"slide_type": kind, **about}})


def code(source, *tags, kind="fragment"):
    made = nbformat().v4.new_code_cell(source)
    made.metadata.update(slideshow={"slide_type": kind}, tags=list(tags))
    return made


@pytest.fixture
def results(tmp_path):
    """A folder with one chart and two verdicts."""
    series = Series("measured", (10, 100), (0.3, 0.1))
    panels = (Panel("Left", "n", "error", (series,)),)
    chart = Chart("error", "Error falls < 1", panels, alt="It falls.", how_to_read="From left to right.")
    folder = tmp_path / "figures" / "01_good"
    save({"full": chart}, folder, parameters={}, seed=1)
    verdicts = [{**VERDICT, "id": f"a/{name}", "status": name.upper()} for name in ("holds", "refuted")]
    canonical_json.write(folder / "verdicts.json", {"full": verdicts})
    return Results(folder, folder.parent)


@pytest.fixture
def deck(results):
    return lambda *cells: list(Deck(list(cells), results, {"n": 3}))


def words(slide):
    return " ".join(TAG.sub(" ", slide.body).split())


def test_a_heading_makes_a_statement_of_first_sentences_and_the_first_formula(deck):
    cell = text(f"## Price\n\nIt is high. {LONG}\n\n$$a = b$$\n\nMore. $$c = d$$")
    first, outline, slide = deck(text("# All\n\nWhy?"), cell)
    assert (first.layout, outline.layout, slide.layout) == ("title", "outline", "statement")
    assert (slide.title, words(slide)) == ("Price", "It is high. $$a = b$$")
    assert "never ends" in slide.notes[0]
    assert "c = d" in slide.notes[0]
    assert "<li>Price</li>" in outline.body


def test_an_author_says_what_stands_on_the_slide_instead(deck):
    slide = deck(text("# All"), text(f"## Price\n\n{LONG}", text="Short and *good*."))[-1]
    assert words(slide) == "Short and good ."
    assert "never ends" in slide.notes[0]


def test_text_that_only_leads_on_is_said_beside_the_next_slide(deck):
    cells = (text("Look at the left end."), code("lab.show(x.error)", "remove-input"), text("Gone", "skip"))
    slides = deck(text("# All"), *cells, text("Said", "notes"))
    assert [slide.layout for slide in slides] == ["title", "outline", "figure"]
    assert slides[-1].title == "Error falls &lt; 1"
    assert [words(Slide("code", "", note)) for note in slides[-1].notes] == [
        "From left to right.",
        "It falls.",
        "Look at the left end.",
        "Said",
    ]


def test_boxes_steps_and_lists_are_shown_and_lists_shortened(deck):
    box, steps = "> **Theorem.** All is well.", "1. first\n2. second"
    points = "* one thing is shown, and many more are said beside it by the one who lectures\n* two"
    slides = deck(text("# All"), text(f"## A\n\n{box}"), text(f"## B\n\n{steps}"), text(f"## C\n\n{points}"))
    assert [words(slide) for slide in slides[2:]] == [
        "Theorem. All is well.",
        "first second",
        "one thing is shown two",
    ]
    assert 'class="box"' in slides[2].body
    assert "many more" in slides[4].notes[0]


def test_links_to_files_of_the_checkout_are_words_on_a_slide(deck):
    cell = text("## A\n\nSee [the proof](../proofs/a.md) and [the paper](https://a.org/b).")
    slide = deck(text("# All"), cell)[-1]
    assert words(slide) == "See the proof and the paper ."
    assert slide.body.count("<a href=") == 1


def test_every_exercise_has_its_solution_folded(deck):
    solved = "<details><summary>Solutions</summary>\n\n1. Yes: $x$.\n2. No.\n</details>"
    one, two = deck(text("# All"), text(f"## Exercises\n\n1. Is it?\n2. Is it\n   not?\n\n{solved}"))[2:]
    assert (one.layout, one.title, two.title) == ("exercise", "Exercise 1", "Exercise 2")
    assert (words(one), words(two)) == ("Is it? Solution Yes: $x$.", "Is it not? Solution No.")
    assert all("<details><summary>" in slide.body for slide in (one, two))


def test_verdicts_are_counted_and_named_in_the_notes(deck):
    *_, slide = deck(
        text("# All"), text("## Verdicts\n\nExecuted."), code("lab.verdicts(x.CLAIMS)", "remove-input")
    )
    assert words(slide) == "1 of 2 claims holds in the full run; 1 is refuted: a/refuted"
    assert slide.body.count('<i class="holds">') == 1
    assert "a/refuted" in slide.notes[0]
    assert "1 of 2 claims holds" in words(deck(text("# All"))[0])


def test_committed_explorers_are_slides_and_appendices_come_last():
    drawing = ("lab.show(x.skewed_rows)", "lab.solve('mean/coinpress', d=d)", "lab.explore(x.unknown, n=n)")
    tags = (("remove-input", "appendix"), *[("remove-input",)] * 2)
    cells = [code(source, *tag) for source, tag in zip(drawing, tags, strict=True)]
    results = Results(ROOT / "figures" / "03_many_dimensions", ROOT / "figures")
    slides = list(Deck([text("# All"), *cells], results, {"n": 2}))
    assert [slide.layout for slide in slides[2:4]] == ["live", "statement"]
    assert {slide.layout for slide in slides[4:]} == {"figure"}
    assert "CoinPress" in slides[2].title
    assert "mountAll" in page("x", slides, {})


def test_many_named_rows_and_many_panels_are_several_slides():
    many = [f"row {k}" for k in range(1, 33)]
    dots = Series("all", range(1, 33), range(1, 33), low=range(32), high=range(2, 34))
    middle = Series("", (0.5, 32.5), (1.0, 1.0), role="reference")
    named = Panel("", "", "n", (dots, middle), names=tuple(many))
    first, _, last = (one.panels[0] for one in shapes(Chart("a", "A", (named,), alt="A.")))
    assert (first.names, last.names) == (tuple(many[:11]), tuple(many[22:]))
    assert (tuple(last.series[0].x), tuple(last.series[0].y)) == (tuple(range(1, 11)), tuple(range(23, 33)))
    assert tuple(last.series[0].low) == tuple(range(22, 32))
    assert tuple(last.series[1].x) == (0.5, 10.5)
    curve = Panel("", "n", "error", (Series("a", (1, 2), (1, 2)),), xlim=(1, 2), ylim=(1, 2))
    counts = {2: [1, 1], 3: [3], 4: [2, 2], 6: [3, 3]}
    for abreast, wanted in counts.items():
        chart = Chart("a", "A", (curve,) * abreast, alt="A.")
        assert [len(one.panels) for one in shapes(chart)] == wanted


def test_words_stay_with_their_row_where_rows_are_on_several_slides():
    dots = Series("all", range(1, 33), range(1, 33))
    marks = (
        Mark("no answer", x=5.0, y=2.0),
        Mark("from 1 to 9", x=5.0, y=24.0),
        Mark("too far", "leader", x=5.0, y=10.0, x2=6.0, y2=13.0),
        Mark("usual", "vertical", x=4.0, y=2.0),
    )
    named = Panel("", "", "n", (dots,), names=tuple(f"row {k}" for k in range(1, 33)), marks=marks)
    first, middle, last = (one.panels[0] for one in shapes(Chart("a", "A", (named,), alt="A.")))
    assert [(mark.text, mark.y) for mark in first.marks] == [("no answer", 2.0), ("usual", 2.0)]
    assert [(mark.text, mark.y) for mark in middle.marks] == [("usual", 1.0)]
    assert [(mark.text, mark.y) for mark in last.marks] == [("from 1 to 9", 2.0), ("usual", 1.0)]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_words_on_a_plane_stand_inside_its_axes(notebook):
    """A plane on a page may have room beyond its limits; on a slide it has none."""
    beyond = [
        f"{path.stem}: {mark.text}"
        for path in sorted((ROOT / "figures" / notebook.stem).glob("*.json"))
        if path.stem != "verdicts"
        for panel in Results(path.parent, ROOT / "figures").chart(path.stem).panels
        if panel.equal and panel.ylim
        for mark in panel.marks
        if mark.y is not None and not panel.ylim[0] < mark.y < panel.ylim[1]
    ]
    assert beyond == []


def test_a_formula_on_a_slide_ends_without_the_comma_of_its_sentence(deck):
    cell = text("## Price\n\nIt is high:\n$$a = b ,$$\nwhere $b$ is low.")
    assert words(deck(text("# All"), cell)[-1]) == "It is high: $$a = b$$"


def test_code_that_is_shown_in_the_notebook_is_shown_and_that_which_draws_is_not(deck):
    cells = (code("release = mean(x)"), code("plumbing()", "remove-input"), code("a = 1", "parameters"))
    (slide,) = deck(text("# All"), *cells)[2:]
    assert "".join(words(slide).split()) == "release=mean(x)"


def test_a_figure_that_is_not_there_is_an_error(deck):
    with pytest.raises(ArgumentError, match="--run makes a fresh one"):
        deck(text("# All"), code("lab.show(x.other)", "remove-input"))


def test_calls_are_read_and_never_run(tmp_path):
    place = tmp_path / "planted"
    hostile = f"__import__('pathlib').Path({str(place)!r}).touch()"
    assert [call.names for call in calls(f"lab.show(c.b, n={hostile})\nlab.kept('d', 'e')")] == [
        ("b",),
        ("d", "e"),
    ]
    assert calls("1 +") == calls("(" * 1000 + "1" + ")" * 1000) == []
    assert not place.exists()


def test_sentences_end_where_formulas_and_names_do_not():
    assert sentences("Say $a. B$ twice. **Now.** Then `x. Y` (really?) So.") == [
        "Say $a. B$ twice.",
        "**Now.**",
        "Then `x. Y` (really?)",
        "So.",
    ]
    assert lead(LONG)[0].endswith("a slide …")
    assert count(lead(LONG)[0]) <= WORDS
    assert lead("word " * 40)[0] == " ".join(["word"] * WORDS) + " …"
    assert point("A thing (chapter/claim-name) is good; and bad.") == "A thing is good; and bad"
    assert packed(["a " * 20, "b " * 6, "c"]) == [["a " * 20], ["b " * 6, "c"]]
    assert items("* a\n  b\n* c") == ["a\n  b", "c"]
    assert [part.kind for part in blocks("a\n* b\n\n| c |\n\n![d](e)\n\n```\nf\n```\n> g")] == [
        *("text", "points", "table", "picture", "code", "box")
    ]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_statement_of_a_notebook_has_few_words(notebook):
    cells = nbformat().read(notebook, as_version=4).cells
    texts = [cell for cell in cells if cell.cell_type == "markdown"]
    results = Results(ROOT / "figures" / notebook.stem, ROOT / "figures")
    deck = list(Deck(texts, results, parameters(notebook)))
    said = re.compile(r'<p class="said">(.*?)</p>|<ul>(.*?)</ul>', re.DOTALL)
    bodies = [BESIDE.sub("", slide.body) for slide in deck if slide.layout in ("title", "statement")]
    shown = [found for body in bodies if (found := said.search(body))]
    assert len(shown) >= 5
    for found in shown:
        assert count(unescape(TAG.sub(" ", found[1] or found[2]))) <= WORDS, found[0]
    assert any(slide.layout == "exercise" and "<details>" in slide.body for slide in deck)


def test_the_title_says_who_and_when():
    made = page("01_good", [Slide("title", "All")], {"lecturer": "A. <B>", "date": ""})
    assert "<footer><span>A. &lt;B&gt;</span><span>01_good</span></footer>" in made


@pytest.mark.daily
def test_the_command_needs_no_run(project, workbench, results, tmp_path):
    notebook = project / "notebooks" / "01_good.ipynb"
    write_notebook(notebook, "1 / 0")
    content = nbformat().read(notebook, as_version=4)
    content.cells += [text("# All"), code("lab.show(x.error)", "remove-input")]
    nbformat().write(content, notebook)
    (tmp_path / "figures").rename(project / "figures")
    done = workbench("slides", "01_good", "--out", tmp_path / "out", "--date", "today", cwd=project)
    made = tmp_path / "out" / "01_good.slides.html"
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{made}: ")
    assert "<span>today</span>" in made.read_text()
    (project / "figures" / "01_good" / "error.json").unlink()
    done = workbench("slides", "01_good", "--out", tmp_path / "out", cwd=project)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("01_good: figure = 'error': expected a chart in ")


@pytest.mark.daily
def test_a_run_is_asked_for_and_used_again(project, workbench, tmp_path):
    write_notebook(project / "notebooks" / "01_good.ipynb", "print(6 * 7)")
    asked = ("slides", "01_good", "--run", "--out", tmp_path / "out")
    assert workbench(*asked, cwd=project).returncode == 0
    made = (tmp_path / "out" / "01_good.slides.html").read_text()
    assert '<pre class="output">42</pre>' in made
    ran = (tmp_path / "out" / "01_good" / "executed.ipynb").stat().st_mtime_ns
    assert workbench(*asked, cwd=project).returncode == 0
    assert (tmp_path / "out" / "01_good" / "executed.ipynb").stat().st_mtime_ns == ran


@pytest.mark.daily
def test_a_notebook_that_fails_makes_no_slides(project, workbench, tmp_path):
    write_notebook(project / "notebooks" / "02_bad.ipynb", "1 / 0")
    done = workbench("slides", "02_bad", "--run", "--out", tmp_path / "out", cwd=project)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "02_bad: error: ZeroDivisionError: division by zero (cell 3)\n"
    assert not list((tmp_path / "out").glob("*.html"))


@pytest.mark.daily
def test_wrong_arguments_are_one_line_and_what_is_committed_stays(project, workbench, tmp_path):
    (tmp_path / "file").write_text("")
    kept = project / "figures" / "01_good" / "error.svg"
    kept.parent.mkdir(parents=True)
    kept.write_text("committed")
    folders = (tmp_path / "file", project, project / "figures", project / "notebooks" / "new")
    for arguments in (("03_other",), *(("01_good", "--out", folder) for folder in folders)):
        done = workbench("slides", *arguments, cwd=project)
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1
    assert kept.read_text() == "committed"
