"""The probe that times pictures, on a page where pictures and words come in an order that was chosen."""

import pytest

from tests.browser.explorer import PROBE

pytestmark = pytest.mark.browser

PAGE = """<div class="workbench-explorer"><input><img><p data-move="0" data-stage="finished"></p></div>"""
SAY = """([move, stage]) => Object.assign(document.querySelector("p").dataset, { move, stage })"""
DRAW = """(side) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: side, height: side });
    document.querySelector("img").src = canvas.toDataURL();
}"""
SHOWN = "new Promise((done) => document.querySelector('img').addEventListener('load', done, { once: true }))"


class Toy:
    """An explorer whose kernel is the test."""

    def __init__(self, page):
        self.page, self.side = page, 1
        page.set_content(PAGE)
        self.draw()
        self.box = page.locator(".workbench-explorer")
        self.box.evaluate(PROBE)
        self.press()

    def press(self):
        self.box.evaluate("(box) => box.probe.start()")
        self.page.locator("input").press("ArrowRight")

    def say(self, move, stage):
        self.page.evaluate(SAY, [str(move), stage])

    def draw(self):
        self.side += 1
        shown = self.page.evaluate_handle(f"() => ({{ shown: {SHOWN} }})")
        self.page.evaluate(DRAW, self.side)
        shown.evaluate("(one) => one.shown")

    def reached(self, until):
        return self.box.evaluate("(box, until) => box.probe.reached(until)", until)


@pytest.fixture
def toy(browser):
    page = browser.new_page()
    yield Toy(page)
    page.close()


def test_a_picture_has_the_stage_of_the_words_beside_it(toy):
    toy.say(1, "theory")
    toy.draw()
    assert toy.reached("simulation") is None
    toy.say(1, "simulation")
    toy.draw()
    found = toy.reached("simulation")
    assert 0 < found["first"] < found["coarse"] == found["last"]
    assert toy.reached("finished") is None
    toy.say(1, "finished")
    assert toy.reached("finished") == found


def test_a_view_without_runs_ends_with_its_last_word(toy):
    toy.say(1, "theory")
    toy.draw()
    toy.say(1, "finished")
    for until in ("simulation", "finished"):
        found = toy.reached(until)
        assert found["first"] == found["last"] > 0
        assert found["coarse"] is None


def test_the_last_picture_is_waited_for(toy):
    toy.say(1, "theory")
    toy.draw()
    toy.say(1, "finished")
    early = f"([box, side]) => {{ ({DRAW})(side); return box.probe.reached('finished'); }}"
    assert toy.page.evaluate(early, [toy.box.element_handle(), 9]) is None
    toy.page.wait_for_function("(box) => box.probe.reached('finished')", arg=toy.box.element_handle())
    assert toy.reached("finished")["coarse"] > 0


def test_pictures_of_the_position_that_was_left_do_not_count(toy):
    toy.say(1, "simulation")
    toy.draw()
    toy.press()
    toy.draw()
    toy.say(1, "finished")
    assert toy.reached("simulation") is toy.reached("finished") is None
    toy.say(2, "theory")
    toy.draw()
    assert toy.reached("simulation") is None
    toy.say(2, "simulation")
    toy.draw()
    assert toy.reached("simulation")["coarse"] > 0


def test_a_refusal_ends_the_waiting_without_a_picture(toy):
    toy.say(1, "theory")
    toy.page.evaluate(
        "Object.assign(document.querySelector('p'), { role: 'alert', textContent: 'n = 1: no' })"
    )
    assert toy.reached("finished") == {"refused": "n = 1: no"}


def test_a_first_picture_may_be_enough(toy):
    toy.say(1, "theory")
    assert toy.reached("picture") is None
    toy.draw()
    assert toy.reached("picture")["first"] > 0
