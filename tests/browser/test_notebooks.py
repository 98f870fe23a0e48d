"""Every notebook in JupyterLab and Chromium: read before it runs, run, and its explorers moved."""

import json
import os
import time
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Error, TimeoutError

from tests.lab.conftest import ROOT
from workbench.lab.notebook import AGREES, STANDS
from workbench.lab.project import shown as shown_by

pytestmark = pytest.mark.browser

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
TIMES = float(os.environ.get("BROWSER_TIMES", "1"))  # what a time on a quiet machine may be here
MOVES = 6  # of an explorer
LATENCY = 450 * TIMES  # ms to its next picture: three times the aim, on any machine
PICTURED_WITHIN = 2 * TIMES  # seconds from the first cell
RAN_WITHIN, USABLE_WITHIN = 60 * TIMES, 15 * TIMES  # seconds from Run All to its end, and to an explorer
OPENS_WITHIN, RUNS_WITHIN, FOLLOWS_WITHIN = 90, 480, 60  # seconds until a test that hangs is called so
SETTLES = 1000  # milliseconds after which a page that was made wider or narrower stands still
RECOMPUTED = "01_what_epsilon_means"  # whose first figure is made again to its end; the others' is stopped
READY = """async ([name, cells]) => {
    const sessions = await (await fetch("/api/sessions")).json();
    return sessions.some(({ path, kernel }) =>
        path.endsWith(name) && kernel.execution_state == "idle" && kernel.connections > 0)
        && document.querySelectorAll(".jp-Notebook .jp-Cell").length == cells
        && document.querySelector(".jp-Notebook-ExecutionIndicator[data-status='idle']") != null;
}"""
STARTED = """() => document.querySelector(".jp-Dialog")
    || [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")]
    .some((prompt) => /\\[[*\\d]+\\]/.test(prompt.textContent))"""
RAN = """() => document.querySelector(".jp-OutputArea [data-mime-type$='.error']")
    || [...document.querySelectorAll(".jp-CodeCell")].every((cell) => cell.querySelector(".jp-Placeholder")
        ? !cell.matches(".jp-mod-noOutputs")
        : /\\[\\d+\\]/.test(cell.querySelector(".jp-InputPrompt").textContent))"""
COMMITTED = ".jp-RenderedMarkdown img[src*='/figures/']"
LOADED = f"""() => {{
    const image = document.querySelector("{COMMITTED}");
    return image != null && image.complete && image.naturalWidth > 0;
}}"""
DRAWN = "([box, turn]) => box.dataset.turn !== turn && box.dataset.state !== 'computing'"
BACK = {"ArrowRight": "ArrowLeft", "ArrowLeft": "ArrowRight"}
OUTPUT = ".jp-OutputArea"
WRONG = f"{OUTPUT} :is([data-mime-type$='.error'], [data-mime-type$='.stderr'])"  # what no reader should see
SAYS = f"""(any) => any.some((words) =>
  document.querySelector('{OUTPUT} .workbench-recomputed').textContent.includes(words))"""


