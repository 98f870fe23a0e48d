"""Notebooks as documents: checked, copied, on slides and as pages, by nbconvert with one template.

A committed notebook is canonical, without outputs, with short cells, literal parameters and a type of slide
for every cell. Its committed results stand in its text: a picture before the cell that makes it, the verdicts
at the top. These cells are written from `figures/NN_name` alone and have the tag `committed`; solutions have
the tag `solution`. Of what is published formulas are MathML, which browsers draw by themselves, and scripts
stand in the page: it needs no network.
"""

import ast
import re
import sys
from argparse import Namespace
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache, partial
from html import escape, unescape
from importlib.resources import files
from pathlib import Path
from typing import Any

from workbench.chapters.parameters import CHAPTERS
from workbench.charts import canonical_json
from workbench.charts.chart import Chart
from workbench.errors import ArgumentError
from workbench.lab import sizes, tables
from workbench.lab.aside import EXECUTED
from workbench.lab.claims import HOLDS, OPEN, SLOWER, Record, collected, home, of_claims, sentence
from workbench.lab.figures import image, kept_chart, verdicts
from workbench.lab.project import (
    REQUIRED,
    Project,
    assignment,
    calls,
    chapter,
    chosen,
    find,
    nbformat,
    shown,
    tagged,
)  # fmt: skip
from workbench.lab.tables import say
from workbench.sources import sources, statements
from workbench.study.parameters import Parameter

Cells = Iterator[Any]


# Formulas, cells and pages

