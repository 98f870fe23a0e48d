"""A run seen from inside: every use of a mechanism, what it saw, what it released, and how to use it again.

With the releases of one run as a script, another run takes the same path: the statistics of a step on two
data sets can be compared given the same former outputs, which is what a composition theorem talks about.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

from workbench.estimators import quantiles
from workbench.estimators.shared.window_median import WindowMedian
from workbench.privacy import Charge, NoiseSource, histograms, located, masks, mechanisms, stable, voted
from workbench.privacy.grid import OnGrid, on_grid
from workbench.study.faults.mutant import Function, replaced_everywhere

ADDITIVE = ("additive", "laplace", "truncated_laplace", "gaussian", "symmetric_gaussian", "lower_bound")
COMPARED = (*ADDITIVE, "noisy_max", "exponential")  # mechanisms whose statistic is an array


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
        What it saw: an array (for a mask a root of the matrix), the counts of a histogram, a locator and its
        points, or what a test decides about with its count.
    output : object
        What it released.
    further : tuple
        Further arguments.
    again : callable
        The same use with a fresh noise source.
    whole : OnGrid or None
        The statistic as whole numbers, where it is an array of them.
    """

    mechanism: str
    charge: Charge
    statistic: Any
    output: Any
    further: tuple[Any, ...]
    again: Callable[[NoiseSource], Any]
    whole: OnGrid | None = None


@contextmanager
def spied(script: list[Event] | None = None) -> Iterator[list[Event]]:
    """Record every use of a mechanism; with a script, release its outputs instead of fresh ones."""
    with watched() as spy, spy.recorded(script) as events:
        yield events


@contextmanager
def watched() -> Iterator["Spy"]:
    """Put a spy on every mechanism, for as many runs as are to be recorded."""
    spy = Spy()
    seen = [(function, spy.watched(name, function, statistic)) for name, function, statistic in _mechanisms()]
    draw = spy.watched(
        "window_median", WindowMedian.draw, lambda locator, points, *_: (locator, points.copy())
    )
    with replaced_everywhere(*seen), patch.object(WindowMedian, "draw", lambda *args: draw(*args)):
        yield spy


class Spy:
    """Records the uses of the mechanisms that it watches, one run after another."""

    def __init__(self) -> None:
        self.script, self.events, self.inside = list[Event](), list[Event](), False

    @contextmanager
    def recorded(self, script: list[Event] | None = None) -> Iterator[list[Event]]:
        """Record every use anew; with a script, release its outputs instead of fresh ones."""
        self.script, self.events = script or [], []
        try:
            yield self.events
        finally:
            self.script, self.events = [], []

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
    """Return the mechanisms as they are now, and what each sees."""
    found = [(name, getattr(mechanisms, name), _array) for name in COMPARED]
    found += [("masked", masks.masked, _array), ("located_normal", located.located_normal, _itself)]
    found += [(name, getattr(stable, name), _itself) for name in ("stable_mask", "masked_lift")]
    found.append(("voted", voted.voted, _itself))
    found.append(("cuts", quantiles.cut, lambda level, *_: level))
    return [*found, ("stability_histogram", histograms.stability_histogram, _counts)]
