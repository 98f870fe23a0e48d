"""Slides opened from files without a network: each fits, can be read, and is moved by keys."""

import pytest

from tests.browser.test_notebooks import NOTEBOOKS
from tests.lab.conftest import ROOT
from workbench.lab.project import Project
from workbench.lab.publish.slides import write

pytestmark = pytest.mark.browser

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
