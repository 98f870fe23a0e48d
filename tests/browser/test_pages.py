"""Pages and slides opened from files without a network: each fits, is read, and is moved by keys."""

import pytest

from tests.browser.test_notebooks import NOTEBOOKS
from tests.lab.conftest import ROOT
from workbench.cli import main
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


LETTERS, SHARE = 16, 0.25  # px that letters have at least, and the part of a slide that a figure has
MEASURE = """() => {
    const slide = document.querySelector("section.present"), frame = slide.getBoundingClientRect();
    const seen = [...slide.querySelectorAll("*")].filter((one) => one.checkVisibility());
    const scale = Reveal.getScale();
    const parts = seen.filter((one) => !one.closest("aside, svg, .scrolls, .shown:has(.highlight)"));
    const boxes = parts.map((one) => one.getBoundingClientRect()).filter((box) => box.width * box.height > 0);
    const over = boxes.map((box) => Math.max(box.right - frame.right, box.bottom - frame.bottom));
    const own = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const lettered = parts.filter((one) => own(one) && !one.closest("sub, sup, math"));
    const image = slide.querySelector(".output > img")?.getBoundingClientRect();
    const ticks = [...slide.querySelectorAll(".tick")].map((one) => [
        one.getBoundingClientRect().right, one.closest(".workbench-explorer").getBoundingClientRect().right,
    ]);
    return {
        cut: Math.max(0, ...ticks.map(([end, edge]) => end - edge)),
        over: Math.max(0, ...over), title: slide.querySelector("h1, h2")?.textContent,
        letters: Math.min(99, ...lettered.map((one) => scale * parseFloat(getComputedStyle(one).fontSize))),
        share: image ? image.width * image.height / frame.width / frame.height : 1,
    };
}"""


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_slide_fits_is_read_and_moved_by_keys(notebook, offline, output, tmp_path):
    assert main(["slides", notebook.stem, "--project", str(ROOT), "--out", str(tmp_path)]) == 0
    path = tmp_path / f"{notebook.stem}.slides.html"
    folder, faults, moved, solved = output / "slides" / notebook.stem, [], 0, 0
    folder.mkdir(parents=True, exist_ok=True)
    for size in ((1280, 720), (1920, 1080)):
        page = offline(path.as_uri(), size)
        for place in range(page.evaluate("Reveal.getTotalSlides()")):
            page.evaluate(f"Reveal.slide({place}, 0, 9)")
            page.wait_for_timeout(50)
            found = page.evaluate(MEASURE)
            if (
                found["over"] > 1
                or found["cut"] > 1
                or found["letters"] < LETTERS
                or found["share"] < SHARE
                or not found["title"]
            ):
                faults.append(f"{place}: {found}")
            page.screenshot(path=folder / f"{size[0]}_{place:02d}.png")
            for box in page.locator("section.present .workbench-explorer").all():
                box.locator("input[type=range]:enabled").first.focus()
                page.keyboard.press("ArrowRight")
                assert box.get_attribute("data-state") == "ready"
                assert page.evaluate("Reveal.getIndices().h") == place
                moved += 1
            for summary in page.locator("section.present summary:visible").all():
                summary.click()
                box = page.locator("section.present details[open]").bounding_box()
                assert box["y"] + box["height"] <= size[1]
                summary.click()
                solved += 1
    assert not faults, "\n".join(faults)
    assert moved
    assert solved
