"""What a notebook shows, in its order: read from the calls in its cells, without running any."""

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Story:
    """A notebook's title, and the heading above every figure that it shows, in its order."""

    title: str
    figures: dict[str, str]


def shown(source: str) -> list[str]:
    """Return the names of the figures that a cell shows.

    >>> shown('lab.show(one_mean.rows_against_delta, n=n)')
    ['rows_against_delta']
    """
    return [name for method, name in calls(source) if method == "show" and name.isidentifier()]


def calls(source: str) -> list[tuple[str, str]]:
    """Return what a cell asks the session to show, in its order: the method, and the name of the picture.

    >>> calls("lab.show(chapter.figure, n=2 * n)")
    [('show', 'figure')]
    >>> calls("lab.explore(patients['bmi'], low=10, high=60)")
    [('explore', 'column')]
    """
    try:
        nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    nodes = [
        one
        for one in nodes
        if re.fullmatch(r"lab\.(show|explore|solve|verdicts|growths)", ast.unparse(one.func))
    ]
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    asked = ((ast.unparse(one.func)[4:], one.args[0] if one.args else None) for one in nodes)
    return [(method, _named(method, given)) for method, given in asked]


def _named(method: str, given: ast.expr | None) -> str:
    """Return the name of what is shown; what is explored and is no picture of a chapter is a column."""
    if method == "explore" and not isinstance(given, ast.Attribute):
        return "column"
    return ast.unparse(given).rpartition(".")[2].strip("'\"") if given else ""


def story(notebook: Path) -> Story:
    """Return the story of a notebook; an empty one of what is none."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError):
        return Story("", {})
    title = heading = ""
    figures: dict[str, str] = {}
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            figures |= {name: heading for name in shown(source) if name not in figures}
            continue
        for line in source.splitlines():
            title = line[2:].strip() if line.startswith("# ") and not title else title
            heading = line[3:].strip() if line.startswith("## ") else heading
    return Story(title, figures)
