"""The script of the explorers in Chromium: on a page without a network, and beside Python as its kernel."""

import numpy as np
import pytest

from tests.lab.conftest import ROOT
from tests.lab.test_explore import listened, said
from workbench.chapters import what_epsilon_means as chapter
from workbench.charts import canonical_json
from workbench.lab import explore, explorers
from workbench.study.trade_off import TradeOff

pytestmark = pytest.mark.browser

LATENCY = 150  # ms to the first redraw
STARTS, KEY = {"epsilon": 1.0, "n": 100}, "univariate/clipped-mean"
CURVES = "(box) => box.querySelectorAll('.plot path:not(.grid)').length"
LOADED = 'import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })))'
MOUNT = (
    "([source, form]) => "
    + LOADED
    + """.then((module) => {
    document.body.innerHTML = "<div></div>";
    window.asked = [];
    module.mount(document.querySelector("div"), form, async (message) => {
        window.asked.push(structuredClone(message));
        const reply = await window.kernel({ id: window.asked.length, ...message });
        await new Promise((heard) => setTimeout(heard, 1000));
        return reply;
    });
})"""
)


@pytest.fixture(scope="module")
def made():
    """The explorer of a quick picture, with a grid of four by four."""
    return explore.explorer(chapter.tracing, **STARTS)


@pytest.fixture(scope="module")
def grid(made):
    return made.at(made.over, {2: 4})


@pytest.fixture
def page(offline):
    """An empty page; nothing that it says is an error, and it asks nothing of a network."""
    return offline("about:blank")


@pytest.fixture
def opened(page, tmp_path):
    """Return a function: an explorer on a page from a file."""

    def opened(form):
        path = tmp_path / "page.html"
        text = f"<!doctype html><meta charset=utf-8>{explore.element(form)}{explore.script()}"
        path.write_text(text, encoding="utf-8")
        page.goto(path.as_uri())
        return page.locator(".workbench-explorer").first

    return opened


@pytest.fixture
def beside(page):
    """Return a function: an explorer whose kernel is this process."""

    def beside(made, form):
        _, replies = listened(made)

        def kernel(message):
            replies.clear()
            made._asked(None, message, None)
            return replies[-1] if replies else None

        page.expose_function("kernel", kernel)
        page.add_style_tag(path=explore.STYLE)
        page.evaluate(MOUNT, [explore.SCRIPT.read_text(encoding="utf-8"), form])
        return page.locator(".workbench-explorer").first

    return beside


def slider(box, name):
    return box.locator(f"input[type=range][name={name}]")


def typed(box, name):
    return box.locator(f"input[type=text][name={name}]")


def number(box, name):
    return float(typed(box, name).input_value())


def type_in(box, name, text):
    typed(box, name).fill(text)
    typed(box, name).press("Enter")


def test_a_grid_is_moved_by_keys_and_typed_numbers_without_a_kernel(opened, grid):
    box, stops = opened(grid), grid["grid"]["at"][0]
    slider(box, "epsilon").focus()
    box.page.keyboard.press("ArrowRight")
    assert box.get_attribute("data-state") == "ready"
    assert number(box, "epsilon") == stops[stops.index(STARTS["epsilon"]) + 1]
    assert int(box.get_attribute("data-took")) < LATENCY
    before = box.evaluate(CURVES)
    assert before >= 3
    box.page.keyboard.press("ArrowLeft")
    type_in(box, "epsilon", "-3")
    assert "a number from" in box.locator("p[role=status]").inner_text()
    assert number(box, "epsilon") == STARTS["epsilon"]
    box.get_by_role("button", name="keep this curve").click()
    slider(box, "n").focus()
    box.page.keyboard.press("ArrowRight")
    assert box.evaluate(CURVES) > before
    assert "Kept: ε = 1" in box.inner_text()
    box.get_by_role("button", name="drop the kept curve").click()
    box.get_by_role("button", name="reset").click()
    assert (box.evaluate(CURVES), number(box, "n")) == (before, STARTS["n"])
    type_in(box, "epsilon", str(0.99 * stops[-1]))  # the next stop is taken
    at, status = typed(box, "epsilon").input_value(), box.locator("p[role=status]")
    assert float(at) == stops[-1]
    box.get_by_role("button", name="copy as code").click()
    assert status.inner_text() == f"lab.show(what_epsilon_means.tracing, epsilon={at}, n=100)"
    box.get_by_role("button", name="link").click()
    box.page.goto(status.inner_text())
    assert typed(box.page.locator(".workbench-explorer").first, "epsilon").input_value() == at


