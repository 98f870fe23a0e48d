"""Slides of a notebook: each statement with the figure or explorer that follows it on one slide.

What stands on a slide is the author's `text` in the cell's slideshow metadata; without it the whole text
where it is short, else its first sentences, never half a sentence. Boxes, lists and tables follow whole, and
the full text goes to the speaker's notes (key S). `skip` is left out, `notes` and `-` are said.
"""

import re
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from workbench.charts import canonical_json
from workbench.charts.chart import Chart
from workbench.charts.drawing import SLIDE, svg
from workbench.charts.drawing import slides as panels
from workbench.errors import ArgumentError
from workbench.lab import explore, sizes
from workbench.lab.aside import EXECUTED
from workbench.lab.claims import sentence
from workbench.lab.figures import image, kept_chart, verdicts
from workbench.lab.project import calls, chapter, chosen, nbformat
from workbench.lab.publish import html, render, shown, text
from workbench.lab.publish.committed import DRAWS, SOLUTION, tagged
from workbench.lab.runner import Batch, variants
from workbench.lab.tables import say

SHORT, FULL = 45, 102  # words of a text above a figure, and of one that has a slide for itself
LETTERS = 22  # px, of an explorer
ROWS = 10  # of a picture of how n grows
BLOCK = re.compile(
    r"(<details.*?</details>|^```.*?^```|^> .*?(?=\n\n|\Z)|^\|.*?(?=\n\n|\Z)"
    r"|^(?:\d+\.|[*-]) .*?(?=\n\n(?!  )|\Z))",
    re.DOTALL | re.MULTILINE,
)
HEADING = re.compile(r"\A#+ +(.+?)\n*$|\A\*\*([^*\n]+?)\.?\*\*\n\n", re.MULTILINE)
ITEM = re.compile(r"^(?=\d+\. )", re.MULTILINE)
SENTENCE = re.compile(r"(?<=[.?!])(?<![0-9]\.)\s+(?=[A-Z*(\"“0-9$])")
ASKED = "**Predict first:**"
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)]*\)")  # to files that are not beside it
RECORD = re.compile(r"Exercises|Verdicts?\b|Summary|After this|Your turn|For the record")
Cells = Iterator[Any]


def slides(options: Namespace) -> int:
    """Write NAME.slides.html from what is committed, or from a quick run.

    Return 1 if the run fails, or a figure that the notebook shows is not at hand.
    """
    project, notebook, out = chosen(options)
    name, folder, source = notebook.stem, project.figures / notebook.stem, notebook
    try:
        if options.fresh:
            folder, source = out / name, out / name / EXECUTED
            (outcome,) = Batch("quick").run(variants(notebook, out))
            if not outcome.good:
                say(f"{name}: {outcome.status}: {outcome.reason}", sys.stderr)
                return 1
        about = options.lecturer, options.date
        made = deck(nbformat().read(source, as_version=4).cells, folder, project.figures, about)
    except ArgumentError as missing:
        say(f"{name}: {missing}", sys.stderr)
        return 1
    path = render(made, out / f"{name}.slides.html", slides=True, title=name, script=explore.script())
    say(f"{path}: needs no network")
    return 0


def deck(cells: Sequence[Any], folder: Path, figures: Path, about: Sequence[str] = ()) -> list[Any]:
    """Return the cells of the slides: title, outline, statements with figures, and what is for questions."""
    first, *others = [cell for cell in cells if not tagged(cell, "parameters")]
    others = [cell for cell in others if _kind(cell) != "skip" and not tagged(cell, "injected-parameters")]
    titles = [_head(cell.source) for cell in others if cell.cell_type == "markdown"]
    listed = "".join(f"<li>{_inline(html(one))}</li>" for one in titles if one and not RECORD.match(one))
    said = [f"# {_head(first.source)}", _short(first), *_standing(folder), " · ".join(filter(None, about))]
    made = [text("\n\n".join(filter(None, said)), "slide", layout="title"), text(first.source, "notes")]
    made.append(text(f"<ol>{listed}</ol>", "slide", layout="outline", title="Outline"))
    heading, appendix = "", list[Any]()
    for place, cell in enumerate(others):
        if cell.cell_type == "markdown":
            heading = _inline(html(_head(cell.source))) or heading
            solution = next(iter(others[place + 1 : place + 2]), None)
            made += _text(cell, heading, solution)
            continue
        found = list(_code(cell, heading, folder, figures))
        (appendix if tagged(cell, "appendix") else made).extend(found)
    questions = [text("For questions.", "slide", title="More pictures"), *appendix] if appendix else []
    return list(_together([*made, *questions]))


def _together(cells: Sequence[Any]) -> Cells:
    """Yield cells, what is shown on the slide of its statement if that is short, else on one of its own."""
    room = False
    for cell in cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(r"\1", cell.source)
        slide = cell.metadata.slideshow
        if slide.slide_type == "slide":
            statement = slide.get("layout", "statement") == "statement"
            place, room = slide, statement and _words(cell.source) <= SHORT
        elif slide.slide_type == "fragment":
            layout = "code" if cell.source else "figure"
            if room:
                place["layout"] = layout
            else:
                slide.update(slide_type="slide", layout=layout)
            room = False
        yield cell


def _kind(cell: Any) -> str:
    return str(cell.metadata.get("slideshow", {}).get("slide_type", "-"))


