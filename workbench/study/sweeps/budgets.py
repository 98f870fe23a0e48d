"""Sweeps at other budgets than their own."""

from collections.abc import Iterable
from dataclasses import replace

from workbench.privacy import ApproxDP
from workbench.study.run import FEWEST
from workbench.study.sweeps.grids import Sweep
from workbench.study.sweeps.resources import resources
from workbench.study.sweeps.schema import Point


def at_budget(
    sweep: Sweep, budget: ApproxDP, points: Iterable[Point] | None = None, work: float | None = None
) -> Sweep:
    """Return the sweep at other points and at (ε, δ), which its block takes by keyword.

    What the block takes by itself is no part of the points: at the sweep's own budget and points the
    sweep is the same, and so are its blocks. `work` is how many times the usual a trial takes, where the
    points do not say so: beyond the limit there are fewer trials, a quarter of `FEWEST` at least.
    """
    here = sweep.points if points is None else points
    moved = sweep.moved(here, epsilon=budget.epsilon, delta=budget.delta)
    if work is None:
        return moved
    fewest = min(sweep.trials, FEWEST // 4)
    trials = int(sweep.trials * min(1.0, resources().limit / work))
    return replace(moved, trials=max(fewest, trials), usual=())
