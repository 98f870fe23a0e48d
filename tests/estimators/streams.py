"""The streams of random numbers that tests of estimators draw rows from, and gaps of whole numbers."""

from fractions import Fraction

import numpy as np

from workbench.estimators import base
from workbench.estimators.shared.rows import present
from workbench.privacy.grid import OnGrid

FAR = 50.0  # rows with holes lie here: an absent row that were 0 would show


def rng(seed=1):
    """A stream of its own for each seed."""
    return np.random.default_rng(seed)


def holes(n, d=None, seed=1, share=0.3):
    """Rows far from 0, some absent, and the others alone."""
    x = FAR + rng(seed).standard_normal(n if d is None else (n, d))
    x[rng(seed + 1).random(n) < share] = np.nan
    x = base.sanitised(x)
    assert 0 < present(x).sum() < n
    return x, x[present(x)]


def squared_gap(one: OnGrid, two: OnGrid) -> Fraction:
    """The squared l2 distance of two statistics of one grid, exactly."""
    assert np.array_equal(one.unit, two.unit), "the unit is not public"
    first, second = (np.ravel(at.counts).astype(object) for at in (one, two))
    apart = first - second
    units = np.broadcast_to(one.unit, one.shape).ravel()
    moves = (Fraction(float(unit)) * int(gap) for unit, gap in zip(units, apart, strict=True) if gap)
    return sum((move**2 for move in moves), Fraction(0))
