"""One notebook in a real browser: run its cells, move its controls, time its pictures."""

import json
import time
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import TimeoutError

PROBE = (Path(__file__).parent / "probe.js").read_text(encoding="utf-8")
WIDTH, HEIGHT = 1400, 950
OPENS_WITHIN, RUNS_WITHIN, FOLLOWS_WITHIN = 90, 480, 30  # seconds
CONTROLS = "input[type=range], select"
TOLD = {"role": "role", "name": "name", "announced": "value"}  # our words and the protocol's
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
    || [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")]
    .every((prompt) => /\\[\\d+\\]/.test(prompt.textContent))"""


class Notebook:
    """An open notebook."""

    def __init__(self, browser, server, path, folder):
        self.path, self.folder, self.foreign = path, folder, []
        folder.mkdir(parents=True, exist_ok=True)
        self.page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        self.page.on("request", self._note)
        self.page.goto(server.address_of(path.name), timeout=1000 * OPENS_WITHIN)
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
        """Wait for the last of the cells or the first error, and return the notebook."""
        try:
            self.page.wait_for_function(RAN, timeout=1000 * RUNS_WITHIN)
        finally:
            self.shoot("ran")
        return self

    @property
    def prompts(self):
        return self.page.locator(".jp-CodeCell .jp-InputPrompt").all_text_contents()

    @property
    def errors(self):
        """The outputs that no reader should see: exceptions, and whatever went to stderr."""
        wrong = "[data-mime-type$='.error'], [data-mime-type$='.stderr']"
        return self.page.locator(f".jp-OutputArea :is({wrong})").all_text_contents()

    @property
    def accessibility(self):
        return Accessibility(self.page)

    @property
    def selected(self):
        """The place of the cell that keys would act on."""
        script = "(cells) => cells.findIndex((cell) => cell.matches('.jp-mod-active'))"
        return self.page.locator(".jp-Notebook .jp-Cell").evaluate_all(script)

    @property
    def explorers(self):
        boxes = self.page.locator(".workbench-explorer").all()
        return [Explorer(self, box, place) for place, box in enumerate(boxes, 1)]

    def shoot_whole(self):
        """Keep one picture of the whole notebook."""
        panel = self.page.locator(".jp-WindowedPanel-outer")
        panel.evaluate("(panel) => panel.scrollTo(0, 0)")
        tall = panel.evaluate("(panel) => panel.scrollHeight")
        self.page.set_viewport_size({"width": WIDTH, "height": min(tall + 120, 16_000)})
        self.page.wait_for_timeout(500)
        self.shoot("whole")
        self.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


class Accessibility:
    """The tree that Chromium hands to screen readers."""

    def __init__(self, page):
        self.ask = page.context.new_cdp_session(page).send
        self.ask("Accessibility.enable")
        self.root = self.ask("DOM.getDocument")["root"]["nodeId"]

    def of(self, place, index):
        """Return role, name and announced value of a control of the explorer at a place, from 1."""
        box = self._all(self.root, ".workbench-explorer")[place - 1]
        asked = {"nodeId": self._all(box, CONTROLS)[index], "fetchRelatives": False}
        node = self.ask("Accessibility.getPartialAXTree", asked)["nodes"][0]
        told = {word: str(node[key]["value"]) for word, key in TOLD.items()}
        return {word: " ".join(text.split()) for word, text in told.items()}  # a menu's spaces do not break

    def _all(self, node, selector):
        return self.ask("DOM.querySelectorAll", {"nodeId": node, "selector": selector})["nodeIds"]


class Explorer:
    """One explorer of an open notebook."""

    def __init__(self, notebook, box, place):
        self.notebook, self.box, self.place = notebook, box, place
        self.box.scroll_into_view_if_needed()
        self.box.evaluate(PROBE)

    @property
    def controls(self):
        """Its handles and menus, in the order of the page."""
        return self.box.locator(CONTROLS).all()

    @property
    def names(self):
        """The labels of its controls."""
        return self.box.locator("label.widget-label:visible").all_inner_texts()

    def steps(self, control):
        """How many steps a control can be moved to the farther end: all of a slider's are enough."""
        return control.evaluate("(part) => part.tagName == 'SELECT' ? part.length - 1 : Number(part.max)")

    @property
    def cut_off(self):
        """The words that do not fit where they stand."""
        return self.box.evaluate("(box) => box.probe.cutOff()")

    @property
    def digest(self):
        """Of the picture's bytes."""
        return self.box.evaluate("(box) => box.probe.digest()")

    @property
    def words(self):
        return self.box.locator("[data-stage]").inner_text()

    @property
    def picture(self):
        return self.box.locator("img")

    @property
    def tracks(self):
        """Its handles alone."""
        return self.box.locator("input[type=range]").all()

    @property
    def fields(self):
        """Where numbers can be typed."""
        return self.box.locator("input[type=text]").all()

    @property
    def told(self):
        """What a screen reader tells of every control: role, name and value.

        Chromium's protocol leaves out `aria-valuetext`, which stands for a slider's place in its list.
        """
        self.box.evaluate("(box) => box.scrollIntoView({block: 'center'})")
        self.notebook.page.wait_for_timeout(300)  # a cell out of sight is not in the tree
        tree = self.notebook.accessibility
        found = [tree.of(self.place, index) for index in range(len(self.controls))]
        texts = [control.get_attribute("aria-valuetext") for control in self.controls]
        return [one | {"announced": text or one["announced"]} for one, text in zip(found, texts, strict=True)]

    def type(self, field, text):
        """Type a number into a field, and wait until the words say it, be it of a picture or a refusal."""
        field.fill(text)
        field.press("Enter")
        self.box.locator("[data-stage]", has_text=f"= {text}").wait_for(timeout=1000 * FOLLOWS_WITHIN)

    def shoot(self, name):
        self.box.evaluate("(box) => box.scrollIntoView({block: 'center'})")
        self.notebook.shoot(f"explorer_{self.place}_{name}")

    def move(self, control, until):
        """Move a control one step to where it was not yet, and wait until the picture has come so far.

        Returns
        -------
        dict
            Milliseconds from the move to the first picture of it, to the first with simulated runs, and
            to the last; only those that were reached.
        """
        self.box.evaluate("(box) => box.probe.start()")
        if control.evaluate("(part) => part.tagName") == "SELECT":
            place = control.evaluate("(part) => (part.selectedIndex + 1) % part.length")
            control.select_option(index=place)
        else:
            control.focus()
            self.notebook.page.keyboard.press(self._direction(control))
        return self._reached(until)

    def _direction(self, handle):
        """Towards the farther end, decided once, so that no value comes twice."""
        script = """(handle) => handle.dataset.direction ??= (
            2 * handle.valueAsNumber > Number(handle.max) ? "ArrowLeft" : "ArrowRight")"""
        return handle.evaluate(script)

    def _reached(self, until):
        script = "([box, until]) => box.probe.reached(until)"
        arg, page = [self.box.element_handle(), until], self.notebook.page
        try:
            return page.wait_for_function(script, arg=arg, timeout=1000 * FOLLOWS_WITHIN).json_value()
        except TimeoutError:
            self.shoot("stuck")
            state = json.dumps(self.box.evaluate("(box) => box.probe.state()"))
            raise TimeoutError(f"not {until} after {FOLLOWS_WITHIN} s: {state}") from None
