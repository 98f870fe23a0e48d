"""What a notebook shows as it is committed, whatever its own parameters: HTML and text."""

from html import escape

from workbench.lab import tables
from workbench.lab.claims import figures_folder
from workbench.lab.figures import image
from workbench.lab.runner import complexity, growth
from workbench.lab.runner.growth_pictures import picture

NOT_AT_HAND = "What stands here is committed in the checkout, which is not at hand."
SLOPES = (
    "One number moves at a time, and at each of its values the least n is searched. The slope is that of ln n"
    " in the logarithm of what moves, with its interval at 5 %, beside that of the statement. Of the"
    " committed full run, whatever the parameters above."
)


def growths(chapter: str) -> tuple[str, str]:
    """Return the picture and the table of a chapter's sample sizes, searched one number at a time."""
    from workbench.charts.drawing import svg

    folder, home = figures_folder(), chapter.replace("_", "-")
    found = [one for one in complexity.growing(folder) if one.claim.startswith(f"{home}/")] if folder else []
    if not found:
        return _missing()
    chart = picture(", ".join(dict.fromkeys(one.source for one in found)), found)
    rows = [growth.summary(one) for one in found]
    words = f"<p><b>How to read it.</b> {escape(f'{chart.how_to_read} {SLOPES}')}</p>"
    page = image(svg(chart), "svg+xml", chart.alt) + words + tables.html(growth.SUMMARY, rows)
    return page, tables.text(growth.SUMMARY, rows)


def _missing() -> tuple[str, str]:
    return f"<p>{escape(NOT_AT_HAND)}</p>", NOT_AT_HAND
