"""How the runs behind a figure are made: how thoroughly, from which seed, and with how much work.

A figure is a function of a `Run` and of the public numbers that it uses. At the usual numbers its sweeps are
those of the claims; at others they have the same blocks at other points (`Sweep.moved`), and may take a few
times the work: beyond it every point has fewer trials, and where these would be too few the figure shows
predictions alone.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from inspect import Parameter, signature
from math import ceil, floor, inf
from typing import Any

import numpy as np
import pandas as pd

from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention
from workbench.study.grids import Point, Role, Sweep, grid, multiples, resampler, stream
from workbench.study.profiles import FEWEST, blocks
from workbench.study.sweeps import at_budget, columns, resources, run
from workbench.types import Columns

# what runs are declared by, so that a chapter imports it from here
__all__ = [
    "Point",
    "Role",
    "Sweep",
    "at_budget",
    "blocks",
    "grid",
    "multiples",
    "resampler",
    "resources",
    "stream",
]


class TooMuchWorkError(ArgumentError):
    """A figure's runs would take more work than is allowed, even with few trials."""

    def __init__(self, name: str, times: float, limit: float) -> None:
        super().__init__(f"work of {name}", times, f"at most {limit:g}")
        self.times, self.limit = times, limit

    def __str__(self) -> str:
        lifted = float(f"{1.1 * self.times:.2g}")
        return (
            f"{self.argument}: {self.times:.3g} times the usual, {self.limit:g} allowed;"
            f" `workbench reproduce --limit {lifted:g}` runs it"
        )


@dataclass(frozen=True)
class Run:
    """What a figure is told besides its public numbers."""

    profile: str = "quick"  # how many blocks of trials
    seed: int = 17  # of everything random
    most: int | None = None  # trials at every point, up to whole blocks: a sketch of the figure
    simulate: bool = True  # whether to run anything; else tables are empty and figures show what is predicted

    def table(self, *sweeps: Sweep) -> pd.DataFrame:
        """Return the tables of those sweeps that the profile computes, one below the other."""
        frames = [self._table(sweep) for sweep in sweeps if self.profile in sweep.blocks]
        return pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]

    def _table(self, sweep: Sweep) -> pd.DataFrame:
        if not self.simulate:
            return columns(sweep, self.profile, seed=self.seed)
        times, limit = sweep.times_usual, resources().limit
        if times > limit:
            trials = floor(sweep.trials * limit / times)
            if trials < min(FEWEST, sweep.trials):
                raise TooMuchWorkError(sweep.name, times, limit)
            sweep = replace(sweep, trials=trials)
        if self.most is None:
            sweep = sweep.under(self.profile)
        else:
            trials = min(self.most, sweep.trials)
            sweep = replace(sweep, trials=trials, blocks={self.profile: ceil(self.most / trials)})
        return run(sweep, self.profile, seed=self.seed)


# A block of trials out of one: what a single trial measures, repeated, is a column per name.


Row = Mapping[str, Any]
"""What one trial measures, by column."""


def block_columns(rows: Iterable[Row]) -> Columns:
    """Return the columns of a block, given a row per trial.

    >>> block_columns({"error": error, "abstained": error > 1} for error in (0.5, 2.0))
    {'error': array([0.5, 2. ]), 'abstained': array([False,  True])}
    """
    found = list(rows)
    return {name: np.array([row[name] for row in found]) for name in found[0]}


def each_trial(trial: Callable[..., Row]) -> Callable[..., Columns]:
    """Return the block (see `sweeps.grids.Sweep`) that repeats one trial on the same two streams.

    The trial is a function of a point's parameters and of `data` and `noise`; its block takes `trials`, too.
    """

    @wraps(trial)
    def block(*bound: Any, trials: int, **drawn: Any) -> Columns:
        return block_columns(trial(*bound, **drawn) for _ in range(trials))

    one = signature(trial)
    count = Parameter("trials", Parameter.KEYWORD_ONLY, annotation=int)
    taken = sorted([*one.parameters.values(), count], key=lambda parameter: parameter.kind)
    block.__signature__ = one.replace(parameters=taken)  # type: ignore[attr-defined]
    return block


def answered(error: Any, **more: Any) -> Row:
    """Return the row of a run that may give no answer: an infinite error, and its flag."""
    return {"error": error, **more, "abstained": error == inf}


def error_of(value: object, loss: Callable[[Any], Any]) -> float:
    return inf if isinstance(value, Abstention) else float(loss(value))


def value_of(estimator: Any, x: object, budget: Any, rng: object) -> Any:
    """Return what an estimator releases, or its abstention."""
    return estimator(x, budget=budget, rng=rng).value


def loss_of(estimator: Any, x: object, budget: Any, rng: object, loss: Callable[[Any], Any]) -> float:
    """Return the loss of what an estimator releases, infinite where it abstains."""
    return error_of(value_of(estimator, x, budget, rng), loss)
