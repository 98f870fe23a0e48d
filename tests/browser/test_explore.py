"""The script of the explorers in Chromium: on a page without a network, and beside Python as its kernel."""

import numpy as np
import pytest

from tests.browser.conftest import ROOT
from tests.lab.test_explore import said
from workbench.chapters import what_epsilon_means as chapter
from workbench.charts import canonical_json
from workbench.lab import explore, explorers
from workbench.study.trade_off import TradeOff

pytestmark = pytest.mark.browser

LATENCY = 150  # ms to the first redraw
STARTS = {"epsilon": 1.0, "n": 100}
OVER = """(box) => {
    const { left, right } = box.getBoundingClientRect();
    const beyond = (at) => at.right > right + 2 || at.left < left - 2;
    const words = [...box.querySelectorAll("figure :is(span, b, div, small, figcaption)")];
    return words.filter((one) => beyond(one.getBoundingClientRect())).map((one) => one.textContent);
}"""
CURVES = "(box) => box.querySelectorAll('.plot path:not(.grid)').length"
LOADED = 'import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })))'
MOUNT = (
    "([source, form, delay]) => "
    + LOADED
    + """.then((module) => {
    document.body.innerHTML = "<div></div>";
    window.asked = [];
    module.mount(document.querySelector("div"), form, async (message) => {
        window.asked.push(structuredClone(message));
        const reply = await window.kernel({ id: window.asked.length, ...message });
        await new Promise((heard) => setTimeout(heard, delay));
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
    """Return a function: explorers on a page from a file."""

    def opened(*forms):
        path = tmp_path / "page.html"
        path.write_text(
            f"<!doctype html><meta charset=utf-8>{''.join(map(explore.element, forms))}{explore.script()}",
            encoding="utf-8",
        )
        page.goto(path.as_uri())
        return page.locator(".workbench-explorer").first

    return opened


@pytest.fixture
def beside(page):
    """Return a function: an explorer whose kernel is this process."""

    def beside(made, form, delay=0):
        replies = []
        made.view = type("View", (), {"send": staticmethod(replies.append)})

        def kernel(message):
            replies.clear()
            made._asked(None, message, None)
            return replies[-1] if replies else None

        page.expose_function("kernel", kernel)
        page.add_style_tag(path=explore.STYLE)
        page.evaluate(MOUNT, [explore.SCRIPT.read_text(encoding="utf-8"), form, delay])
        return page.locator(".workbench-explorer").first

    return beside


def slider(box, name):
    return box.locator(f"input[type=range][name={name}]")


def typed(box, name):
    return box.locator(f"input[type=text][name={name}]")


def head(box):
    return box.locator("figcaption").first.text_content()


def type_in(box, name, text):
    typed(box, name).fill(text)
    typed(box, name).press("Enter")


def test_a_grid_is_moved_by_keys_without_a_kernel(opened, grid):
    box = opened(grid)
    stops = grid["grid"]["at"][0]
    place = stops.index(STARTS["epsilon"])
    slider(box, "epsilon").focus()
    box.page.keyboard.press("ArrowRight")
    assert box.get_attribute("data-state") == "ready"
    assert float(typed(box, "epsilon").input_value()) == stops[place + 1]
    assert int(box.get_attribute("data-took")) < LATENCY
    assert box.evaluate(CURVES) >= 3
    box.page.keyboard.press("ArrowLeft")
    assert float(typed(box, "epsilon").input_value()) == STARTS["epsilon"]


def test_a_typed_number_is_refused_in_words_or_snapped_to_the_grid(opened, grid):
    box = opened(grid)
    type_in(box, "epsilon", "-3")
    assert "a number from" in box.locator("p[role=status]").inner_text()
    assert float(typed(box, "epsilon").input_value()) == STARTS["epsilon"]
    stops = grid["grid"]["at"][0]
    type_in(box, "epsilon", str(0.99 * stops[-1]))
    assert float(typed(box, "epsilon").input_value()) == stops[-1]


def test_what_is_kept_stays_and_the_difference_is_said_until_reset(opened, grid):
    box = opened(grid)
    before = box.evaluate(CURVES)
    box.get_by_role("button", name="keep this curve").click()
    slider(box, "n").focus()
    box.page.keyboard.press("ArrowRight")
    assert box.evaluate(CURVES) > before
    assert "Kept: ε = 1" in box.inner_text()
    box.get_by_role("button", name="drop the kept curve").click()
    box.get_by_role("button", name="reset").click()
    assert box.evaluate(CURVES) == before
    assert float(typed(box, "n").input_value()) == STARTS["n"]


def test_the_state_goes_into_code_and_into_a_link(opened, grid):
    box = opened(grid)
    slider(box, "epsilon").focus()
    box.page.keyboard.press("End")
    at = typed(box, "epsilon").input_value()
    box.get_by_role("button", name="copy as code").click()
    status = box.locator("p[role=status]")
    assert status.inner_text() == f"lab.show(what_epsilon_means.tracing, epsilon={at}, n=100)"
    box.get_by_role("button", name="link").click()
    box.page.goto(status.inner_text())
    assert typed(box.page.locator(".workbench-explorer").first, "epsilon").input_value() == at


def test_off_the_grid_the_kernel_is_asked_and_the_old_picture_is_veiled(beside, made, grid):
    box = beside(made, grid, delay=300)
    veil = box.locator(".veil")
    assert not veil.is_visible()
    type_in(box, "epsilon", "1.2345")
    assert box.get_attribute("data-state") == "computing"
    assert veil.is_visible()
    assert box.locator("p").first.text_content() == ""
    box.page.wait_for_selector("[data-state=ready]")
    assert not veil.is_visible()
    assert box.page.evaluate("window.asked.at(-1).values.epsilon") == 1.2345
    shown = made.chart({"epsilon": 1.2345})["panels"][0]["title"]
    assert head(box) in shown


def test_only_the_last_of_many_moves_is_drawn(beside, made):
    form = made.form()
    box = beside(made, {**form, "grid": None}, delay=100)
    slider(box, "epsilon").focus()
    for _ in range(6):
        box.page.keyboard.press("ArrowRight")
    box.page.wait_for_selector("[data-state=ready]")
    asked = box.page.evaluate("window.asked")
    assert len(asked) < 6
    assert asked[-1]["values"]["epsilon"] == float(typed(box, "epsilon").input_value())
    assert box.get_attribute("data-turn") == "6"


@pytest.fixture(scope="module")
def solver():
    return explorers.solve("univariate/clipped-mean", epsilon=1.0, alpha=0.2)


@pytest.fixture(scope="module")
def trade_off():
    return TradeOff("univariate/clipped-mean")


@pytest.fixture(scope="module")
def map_(solver):
    return solver.committed()


def test_the_point_of_the_map_is_dragged_and_what_is_solved_follows(opened, trade_off, map_):
    box = opened(map_)
    handle = box.locator(".handle").bounding_box()
    before = float(typed(box, "n").input_value())
    mouse = box.page.mouse
    mouse.move(handle["x"] + 9, handle["y"] + 9)
    mouse.down()
    mouse.move(handle["x"] - 80, handle["y"] - 40, steps=4)
    mouse.up()
    epsilon, n, alpha = (float(typed(box, name).input_value()) for name in ("epsilon", "n", "alpha"))
    assert epsilon < 1
    assert n > before
    assert trade_off.error(round(n), epsilon, 1e-6) == pytest.approx(alpha, rel=0.03)
    moved = box.locator(".handle").bounding_box()
    assert moved["x"] == pytest.approx(handle["x"] - 89, abs=4)
    box.locator(".panels").focus()
    box.page.keyboard.press("ArrowUp")
    assert float(typed(box, "n").input_value()) > n
    assert "the error is at most α in" in box.locator("p").first.inner_text()


@pytest.mark.parametrize(("unknown", "index"), [("n", 0), ("epsilon", 1), ("alpha", 3)])
def test_each_of_the_numbers_is_solved_as_the_planner_does(opened, trade_off, map_, unknown, index):
    box = opened(map_)
    box.locator("select").select_option(index=index)
    type_in(box, "alpha" if unknown != "alpha" else "n", "0.1" if unknown != "alpha" else "2000")
    values = {name: float(typed(box, name).input_value()) for name in ("n", "epsilon", "delta", "alpha")}
    assert not typed(box, unknown).is_enabled()
    given = {name: value for name, value in values.items() if name != unknown}
    given |= {"n": int(values["n"])} if unknown != "n" else {}
    solve = {"n": trade_off.rows, "epsilon": trade_off.epsilon, "alpha": trade_off.error}[unknown]
    assert solve(**given) == pytest.approx(values[unknown], rel=0.02)


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


def test_nothing_is_cut_off_at_either_width(opened, grid, map_):
    for width in (1280, 1920):
        for form in (grid, map_):
            box = opened(form)
            box.page.set_viewport_size({"width": width, "height": 900})
            box.page.wait_for_timeout(200)
            drawn = box.locator(".panels").bounding_box()
            assert drawn["width"] > 0.9 * width
            assert not box.evaluate(OVER)
