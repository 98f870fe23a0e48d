"""Pages of what is committed: notebooks, estimators with their help, claims, sources, sizes, proofs."""

import re
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from workbench.catalog import CATALOG
from workbench.catalog.entry import documented
from workbench.chapters.registry import CLAIMS
from workbench.charts import canonical_json
from workbench.errors import ArgumentError
from workbench.lab import explore, listing, sizes, tables
from workbench.lab.claims import NOTEBOOK, Record, collected, home
from workbench.lab.figures import image
from workbench.lab.project import Project, calls, find, nbformat
from workbench.lab.publish import TEMPLATES, plain, render, shown, text
from workbench.lab.publish.committed import DRAWS, WORDS, tagged
from workbench.lab.tables import say
from workbench.sources import sources, statements

MENU = {
    "index.html": "Start",
    "index.html#notebooks": "Notebooks",
    "estimators.html": "Estimators",
    "claims.html": "Claims",
    "sizes.html": "Sample sizes",
    "sources.html": "Sources",
    "proofs.html": "Proofs",
}
PICTURE = re.compile(r"!\[((?:[^\]\\]|\\.)*)\]\((?:\.\./figures/)?([\w/]+\.svg)\)")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)#]*)(?:#([^)]*))?\)")
LIVE = '<p class="live">Here the notebook has controls: <code>workbench lab</code> opens it.</p>'
ANCHORED = re.compile(r"^##+ (.+)$", re.MULTILINE)
Decided = Mapping[str, Record]
Cells = Iterator[Any]


def pages(options: Namespace) -> int:
    project = find(explicit=options.project)
    first, *others = write(project, (options.out or project.reproduced / "pages").resolve())
    say(f"{first}: with {len(others)} further pages, which need no network")
    return 0


def write(project: Project, out: Path) -> list[Path]:
    """Write the pages of a checkout into a folder of its own, and return them; the first is the start."""
    project.keep_apart(out)
    if not project.figures.is_dir():
        raise ArgumentError("project", str(project.root), "a checkout with figures/ in it")
    decided, names = collected(project.figures), [path.stem for path in project.notebooks]
    made: dict[str, Callable[[], Cells]] = {
        "index": lambda: start(project, decided),
        "sizes": lambda: iter([text(markdown(sizes.page(project.figures), project.figures))]),
    }
    for name in ("estimators", "claims", "sources", "proofs"):
        made[name] = lambda name=name: map(text, said(name, decided=decided))  # type: ignore[misc]
    for path in project.notebooks:
        made[path.stem] = lambda path=path: notebook(path, project.figures, decided)  # type: ignore[misc]
    script, written = explore.script(), []
    for name, cells in made.items():
        title, here = f"workbench: {name.replace('_', ' ')}", f"{name}.html"
        live = script if name in ("index", *names) else ""
        written.append(render(list(cells()), out / here, title=title, pages=MENU, here=here, script=live))
    return written


def said(page: str, **facts: Any) -> list[str]:
    """Return the parts of a page, in Markdown, as `pages.md.j2` says them."""
    known = {"catalog": CATALOG, "claims": CLAIMS, "statements": _statements(), "proofs": _proofs()}
    jinja = Environment(
        loader=FileSystemLoader(TEMPLATES / "workbench"), trim_blocks=True, lstrip_blocks=True
    )
    jinja.filters |= {
        "documented": lambda estimator: documented(type(estimator)),
        "growths": lambda one: map(sizes.summary, sizes.growths([one])),
        "home": home,
        "linked": _linked,
        "plain": plain,
        "sizes_of": sizes.sizes_of,
        "table": _table,
        "verdict": _verdict,
        "whole": listing.whole,
    }
    words = jinja.get_template("pages.md.j2").render(page=page, **known, **facts)
    return re.split(r"^PART$", words, flags=re.MULTILINE)


def _table(records: Iterable[Record], *names: str) -> str:
    names = names or sizes.SUMMARY
    rows = [[tables.show(one.get(name)) for name in names] for one in records]
    return tables.html(names, rows) if rows else ""


