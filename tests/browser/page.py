"""One notebook in a real browser: open it, run its cells, look at it."""

import json
import math
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import Error, TimeoutError

WIDTH, HEIGHT, TALL = 1400, 950, 1300
OPENS_WITHIN, RUNS_WITHIN, FOLLOWS_WITHIN = 90, 480, 60  # seconds
SETTLES = 1000  # milliseconds after which a page that was made wider or narrower stands still
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
RECOMPUTED = ".jp-OutputArea .workbench-recomputed"


class Notebook:
    """An open notebook."""

    def __init__(self, browser, server, path, folder):
        self.path, self.folder, self.foreign = path, folder, []
        self.usable, self.ran, self.meanwhile = 0.0, 0.0, {}
        folder.mkdir(parents=True, exist_ok=True)
        self.page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        self.page.on("request", self._note)
        self.page.goto(server.address_of(path.name), timeout=1000 * OPENS_WITHIN)
        self.pictured = self._pictured()
        ready = [path.name, len(self.cells)]
        until = time.monotonic() + OPENS_WITHIN
        while not self.page.evaluate(READY, ready):
            if time.monotonic() > until:
                self.shoot("not_ready")
                raise TimeoutError(f"{path.name} has no idle kernel after {OPENS_WITHIN} s")
            self.page.wait_for_timeout(200)

    @property
    def cells(self):
        """As they are in the file."""
        return json.loads(self.path.read_text(encoding="utf-8"))["cells"]

    def _note(self, request):
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.hostname not in ("127.0.0.1", "localhost"):
            self.foreign.append(request.url)

    def close(self):
        self.page.close()

    def shoot(self, name):
        self.page.screenshot(path=self.folder / f"{name}.png")

    def start(self):
        """Begin to run all cells."""
        self.shoot("opened")
        self.page.click(".lm-MenuBar-itemLabel:text-is('Run')")
        self.page.click(".lm-Menu-itemLabel:text-is('Run All Cells')")
        self.page.wait_for_function(STARTED)
        if self.page.locator(".jp-Dialog").count():  # the kernel was not the notebook's own yet
            self.page.click(".jp-Dialog button.jp-mod-accept")

    def wait(self):
        """Move explorers until the last of the cells has run, or the first error; return the notebook."""
        began = time.monotonic()
        while not self.page.evaluate(RAN):
            if time.monotonic() > began + RUNS_WITHIN:
                self.shoot("not_ran")
                raise TimeoutError(f"{self.path.name} still runs after {RUNS_WITHIN} s")
            for box in self.explorers:
                self._move_meanwhile(box, began)
            self.page.wait_for_timeout(200)
        self.ran = time.monotonic() - began
        self.shoot("ran")
        return self

    def _move_meanwhile(self, box, began):
        """Note the ms to an explorer's next picture, while other cells run."""
        try:
            name = box.get_attribute("data-name", timeout=SETTLES)
        except Error:  # it is being put on the page
            return
        took = self.meanwhile.setdefault(name, [])
        try:
            took.append(self.move(box, ("ArrowRight", "ArrowLeft")[len(took) % 2]))
        except TimeoutError:
            self.shoot("stuck")
            took.append(1000 * FOLLOWS_WITHIN)
        except Error:
            return
        self.usable = self.usable or time.monotonic() - began

    def _pictured(self):
        """Return the seconds from the first cell to the first committed picture, if any; nothing was run."""
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=1000 * OPENS_WITHIN)
        if not any("figures/" in "".join(cell["source"]) for cell in self.cells):
            return math.inf
        began = time.perf_counter()
        self.page.wait_for_function(LOADED, timeout=1000 * OPENS_WITHIN)
        return time.perf_counter() - began

    @property
    def committed(self):
        """The figures in the text, by their names."""
        images = self.page.locator(COMMITTED)
        return images.evaluate_all("(all) => all.map(({ src }) => new URL(src).pathname)")

    @property
    def recomputed(self):
        """What cells say of the figures that they made again."""
        return self.page.locator(RECOMPUTED).all_text_contents()

    @property
    def drawn(self):
        """The pictures among the outputs that are seen, but for those of explorers and of theirs."""
        images = self.page.locator(".jp-OutputArea img.workbench-figure")
        return images.evaluate_all("(all) => all.filter((one) => one.checkVisibility()).length")

    @property
    def prompts(self):
        """Of the cells whose source is seen."""
        return self.page.locator(".jp-CodeCell .jp-InputArea-prompt").all_text_contents()

    @property
    def errors(self):
        """The outputs that no reader should see: exceptions, and whatever went to stderr."""
        wrong = "[data-mime-type$='.error'], [data-mime-type$='.stderr']"
        return self.page.locator(f".jp-OutputArea :is({wrong})").all_text_contents()

    @property
    def explorers(self):
        """Everything that has controls, in the order of the page."""
        return self.page.locator(".workbench-explorer").all()

    def move(self, explorer, key="ArrowRight"):
        """Press a key on the first free slider of an explorer, and return the ms to its next picture."""
        explorer.scroll_into_view_if_needed()
        slider = explorer.locator("input[type=range]:enabled").first
        slider.focus()
        before, value = explorer.get_attribute("data-turn"), slider.input_value()
        self.page.keyboard.press(key)
        if slider.input_value() == value:  # it stood at its end
            self.page.keyboard.press(BACK[key])
        arg = [explorer.element_handle(), before]
        self.page.wait_for_function(DRAWN, arg=arg, timeout=1000 * FOLLOWS_WITHIN)
        return int(explorer.get_attribute("data-took"))

    def widen(self, width):
        """Make the window as wide, tall enough for any explorer, and wait until the page has followed."""
        self.page.set_viewport_size({"width": width, "height": TALL})
        self.page.wait_for_timeout(SETTLES)

    @contextmanager
    def dark(self):
        """Show the page in JupyterLab's dark theme for a while."""
        self._theme("Dark")
        yield
        self._theme("Light")

    def _theme(self, name):
        self.page.click(".lm-MenuBar-itemLabel:text-is('Settings')")
        self.page.hover(".lm-Menu-itemLabel:text-is('Theme')")
        self.page.click(f".lm-Menu-itemLabel:text-is('JupyterLab {name}')")
        light = str(name == "Light").lower()
        self.page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached")
        self.page.wait_for_timeout(SETTLES)
