"""The proofs that come with the package, as HTML, with a heading and a link for every section."""

import re
from collections.abc import Mapping
from importlib.resources import files

from workbench.lab.publish.site import prose
from workbench.lab.publish.site.records import Document, Link

HREF = re.compile(r'<a href="(?!https?:)([^"#]*)(?:#([^"]*))?">')


def names() -> list[str]:
    """Return the names of the proofs in the order of the alphabet."""
    entries = (files("workbench") / "proofs").iterdir()
    return sorted(entry.name.removesuffix(".md") for entry in entries if entry.name.endswith(".md"))


def documents(targets: Mapping[str, str]) -> list[Document]:
    """Return the proofs, with links to the cards in `targets`."""
    return [_document(name, targets) for name in names()]


def _document(name: str, targets: Mapping[str, str]) -> Document:
    markdown = (files("workbench") / "proofs" / f"{name}.md").read_text("utf-8")
    found: list[Link] = []
    title = name

    def heading(level: int, content: str, said: str) -> str:
        nonlocal title
        if level == 1:
            title = said
            return ""
        found.append(Link(said, f"proof/{name}/{prose.slug(said)}"))
        return f'<h{level + 1} id="{found[-1].target}">{content}</h{level + 1}>'

    body = prose.headings(prose.html(markdown), heading)
    body = HREF.sub(lambda link: _address(name, link[1], link[2] or ""), body)
    return Document(name, title, prose.linked(body, targets), found)


def _address(here: str, file: str, anchor: str) -> str:
    """Return the start of a link: to a proof or a section of it, and nowhere for any other file."""
    there = file.rpartition("/")[2].removesuffix(".md") or here
    if there not in names():
        return "<a>"
    return f'<a href="#proof/{there}{"/" + anchor if anchor else ""}">'
