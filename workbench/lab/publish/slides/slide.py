"""What stands on a slide, as HTML, and what is said beside it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Literal

from workbench.lab.figures import image
from workbench.lab.schemas import nbformat

Layout = Literal["title", "outline", "statement", "figure", "code", "exercise", "score", "live", "film"]
ANCHOR = re.compile(r'(?<=<h\d) id="[^"]*"|<a class="anchor-link".*?</a>')
LINK = re.compile(
    r'<a href="(?!https?:|#)[^"]*"[^>]*>(.*?)</a>', re.DOTALL
)  # to files that are not beside it
SOLUTION = "Solution"


@dataclass(frozen=True)
class Slide:
    """One slide.

    Parameters
    ----------
    layout
        How it is drawn.
    title
        Its heading, as HTML; empty for none.
    body
        What stands below the heading, as HTML.
    notes
        What the lecturer sees, as HTML, part by part.
    """

    layout: Layout
    title: str
    body: str = ""
    notes: tuple[str, ...] = ()

    def with_notes(self, *notes: str) -> "Slide":
        """Return the slide with more notes."""
        return replace(self, notes=(*self.notes, *filter(None, notes)))

    def with_body(self, more: str) -> "Slide":
        """Return the slide with more below what it has."""
        return replace(self, body=f"{self.body}\n{more}")


def html(markdown: str) -> str:
    """Return a text as HTML, formulas as they stand, for MathJax."""
    nbformat()
    from nbconvert.filters.markdown import markdown2html

    made: str = markdown2html(markdown)
    return LINK.sub(r"\1", ANCHOR.sub("", made)).strip()


def inline(markdown: str) -> str:
    """Return a line of text as HTML without a paragraph around it."""
    return html(markdown).removeprefix("<p>").removesuffix("</p>")


def paragraph(markdown: str, kind: str = "said") -> str:
    """Return a paragraph of a slide; nothing for no text."""
    return f'<p class="{kind}">{inline(markdown)}</p>' if markdown else ""


def points(texts: Iterable[str]) -> str:
    """Return a list of a slide."""
    return "".join(["<ul>", *(f"<li>{inline(text)}</li>" for text in texts), "</ul>"])


def folded(markdown: str, summary: str = SOLUTION) -> str:
    """Return a text that is opened by a click, over what stands on the slide."""
    return f"<details><summary>{escape(summary)}</summary><div>{html(markdown)}</div></details>"


def picture(data: bytes, alt: str) -> str:
    """Return a picture that fills a slide."""
    return image(data, "svg+xml", alt)


def scoreboard(statuses: Sequence[str]) -> str:
    """Return a square for every claim, in the colour of its verdict."""
    squares = "".join(f'<i class="{status.lower()}"></i>' for status in sorted(statuses))
    return f'<div class="squares" aria-hidden="true">{squares}</div>'
