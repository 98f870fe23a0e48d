"""From a notebook to slides, by rule: what every cell becomes, and what of it is said instead of shown.

A text with a heading, a formula, a box, steps or a list is a *statement*: its first sentences, at most 25
words, and the first formula; boxes and lists follow, and all of it goes to the notes. A text without any of
them is said beside the next slide. A chart is a *figure* for each of its panels. `slide_type` decides as it
always did: `skip` is left out, `notes` and `-` are said, all else is a slide; `text` beside it in the cell's
metadata stands in place of the first sentences.
"""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from workbench.lab.publish.site.chapters import highlighted
from workbench.lab.publish.slides import drawn, texts
from workbench.lab.publish.slides.blocks import blocks
from workbench.lab.publish.slides.results import Call, Results, calls
from workbench.lab.publish.slides.slide import Slide, html, inline

HIDDEN, APPENDIX, PARAMETERS = "remove-input", "appendix", ("parameters", "injected-parameters")
SAID = ("notes", "-")
MIME = ("image/svg+xml", "image/png", "text/html", "text/plain")


class Deck:
    """The slides of a notebook, one after the other."""

    def __init__(self, cells: list[Any], results: Results, parameters: Mapping[str, object]) -> None:
        self.results, self.parameters, self.heading = results, parameters, ""
        self.headings: list[str] = []
        self.slides: list[Slide] = []
        self.appendix: list[Slide] = []
        self.waiting: list[str] = []  # to be said beside the next slide
        for cell in cells:
            self._cell(cell)
        if self.waiting and self.slides:
            self.slides[-1] = self.slides[-1].with_notes(*self.waiting)

    def __iter__(self) -> Iterator[Slide]:
        if not self.slides:
            return
        yield drawn.title(self.slides[0], self.results)
        yield texts.outline(self.headings[1:])
        yield from self.slides[1:]
        if self.appendix:
            yield Slide("statement", "More pictures", "<p class='said'>For questions.</p>")
            yield from self.appendix

    def _cell(self, cell: Any) -> None:
        about = cell.metadata.get("slideshow", {})
        kind, tags = about.get("slide_type", "-"), cell.metadata.get("tags", [])
        if kind == "skip" or any(tag in tags for tag in PARAMETERS):
            return
        if cell.cell_type == "markdown":
            self._text(cell.source, kind in SAID, str(about.get("text", "")))
        elif cell.cell_type == "code" and kind not in SAID:
            self._code(cell, tags)

    def _text(self, source: str, said: bool, instead: str) -> None:
        parts = blocks(source)
        heading = next((part.text for part in parts if part.kind == "heading"), "")
        shown = [part.kind for part in parts if part.kind not in ("text", "picture")]
        if said or not (shown or instead):
            self.waiting.append(html(source))
            return
        if heading:
            self.heading = inline(heading)
            self.headings.append(self.heading)
        if texts.COUNTED.match(heading):  # the scoreboard is its slide
            self.waiting.append(html(source))
            return
        made = texts.slides(parts, self.heading, instead)
        self._add(*(made if made or self.slides else [Slide("title", self.heading)]))

    def _code(self, cell: Any, tags: list[str]) -> None:
        asked = calls(cell.source)
        if HIDDEN not in tags and not asked:
            self._add(Slide("code", self.heading, _listing(cell)))
        for call in asked:
            made = self._asked(call)
            if APPENDIX in tags:
                self.appendix += made
            else:
                self._add(*made)

    def _asked(self, call: Call) -> list[Slide]:
        method, results = call.method, self.results
        if method == "show" and call.names:
            return drawn.figure(results.chart(call.names[0]))
        if method == "growths":
            chart = results.growths()
            return drawn.figure(chart) if chart else []
        if method in ("explore", "solve") and call.names:
            form = results.explorer(call.names[0] if method == "explore" else method)
            return [drawn.explorer(form)] if form else []
        return [drawn.score(results)] if method == "verdicts" else []

    def _add(self, *slides: Slide) -> None:
        if not slides:
            return
        first, *rest = slides
        self.slides += [first.with_notes(*self.waiting), *rest]
        self.waiting = []


def _listing(cell: Any) -> str:
    made = [highlighted(cell.source)]
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        text = output.get("text") or data.get("text/plain")
        if "text/html" in data and "widget" not in "".join(data):
            made.append(f'<div class="output">{data["text/html"]}</div>')
        elif text:
            made.append(f'<pre class="output">{escape(str(text).rstrip())}</pre>')
    return "\n".join(made)
