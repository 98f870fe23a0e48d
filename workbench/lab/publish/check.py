"""What a committed notebook must be: canonical, without outputs, short cells, literal parameters, slides.

Its committed figures and verdicts stand in its text (`committed_cells`).
"""

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.chapters.parameters import CHAPTERS
from workbench.charts import canonical_json
from workbench.lab.live.parameters import chapter
from workbench.lab.publish import committed_cells
from workbench.lab.publish.fixes import mend as mended
from workbench.lab.schemas import nbformat
from workbench.study.parameters import Parameter

LINES = 12  # of code in one cell
REQUIRED = ("profile", "seed", "out")
LOOPS = (ast.For, ast.While, ast.AsyncFor)
SLIDES = ("slide", "subslide", "fragment", "skip", "notes", "-")


@dataclass(frozen=True)
class Examined:
    """A notebook's findings, one line each: those that can be mended, the others; and its mended text."""

    mendable: list[str]
    others: list[str]
    text: str = ""


def check(path: Path) -> list[str]:
    """Return the faults of a notebook, one line each; none for a good one."""
    found = examine(path)
    return [*found.mendable, *found.others]


def fix(path: Path) -> Examined:
    """Write a notebook back with all mended that can be, and return what it was like before.

    A notebook in which nothing can be mended is not written.
    """
    found = examine(path)
    if found.mendable:
        with canonical_json.replacing(path) as file:
            file.write(found.text)
    return found


def examined(files: Sequence[Path], *, mend: bool) -> tuple[str, bool]:
    """Return one line per finding in these notebooks, and whether none is left."""
    lines, left = [], 0
    for path in files:
        found = fix(path) if mend else examine(path)
        lines += [f"{path}: {line}{' (mended)' if mend else ''}" for line in found.mendable]
        lines += [f"{path}: {line}" for line in found.others]
        left += len(found.others) + (0 if mend else len(found.mendable))
    count = "1 notebook" if len(files) == 1 else f"{len(files)} notebooks"
    return "\n".join(lines) or f"{count}, nothing to mend", not left


def examine(path: Path) -> Examined:
    """Return the findings; those that cannot be mended are looked for in the mended notebook."""
    figures = committed_cells.folder(path)
    try:
        text = path.read_bytes().decode()
        notebook = _read(text)
        form = text == canonical(notebook)
        mendable = mended(notebook) + list(committed_cells.mend(notebook, figures))
        nbformat().validate(notebook)
    except Exception as error:  # whatever a file may hold
        return Examined([], [f"not a notebook: {(str(error) or repr(error)).splitlines()[0]}"])
    if not form:
        mendable.insert(0, "not in canonical form: sorted keys, indent 1, one newline at the end")
    others = list(_parameters(notebook, CHAPTERS.get(chapter(path.stem), {})))
    others += committed_cells.missing(notebook, figures)
    for index, cell in enumerate(notebook.cells):
        others += [f"cell {index}: {fault}" for fault in _cell(cell)]
    return Examined(mendable, others, canonical(notebook))


def _read(text: str) -> Any:
    notebook = nbformat().v4.reads(text)
    if notebook.get("nbformat") != 4 or not isinstance(notebook.get("cells"), list):
        raise ValueError("no cells in format 4")
    return notebook


def canonical(notebook: Any) -> str:
    """Return the one text of a notebook."""
    return str(nbformat().v4.writes(notebook)).rstrip("\n") + "\n"


def parameters(path: Path) -> dict[str, object]:
    """Return the notebook's parameters and their default values."""
    cells = _tagged(nbformat().read(path, as_version=4))
    statements = ast.parse(cells[0].source).body if cells else []
    pairs = (_assignment(statement) for statement in statements)
    return dict(pair for pair in pairs if pair is not None)


def _parameters(notebook: Any, declared: Mapping[str, Parameter]) -> Iterator[str]:
    cells = _tagged(notebook)
    if len(cells) != 1:
        yield f"{len(cells)} cells tagged 'parameters', expected exactly one"
        return
    try:
        statements = ast.parse(cells[0].source).body
    except SyntaxError:
        return  # reported with its cell
    comments = _comments(cells[0].source)
    for statement in statements:
        pair, lines = _assignment(statement), range(statement.lineno, (statement.end_lineno or 0) + 1)
        comment = " ".join(comments[line] for line in lines if line in comments)
        if pair is None:
            yield f"parameters: line {statement.lineno} is no assignment of a literal to a name"
        elif not comment:
            yield f"parameters: line {statement.lineno} has no comment with unit and range"
        elif pair[0] in declared:
            yield from _as_declared(*pair, comment, declared[pair[0]])
    names = {pair[0] for pair in map(_assignment, statements) if pair}
    yield from (f"parameters: {name} is missing" for name in (*REQUIRED, *declared) if name not in names)
    undeclared = sorted(names - {*REQUIRED, *declared}) if declared else []
    yield from (f"parameters: {name} is not declared in workbench.chapters.parameters" for name in undeclared)


def _as_declared(name: str, value: object, comment: str, allowed: Parameter) -> Iterator[str]:
    if not allowed.admits(value):
        yield f"parameters: {name} = {value!r}, declared as {allowed.words}"
    if allowed.words not in comment:
        yield f"parameters: the comment of {name} does not say {allowed.words!r}"


def _cell(cell: Any) -> Iterator[str]:
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


def _tagged(notebook: Any) -> list[Any]:
    return [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and "parameters" in cell.metadata.get("tags", [])
    ]


def _assignment(statement: ast.stmt) -> tuple[str, object] | None:
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
        return None
    target = statement.targets[0]
    try:
        return (target.id, ast.literal_eval(statement.value)) if isinstance(target, ast.Name) else None
    except ValueError:
        return None


def _comments(source: str) -> dict[int, str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}
