"""The page of everything that is committed, opened from a file, without a network."""

from statistics import median

import pytest
from workbench.lab.publish.site.page import write

from tests.browser.conftest import ROOT
from workbench.catalog import CATALOG
from workbench.chapters.registry import CLAIMS

pytestmark = pytest.mark.browser

WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
VIEWS = [
    "start",
    "explorers",
    "figures",
    "claims",
    "refuted",
    "sizes",
    "statements",
    "estimators",
    "notebooks",
    "proofs",
]
TYPED = ("two-step mean", "L17/Thm2.5", "lower bound ε", "coinpress covariance", "refuted", "δ")
ANSWERS_WITHIN = 100  # milliseconds, in the middle; the slowest twice that, on a machine that does more
DRAWN = """() => [...document.querySelectorAll(".view.shown img[data-picture]")]
    .map((image) => [image, image.getBoundingClientRect()])
    .filter(([image, box]) => image.checkVisibility() && box.top < innerHeight && box.bottom > 0)
    .every(([image]) => image.complete && image.naturalWidth > 0)"""
MEASURED = "(name) => performance.getEntriesByName(name).map((one) => one.duration)"
OTHER = "([image, old]) => image.src !== old && image.complete && image.naturalWidth > 0"
NAMELESS = """[...document.querySelectorAll("a[href], button, summary")]
    .filter((one) => !one.textContent.trim() && !one.ariaLabel)
    .filter((one) => !one.querySelector("img[alt]:not([alt=''])"))
    .map((one) => one.outerHTML)"""
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
NAMED = {"button", "link", "combobox", "option", "img", "image", "searchbox", "DisclosureTriangle"}
CLAIMS_SHOWN = """async () => {
    const found = {}, wait = () => new Promise((done) => requestAnimationFrame(done));
    for (const card of document.querySelectorAll(".claim")) {
        card.open = true;
        for (const image of card.querySelectorAll("img")) {
            image.scrollIntoView();
            while (!image.naturalWidth) await wait();
        }
        const parts = [...card.querySelectorAll("dd, .sentence")];
        found[card.id] = {
            terms: [...card.querySelectorAll(":scope > .body > dl > dt")].map((term) => term.textContent),
            empty: parts.filter((part) => !part.textContent.trim()).length,
            high: card.getBoundingClientRect().height,
        };
    }
    return found;
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    return write(ROOT, tmp_path_factory.mktemp("site") / "page.html").as_uri()


@pytest.fixture
def open_at(browser, address):
    """Return a function: the page at a width, in a theme, with the network off; no error, no request."""
    opened, wrong = [], []

    def open_at(viewport=WIDE, theme="light", view=""):
        context = browser.new_context(viewport=viewport, color_scheme=theme, offline=True)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("request", lambda asked: None if own(asked.url) else wrong.append(asked.url))
        page.goto(f"{address}#{view}")
        opened.append(context)
        return page

    def own(url):
        return url.startswith((address, "data:", "blob:"))

    yield open_at
    for context in opened:
        context.close()
    assert not wrong


@pytest.fixture
def shots(output):
    folder = output / "site"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.parametrize("viewport", [WIDE, NARROW])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_view_fits_and_draws_its_pictures(open_at, shots, viewport, theme):
    page = open_at(viewport, theme)
    for view in VIEWS:
        page.get_by_role("navigation").locator(f"[href='#{view}']").click()
        page.wait_for_function(DRAWN)
        assert page.locator("main h1:visible").count() == 1
        assert page.locator("nav [aria-current]").get_attribute("href") == f"#{view}"
        assert page.evaluate(WIDER) == 0, view
        page.screenshot(path=shots / f"{view}_{viewport['width']}_{theme}.png")


@pytest.mark.parametrize("viewport", [WIDE, NARROW])
def test_open_cards_fit(open_at, viewport):
    page = open_at(viewport)
    for view in VIEWS[1:]:
        page.goto(page.url.partition("#")[0] + f"#{view}")
        page.evaluate("for (const card of document.querySelectorAll('.view.shown details')) card.open = true")
        assert page.evaluate(WIDER) == 0, view


def test_answers_come_while_one_types(open_at, publish, shots, within):
    page = open_at()
    page.keyboard.press("/")
    for words in TYPED:
        page.keyboard.press("Control+a")
        for letter in words:
            page.keyboard.type(letter)
            page.wait_for_timeout(30)
        assert page.get_by_role("option").count() > 0, words
    page.wait_for_timeout(300)
    page.screenshot(path=shots / "search.png")
    took, found = (page.evaluate(MEASURED, name) for name in ("search shown", "search"))
    publish(notebook="site", moved="search", moves=len(took), first=round(median(took)))
    assert len(took) >= sum(map(len, TYPED))
    assert median(took) < within(ANSWERS_WITHIN)
    assert median(found) < within(ANSWERS_WITHIN / 4)


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("one-mean/private-for-free", "claim/one-mean/private-for-free"),
        ("L17/Thm2.5", "statement/L17/Thm2.5"),
        ("univariate/two-step-mean", "estimator/univariate/two-step-mean"),
        ("threshold wins where rows are many", "figure/08_sparse_covariance/regime_map"),
        ("CoinPressMean", "estimator/mean/coinpress"),
        ("window-median mechanism", "proof/univariate/1-window-median-mechanism"),
    ],
)
def test_what_is_looked_for_comes_first_and_opens(open_at, words, first):
    page = open_at()
    page.get_by_role("combobox").fill(words)
    assert page.get_by_role("option").first.get_attribute("data-target") == first
    page.keyboard.press("Enter")
    target = page.locator(f"[id='{first}']")
    target.wait_for()
    box = target.bounding_box()
    assert 0 < box["y"] < 200
    assert page.evaluate("(id) => document.getElementById(id).closest('.card').open", first)


def test_all_can_be_reached_by_keys(open_at):
    page = open_at()
    page.keyboard.press("/")
    page.keyboard.type("mean")
    chosen = page.locator("[role=option][aria-selected=true]")
    ids = [chosen.get_attribute("id")]
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
        ids.append(chosen.get_attribute("id"))
        assert page.get_by_role("combobox").get_attribute("aria-activedescendant") == ids[-1]
    assert ids == ["result-0", "result-1", "result-2", "result-1"]
    wanted = chosen.get_attribute("data-target")
    page.keyboard.press("Enter")
    card = page.locator(f"[id='{wanted}']")
    assert card.evaluate("(card) => card.open && document.activeElement.parentElement === card")
    page.keyboard.press("Escape")
    assert not card.evaluate("(card) => card.open")
    page.keyboard.press("ArrowDown")
    below = page.evaluate("document.activeElement.parentElement.id")
    assert below != wanted
    page.keyboard.press("Enter")
    assert page.evaluate("(id) => document.getElementById(id).open", below)
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.parentElement.id") == wanted


def test_escape_leaves_the_search(open_at):
    page = open_at()
    page.keyboard.press("/")
    page.keyboard.type("mean")
    assert page.locator("#panel").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#panel").is_visible()
    assert page.get_by_role("combobox").input_value() == ""
    page.get_by_role("combobox").fill("no such word at all")
    assert "no such word" in page.get_by_role("status").inner_text()


def test_every_claim_has_a_complete_card(open_at):
    page = open_at(view="claims")
    found = page.evaluate(CLAIMS_SHOWN)
    assert found.keys() == {f"claim/{claim}" for claim in CLAIMS}
    for claim, card in found.items():
        assert {"Figure", "Source", "Proof", "Experiment", "Test"} <= {*card["terms"]}, claim
        assert card["empty"] == 0, claim
        assert card["high"] > 200, claim


def test_claims_can_be_filtered(open_at):
    page = open_at(view="claims")
    page.get_by_role("button", name="refuted").click()
    shown = page.locator(".claim:visible")
    refuted = page.locator(".claim[data-status=REFUTED]").count()
    assert 0 < shown.count() == refuted < len(CLAIMS)
    page.get_by_role("button", name="all").click()
    assert shown.count() == len(CLAIMS)


def test_a_chosen_theme_colours_pictures_too_and_stays(open_at):
    page = open_at(view="figure/02_one_mean/private_for_free")
    image = page.locator("[id='figure/02_one_mean/private_for_free'] img")
    page.wait_for_function(DRAWN)
    corner = """async (image) => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 40, height: 40 });
        const pen = canvas.getContext("2d");
        pen.drawImage(image, 0, 0, 40, 40);
        return pen.getImageData(39, 39, 1, 1).data[0];
    }"""
    assert image.evaluate(corner) > 240
    light = image.get_attribute("src")
    page.get_by_role("button", name="Theme: light").click()
    page.wait_for_function(OTHER, arg=[image.element_handle(), light])
    page.wait_for_timeout(200)
    assert image.evaluate(corner) < 60
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_what_can_be_used_has_a_name(open_at):
    page = open_at()
    page.evaluate("for (const view of document.querySelectorAll('.view')) view.classList.add('shown')")
    page.get_by_role("combobox", name="Search").fill("mean")
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    roles = [
        (node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if "role" in node
    ]
    used = [(role, name) for role, name in roles if role in NAMED]
    assert len(used) > len(CLAIMS) + len(CATALOG)
    assert not [role for role, name in used if not name.strip()]
    assert page.evaluate(NAMELESS) == []
