"""Explorers that run in the browser: on a page of their own, on the site, and in JupyterLab."""

import json
import shutil
from statistics import median

import nbformat
import pytest

from tests.browser.conftest import ROOT
from tests.browser.page import Notebook
from tests.browser.server import serve
from tests.lab.live.modules import loaded
from workbench.lab.live.browser import EXPLORERS, element, script, sentence
from workbench.lab.publish.site.page import write

pytestmark = pytest.mark.browser

SIZES = [(1280, "light"), (1280, "dark"), (720, "light"), (720, "dark")]
DARK = "background: #1e2124; color: #e6e6e3"
MOVES, REDRAWN_WITHIN = 120, 50  # milliseconds, in the middle: from a move of the mouse to the next frame
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
TIMED = """() => {
    window.took = [];
    addEventListener("pointermove", () => {
        const began = performance.now();
        requestAnimationFrame(() => setTimeout(() => window.took.push(performance.now() - began)));
    }, true);
}"""
OUTSIDE = """(host) => {
    const edge = host.getBoundingClientRect();
    const parts = host.shadowRoot.querySelectorAll("text, .control, button");
    return [...parts].map((part) => [part.textContent, part.getBoundingClientRect()])
        .filter(([, box]) => box.left < edge.left - 1 || box.right > edge.right + 1).map(([text]) => text);
}"""
ROUND = (1, 2, 5)
SET = """([name, values]) => {
    const made = workbenchLive.mount(document.querySelector(`#${name} div`), { explorer: name });
    return values.map((one) => {
        made.set(one);
        return made.values;
    });
}"""
THEME = "([host, theme]) => host.dataset.theme === theme"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A page with all explorers and nothing else."""
    parts = "".join(f"<section id={name}>{element(name)}</section>" for name in EXPLORERS)
    page = f"<!doctype html><meta charset=utf-8><body>{parts}<script>{script()}</script>"
    path = tmp_path_factory.mktemp("live") / "page.html"
    path.write_text(page, encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def open_page(browser, address):
    """Return a function: the page at a width, without a network; no error, no request."""
    opened, wrong = [], []

    def open_page(width=1280, theme="light", at=address):
        context = browser.new_context(
            viewport={"width": width, "height": 800}, offline=True, color_scheme=theme
        )
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        own = (at.partition("#")[0], "data:", "blob:")
        page.on("request", lambda asked: None if asked.url.startswith(own) else wrong.append(asked.url))
        page.goto(at)
        if theme == "dark" and at == address:
            page.evaluate(f"document.body.style = '{DARK}'")
        opened.append(context)
        return page

    yield open_page
    for context in opened:
        context.close()
    assert not wrong


@pytest.fixture
def shots(output):
    folder = output / "live"
    folder.mkdir(exist_ok=True)
    return folder


def box_of(page, name, within="body"):
    box = page.locator(f"{within} .workbench-live[data-explorer={name}]")
    box.scroll_into_view_if_needed()
    return box


def state(box):
    """What the handle, the picture and the words say."""
    return (
        box.locator(".handle").get_attribute("aria-valuetext"),
        box.locator(".picture svg").inner_html(),
        box.locator(".says").inner_text(),
    )


def drag(page, box, across=60, down=-30):
    handle = box.locator(".handle").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + across, y + down, steps=6)
    page.mouse.up()


def moves_by_mouse_and_keys(page, box):
    """Drag the handle, step it by an arrow, step a slider, and go back to the start."""
    start = state(box)
    drag(page, box)
    dragged = state(box)
    assert all(one != other for one, other in zip(start, dragged, strict=True))
    box.locator(".handle").focus()
    page.keyboard.press("ArrowLeft")
    stepped = state(box)
    assert all(one != other for one, other in zip(dragged, stepped, strict=True))
    slider = box.locator("input[type=range]:enabled").nth(1)
    slider.focus()
    page.keyboard.press("ArrowLeft")
    slid = state(box)
    assert slid[1:] != stepped[1:]
    box.get_by_role("button", name="Reset").click()
    assert state(box) == start


@pytest.mark.parametrize("name", EXPLORERS)
def test_every_explorer_is_moved_by_mouse_and_by_keys(open_page, name):
    page = open_page()
    moves_by_mouse_and_keys(page, box_of(page, name))


@pytest.mark.parametrize("name", EXPLORERS)
def test_at_the_start_words_handles_and_sliders_agree(open_page, name):
    page = open_page()
    box = box_of(page, name)
    assert box.locator(".says").inner_text() == sentence(name)
    assert box.locator(".says").get_attribute("aria-live") == "polite"
    said = dict(
        part.split(" = ") for part in box.locator(".handle").get_attribute("aria-valuetext").split(", ")
    )
    for control in box.locator(".control:not(.choice)").all():
        label, shown = control.locator("label").inner_text(), control.locator("output").inner_text()
        assert control.locator("input").get_attribute("aria-valuetext") == shown
        assert said.get(label, shown) == shown
        if not control.locator("input").is_disabled():
            assert f"{label} = {shown}" in box.locator(".says b").inner_text()


@pytest.mark.parametrize("name", EXPLORERS)
def test_round_numbers_can_be_reached_and_only_those(open_page, name):
    page = open_page()
    asked = [
        {control: float(f"{lead}e{power}")}
        for control, told in EXPLORERS[name].controls.items()
        if told.get("log")
        for power in range(-6, 5)
        for lead in ROUND
        if told["low"] <= float(f"{lead}e{power}") <= told["high"]
    ]
    found = page.evaluate(SET, [name, asked])
    for one, values in zip(asked, found, strict=True):
        assert one.items() <= values.items()


@pytest.mark.parametrize("name", EXPLORERS)
def test_a_move_is_drawn_at_once(open_page, publish, name, within):
    page = open_page()
    box = box_of(page, name)
    handle = box.locator(".handle").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    page.evaluate(TIMED)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(MOVES):
        page.mouse.move(x + 120 * (step % 30) / 30, y - 2 * (step % 20))
    page.mouse.up()
    page.wait_for_timeout(200)
    took = page.evaluate("window.took")
    assert len(took) >= 100
    publish(
        notebook="live", moved=name, moves=len(took), first=round(median(took), 1), running=round(max(took))
    )
    assert median(took) < within(REDRAWN_WITHIN)


@pytest.mark.parametrize(("width", "theme"), SIZES)
def test_every_explorer_fits(open_page, shots, width, theme):
    page = open_page(width, theme)
    for name in EXPLORERS:
        box = box_of(page, name)
        page.wait_for_function(THEME, arg=[box.element_handle(), theme])
        box.screenshot(path=shots / f"{name}_{width}_{theme}.png")
        assert box.evaluate(OUTSIDE) == []


def test_a_game_has_twenty_rounds_and_a_score(open_page):
    page = open_page()
    box = box_of(page, "attacker")
    for _ in range(3):
        box.get_by_role("button", name="It is X", exact=True).click()
    assert "of 3 rounds" in box.locator(".says").inner_text()
    box.get_by_role("button", name="Let the cut play on").click()
    assert "of 20 rounds" in box.locator(".says").inner_text()
    assert box.get_by_role("button", name="It is X′").is_disabled()
    box.get_by_role("button", name="New game").click()
    assert "rounds" not in box.locator(".says b + *").all_inner_texts()
    assert box.get_by_role("button", name="It is X′").is_enabled()


def test_keys_stay_with_the_explorer(open_page):
    page = open_page()
    page.evaluate("addEventListener('keydown', (event) => (window.heard = event.key))")
    box_of(page, "row").locator(".handle").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.heard") is None


def test_modules_load_in_a_browser_as_they_are(browser):
    page = browser.new_page()
    assert loaded(page) == list(EXPLORERS)
    page.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return write(ROOT, tmp_path_factory.mktemp("site") / "page.html").as_uri()


@pytest.mark.parametrize("name", EXPLORERS)
def test_the_site_has_every_explorer(open_page, site, name):
    page = open_page(at=f"{site}#explorers")
    moves_by_mouse_and_keys(page, box_of(page, name, "#explorers"))


@pytest.mark.parametrize("width", [1280, 720, 390])
def test_the_site_fits(open_page, site, width):
    page = open_page(width, at=f"{site}#explorers")
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_explorers_on_the_site_are_found_and_follow_the_theme(open_page, site):
    page = open_page(at=site)
    page.get_by_role("combobox", name="Search").fill("one row of twelve")
    assert page.get_by_role("option").first.get_attribute("data-target") == "explorer/row"
    page.keyboard.press("Enter")
    box = box_of(page, "row", "#explorers")
    assert box.get_attribute("data-theme") == "light"
    page.get_by_role("button", name="Theme: light").click()
    page.wait_for_function(THEME, arg=[box.element_handle(), "dark"])


@pytest.fixture(scope="module")
def notebook(browser, tmp_path_factory, output):
    """A notebook with a cell for every explorer, run."""
    root = tmp_path_factory.mktemp("live-notebook")
    for folder in ("notebooks", "figures"):
        (root / folder).mkdir()
    shutil.copy(ROOT / "pyproject.toml", root)
    path = root / "notebooks" / "live.ipynb"
    lines = ["from workbench.lab.notebook import Session\n\nlab = Session()"]
    lines += [f"lab.live({json.dumps(name)})" for name in EXPLORERS]
    cells = [nbformat.v4.new_code_cell(line) for line in lines]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL}), path)
    with serve(root, tmp_path_factory.mktemp("lab")) as server:
        opened = Notebook(browser, server, path, output / "live")
        opened.start()
        yield opened.wait()
        opened.close()


@pytest.mark.parametrize("place", range(len(EXPLORERS)), ids=list(EXPLORERS))
def test_in_jupyterlab_every_explorer_is_moved_by_mouse_and_by_keys(notebook, place):
    box = notebook.page.locator(".jp-OutputArea .workbench-live").nth(place)
    box.scroll_into_view_if_needed()
    selected = notebook.selected
    moves_by_mouse_and_keys(notebook.page, box)
    assert notebook.selected in (selected, place + 1)
    assert notebook.errors == []


def test_in_jupyterlab_explorers_follow_the_theme(notebook, shots):
    box = notebook.page.locator(".jp-OutputArea .workbench-live").first
    box.scroll_into_view_if_needed()
    assert box.get_attribute("data-theme") == "light"
    with notebook.dark():
        assert box.get_attribute("data-theme") == "dark"
        notebook.page.screenshot(path=shots / "jupyterlab_dark.png")
    assert notebook.foreign == []