TEMPLATES = Path(__file__).with_name("templates")
FENCED = re.compile(r"^( *)```math\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(<pre>.*?</pre>|<code>.*?</code>|<math.*?</math>)", re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$(?![\s$])(.+?)(?<![\s\\])\$", re.DOTALL)
ANCHOR = re.compile(r'(?<=<h\d) id="[^"]*"|<a class="anchor-link".*?</a>')
NORM = re.compile(r"\\(?:big|Big|bigg|Bigg)[lr]?\\(?:\||[lr]?Vert(?![A-Za-z]))")  # no large norm is read
PRIME = re.compile(r"<msup>(<m[io][^>]*>[^<]*</m[io]>)<mi>&#x02032;</mi></msup>")
# no line ends between a formula and the comma behind it
CLOSED = re.compile(r'(<math[^>]*"inline"(?:(?!</math>).)*</math>)([,.;:?!)]+)', re.DOTALL)
SPECIAL = re.compile(r"([\\`*_\[\]|~$])")


def plain(words: str) -> str:
    r"""Return Markdown that says just these words, on one line; formulas between dollars stay.

    >>> plain("an x_1 [a] *b* in $x_1$")
    'an x\\_1 \\[a\\] \\*b\\* in $x_1$'
    """
    parts = re.split(r"(\$[^$]+\$)", " ".join(words.split()).replace("<", "&lt;"))
    parts[::2] = [SPECIAL.sub(r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def mathml(tex: str, *, display: bool = False) -> str:
    """Return a formula as MathML, or as it stands where it cannot be read."""
    from latex2mathml.converter import convert

    try:
        known = NORM.sub("‖", tex).replace("{aligned}", "{split}")  # alike, but for its name
        made: str = convert(known, display="block" if display else "inline")
    except Exception:  # the library has a class for each fault of a formula, and no common one
        return f'<code class="tex">{escape(tex)}</code>'
    return PRIME.sub(r"<mrow>\1<mo lspace='0' rspace='0'>&#x02032;</mo></mrow>", made)  # raised already


def html(markdown: str) -> str:
    nbformat()
    from nbconvert.filters.markdown import markdown2html

    def formula(found: re.Match[str]) -> str:
        return mathml(unescape(found[1] or found[2]), display=found[1] is not None)

    parts = CODE.split(ANCHOR.sub("", markdown2html(FENCED.sub(r"\1$$\n\2\1$$", markdown))))
    parts[::2] = [FORMULA.sub(formula, part) for part in parts[::2]]
    return CLOSED.sub(r'<span class="unbroken">\1\2</span>', "".join(parts))


def text(source: str, kind: str = "-", **more: Any) -> Any:
    return nbformat().v4.new_markdown_cell(source, metadata={"slideshow": {"slide_type": kind, **more}})


def output(page: str, kind: str = "-", **more: Any) -> Any:
    cell = nbformat().v4.new_code_cell("", metadata={"slideshow": {"slide_type": kind, **more}})
    cell.outputs = [nbformat().v4.new_output("display_data", {"text/html": page})]
    return cell


def explorer(path: Path, **look: Any) -> tuple[str, str]:
    """Return a committed explorer as HTML, and how it is read; nothing where there is none."""
    from workbench.lab.explore import FOLDER, element

    kept = path.parent / FOLDER / f"{path.name}.json"
    form = canonical_json.read(kept) if kept.is_file() else None
    return (element(form, **look), form["chart"]["how"]) if form else ("", "")


def render(cells: list[Any], path: Path, **resources: Any) -> Path:
    """Write cells as a page, or as slides where `slides=True`, and return its path.

    `resources` are what the template reads: title, script, and of a page the menu and its place in it.
    """
    nbformat()
    import nbconvert

    made: Any = nbconvert.HTMLExporter
    exporter = made(template_name="workbench", extra_template_basedirs=[str(TEMPLATES)])
    exporter.register_filter("html", html)
    notebook = nbformat().v4.new_notebook(cells=cells)
    page, _ = exporter.from_notebook_node(notebook, {**resources, "source": source})
    path.parent.mkdir(parents=True, exist_ok=True)
    with canonical_json.replacing(path) as file:
        file.write(page)
    return path


def source(name: str) -> str:
    return (TEMPLATES / "workbench" / name).read_text(encoding="utf-8").replace("</script", "<\\/script")


# What a committed notebook must be

LINES = 12  # of code in one cell
LOOPS = (ast.For, ast.While, ast.AsyncFor)
SLIDES = ("slide", "subslide", "fragment", "skip", "notes", "-")
METADATA: dict[str, dict[str, str]] = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = {"tags", "slideshow", "jupyter"}
SOLUTION, DRAWS = "solution", "remove-input"
MOST = 64  # characters of a cell's id
ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ASKED, ANSWERS = "Predict first", "The answer, as a picture"
WORDS = {"REFUTED": "refuted", OPEN: "undecided", SLOWER: "not contradicted", HOLDS: "holds"}  # in this order
PICTURES = "The pictures are of that run; a button below each recomputes it."
Lines = Iterator[str]


def check(options: Namespace) -> int:
    """Print a line for each finding in notebooks, and mend what can be; return 1 if something is left."""
    files = [Path(name) for name in options.notebook if Path(name).is_file()]
    others = [name for name in options.notebook if not Path(name).is_file()]
    if others or not files:
        files += find(explicit=options.project).select(others)
    lines, left = [], 0
    nbformat()  # without it no file would be a notebook
    for path in files:
        mendable, faults, whole = examine(path)
        if options.fix and mendable:
            with canonical_json.replacing(path) as file:
                file.write(whole)
        lines += [f"{path}: {line}{' (mended)' if options.fix else ''}" for line in mendable]
        lines += [f"{path}: {line}" for line in faults]
        left += len(faults) + (0 if options.fix else len(mendable))
    count = "1 notebook" if len(files) == 1 else f"{len(files)} notebooks"
    say("\n".join(lines) or f"{count}, nothing to mend")
    return 1 if left else 0


def examine(path: Path) -> tuple[list[str], list[str], str]:
    """Return findings that can be mended, those that cannot, in the mended notebook, and its text."""
    figures = path.resolve().parent.parent / "figures" / path.stem
    try:
        written = path.read_bytes().decode()
        notebook = nbformat().v4.reads(written)
        if notebook.get("nbformat") != 4 or not isinstance(notebook.get("cells"), list):
            raise ValueError("no cells in format 4")
        mended = cleaned(notebook)
        if figures.is_dir():
            mended["cells"] = list(_with_results(mended["cells"], figures))
        nbformat().validate(mended)
    except Exception as error:  # whatever a file may hold
        return [], [f"not a notebook: {(str(error) or repr(error)).splitlines()[0]}"], ""
    before, after = ({str(one.get("id")): one for one in two["cells"]} for two in (notebook, mended))
    changed = [name for name in {**after, **before} if before.get(name) != after.get(name)]
    mendable, whole = [f"cell {name} is not as it is committed" for name in changed], canonical(mended)
    if written != whole and not mendable:
        mendable.append("not in canonical form: order, metadata, sorted keys, indent 1, one last newline")
    others = list(_parameters(mended, CHAPTERS.get(chapter(path.stem), {})))
    for index, cell in enumerate(mended.cells):
        others += [f"cell {index}: {fault}" for fault in _faults(cell, figures)]
    return mendable, others, whole


def canonical(notebook: Any) -> str:
    return str(nbformat().v4.writes(notebook)).rstrip("\n") + "\n"


def cleaned(notebook: Any) -> Any:
    """Return a notebook without outputs and other metadata, with an id for each cell."""
    from nbconvert import preprocessors

    library: Any = preprocessors
    made, taken = deepcopy(notebook), set[str]()
    for one in made["cells"]:
        one.setdefault("metadata", {})
    library.ClearOutputPreprocessor().preprocess(made, {})
    library.ClearMetadataPreprocessor(preserve_cell_metadata_mask=CELL_METADATA).preprocess(made, {})
    made["metadata"], made["nbformat_minor"] = nbformat().from_dict(METADATA), 5
    for index, cell in enumerate(made["cells"]):
        name = str(cell.get("id", ""))
        while name in taken or not ID.fullmatch(name):
            name = f"{name[:50]}-{index}" if ID.fullmatch(name) else f"c{index:02d}"
        cell["id"] = name
        taken.add(name)
        for key in [key for key, value in cell["metadata"].items() if not value]:
            del cell["metadata"][key]
        if cell["cell_type"] == "code" and tagged(cell, DRAWS):
            cell["metadata"].setdefault("jupyter", nbformat().from_dict({}))["source_hidden"] = True
    return made


# Committed results


def _with_results(cells: Sequence[Any], figures: Path) -> Iterator[Any]:
    """Yield the cells of a notebook with those that are committed written anew.

    A picture that answers what was just asked is folded.
    """
    asked = False
    for cell in (one for one in cells if not tagged(one)):
        code, name, words = cell["cell_type"] == "code", str(cell["id"]), ""
        if code and tagged(cell, "parameters"):
            profile, decided = verdicts(figures)
            name, words = "verdicts", listed(decided) if profile == "full" else ""
        elif code:
            paths = [figures / f"{one}.json" for one in shown(cell["source"])]
            parts = []
            for chart in (kept_chart(path) for path in paths if path.is_file()):
                how = f"\n\n*How to read it.* {plain(chart.how_to_read)}" if chart.how_to_read else ""
                picture = f"![{plain(chart.alt)}](../figures/{figures.name}/{chart.name}.svg){how}"
                more = f"More: {plain(chart.title)}" if tagged(cell, "appendix") else ANSWERS if asked else ""
                folded = f"<details><summary>{more}</summary>\n\n{picture}\n\n</details>"
                parts.append(folded if more else picture)
            words = "\n\n".join(parts)
        if words:
            result = text(words, "skip")  # slides draw pictures themselves
            result["metadata"]["tags"], result["id"] = ["committed"], f"committed-{name}"[:MOST]
            yield result
        yield cell
        asked = not code and ASKED in cell["source"]


def listed(decided: Sequence[Mapping[str, Any]]) -> str:
    why, items = of_claims((str(one["id"]) for one in decided), "reason"), []

    def ended(words: str) -> str:
        first = words.split()[0]
        named = len(first) == 1 or "/" in first  # a number or an estimator, as it is written: n, mean/prime
        return plain((words[0] if named else words[0].upper()) + words[1:].rstrip(".") + ".")

    for one in sorted(decided, key=lambda one: list(WORDS).index(str(one["status"]))):
        reason = why.get(str(one["id"]), "") if one["status"] != HOLDS else ""
        because = f" *Why:* {ended(reason)}" if reason else ""
        items.append(f"* **{WORDS[one['status']]}**: {ended(one['statement'])}{because} (`{one['id']}`)")
    count = "The claim" if len(items) == 1 else f"All {len(items)} claims"
    folded = f"<details><summary>{count}, and what became of each</summary>"
    return "\n".join([f"**{sentence(decided)}.** {PICTURES}", "", folded, "", *items, "", "</details>"])


# Parameters and cells


def _parameters(notebook: Any, declared: Mapping[str, Parameter]) -> Lines:
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and tagged(cell, "parameters")]
    if len(cells) != 1:
        yield f"{len(cells)} cells tagged 'parameters', expected exactly one"
        return
    try:
        statements = ast.parse(cells[0].source).body
    except SyntaxError:
        return  # reported with its cell
    lines, names = cells[0].source.splitlines(), set[str]()
    for statement in statements:
        pair = assignment(statement)
        comment = "\n".join(lines[statement.lineno - 1 : statement.end_lineno]).partition("  # ")[2]
        if pair is None:
            yield f"parameters: line {statement.lineno} is no assignment of a literal to a name"
            continue
        name, value = pair
        names.add(name)
        if not comment:
            yield f"parameters: line {statement.lineno} has no comment with unit and range"
        elif name in declared:
            if not declared[name].admits(value):
                yield f"parameters: {name} = {value!r}, declared as {declared[name].words}"
            if declared[name].words not in comment:
                yield f"parameters: the comment of {name} does not say {declared[name].words!r}"
    yield from (f"parameters: {name} is missing" for name in (*REQUIRED, *declared) if name not in names)
    undeclared = sorted(names - {*REQUIRED, *declared}) if declared else []
    yield from (f"parameters: {name} is not declared in workbench.chapters.parameters" for name in undeclared)


def _faults(cell: Any, figures: Path) -> Lines:
    if cell.metadata.get("slideshow", {}).get("slide_type") not in SLIDES:
        yield f"has no slide type: {', '.join(SLIDES)}"
    if cell.cell_type != "code":
        return
    try:
        tree = ast.parse(cell.source)
    except SyntaxError as error:
        yield f"does not compile: {error.msg}"
        return
    if any(isinstance(node, LOOPS) for node in ast.walk(tree)):
        yield "has a loop; loops live in the package"
    lines = [line for line in cell.source.splitlines() if line.strip() and not line.strip().startswith("#")]
    if len(lines) > LINES:
        yield f"{len(lines)} lines of code, at most {LINES}"
    for name in shown(cell.source) if any(figures.glob("*.json")) else ():
        if not (figures / f"{name}.json").is_file():
            yield f"shows {name}, which is not in {figures.parent.name}/{figures.name}"


# Copies to hand out

ELSEWHERE = re.compile(r"(?<!!)\[([^\]]*)\]\(\.\./[^)]*\)")
BESIDE = re.compile(r"\]\((\d\d_\w+)\.ipynb")
ANSWER = "**Your answer**"
INSTALL = 'The cells need Python 3.11 or later and `pip install "dp-workbench[lab]"`.'


def copy(options: Namespace) -> int:
    """Write a copy of a notebook for students, or for who teaches from it.

    Its pictures are attached, links to files of the checkout are words, and links between notebooks lead to
    copies of the same edition. A student's has a place for the answer instead of each solution, a teacher's
    has solutions open and the lesson plan after the title.
    """
    if options.student == options.teacher:
        raise ArgumentError("student", options.student, "either --student or --teacher")
    project, notebook, out = chosen(options)
    edition = "student" if options.student else "teacher"
    path = out / f"{notebook.stem}_{edition}.ipynb"
    if path.exists():
        raise ArgumentError("out", str(out), f"a folder without {path.name}, which may hold answers")
    first = [INSTALL]
    if options.teacher:
        lesson = project.root / "notebooks" / "lessons" / f"{notebook.stem}.md"
        if not lesson.is_file():
            raise ArgumentError("notebook", notebook.stem, "a notebook with a plan in notebooks/lessons")
        parts = re.split(r"^(?=## )", lesson.read_text(encoding="utf-8"), flags=re.MULTILINE)
        first += [re.sub(r"^(?=#)", "#", part, flags=re.MULTILINE).rstrip() for part in parts]
    content = nbformat().read(notebook, as_version=4)
    before = [text(words, "skip") for words in first]
    for place, cell in enumerate(before):
        cell["id"] = f"before-{place}"
    content.cells[1:1] = before
    for cell in content.cells:
        if tagged(cell, SOLUTION):
            opened = cell.source.replace("<details>", "<details open>", 1)
            cell.source = ANSWER if options.student else opened
        if cell.cell_type == "markdown":
            attached = partial(_attached, cell, project.figures)
            cell.source = ELSEWHERE.sub(r"\1", PICTURE.sub(attached, cell.source))
            cell.source = BESIDE.sub(rf"](\1_{edition}.ipynb", cell.source)
    out.mkdir(parents=True, exist_ok=True)
    with canonical_json.replacing(path) as file:
        file.write(canonical(content))
    say(str(path))
    return 0


def _attached(cell: Any, figures: Path, found: re.Match[str]) -> str:
    from workbench.charts.drawing import draw, png

    path = (figures / found[2]).with_suffix(".json")
    if not path.is_file():
        raise ArgumentError("notebook", found[2], "a notebook whose figures are committed")
    picture = b64encode(png(draw(kept_chart(path)))).decode()
    cell.setdefault("attachments", {})[f"{path.stem}.png"] = {"image/png": picture}
    return f"![{found[1]}](attachment:{path.stem}.png)"


# Slides: each statement with the figure or explorer that follows it on one slide
#
# What stands on a slide is the author's `text` in the cell's slideshow metadata; without it the whole text
# where it is short, else its first sentences, never half a sentence. Boxes, lists and tables follow whole,
# and the full text goes to the speaker's notes (key S). `skip` is left out, `notes` and `-` are said.

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
RECORD = re.compile(r"Exercises|Verdicts?\b|Summary|After this|Your turn|For the record")


def slides(options: Namespace) -> int:
    """Write NAME.slides.html from what is committed, or from a quick run.

    Return 1 if the run fails, or a figure that the notebook shows is not at hand.
    """
    from workbench.lab.explore import script  # with the runner, slow to load: not for a check
    from workbench.lab.runner import Batch, variants

    project, notebook, out = chosen(options)
    name, folder, read = notebook.stem, project.figures / notebook.stem, notebook
    try:
        if options.fresh:
            folder, read = out / name, out / name / EXECUTED
            (outcome,) = Batch("quick").run(variants(notebook, out))
            if not outcome.good:
                say(f"{name}: {outcome.status}: {outcome.reason}", sys.stderr)
                return 1
        about = options.lecturer, options.date
        made = deck(nbformat().read(read, as_version=4).cells, folder, project.figures, about)
    except ArgumentError as missing:
        say(f"{name}: {missing}", sys.stderr)
        return 1
    path = render(made, out / f"{name}.slides.html", slides=True, title=name, script=script())
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
    asked = [one.rstrip() for one in re.findall(rf"\*\*{ASKED}:\*\*.*?\?", body, re.DOTALL)]
    taken: list[str] = []
    for one in SENTENCE.split(body.split("\n\n")[0].split("$$")[0]):
        if one.startswith(f"**{ASKED}") or (taken and _words(" ".join([*taken, one, *asked])) > SHORT):
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
    asked = calls(cell.source)
    if not (tagged(cell, DRAWS) or asked):
        listing = output("", "fragment", title=heading)
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
            page, how = explorer(figures / folder.name / name, letters=LETTERS)
            if page:
                yield output(page, "fragment", title=heading)
                yield text(how, "notes")


def _figure(chart: Chart, heading: str) -> Cells:
    from workbench.charts import drawing

    for one in drawing.slides(chart):
        picture = image(drawing.svg(one, drawing.SLIDE), chart.alt, "")
        finding = f"<p class=finding>{escape(chart.title)}</p>"
        yield output(finding + picture, "fragment", title=heading)
        yield text(chart.how_to_read or chart.alt, "notes")


def _standing(folder: Path) -> list[str]:
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


# Pages of what is committed: notebooks, estimators with their help, claims, sources, sizes, proofs

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


def pages(options: Namespace) -> int:
    project = find(explicit=options.project)
    first, *others = write(project, (options.out or project.reproduced / "pages").resolve())
    say(f"{first}: with {len(others)} further pages, which need no network")
    return 0


def write(project: Project, out: Path) -> list[Path]:
    """Write the pages of a checkout into a folder of its own, and return them; the first is the start."""
    from workbench.lab.explore import script

    project.keep_apart(out)
    if not project.figures.is_dir():
        raise ArgumentError("project", str(project.root), "a checkout with figures/ in it")
    decided, names = collected(project.figures), [path.stem for path in project.notebooks]
    page = text(markdown(sizes.page(project.figures), project.figures))
    made: dict[str, Iterable[Any]] = {"index": start(project, decided), "sizes": [page]}
    for name in ("estimators", "claims", "sources", "proofs"):
        made[name] = map(text, said(name, decided=decided))
    made |= {path.stem: notebook(path, project.figures, decided) for path in project.notebooks}
    written = list[Path]()
    for name, cells in made.items():
        title, here = f"workbench: {name.replace('_', ' ')}", f"{name}.html"
        live = script() if name in ("index", *names) else ""
        written.append(render(list(cells), out / here, title=title, pages=MENU, here=here, script=live))
    return written


def said(page: str, **facts: Any) -> list[str]:
    from jinja2 import Environment, FileSystemLoader

    from workbench.catalog.entry import documented
    from workbench.lab.estimating import whole

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
        "whole": whole,
    }
    words = jinja.get_template("pages.md.j2").render(page=page, proofs=_proofs(), **_carded(), **facts)
    return re.split(r"^PART$", words, flags=re.MULTILINE)


def _table(records: Iterable[Record], *names: str) -> str:
    names = names or sizes.SUMMARY
    rows = [[tables.show(one.get(name)) for name in names] for one in records]
    return tables.html(names, rows) if rows else ""


@cache
def _proofs() -> dict[str, tuple[str, str]]:
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
    page = next((page for page, names in _carded().items() if known in names), "")
    return f"[{plain(known)}]({page}.html#{known})" if page else f"`{known}`"


@cache
def _carded() -> dict[str, Mapping[str, Any]]:
    """Return what has a card, by its page; it takes all chapters."""
    from workbench.catalog import CATALOG
    from workbench.chapters.registry import CLAIMS

    stated = {one.id: one for found in sources() for one in statements(found)}
    return {"claims": CLAIMS, "estimators": CATALOG, "sources": stated}


def start(project: Project, decided: Decided) -> Cells:
    """Yield the start: three questions, the map of n and ε, the notebooks, and all that can be filtered."""
    leads = {one.stem: nbformat().read(one, as_version=4).cells[0].source for one in project.notebooks}
    (words,) = said("index", notebooks=leads)
    first, *others = re.split(r"^EXPLORER (\S+)$", LINK.sub(_link, words), flags=re.MULTILINE)
    yield text(first)
    for name, after in zip(others[::2], others[1::2], strict=True):
        if page := explorer(project.figures / name)[0]:
            yield output(page)
        yield text(after)
    found = {f"claims.html#{name}": f"{name}: {one['statement']}" for name, one in decided.items()}
    for page, words in (("estimators", "summary"), ("sources", "text")):
        cards = _carded()[page].items()
        found |= {f"{page}.html#{name}": f"{name}: {getattr(one, words)}" for name, one in cards}
    items = (f'<li class="entry"><a href="{at}">{escape(words)}</a></li>' for at, words in found.items())
    yield output(f"<ul>{''.join(items)}</ul>")


def notebook(path: Path, figures: Path, decided: Decided) -> Cells:
    """Yield a notebook with its committed pictures, its explorers, and its claims in place of outputs."""
    for cell in nbformat().read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            yield text(markdown(cell.source, figures))
            continue
        hidden = cell.metadata.slideshow.slide_type == "skip" or tagged(cell, DRAWS)
        metadata = {"tags": ["folded"] if hidden else [], "slideshow": {"slide_type": "-"}}
        for method, name in calls(cell.source):
            if method in ("explore", "solve"):
                yield output(explorer(figures / path.stem / name)[0] or LIVE)
            elif method == "verdicts":
                own = (one for one in decided.values() if one["notebook"] == path.stem)
                lines = (f"* {_verdict(one)} {_linked(one['id'])}: {plain(one['statement'])}" for one in own)
                yield text("\n".join(lines))
            elif method == "growths":
                yield text("The searched rows stand among the [sample sizes](sizes.html).")
        yield nbformat().v4.new_code_cell(cell.source, metadata=metadata)


def _verdict(one: Record) -> str:
    word = WORDS[str(one["status"])]
    return f'<span class="verdict {word}">{word}</span>'
