"""A block of trials out of one: what a single trial measures, repeated, is a column per name."""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, signature
from math import inf
from typing import Any

import numpy as np

from workbench.estimators.base import Abstention
from workbench.types import Columns

Row = Mapping[str, Any]
"""What one trial measures, by column."""


def columns(rows: Iterable[Row]) -> Columns:
    """Return the columns of a block, given a row per trial.

    >>> columns({"error": error, "abstained": error > 1} for error in (0.5, 2.0))
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
        return columns(trial(*bound, **drawn) for _ in range(trials))

    one = signature(trial)
    count = Parameter("trials", Parameter.KEYWORD_ONLY, annotation=int)
    block.__signature__ = one.replace(parameters=[*one.parameters.values(), count])  # type: ignore[attr-defined]
    return block


def answered(error: Any, **more: Any) -> Row:
    """Return the row of a run that may give no answer: an infinite error, and its flag."""
    return {"error": error, **more, "abstained": error == inf}


def error_of(value: object, loss: Callable[[Any], Any]) -> float:
    """Return the loss of an estimate, infinite for no answer."""
    return inf if isinstance(value, Abstention) else float(loss(value))
