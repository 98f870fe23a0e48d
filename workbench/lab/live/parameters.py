"""What the public parameters of every notebook may be: all that its mathematics allows, in words.

    require("one_mean", {"epsilon": 0.3, "n": 200, "radius": 50.0})

A session refuses anything else before a notebook has computed anything, `reproduce` before it has begun, and
`check` holds the comments in a notebook's cell of parameters to these words. How far a slider goes is no
matter of what is allowed.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from numbers import Integral
from types import MappingProxyType
from typing import Any

from workbench.errors import ArgumentError, one_of_words, real
from workbench.lab.pictures.display import cells

MARK = "# Parameters\n"  # what papermill writes above those that it was given
_INTEGRAL: Any = Integral


@dataclass(frozen=True)
class Allowed:
    """The values a parameter may have.

    Parameters
    ----------
    words : str
        What is allowed, for messages and for the comment beside the parameter.
    admits : callable
        Whether a value is allowed.
    """

    words: str
    admits: Callable[[object], bool]

    def require(self, name: str, value: object) -> None:
        """Raise unless a value is allowed."""
        if not self.admits(value):
            raise ArgumentError(name, value, self.words)


def whole(least: int, most: float = inf) -> Allowed:
    """Return the whole numbers from `least` to `most`."""

    def admits(value: object) -> bool:
        return isinstance(value, _INTEGRAL) and not isinstance(value, bool) and least <= value <= most

    return Allowed(f"a whole number, {least} " + ("or more" if most == inf else f"to {most:g}"), admits)


def between(low: float, high: float) -> Allowed:
    """Return the numbers strictly between two."""
    return Allowed(
        f"a number strictly between {low:g} and {high:g}", lambda value: real(value) and low < value < high
    )


POSITIVE = Allowed("a finite number above 0", lambda value: real(value) and value > 0)
AT_LEAST_1 = Allowed("a finite number, 1 or more", lambda value: real(value) and value >= 1)

CHAPTERS: Mapping[str, Mapping[str, Allowed]] = MappingProxyType(
    {
        "start_here": {"epsilon": POSITIVE, "n": whole(1, 442)},
        "one_mean": {"epsilon": POSITIVE, "n": whole(1), "radius": POSITIVE},
        "many_dimensions": {"epsilon": POSITIVE, "n": whole(1), "d": whole(1), "radius": POSITIVE},
        "covariance": {"rho": POSITIVE, "n": whole(1), "upper": AT_LEAST_1},
        "any_gaussian": {"epsilon": POSITIVE, "n": whole(1), "condition": AT_LEAST_1},
        "robust_and_private": {"corruption": between(0, 0.5), "epsilon": POSITIVE},
        "sparse_covariance": {"epsilon": POSITIVE, "n": whole(1), "p": whole(1)},
        "matrix_quantile": {"epsilon": POSITIVE, "n": whole(1), "level": between(0, 1)},
    }
)
"""Chapter -> its parameters, but for the profile, the seed and the folder, which all of them have."""


def chapter(stem: str) -> str:
    """Return the chapter of a notebook's name.

    >>> chapter("02_one_mean")
    'one_mean'
    """
    return stem.partition("_")[2]


def require(name: str, parameters: Mapping[str, object]) -> None:
    """Raise unless every parameter of a chapter is allowed; a chapter that declares none allows anything."""
    for parameter, allowed in CHAPTERS.get(name, {}).items():
        if parameter in parameters:
            allowed.require(parameter, parameters[parameter])


def require_known(known: Iterable[str]) -> None:
    """Raise if papermill gave this notebook a parameter that is not known, and name the one meant."""
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
