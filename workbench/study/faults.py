"""Mistakes put into the package on purpose, and runs seen from inside."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from types import ModuleType
from typing import Any, Generic, TypeVar
from unittest.mock import patch

import numpy as np

from workbench.catalog import outside
from workbench.estimators import quantiles
from workbench.estimators.shared.window_median import WindowMedian
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    Charge,
    NoiseSource,
    SimulatedNoise,
    histograms,
    mechanisms,
    stable,
)
from workbench.privacy.grid import OnGrid, on_grid
from workbench.types import frozen

# Mistakes put into the package for as long as somebody looks, and what must find each of them.
#
# A fault takes what it is put into (nothing, or an example of the catalog) and is undone when it is left.


Finder = TypeVar("Finder")
Function = Callable[..., Any]
Fault = Callable[..., AbstractContextManager[Any]]
Declared = tuple[str, str, float, Any]
"""Step, mechanism, sensitivity and cost of a charge."""


def everywhere(subject: object) -> bool:
    return True


@frozen
class Mutant(Generic[Finder]):
    """A fault with a name, and what must find it."""

    name: str  # what is wrong
    fault: Fault  # makes it wrong
    found_by: Finder  # an attack, a contract of examples, or the test of a property
    applies: Callable[[Any], bool] = everywhere  # whether an example has what the fault breaks
    options: Mapping[str, Any] = field(default_factory=dict)  # arguments with which a contract finds it


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
    return [module for name, module in sys.modules.items() if name.partition(".")[0] in tops]


def swapped(original: object, replacement: object) -> Fault:
    """Return the fault that replaces a function or a constant wherever the package imported it."""
    return lambda *_: replaced_everywhere((original, replacement))


def attribute(owner: object, name: str, replacement: object) -> Fault:
    return lambda *_: patch.object(owner, name, replacement)


def weaker(kind: str, factor: float) -> Fault:
    original: Function = getattr(SimulatedNoise, kind)

    def drawn(self: SimulatedNoise, value: Any, sensitivity: float, scale: float, *rest: float) -> Any:
        return original(self, value, sensitivity, factor * scale, *rest)

    return attribute(SimulatedNoise, kind, drawn)


KINDS: dict[Any, str] = {
    "noisy_max": "exponential",
    "exponential": "choice",
    "window_median": "choice",
    "located_normal": "gaussian",
    "voted_gaussian": "gaussian",
    "voted_laplace": "laplace",
    "stable_thompson_laplace": "thompson_laplace",
    "stable_wishart": "wishart",
    "tested_wishart": "wishart",
    ("lower_bound", ApproxDP): "laplace",
    ("lower_bound", ZCDP): "gaussian",
    ("stability_histogram", ApproxDP): "discrete_laplace",
    ("stability_histogram", ZCDP): "gaussian",
}  # mechanism, or with its kind of cost: what a source draws for it, where that has another name


def kind_of(charge: Charge) -> str:
    name = charge.mechanism
    return KINDS.get((name, type(charge.cost)), KINDS.get(name, name))


def charged(change: Callable[[str, str, float, Any], Declared]) -> Fault:

    def faulty(construct: Function) -> Function:
        def changed(
            self: Charge, step: str, mechanism: str, sensitivity: float, cost: Any, *more: Any, **named: Any
        ) -> None:
            construct(self, *change(step, mechanism, sensitivity, cost), *more, **named)

        return changed

    @contextmanager
    def fault(*_: Any) -> Iterator[None]:
        with ExitStack() as stack:
            for kind in (Charge, *Charge.__subclasses__()):
                stack.enter_context(patch.object(kind, "__init__", faulty(vars(kind)["__init__"])))
            yield

    return fault


def declared(steps: str | set[str], factor: float) -> Fault:
    wrong = {steps} if isinstance(steps, str) else steps
    return charged(lambda step, name, size, cost: (step, name, size * (factor if step in wrong else 1), cost))


# Keeps faults apart: designs and tables computed without one stay, those computed with one go.


def cached_functions() -> set[Any]:
    modules = [module for name, module in sys.modules.items() if name.startswith("workbench")]
    found = [value for module in modules for value in vars(module).values() if callable(value)]
    return {value for value in found if hasattr(value, "cache_info") and hasattr(value, "__wrapped__")}


@contextmanager
def alone(*faults: Fault) -> Iterator[None]:
    """Put faults into the package without designs and tables from before, and leave none behind."""
    with ExitStack() as stack:
        empty = ((function, cache(function.__wrapped__)) for function in cached_functions())
        stack.enter_context(replaced_everywhere(*empty))
        for fault in faults:
            stack.enter_context(fault())
        yield


# A run seen from inside: every use of a mechanism, what it saw, what it released, and how to use it again.
#
# With the releases of one run as a script, another run takes the same path: the statistics of a step on two
# data sets can be compared given the same former outputs, which is what a composition theorem talks about.


ADDITIVE = ("additive", "laplace", "truncated_laplace", "gaussian", "symmetric_gaussian", "lower_bound")
COMPARED = (*ADDITIVE, "noisy_max", "exponential")  # mechanisms whose statistic is an array
ITSELF = ("located_normal", "stable_mask", "masked_lift", "voted")  # those whose statistic is kept as it is


@dataclass
class Event:
    """One use of a mechanism."""

    mechanism: str  # its name
    charge: Charge  # what it was charged
    # what it saw: an array (for a mask a root of the matrix), the counts of a histogram, a locator and its
    # points, or what a test decides about with its count
    statistic: Any
    output: Any  # what it released
    further: tuple[Any, ...]  # further arguments
    again: Callable[[NoiseSource], Any]  # the same use with a fresh noise source
    whole: OnGrid | None = None  # the statistic as whole numbers, where it is an array of them


@contextmanager
def spied(script: list[Event] | None = None) -> Iterator[list[Event]]:
    with watched() as spy, spy.recorded(script) as events:
        yield events


@contextmanager
def watched() -> Iterator["Spy"]:
    spy = Spy()
    seen = [(function, spy.watched(name, function, statistic)) for name, function, statistic in _mechanisms()]
    draw = spy.watched(
        "window_median", WindowMedian.draw, lambda locator, points, *_: (locator, points.copy())
    )
    with replaced_everywhere(*seen), patch.object(WindowMedian, "draw", draw):
        yield spy


class Spy:
    """Records the uses of the mechanisms that it watches, one run after another."""

    def __init__(self) -> None:
        self.script, self.events, self.inside = list[Event](), list[Event](), False

    @contextmanager
    def recorded(self, script: list[Event] | None = None) -> Iterator[list[Event]]:
        self.script, self.events = script or [], []
        try:
            yield self.events
        finally:
            self.script, self.events = [], []

    def watched(self, mechanism: str, original: Function, statistic: Function) -> Function:

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
            whole = on_grid(args[0]) if mechanism in COMPARED else None
            self.events.append(Event(mechanism, args[place], statistic(*args), output, further, again, whole))
            return output

        return call


def _counts(keys: Any, *_: Any) -> Counter[float]:
    return Counter(key for key in np.asarray(keys).tolist() if key == key)  # NaN is no bin


def _array(value: Any, *_: Any) -> Any:
    return np.array(value, float)


def _itself(value: Any, *_: Any) -> Any:
    return value


def _mechanisms() -> list[tuple[str, Function, Function]]:
    found = [(name, getattr(mechanisms, name), _array) for name in COMPARED]
    found += [(name, getattr(stable, name), _itself) for name in ITSELF]
    found += [("masked", stable.masked, _array), ("cuts", quantiles.cut, _itself)]
    return [*found, ("stability_histogram", histograms.stability_histogram, _counts)]
