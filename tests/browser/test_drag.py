"""A point on the picture of an explorer, dragged by mouse and moved by keys: handle and words follow."""

import shutil

import nbformat
import pytest

from tests.browser.conftest import ROOT
from tests.browser.page import Notebook
from tests.browser.server import serve

pytestmark = pytest.mark.browser

TOY = """
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.controls import Slider
from workbench.lab.notebook import explore

def view(row):
    line = Series("line", (-10, 10), (0.0, 1.0), role="theory")
    panels = [Panel(f"at {row:g}", "x", "y", (line,), "linear", "linear", xlim=(-10, 10)) for _ in range(2)]
    yield Chart("toy", "Toy", panels, alt="A line.", caption=f"It is at {row:g}.")

explore(view, alt="A line", row=Slider(-8, 8, 2, log=False, label="row", drag=True))
"""
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
SAYS = "([box, words]) => box.querySelector('[data-stage]').textContent.includes(words)"


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory, output):
    root = tmp_path_factory.mktemp("drag")
    for folder in ("notebooks", "figures"):
        (root / folder).mkdir()
    shutil.copy(ROOT / "pyproject.toml", root)
    path = root / "notebooks" / "drag.ipynb"
    cells = [nbformat.v4.new_code_cell(TOY)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL}), path)
    with serve(root, tmp_path_factory.mktemp("lab")) as server:
        opened = Notebook(browser, server, path, output / "drag")
        opened.start()
        yield opened.wait()
        opened.close()


@pytest.fixture
def box(page):
    found = page.page.locator(".workbench-explorer")
    found.scroll_into_view_if_needed()
    yield found
    found.get_by_role("button", name="reset").click()
    wait_for(page, found, "It is at 2.")


def wait_for(page, box, words):
    page.page.wait_for_function(SAYS, arg=[box.element_handle(), words], timeout=30_000)


def middle(part):
    place = part.bounding_box()
    return place["x"] + place["width"] / 2, place["y"] + place["height"] / 2


def test_the_point_is_on_the_axes_and_says_what_it_is(box):
    point = box.locator("circle")
    assert point.get_attribute("role") == "slider"
    assert point.get_attribute("aria-label") == "row"
    assert point.get_attribute("aria-valuetext") == "row = 2"


def test_dragging_it_moves_the_handle_and_the_words(page, box):
    mouse, point = page.page.mouse, box.locator("circle")
    (x, y), image = middle(point), box.locator("img").bounding_box()
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - image["width"] / 10, y, steps=5)
    mouse.up()
    page.page.wait_for_function(
        "(p) => p.getAttribute('aria-valuetext') !== 'row = 2'", arg=point.element_handle()
    )
    value = float(point.get_attribute("aria-valuetext").removeprefix("row = "))
    assert -8 <= value < 0  # a tenth of the picture's width is about five units of the left panel
    wait_for(page, box, f"It is at {value:g}.")
    assert float(box.locator("input[type=text]").input_value()) == value


def test_keys_move_it_and_the_handle_moves_it(page, box):
    point = box.locator("circle")
    point.focus()
    point.press("ArrowLeft")
    wait_for(page, box, "row = 1.5.")
    field = box.locator("input[type=text]")
    field.fill("-4")
    field.press("Enter")
    wait_for(page, box, "It is at -4.")
    page.page.wait_for_function(
        "(p) => p.getAttribute('aria-valuetext') === 'row = -4'", arg=point.element_handle()
    )


def test_a_click_beside_the_point_moves_nothing(page, box):
    image = box.locator("img").bounding_box()
    page.page.mouse.click(image["x"] + 0.8 * image["width"], image["y"] + 0.5 * image["height"])
    page.page.wait_for_timeout(400)
    assert box.locator("circle").get_attribute("aria-valuetext") == "row = 2"
