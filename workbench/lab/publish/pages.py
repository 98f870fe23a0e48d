"""Pages of what is committed: notebooks with their pictures, estimators, claims, sources, sample sizes, proofs."""

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from workbench.catalog import CATALOG
from workbench.catalog.entry import documented
from workbench.chapters.registry import CLAIMS
from workbench.errors import ArgumentError
from workbench.lab import explore, listing, tables
from workbench.lab.claims import NOTEBOOK, PROFILE, Record, collected
from workbench.lab.project import Project
from workbench.lab.publish import plain, render, shown, text
from workbench.lab.publish.committed import DRAWS, WORDS, tagged
from workbench.lab.publish.slides import calls
from workbench.lab.runner import complexity, growth
from workbench.lab.schemas import nbformat
from workbench.sources import Statement, sources, statements

FILES = {
    "index": "Start",
    "estimators": "Estimators",
    "claims": "Claims",
    "sizes": "Sample sizes",
    "sources": "Sources",
    "proofs": "Proofs",
}
PICTURE = re.compile(r"!\[((?:[^\]\\]|\\.)*)\]\((?:\.\./figures/)?([\w/]+\.svg)\)")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)#]*)(?:#([^)]*))?\)")
LIVE = '<p class="live">Here the notebook has controls: <code>workbench lab</code> opens it.</p>'
NUMBERS = ("estimate", "interval", "bound", "n", "trials", "level", "test")
CHECKS = ("id", "status", "estimate", "interval", "bound", "n", "trials")
AS_BEFORE = "The same"
Cells = Iterator[Any]
START = """# What does it cost to publish a number about people?

Whoever publishes statistics about people under *differential privacy* adds noise on purpose. These pages say how much
it costs, which estimator costs least, and what was run to find out. All of it works without a network.
"""
QUESTIONS = (
    ("What can I publish with n rows?", "09_which_one/explorers/solve.json", """Three of the numbers n, ε, δ and the
error α decide the fourth. Drag the point over the map, or type what you have. Every estimator has such a map:
`workbench plan mean --alpha 0.1 --epsilon 1` asks all of them. [How many rows each theorem needs](sizes.md)."""),
    ("What does ε mean?", "01_what_epsilon_means/explorers/attacker.json", """Somebody sees what you publish, knows all
rows but one, and guesses. ε bounds how often the guess is right; δ is what the bound may fail with.
[Notebook 01](01_what_epsilon_means.ipynb) derives it, attacks it and adds it up."""),
    ("Which estimator?", "", """First, what do you know without looking: a range, a scale, nothing? Second, how many
rows do you have? [Notebook 09](09_which_one.ipynb) goes through the questions; here is what estimates what."""),
)  # fmt: skip


def write(project: Project, out: Path) -> list[Path]:
    """Write the pages of a checkout into a folder, and return them; the first is the start.

    Raises
    ------
    ArgumentError
        If the checkout has no figures, or the folder is not one of its own.
    """
    project.keep_apart(out)
    if not project.figures.is_dir():
        raise ArgumentError("project", str(project.root), "a checkout with figures/ in it")
    decided, parts = collected(project.figures), {path.stem: path for path in project.notebooks}
    made: dict[str, Callable[[], Cells]] = {
        "index": lambda: start(project, decided),
        "estimators": estimators,
        "claims": lambda: claims(project, decided),
        "sizes": lambda: [text(markdown(complexity.table(project.figures), project.figures))],
        "sources": covered,
        "proofs": proofs,
        **{stem: lambda path=path: notebook(path, project.figures, decided) for stem, path in parts.items()},
    }  # type: ignore[dict-item,assignment]
    menu = [(f"{name}.html", label) for name, label in FILES.items()]
    script = explore.script()
    return [
        render(list(cells()), out / f"{name}.html", title=f"workbench: {FILES.get(name, name)}", pages=menu,
               here=f"{name}.html", script=script if name in ("index", *parts) else "")
        for name, cells in made.items()
    ]  # fmt: skip


def markdown(source: str, figures: Path) -> str:
    """Return a text whose pictures stand in it, and whose links lead to pages; to any other file they are words."""

    def picture(found: re.Match[str]) -> str:
        words, path = re.sub(r"\\(.)", r"\1", found[1]), figures / found[2]
        data = b64encode(path.read_bytes()).decode() if path.is_file() else ""
        return f'<img alt="{escape(words)}" src="data:image/svg+xml;base64,{data}" loading="lazy">'

    return LINK.sub(_link, PICTURE.sub(picture, source))


