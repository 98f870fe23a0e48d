"""Copies of a notebook to hand out: without solutions for students, with a plan to teach from."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.charts import canonical_json
from workbench.charts.drawing import draw, png
from workbench.errors import ArgumentError
from workbench.lab.figures import kept_chart
from workbench.lab.project import Project, nbformat
from workbench.lab.publish import text
from workbench.lab.publish.committed import SOLUTION, canonical, tagged

PICTURE = re.compile(r"\]\(\.\./figures/([^)]+)\.svg\)")
ELSEWHERE = re.compile(r"(?<!!)\[([^\]]*)\]\(\.\./[^)]*\)")
BESIDE = re.compile(r"\]\((\d\d_\w+)\.ipynb")
ANSWER = "**Your answer**"
INSTALL = 'The cells need Python 3.11 or later and `pip install "dp-workbench[lab]"`.'


def copy(project: Project, notebook: Path, out: Path, edition: str) -> Path:
    """Write a copy for a "student" or a "teacher", and return its path.

    Its pictures are attached, links to files of the checkout are words, and links between notebooks lead to
    copies of the same edition. A student's has a place for the answer instead of each solution, a teacher's
    has solutions open and the lesson plan after the title.
    """
    path = out / f"{notebook.stem}_{edition}.ipynb"
    if path.exists():
        raise ArgumentError("out", str(out), f"a folder without {path.name}, which may hold answers")
    content = nbformat().read(notebook, as_version=4)
    for cell in content.cells:
        if tagged(cell, SOLUTION):
            opened = cell.source.replace("<details>", "<details open>", 1)
            cell.source = ANSWER if edition == "student" else opened
    plan = _plan(project, notebook) if edition == "teacher" else []
    first = [INSTALL, *plan]
    content.cells[1:1] = [
        nbformat().from_dict({**text(words, "skip"), "id": f"before-{place}"})
        for place, words in enumerate(first)
    ]
    for cell in content.cells:
        if cell.cell_type == "markdown":
            _alone(cell, project.figures, edition)
    out.mkdir(parents=True, exist_ok=True)
    with canonical_json.replacing(path) as file:
        file.write(canonical(content))
    return path


def _plan(project: Project, notebook: Path) -> Iterator[str]:
    path = project.root / "notebooks" / "lessons" / f"{notebook.stem}.md"
    if not path.is_file():
        raise ArgumentError("notebook", notebook.stem, "a notebook with a plan in notebooks/lessons")
    for part in re.split(r"^(?=## )", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
        yield re.sub(r"^(?=#)", "#", part, flags=re.MULTILINE).rstrip()


def _alone(cell: Any, figures: Path, edition: str) -> None:
    def attached(found: re.Match[str]) -> str:
        path = figures / f"{found[1]}.json"
        if not path.is_file():
            raise ArgumentError("notebook", found[1], "a notebook whose figures are committed")
        picture = base64.b64encode(png(draw(kept_chart(path)))).decode()
        cell.setdefault("attachments", {})[f"{path.stem}.png"] = {"image/png": picture}
        return f"](attachment:{path.stem}.png)"

    cell.source = ELSEWHERE.sub(r"\1", PICTURE.sub(attached, cell.source))
    cell.source = BESIDE.sub(rf"](\1_{edition}.ipynb", cell.source)
