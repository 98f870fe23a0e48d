"""What a committed notebook must be: canonical, without outputs, short cells, literal parameters."""

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat as _nbformat

nbformat: Any = _nbformat

LINES = 12  # of code in one cell
REQUIRED = ("profile", "seed", "out")
LOOPS = (ast.For, ast.While, ast.AsyncFor)
METADATA = {"kernelspec", "language_info"}
CELL_METADATA = {"tags", "slideshow", "jupyter"}


def check(path: Path) -> list[str]:
    """Return what is wrong with a notebook, one line per fault; nothing for a good one."""
    text = path.read_text(encoding="utf-8")
    try:
        notebook = nbformat.reads(text, as_version=4)
        nbformat.validate(notebook)
    except Exception as error:
        return [f"not a notebook: {str(error).splitlines()[0]}"]
    faults = [*_whole(notebook, text), *_parameters(notebook)]
    for index, cell in enumerate(notebook.cells):
        faults += [f"cell {index}: {fault}" for fault in _cell(cell)]
    return faults


def canonical(notebook: Any) -> str:
    """Return the one text of a notebook."""
    return str(nbformat.writes(notebook)).rstrip("\n") + "\n"


def parameters(path: Path) -> dict[str, object]:
    """Return the notebook's parameters and their default values."""
    cells = _tagged(nbformat.read(path, as_version=4))
    statements = ast.parse(cells[0].source).body if cells else []
    pairs = (_assignment(statement) for statement in statements)
    return dict(pair for pair in pairs if pair is not None)


def _whole(notebook: Any, text: str) -> Iterator[str]:
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        yield "the kernelspec is not python3"
    if extra := set(notebook.metadata) - METADATA:
        yield f"metadata not allowed: {', '.join(sorted(extra))}"
    if text != canonical(notebook):
        yield "not in canonical form (save it with nbformat)"


def _parameters(notebook: Any) -> Iterator[str]:
    cells = _tagged(notebook)
    if len(cells) != 1:
        yield f"{len(cells)} cells tagged 'parameters', expected exactly one"
        return
    try:
        statements = ast.parse(cells[0].source).body
    except SyntaxError:
        return  # reported with its cell
    commented = _commented_lines(cells[0].source)
    for statement in statements:
        if _assignment(statement) is None:
            yield f"parameters: line {statement.lineno} is no assignment of a literal to a name"
        elif not set(range(statement.lineno, (statement.end_lineno or 0) + 1)) & commented:
            yield f"parameters: line {statement.lineno} has no comment with unit and range"
    names = {pair[0] for pair in map(_assignment, statements) if pair}
    yield from (f"parameters: {name} is missing" for name in REQUIRED if name not in names)


def _cell(cell: Any) -> Iterator[str]:
    if extra := set(cell.metadata) - CELL_METADATA:
        yield f"metadata not allowed: {', '.join(sorted(extra))}"
    if cell.cell_type != "code":
        return
    if cell.outputs or cell.execution_count is not None:
        yield "has outputs"
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


def _commented_lines(source: str) -> set[int]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.start[0] for token in tokens if token.type == tokenize.COMMENT}
