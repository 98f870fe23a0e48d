"""The title, figures and the scoreboard of verdicts."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from workbench.charts.chart import Chart
from workbench.charts.drawing import SLIDE, svg
from workbench.lab import explore
from workbench.lab.claims import PHRASES, expectations
from workbench.lab.claims import sentence as standing
from workbench.lab.publish.slides.results import Results
from workbench.lab.publish.slides.shapes import shapes
from workbench.lab.publish.slides.slide import Slide, inline, picture, scoreboard

TEXT, TALL = 22, 580  # px of letters, and of an explorer


def title(first: Slide, results: Results) -> Slide:
    """Return the first slide: the notebook's title, its first sentences, and what became of its claims."""
    profile, decided = results.verdicts()
    line = f'<p class="standing">{sentence(decided, profile)}</p>' if decided else ""
    return Slide("title", first.title, first.body + line, first.notes)


def figure(chart: Chart) -> list[Slide]:
    """Return the slides of a chart: a row of small multiples together, other panels one by one."""
    return [_figure(chart, one) for one in shapes(chart)]


def _figure(whole: Chart, shown: Chart) -> Slide:
    words = (whole.how_to_read, whole.alt, *(panel.note for panel in shown.panels))
    notes = tuple(f"<p>{escape(said)}</p>" for said in words if said)
    return Slide("figure", inline(whole.title), picture(svg(shown, SLIDE), whole.alt), notes)


def explorer(form: dict[str, Any]) -> Slide:
    """Return the slide of a committed explorer."""
    chart = explore.first(form)
    notes = tuple(f"<p>{escape(said)}</p>" for said in (chart["how"], chart["alt"]) if said)
    return Slide("live", escape(chart["title"]), explore.element(form, tall=TALL, text=TEXT), notes)


def score(results: Results) -> Slide:
    """Return the slide that counts the verdicts; its notes name them."""
    profile, decided = results.verdicts()
    if not decided:
        return Slide("score", "Verdicts", "<p class='said'>No claim was decided.</p>")
    squares = scoreboard([str(one["status"]) for one in decided])
    body = f'<p class="said">{sentence(decided, profile)}</p>{squares}'
    items = "".join(map(_item, decided))
    return Slide("score", "Verdicts", body, (f"<ul>{items}</ul>",))


def _item(verdict: Mapping[str, Any]) -> str:
    words = escape(f"{verdict['statement']} ({verdict['id']})")
    return f"<li><b>{PHRASES[str(verdict['status'])]}</b>: {words}</li>"


def sentence(decided: Sequence[Mapping[str, Any]], profile: str) -> str:
    """Return how many claims hold, in words."""
    return escape(standing(decided, expectations(str(one["id"]) for one in decided), f"the {profile} run"))
