"""Faults that change a few words in the text of one function."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import getsource
from textwrap import dedent
from types import ModuleType
from typing import Any
from unittest.mock import patch

from kit import replaced_everywhere


def rewritten(owner: Any, name: str, right: str, wrong: str) -> Callable[..., Any]:
    """A fault that writes `wrong` where a function of a class or module says `right`, once."""
    original = vars(owner)[name]
    changed = _changed(original, right, wrong)

    @contextmanager
    def fault(*_: object) -> Iterator[None]:
        everywhere = isinstance(owner, ModuleType)
        with replaced_everywhere(original, changed) if everywhere else patch.object(owner, name, changed):
            yield

    return fault


def _changed(function: Callable[..., Any], right: str, wrong: str) -> Callable[..., Any]:
    text = dedent(getsource(function))
    if text.count(right) != 1:
        raise LookupError(f"{function.__qualname__} does not say {right!r} once")
    made: dict[str, Any] = {}
    exec(text.replace(right, wrong), function.__globals__, made)
    return made[function.__name__]  # type: ignore[no-any-return]
