"""Keeps mutants apart: designs and tables that were computed without one stay, those with one go."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from kit import replaced_everywhere

from workbench.estimators.parts.scale import pivots


@dataclass
class Memo:
    """A cache with two shelves: `known` from the package as it is, `scratch` from a mutant."""

    function: Callable[..., Any]
    known: dict[Any, Any] = field(default_factory=dict)
    scratch: dict[Any, Any] = field(default_factory=dict)
    mutating: bool = False

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        key = (arguments, *sorted(named.items()))
        shelf = self.known if key in self.known or not self.mutating else self.scratch
        if key not in shelf:
            shelf[key] = self.function(*arguments, **named)
        return shelf[key]


def cached_functions() -> set[Callable[..., Any]]:
    """Every function of the package that remembers its results."""
    modules = [module for name, module in sys.modules.items() if name.startswith("workbench")]
    found = [value for module in modules for value in vars(module).values() if callable(value)]
    return {value for value in found if hasattr(value, "cache_info") and hasattr(value, "__wrapped__")}


@contextmanager
def memos() -> Iterator[list[Memo]]:
    """Put a memo in the place of every cache."""
    with ExitStack() as stack:
        made = []
        for function in cached_functions():
            made.append(Memo(function.__wrapped__))  # type: ignore[attr-defined]
            stack.enter_context(replaced_everywhere(function, made[-1]))
        yield made


@contextmanager
def isolated(made: list[Memo]) -> Iterator[None]:
    """Whatever is remembered inside is forgotten afterwards."""
    for memo in made:
        memo.mutating = True
    try:
        with patch.dict(pivots._TABLES):
            yield
    finally:
        for memo in made:
            memo.mutating = False
            memo.scratch.clear()
