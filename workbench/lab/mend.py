"""What can be mended of a committed notebook without a decision: outputs, counts, metadata, form."""

import re
from pathlib import Path
from typing import Any

import nbformat as _nbformat

from workbench.lab.check import CELL_METADATA, METADATA, canonical, check

nbformat: Any = _nbformat

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
SLIDE = {"slideshow": {"slide_type": "slide"}}


def mend(path: Path) -> list[str]:
    """Mend a notebook in place and return what is still wrong; one that is good keeps its bytes."""
    if check(path):
        text = path.read_text(encoding="utf-8")
        try:
            mended = canonical(_mended(nbformat.reads(text, as_version=4)))
        except Exception:
            return check(path)
        if mended != text:
            path.write_text(mended, encoding="utf-8")
    return check(path)


def _mended(notebook: Any) -> Any:
    notebook.metadata = {name: value for name, value in notebook.metadata.items() if name in METADATA}
    notebook.metadata["kernelspec"] = KERNEL
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        _mend_cell(cell)
    return notebook


def _mend_cell(cell: Any) -> None:
    cell.metadata = {name: value for name, value in cell.metadata.items() if name in CELL_METADATA} or SLIDE
    lines = [re.sub(r"\s+$", "", line) for line in cell.source.strip("\n").split("\n")]
    cell.source = "\n".join(lines)
    if cell.cell_type == "code":
        cell.outputs, cell.execution_count = [], None
