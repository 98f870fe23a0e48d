"""Pages of what is committed: notebooks, estimators with their help, claims, sources, sizes, proofs."""

import re
from argparse import Namespace
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from workbench.catalog import CATALOG
from workbench.catalog.entry import documented
from workbench.chapters.registry import CLAIMS
from workbench.charts import canonical_json
from workbench.errors import ArgumentError
from workbench.lab import explore, listing, sizes, tables
from workbench.lab.claims import NOTEBOOK, PROFILE, Record, collected, home
from workbench.lab.project import Project, calls, find, nbformat
from workbench.lab.publish import plain, render, shown, source, text
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
NUMBERS = ("estimate", "interval", "bound", "n", "trials", "level", "test")
SIZES = ("formula", "kind", "predicted", "estimate", "interval")
CHECKS = ("id", "status", "estimate", "interval", "bound", "n", "trials")
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
    decided = collected(project.figures)
    made: dict[str, Callable[[], Cells]] = {
        "index": lambda: start(project, decided),
        "estimators": estimators,
        "claims": lambda: claims(decided),
        "sizes": lambda: iter([text(markdown(sizes.page(project.figures), project.figures))]),
        "sources": covered,
        "proofs": proofs,
    }
    names = [path.stem for path in project.notebooks]
    for path in project.notebooks:
        made[path.stem] = lambda path=path: notebook(path, project.figures, decided)  # type: ignore[misc]
    script, written = explore.script(), []
    for name, cells in made.items():
        title, here = f"workbench: {name.replace('_', ' ')}", f"{name}.html"
        live = script if name in ("index", *names) else ""
        written.append(render(list(cells()), out / here, title=title, pages=MENU, here=here, script=live))
    return written


def markdown(words: str, figures: Path) -> str:
    """Return a text with its pictures in it; links lead to pages, and where there is none are words."""

    def picture(found: re.Match[str]) -> str:
        alt, path = re.sub(r"\\(.)", r"\1", found[1]), figures / found[2]
        data = b64encode(path.read_bytes()).decode() if path.is_file() else ""
        return f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{data}" loading="lazy">'

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


def _card(name: str, summary: str, *parts: str) -> Any:
    body = "\n\n".join(filter(None, parts))
    head = f'<details class="card" id="{escape(name)}"><summary>{summary}</summary>'
    return text(f"{head}\n\n{body}\n\n</details>")


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
    kinds: dict[str, list[str]] = {}
    for key, entry in CATALOG.items():
        kinds.setdefault(entry.estimand, []).append(_linked(key))
    table = tables.markdown(("estimates", "with"), [[kind, ", ".join(keys)] for kind, keys in kinds.items()])
    told = []
    for path in project.notebooks:
        title, _, lead = nbformat().read(path, as_version=4).cells[0].source.partition("\n\n")
        told.append(f"* **[{title[2:]}]({path.stem}.html)** {LINK.sub(_link, ' '.join(lead.split()))}")
    words = source("start.md").replace("ESTIMATORS", table).replace("NOTEBOOKS", "\n".join(told))
    first, *others = re.split(r"^EXPLORER (\S+)$", LINK.sub(_link, words), flags=re.MULTILINE)
    yield text(first)
    for name, after in zip(others[::2], others[1::2], strict=True):
        if (project.figures / name).is_file():
            yield shown(explore.element(canonical_json.read(project.figures / name)))
        yield text(after)
    found = {f"claims.html#{name}": f"{name}: {one['statement']}" for name, one in decided.items()}
    found |= {f"estimators.html#{key}": f"{key}: {entry.summary}" for key, entry in CATALOG.items()}
    found |= {f"sources.html#{name}": f"{name}: {one.text}" for name, one in _statements().items()}
    items = (f'<li class="entry"><a href="{at}">{escape(said)}</a></li>' for at, said in found.items())
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
            form = figures / path.stem / explore.FOLDER / f"{name if method == 'explore' else method}.json"
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


def claims(decided: Decided) -> Cells:
    yield text("# Claims\n\nEach sentence was run. Its verdict, its numbers and its source stand below it.")
    names = [name for name in CLAIMS if name in decided]
    for folder in dict.fromkeys(decided[name][NOTEBOOK] for name in names):
        yield text(f"## [{folder.replace('_', ' ')}]({folder}.html)")
        yield from (_claim(name, decided[name]) for name in names if decided[name][NOTEBOOK] == folder)


def _claim(name: str, one: Record) -> Any:
    claim = CLAIMS[name]
    checks = (one.get("detail") or {}).get("checks", ())
    found = {
        "Sample sizes": (SIZES, [_row(size, SIZES) for size in sizes.sizes_of(one)]),
        "How n grows": (sizes.SUMMARY, [sizes.summary(grown) for grown in sizes.growths([one])]),
        "Checks, all of which must hold": (CHECKS, [_row(check, CHECKS) for check in checks]),
    }
    return _card(
        name,
        f"{_verdict(one)} {escape(str(one['statement']))} <code>{name}</code>",
        f"**Why:** {plain(claim.reason)}" if claim.reason else "",
        f"*Source:* {', '.join(map(_linked, claim.sources))}. *Run:* `{home(name)}`, {one[PROFILE]}.",
        tables.html(NUMBERS, [_row(one, NUMBERS)]),
        *(
            f"<details><summary>{title}</summary>{tables.html(header, rows)}</details>"
            for title, (header, rows) in found.items()
            if rows
        ),
    )


def _row(record: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    return [tables.show(record.get(name)) for name in names]


def estimators() -> Cells:
    yield text("# Estimators\n\nAll are called alike: `release = Estimator(...)(rows, budget=..., rng=...)`.")
    for key, entry in CATALOG.items():
        origin = ", ".join(map(_linked, entry.statements)) or "our own"
        told = (listing.whole(entry), documented(type(entry.estimator)))
        pages = [f"<pre>{escape(page).replace(chr(10) * 2, chr(10) + ' ' + chr(10))}</pre>" for page in told]
        yield _card(key, f"<code>{key}</code> {escape(entry.summary)}", f"*Source:* {origin}", *pages)


def covered() -> Cells:
    yield text("# Statements of the sources")
    for name, one in _statements().items():
        covers = f"*Covered by:* {', '.join(map(_linked, one.covered_by))}" if one.covered_by else ""
        slips = (
            f"*Slip*, {plain(slip.location)}: “{plain(slip.says)}” should be “{plain(slip.should_say)}”"
            for slip in one.errata
        )
        constants = f"*Constants:* {one.constants}"
        head = f"<code>{name}</code> {escape(one.text)}"
        yield _card(name, head, plain(one.reason), covers, constants, *slips)


def proofs() -> Cells:
    yield text("# Proofs")
    for path in sorted((files("workbench") / "proofs").iterdir(), key=lambda path: path.name):
        stem = path.name.removesuffix(".md")
        words = path.read_text("utf-8").replace("](#", f"](#{stem}/")
        title, _, body = LINK.sub(_link, words).partition("\n")

        def anchored(found: re.Match[str], stem: str = stem) -> str:
            slug = re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", found[1].lower()).strip())
            return f'<a id="{stem}/{slug}"></a>\n\n{found[0]}'

        yield _card(stem, escape(title[2:]), re.sub(r"^##+ (.+)$", anchored, body, flags=re.MULTILINE))
