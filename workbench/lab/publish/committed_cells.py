"""Committed results in a notebook's text: a picture before the cell that makes it, the verdicts at the top.

These cells are written from `figures/NN_name` alone and carry the tag `committed`, so that a notebook shows
its results when it is opened. What a cell shows is read from its call, `lab.show(chapter.figure, ...)`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workbench.charts import canonical_json
from workbench.lab.figures import richest
from workbench.lab.publish.verdict_list import listed
from workbench.lab.publish.words import plain
from workbench.lab.runner.report import verdicts
from workbench.lab.runner.story import shown
from workbench.lab.schemas import nbformat

TAG, APPENDIX, PARAMETERS = "committed", "appendix", "parameters"
SLIDE = {"slide_type": "skip"}  # slides draw the pictures themselves
MOST = 64  # characters of a cell's id
Lines = Iterator[str]


def tagged(cell: Any, tag: str = TAG) -> bool:
    """Return whether a cell has a tag."""
    return tag in cell["metadata"].get("tags", ())


def folder(path: Path) -> Path | None:
    """Return the committed figures of a notebook, if it lies beside them."""
    found = path.resolve().parent.parent / "figures" / path.stem
    return found if found.is_dir() else None


def mend(notebook: Any, figures: Path | None) -> Lines:
    """Write the committed cells of a notebook anew, and yield a line for each that was not as it is now.

    A notebook that does not lie beside its figures keeps the cells that it has.
    """
    if figures is None:
        return
    had = {cell["id"]: cell for cell in notebook["cells"] if tagged(cell)}
    cells = [one for cell in notebook["cells"] if not tagged(cell) for one in (*_before(cell, figures), cell)]
    wanted = {cell["id"]: cell for cell in cells if tagged(cell)}
    for name, cell in wanted.items():
        if name not in had:
            yield f"{name}: the committed result is missing"
        elif had[name] != cell:
            yield f"{name}: not what is committed in {figures.parent.name}/{figures.name}"
    yield from (f"{name}: shows nothing that a cell makes" for name in had if name not in wanted)
    places = [[cell["id"] for cell in some] for some in (cells, notebook["cells"])]
    if had.keys() == wanted.keys() and places[0] != places[1]:
        yield "committed results do not stand before the cells that make them"
    notebook["cells"] = cells


def missing(notebook: Any, figures: Path | None) -> Lines:
    """Yield a line for each figure that a cell shows and that is not committed."""
    if figures is None or not any(figures.glob("*.json")):
        return
    for index, cell in enumerate(notebook["cells"]):
        for name in shown(cell["source"]) if cell["cell_type"] == "code" else ():
            if not (figures / f"{name}.json").is_file():
                yield f"cell {index}: shows {name}, which is not in {figures.parent.name}/{figures.name}"


def _before(cell: Any, figures: Path) -> Iterator[Any]:
    """Yield what stands before a cell."""
    if cell["cell_type"] != "code":
        return
    if tagged(cell, PARAMETERS):
        profile, decided = verdicts(figures)
        if profile == "full":
            yield _cell("verdicts", listed(decided))
        return
    contents = {name: figures / f"{name}.json" for name in shown(cell["source"])}
    parts = [
        _picture(canonical_json.read(path), f"../figures/{figures.name}/{name}.svg", tagged(cell, APPENDIX))
        for name, path in contents.items()
        if path.is_file()
    ]
    if parts:
        yield _cell(str(cell["id"]), "\n\n".join(parts))


def _cell(name: str, source: str) -> Any:
    cell = nbformat().v4.new_markdown_cell(source, metadata={"tags": [TAG], "slideshow": dict(SLIDE)})
    cell["id"] = f"{TAG}-{name}"[:MOST]
    return cell


def _picture(content: Mapping[str, Any], source: str, folded: bool) -> str:
    """Return a picture with how to read it, in markdown; folded, its title stands in its place."""
    chart = richest(content["charts"])
    alt = plain(chart["alt"])
    how = f"\n\n*How to read it.* {plain(chart['how_to_read'])}" if chart["how_to_read"] else ""
    picture = f"![{alt}]({source}){how}"
    if not folded:
        return picture
    return f"<details><summary>More: {plain(chart['title'])}</summary>\n\n{picture}\n\n</details>"
