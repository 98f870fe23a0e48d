"""What slides are made of: charts and verdicts, as they are committed or as a run has left them."""

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from workbench.charts import canonical_json
from workbench.charts.chart import Chart
from workbench.errors import ArgumentError
from workbench.lab import explore
from workbench.lab.figures import richest
from workbench.lab.runner import complexity
from workbench.lab.runner.growth_pictures import picture
from workbench.lab.runner.report import verdicts


class Call(NamedTuple):
    """A call of the session in a cell: what it shows."""

    method: str
    names: tuple[str, ...]


class Results:
    """A notebook's results.

    Parameters
    ----------
    folder
        Where its charts and verdicts are: `figures/NN_name`, or where a run has written them.
    figures
        All that is committed: of what takes long, and of sample sizes.
    """

    def __init__(self, folder: Path, figures: Path) -> None:
        self.folder, self.figures, self.notebook = folder, figures, folder.name

    def chart(self, name: str) -> Chart:
        """Return a chart of the richest profile.

        Raises
        ------
        ArgumentError
            If it is not there.
        """
        return self._chart(self.folder / f"{name}.json")

    def _chart(self, path: Path) -> Chart:
        if not path.is_file():
            raise ArgumentError("figure", path.stem, f"a chart in {path.parent}; --run makes a fresh one")
        return Chart.from_json(richest(canonical_json.read(path)["charts"]))

    def explorer(self, name: str) -> dict[str, Any] | None:
        """Return a committed explorer; None for one that needs a kernel."""
        path = self.figures / self.notebook / explore.FOLDER / f"{name}.json"
        return explore.read(path) if path.is_file() else None

    def growths(self) -> Chart | None:
        """Return the picture of the chapter's searched sample sizes; none without them."""
        home = self.notebook.partition("_")[2].replace("_", "-")
        found = [one for one in complexity.growing(self.figures) if one.claim.startswith(f"{home}/")]
        return picture(", ".join(dict.fromkeys(one.source for one in found)), found) if found else None

    def verdicts(self) -> tuple[str, Sequence[Mapping[str, Any]]]:
        """Return the profile and its verdicts."""
        return verdicts(self.folder)


def calls(source: str) -> list[Call]:
    """Return what a cell asks the session for, in its order.

    >>> calls("lab.show(chapter.figure, n=2 * n)")
    [Call(method='show', names=('figure',))]
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _asks(node.func)]
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    return [Call(node.func.attr, tuple(filter(None, map(_name, node.args)))) for node in found]  # type: ignore[attr-defined]


def _asks(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and ast.unparse(function.value) == "lab"


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    return str(node.value) if isinstance(node, ast.Constant) else ""