class Notebook:
    """An open notebook all of whose cells were run, and what was seen meanwhile."""

    def __init__(self, browser, server, path, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.path, self.folder, self.foreign, self.meanwhile, self.usable = path, folder, [], {}, 0.0
        self.all = json.loads(path.read_text(encoding="utf-8"))["cells"]
        self.cells = ["".join(cell["source"]) for cell in self.all if cell["cell_type"] == "code"]
        self.page = browser.new_page(viewport={"width": 1400, "height": 950})
        self.page.on("request", self._note)
        at = f"lab/workspaces/{path.stem}/tree/notebooks/{path.name}"  # no other notebook opens beside it
        self.page.goto(f"{server.base}/{at}?token={server.token}", timeout=1000 * OPENS_WITHIN)
        self.pictured = self._pictured()
        arg = [path.name, len(self.all)]
        self.page.wait_for_function(READY, arg=arg, timeout=1000 * OPENS_WITHIN, polling=200)
        self.shoot("opened")
        self.page.click(".lm-MenuBar-itemLabel:text-is('Run')")
        self.page.click(".lm-Menu-itemLabel:text-is('Run All Cells')")
        self.page.wait_for_function(STARTED)
        if self.page.locator(".jp-Dialog").count():  # the kernel was not the notebook's own yet
            self.page.click(".jp-Dialog button.jp-mod-accept")
        began = time.monotonic()
        while not self.page.evaluate(RAN):
            if time.monotonic() > began + RUNS_WITHIN:
                self.shoot("stuck")
                raise TimeoutError(f"{path.name}: not within {RUNS_WITHIN} s")
            self._move_all(began)
            self.page.wait_for_timeout(200)
        self.ran = time.monotonic() - began
        self.shoot("ran")

    def _note(self, request):
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.hostname not in ("127.0.0.1", "localhost"):
            self.foreign.append(request.url)

    def _pictured(self):
        """Return the seconds from the first cell to the first committed picture; nothing was run."""
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=1000 * OPENS_WITHIN)
        began = time.perf_counter()
        self.page.wait_for_function(LOADED, timeout=1000 * OPENS_WITHIN)
        return time.perf_counter() - began

    def _move_all(self, began):
        """Note the ms to every explorer's next picture, while other cells run."""
        for box in self.explorers:
            try:
                name = box.get_attribute("data-name", timeout=SETTLES)
            except Error:  # it is being put on the page
                continue
            took = self.meanwhile.setdefault(name, [])
            try:
                took.append(self.move(box))
            except TimeoutError:
                self.shoot("stuck")
                took.append(1000 * FOLLOWS_WITHIN)
            except Error:
                continue
            self.usable = self.usable or time.monotonic() - began

    def shoot(self, name):
        self.page.screenshot(path=self.folder / f"{name}.png")

    def calls(self, *names):
        """Return how many times the cells call these methods of the session."""
        return sum(cell.count(f"lab.{name}(") for cell in self.cells for name in names)

    def texts(self, where):
        return self.page.locator(where).all_text_contents()

    @property
    def explorers(self):
        """Everything that has controls, in the order of the page."""
        return self.page.locator(".workbench-explorer").all()

    def move(self, explorer, key=None):
        """Move the first free slider of an explorer, and return the ms to its next picture.

        With a key, as a reader does when all cells have run. JupyterLab takes the focus while they run, and a
        key that arrives there folds a heading: without a key the slider goes to the stop beside it, and back.
        """
        explorer.scroll_into_view_if_needed()
        slider = explorer.locator("input[type=range]:enabled").first
        before, value = explorer.get_attribute("data-turn"), slider.input_value()
        if key is None:
            slider.fill(str(min(int(value) ^ 1, int(slider.get_attribute("max")))))
        else:
            slider.press(key)
            if slider.input_value() == value:  # it stood at its end
                slider.press(BACK[key])
        arg = [explorer.element_handle(), before]
        self.page.wait_for_function(DRAWN, arg=arg, timeout=1000 * FOLLOWS_WITHIN)
        return int(explorer.get_attribute("data-took"))

    def theme(self, name):
        self.page.click(".lm-MenuBar-itemLabel:text-is('Settings')")
        self.page.hover(".lm-Menu-itemLabel:text-is('Theme')")
        self.page.click(f".lm-Menu-itemLabel:text-is('JupyterLab {name}')")
        light = str(name == "Light").lower()
        self.page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached")
        self.page.wait_for_timeout(SETTLES)


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request, browser, server, output):
    """An open notebook; in the end nothing was asked of another host, and its kernel slows no other one."""
    opened = Notebook(browser, server, request.param, output / request.param.stem)
    yield opened
    opened.page.close()
    for session in json.loads(server.ask("GET", "api/sessions")):
        if session["name"] == request.param.name:
            server.ask("DELETE", f"api/sessions/{session['id']}")
    assert opened.foreign == []


