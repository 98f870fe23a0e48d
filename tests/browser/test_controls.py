"""Every kind of control by mouse and by keyboard, on a notebook of two explorers; a dragged point in time."""

import shutil
from statistics import median

import nbformat
import pytest

from tests.browser.conftest import ROOT
from tests.browser.page import Notebook
from tests.browser.server import serve

pytestmark = pytest.mark.browser

TOY = """
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.parameters import Parameter
from workbench.lab.notebook import Choice, explore, solve

EPSILON = Parameter("ε", 1.0, 0.01, 20, "privacy", track=(0.1, 10))
N = Parameter("n", 1000, 1, 10**7, "rows", "rows", integer=True, track=(100, 10_000))

def view(epsilon, n, scale):
    line = Series("error", (10, 100, 1000), [scale / (epsilon * x) for x in (10, 100, 1000)])
    panel = Panel(f"ε = {epsilon:g}, n = {n}", "n", "error", (line,), xlim=(1, 10_000), ylim=(1e-5, 10))
    yield Chart("toy", "Toy", (panel,), alt="A line falls.", caption=f"Of {n} rows.")
"""
EXPLORE = (
    'explore(view, alt="A line", epsilon=EPSILON.slider(), n=N.slider(), scale=Choice((1, 2), 1, "scale"))'
)
SOLVE = 'solve("mean/prime", d=5)'
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
MOVES = 10
SAYS = "([box, words]) => box.querySelector('[data-stage]').textContent.includes(words)"


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory, output):
    root = tmp_path_factory.mktemp("controls")
    for name in ("notebooks", "figures"):
        (root / name).mkdir()
    shutil.copy(ROOT / "pyproject.toml", root)
    path = root / "notebooks" / "controls.ipynb"
    cells = [nbformat.v4.new_code_cell(source) for source in (TOY, EXPLORE, SOLVE)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL}), path)
    with serve(root, tmp_path_factory.mktemp("lab")) as server:
        opened = Notebook(browser, server, path, output / "controls")
        opened.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        opened.start()
        yield opened.wait()
        opened.close()


@pytest.fixture
def toy(page):
    return Box(page, ".workbench-explorer")


@pytest.fixture
def solver(page):
    return Box(page, ".workbench-solver")


class Box:
    """One explorer and what is done to it."""

    def __init__(self, notebook, selector):
        self.page, self.notebook = notebook.page, notebook
        self.box = notebook.page.locator(selector)
        self.box.scroll_into_view_if_needed()
        self.tracks = self.box.locator("input[type=range]")
        self.fields = self.box.locator("input[type=text]")

    def button(self, words):
        return self.box.get_by_role("button", name=words)

    def wait_for(self, words):
        self.page.wait_for_function(SAYS, arg=[self.box.element_handle(), words], timeout=30_000)

    @property
    def told(self):
        return self.box.locator("circle").get_attribute("aria-valuetext")

    def shoot(self, name):
        self.box.screenshot(path=self.notebook.folder / f"{name}.png")


def test_a_track_by_keys_and_by_mouse(toy):
    track = toy.tracks.nth(0)
    track.focus()
    track.press("ArrowRight")
    toy.wait_for("ε = 1.2,")
    assert track.get_attribute("aria-valuetext") == "1.2"
    box = track.bounding_box()
    toy.page.mouse.click(box["x"] + 0.98 * box["width"], box["y"] + box["height"] / 2)
    toy.wait_for("ε = 10,")


def test_a_field_takes_any_legal_number_and_refuses_others_in_words(toy):
    field, refusal = toy.fields.nth(1), toy.box.locator(".workbench-refusal").nth(1)
    field.fill("250,000")
    field.press("Enter")
    toy.wait_for("n = 250000 rows")
    assert toy.tracks.nth(1).get_attribute("aria-valuetext") == "250000 rows"
    for wrong in ("0", "12.5", "many", "1e8"):
        field.fill(wrong)
        field.press("Enter")
        assert refusal.inner_text() == f"n = {wrong}: expected a whole number, 1 to 10000000"
        assert (field.input_value(), field.get_attribute("aria-invalid")) == ("250000", "true")
    assert refusal.get_attribute("aria-live") == "polite"
    field.fill("2000")
    field.press("Enter")
    toy.wait_for("n = 2000 rows")
    assert refusal.inner_text() == ""


def test_a_menu(toy):
    toy.box.locator("select").select_option(index=1)
    toy.wait_for("scale: 2")


def test_values_are_copied_kept_and_put_back_by_keyboard(toy):
    toy.button("copy these values").focus()
    toy.page.keyboard.press("Enter")
    words = f"-p epsilon={toy.fields.nth(0).input_value()} -p n={toy.fields.nth(1).input_value()}"
    assert toy.box.locator("code").inner_text() == words
    assert toy.page.evaluate("navigator.clipboard.readText()") == words
    toy.button("keep this curve").press("Enter")
    toy.button("drop the curve of").wait_for()
    toy.shoot("kept")
    toy.button("reset").press("Enter")
    toy.wait_for("ε = 1, n = 1000 rows, scale: 1")
    toy.shoot("kept_and_moved")
    toy.button("drop the curve of").press("Enter")
    toy.button("keep this curve").wait_for()


def test_the_point_is_moved_by_keys(solver):
    point = solver.box.locator("circle")
    assert point.get_attribute("role") == "slider"
    assert solver.told == "n = 693 rows, epsilon = 1"
    point.focus()
    point.press("ArrowRight")
    solver.wait_for("at (1.2, 1e-6)")
    solver.page.wait_for_function(
        "(p) => p.getAttribute('aria-valuetext').endsWith('epsilon = 1.2')", arg=point.element_handle()
    )
    solver.box.locator("select").select_option("α")
    solver.wait_for("solve for: α")
    point.press("ArrowUp")
    solver.wait_for("n = 600 rows")


def test_the_point_is_dragged(page, publish):
    solver = page.solvers[0]
    solver.solve_for("α")
    took = solver.drag(MOVES)
    publish(notebook="controls", moved="point", moves=MOVES, first=round(median(took)))
    assert len(took) == MOVES


def test_it_is_seen_at_both_widths_and_in_the_dark(page, toy):
    boxes = [*page.explorers, *page.solvers]
    for width in (1280, 900):
        page.widen(width)
        for box in boxes:
            box.shoot(str(width))
            assert box.cut_off == []
    toy.fields.nth(1).fill("0")
    toy.fields.nth(1).press("Enter")
    with page.dark():
        for box in boxes:
            box.shoot("dark")


def test_nothing_is_asked_of_another_host(page):
    assert page.errors == []
    assert page.foreign == []