def _link(found: re.Match[str]) -> str:
    path, anchor = Path(found[2]), f"#{found[3]}" if found[3] else ""
    if path.suffix == ".ipynb" or path.stem in FILES:
        return f"[{found[1]}]({path.stem}.html{anchor})"
    if path.parent.name == "proofs" or (path.suffix == ".md" and path.parent == Path(".")):
        return f"[{found[1]}](proofs.html#{path.stem}{anchor.replace('#', '/')})"
    return found[1]


def _card(name: str, summary: str, body: str) -> Any:
    return text(
        f'<details class="card" id="{escape(name)}"><summary>{summary}</summary>\n\n{body}\n\n</details>'
    )


def _linked(name: str) -> str:
    """Return a name with a link to its card."""
    known = name.removeprefix("claim ")
    page = (
        "claims"
        if known in CLAIMS
        else "estimators"
        if known in CATALOG
        else "proofs"
        if "proofs/" in known
        else ""
    )
    page = "sources" if known.partition("/")[0].lower() in sources() else page
    anchor = Path(known).stem if page == "proofs" else known
    return f"[{plain(known)}]({page}.html#{anchor})" if page else f"`{known}`"


def start(project: Project, decided: Mapping[str, Record]) -> Cells:
    """Yield the start: three questions with the map of n and ε, the notebooks, and all that can be looked for."""
    yield text(START)
    for question, explorer, words in QUESTIONS:
        yield text(f"## {question}\n\n{LINK.sub(_link, words)}")
        path = project.figures / explorer
        if explorer and path.is_file():
            yield shown(explore.element(explore.read(path)))
    kinds: dict[str, list[str]] = {}
    for key, entry in CATALOG.items():
        kinds.setdefault(entry.estimand, []).append(f"[{key}](estimators.html#{key})")
    yield text(
        tables.markdown(("estimates", "with"), [[kind, ", ".join(keys)] for kind, keys in kinds.items()])
    )
    stories = [(path.stem, nbformat().read(path, as_version=4).cells[0].source) for path in project.notebooks]
    parts = [(stem, *source.removeprefix("# ").partition("\n\n")[::2]) for stem, source in stories]
    told = (
        f"* **[{title}]({stem}.html)** {LINK.sub(_link, ' '.join(lead.split()))}"
        for stem, title, lead in parts
    )
    yield text("## Notebooks\n\n" + "\n".join(told))
    found = {f"claims.html#{name}": str(one["statement"]) for name, one in decided.items()}
    found |= {f"estimators.html#{key}": f"{key}: {entry.summary}" for key, entry in CATALOG.items()}
    found |= {f"sources.html#{one.id}": f"{one.id}: {one.text}" for one in _statements()}
    items = (f'<li class="entry"><a href="{where}">{escape(said)}</a></li>' for where, said in found.items())
    yield shown(f"<section aria-label='Found'><ul>{''.join(items)}</ul></section>")


def notebook(path: Path, figures: Path, decided: Mapping[str, Record]) -> Cells:
    """Yield a notebook with its committed pictures, its explorers, and its claims in place of outputs."""
    for cell in nbformat().read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            yield text(markdown(cell.source, figures))
            continue
        hidden = cell.metadata.slideshow.slide_type == "skip" or tagged(cell, DRAWS)
        code = nbformat().v4.new_code_cell(cell.source, metadata={"tags": ["folded"] if hidden else []})
        code.metadata["slideshow"] = {"slide_type": "-"}
        for method, name in calls(cell.source):
            form = figures / path.stem / explore.FOLDER / f"{name if method == 'explore' else method}.json"
            if method in ("explore", "solve"):
                yield shown(explore.element(explore.read(form)) if form.is_file() else LIVE)
            elif method == "verdicts":
                rows = (one for one in decided.values() if one[NOTEBOOK] == path.stem)
                yield text(
                    "\n".join(
                        f"* {_verdict(one)} {_linked(one['id'])}: {plain(one['statement'])}" for one in rows
                    )
                )
            elif method == "growths":
                yield text("The table of searched rows: [sample sizes](sizes.html).")
        yield code


def _verdict(one: Record) -> str:
    word = WORDS[str(one["status"])]
    return f'<span class="verdict {word}">{word}</span>'


