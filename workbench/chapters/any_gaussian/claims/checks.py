"""Checks that the claims on AL22 share: of inequalities, and of public numbers."""

import numpy as np
from numpy.typing import ArrayLike

from workbench.study.rules import Status, Verdict, compare

ROUNDING = 1e-6


def reached(name: str, values: ArrayLike, bound: float, share: float) -> Verdict:
    """Decide 'no value is above the bound'; it holds only if one reaches this share of it."""
    found = np.asarray(values, np.float64)
    top = float(found.max())
    above, near = top > bound * (1 + ROUNDING), top >= share * bound
    status = Status.REFUTED if above or np.isnan(top) else Status.HOLDS if near else Status.UNDECIDED
    return Verdict(
        status=status,
        test="largest value, at most",
        level=0.0,
        trials=len(found),
        estimate=top,
        interval=(top, top),
        bound=bound,
        detail={"share": share},
    ).about(name, "")


def certain(name: str, values: ArrayLike, low: float, high: float) -> Verdict:
    """Decide 'all values lie in [low, high]' for values that follow from public numbers."""
    found = np.atleast_1d(np.asarray(values, np.float64))
    interval = (float(found.min()), float(found.max()))
    inside = compare(interval, low, high) is Status.HOLDS
    return Verdict(
        status=Status.HOLDS if inside else Status.REFUTED,
        test="computed, inside limits",
        level=0.0,
        trials=len(found),
        estimate=interval[1],
        interval=interval,
        bound=high,
        detail={"allowed": (low, high)},
    ).about(name, "")
