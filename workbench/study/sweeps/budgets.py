"""Sweeps at other budgets than their own."""

from collections.abc import Iterable
from inspect import signature

from workbench.privacy import ApproxDP
from workbench.study.sweeps.grids import Sweep
from workbench.study.sweeps.schema import Point


def at_budget(sweep: Sweep, budget: ApproxDP, points: Iterable[Point] | None = None) -> Sweep:
    """Return the sweep at other points and at (ε, δ), which its block takes by keyword.

    What the block takes by itself is no part of the points: at the sweep's own budget and points the
    sweep is the same, and so are its blocks.
    """
    own = signature(sweep.block).parameters
    told = {"epsilon": budget.epsilon, "delta": budget.delta}
    more = {name: value for name, value in told.items() if value != own[name].default}
    return sweep.moved({**point, **more} for point in (sweep.points if points is None else points))
