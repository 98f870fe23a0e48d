"""Slides of every notebook, opened from a file without a network, measured one by one at two sizes."""

import re
import time
from base64 import b64decode

import pytest

from tests.browser.conftest import NOTEBOOKS, ROOT
from workbench.lab.project import Project
from workbench.lab.publish import assets
from workbench.lab.publish.slides import slides

pytestmark = pytest.mark.browser

SIZES = ((1280, 720), (1024, 768))
MEASURE = (ROOT / "tests" / "browser" / "measure.js").read_text(encoding="utf-8")
LETTERS = 16.0  # pixels that a letter has at least
SHARE = 0.5  # of the window that a figure has at least
WRITTEN_WITHIN = 20.0  # seconds
SOURCES = "[...document.querySelectorAll('.present .body img')].map((one) => one.src)"
WIDTH = re.compile(r'<svg\b[^>]*\bwidth="([\d.]+)pt"')
TEXT = re.compile(r"scale\(([\d.]+) -[\d.]+\)")
EM = 100.0  # units of a glyph that matplotlib scales by a hundredth of the size of the font


@pytest.fixture(scope="module")
def written(tmp_path_factory, within):
    """Return a function: the address of a notebook's slides, written once."""
    if not assets.complete():
        assets.fetch()
    folder, found = tmp_path_factory.mktemp("slides"), {}

    def written(notebook):
        if notebook not in found:
            start = time.perf_counter()
            path, line = slides(Project(ROOT), notebook, folder)
            assert path, line
            assert line.endswith("needs no network")
            assert time.perf_counter() - start < within(WRITTEN_WITHIN)
            found[notebook] = path.as_uri()
        return found[notebook]

    return written


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def opened(request, browser):
    """Return a function: the opened slides; afterwards nothing was asked of a network, nothing went wrong."""
    contexts, wrong = [], []

    def opened(address):
        width, height = request.param
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, offline=True))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("request", lambda asked: wrong.append(asked.url) if asked.url.startswith("http") else None)
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not wrong


def each(page):
    """Yield the place of every slide, with the slide shown."""
    for place in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate(f"Reveal.slide({place})")
        yield place


def letters(page):
    """Return the smallest letters of a picture that is drawn by paths, in its own points over its width."""
    (source,) = page.evaluate(SOURCES)
    text = b64decode(source.partition(",")[2]).decode()
    return min(map(float, TEXT.findall(text))) * EM / float(WIDTH.search(text)[1])


def faults_of(page, place, folder):
    """Yield what is wrong with the slide that is shown; keep its picture."""
    found = page.evaluate(MEASURE)
    where, layout, figure = f"{place} ({found['title']})", found["layout"], found["figure"]
    if found["over"] > 1 or found["hidden"] > 1:
        yield f"{where}: {found['over']:.0f} px over, {found['hidden']:.0f} px hidden"
    if found["smallest"][0] < LETTERS - 0.01 or found["number"] < LETTERS:
        yield f"{where}: letters of {found['smallest']}"
    if layout == "figure" and (size := letters(page) * figure["width"]) < LETTERS - 0.01:
        yield f"{where}: letters of {size:.1f} px in the picture"
    if found["shrunk"] or found["left"]:
        yield f"{where}: {found['shrunk']} small formulas, {found['left']} marks behind one on the next line"
    if layout == "figure" and (figure["share"] < SHARE or figure["below"] < 0 or not figure["loaded"]):
        yield f"{where}: {figure}"
    page.screenshot(path=folder / f"{place:02d}.png")


def kept(output, name, page):
    folder = output / "slides" / name / str(page.viewport_size["width"])
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_slide_fits_and_can_be_read(notebook, opened, written, output):
    page = opened(written(notebook))
    folder, faults, kinds = kept(output, notebook.stem, page), [], set()
    for place in each(page):
        kinds.add(page.evaluate("document.querySelector('section.present').dataset.layout"))
        faults += faults_of(page, place, folder)
    assert not faults, "\n".join(faults)
    score = {"score"} if "lab.verdicts(" in notebook.read_text(encoding="utf-8") else set()
    assert kinds >= {"title", "outline", "statement", "figure", "exercise"} | score


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_an_explorer_on_a_slide_is_moved_by_keys_and_the_deck_stays(notebook, opened, written):
    page, seen = opened(written(notebook)), 0
    for place in each(page):
        for box in page.locator("section.present .workbench-explorer").all():
            slider = box.locator("input[type=range]:enabled").first
            slider.focus()
            page.keyboard.press("ArrowRight")
            page.keyboard.press("ArrowLeft")
            assert box.get_attribute("data-state") == "ready"
            assert page.evaluate("Reveal.getIndices().h") == place
            seen += 1
    assert seen


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_solutions_open_and_fit_or_scroll(notebook, opened, written):
    page, seen = opened(written(notebook)), 0
    for _ in each(page):
        for summary in page.locator("section.present summary").all():
            summary.click()
            box = page.locator("section.present details[open]").bounding_box()
            frame = page.locator("section.present").bounding_box()
            assert box["y"] + box["height"] <= frame["y"] + frame["height"] + 1
            assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1
            summary.click()
            seen += 1
    assert seen
