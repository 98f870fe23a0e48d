"""Keeps faults apart: designs and tables computed without one stay, those computed with one go."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from workbench.study.faults.mutant import Fault, replaced_everywhere


@dataclass
class Memo:
    """A cache with two shelves: `known` from the package as it is, `scratch` from a fault."""

    function: Callable[..., Any]
    known: dict[Any, Any] = field(default_factory=dict)
    scratch: dict[Any, Any] = field(default_factory=dict)
    mutating: bool = False

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Return the remembered result for these arguments, computed if need be."""
        key = (arguments, *sorted(named.items()))
        shelf = self.known if key in self.known or not self.mutating else self.scratch
        if key not in shelf:
            shelf[key] = self.function(*arguments, **named)
        return shelf[key]


def cached_functions() -> set[Any]:
    """Return every function of the package that remembers its results."""
    modules = [module for name, module in sys.modules.items() if name.startswith("workbench")]
    found = [value for module in modules for value in vars(module).values() if callable(value)]
    return {value for value in found if hasattr(value, "cache_info") and hasattr(value, "__wrapped__")}


def forget() -> None:
    """Empty the caches themselves, for faults that take their functions from behind them."""
    for function in cached_functions():
        function.cache_clear()


@contextmanager
def memos() -> Iterator[list[Memo]]:
    """Put an empty memo in the place of every cache; the caches are as they were afterwards."""
    pairs = [(function, Memo(function.__wrapped__)) for function in cached_functions()]
    with replaced_everywhere(*pairs):
        yield [memo for _, memo in pairs]


@contextmanager
def isolated(made: list[Memo]) -> Iterator[None]:
    """Forget afterwards whatever is remembered inside."""
    for memo in made:
        memo.mutating = True
    try:
        yield
    finally:
        for memo in made:
            memo.mutating = False
            memo.scratch.clear()


@contextmanager
def alone(*faults: Fault) -> Iterator[None]:
    """Put faults into the package without designs and tables from before, and leave none behind."""
    with ExitStack() as stack:
        stack.enter_context(memos())
        for fault in faults:
            stack.enter_context(fault())
        yield
