"""The parameters of a notebook as it runs: refused early and by name, also those that papermill gave."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workbench.chapters.parameters import CHAPTERS
from workbench.errors import ArgumentError, one_of_words, real
from workbench.study.parameters import typed

MARK = "# Parameters\n"  # what papermill writes above those that it was given


def chapter(stem: str) -> str:
    """Return the chapter of a notebook's name.

    >>> chapter("02_one_mean")
    'one_mean'
    """
    return stem.partition("_")[2]


def require(name: str, parameters: Mapping[str, object]) -> None:
    """Raise unless every parameter of a chapter is allowed; a chapter that declares none allows anything."""
    for parameter, declared in CHAPTERS.get(name, {}).items():
        if parameter in parameters:
            declared.require(parameter, parameters[parameter])


def nearest(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return public numbers that were computed of a chapter's parameters, each as near as is allowed."""
    declared = CHAPTERS.get(name, {})
    return {
        parameter: declared[parameter].nearest(value) if parameter in declared and real(value) else value
        for parameter, value in parameters.items()
    }


def elsewhere(asked: Mapping[str, Any], used: Mapping[str, Any]) -> str:
    """Return in words which numbers are used in place of those that were asked for, but for rounding."""
    away = [
        name
        for name, value in asked.items()
        if real(value) and abs(value - used[name]) > isinstance(used[name], int) / 2
    ]
    return ", ".join(f"{name} = {typed(used[name])} in place of {typed(asked[name])}" for name in away)


def moved(name: str, parameters: Mapping[str, object]) -> dict[str, object]:
    """Return those parameters that are not where the chapter's notebook starts."""
    declared = CHAPTERS.get(name, {})
    return {
        parameter: value
        for parameter, value in parameters.items()
        if parameter in declared and value != declared[parameter].default
    }


def require_known(known: Iterable[str]) -> None:
    """Raise if papermill gave this notebook a parameter that is not known, and name the one meant."""
    from workbench.lab.figures import cells  # with pandas; the parameters themselves need neither

    names = sorted(known)
    for name, value in injected(cells()).items():
        if name not in names:
            raise ArgumentError(f"parameter {name}", value, one_of_words(name, names))


def injected(sources: Iterable[str]) -> dict[str, object]:
    """Return the parameters that papermill injected, from the sources of a notebook's cells.

    Papermill puts a cell of assignments after the notebook's own cell of parameters and marks it by its first
    line; a name that the notebook does not have would stay there, and do nothing.
    """
    return dict(pair for cell in sources if cell.startswith(MARK) for pair in _assigned(cell))


def _assigned(cell: str) -> Iterator[tuple[str, object]]:
    for statement in ast.parse(cell).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            yield statement.targets[0].id, _value(statement.value)


def _value(expression: ast.expr) -> object:
    try:
        return ast.literal_eval(expression)
    except ValueError:  # such as float("nan")
        return ast.unparse(expression)
