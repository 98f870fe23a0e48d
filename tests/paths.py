"""The files that a reader opens between an entry's call and its noise: the command `path` of `bits.py`."""

import os
import sys
from pathlib import Path

import numpy as np

import workbench
from tests.bits import estimators, fewest, typical
from workbench.catalog import CATALOG
from workbench.privacy import SimulatedNoise

HOME = str(Path(workbench.__file__).parent) + os.sep


def path(key):
    """The files of the package entered after the call of an entry and before its last draw, but for its plan.

    With each, whether it stands between the call and a draw. Of the examples, the one with most such files.
    """
    d, found = CATALOG[key].population.d or 1, {}
    for _, estimator, (budget, *_) in estimators(key):
        if not isinstance(least := fewest(estimator, d, budget), str):
            one = followed(estimator, typical(key, max(300, 4 * least), d, 0), budget)
            found = max(found, one, key=lambda files: (sum(files.values()), len(files)))
    return found


def followed(estimator, x, budget):
    """The files that a call goes through before its last draw, with whether one is on the stack of a draw."""
    entered, drawn, planning = set(), {}, []

    def step(frame, event, _):
        if event == "call" and not planning:
            if frame.f_code.co_name == "plan":
                planning.append(frame)
            elif frame.f_code.co_name != "<module>":
                entered.add(frame.f_code.co_filename)
        elif event == "return" and planning == [frame]:
            planning.clear()

    def noted(name):
        def draw(self, *given, **named):
            stack, frame = set(), sys._getframe(1)
            while frame.f_code is not followed.__code__:
                stack.add(frame.f_code.co_filename)
                frame = frame.f_back
            drawn.update({file: drawn.get(file, False) or file in stack for file in entered | stack})
            return getattr(SimulatedNoise, name)(self, *given, **named)

        return draw

    draws = {name: noted(name) for name in vars(SimulatedNoise) if not name.startswith("_")}
    rng = type("Watched", (SimulatedNoise,), draws)(np.random.default_rng(0))
    sys.setprofile(step)
    try:
        estimator(x, budget=budget, rng=rng)
    finally:
        sys.setprofile(None)
    return {file.removeprefix(HOME): on for file, on in sorted(drawn.items()) if file.startswith(HOME)}


def lines(keys):
    """For each key its files on the stack of a draw and all, most first, then those of the longest three."""
    found = {key: path(key) for key in keys}
    longest = sorted(keys, key=lambda key: (-sum(found[key].values()), -len(found[key])))
    yield "files between a call and its noise, and all that are entered before the last draw"
    yield from (f"{sum(found[key].values()):3} {len(found[key]):3}  {key}" for key in longest)
    for key in longest[:3]:
        yield key
        yield from (f"  {'stack' if on else '     '}  {file}" for file, on in found[key].items())
