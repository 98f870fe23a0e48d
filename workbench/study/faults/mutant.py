"""Mistakes put into the package for as long as somebody looks, and what must find each of them.

A fault takes what it is put into (nothing, or an example of the catalog) and is undone when it is left.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from inspect import getsource, unwrap
from textwrap import dedent
from types import ModuleType
from typing import Any, Generic, TypeAlias, TypeVar
from unittest.mock import patch

from workbench.catalog import outside
from workbench.privacy import Charge, SimulatedNoise

Finder = TypeVar("Finder")
Function: TypeAlias = Callable[..., Any]
Fault: TypeAlias = Callable[..., AbstractContextManager[Any]]
Declared: TypeAlias = tuple[str, str, float, Any]
"""Step, mechanism, sensitivity and cost of a charge."""


def everywhere(subject: object) -> bool:
    """Return that a fault can be put into anything."""
    return True


@dataclass(frozen=True)
class Mutant(Generic[Finder]):
    """A fault with a name, and what must find it.

    Parameters
    ----------
    name : str
        What is wrong.
    fault : Fault
        Makes it wrong.
    found_by : Finder
        An attack, a contract of examples, or the test of a property.
    applies : callable
        Whether an example has what the fault breaks.
    options : mapping
        Arguments with which a contract finds it.
    """

    name: str
    fault: Fault
    found_by: Finder
    applies: Callable[[Any], bool] = everywhere
    options: Mapping[str, Any] = field(default_factory=dict)


@contextmanager
def replaced_everywhere(*replacements: tuple[Any, Any]) -> Iterator[None]:
    """Replace values, each (original, other), wherever a module of a registered estimator has them."""
    others = {id(original): other for original, other in replacements}
    places = [
        (module, attribute, value)
        for module in _package(len(sys.modules), ("workbench", *outside()))
        if not others.keys().isdisjoint(map(id, vars(module).values()))
        for attribute, value in vars(module).items()
        if id(value) in others
    ]
    for module, attribute, value in places:
        setattr(module, attribute, others[id(value)])
    try:
        yield
    finally:
        for module, attribute, value in places:
            setattr(module, attribute, value)


@lru_cache(maxsize=1)
def _package(loaded: int, tops: tuple[str, ...]) -> list[ModuleType]:
    """Return the modules of these packages, of so many that are loaded."""
    return [module for name, module in sys.modules.items() if name.partition(".")[0] in tops]


def swapped(original: object, replacement: object) -> Fault:
    """Return the fault that replaces a function or a constant wherever the package imported it."""
    return lambda *_: replaced_everywhere((original, replacement))


def attribute(owner: object, name: str, replacement: object) -> Fault:
    """Return the fault that replaces one attribute of a class or module, there alone."""
    return lambda *_: patch.object(owner, name, replacement)


def rewritten(owner: Any, name: str, right: str, wrong: str) -> Fault:
    """Return the fault that writes `wrong` where a function of a class or module says `right`, once."""
    original = vars(owner)[name]
    changed = _changed(original, right, wrong)
    return swapped(original, changed) if isinstance(owner, ModuleType) else attribute(owner, name, changed)


def _changed(function: Function, right: str, wrong: str) -> Any:
    text = dedent(getsource(function))
    if text.count(right) != 1:
        raise LookupError(f"{function.__qualname__} does not say {right!r} once")
    made: dict[str, Any] = {}
    exec(text.replace(right, wrong), unwrap(function).__globals__, made)
    return made[function.__name__]


def weaker(kind: str, factor: float) -> Fault:
    """Return the fault of a noise whose scale is `factor` times the right one."""
    original: Function = getattr(SimulatedNoise, kind)

    def drawn(self: SimulatedNoise, value: Any, sensitivity: float, scale: float, *rest: float) -> Any:
        return original(self, value, sensitivity, factor * scale, *rest)

    return attribute(SimulatedNoise, kind, drawn)


def charged(change: Callable[[str, str, float, Any], Declared]) -> Fault:
    """Return the fault in every charge, at its construction."""

    def faulty(construct: Function) -> Function:
        def changed(
            self: Charge, step: str, mechanism: str, sensitivity: float, cost: Any, **more: Any
        ) -> None:
            construct(self, *change(step, mechanism, sensitivity, cost), **more)

        return changed

    @contextmanager
    def fault(*_: Any) -> Iterator[None]:
        with ExitStack() as stack:
            for kind in (Charge, *Charge.__subclasses__()):
                stack.enter_context(patch.object(kind, "__init__", faulty(vars(kind)["__init__"])))
            yield

    return fault


def declared(steps: str | set[str], factor: float) -> Fault:
    """Return the fault of steps that declare `factor` times their sensitivity."""
    wrong = {steps} if isinstance(steps, str) else steps
    return charged(lambda step, name, size, cost: (step, name, size * (factor if step in wrong else 1), cost))
