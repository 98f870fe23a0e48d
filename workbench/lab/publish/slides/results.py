"""What slides are made of: charts and verdicts, as they are committed or as a run has left them."""

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from workbench.charts import canonical_json
from workbench.charts.chart import Chart
from workbench.charts.film import Film
from workbench.errors import ArgumentError, real
from workbench.lab.live import films
from workbench.lab.pictures.figures import DEEP, richest
from workbench.lab.runner import complexity
from workbench.lab.runner.growth_pictures import picture
from workbench.lab.runner.report import verdicts

ARITHMETIC: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {"max": max, "min": min, "round": round, "int": int}


class Call(NamedTuple):
    """A call of the session in a cell: what it shows."""

    method: str
    names: tuple[str, ...]
    keywords: Mapping[str, object]


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

    def deep(self, name: str) -> Chart:
        """Return a committed chart that takes long to make."""
        return self._chart(self.figures / self.notebook / DEEP / f"{name}.json")

    def _chart(self, path: Path) -> Chart:
        if not path.is_file():
            raise ArgumentError("figure", path.stem, f"a chart in {path.parent}; --run makes a fresh one")
        return Chart.from_json(richest(canonical_json.read(path)["charts"]))

    def film(self, name: str) -> Film:
        """Return a committed film."""
        path = self.figures / self.notebook / films.FOLDER / f"{name}.json"
        if not path.is_file():
            raise ArgumentError("film", name, f"a film in {path.parent}; workbench films makes it")
        return films.read(path)

    def growths(self) -> Chart | None:
        """Return the picture of the chapter's searched sample sizes; none without them."""
        home = self.notebook.partition("_")[2].replace("_", "-")
        found = [one for one in complexity.growing(self.figures) if one.claim.startswith(f"{home}/")]
        return picture(", ".join(dict.fromkeys(one.source for one in found)), found) if found else None

    def verdicts(self) -> tuple[str, Sequence[Mapping[str, Any]]]:
        """Return the profile and its verdicts."""
        return verdicts(self.folder)


def calls(source: str, parameters: Mapping[str, object]) -> list[Call]:
    """Return what a cell asks the session for, in its order.

    >>> calls("lab.show(chapter.figure, n=2 * n)", {"n": 3})
    [Call(method='show', names=('figure',), keywords={'n': 6})]
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _asks(node.func)]
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    return [_call(node, parameters) for node in found]


def _asks(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and ast.unparse(function.value) == "lab"


def _call(node: ast.Call, parameters: Mapping[str, object]) -> Call:
    names = [name for one in node.args if (name := _name(one))]
    keywords = {one.arg: _value(one.value, parameters) for one in node.keywords if one.arg}
    known = {name: value for name, value in keywords.items() if value is not None}
    return Call(node.func.attr, tuple(names), known)  # type: ignore[attr-defined]


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    return str(node.value) if isinstance(node, ast.Constant) else ""


def _value(node: ast.expr, parameters: Mapping[str, object]) -> Any:
    """Return the value of an expression of parameters and numbers; None where anything else is in it."""
    try:
        return _computed(node, parameters)
    except (LookupError, TypeError, ArithmeticError, RecursionError):
        return None


def _computed(node: ast.expr, parameters: Mapping[str, object]) -> Any:
    match node:
        case ast.Constant(value):
            return value
        case ast.Name(name):
            return parameters[name]
        case ast.BinOp(left, kind, right):
            return ARITHMETIC[type(kind)](_number(left, parameters), _number(right, parameters))
        case ast.UnaryOp(ast.USub(), operand):
            return -_number(operand, parameters)
        case ast.Call(ast.Name(name), given, []):
            return FUNCTIONS[name](*(_number(one, parameters) for one in given))
    raise LookupError


def _number(node: ast.expr, parameters: Mapping[str, object]) -> float:
    value = _computed(node, parameters)
    if not real(value):
        raise TypeError
    return value
