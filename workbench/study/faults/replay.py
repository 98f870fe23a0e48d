"""A run seen from inside: every use of a mechanism, what it saw, what it released, and how to use it again.

With the releases of one run as a script, another run takes the same path: the statistics of a step on two
data sets can be compared given the same former outputs, which is what a composition theorem talks about.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np

from workbench.estimators.parts.locate.window_median import WindowMedian
from workbench.privacy import Charge, NoiseSource, histograms, masks, mechanisms

Function: TypeAlias = Callable[..., Any]


@dataclass
class Event:
    """One use of a mechanism.

    Parameters
    ----------
    mechanism : str
        Its name.
    charge : Charge
        What it was charged.
    statistic : object
        What it saw: an array (for a mask a root of the matrix), the counts of a histogram, or a locator and
        its points.
    output : object
        What it released.
    further : tuple
        Further arguments.
    again : callable
        The same use with a fresh noise source.
    """

    mechanism: str
    charge: Charge
    statistic: Any
    output: Any
    further: tuple[Any, ...]
    again: Callable[[NoiseSource], Any]


@contextmanager
def replaced_everywhere(original: Function, replacement: Function) -> Iterator[None]:
    """Replace a function in every module of the package that imported it."""
    with _all_replaced({id(original): replacement}):
        yield


@contextmanager
def _all_replaced(replacements: dict[int, Function]) -> Iterator[None]:
    """Replace functions, by their identities, in every module of the package."""
    wanted = frozenset(replacements)
    places = [
        (module, attribute, value)
        for module in _package(len(sys.modules))
        if not wanted.isdisjoint(map(id, vars(module).values()))
        for attribute, value in vars(module).items()
        if id(value) in wanted
    ]
    for module, attribute, value in places:
        setattr(module, attribute, replacements[id(value)])
    try:
        yield
    finally:
        for module, attribute, value in places:
            setattr(module, attribute, value)


@lru_cache(maxsize=1)
def _package(loaded: int) -> list[ModuleType]:
    """Return the modules of the package, of so many that are loaded."""
    return [module for name, module in sys.modules.items() if name.startswith("workbench")]


@contextmanager
def spied(script: list[Event] | None = None) -> Iterator[list[Event]]:
    """Record every use of a mechanism; with a script, release its outputs instead of fresh ones."""
    spy = _Spy(script)
    watched = {id(function): spy.watched(name, function, seen) for name, function, seen in _mechanisms()}
    draw = spy.watched(
        "window_median", WindowMedian.draw, lambda locator, points, *_: (locator, points.copy())
    )
    with _all_replaced(watched), patch.object(WindowMedian, "draw", lambda *args: draw(*args)):
        yield spy.events


class _Spy:
    def __init__(self, script: list[Event] | None) -> None:
        self.script, self.events, self.inside = script, list[Event](), False

    def watched(self, mechanism: str, original: Function, statistic: Function) -> Function:
        """Return `original`, recorded unless another recorded mechanism calls it."""

        def call(*args: Any, **kwargs: Any) -> Any:
            if self.inside:
                return original(*args, **kwargs)
            place = next(number for number, value in enumerate(args) if isinstance(value, Charge))

            def again(noise: NoiseSource) -> Any:
                return original(*args[: place + 1], noise, *args[place + 2 :], **kwargs)

            self.inside = True
            try:
                fresh = again(args[place + 1])  # drawn in any case: public draws that follow are the same
            finally:
                self.inside = False
            output = self.script[len(self.events)].output if self.script else fresh
            further = (*args[place + 2 :], *kwargs.values())
            self.events.append(Event(mechanism, args[place], statistic(*args), output, further, again))
            return output

        return call


def _counts(keys: Any, *_: Any) -> Counter[float]:
    return Counter(np.asarray(keys).tolist())


def _array(value: Any, *_: Any) -> Any:
    return np.array(value, float)


def _mechanisms() -> list[tuple[str, Function, Function]]:
    """Return the mechanisms as they are now, and what each sees."""
    additive = ("additive", "laplace", "truncated_laplace", "gaussian", "symmetric_gaussian", "lower_bound")
    noisy = (*additive, "noisy_max", "exponential")
    found = [(name, getattr(mechanisms, name), _array) for name in noisy]
    found.append(("masked", masks.masked, _array))
    return [*found, ("stability_histogram", histograms.stability_histogram, _counts)]
