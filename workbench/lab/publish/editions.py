"""A notebook as a file to hand out: plain, without solutions, or with them open and the lesson plan in front.

A copy stands alone: its pictures are attached, and links to files of the checkout are words. Links between
notebooks lead to copies of the same edition.
"""

import ast
import base64
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from workbench.charts import canonical_json
from workbench.charts.chart import Chart
from workbench.charts.drawing import draw, png
from workbench.errors import ArgumentError
from workbench.lab.figures import richest
from workbench.lab.project import Project
from workbench.lab.publish.check import canonical
from workbench.lab.schemas import nbformat

ANSWERS = ("Solutions", "What is wrong with each of them")  # folded texts that a student writes
FOLDED = re.compile(rf"<details>(<summary>(?:{'|'.join(ANSWERS)})</summary>.*?</details>)", re.DOTALL)
ITEM = re.compile(r"^(?=\d+\. )", re.MULTILINE)
CODE = re.compile(r"\d+\. \*+Code\b")
CALL = re.compile(r"`(\w+)\(([\w, ]*)\)`")
TRY = re.compile(r"`(print\([^`]*\))`")
PICTURE = re.compile(r"\]\(\.\./figures/([^)]+)\.svg\)")
ELSEWHERE = re.compile(r"(?<!!)\[([^\]]*)\]\(\.\./[^)]*\)")
BESIDE = re.compile(r"\]\((\d\d_\w+)\.ipynb")
ANSWER = "**Your answer**"
Cells = Iterator[Any]


def write(project: Project, notebook: Path, out: Path, edition: str = "") -> Path:
    """Write an edition of a notebook ("", "student" or "teacher") into a folder, and return its path."""
    path = out / f"{notebook.stem}{'_' if edition else ''}{edition}.ipynb"
    if path.exists():
        raise ArgumentError("out", str(out), f"a folder without {path.name}, which may hold answers")
    content = nbformat().read(notebook, as_version=4)
    if edition == "student":
        content.cells = list(_student(content.cells))
    elif edition == "teacher":
        content.cells = list(_teacher(content.cells, _lesson(project, notebook)))
    for cell in content.cells:
        if cell.cell_type == "markdown":
            _carry(cell, project.figures, f"_{edition}" if edition else "")
    out.mkdir(parents=True, exist_ok=True)
    with canonical_json.replacing(path) as file:
        file.write(canonical(content))
    return path


def _student(cells: list[Any]) -> Cells:
    """Yield the cells without what is folded as an answer, and with a cell for each answer."""
    for place, cell in enumerate(cells):
        if cell.cell_type != "markdown" or not FOLDED.search(cell.source):
            yield cell
            continue
        asked = FOLDED.sub("", cell.source).rstrip()
        head, *items = ITEM.split(asked) if asked.startswith("## Exercises") else [asked]
        yield nbformat().from_dict({**cell, "source": head.rstrip()})
        if not items:
            yield _text(f"{cell.id}-answer", ANSWER)
        given = {name: one for one in cells if one.cell_type == "code" for name in _functions(one.source)}
        follows = any(
            one.cell_type == "code" and _functions(one.source) for one in cells[place + 1 : place + 2]
        )
        for number, item in enumerate(items, 1):
            yield _text(f"{cell.id}-{number}", item.rstrip())
            if not CODE.match(item):
                yield _text(f"{cell.id}-{number}-answer", ANSWER)
            elif not (follows and number == len(items)):  # else the notebook's own cell is next
                yield _code(f"{cell.id}-{number}-answer", _start(item, number, given))


def _start(item: str, number: int, given: dict[str, Any]) -> str:
    """Return the code that an answer begins with: the notebook's own function, or one to be written."""
    names = [name for name in re.findall(r"`(\w+)`", item) if name in given]
    if names:
        return str(given[names[0]].source)
    call = CALL.search(item)
    if call is None:
        raise ArgumentError("notebook", f"exercise {number}", "a function that the exercise names")
    name, arguments = call.groups()
    lines = [f"def {name}({arguments}):", f'    """Your answer to exercise {number}."""']
    lines.append(f'    raise NotImplementedError("exercise {number}")')
    tries = [f"# {one}" for one in TRY.findall(item)]
    return "\n".join([*lines, *(["", "", *tries] if tries else [])])


def _functions(source: str) -> list[str]:
    return [one.name for one in ast.parse(source).body if isinstance(one, ast.FunctionDef)]


def _teacher(cells: list[Any], lesson: str) -> Cells:
    """Yield the cells with the answers open, and the lesson after the title."""
    title, *others = cells
    yield title
    for number, part in enumerate(re.split(r"^(?=## )", lesson, flags=re.MULTILINE)):
        yield _text(f"lesson-{number}", re.sub(r"^(?=#)", "#", part, flags=re.MULTILINE).rstrip())
    for cell in others:
        if cell.cell_type == "markdown":
            cell.source = FOLDED.sub(r"<details open>\1", cell.source)
        yield cell


def _lesson(project: Project, notebook: Path) -> str:
    path = project.root / "notebooks" / "lessons" / f"{notebook.stem}.md"
    if not path.is_file():
        raise ArgumentError("notebook", notebook.stem, "a notebook with a plan in notebooks/lessons")
    return path.read_text(encoding="utf-8")


def _carry(cell: Any, figures: Path, suffix: str) -> None:
    """Attach the pictures of a cell, and turn its links."""
    names = list(dict.fromkeys(PICTURE.findall(cell.source)))
    if names:
        cell["attachments"] = {_attached(name): {"image/png": _drawn(figures, name)} for name in names}
    turn: Callable[[re.Match[str]], str] = lambda found: f"](attachment:{_attached(found[1])})"  # noqa: E731
    cell.source = PICTURE.sub(turn, cell.source)
    cell.source = ELSEWHERE.sub(r"\1", cell.source)
    cell.source = BESIDE.sub(rf"](\1{suffix}.ipynb", cell.source)


def _attached(name: str) -> str:
    return f"{name.partition('/')[2].replace('/', '-')}.png"


def _drawn(figures: Path, name: str) -> str:
    """Return a committed picture, drawn as PNG from its numbers, in the letters of base 64."""
    path = figures / f"{name}.json"
    if not path.is_file():
        raise ArgumentError("notebook", name, "a notebook whose figures are committed")
    chart = Chart.from_json(richest(canonical_json.read(path)["charts"]))
    return base64.b64encode(png(draw(chart))).decode()


def _text(name: str, source: str) -> Any:
    cell = nbformat().v4.new_markdown_cell(source, metadata={"slideshow": {"slide_type": "skip"}})
    cell["id"] = name
    return cell


def _code(name: str, source: str) -> Any:
    cell = nbformat().v4.new_code_cell(source, metadata={"slideshow": {"slide_type": "skip"}})
    cell["id"] = name
    return cell