def test_off_the_grid_the_kernel_is_asked_for_the_last_move_and_the_old_picture_is_veiled(beside, made, grid):
    box = beside(made, grid)
    veil = box.locator(".veil")
    assert not veil.is_visible()
    for epsilon in ("1.1", "1.2", "1.3", "1.4", "1.2345"):
        type_in(box, "epsilon", epsilon)
    assert box.get_attribute("data-state") == "computing"
    assert veil.is_visible()
    assert box.locator("p").first.text_content() == ""
    box.page.wait_for_selector("[data-state=ready]")
    assert not veil.is_visible()
    asked = box.page.evaluate("window.asked")
    assert len(asked) < 5
    assert (asked[-1]["values"]["epsilon"], box.get_attribute("data-turn")) == (1.2345, "5")
    shown = made.chart({"epsilon": 1.2345})["panels"][0]["title"]
    assert box.locator("figcaption").first.text_content() in shown


@pytest.fixture(scope="module")
def map_():
    return explorers.solve(KEY, epsilon=1.0, alpha=0.2).committed()


def test_the_point_of_the_map_is_dragged_and_what_is_solved_follows(opened, map_):
    box, trade_off = opened(map_), TradeOff(KEY)
    handle, before = box.locator(".handle").bounding_box(), number(box, "n")
    mouse = box.page.mouse
    mouse.move(handle["x"] + 9, handle["y"] + 9)
    mouse.down()
    mouse.move(handle["x"] - 80, handle["y"] - 40, steps=4)
    mouse.up()
    epsilon, n, alpha = (number(box, name) for name in ("epsilon", "n", "alpha"))
    assert epsilon < 1
    assert n > before
    assert trade_off.error(round(n), epsilon, 1e-6) == pytest.approx(alpha, rel=0.03)
    assert box.locator(".handle").bounding_box()["x"] == pytest.approx(handle["x"] - 89, abs=4)
    box.locator(".panels").focus()
    box.page.keyboard.press("ArrowUp")
    assert number(box, "n") > n
    assert "the error is at most α in" in box.locator("p").first.inner_text()
    solves = {"n": trade_off.rows, "epsilon": trade_off.epsilon, "alpha": trade_off.error}
    for unknown, index, given, text in (("n", 0, "alpha", "0.1"), ("epsilon", 1, "alpha", "0.1"),
                                        ("alpha", 3, "n", "2000")):  # fmt: skip
        box.locator("select").select_option(index=index)
        type_in(box, given, text)
        assert not typed(box, unknown).is_enabled()
        known = {name: number(box, name) for name in ("n", "epsilon", "delta", "alpha")}
        found = known.pop(unknown)
        known |= {"n": int(known["n"])} if unknown != "n" else {}
        assert solves[unknown](**known) == pytest.approx(found, rel=0.02)


MAPS = sorted((ROOT / "figures").glob(f"*/{explore.FOLDER}/solve.json"))
READ = (
    "([source, charts, tracks, places]) => "
    + LOADED
    + """.then(({ pick, read }) => {
    const errors = tracks[0].map((_, k) => pick(charts, k).table.error);
    return places.map((place) => read(errors, tracks, place));
})"""
)


@pytest.mark.parametrize("path", MAPS, ids=lambda path: path.parents[1].name)
def test_between_its_places_a_map_is_within_a_percent_of_the_planner_in_the_median(page, path):
    form, rng = canonical_json.read(path), np.random.default_rng(1)
    (key, asked), usual = said(form), explorers.Start()
    d = asked.get("d", explorers.STARTS.get(key.value, usual).d)
    exact = TradeOff(key.value, d, asked.get("settings", {})).error
    tracks = [
        (form["grid"]["at"] or [[1e-6]])[0],
        *(form["chart"]["table"][name] for name in ("n", "epsilon")),
    ]
    shares = rng.uniform(size=(40, 3)).tolist()
    places = [
        [at[0] * (at[-1] / at[0]) ** share for at, share in zip(tracks, row, strict=True)] for row in shares
    ]
    source = explore.SCRIPT.read_text(encoding="utf-8")
    found = np.array(page.evaluate(READ, [source, form["grid"]["charts"], tracks, places]))
    errors = np.array([exact(round(n), epsilon, delta) for delta, n, epsilon in places])
    known = np.isfinite(errors) & (found < 1e99)
    assert known.sum() > 10
    assert np.median(np.abs(found / errors - 1)[known]) <= 0.01


def test_a_film_is_played_from_where_it_stands_to_its_last_frame(opened):
    path = ROOT / "figures" / "07_robust_and_private" / explore.FOLDER / "filtering.json"
    box = opened(canonical_json.read(path))
    slider(box, "frame").press("End")
    last = typed(box, "frame").input_value()
    for _ in range(2):
        slider(box, "frame").press("ArrowLeft")
    before = box.locator(".plot").first.inner_html()
    box.get_by_role("button", name="play").click()
    box.page.wait_for_function(f"document.querySelector('input[type=text][name=frame]').value === '{last}'")
    assert box.locator(".plot").first.inner_html() != before
    assert box.get_attribute("data-state") == "ready"
