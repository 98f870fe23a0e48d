"""What a committed notebook must be, and copies of it to hand out.

Canonical, without outputs, short cells, literal parameters, a type of slide for every cell. Its committed
results stand in its text: a picture before the cell that makes it, the verdicts at the top. These cells are
written from `figures/NN_name` alone and have the tag `committed`; solutions have the tag `solution`.
"""

import ast
import re
from argparse import Namespace
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

from workbench.chapters.parameters import CHAPTERS
from workbench.charts import canonical_json
from workbench.errors import ArgumentError
from workbench.lab.claims import HOLDS, OPEN, SLOWER, of_claims, sentence
from workbench.lab.figures import kept_chart, verdicts
from workbench.lab.project import chapter, chosen, find, nbformat, shown
from workbench.lab.publish import plain, text
from workbench.lab.tables import say
from workbench.study.parameters import Parameter

LINES = 12  # of code in one cell
REQUIRED = ("profile", "seed", "out", "recompute")
LOOPS = (ast.For, ast.While, ast.AsyncFor)
SLIDES = ("slide", "subslide", "fragment", "skip", "notes", "-")
METADATA: dict[str, dict[str, str]] = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = {"tags", "slideshow", "jupyter"}
COMMITTED, SOLUTION, DRAWS = "committed", "solution", "remove-input"
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
    for path in files:
        mendable, faults, text = examine(path)
        if options.fix and mendable:
            with canonical_json.replacing(path) as file:
                file.write(text)
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
    mendable, text = [f"cell {name} is not as it is committed" for name in changed], canonical(mended)
    if written != text and not mendable:
        mendable.append("not in canonical form: order, metadata, sorted keys, indent 1, one last newline")
    others = list(_parameters(mended, CHAPTERS.get(chapter(path.stem), {})))
    for index, cell in enumerate(mended.cells):
        others += [f"cell {index}: {fault}" for fault in _faults(cell, figures)]
    return mendable, others, text


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


def tagged(cell: Any, tag: str = COMMITTED) -> bool:
    return tag in cell["metadata"].get("tags", ())


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
            result["metadata"]["tags"], result["id"] = [COMMITTED], f"{COMMITTED}-{name}"[:MOST]
            yield result
        yield cell
        asked = not code and ASKED in cell["source"]


def listed(decided: Sequence[Mapping[str, Any]]) -> str:
    why, items = of_claims((str(one["id"]) for one in decided), "reason"), []

    def ended(words: str) -> str:
        return plain(words[:1].upper() + words[1:].rstrip(".") + ".")

    for one in sorted(decided, key=lambda one: list(WORDS).index(str(one["status"]))):
        reason = why.get(str(one["id"]), "") if one["status"] != HOLDS else ""
        because = f" *Why:* {ended(reason)}" if reason else ""
        items.append(f"* **{WORDS[one['status']]}**: {ended(one['statement'])}{because} (`{one['id']}`)")
    count = "The claim" if len(items) == 1 else f"All {len(items)} claims"
    folded = f"<details><summary>{count}, and what became of each</summary>"
    return "\n".join([f"**{sentence(decided)}.** {PICTURES}", "", folded, "", *items, "", "</details>"])


# Parameters and cells


def parameters(path: Path) -> dict[str, object]:
    cells = nbformat().read(path, as_version=4).cells
    source = next((cell.source for cell in cells if tagged(cell, "parameters")), "")
    return dict(filter(None, map(_assignment, ast.parse(source).body)))


def _assignment(statement: ast.stmt) -> tuple[str, object] | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            with suppress(ValueError):
                return name, ast.literal_eval(value)
    return None


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
        pair = _assignment(statement)
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

PICTURE = re.compile(r"\]\(\.\./figures/([^)]+)\.svg\)")
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

    path = figures / f"{found[1]}.json"
    if not path.is_file():
        raise ArgumentError("notebook", found[1], "a notebook whose figures are committed")
    picture = b64encode(png(draw(kept_chart(path)))).decode()
    cell.setdefault("attachments", {})[f"{path.stem}.png"] = {"image/png": picture}
    return f"](attachment:{path.stem}.png)"