def _head(source: str) -> str:
    found = HEADING.match(source.strip())
    return (found[1] or found[2]).strip() if found else ""


def _inline(page: str) -> str:
    return page.strip().removeprefix("<p>").removesuffix("</p>")


def _words(markdown: str) -> int:
    return len(re.findall(r"\S*\w\S*", re.sub(r"\$[^$]*\$", "x", markdown)))


def _short(cell: Any) -> str:
    """Return the author's text, or what stands before the first box or list, or its first sentences.

    What the reader is asked to predict is asked beside the figure that answers.
    """
    given = cell.metadata.get("slideshow", {}).get("text")
    if given:
        return str(given)
    body = HEADING.sub("", BLOCK.split(cell.source.strip())[0], count=1).strip()
    if _words(body) <= SHORT:
        return body
    formula = re.search(r"\$\$.*?\$\$", body, re.DOTALL)
    asked = [ASKED + words.rstrip() for words in re.findall(r"Predict first:\*\*(.*?\?)", body, re.DOTALL)]
    taken: list[str] = []
    for one in SENTENCE.split(body.split("\n\n")[0].split("$$")[0]):
        if one.startswith(ASKED) or (taken and _words(" ".join([*taken, one, *asked])) > SHORT):
            break
        taken.append(one)
    return "\n\n".join([" ".join(taken), *([formula[0]] if formula else []), *asked])


def _text(cell: Any, heading: str, follows: Any) -> Cells:
    """Yield a text as a slide, what it shows whole with it or on further ones, and all of it as notes."""
    if tagged(cell, SOLUTION):
        return
    if _kind(cell) in ("notes", "-"):
        yield text(cell.source, "notes")
        return
    answer = follows.source if follows is not None and tagged(follows, SOLUTION) else ""
    if cell.source.startswith("## Exercises"):
        yield from _exercises(cell.source, answer)
        return
    parts = [_short(cell)]
    for block in filter(None, [*BLOCK.findall(cell.source), answer]):
        if block.startswith("<details") or _words(parts[-1]) + _words(block) <= FULL:
            parts[-1] = f"{parts[-1]}\n\n{block}".strip()
        else:
            parts.append(block)
    for part in parts if parts[0] else parts[1:]:
        yield text(part, "slide", title=heading)
    yield text(cell.source, "notes")


def _exercises(source: str, answer: str) -> Cells:
    asked = ITEM.split(source)[1:]
    told = ITEM.split(answer.partition("</summary>")[2].removesuffix("</details>"))[1:]
    for number, question in enumerate(asked):
        solved = told[number] if len(told) == len(asked) else answer
        folded = f"<details><summary>Solution</summary>\n\n{_item(solved)}\n\n</details>" if solved else ""
        words = f"{_item(question)}\n\n{folded}"
        yield text(words, "slide", title=f"Exercise {number + 1}", layout="exercise")


def _item(source: str) -> str:
    return re.sub(r"^ {2,3}", "", re.sub(r"\A\d+\. ", "", source), flags=re.MULTILINE).strip()


def _code(cell: Any, heading: str, folder: Path, figures: Path) -> Cells:
    """Yield what a cell shows: its code and what it printed, figures, explorers, verdicts."""
    asked = calls(cell.source)
    if not (tagged(cell, DRAWS) or asked):
        listing = shown("", "fragment", title=heading)
        listing.source = cell.source
        listing.outputs = [one for one in cell.outputs if "widget" not in "".join(one.get("data", ()))]
        yield listing
    for method, name in asked:
        if method == "show":
            path = folder / f"{name}.json"
            if not path.is_file():
                raise ArgumentError("figure", name, f"a chart in {folder}; --run makes a fresh one")
            yield from _figure(kept_chart(path), heading)
        elif method == "growths":
            for chart in sizes.pictures(sizes.growing(figures, chapter(folder.name)), ROWS):
                yield from _figure(chart, heading)
        elif method == "verdicts":
            yield from _verdicts(folder, heading)
        else:
            path = figures / folder.name / explore.FOLDER / f"{name}.json"
            if path.is_file():
                form = canonical_json.read(path)
                yield shown(explore.element(form, letters=LETTERS), "fragment", title=heading)
                yield text(form["chart"]["how"], "notes")


def _figure(chart: Chart, heading: str) -> Cells:
    for one in panels(chart):
        page = f"<p class=finding>{escape(chart.title)}</p>{image(svg(one, SLIDE), chart.alt, '')}"
        yield shown(page, "fragment", title=heading)
        yield text(chart.how_to_read or chart.alt, "notes")


def _standing(folder: Path) -> list[str]:
    """Return how many claims hold, in words; nothing where none was decided."""
    profile, decided = verdicts(folder)
    return [sentence(decided, f"the {profile} run") + "."] if decided else []


def _verdicts(folder: Path, heading: str) -> Cells:
    _, decided = verdicts(folder)
    statuses = sorted(str(one["status"]).lower() for one in decided)
    squares = "".join(f'<i class="{status}"></i>' for status in statuses)
    words = "\n\n".join([*_standing(folder), f'<div class="squares" aria-hidden="true">{squares}</div>'])
    yield text(words, "fragment", title=heading)
    yield text(
        "\n".join(f"* {one['status'].lower()}: {one['statement']} ({one['id']})" for one in decided), "notes"
    )