def claims(project: Project, decided: Mapping[str, Record]) -> Cells:
    """Yield every claim as its sentence, and below it what decided it."""
    yield text("# Claims\n\nEach sentence was run; its verdict, its numbers and its source stand below it.")
    names = [name for name in CLAIMS if name in decided]
    folders = dict.fromkeys(decided[name][NOTEBOOK] for name in names)
    for folder in folders:
        yield text(f"## [{folder}]({folder}.html)")
        for name in (name for name in names if decided[name][NOTEBOOK] == folder):
            yield _claim(name, names, decided[name])


def _claim(name: str, names: Sequence[str], one: Record) -> Any:
    claim, place = CLAIMS[name], names.index(name)
    before = []
    while place and CLAIMS[names[place]].statement.startswith(AS_BEFORE):
        place -= 1
        before.insert(0, f"{_linked(names[place])}: {plain(CLAIMS[names[place]].statement)}")
    rows = [(key, tables.show(one[key])) for key in NUMBERS if one.get(key) not in (None, "")]
    parts = [
        f"*Before it:* {' '.join(before)}" if before else "",
        f"**Why:** {plain(claim.reason)}" if claim.reason else "",
    ]
    parts.append(
        f"*Source:* {', '.join(map(_linked, claim.sources))}. *Run:* `{listing.home(name)}`, profile {one[PROFILE]}."
    )
    parts.append(tables.html(("number", "value"), rows))
    sizes = [[str(size[key]) for key in ("formula", "kind")] + [tables.show(size[key]) for key in
             ("predicted", "estimate", "interval")] for size in complexity.sizes_of(one)]  # fmt: skip
    grown = [growth.summary(found) for found in growth.growths([one])]
    checks = [
        [tables.show(part.get(key)) for key in CHECKS] for part in (one.get("detail") or {}).get("checks", ())
    ]
    for title, header, found in (
        ("Sample sizes", ("formula", "kind", "predicted n", "measured n", "interval"), sizes),
        (
            "How n grows",
            ("statement", "moves", "estimator", "n", "slope", "stated", "rate", "verdict"),
            grown,
        ),
        ("Checks, all of which must hold", CHECKS, checks),
    ):
        parts += (
            [f"<details><summary>{title}</summary>{tables.html(header, found)}</details>"] if found else []
        )
    return _card(
        name,
        f"{_verdict(one)} {escape(str(one['statement']))} <code>{name}</code>",
        "\n\n".join(filter(None, parts)),
    )


def estimators() -> Cells:
    """Yield every estimator with its help."""
    yield text("# Estimators\n\nAll are called alike: `release = Estimator(...)(rows, budget=..., rng=...)`.")
    for key, entry in CATALOG.items():
        pages = [listing.whole(entry), documented(type(entry.estimator))]
        body = "\n\n".join(f"<pre>{re.sub(chr(10) + '+', chr(10), escape(page)) if place == 0 else escape(page)}</pre>"
                           for place, page in enumerate(pages))  # fmt: skip
        from_source = ", ".join(map(_linked, entry.statements)) or "our own"
        yield _card(key, f"<code>{key}</code> {escape(entry.summary)}", f"*Source:* {from_source}\n\n{body}")


def _statements() -> Iterator[Statement]:
    yield from (one for source in sources() for one in statements(source))


def covered() -> Cells:
    """Yield every numbered statement of the sources, with what covers it and where it slips."""
    yield text("# Statements of the sources")
    for one in _statements():
        parts = [
            plain(one.reason),
            f"*Covered by:* {', '.join(map(_linked, one.covered_by))}" if one.covered_by else "",
        ]
        parts += [
            f"*Slip*, {slip.location}: “{plain(slip.says)}” should be “{plain(slip.should_say)}”"
            for slip in one.errata
        ]
        yield _card(one.id, f"<code>{one.id}</code> {escape(one.text)}", "\n\n".join(filter(None, parts)))


def proofs() -> Cells:
    """Yield the proofs, with a place to link to at every section."""
    yield text("# Proofs")
    for path in sorted((files("workbench") / "proofs").iterdir(), key=lambda path: path.name):
        stem, source = path.name.removesuffix(".md"), path.read_text("utf-8")

        def anchored(found: re.Match[str], stem: str = stem) -> str:
            slug = re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", found[2].lower()).strip())
            return f'<a id="{stem}/{slug}"></a>\n\n{found[0]}'

        title, _, body = source.partition("\n")
        body = re.sub(r"^(##+) (.+)$", anchored, LINK.sub(_link, body), flags=re.MULTILINE)
        yield _card(stem, escape(title.lstrip("# ")), body)
