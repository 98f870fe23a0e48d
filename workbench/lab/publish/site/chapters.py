"""Notebooks as HTML: their text and code, with the committed figures and verdicts in place of outputs."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from workbench.lab.publish.committed_cells import folder, tagged
from workbench.lab.publish.site import explorers, prose
from workbench.lab.schemas import nbformat

CALL = re.compile(r"\blab\.(show|explore|solve|verdicts)\(\s*(?:\w+\.|[\"'])?(\w+)?")
COMMITTED = re.compile(r'<img src="(?:\.\./)?figures/([^"]+)\.svg"')
LINK = re.compile(r'<a href="(?!https?:|#)([^"#]*)(?:#([^"]*))?">(.*?)</a>', re.DOTALL)
TITLE = re.compile(r"^#\s+(.*)$", re.MULTILINE)
SECTION = re.compile(r"^##\s+(.*)$", re.MULTILINE)
LIVE = '<p class="live">Here the notebook has controls: <code>workbench lab</code> opens it.</p>'


class Notebook:
    """A notebook: its title, its first words, and under which heading it shows what."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cells = list(nbformat().read(path, as_version=4).cells)
        first = self.cells[0].source if self.cells else ""
        found = TITLE.search(first)
        self.title = found[1] if found else path.stem
        paragraphs = [part for part in first.split("\n\n") if not part.startswith("#")]
        self.lead = prose.html(paragraphs[0]) if paragraphs else ""

    @property
    def questions(self) -> dict[str, str]:
        """The heading above every figure, as HTML, by the figure's name and in the notebook's order."""
        found: dict[str, str] = {}
        heading = ""
        for cell in self.cells:
            if cell.cell_type == "markdown":
                titles = SECTION.findall(cell.source)
                heading = titles[-1] if titles else heading
            else:
                found |= {name: heading for kind, name in CALL.findall(cell.source) if kind == "show"}
        return {name: prose.inline(said) for name, said in found.items()}

    def html(self, targets: Mapping[str, str], titles: Mapping[str, str], verdicts: str) -> Iterator[str]:
        """Yield the cells, given the cards of names, the titles of figures, and what verdicts look like."""
        for cell in self.cells:
            if tagged(cell):  # the page has its own pictures and verdicts
                continue
            if cell.cell_type == "markdown":
                text = prose.headings(prose.html(cell.source), _lower)
                text = LINK.sub(_within, COMMITTED.sub(r'<img data-picture="\1"', text))
                yield prose.linked(text, targets)
            elif cell.cell_type == "code":
                yield self._code(cell, titles, verdicts)

    def _code(self, cell: Any, titles: Mapping[str, str], verdicts: str) -> str:
        calls = CALL.findall(cell.source)
        shown = "".join(
            verdicts if kind == "verdicts" else self._picture(kind, name, titles) for kind, name in calls
        )
        code, tags = highlighted(cell.source), cell.metadata.get("tags", ())
        skipped = cell.metadata.get("slideshow", {}).get("slide_type") == "skip"
        if not (skipped or "remove-input" in tags):
            return shown + code
        label = "Parameters" if "parameters" in tags else "Code"
        return f"{shown}<details class=code><summary>{label}</summary>{code}</details>"

    def _picture(self, kind: str, name: str, titles: Mapping[str, str]) -> str:
        if kind == "show":
            return self._shown(name, titles)
        return explorers.mounted(folder(self.path), name if kind == "explore" else kind) or LIVE

    def _shown(self, name: str, titles: Mapping[str, str]) -> str:
        key = f"{self.path.stem}/{name}"
        stands = f"figures/{key}.svg" in "".join(cell.source for cell in self.cells)
        if key not in titles or stands:
            return ""
        image = f'<img data-picture="{escape(key)}" alt="{escape(titles[key])}">'
        return f'<p class="shown"><a href="#figure/{escape(key)}">{image}</a></p>'


def _within(found: re.Match[str]) -> str:
    """Return a link to a proof or a notebook as one to its card; of one to any other file what it says."""
    file, anchor, said = Path(found[1]), found[2], found[3]
    card = {".md": "proof", ".ipynb": "notebook"}.get(file.suffix)
    if card is None or (card == "proof" and file.parent.name != "proofs"):
        return said
    section = f"/{anchor}" if anchor and card == "proof" else ""
    words = re.sub(r"</?code>", "", said)
    return f'<a href="#{card}/{file.stem}{section}">{words}</a>'


def _lower(level: int, content: str, said: str) -> str:
    return "" if level == 1 else f"<h{level + 2}>{content}</h{level + 2}>"


@cache
def _highlight() -> Any:
    nbformat()
    from nbconvert.filters.highlight import Highlight2HTML

    made: Any = Highlight2HTML
    return made(pygments_lexer="python3")


def highlighted(source: str) -> str:
    """Return Python as HTML with classes for its words."""
    return str(_highlight()(source)).strip()
