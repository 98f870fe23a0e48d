"""What a notebook shows, in its order: read from the calls in its cells, without running any."""

import ast
import json
from collections.abc import Iterator
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
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    calls.sort(key=lambda call: (call.lineno, call.col_offset))
    return [name for call in calls for name in _named(call, ast.unparse(call.func))]


def _named(call: ast.Call, called: str) -> Iterator[str]:
    figure = call.args[0] if call.args and called == "lab.show" else None
    if isinstance(figure, ast.Attribute | ast.Name):
        yield figure.attr if isinstance(figure, ast.Attribute) else figure.id


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
