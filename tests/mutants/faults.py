"""How tests put faults in: a line that is written wrongly, and designs that are kept apart from faults."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import getsource, unwrap
from textwrap import dedent
from types import ModuleType
from typing import Any

from workbench.study.faults import Fault, attribute, cached_functions, replaced_everywhere, swapped


def rewritten(owner: Any, name: str, right: str, wrong: str) -> Fault:
    """Return the fault that writes `wrong` where a function of a class or module says `right`, once."""
    original = vars(owner)[name]
    other = changed(original, right, wrong)
    return swapped(original, other) if isinstance(owner, ModuleType) else attribute(owner, name, other)


def changed(function: Callable[..., Any], right: str, wrong: str) -> Any:
    text = dedent(getsource(function))
    if text.count(right) != 1:
        raise LookupError(f"{function.__qualname__} does not say {right!r} once")
    made: dict[str, Any] = {}
    exec(text.replace(right, wrong), unwrap(function).__globals__, made)
    return made[function.__name__]


@dataclass
class Memo:
    """A cache with two shelves: `known` from the package as it is, `scratch` from a fault."""

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
    for memo in made:
        memo.mutating = True
    try:
        yield
    finally:
        for memo in made:
            memo.mutating = False
            memo.scratch.clear()
