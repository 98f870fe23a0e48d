"""Runs on neighbours, given the same releases, seen where noise is added: gaps of whole numbers.

What reaches the noise has to be on a grid; its gap is compared with the sensitivity that noise is scaled to,
without any rounding.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np

from workbench.estimators.shared.window_median import WindowMedian
from workbench.privacy import SimulatedNoise
from workbench.privacy.grid import UP, OnGrid, on_grid

DRAW = WindowMedian.draw

Run = Callable[[np.ndarray, Any], Any]


@dataclass(frozen=True)
class Seen:
    """One statistic, its sensitivity, and what was released."""

    kind: str
    statistic: OnGrid
    sensitivity: float
    output: Any


class Listening(SimulatedNoise):
    """Noise that remembers what it was added to, and repeats the releases of a former run."""

    def __init__(self, seed: int, script: "Listening | None" = None) -> None:
        super().__init__(np.random.default_rng(seed))
        self.seen, self.places, self.script = list[Seen](), list[Any](), script

    def _heard(self, kind: str, value: Any, sensitivity: float, output: Any) -> Any:
        statistic = on_grid(value)
        assert statistic is not None, f"floats reach the noise: {kind} of {np.shape(value)}"
        if self.script is not None:
            output = self.script.seen[len(self.seen)].output
        self.seen.append(Seen(kind, statistic, sensitivity, output))
        return output

    def laplace(self, value: Any, sensitivity: float, scale: float) -> Any:
        return self._heard("laplace", value, sensitivity, super().laplace(value, sensitivity, scale))

    def gaussian(self, value: Any, sensitivity: float, scale: float) -> Any:
        return self._heard("gaussian", value, sensitivity, super().gaussian(value, sensitivity, scale))

    def symmetric_gaussian(self, value: Any, sensitivity: float, scale: float) -> Any:
        found = super().symmetric_gaussian(value, sensitivity, scale)
        return self._heard("symmetric_gaussian", value, sensitivity, found)


def replayed(self: WindowMedian, points: np.ndarray, charge: Any, noise: Listening) -> float | None:
    """A place of the former run: where pieces begin and end depends on the rows."""
    found = DRAW(self, points, charge, noise)  # drawn in any case: what follows is drawn alike
    if noise.script is not None:
        found = noise.script.places[len(noise.places)]
    noise.places.append(found)
    return found


def squared_gap(one: OnGrid, two: OnGrid) -> Fraction:
    """The squared l2 distance of two statistics of one grid, exactly."""
    assert np.array_equal(one.unit, two.unit), "the unit is not public"
    first, second = (np.ravel(at.counts).astype(object) for at in (one, two))
    apart = first - second
    units = np.broadcast_to(one.unit, one.shape).ravel()
    moves = (Fraction(float(unit)) * int(gap) for unit, gap in zip(units, apart, strict=True) if gap)
    return sum((move**2 for move in moves), Fraction(0))


def whole_gaps(run: Run, x: np.ndarray, others: list[np.ndarray], seed: int) -> list[float]:
    """The largest gap of every draw over its sensitivity; fail where noise is made for less."""
    first = Listening(seed)
    listened(run, x, first)
    largest = [0.0] * len(first.seen)
    for other in others:
        again = Listening(seed, first)
        listened(run, other, again)
        assert len(again.seen) == len(first.seen), "the draws tell about the rows"
        for number, (one, two) in enumerate(zip(first.seen, again.seen, strict=True)):
            squared = squared_gap(one.statistic, two.statistic)
            assert squared <= (Fraction(one.sensitivity) * Fraction(UP)) ** 2, (number, one.kind)
            largest[number] = max(largest[number], float(squared) ** 0.5 / one.sensitivity)
    return largest


def listened(run: Run, x: np.ndarray, noise: Listening) -> None:
    """Run with a source that listens."""
    with patch.object(WindowMedian, "draw", replayed):
        run(x, noise)
