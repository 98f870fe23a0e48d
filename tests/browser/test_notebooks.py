"""Every notebook in JupyterLab and Chromium: its cells run, its explorers follow their controls."""

import ast
from urllib.parse import unquote

import pytest

from tests.browser.page import COMMITTED, FOLLOWS_WITHIN, RUNS_WITHIN, SETTLES
from workbench.lab.notebook import AGREES, STANDS
from workbench.lab.project import shown as shown_by

pytestmark = pytest.mark.browser

MOVES = 6  # of an explorer
LATENCY = 450  # ms to its next picture: three times the aim, on any machine
PICTURED_WITHIN = 2  # seconds from the first cell
RAN_WITHIN, USABLE_WITHIN = 60, 15  # seconds from Run All to its end, and to an explorer that follows
STANDING = "in the full run"
RECOMPUTED = "01_what_epsilon_means"  # whose first figure is made again to its end; the others' is stopped
SAYS = """(any) => any.some((words) =>
  document.querySelector('.jp-OutputArea .workbench-recomputed').textContent.includes(words))"""


def cells(notebook):
    return ["".join(cell["source"]) for cell in notebook.cells if cell["cell_type"] == "code"]


def calls(notebook, name):
    """Return how many times the cells call a method of the session."""
    nodes = [node for cell in cells(notebook) for node in ast.walk(ast.parse(cell))]
    return sum(isinstance(node, ast.Call) and ast.unparse(node.func) == f"lab.{name}" for node in nodes)


def test_explorers_follow_while_cells_run_and_all_is_run_soon(notebook, within):
    assert notebook.ran < within(RAN_WITHIN)
    assert 0 < notebook.usable < within(USABLE_WITHIN)
    assert all(sorted(took)[len(took) // 2] < within(LATENCY) for took in notebook.meanwhile.values())


def test_all_cells_run_without_a_word_of_complaint(notebook):
    code = [cell["metadata"].get("jupyter", {}) for cell in notebook.cells if cell["cell_type"] == "code"]
    assert notebook.errors == []
    seen = [f"[{place}]:" for place, cell in enumerate(code, 1) if not cell.get("source_hidden")]
    assert [prompt for prompt in notebook.prompts if prompt.strip()] == seen


def test_results_are_seen_before_anything_runs(notebook, within):
    """Loading pictures must not wait for a kernel."""
    assert notebook.pictured < within(PICTURED_WITHIN)
    if calls(notebook, "verdicts"):
        standing = notebook.page.locator(".jp-RenderedMarkdown strong", has_text=STANDING)
        assert "hold" in standing.text_content()


def test_every_committed_figure_stands_once_and_is_recomputed_when_asked(notebook):
    figures = [name for cell in cells(notebook) for name in shown_by(cell)]
    names = [unquote(path).partition("/figures/")[2].partition("/")[2] for path in notebook.committed]
    assert names == [f"{name}.svg" for name in figures]
    made = [name for name in figures if not name.startswith("deep/")]
    assert notebook.recomputed == [STANDS] * len(made)
    assert notebook.drawn == calls(notebook, "growths") + calls(notebook, "compare")
    if not made:
        return
    button = notebook.page.get_by_role("button", name="recompute", exact=True).first
    button.scroll_into_view_if_needed()
    button.click()
    if notebook.path.stem == RECOMPUTED:
        notebook.page.wait_for_function(SAYS, arg=[AGREES], timeout=1000 * RUNS_WITHIN)
        return
    notebook.page.wait_for_function(SAYS, arg=[" s so far", AGREES], timeout=1000 * FOLLOWS_WITHIN)
    stop = notebook.page.get_by_role("button", name="stop", exact=True)
    stop.evaluate_all("(all) => all.forEach((one) => one.click())")  # gone, where it was quicker
    notebook.page.wait_for_function(SAYS, arg=["stopped", AGREES], timeout=1000 * FOLLOWS_WITHIN)


def test_figures_follow_the_dark_theme(notebook):
    images = notebook.page.locator(f"{COMMITTED}, .workbench-picture > img")
    filters = "(all) => all.map((one) => getComputedStyle(one).filter)"
    assert set(images.evaluate_all(filters)) == {"none"}
    with notebook.dark():
        images.first.evaluate("(one) => one.scrollIntoView()")  # it may be folded
        notebook.page.wait_for_timeout(SETTLES)
        notebook.shoot("dark")
        assert set(images.evaluate_all(filters)) == {"invert(1) hue-rotate(180deg)"}


def test_every_explorer_is_on_the_page_and_follows_its_first_slider(notebook, within):
    """Where a grid is at hand, at once; else when the kernel has computed it."""
    boxes = notebook.explorers
    assert len(boxes) == calls(notebook, "explore") + calls(notebook, "solve")
    for box in boxes:
        took = sorted(notebook.move(box, key) for key in ("ArrowRight", "ArrowLeft") * (MOVES // 2))
        assert box.get_attribute("data-state") == "ready"
        assert took[MOVES // 2] < within(LATENCY)
        box.screenshot(path=notebook.folder / f"explorer_{boxes.index(box)}.png")


def test_an_explorer_fills_the_screen_for_a_hall_and_the_cell_at_both_widths(notebook):
    for box in notebook.explorers[:1]:
        box.get_by_role("button", name="full screen").click()
        notebook.page.wait_for_function("document.fullscreenElement != null")
        notebook.page.wait_for_timeout(SETTLES)
        notebook.shoot("presented")
        window = notebook.page.evaluate("[innerWidth, innerHeight]")
        assert box.locator(".panels").bounding_box()["width"] > 0.9 * window[0]
        notebook.page.keyboard.press("Escape")
        box.get_by_role("button", name="full screen").click()
        notebook.page.wait_for_timeout(SETTLES)
    for width in (1280, 1920):
        notebook.widen(width)
        for box in notebook.explorers:
            cell, drawn = box.bounding_box()["width"], box.locator(".panels").bounding_box()["width"]
            assert drawn > 0.95 * cell


def test_nothing_is_asked_of_another_host(notebook):
    assert notebook.foreign == []