def test_results_are_seen_first_and_all_cells_run_soon_without_a_complaint(notebook):
    assert notebook.pictured < PICTURED_WITHIN  # without a kernel
    if notebook.calls("verdicts"):
        standing = notebook.page.locator(".jp-RenderedMarkdown strong", has_text="in the full run")
        assert "hold" in standing.text_content()
    assert notebook.ran < RAN_WITHIN
    assert 0 < notebook.usable < USABLE_WITHIN
    assert all(sorted(took)[len(took) // 2] < LATENCY for took in notebook.meanwhile.values())
    assert notebook.texts(WRONG) == []
    code = [cell["metadata"].get("jupyter", {}) for cell in notebook.all if cell["cell_type"] == "code"]
    seen = [f"[{place}]:" for place, cell in enumerate(code, 1) if not cell.get("source_hidden")]
    prompts = notebook.texts(".jp-CodeCell .jp-InputArea-prompt")  # of the cells whose source is seen
    assert [prompt for prompt in prompts if prompt.strip()] == seen


def test_every_committed_figure_stands_once_and_is_recomputed_when_asked(notebook):
    page, figures = notebook.page, [name for cell in notebook.cells for name in shown_by(cell)]
    committed = page.locator(COMMITTED).evaluate_all("(all) => all.map(({ src }) => new URL(src).pathname)")
    names = [unquote(path).partition("/figures/")[2].partition("/")[2] for path in committed]
    assert names == [f"{name}.svg" for name in figures]
    assert notebook.texts(f"{OUTPUT} .workbench-recomputed") == [STANDS] * len(figures)
    seen = page.locator(f"{OUTPUT} img.workbench-figure").evaluate_all(
        "(all) => all.filter((one) => one.checkVisibility()).length"
    )
    assert seen == notebook.calls("growths", "compare")
    button = page.get_by_role("button", name="recompute", exact=True).first
    button.scroll_into_view_if_needed()
    button.click()
    if notebook.path.stem == RECOMPUTED:
        page.wait_for_function(SAYS, arg=[AGREES], timeout=1000 * RUNS_WITHIN)
        return
    page.wait_for_function(SAYS, arg=[" s so far", AGREES], timeout=1000 * FOLLOWS_WITHIN)
    stop = page.get_by_role("button", name="stop", exact=True)
    stop.evaluate_all("(all) => all.forEach((one) => one.click())")  # gone, where it was quicker
    page.wait_for_function(SAYS, arg=["stopped", AGREES], timeout=1000 * FOLLOWS_WITHIN)


def test_figures_follow_the_dark_theme(notebook):
    images = notebook.page.locator(f"{COMMITTED}, .workbench-picture > img")
    filters = "(all) => all.map((one) => getComputedStyle(one).filter)"
    assert set(images.evaluate_all(filters)) == {"none"}
    notebook.theme("Dark")
    images.first.evaluate("(one) => one.scrollIntoView()")  # it may be folded
    notebook.page.wait_for_timeout(SETTLES)
    notebook.shoot("dark")
    assert set(images.evaluate_all(filters)) == {"invert(1) hue-rotate(180deg)"}
    notebook.theme("Light")


def test_every_explorer_follows_its_first_slider_and_fills_a_hall_and_its_cell(notebook):
    """Where a grid is at hand, at once; else when the kernel has computed it."""
    boxes, page = notebook.explorers, notebook.page
    assert len(boxes) == notebook.calls("explore", "solve")
    for place, box in enumerate(boxes):
        took = sorted(notebook.move(box, key) for key in ("ArrowRight", "ArrowLeft") * (MOVES // 2))
        assert box.get_attribute("data-state") == "ready"
        assert took[MOVES // 2] < LATENCY
        box.screenshot(path=notebook.folder / f"explorer_{place}.png")
    for box in boxes[:1]:
        box.get_by_role("button", name="full screen").click()
        page.wait_for_function("document.fullscreenElement != null")
        page.wait_for_timeout(SETTLES)
        notebook.shoot("presented")
        assert box.locator(".panels").bounding_box()["width"] > 0.9 * page.evaluate("innerWidth")
        page.keyboard.press("Escape")
        box.get_by_role("button", name="full screen").click()
        page.wait_for_timeout(SETTLES)
    for width in (1280, 1920):
        page.set_viewport_size({"width": width, "height": 1300})
        page.wait_for_timeout(SETTLES)
        for box in boxes:
            cell, drawn = box.bounding_box()["width"], box.locator(".panels").bounding_box()["width"]
            assert drawn > 0.95 * cell
