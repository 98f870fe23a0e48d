"""One explorer of an open notebook: move its controls by key, mouse and number, time its pictures."""

import json
import time
from pathlib import Path

from playwright.sync_api import TimeoutError

PROBE = (Path(__file__).parent / "probe.js").read_text(encoding="utf-8")
FOLLOWS_WITHIN = 60  # seconds
SETTLES = 300  # milliseconds
CONTROLS = "input[type=range], select"
TOLD = {"role": "role", "name": "name", "announced": "value"}  # our words and the protocol's
PLACES = """(part) => part.tagName == 'SELECT' ? [part.selectedIndex, part.length - 1]
    : [part.valueAsNumber, Number(part.max)]"""
MISSES = 4  # places
THUMB = 16  # px, of Chromium's slider
KEYS = {"INPUT": ("ArrowLeft", "ArrowRight"), "SELECT": ("ArrowUp", "ArrowDown")}
CHANGED = "([box, old]) => box.querySelector('img').src !== old"


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

    kind = "explorer"

    def __init__(self, notebook, box, place):
        self.notebook, self.box, self.place = notebook, box, place
        self.box.scroll_into_view_if_needed()
        self.box.evaluate(PROBE)

    @property
    def controls(self):
        """Its handles and menus, in the order of the page."""
        return self.box.locator(CONTROLS).all()

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
    def tall(self):
        """From its first control to the end of its last words, in px of the window."""
        boxes = [
            part.bounding_box()
            for part in (self.box.locator(CONTROLS).first, self.box.locator("[data-stage]"))
        ]
        return boxes[1]["y"] + boxes[1]["height"] - boxes[0]["y"]

    @property
    def tracks(self):
        """Its handles alone."""
        return self.box.locator("input[type=range]").all()

    @property
    def fields(self):
        """Where numbers can be typed."""
        return self.box.locator("input[type=text]").all()

    @property
    def readouts(self):
        """What stands beside the handles and in the menus, in the order of the page."""
        texts = self.box.locator("input[type=text], select option:checked")
        return texts.evaluate_all("(parts) => parts.map((part) => part.value || part.textContent)")

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

    def button(self, words):
        return self.box.get_by_role("button", name=words)

    def refusal(self, field):
        """The line below a field."""
        return field.locator("xpath=following-sibling::*[contains(@class, 'workbench-refusal')]").inner_text()

    def shoot(self, name):
        self.box.evaluate("(box) => box.scrollIntoView({block: 'center'})")
        self.notebook.page.wait_for_timeout(100)
        self.box.screenshot(path=self.notebook.folder / f"{self.kind}_{self.place}_{name}.png")

    def others(self, control):
        """Return where a control could stand instead, the nearest place first, and those that are far enough.

        A mouse meets a place of a long track with an error of one or two.
        """
        now, last = control.evaluate(PLACES)
        near = sorted(set(range(int(last) + 1)) - {now}, key=lambda place: (abs(place - now), -place))
        return near[0], [place for place in near[1:] if abs(place - now) >= min(MISSES, last / 2)]

    def type(self, field, text, until="picture"):
        """Type a number into a field, and wait for its picture."""
        self._begin()
        field.fill(text)
        field.press("Enter")
        return self._reached(until)

    def press(self, control, place, until):
        """Move a control to a neighbouring place by a key, and wait until the picture has come so far.

        Returns
        -------
        dict
            Milliseconds from the move to the first picture of it, to the first with simulated runs, and
            to the last; only those that were reached.
        """
        control.focus()
        key = KEYS[control.evaluate("(part) => part.tagName")][place > control.evaluate(PLACES)[0]]
        self._begin()
        self.notebook.page.keyboard.press(key)
        return self._reached(until)

    def choose(self, control, place, until):
        """Move a control to any place by the mouse, and wait as `press` does."""
        control.scroll_into_view_if_needed()
        self._begin()
        if control.evaluate("(part) => part.tagName") == "SELECT":
            control.select_option(index=place)
        else:
            self._drag(control, place)
        return self._reached(until)

    def _drag(self, track, place):
        """Pull a handle; a click beside it would not move it where its places are close together."""
        box, (now, last), mouse = track.bounding_box(), track.evaluate(PLACES), self.notebook.page.mouse
        left, wide = box["x"] + THUMB / 2, box["width"] - THUMB
        mouse.move(left + wide * now / last, box["y"] + box["height"] / 2)
        mouse.down()
        mouse.move(left + wide * place / last, box["y"] + box["height"] / 2)
        mouse.up()

    def push(self, words):
        """Press a button by key, and wait for the last words, and for the picture that comes after them."""
        self._begin()
        self.button(words).press("Enter")
        self._reached("words")
        self.notebook.page.wait_for_timeout(SETTLES)

    def _begin(self):
        self.box.evaluate("(box) => box.probe.start()")

    def _reached(self, until):
        script = "([box, until]) => box.probe.reached(until)"
        arg, page = [self.box.element_handle(), until], self.notebook.page
        try:
            return page.wait_for_function(script, arg=arg, timeout=1000 * FOLLOWS_WITHIN).json_value()
        except TimeoutError:
            self.shoot("stuck")
            state = json.dumps(self.box.evaluate("(box) => box.probe.state()"))
            raise TimeoutError(f"not {until} after {FOLLOWS_WITHIN} s: {state}") from None


class Solver(Explorer):
    """An explorer with a point that is dragged."""

    kind = "solver"

    @property
    def free(self):
        """The handles that are not moved by the others."""
        return self.box.locator("input[type=range]:enabled").all()

    def solve_for(self, symbol):
        """Choose what is computed from the others, unless it is that already."""
        chosen = self.box.locator("select")
        if chosen.evaluate("(part) => part.selectedOptions[0].label") != symbol:
            self._begin()
            chosen.select_option(symbol)
            self._reached("finished")

    def drag(self, moves):
        """Drag the point to where the map has room; return the milliseconds that every redraw took."""
        self.box.locator("circle").scroll_into_view_if_needed()
        mouse, circle = self.notebook.page.mouse, self.box.locator("circle").bounding_box()
        x, y = circle["x"] + circle["width"] / 2, circle["y"] + circle["height"] / 2
        picture = self.picture.bounding_box()
        away = 1 if x < picture["x"] + picture["width"] / 2 else -1
        mouse.move(x, y)
        mouse.down()
        took = []
        for move in range(1, moves + 1):
            old, began = self.picture.get_attribute("src"), time.perf_counter()
            mouse.move(x + 18 * away * move, y - 6 * move)
            arg = [self.box.element_handle(), old]
            self.notebook.page.wait_for_function(CHANGED, arg=arg, timeout=1000 * FOLLOWS_WITHIN)
            took.append(1000 * (time.perf_counter() - began))
        mouse.up()
        return took