@cache
def _proofs() -> dict[str, tuple[str, str]]:
    """Return title and text of every proof, whose headings have anchors."""
    found = {}
    for path in sorted((files("workbench") / "proofs").iterdir(), key=lambda path: path.name):
        stem = path.name.removesuffix(".md")

        def anchored(heading: re.Match[str], stem: str = stem) -> str:
            slug = re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading[1].lower()).strip())
            return f'<a id="{stem}/{slug}"></a>\n\n{heading[0]}'

        words = LINK.sub(_link, path.read_text("utf-8").replace("](#", f"](#{stem}/"))
        title, _, body = words.partition("\n")
        found[stem] = title[2:], ANCHORED.sub(anchored, body)
    return found


def markdown(words: str, figures: Path) -> str:
    """Return a text with its pictures in it; links lead to pages, and where there is none are words."""

    def picture(found: re.Match[str]) -> str:
        alt, path = re.sub(r"\\(.)", r"\1", found[1]), figures / found[2]
        return image(path.read_bytes() if path.is_file() else b"", alt, ' loading="lazy"')

    return LINK.sub(_link, PICTURE.sub(picture, words))


def _link(found: re.Match[str]) -> str:
    said, path, anchor = found[1], Path(found[2]), found[3]
    if path.suffix == ".ipynb":
        return f"[{said}]({path.stem}.html)"
    if path.suffix == ".html":
        return found[0]
    if path.suffix == ".md" and path.parent.name in ("", "proofs"):
        return f"[{said}](proofs.html#{path.stem}{f'/{anchor}' if anchor else ''})"
    return said


def _linked(name: str) -> str:
    known = name.removeprefix("claim ")
    if known.startswith("proofs/"):
        return f"[{known}](proofs.html#{Path(known).stem})"
    pages = {"claims": CLAIMS, "estimators": CATALOG, "sources": _statements()}
    page = next((page for page, names in pages.items() if known in names), "")
    return f"[{plain(known)}]({page}.html#{known})" if page else f"`{known}`"


@cache
def _statements() -> dict[str, Any]:
    return {one.id: one for found in sources() for one in statements(found)}


def start(project: Project, decided: Decided) -> Cells:
    """Yield the start: three questions, the map of n and ε, the notebooks, and all that can be filtered."""
    leads = {one.stem: nbformat().read(one, as_version=4).cells[0].source for one in project.notebooks}
    (words,) = said("index", notebooks=leads)
    first, *others = re.split(r"^EXPLORER (\S+)$", LINK.sub(_link, words), flags=re.MULTILINE)
    yield text(first)
    for name, after in zip(others[::2], others[1::2], strict=True):
        if (project.figures / name).is_file():
            yield shown(explore.element(canonical_json.read(project.figures / name)))
        yield text(after)
    found = {f"claims.html#{name}": f"{name}: {one['statement']}" for name, one in decided.items()}
    found |= {f"estimators.html#{key}": f"{key}: {entry.summary}" for key, entry in CATALOG.items()}
    found |= {f"sources.html#{name}": f"{name}: {one.text}" for name, one in _statements().items()}
    items = (f'<li class="entry"><a href="{at}">{escape(words)}</a></li>' for at, words in found.items())
    yield shown(f"<ul>{''.join(items)}</ul>")


def notebook(path: Path, figures: Path, decided: Decided) -> Cells:
    """Yield a notebook with its committed pictures, its explorers, and its claims in place of outputs."""
    for cell in nbformat().read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            yield text(markdown(cell.source, figures))
            continue
        hidden = cell.metadata.slideshow.slide_type == "skip" or tagged(cell, DRAWS)
        metadata = {"tags": ["folded"] if hidden else [], "slideshow": {"slide_type": "-"}}
        for method, name in calls(cell.source):
            form = figures / path.stem / explore.FOLDER / f"{name}.json"
            if method in ("explore", "solve"):
                yield shown(explore.element(canonical_json.read(form)) if form.is_file() else LIVE)
            elif method == "verdicts":
                own = (one for one in decided.values() if one[NOTEBOOK] == path.stem)
                said = (f"* {_verdict(one)} {_linked(one['id'])}: {plain(one['statement'])}" for one in own)
                yield text("\n".join(said))
            elif method == "growths":
                yield text("The searched rows stand among the [sample sizes](sizes.html).")
        yield nbformat().v4.new_code_cell(cell.source, metadata=metadata)


def _verdict(one: Record) -> str:
    word = WORDS[str(one["status"])]
    return f'<span class="verdict {word}">{word}</span>'
