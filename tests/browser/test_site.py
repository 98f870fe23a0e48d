"""Pages opened from files without a network: filtered, gone through by keys, as wide as their window."""

import pytest

from tests.lab.conftest import ROOT
from workbench.lab.project import Project
from workbench.lab.publish import write

pytestmark = pytest.mark.browser

WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
NAMELESS = """[...document.querySelectorAll("a[href], button, summary, input")]
    .filter((one) => one.checkVisibility() && !one.textContent.trim())
    .filter((one) => !one.ariaLabel && !one.labels?.length)
    .map((one) => one.outerHTML)"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return write(Project(ROOT), tmp_path_factory.mktemp("pages"))


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_every_page_fits_and_says_nothing_wrong(offline, written, output, size):
    (output / "pages").mkdir(exist_ok=True)
    for path in written:
        page = offline(path.as_uri(), size)
        page.evaluate("for (const one of document.querySelectorAll('.card')) one.open = true")
        assert page.evaluate(WIDER) == 0, path.name
        assert page.evaluate(NAMELESS) == [], path.name
        assert page.evaluate("[...document.images].every((one) => one.alt && one.src)"), path.name
        page.evaluate("for (const one of document.querySelectorAll('.card')) one.open = false")
        page.screenshot(path=output / "pages" / f"{path.stem}_{size[0]}.png")


def test_a_filter_and_keys_lead_to_a_card(offline, written):
    page = offline(written[0].as_uri(), (1280, 800))
    assert page.locator(".entry:visible").count() == 0
    page.keyboard.press("/")
    page.keyboard.type("one-mean private for free sample")
    found = page.locator(".entry:visible a")
    assert 0 < found.count() < 20
    page.locator("a[href='claims.html#one-mean/private-for-free']").click()
    page.locator("html[data-ready] [id='one-mean/private-for-free']").wait_for()
    card = page.locator("[id='one-mean/private-for-free']")
    assert card.get_attribute("open") is not None
    page.keyboard.press("/")
    page.keyboard.type("coinpress 1.5")
    shown = page.locator(".card:visible").count()
    assert 0 < shown < page.locator(".card").count()
    page.keyboard.press("Escape")
    page.locator(".card > summary").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator(".card").nth(1).get_attribute("open") is not None
    page.keyboard.press("Escape")
    assert page.locator(".card").nth(1).get_attribute("open") is None
