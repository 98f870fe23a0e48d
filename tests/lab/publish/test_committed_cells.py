"""The committed results in a notebook's text: written from the figures, reported when they are stale."""

import pytest

from tests.lab.conftest import SETUP, good_project
from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Panel, Series
from workbench.lab.figures import save
from workbench.lab.publish.check import check, fix
from workbench.lab.publish.committed_cells import shown, tagged
from workbench.lab.schemas import nbformat

VERDICTS = [
    {"id": "T1", "statement": "A_1 holds <always>.", "status": "HOLDS"},
    {"id": "T2", "statement": "B is as told", "status": "REFUTED"},
]
SHOWS = "lab.show(chapter.falls, n=3)"


def chart(name, words="It falls."):
    series = Series("measured", (10, 100), (0.3, 0.1), colour_key="mean/prime")
    panel = Panel("Error", "n", "error", (series,))
    return Chart(name, f"{name} is the finding", (panel,), alt=words, how_to_read="Down is [good].")


def commit(figures, name, words="It falls."):
    save({"full": chart(name, words)}, figures, parameters={"profile": "full"}, seed=7)


@pytest.fixture
def figures(tmp_path):
    folder = good_project(tmp_path / "checkout").parent / "checkout" / "figures" / "01_good"
    for name in ("falls", "rises", "hours"):
        commit(folder, name)
    canonical_json.write(folder / "verdicts.json", {"full": VERDICTS})
    return folder


@pytest.fixture
def path(figures):
    """A notebook that shows two figures and one that takes an hour, one of them in an appendix."""
    path = figures.parents[1] / "notebooks" / "01_good.ipynb"
    notebook = nbformat().read(path, as_version=4)
    code = nbformat().v4.new_code_cell
    sources = ["\n".join(SETUP), SHOWS, "lab.show(rises)", "lab.show(hours)", "lab.explore(chapter.view)"]
    notebook.cells[1:] = [code(source) for source in sources]
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"c{number:02d}"
        cell.metadata["slideshow"] = {"slide_type": "slide"}
    notebook.cells[3].metadata["tags"] = ["appendix"]
    path.write_text(nbformat().writes(notebook) + "\n", encoding="utf-8")
    return path


def cells(path):
    return nbformat().read(path, as_version=4).cells


def committed(path):
    return {cell.id: cell.source for cell in cells(path) if tagged(cell)}


def test_every_figure_stands_before_the_cell_that_makes_it(path):
    names = [f"committed-{name}" for name in ("verdicts", "c02", "c03", "c04")]
    assert check(path) == [f"{name}: the committed result is missing" for name in names]
    fix(path)
    assert check(path) == []
    order = [cell.id for cell in cells(path)]
    assert order == [names[0], "c00", "c01", names[1], "c02", names[2], "c03", names[3], "c04", "c05"]
    found = committed(path)
    picture = "![It falls.](../figures/01_good/falls.svg)\n\n*How to read it.* Down is \\[good\\]."
    assert found["committed-c02"] == picture
    assert found["committed-c03"].startswith("<details><summary>More: rises is the finding</summary>\n\n![")
    assert found["committed-c03"].endswith("\n\n</details>")
    assert "(../figures/01_good/hours.svg)" in found["committed-c04"]
    assert {cell.metadata.slideshow.slide_type for cell in cells(path) if tagged(cell)} == {"skip"}


def test_the_verdicts_are_one_sentence_and_a_folded_list(path):
    fix(path)
    sentence, _, rest = committed(path)["committed-verdicts"].partition("\n")
    assert sentence.startswith("**1 of 2 claims holds in the full run; 1 is refuted: T2.** The pictures")
    items = [line for line in rest.splitlines() if line.startswith("*")]
    assert items == [
        "* **refuted**: B is as told. (`T2`)",
        "* **holds**: A\\_1 holds &lt;always>. (`T1`)",
    ]
    assert rest.startswith("\n<details>")
    assert rest.endswith("</details>")


def test_fixing_twice_changes_no_byte(path):
    fix(path)
    once = path.read_bytes()
    fix(path)
    assert path.read_bytes() == once


def edited(cell):
    cell.source = cell.source.replace("falls.svg", "other.svg")


STALE = {
    "picture": (
        lambda path, _: rewritten(path, lambda cells: edited(cells[3])),
        ["committed-c02: not what is committed in figures/01_good"],
    ),
    "words": (
        lambda _, figures: commit(figures, "falls", "It rises."),
        ["committed-c02: not what is committed in figures/01_good"],
    ),
    "verdict": (
        lambda _, figures: canonical_json.write(figures / "verdicts.json", {"full": VERDICTS[:1]}),
        ["committed-verdicts: not what is committed in figures/01_good"],
    ),
    "no call": (
        lambda path, _: rewritten(path, lambda cells: cells.pop(4)),
        ["committed-c02: shows nothing that a cell makes"],
    ),
    "elsewhere": (
        lambda path, _: rewritten(path, lambda cells: cells.append(cells.pop(3))),
        ["committed results do not stand before the cells that make them"],
    ),
}


def rewritten(path, edit):
    notebook = nbformat().read(path, as_version=4)
    edit(notebook.cells)
    path.write_text(nbformat().writes(notebook) + "\n", encoding="utf-8")


@pytest.mark.parametrize(("spoil", "findings"), STALE.values(), ids=STALE)
def test_what_is_stale_is_reported_and_mended(path, figures, spoil, findings):
    fix(path)
    spoil(path, figures)
    assert check(path) == findings
    assert fix(path).mendable == findings
    assert check(path) == []


def test_a_figure_that_is_not_committed_is_left_to_a_person(path, figures):
    fix(path)
    (figures / "falls.json").unlink()
    stale, missing = check(path)
    assert stale == "committed-c02: shows nothing that a cell makes"
    assert missing == "cell 3: shows falls, which is not in figures/01_good"


def test_a_notebook_away_from_its_figures_keeps_what_it_has(path, tmp_path):
    fix(path)
    copy = tmp_path / "elsewhere" / path.name
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())
    assert check(copy) == []


def test_the_code_of_a_cell_that_draws_is_hidden_in_jupyterlab(path):
    rewritten(path, lambda cells: cells[-1].metadata.update(tags=["remove-input"]))
    assert "cell 5: draws, and its source is not hidden" in check(path)
    fix(path)
    assert cells(path)[-1].metadata["jupyter"] == {"source_hidden": True}
    assert [cell.id for cell in cells(path) if "jupyter" in cell.metadata] == ["c05"]


def test_what_a_cell_shows_is_read_from_its_calls():
    assert shown("lab.show(\n    wem.two_outputs,\n    n=n,\n)\nlab.show(rises)") == ["two_outputs", "rises"]
    assert shown("lab.show(lambda run: chart)\nother.show(falls)\nlab.explore(falls)") == []
    assert shown("lab.show(") == []
