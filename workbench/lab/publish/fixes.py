"""What a machine can put right in a committed notebook: every rule finds and mends in one step.

A rule changes the notebook in place and yields one line for each thing it changed, so a finding is mended
by the code that found it, and a notebook without findings is left as it is.
"""

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

MINOR = 5  # of nbformat 4: the first in which cells have ids
METADATA: dict[str, dict[str, str]] = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = ("tags", "slideshow", "jupyter")
DRAWS = "remove-input"  # the tag of a cell whose code only calls for a picture
ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)
BREAK = re.compile(r"(?<=\S)  \n(?=\S)")  # two spaces that break a line of markdown: they mean something
Lines = Iterator[str]


def mend(notebook: Any) -> list[str]:
    """Mend a notebook in place and return what was wrong, one line per finding; nothing for a good one."""
    found = [line for rule in RULES for line in rule(notebook)]
    for index, cell in enumerate(notebook["cells"]):
        found += [f"cell {index}: {line}" for rule in CELL_RULES for line in rule(cell)]
    return found


def _format(notebook: Any) -> Lines:
    if notebook["nbformat_minor"] != MINOR:
        yield f"is in format 4.{notebook['nbformat_minor']}, not 4.{MINOR}"
        notebook["nbformat_minor"] = MINOR


def _own_metadata(notebook: Any) -> Lines:
    for name, wanted in METADATA.items():
        if notebook["metadata"].get(name) != wanted:
            yield f"the {name} is not that of python3"
            notebook["metadata"][name] = dict(wanted)
    yield from _dropped(notebook["metadata"], METADATA)


def _ids(notebook: Any) -> Lines:
    taken: set[str] = set()
    every = {str(cell.get("id")) for cell in notebook["cells"]}
    for index, cell in enumerate(notebook["cells"]):
        found = str(cell.get("id", ""))
        if found in taken or not ID.fullmatch(found):
            yield f"cell {index}: has no id of its own"
            found = next(name for name in _names(index) if name not in every | taken)
            cell["id"] = found
        taken.add(found)


def _names(index: int) -> Lines:
    yield f"c{index:02d}"
    yield from (f"c{index:02d}-{count}" for count in range(2, 10**6))


def _outputs(cell: Any) -> Lines:
    if cell["cell_type"] == "code" and (cell.get("outputs") or cell.get("execution_count") is not None):
        yield "has outputs"
        cell["outputs"], cell["execution_count"] = [], None


def _cell_metadata(cell: Any) -> Lines:
    yield from _dropped(cell["metadata"], CELL_METADATA)
    empty = sorted(name for name, value in cell["metadata"].items() if not value)
    if empty:
        yield f"metadata without content: {', '.join(empty)}"
    for name in empty:
        del cell["metadata"][name]


def _hidden_source(cell: Any) -> Lines:
    """Hide the code of a cell that only draws, which slides leave out, in JupyterLab too."""
    drawing = cell["cell_type"] == "code" and DRAWS in cell["metadata"].get("tags", ())
    if drawing and cell["metadata"].get("jupyter", {}).get("source_hidden") is not True:
        yield "draws, and its source is not hidden"
        cell["metadata"]["jupyter"] = {**cell["metadata"].get("jupyter", {}), "source_hidden": True}


def _dropped(metadata: Any, allowed: Any) -> Lines:
    extra = sorted(set(metadata) - set(allowed))
    if extra:
        yield f"metadata not allowed: {', '.join(extra)}"
    for name in extra:
        del metadata[name]


def _whitespace(cell: Any) -> Lines:
    tidy = _tidy_code(cell["source"]) if cell["cell_type"] == "code" else _tidy_text(cell["source"])
    if tidy != cell["source"]:
        yield "has trailing whitespace"
        cell["source"] = tidy


def _tidy_code(source: str) -> str:
    """Return code without trailing whitespace, or as it is where that would be another program."""
    tidy = TRAILING.sub("", source).rstrip("\n")
    try:
        same = ast.dump(ast.parse(source)) == ast.dump(ast.parse(tidy))
    except SyntaxError:
        return source
    return tidy if same else source


def _tidy_text(source: str) -> str:
    lines = BREAK.sub("\0", source)
    return TRAILING.sub("", lines).rstrip("\n").replace("\0", "  \n")


RULES: tuple[Callable[[Any], Lines], ...] = (_format, _own_metadata, _ids)
CELL_RULES: tuple[Callable[[Any], Lines], ...] = (_outputs, _cell_metadata, _hidden_source, _whitespace)
